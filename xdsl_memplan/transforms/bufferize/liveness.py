"""What is used, where and until when, in one function of tensor IR.

Operations of the function and of its control flow are numbered in the order of the file, an
operation with regions after what is inside: its *position*. The bodies of `linalg` operations
have no numbers of their own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects import bufferization, func, scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from xdsl_memplan.analysis.memref_layout import Memref, is_dense
from xdsl_memplan.analysis.needed_results import needed_results
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.dialects.linalg_additions.map import MapOp
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.transforms.bufferize.place import NEVER, Slice, View, view_type
from xdsl_memplan.transforms.bufferize.records import Place, registered
from xdsl_memplan.transforms.bufferize.tensor_views import viewed, views_of

CONTROL_FLOW = (
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.IndexSwitchOp,
    scf.ExecuteRegionOp,
    scf.ParallelOp,
)

STRUCTURED = (
    LinalgStructuredOperation,
    linalg_ops.BroadcastOp,
    linalg_ops.ReduceOp,
    MapOp,
)


NOTHING: Mapping[str, tuple[frozenset[int], ...]] = MappingProxyType({})


@dataclass(frozen=True)
class Use:
    """One use of the bytes of a tensor, by the operation around it in the tensor's own block."""

    op: Operation
    index: int
    """Which operand; -1 if the use is inside a region of `op`."""
    value: SSAValue
    """The tensor or the view of it that is used."""
    position: int


class Heir(NamedTuple):
    """An operand that may lie where the result of its last reader does."""

    value: SSAValue
    root: SSAValue
    """The tensor that it is, or is a view of."""
    can_move: bool
    """Whether its own operation can write it to a place of somebody else's choice."""


@dataclass
class Content:
    """All uses of the bytes that a tensor stands for, through views too."""

    uses: list[Use] = field(default_factory=list[Use])
    end: int = -1
    """Position of the last use."""
    views: list[tuple[View, ...]] = field(default_factory=list[tuple[View, ...]])
    dense: list[tuple[View, ...]] = field(default_factory=list[tuple[View, ...]])
    """Views that must have an identity layout, as they leave the function."""
    sliced: int = 0
    """Uses that could put the tensor straight into a larger one."""

    def allows(self, usual: Memref, type: Memref) -> bool:
        """Tell whether every view that works on the memref `usual` works on `type` as well."""
        for views in self.views:
            if view_type(type, views) is None and view_type(usual, views) is not None:
                return False
        for views in self.dense:
            found = view_type(type, views)
            if found is None or not is_dense(found):
                return False
        return True


def is_tensor(value: SSAValue) -> bool:
    """Tell whether a value is a ranked tensor."""
    # Asked of every value of a program, and isinstance is slow where a class has an ABC.
    return value.type.__class__ is TensorType


@cache
def is_control_flow(op_class: type[Operation]) -> bool:
    """Tell whether operations of a class have code inside that runs in order."""
    return issubclass(op_class, CONTROL_FLOW)


@cache
def is_structured(op_class: type[Operation]) -> bool:
    """Tell whether operations of a class compute all elements with the code inside."""
    return issubclass(op_class, STRUCTURED)


class Liveness:
    """Positions, live operations and contents of one function."""

    def __init__(
        self,
        function: func.FuncOp,
        handed_back: Mapping[str, tuple[frozenset[int], ...]] = NOTHING,
        sharing: Sharing | None = None,
    ) -> None:
        """Number the function; `handed_back` holds, by callee and result, the arguments it may be.

        A result of a callee that is not in there may be any operand.
        """
        self._handed_back = handed_back
        self.sharing = sharing or Sharing()
        self.position: dict[Operation, int] = {}
        self.first: dict[Operation, int] = {}
        self.live: set[Operation] = set()
        self.calls: list[int] = []
        """Positions of calls, in order."""
        self.slices: dict[Operation, Slice] = {}
        """Slices of operations that somebody asked for."""
        self.steps: dict[Block, list[tuple[Operation, Place]]] = {}
        """What `Placement` does in a block, kept as it places a function several times."""
        self.heirs: dict[Operation, list[tuple[OpResult, list[Heir]]]] = {}
        """Per operation: results, and the operands that may lie where the result does."""
        self._reads: dict[Operation, tuple[bool, ...]] = {}
        self._needed: dict[Operation, tuple[bool, ...]] = {}
        self._contents: dict[SSAValue, Content] = {}
        self._number(function.body)
        for op in reversed(list(self.position)):
            if not self._is_dead(op):
                self.live.add(op)

    def content(self, root: SSAValue) -> Content:
        """The uses of a tensor that is no view itself."""
        content = self._contents.get(root)
        if content is None:
            content = self._contents[root] = Content()
            self._gather(root, (), _block_of(root), content)
        return content

    def uses_in(self, root: SSAValue, block: Block) -> list[Use]:
        """The uses of a tensor in one block, which may be nested in the tensor's own."""
        if block is _block_of(root):
            return self.content(root).uses
        content = Content()
        self._gather(root, (), block, content)
        return content.uses

    def is_used(self, value: SSAValue) -> bool:
        """Tell whether the contents of a tensor matter to anything."""
        live = self.live
        for use in value.uses:
            op = use.operation
            if op in live:
                if self.reads(op)[use.index]:
                    return True
            elif op not in self.position and self._numbered(op) in live:
                return True
        return False

    def reads(self, op: Operation) -> tuple[bool, ...]:
        """For each operand of an operation, whether the contents matter and not only the shape."""
        known = self._reads.get(op)
        if known is None:
            known = self._reads[op] = self._find_reads(op)
        return known

    def _find_reads(self, op: Operation) -> tuple[bool, ...]:
        record = registered(op)
        if record is not None:
            return (True,) * len(op.operands) if record.reads is None else record.reads(op)
        effects = self.sharing.effects(op) if self.sharing.destinations(op) else None
        if effects is None:
            return (True,) * len(op.operands)
        return tuple(
            Access.READ in access or not is_tensor(operand)
            for access, operand in zip(effects.operands, op.operands, strict=True)
        )

    def level(self, op: Operation, block: Block) -> Operation | None:
        """The operation in `block` that is `op` or has it inside."""
        current: Operation | None = op
        while current is not None and current.parent is not block:
            current = current.parent_op()
        return current

    def needed_results(self, op: Operation) -> tuple[bool, ...]:
        """For each result, whether it is used, or is needed to compute one that is."""
        known = self._needed.get(op)
        if known is None:
            used = [not is_tensor(result) or self.is_used(result) for result in op.results]
            known = self._needed[op] = needed_results(op, used)
        return known

    def _number(self, region: Region) -> None:
        for block in region.blocks:
            for op in block.ops:
                self.first[op] = len(self.position)
                if op.regions and is_control_flow(type(op)):
                    for inner in op.regions:
                        self._number(inner)
                elif type(op) is func.CallOp:
                    self.calls.append(len(self.position))
                self.position[op] = len(self.position)

    def handed_back(self, call: func.CallOp, result: int) -> frozenset[int]:
        """The operands whose bytes a result of a call may be."""
        known = self._handed_back.get(call.callee.string_value())
        if known is not None:
            return known[result]
        # Nothing is known of the function: any tensor that it was given.
        return frozenset(i for i, operand in enumerate(call.operands) if is_tensor(operand))

    def _numbered(self, op: Operation) -> Operation:
        current: Operation | None = op
        while current is not None and current not in self.position:
            current = current.parent_op()
        return op if current is None else current

    def _is_dead(self, op: Operation) -> bool:
        makes_tensor = False
        for result in op.results:
            if is_tensor(result):
                makes_tensor = True
                if self.is_used(result):
                    return False
            elif result.first_use is not None:
                return False
        if not makes_tensor:
            return False
        if is_structured(type(op)):
            return all(only_computes(inner) for inner in _body_operations(op))
        # That copies, too, which xDSL does not say.
        return isinstance(op, bufferization.AllocTensorOp) or only_computes(op)

    def _gather(
        self, value: SSAValue, path: tuple[View, ...], block: Block | None, content: Content
    ) -> None:
        for use in value.uses:
            operation = use.operation
            user = operation if operation in self.position else self._numbered(operation)
            if user not in self.live:
                continue
            if user is operation and not self.reads(user)[use.index]:
                continue
            if user is operation and viewed(user) is not None:
                longer = (*path, *views_of(user))
                content.views.append(longer)
                self._gather(user.results[0], longer, block, content)
                continue
            level = user if block is None else self.level(user, block)
            if level is None:
                continue
            position = self.position[level]
            index = use.index if use.operation is level else -1
            content.uses.append(Use(level, index, value, position))
            content.end = max(content.end, position)
            if isinstance(user, func.CallOp) and use.index >= 0 and user is use.operation:
                self._gather_handed_back(user, use.index, block, content)
            record = registered(user)
            if record is None:
                continue
            if record.needs_dense:
                content.dense.append(path)
                if isinstance(user, bufferization.ToBufferOp):
                    content.end = NEVER
            content.sliced += record.assembles

    def _gather_handed_back(
        self, call: func.CallOp, operand: int, block: Block | None, content: Content
    ) -> None:
        """Add the uses of results that may be the bytes of an operand, and not only equal."""
        for result in call.results:
            if is_tensor(result) and operand in self.handed_back(call, result.index):
                also = Content()
                self._gather(result, (), block, also)
                content.uses += also.uses
                content.end = max(content.end, also.end)


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner


def _body_operations(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if not isinstance(inner, linalg_ops.YieldOp | linalg_ops.IndexOp):
                    yield inner
