"""Sizes that follow from constants, written in the types of tensors.

Front ends leave sizes open that are known in the end: a network that was exported for any batch and
is used for one, loops over tiles of which the last is smaller.

```mlir
%n = arith.constant 4 : index
%e = tensor.empty(%n) : tensor<?x8xf32>
%y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
```

Here all sizes are 4 x 8. A `tensor.dim` of a known size is a constant, too. What a function takes
and returns keeps its type.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.dialects.integer_constant import integer_constant
from xdsl_memplan.dialects.linalg_additions.packing import PackOp, UnpackOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tensor_additions import GenerateOp
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.transforms.loops_of_like_sizes import split_by_sizes

_Tensor = TensorType[Attribute]
_Slice = tensor.ExtractSliceOp | tensor.InsertSliceOp

_TAKES_MORE_KNOWN = (
    tensor.CastOp,
    tensor.CollapseShapeOp,
    tensor.ConcatOp,
    tensor.DimOp,
    tensor.ExpandShapeOp,
    tensor.ExtractOp,
    tensor.ExtractSliceOp,
    tensor.InsertOp,
    tensor.InsertSliceOp,
    tensor.PadOp,
)
"""Operations of tensor whose operands may have any sizes; so may those of linalg."""


def write_known_shapes(module: ModuleOp) -> None:
    """Write sizes that are known in all types of tensors inside of functions."""
    functions = [op for op in operations_in(module) if isinstance(op, FuncOp)]
    for function in functions:
        if any(_has_open_size(op) for op in operations_in(function)):
            shapes = _KnownShapes()
            for region in function.regions:
                for block in region.blocks:
                    shapes.write_in(block)
            _leave_out_casts(function)


def _has_open_size(op: Operation) -> bool:
    """Tell whether an operation makes a tensor with an open size, or asks for a size."""
    return isinstance(op, tensor.DimOp) or any(map(_is_open, op.results))


def _is_open(value: SSAValue) -> bool:
    return type(value.type) is TensorType and not value.type.has_static_shape()


@dataclass
class _KnownShapes:
    """One walk forward, which knows what every operand is before it comes to its reader."""

    numbers: KnownNumbers = field(default_factory=KnownNumbers)
    old_types: dict[SSAValue, _Tensor] = field(default_factory=dict[SSAValue, _Tensor])
    """Tensors of which more is known than was, and what their readers took them for."""

    def write_in(self, block: Block) -> None:
        """Write sizes in the types of a block's operations, and of those in their regions."""
        waiting = list(block.ops)[::-1]
        while waiting:
            op = waiting.pop()
            if isinstance(op, scf.ForOp) and (parts := split_by_sizes(op)):
                waiting += parts[::-1]
            elif not (self._is_number(op) or self._carries_known(op)):
                self._write(op)

    def _carries_known(self, loop: Operation) -> bool:
        """Tell whether an operation is a loop that carries tensors of sizes found to be known.

        All is written in such a loop then. Sizes that a tensor has before the loop it has in all
        iterations, if it has them at the end of one that begins so. That is tried on a copy.
        """
        if not isinstance(loop, scf.ForOp):
            return False
        opened = [i for i, value in enumerate(loop.iter_args) if value in self.old_types]
        opened = [i for i in opened if _is_open(loop.results[i])]
        if not opened:
            return False
        new = loop.clone()
        Rewriter.insert_op(new, InsertPoint.before(loop))
        body = new.body.block
        for i in opened:
            type_ = new.iter_args[i].type
            argument = Rewriter.replace_value_with_new_type(body.args[1 + i], type_)
            self.old_types[argument] = cast(_Tensor, loop.results[i].type)
        self.write_in(body)
        last = body.last_op
        assert last is not None
        for i in opened:
            last.operands[i] = _before_cast(last.operands[i])
        types = [value.type for value in new.iter_args]
        if [value.type for value in last.operands] != types:
            Rewriter.erase_op(new)
            return False
        for result, type_ in zip(new.results, types, strict=True):
            if result.type != type_:
                old = cast(_Tensor, result.type)
                self.old_types[Rewriter.replace_value_with_new_type(result, type_)] = old
        Rewriter.replace_op(loop, (), new.results)
        return True

    def _is_number(self, op: Operation) -> bool:
        """Tell whether an operation gives a number that is known; it is a constant then."""
        if len(op.results) != 1 or op.regions or isinstance(op, arith.ConstantOp):
            return False
        type_ = op.results[0].type
        if not isinstance(type_, IndexType | IntegerType):
            return False
        if isinstance(op, tensor.DimOp):
            number = self._size(op)
        else:
            found = self.numbers.of_scalar(op.results[0], ())
            number = None if found is None else int(found)
        if number is None:
            return False
        new = arith.ConstantOp(IntegerAttr(number, cast(IndexType, type_)))
        new.location = op.location
        Rewriter.replace_op(op, new)
        return True

    def _size(self, op: tensor.DimOp) -> int | None:
        dimension, type_ = integer_constant(op.index), op.source.type
        if dimension is None or not isa(type_, _Tensor):
            return None
        if not 0 <= dimension < type_.get_num_dims():
            return None  # MLIR leaves open what this is.
        size = type_.get_shape()[dimension]
        return None if size == DYNAMIC_INDEX else size

    def _write(self, op: Operation) -> None:
        if isinstance(op, _Slice):
            op = self._with_known_numbers(op)
        is_structured = op.name.startswith("linalg.")
        if not is_structured and not isinstance(op, _TAKES_MORE_KNOWN):
            self._cast_back(op)
        for result in list(op.results):
            if _is_open(result):
                self._refine(result, self._sizes(op, result.index))
        if isinstance(op, tensor.EmptyOp | GenerateOp | tensor.ExpandShapeOp):
            self._drop_known_sizes(op)
        if not is_structured:
            for region in op.regions:
                for block in region.blocks:
                    self.write_in(block)

    def _refine(self, result: SSAValue, sizes: Sequence[int] | None) -> None:
        old = cast(_Tensor, result.type)
        if sizes is None:
            return
        shape = [
            new if size == DYNAMIC_INDEX else size
            for size, new in zip(old.get_shape(), sizes, strict=True)
        ]
        if shape != [*old.get_shape()]:
            new_type = TensorType(old.element_type, shape, old.encoding)
            self.old_types[Rewriter.replace_value_with_new_type(result, new_type)] = old

    def _cast_back(self, op: Operation) -> None:
        """Let an operation whose operands have to be of certain types read such."""
        if _is_elementwise(op) and len({tuple(shape) for shape in _shapes(op)}) == 1:
            return
        for i, value in enumerate(op.operands):
            if (old := self.old_types.get(value)) is not None:
                back = tensor.CastOp(value, old)
                Rewriter.insert_op(back, InsertPoint.before(op))
                op.operands[i] = back.dest

    def _sizes(self, op: Operation, index: int) -> Sequence[int] | None:
        """The sizes of a result, as far as they follow from operands; None if none does."""
        match op:
            case tensor.ExtractSliceOp():
                return _sizes_of_slice(op)
            case tensor.InsertSliceOp() | tensor.InsertOp():
                return shape_of(op.dest)
            case tensor.CastOp():
                return shape_of(op.source)
            case tensor.EmptyOp():
                return _known(shape_of(op.tensor), op.dynamic_sizes)
            case GenerateOp():
                return _known(shape_of(op.result), op.dynamic_extents)
            case tensor.ExpandShapeOp():
                return _known(op.static_output_shape.get_values(), op.dynamic_output_shape)
            case tensor.CollapseShapeOp():
                shape = shape_of(op.src)
                groups = [[i.value.data for i in group] for group in op.reassociation]
                return [_if_known([shape[i] for i in group], prod) for group in groups]
            case tensor.ConcatOp():
                along = op.dim.value.data
                parts = list(zip(*_shapes(op), strict=True))
                sizes = [max(of) for of in parts]
                sizes[along] = _if_known(parts[along], sum)
                return sizes
            case tensor.PadOp():
                low = _known(op.static_low.get_values(), op.low)
                high = _known(op.static_high.get_values(), op.high)
                parts = zip(low, shape_of(op.source), high, strict=True)
                return [_if_known(of, sum) for of in parts]
            case _ if op.name.startswith("linalg."):
                return self._sizes_of_destination(op, index)
            case _ if _is_elementwise(op):
                shapes = _shapes(op)
                return shapes[-1] if shapes else None
            case _:
                return None

    def _sizes_of_destination(self, op: Operation, index: int) -> Sequence[int] | None:
        """Those of the last operands, which are as many as there are results."""
        if isinstance(op, PackOp | UnpackOp):
            return shape_of(op.dest)
        destination = op.operands[len(op.operands) - len(op.results) + index]
        return shape_of(destination) if isa(destination.type, _Tensor) else None

    def _with_known_numbers(self, op: _Slice) -> _Slice:
        """A slice that says itself what it has as operands that are constants."""
        lists = (
            ("static_offsets", op.static_offsets, op.offsets),
            ("static_sizes", op.static_sizes, op.sizes),
            ("static_strides", op.static_strides, op.strides),
        )
        if not any(integer_constant(value) is not None for *_, values in lists for value in values):
            return op
        properties, operands = dict(op.properties), [[value] for value in op.operands[:1]]
        if isinstance(op, tensor.InsertSliceOp):
            operands.append([op.dest])
        for name, known, values in lists:
            numbers = _known(known.get_values(), values)
            properties[name] = DenseArrayBase.from_list(i64, numbers)
            operands.append([value for value in values if integer_constant(value) is None])
        properties.pop("operandSegmentSizes", None)
        new = type(op).build(
            operands=operands,
            result_types=[*op.result_types],
            properties=properties,
            attributes=op.attributes,
        )
        new.location = op.location
        Rewriter.replace_op(op, new)
        return new

    def _drop_known_sizes(self, op: tensor.EmptyOp | GenerateOp | tensor.ExpandShapeOp) -> None:
        """Take the operands away that stood for sizes which are in the type now."""
        first = 1 if isinstance(op, tensor.ExpandShapeOp) else 0
        left = [value for value in op.operands[first:] if integer_constant(value) is None]
        op.operands = [*op.operands[:first], *left]
        if isinstance(op, tensor.ExpandShapeOp):
            shape = op.result.type.get_shape()
            op.static_output_shape = DenseArrayBase.from_list(i64, shape)


def _is_elementwise(op: Operation) -> bool:
    return op.dialect_name() in ("arith", "math") and len(op.results) == 1


def _shapes(op: Operation) -> list[Sequence[int]]:
    """The shapes of the operands that are tensors."""
    return [shape_of(value) for value in op.operands if isa(value.type, _Tensor)]


def _known(sizes: Sequence[int], operands: Sequence[SSAValue]) -> list[int]:
    """Sizes with those of which operands stand for the unknown ones, as far as known."""
    following = iter(operands)
    return [_number(next(following)) if size == DYNAMIC_INDEX else size for size in sizes]


def _number(value: SSAValue) -> int:
    number = integer_constant(value)
    return DYNAMIC_INDEX if number is None else number


def _if_known(numbers: Sequence[int], of: Callable[[Sequence[int]], int]) -> int:
    return DYNAMIC_INDEX if DYNAMIC_INDEX in numbers else of(numbers)


def _sizes_of_slice(op: tensor.ExtractSliceOp) -> Sequence[int] | None:
    """The sizes of a slice without the dimensions of size 1 that its type leaves out."""
    sizes, shape = op.static_sizes.get_values(), shape_of(op.result)
    left_out = len(sizes) - len(shape)
    kept: list[int] = []
    for size in sizes:
        following = shape[len(kept)] if len(kept) < len(shape) else None
        if size == 1 and left_out and following != 1:
            left_out -= 1
        else:
            kept.append(size)
    return kept if len(kept) == len(shape) else None


def _before_cast(value: SSAValue) -> SSAValue:
    return value.owner.source if isinstance(value.owner, tensor.CastOp) else value


def _leave_out_casts(function: Operation) -> None:
    """Let what reads a cast to the same type read what was cast."""
    for op in operations_in(function):
        if isinstance(op, tensor.CastOp) and op.source.type == op.dest.type:
            Rewriter.replace_op(op, (), [op.source])
