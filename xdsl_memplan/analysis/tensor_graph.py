"""The operators of a function and the tensors between them: what can be moved off chip and back.

A tensor is moved as a whole, and one of which a copy is off chip is never changed: what works in
place over it makes a new one in the same room. What may share room is what `sharing` says.

An operator is one operation that takes time, with those before it that need nothing and that only
it reads: there is never a reason to run them earlier. Their results are no tensors of the graph but
`folded`, there while the operator runs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects import arith, bufferization, tensor
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xdsl_memplan.analysis.block_operations import DYNAMIC_SIZE, BlockOperations
from xdsl_memplan.analysis.block_order import arrange, values_used
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.sharing import Sharing, parts_of
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.queries import aliases_of


@dataclass
class TensorOperator:
    """Operations that run one after the other; numbers are indices of tensors."""

    operations: list[Operation]
    """In the order in which they run; the last is the one that the others are for."""
    keeps_order: bool
    """Whether it must stay in order with the other operators that say so."""
    inputs: list[int] = field(default_factory=list[int])
    outputs: list[int] = field(default_factory=list[int])
    folded: list[int] = field(default_factory=list[int])
    """Those of its inputs that are made by its own operations, for it alone."""
    over: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(output, input): the one may be written over the other."""
    parts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(output, input): the one has the other in it."""
    inserts: list[int] = field(default_factory=list[int])
    """Inputs that are parts of something that has contents before."""


@dataclass
class TensorGraph:
    """Tensors between the operators of a function, by index; sizes in bytes."""

    function: FuncOp
    operators: list[TensorOperator]
    tensors: list[SSAValue]
    """The tensor itself; operators may see it through views."""
    sizes: list[int]
    returned: list[int]
    roots: dict[SSAValue, SSAValue]
    """The tensor that a view shows."""
    sharing: Sharing
    """What was asked about the operations, for whoever asks again."""
    is_closed: bool
    """Whether tensors lie nowhere but in the function's own buffers, as far as can be told."""
    edges: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Operators of which the second needs a number, such as an element, that the first makes."""

    @classmethod
    def of(cls, function: FuncOp, keep_order: bool = False) -> "TensorGraph":
        """Analyse a function with one block. Linear in its operations.

        With ``keep_order`` every operation is an operator.

        Raises ValueError for several blocks, or for a tensor whose size is not known.
        """
        return _Builder(function).build(fold=not keep_order)

    def root(self, value: SSAValue) -> SSAValue:
        """Return the tensor that ``value`` shows, which is itself if it is no view."""
        return self.roots.get(value, value)

    def reorder(self, order: Iterable[int]) -> None:
        """Bring the operations of the function into the given order of operators; linear.

        Followers stand right before the first who uses them.
        """
        arrange(
            self.function.body.block,
            (op for index in order for op in self.operators[index].operations),
        )

    def readers(self) -> list[int]:
        """Count for each tensor the operators that read it, and the end if it is returned."""
        count = [0] * len(self.tensors)
        for operator in self.operators:
            for read in operator.inputs:
                count[read] += 1
        for read in self.returned:
            count[read] += 1
        return count


class _Builder:
    """Builds the graph in one walk over the block."""

    def __init__(self, function: FuncOp) -> None:
        self.uniforms = Uniforms()
        self.sharing = Sharing()
        self.function = function
        self.block = BlockOperations(function, self._is_filled_where_needed, self.sharing)
        self.index: dict[SSAValue, int] = {}
        self.graph = TensorGraph(
            function,
            [],
            [],
            [],
            [],
            self.block.roots,
            self.sharing,
            _is_closed(function, self.uniforms),
        )

    def build(self, fold: bool) -> TensorGraph:
        for op in self.block.operations:
            self.graph.operators.append(self._operator(op))
        last = self.block.last
        ends = [self.block.root(value) for value in (last.operands if last else ())]
        self.graph.returned = sorted({self.index[value] for value in ends if value in self.index})
        if fold:
            self._fold()
        parts = [operator.operations for operator in self.graph.operators]
        self.graph.edges = self.block.edges_of_numbers(parts)
        return self.graph

    def _is_filled_where_needed(self, op: Operation) -> bool:
        return bool(op.results) and all(self.uniforms.of(result) for result in op.results)

    def _operator(self, op: Operation) -> TensorOperator:
        operator = TensorOperator([op], self.block.keeps_order(op))
        read = dict.fromkeys(self.block.root(value) for value in values_used(op))
        operator.inputs = [self.index[value] for value in read if value in self.index]
        for result in op.results:
            if not is_tensor(result.type) or self.uniforms.of(result):
                continue
            size = size_bytes(result.type)
            if size is None:
                raise ValueError(f"{describe_op(op)}: {DYNAMIC_SIZE}")
            made = self.index[result] = len(self.graph.tensors)
            self.graph.tensors.append(result)
            self.graph.sizes.append(size if result.first_use is not None else 0)
            operator.outputs.append(made)
            self._share(operator, op, result.index, made)
        return operator

    def _share(self, operator: TensorOperator, op: Operation, result: int, made: int) -> None:
        """Note what a result may share room with."""
        if op.regions and not isinstance(op, LinalgStructuredOperation | tensor.PadOp):
            # What a region yields may lie where any tensor was that it reads.
            operator.over += [(made, read) for read in operator.inputs]
            return
        size = self.graph.sizes[made]
        for operand in self.sharing.overwritable(op, result):
            read = self._whole(op.operands[operand])
            if read is not None and self.graph.sizes[read] == size:
                operator.over.append((made, read))
        has_contents = any(
            root in self.index and size_bytes(root.type) == size
            for root in map(self.block.root, op.operands[1:2])
        )
        if isinstance(op, tensor.InsertSliceOp) and self._is_copied(op.operands[1]):
            return
        for operand in parts_of(op):
            read = self._whole(op.operands[operand])
            if read is None:
                continue
            if isinstance(op, tensor.InsertSliceOp) and has_contents:
                operator.inserts.append(read)
            else:
                operator.parts.append((made, read))

    def _is_copied(self, destination: SSAValue) -> bool:
        """Tell whether ``destination`` is copied right before something goes into the copy.

        That is so of what may not be written: what is to go there cannot be there earlier.
        """
        if self.uniforms.of(destination) is not None:
            return False
        root = self.block.root(destination)
        if not isinstance(root, BlockArgument):
            return isinstance(root.owner, arith.ConstantOp)
        attributes = self.function.arg_attrs
        marks = attributes.data[root.index].data if attributes else ()
        return not any(map(_is_writable, marks))

    def _whole(self, value: SSAValue) -> int | None:
        """The tensor that ``value`` shows all of."""
        root = self.block.root(value)
        whole = size_bytes(root.type) == size_bytes(value.type)
        return self.index.get(root) if whole else None

    def _fold(self) -> None:
        """Fold operators that need nothing into their only reader, where it has the room they need.

        Waiting for the reader then costs nothing: while they run no more is held than while it
        does. A part of what its reader makes may have to be away before it, and is not folded.
        """
        graph = self.graph
        readers = graph.readers()
        maker = {made: i for i, operator in enumerate(graph.operators) for made in operator.outputs}
        gone: set[int] = set()
        for operator in graph.operators:
            for read in operator.inputs:
                source = maker[read]
                before = graph.operators[source]
                if (
                    readers[read] == 1
                    and all(read != part for _, part in operator.parts)
                    and len(before.outputs) == 1
                    and len(before.inputs) == len(before.folded)
                    and not before.keeps_order
                    and not self.block.makes_numbers(before.operations[-1])
                    and self._need(before, least=False) <= graph.sizes[read] + self._room(operator)
                ):
                    operator.operations[-1:-1] = before.operations
                    operator.folded.append(read)
                    gone.add(source)
        graph.operators = [o for i, o in enumerate(graph.operators) if i not in gone]

    def _room(self, operator: TensorOperator) -> int:
        """Bytes that an operator needs at least besides what it reads."""
        return self._need(operator, least=True) - sum(
            self.graph.sizes[read] for read in operator.inputs
        )

    def _need(self, operator: TensorOperator, *, least: bool) -> int:
        """Bytes that an operator needs, at least or where nothing can be shared."""
        sizes = self.graph.sizes
        need = sum(sizes[tensor] for tensor in {*operator.inputs, *operator.outputs})
        if not least:
            return need
        shared = [*operator.over, *operator.parts]
        gone = sum(sizes[read] for read in {read for _, read in shared})
        return need - min(gone, sum(sizes[made] for made in {made for made, _ in shared}))


def _is_closed(function: FuncOp, uniforms: Uniforms) -> bool:
    """Tell whether no tensor can lie in memory of others, or in what a call or a region makes."""
    marks = [name for attributes in function.arg_attrs or () for name in attributes.data]
    return not any(map(_is_writable, marks)) and all(
        (op.dialect_name() in _KNOWN or _copies_apart(op, uniforms))
        and kind_of(op) in (Kind.PLAIN, Kind.CONSTANT, Kind.FORWARD)
        and (not op.regions or isinstance(op, LinalgStructuredOperation | tensor.PadOp))
        for op in function.body.block.ops
    )


def _is_writable(mark: str) -> bool:
    """Tell whether an attribute allows to write to an argument."""
    return mark.endswith(".writable")


def _copies_apart(op: Operation, uniforms: Uniforms) -> bool:
    """Tell whether `op` makes a copy of which no byte can be where a tensor was that it copies."""
    if not isinstance(op, bufferization.AllocTensorOp) or op.copy is None:
        return False
    value = op.copy
    while isinstance(value, OpResult):
        if isinstance(value.op, tensor.ExtractSliceOp | arith.ConstantOp) or uniforms.of(value):
            return True
        sources = [value.op.operands[tie.operand] for tie in aliases_of(value.op)]
        if len(sources) != 1:
            return False
        value = sources[0]
    return True


_KNOWN = ("linalg", "tensor", "arith", "math", "func", "cf")
"""Dialects whose operations do to tensors what their traits say, and no more."""
