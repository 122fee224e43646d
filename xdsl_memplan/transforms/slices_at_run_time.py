"""Slices at positions that are known at run time only become operations with a body.

A decoder writes its newest key where a counter says:

```mlir
%i = arith.index_cast %position : i64 to index
%n = tensor.insert_slice %key into %cache[%i, 0] [1, 64] [1, 1]
       : tensor<1x64xf32> into tensor<128x64xf32>
```

Which part of the result a tile of it needs is not known, so that the operation has no tiles. Each
element of the result is one of the cache or one of the key:

```mlir
%n = linalg.generic ... ins(%cache : tensor<128x64xf32>) outs(%e : tensor<128x64xf32>) {
^bb0(%old: f32, %o: f32):
  %row = linalg.index 0 : index
  %i = arith.index_cast %position : i64 to index
  %at = arith.subi %row, %i : index
  %inside = arith.cmpi ult, %at, %one : index
  ...
  %new = tensor.extract %key[%0, %column] : tensor<1x64xf32>
  %v = arith.select %inside, %new, %old : f32
```

What is taken out of a tensor at such a position is looked up in it. Elements are moved, none is
computed, so that the result is the same bit for bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.slice_offsets import offsets_of
from xdsl_memplan.dialects.tiling_models.tile_values import (
    index_constant,
    shape_of,
    static_shape,
)
from xdsl_memplan.transforms.new_generic import in_parallel


def write_slices_at_run_time(block: Block) -> None:
    """Rewrite the slices of a block whose offsets are no constants; linear in the block.

    Those with steps or of sizes that are not known are left alone.
    """
    for op in list(block.ops):
        if isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp):
            slice_ = _Slice.of(op)
            if slice_ is not None:
                made = slice_.taken_out() if isinstance(op, tensor.ExtractSliceOp) else slice_.put()
                made.name_hint = op.results[0].name_hint
                Rewriter.replace_op(op, [], [made])


@dataclass
class _Slice:
    """A slice with offsets of which some are no constants."""

    op: tensor.ExtractSliceOp | tensor.InsertSliceOp
    offsets: Sequence[int | SSAValue]
    sizes: Sequence[int]
    kept: Sequence[int]
    """Dimensions of the whole that those of the part are; the others have size 1."""

    @classmethod
    def of(cls, op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> "_Slice | None":
        """Analyse a slice; None if its offsets are known, or if it cannot be rewritten."""
        sizes = op.static_sizes.get_values()
        steps = op.static_strides.get_values()
        part = static_shape(op.results[0] if isinstance(op, tensor.ExtractSliceOp) else op.source)
        whole = static_shape(op.source if isinstance(op, tensor.ExtractSliceOp) else op.results[0])
        if part is None or whole is None or any(step != 1 for step in steps):
            return None
        if DYNAMIC_INDEX in sizes:
            return None
        offsets = offsets_of(op)
        if all(isinstance(o, int) or integer_constant(o) is not None for o in offsets):
            return None
        if any(not isinstance(o, int) and _is_taken_as_index(o) for o in offsets):
            return None
        kept = _kept(sizes, part)
        return None if kept is None else cls(op, offsets, sizes, kept)

    def taken_out(self) -> SSAValue:
        """Look the elements of the part up in the whole."""
        body = _Body((), self.op.results[0].type)
        position = {d: body.index(n) for n, d in enumerate(self.kept)}
        indices = [body.plus(self.offsets[d], position.get(d)) for d in range(len(self.sizes))]
        value = body.builder.insert(tensor.ExtractOp(self.op.source, indices, body.element)).result
        return body.generic(self.op, (), value)

    def put(self) -> SSAValue:
        """Choose, for each element of the whole, between that of the part and what was there."""
        assert isinstance(self.op, tensor.InsertSliceOp)
        body = _Body((self.op.dest,), self.op.results[0].type)
        inside: SSAValue | None = None
        indices: list[SSAValue] = []
        for d, (offset, size) in enumerate(zip(self.offsets, self.sizes, strict=True)):
            at = body.index(d)
            if offset != 0:
                at = body.insert(arith.SubiOp(at, body.number(offset)))
            if offset != 0 or size != shape_of(self.op.results[0])[d]:
                # Before the first element it is negative, which is more than any size.
                is_in = body.insert(arith.CmpiOp(at, body.number(size), "ult"))
                at = body.insert(arith.SelectOp(is_in, at, body.number(0)))
                inside = is_in if inside is None else body.insert(arith.AndIOp(inside, is_in))
            if d in self.kept:
                indices.append(at)
        assert inside is not None
        new = body.insert(tensor.ExtractOp(self.op.source, indices, body.element))
        value = body.insert(arith.SelectOp(inside, new, body.block.args[0]))
        return body.generic(self.op, (self.op.dest,), value)


def _is_taken_as_index(value: SSAValue) -> bool:
    """Tell whether a number comes out of a tensor of indices, of which nobody knows the size."""
    owner = value.owner
    if not isinstance(value.type, IndexType) or not isinstance(owner, Operation):
        return False
    is_computed = only_computes(owner) and not isinstance(owner, tensor.ExtractOp)
    return not is_computed or any(map(_is_taken_as_index, owner.operands))


def _kept(sizes: Sequence[int], part: Sequence[int]) -> list[int] | None:
    """The dimensions that a part of lower rank keeps: which ones of size 1 makes no difference."""
    kept: list[int] = []
    for d, size in enumerate(sizes):
        if len(kept) < len(part) and size == part[len(kept)]:
            kept.append(d)
        elif size != 1:
            return None
    return kept if len(kept) == len(part) else None


class _Body:
    """The body of an operation that is being made."""

    def __init__(self, inputs: Sequence[SSAValue], result: Attribute) -> None:
        self.type = cast(TensorType[Attribute], result)
        self.element = self.type.get_element_type()
        self.block = Block(arg_types=[self.element] * (len(inputs) + 1))
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.copies: dict[SSAValue, SSAValue] = {}

    def insert(self, op: Operation) -> SSAValue:
        return self.builder.insert(op).results[0]

    def index(self, loop: int) -> SSAValue:
        return self.insert(IndexOp(loop))

    def number(self, value: int | SSAValue) -> SSAValue:
        """A number as an index, computed in the body from what is no index."""
        if isinstance(value, int):
            return self.insert(index_constant(value))
        return self._copied(value)

    def plus(self, offset: int | SSAValue, position: SSAValue | None) -> SSAValue:
        if position is None or offset == 0:
            return self.number(offset) if position is None else position
        return self.insert(arith.AddiOp(position, self.number(offset)))

    def _copied(self, value: SSAValue) -> SSAValue:
        """Compute an index in the body, as tensors of indices have no size."""
        owner = value.owner
        if not isinstance(value.type, IndexType) or not isinstance(owner, Operation):
            return value
        if value not in self.copies and only_computes(owner) and not owner.regions:
            operands = {operand: self._copied(operand) for operand in owner.operands}
            self.builder.insert(owner.clone(operands))
            last = self.block.last_op
            assert last is not None
            self.copies |= zip(owner.results, last.results, strict=True)
        return self.copies.get(value, value)

    def generic(self, op: Operation, inputs: Sequence[SSAValue], value: SSAValue) -> SSAValue:
        """Insert an operation with this body before another one."""
        self.builder.insert(YieldOp(value))
        shape = self.type.get_shape()
        maps = [AffineMap.identity(len(shape))] * (len(inputs) + 1)
        before = Builder(InsertPoint.before(op))
        made = in_parallel(before, inputs, maps, shape, self.element, self.block)
        assert isinstance(made.owner, Operation)
        made.owner.location = op.location
        return made
