"""The forward walk that replaces operations on tensors, once every tensor has a place.

New operations come right before the one they replace. Buffers and views of them are made where
they are first needed. What is replaced is erased when its block is done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, cast

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    ShapedType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from xdsl_memplan.analysis.memref_layout import (
    Groups,
    Memref,
    Tensor,
    dense_memref,
    repeated_element,
)
from xdsl_memplan.dialects.fills import make_fill
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.number_arrays import numbers, slice_segments
from xdsl_memplan.dialects.off_chip import MOVE
from xdsl_memplan.transforms.bufferize.constants import Globals
from xdsl_memplan.transforms.bufferize.liveness import Liveness
from xdsl_memplan.transforms.bufferize.place import (
    Collapse,
    Expand,
    Place,
    Slice,
    Storage,
    View,
    view_type,
)
from xdsl_memplan.transforms.bufferize.placement import Placement
from xdsl_memplan.transforms.bufferize.records import OperationRecord

_Key: TypeAlias = tuple[Storage, tuple[View, ...]] | Attribute | arith.ConstantOp


@dataclass
class Scope:
    """A block that is being rewritten."""

    block: Block
    current: Operation | None = None
    """New operations are put before this one."""
    known: dict[_Key, SSAValue] = field(default_factory=dict[_Key, SSAValue])
    """Places and constants that there are values for."""


@dataclass
class Emitter:
    """Rewrites one function."""

    placement: Placement
    globals: Globals
    arena: str
    """The name of the default one."""
    attributes: Mapping[str, Mapping[str, Attribute]]
    """Of the buffers in each arena, by its name (see `buffer_attributes`)."""
    find: Callable[[Operation], OperationRecord | None]
    """The record of an operation; None for one that stays as it is."""
    written: Mapping[str, frozenset[int]]
    """By name of a function: the arguments that it may write."""
    memrefs: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The memref of each tensor."""
    scopes: list[Scope] = field(default_factory=list[Scope])
    _replaced: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What became of scalars and memrefs, which places and uniform tensors know as they were."""

    @property
    def liveness(self) -> Liveness:
        """Uses of the tensors, as they were before anything was rewritten."""
        return self.placement.liveness

    def written_by(self, call: func.CallOp) -> frozenset[int]:
        """The operands that the callee may write."""
        return self.written.get(call.callee.string_value(), frozenset())

    def emit_block(self, block: Block) -> None:
        """Rewrite a block and what is inside."""
        scope = Scope(block)
        self.scopes.append(scope)
        replaced: list[Operation] = []
        for op in list(block.ops):
            scope.current = op
            if op not in self.liveness.live:
                replaced.append(op)
                continue
            record = self.find(op)
            if record is not None and record.emit is not None and record.emit(self, op):
                replaced.append(op)
        self.scopes.pop()
        for op in reversed(replaced):
            op.detach()
            op.erase()

    def insert(self, *ops: Operation) -> None:
        """Put operations before the one that is being rewritten."""
        scope = self.scopes[-1]
        assert scope.current is not None
        scope.block.insert_ops_before(ops, scope.current)

    def constant(self, attribute: Attribute) -> SSAValue:
        """A scalar constant."""
        for scope in self.scopes:
            if attribute in scope.known:
                return scope.known[attribute]
        op = arith.ConstantOp(cast(IntegerAttr, attribute))
        self.insert(op)
        self.scopes[-1].known[attribute] = op.result
        return op.result

    def scalar(self, scalar: SSAValue | Attribute) -> SSAValue:
        """The value of a uniform tensor's scalar."""
        return self.now(scalar) if isinstance(scalar, SSAValue) else self.constant(scalar)

    def replace(self, old: SSAValue, new: SSAValue) -> None:
        """Let a scalar or a memref be replaced by another value, everywhere."""
        old.replace_all_uses_with(new)
        self._replaced[old] = new

    def now(self, value: SSAValue) -> SSAValue:
        """What a scalar or memref of the function as it was is by now."""
        while value in self._replaced:
            value = self._replaced[value]
        return value

    def new_buffer(
        self, type: Memref, hint: str | None = None, arena: str | None = None
    ) -> SSAValue:
        """A new buffer, made right here; in the default arena if none is named."""
        op = self._buffer(type, arena)
        op.memref.name_hint = hint
        self.insert(op)
        return op.memref

    def at(self, place: Place, hint: str | None = None) -> SSAValue:
        """The memref of a place."""
        storage = place.storage.resolve()
        value = self._base(storage, hint if not place.views else None)
        for count in range(1, len(place.views) + 1):
            key = (storage, place.views[:count])
            known = next((s.known[key] for s in self.scopes if key in s.known), None)
            if known is None:
                known = self.view(value, place.views[count - 1])
                self.scopes[-1].known[key] = known
            value = known
        return value

    def memref_of(self, value: SSAValue) -> SSAValue:
        """The memref of a tensor that has been computed, or can be made here."""
        known = self.memrefs.get(value)
        if known is not None:
            return known
        uniform = self.placement.uniforms.of(value)
        type = dense_memref(cast(Tensor, value.type), self.placement.space)
        if uniform is not None:
            buffer = self.new_buffer(type, value.name_hint)
            self.fill(uniform.scalar, buffer)
            return buffer
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            return self._global(owner)
        return self.new_buffer(self._for_its_shape(value, type) or type, value.name_hint)

    def _for_its_shape(self, value: SSAValue, type: Memref) -> Memref | None:
        """A memref of one element, at every index, if a tensor is there for its shape alone.

        Such as the window of a pooling, which nobody reads or writes.
        """
        if self.liveness.is_used(value):
            return None
        thin = repeated_element(type)
        return thin if self.liveness.content(value).allows(type, thin) else None

    def fill(self, scalar: SSAValue | Attribute, target: SSAValue, *, moves: bool = False) -> None:
        """Write a scalar to every element. `moves`: to a memory that is off chip."""
        value = self.scalar(scalar)
        is_scalar = _elements(target) == 1 and not _shape(target)
        op = memref.StoreOp.get(value, target, ()) if is_scalar else make_fill(value, target)
        if moves:
            op.attributes[MOVE] = UnitAttr()
        self.insert(op)

    def copy(self, source: SSAValue, target: SSAValue, *, moves: bool = False) -> None:
        """Copy all elements; nothing if there are none. `moves`: from one memory to another."""
        if _elements(target):
            op = memref.CopyOp.create(operands=[source, target])
            if moves:
                op.attributes[MOVE] = UnitAttr()
            self.insert(op)

    def put(self, value: SSAValue, place: Place, *, moves: bool = False) -> SSAValue:
        """See to it that a place holds a tensor: it may be there already. Returns the memref."""
        target = self.at(place)
        uniform = self.placement.uniforms.of(value)
        if uniform is not None:
            self.fill(uniform.scalar, target, moves=moves)
        elif not self.is_at(value, place) and not _is_undefined(self.placement.root(value)):
            self.copy(self.memref_of(value), target, moves=moves)
        return target

    def is_at(self, value: SSAValue, place: Place) -> bool:
        """Tell whether a tensor is certainly in a place."""
        found = self.placement.place_of(value)
        return found is not None and found.same_bytes(place)

    def view(self, value: SSAValue, view: View) -> SSAValue:
        """Emit one view, which the layout allows."""
        source_type = cast(Memref, value.type)
        type = view_type(source_type, (view,))
        assert type is not None
        match view:
            case Slice():
                # Made without `SubviewOp.get`, which takes longer than all else here.
                dynamic = [self.now(o) for o in view.offsets if not isinstance(o, int)]
                static = tuple(o if isinstance(o, int) else DYNAMIC_INDEX for o in view.offsets)
                op = memref.SubviewOp.create(
                    operands=[value, *dynamic],
                    result_types=[type],
                    properties={
                        "static_offsets": numbers(static),
                        "static_sizes": numbers(view.sizes),
                        "static_strides": numbers(view.strides),
                        "operandSegmentSizes": slice_segments(len(dynamic)),
                    },
                )
            case Expand():
                op = memref.ExpandShapeOp.create(
                    operands=[value],
                    result_types=[type],
                    properties={
                        "reassociation": _groups(view.groups),
                        "static_output_shape": numbers(view.shape),
                    },
                )
            case Collapse():
                op = memref.CollapseShapeOp.create(
                    operands=[value],
                    result_types=[type],
                    properties={"reassociation": _groups(view.groups)},
                )
        op.results[0].name_hint = value.name_hint
        self.insert(op)
        return op.results[0]

    def _global(self, constant: arith.ConstantOp) -> SSAValue:
        """A constant tensor, where all of the function's block after this can use it."""
        scope = self.scopes[0]
        if constant not in scope.known:
            op = self.globals.get(constant)
            assert scope.current is not None
            scope.block.insert_op_before(op, scope.current)
            scope.known[constant] = op.memref
        return scope.known[constant]

    def _base(self, storage: Storage, hint: str | None) -> SSAValue:
        if storage.external is not None:
            known = self.memrefs.get(storage.external)
            return self.now(storage.external) if known is None else known
        key = (storage, ())
        for scope in self.scopes:
            if key in scope.known:
                return scope.known[key]
        scope = next(scope for scope in self.scopes if scope.block is storage.block)
        assert scope.current is not None
        op = self._buffer(storage.type, storage.arena)
        op.memref.name_hint = hint
        scope.block.insert_op_before(op, scope.current)
        scope.known[key] = op.memref
        return op.memref

    def _buffer(self, type: Memref, arena: str | None = None) -> BufferOp:
        size = size_bytes(type)
        assert size is not None
        # Not by the constructor, which looks at everything and takes ten times as long.
        attributes = {**self.attributes[arena or self.arena], "size": IntegerAttr(size, i64)}
        return BufferOp.create(result_types=[type], attributes=attributes)


def _is_undefined(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and isinstance(value.op, tensor.EmptyOp)


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, ShapedType)
    return value.type.get_shape()


def _elements(value: SSAValue) -> int:
    count = 1
    for extent in _shape(value):
        count *= extent
    return count


@lru_cache(maxsize=1024)
def _groups(groups: Groups) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr(ArrayAttr(IntegerAttr(i, i64) for i in group) for group in groups)
