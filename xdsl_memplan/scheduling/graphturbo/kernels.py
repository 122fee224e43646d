"""The kernels of a split graph, and the bytes that several of them need when they run together."""

from collections.abc import Collection, Iterable

from xdsl_memplan.model.needed_boxes import needed_boxes
from xdsl_memplan.model.split_graph import (
    Box,
    Indirect,
    SplitGraph,
    SplitOp,
    box_elements,
    whole,
)


class Kernels:
    """A graph whose layers are numbered, one kernel per layer.

    Weights, and what is computed from them alone, are apart from activations: they are neither
    split nor counted as room. A view or a padded copy of a tensor stands for that tensor, as its
    readers pad and index themselves.
    """

    def __init__(self, graph: SplitGraph) -> None:
        """Analyse a graph; linear. Raises ValueError if layers are not numbered."""
        if any(op.layer < 0 for op in graph.ops):
            raise ValueError("the layers of the graph are not numbered")
        self.graph = graph
        self.activations = _activations(graph)
        count = 1 + max((op.layer for op in graph.ops), default=-1)
        self.ops: list[list[int]] = [[] for _ in range(count)]
        """Operations of each kernel, in order."""
        self.storage = list(range(len(graph.tensors)))
        """For each tensor the one whose bytes it shows."""
        self.maker: dict[int, int] = {}
        """Kernel that makes a storage."""
        self.readers: dict[int, set[int]] = {}
        """Kernels that read a storage."""
        self.returned: set[int] = set()
        self._op_of = {result: op for op in graph.ops for result in op.results}
        for i, op in enumerate(graph.ops):
            self.ops[op.layer].append(i)
            for result in op.results:
                if _stands_for_operand(op):
                    self.storage[result] = self.storage[op.operands[0].tensor]
                else:
                    self.maker[result] = op.layer
            for operand in op.operands:
                if operand.tensor in self.activations:
                    self.readers.setdefault(self.storage[operand.tensor], set()).add(op.layer)
        for i, tensor in enumerate(graph.tensors):
            if tensor.returned:
                self.returned.add(self.storage[i])
        self.reads: list[list[int]] = [[] for _ in self.ops]
        """Storages that each kernel reads: activations."""
        self.makes: list[list[int]] = [[] for _ in self.ops]
        """Storages that each kernel makes: activations."""
        for storage, readers in self.readers.items():
            for reader in readers:
                self.reads[reader].append(storage)
        for storage, maker in self.maker.items():
            if storage in self.activations:
                self.makes[maker].append(storage)
        self._boxes: dict[tuple[tuple[int, ...], int | None, int, int], dict[int, Box]] = {}
        self._weights = [self._weights_of(kernel) for kernel in range(self.count)]

    @property
    def count(self) -> int:
        """Number of kernels."""
        return len(self.ops)

    def size(self, storage: int) -> int:
        """Bytes of a storage."""
        return self.graph.tensors[storage].size_bytes

    def ops_of(self, kernels: Iterable[int]) -> list[int]:
        """Operations of some kernels, in order."""
        return sorted(i for kernel in kernels for i in self.ops[kernel])

    def inputs(self, kernels: Collection[int]) -> list[int]:
        """Activations that kernels read and do not make, ascending."""
        inside = set(kernels)
        found = {storage for kernel in inside for storage in self.reads[kernel]}
        return sorted(storage for storage in found if self.maker.get(storage) not in inside)

    def outputs(self, kernels: Collection[int]) -> list[int]:
        """Activations that kernels make for others or for the caller, ascending."""
        inside = set(kernels)
        return sorted(
            storage
            for kernel in inside
            for storage in self.makes[kernel]
            if storage in self.returned or not self.readers.get(storage, set()) <= inside
        )

    def weight_bytes(self, kernels: Iterable[int]) -> int:
        """Bytes of arguments and constants that kernels read as weights, each once.

        Tables that are looked up are left out.
        """
        found = set[int]().union(*(self._weights[kernel] for kernel in kernels))
        return sum(self.size(tensor) for tensor in found)

    def _weights_of(self, kernel: int) -> set[int]:
        found: set[int] = set()
        pending = [self.graph.ops[i] for i in self.ops[kernel]]
        seen: set[int] = set()
        while pending:
            for operand in pending.pop().operands:
                tensor = operand.tensor
                if tensor in self.activations or tensor in seen:
                    continue
                if isinstance(operand.access, Indirect):
                    continue
                seen.add(tensor)
                if tensor in self._op_of:
                    pending.append(self._op_of[tensor])
                elif self.graph.tensors[tensor].kind in ("argument", "constant"):
                    found.add(tensor)
        return found

    def network_bytes(self) -> int:
        """Bytes of the network's input and results that must move."""
        everything = tuple(range(self.count))
        boxes = self.boxes(everything, None, 1, 0)
        outside = [*self.inputs(everything), *self.returned]
        element = [self.graph.tensors[t].element_bytes for t in outside]
        return sum(box_elements(boxes[t]) * e for t, e in zip(outside, element, strict=True))

    def room(self, kernels: Collection[int]) -> int:
        """Bytes of activations live at once at the most while kernels run, inputs among them.

        An operation that may work in place does. Linear in the operations.
        """
        sequence = self.ops_of(kernels)
        outputs = set(self.outputs(kernels))
        last: dict[int, int] = {}
        for step, i in enumerate(sequence):
            for operand in self.graph.ops[i].operands:
                last[self.storage[operand.tensor]] = step
        live = {storage: self.size(storage) for storage in self.inputs(kernels)}
        now = most = sum(live.values())
        for step, i in enumerate(sequence):
            op = self.graph.ops[i]
            made = [r for r in op.results if r in self.activations and self.storage[r] == r]
            dying = {
                storage
                for storage in {self.storage[operand.tensor] for operand in op.operands}
                if storage in live and last[storage] == step and storage not in outputs
            }
            for position in op.in_place[:1] if made else ():
                storage = self.storage[op.operands[position].tensor]
                if storage in dying and self.size(storage) == self.size(made[0]):
                    dying.remove(storage)
                    now -= live.pop(storage)
            for storage in made:
                live[storage] = self.size(storage)
                now += live[storage]
            most = max(most, now)
            now -= sum(live.pop(storage) for storage in dying)
        return most

    def boxes(
        self, kernels: tuple[int, ...], dim: int | None, factor: int, number: int
    ) -> dict[int, Box]:
        """Return what kernels compute and read for one of `factor` equal parts of their outputs.

        Linear in the operations, the first time.
        """
        key = (kernels, dim, factor, number)
        if key not in self._boxes:
            wanted: dict[int, Box] = {}
            for tensor in self.outputs(kernels):
                box = list(whole(self.graph.tensors[tensor].shape))
                if dim is not None:
                    size = box[dim][1] // factor
                    box[dim] = (number * size, (number + 1) * size)
                wanted[tensor] = tuple(box)
            self._boxes[key] = needed_boxes(self.graph, wanted, self.ops_of(kernels))
        return self._boxes[key]

    def follow(self, kernels: tuple[int, ...], dim: int, factor: int) -> bool:
        """Tell whether all activations are split when the outputs are, each element once."""
        full = self.boxes(kernels, dim, 1, 0)
        return all(
            self.storage[tensor] != tensor
            or box_elements(box) * factor == box_elements(full[tensor])
            for tensor, box in self.boxes(kernels, dim, factor, 0).items()
            if tensor in self.activations
        )


def tvm_kernel_count(kernels: Kernels) -> int:
    """Count kernels as TVM does: a reshape of an activation is one as well."""
    reshapes = sum(
        op.view and op.operands[0].tensor in kernels.activations for op in kernels.graph.ops
    )
    return kernels.count + reshapes


def largest_batch(kernels: Kernels, capacity: int) -> int:
    """Return the largest batch, a power of two, for which every kernel of a graph of batch 1 fits.

    Each kernel has its inputs and outputs in a memory of `capacity` bytes (Table 2, column TVM).
    Returns 0 if the graph itself does not fit.
    """
    most = max((kernels.room([kernel]) for kernel in range(kernels.count)), default=0)
    batch = 0
    while (batch or 0.5) * 2 * most <= capacity:
        batch = max(1, 2 * batch)
    return batch


def _stands_for_operand(op: SplitOp) -> bool:
    """Tell whether an operation is a view, or nothing but its operand with a border."""
    return op.view or (len(op.operands) == 1 and op.parts == (0,))


def _activations(graph: SplitGraph) -> set[int]:
    """Return the tensors that depend on the network's input.

    That is what follows from sums or lookups, and what shrinks when less of the results is
    computed: the first index of their first dimension with several.
    """
    full = needed_boxes(graph)
    wanted: dict[int, Box] = {}
    for i, tensor in enumerate(graph.tensors):
        if tensor.returned:
            box = list(whole(tensor.shape))
            cut = next((d for d, extent in enumerate(tensor.shape) if extent > 1), None)
            if cut is not None:
                box[cut] = (0, 1)
            wanted[i] = tuple(box)
    part = needed_boxes(graph, wanted)
    found = {tensor for tensor, box in part.items() if box != full[tensor]}
    for op in graph.ops:
        computes = op.work_per_point or "reduction" in op.iterators
        looks_up = any(isinstance(operand.access, Indirect) for operand in op.operands)
        if computes or looks_up or any(operand.tensor in found for operand in op.operands):
            found.update(op.results)
    return found
