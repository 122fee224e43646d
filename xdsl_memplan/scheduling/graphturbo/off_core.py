"""Where the tensors of ordered instances live, and the bytes that leave the cores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl_memplan.model.split_graph import Box, box_elements
from xdsl_memplan.scheduling.graphturbo.ordering import Instance, Instances, overlap

Home = Literal["local", "global", "off-chip"]
Spill = Literal["longest", "largest"]


@dataclass(frozen=True)
class OffCore:
    """Bytes that instances move, and how many tensors live where (the shape of Table 3)."""

    weights: int
    """Read from off chip: by each instance once, or once in all if they are pinned."""
    pinned: int
    """Bytes that instances read of weights that stay in the global buffer; not in the total."""
    network: int
    """The network's input and result."""
    activations: int
    """Read and written off chip besides."""
    shared: int
    """Read from and written to the global buffer."""
    homes: tuple[int, int, int]
    """Tensors in local buffers, in the global buffer and off chip."""
    is_feasible: bool
    """Whether what is in the local buffers fits at every step."""

    @property
    def total(self) -> int:
        """Bytes between cores and memories, but for weights that are read where they are pinned."""
        return self.weights + self.network + self.activations + self.shared


@dataclass
class _Tensor:
    """A part of an activation that one instance makes."""

    bytes: int
    start: int
    end: int
    """Last step that reads it."""
    read: int
    """Bytes read, by each kernel of each instance once."""
    returned: bool
    home: Home = "local"

    @property
    def moved(self) -> int:
        return self.bytes + self.read


def off_core(
    instances: Instances,
    order: Sequence[Instance],
    local: int,
    shared: int,
    spill: Spill = "longest",
    *,
    pin: bool = False,
) -> OffCore:
    """Count what moves when instances run in an order.

    A step is one kernel of one instance. What a kernel makes lives in the local buffers from then
    to its last reader. Where they are exceeded, the tensor that lives longest (or is largest) moves
    for all its life to the global buffer, or off chip if that is full: it is written once, and read
    by each kernel that uses it. A tensor larger than the local buffers is never there. Results of
    the network are written off chip. With `pin`, weights that several instances use stay in the
    global buffer between them, as far as there is room: those first that save most for the room and
    the steps that they take. Their way from there to the cores is not counted, as that of weights
    from off chip is not counted twice.

    Args:
        instances: with their boxes.
        order: each after those it reads from.
        local: bytes of all local buffers.
        shared: bytes of the global buffer.
        spill: which tensor leaves the local buffers.
        pin: whether weights may stay in the global buffer.

    O(steps * spilled tensors).
    """
    steps = _Steps(instances, order)
    tensors = list(steps.tensors.values())
    for tensor in tensors:
        if tensor.returned:
            tensor.home = "off-chip"
    usage = {"local": list(steps.working), "global": [0] * steps.count}
    for tensor in tensors:
        if tensor.home == "local" and tensor.bytes <= local:
            _add(usage["local"], tensor, tensor.bytes)
    for tensor in tensors:
        if tensor.home == "local" and tensor.bytes > local:
            _send_away(tensor, usage["global"], shared)
    feasible = True
    for step in range(steps.count):
        while usage["local"][step] > local:
            live = [
                (t.end - t.start if spill == "longest" else t.bytes, t.bytes, -number)
                for number, t in enumerate(tensors)
                if t.home == "local" and t.start <= step <= t.end
            ]
            if not live:
                feasible = False
                break
            tensor = tensors[-max(live)[2]]
            _add(usage["local"], tensor, -tensor.bytes)
            _send_away(tensor, usage["global"], shared)
    saved, pinned = _pin(steps, usage["global"], shared) if pin else (0, 0)
    of = {home: [t for t in tensors if t.home == home] for home in ("local", "global", "off-chip")}
    off_chip = sum(t.moved for t in of["off-chip"])
    results = sum(t.bytes for t in tensors if t.returned)
    return OffCore(
        steps.weights - saved,
        pinned,
        steps.network + results,
        off_chip - results,
        sum(t.moved for t in of["global"]),
        (len(of["local"]), len(of["global"]), len(of["off-chip"])),
        feasible,
    )


def _pin(steps: "_Steps", usage: list[int], capacity: int) -> tuple[int, int]:
    """Keep weights in the global buffer; returns bytes saved, and bytes read there."""
    saved = pinned = 0
    uses = [(kernel, runs) for kernel, runs in steps.runs.items() if len(runs) > 1]

    def worth(use: tuple[int, list[int]]) -> tuple[float, int]:
        kernel, runs = use
        return (-(len(runs) - 1) / (runs[-1] - runs[0] + 1), kernel)

    for kernel, runs in sorted(uses, key=worth):
        size = steps.instances.kernels.weight_bytes([kernel])
        span = slice(runs[0], runs[-1] + 1)
        if max(usage[span]) + size <= capacity:
            usage[span] = [used + size for used in usage[span]]
            saved += (len(runs) - 1) * size
            pinned += len(runs) * size
    return saved, pinned


def _add(usage: list[int], tensor: _Tensor, size: int) -> None:
    for step in range(tensor.start, tensor.end + 1):
        usage[step] += size


def _send_away(tensor: _Tensor, usage: list[int], capacity: int) -> None:
    """Give a tensor a home outside of the local buffers."""
    if max(usage[tensor.start : tensor.end + 1]) + tensor.bytes <= capacity:
        tensor.home = "global"
        _add(usage, tensor, tensor.bytes)
    else:
        tensor.home = "off-chip"


class _Steps:
    """The steps of an order: which tensors they make and read."""

    def __init__(self, instances: Instances, order: Sequence[Instance]) -> None:
        self.instances = instances
        self.tensors: dict[tuple[int, Instance], _Tensor] = {}
        self.working: list[int] = []
        """For each step, the bytes that its kernel needs besides its inputs and outputs."""
        self.weights = self.network = 0
        self.rooms: dict[int, int] = {}
        self.runs: dict[int, list[int]] = {}
        """Steps at which each kernel runs."""
        for instance in order:
            for kernel in instances.sub_graphs[instance.sub_graph].kernels:
                self._run(instance, kernel)
        self.count = len(self.working)

    def _run(self, instance: Instance, kernel: int) -> None:
        kernels = self.instances.kernels
        boxes = self.instances.boxes[instance]
        step = len(self.working)
        self.runs.setdefault(kernel, []).append(step)
        around = 0
        for storage in kernels.inputs([kernel]):
            read = boxes.get(storage)
            if read is None:
                continue
            size = self._bytes(storage, read)
            around += size
            maker = self.instances.maker(storage)
            if maker is None:
                self.network += size
            elif maker == instance.sub_graph:
                self._note(self.tensors[storage, instance], step, size)
            else:
                for number in range(self.instances.sub_graphs[maker].instances):
                    other = Instance(maker, number)
                    common = overlap(self.instances.boxes[other].get(storage), read)
                    if common is not None:
                        known = self.tensors[storage, other]
                        self._note(known, step, self._bytes(storage, common))
        for storage in kernels.outputs([kernel]):
            box = boxes.get(storage)
            if box is None:
                continue
            size = self._bytes(storage, box)
            around += size
            returned = storage in kernels.returned
            self.tensors[storage, instance] = _Tensor(size, step, step, 0, returned)
        if kernel not in self.rooms:
            self.rooms[kernel] = kernels.room([kernel])
        whole = sum(map(kernels.size, (*kernels.inputs([kernel]), *kernels.outputs([kernel]))))
        instances = self.instances.sub_graphs[instance.sub_graph].instances
        self.working.append(max(0, self.rooms[kernel] - whole) // instances)
        self.weights += kernels.weight_bytes([kernel])

    def _bytes(self, storage: int, box: Box) -> int:
        return box_elements(box) * self.instances.kernels.graph.tensors[storage].element_bytes

    @staticmethod
    def _note(tensor: _Tensor, step: int, size: int) -> None:
        tensor.end = step
        tensor.read += size
