"""Numbers that follow from constants and the positions in loops: index arithmetic, done beforehand.

Upsampling looks elements up at indices that are computed: of the position in a loop, in integers or
in floating point, or stored in small tensors that are computed so. No input has a part in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from xdsl_memplan.dialects.affine_additions import MaxOp
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape

Array: TypeAlias = Any
"""A numpy array, of int64, of bool or of floating point."""

_MOST_NUMBERS = 1 << 14
"""A tensor or scalar with more different numbers is not looked at."""

_LARGEST = 1 << 40
"""Numbers stay below, so that none overflows on the way."""


@dataclass
class KnownNumbers:
    """Finds the numbers of tensors and of scalars in bodies; every answer is kept.

    ``wide`` computes all floating point with 64 bits, as some targets do.
    """

    wide: bool = False
    _tensors: dict[SSAValue, Array | None] = field(default_factory=dict[SSAValue, Array | None])
    _scalars: dict[SSAValue, Array | None] = field(default_factory=dict[SSAValue, Array | None])

    def assume(self, value: SSAValue, number: int) -> None:
        """Take a scalar that is not known, such as the position in a loop, to be ``number``."""
        self._scalars[value] = np.asarray(number, np.int64)

    def of_scalar(self, value: SSAValue, loops: tuple[int, ...]) -> Array | None:
        """The numbers of a scalar in the body of a `linalg.generic`; None if they are not known.

        One dimension per loop (``loops`` are their extents), of size 1 for those that it does not
        depend on; no dimension if it depends on none.
        """
        if value not in self._scalars:
            self._scalars[value] = None
            with np.errstate(all="ignore"):
                self._scalars[value] = self._checked(self._scalar(value, loops), value.type)
        return self._scalars[value]

    def of_tensor(self, value: SSAValue) -> Array | None:
        """The numbers of a tensor, in its shape; None if they are not known."""
        if value not in self._tensors:
            self._tensors[value] = None
            self._tensors[value] = self._tensor(value)
        return self._tensors[value]

    def _scalar(self, value: SSAValue, loops: tuple[int, ...]) -> Array | None:
        if isinstance(value, BlockArgument):
            return self._operand(value, loops)
        assert isinstance(value, OpResult)
        op = value.op
        match op:
            case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as number):
                type_ = self._dtype(value.type)
                return None if type_ is None else np.asarray(number.value.data, type_)
            case affine.ApplyOp() | affine.MinOp() | MaxOp():
                return self._affine(op, loops)
            case linalg_ops.IndexOp():
                shape = [1] * len(loops)
                loop = op.dim.value.data
                shape[loop] = loops[loop]
                return np.arange(loops[loop], dtype=np.int64).reshape(shape)
            case _:
                return self._computed(op, loops)

    def _computed(self, op: Operation, loops: tuple[int, ...]) -> Array | None:
        if len(op.results) != 1 or op.regions or self._dtype(op.results[0].type) is None:
            return None
        fast = op.properties.get("fastmath")
        if isinstance(fast, arith.FastMathFlagsAttr) and fast.data:
            return None
        operands = [self.of_scalar(operand, loops) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        if isinstance(op, arith.CmpiOp | arith.CmpfOp):
            compare = _COMPARISONS.get((type(op), op.predicate.value.data))
            return None if compare is None else compare(*known)
        if op.name not in _ON_BITS and any(operand.dtype == np.bool_ for operand in known):
            return None
        compute = _OPERATIONS.get(op.name)
        found = None if compute is None else compute(*known)
        return None if found is None else found.astype(self._dtype(op.results[0].type))

    def _affine(
        self, op: affine.ApplyOp | affine.MinOp | MaxOp, loops: tuple[int, ...]
    ) -> Array | None:
        operands = [self.of_scalar(operand, loops) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        map_ = op.map.data
        found = map_.eval(known[: map_.num_dims], known[map_.num_dims :])
        choose = np.maximum if isinstance(op, MaxOp) else np.minimum
        return reduce(choose, [np.asarray(number, np.int64) for number in found])

    def _operand(self, value: BlockArgument, loops: tuple[int, ...]) -> Array | None:
        """The elements of an input, at the indices of its map."""
        op = value.block.parent_op()
        if not isinstance(op, linalg_ops.GenericOp) or value.index >= input_count(op):
            return None
        operand = op.operands[value.index]
        numbers = self.of_tensor(operand)
        if numbers is None:
            return None
        return _at(numbers, op.indexing_maps.data[value.index].data, loops)

    def _tensor(self, value: SSAValue) -> Array | None:
        shape = static_shape(value)
        if shape is None or np.prod(shape) > _MOST_NUMBERS or not isinstance(value, OpResult):
            return None
        match value.op:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
                type_ = self._dtype(dense.get_element_type())
                if type_ is None:
                    return None
                return (
                    np.broadcast_to(np.asarray(dense.get_values(), type_), shape)
                    if (dense.is_splat())
                    else np.asarray(dense.get_values(), type_).reshape(shape)
                )
            case linalg_ops.FillOp() as fill if fill.inputs[0].type == _element(value):
                number = self.of_scalar(fill.inputs[0], ())
                return None if number is None else np.broadcast_to(number, shape)
            case tensor.ExpandShapeOp() | tensor.CollapseShapeOp() as view:
                numbers = self.of_tensor(view.src)
                return None if numbers is None else numbers.reshape(shape)
            case linalg_ops.GenericOp() as generic if len(generic.results) == 1:
                return self._made(generic, shape)
            case _:
                return None

    def _made(self, op: linalg_ops.GenericOp, shape: tuple[int, ...]) -> Array | None:
        """What an elementwise operation makes."""
        written = op.indexing_maps.data[-1].data
        if (
            any(kind.data is not IteratorType.PARALLEL for kind in op.get_iterator_types())
            or not written.is_projected_permutation()
            or written.num_dims != len(written.results)
        ):
            return None
        order = [e.position for e in written.results if isinstance(e, AffineDimExpr)]
        loops = [0] * len(order)
        for loop, extent in zip(order, shape, strict=True):
            loops[loop] = extent
        last = op.body.block.last_op
        assert last is not None
        found = self.of_scalar(last.operands[0], tuple(loops))
        return None if found is None else np.broadcast_to(found, loops).transpose(order)

    def _checked(self, numbers: Array | None, type_: Attribute) -> Array | None:
        """The numbers, unless they are too many, do not fit their type, or are none."""
        if numbers is None or numbers.size > _MOST_NUMBERS:
            return None
        limit = _LARGEST
        if isinstance(type_, IntegerType):
            limit = min(limit, 1 << (cast(IntegerType, type_).width.data - 1))
        fits = numbers.dtype == np.bool_ or bool((abs(numbers) < limit).all())
        return numbers if fits else None

    def _dtype(self, type_: Attribute) -> type[np.generic] | None:
        match type_:
            case IntegerType() if type_.width.data == 1:
                return np.bool_
            case IntegerType() | IndexType():
                return np.int64
            case Float32Type():
                return np.float64 if self.wide else np.float32
            case Float64Type():
                return np.float64
            case _:
                return None


def _element(value: SSAValue) -> Attribute:
    return value.type.get_element_type()  # pyright: ignore


def _at(numbers: Array, map_: AffineMap, loops: tuple[int, ...]) -> Array | None:
    """The elements of a tensor by loops, where each index is a loop of its own or a constant."""
    order: list[int] = []
    chosen: list[int | slice] = []
    for expression in map_.results:
        match expression:
            case AffineDimExpr() if expression.position not in order:
                order.append(expression.position)
                chosen.append(slice(None))
            case AffineConstantExpr():
                chosen.append(expression.value)
            case _:
                return None
    picked = numbers[tuple(chosen)]
    shape = [loops[loop] if loop in order else 1 for loop in range(len(loops))]
    ascending = sorted(range(len(order)), key=lambda position: order[position])
    return picked.transpose(ascending).reshape(shape)


def _divided(left: Array, right: Array) -> Array | None:
    """The quotient, towards zero."""
    if (right == 0).any():
        return None
    return np.sign(left) * np.sign(right) * (abs(left) // abs(right))


def _rest(left: Array, right: Array) -> Array | None:
    quotient = _divided(left, right)
    return None if quotient is None else left - quotient * right


def _if_not_negative(compute: Callable[..., Array | None]) -> Callable[..., Array | None]:
    """An operation on unsigned numbers, which are the signed ones as long as none is negative."""

    def found(*operands: Array) -> Array | None:
        return None if any((o < 0).any() for o in operands) else compute(*operands)

    return found


def _floored(left: Array, right: Array) -> Array | None:
    return None if (right == 0).any() else left // right


def _ceiled(left: Array, right: Array) -> Array | None:
    return None if (right == 0).any() else -((-left) // right)


def _same(operand: Array) -> Array:
    return operand


_OPERATIONS: Mapping[str, Callable[..., Array | None]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _divided,
    "arith.remsi": _rest,
    "arith.floordivsi": _floored,
    "arith.ceildivsi": _ceiled,
    "arith.divui": _if_not_negative(_divided),
    "arith.remui": _if_not_negative(_rest),
    "arith.ceildivui": _if_not_negative(_ceiled),
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minui": _if_not_negative(np.minimum),
    "arith.maxui": _if_not_negative(np.maximum),
    "arith.select": np.where,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.index_cast": _same,
    "arith.index_castui": _if_not_negative(_same),
    "arith.extsi": _same,
    "arith.extui": _if_not_negative(_same),
    "arith.trunci": _same,
    "arith.sitofp": _same,
    "arith.uitofp": _if_not_negative(_same),
    "arith.fptosi": np.trunc,
    "arith.extf": _same,
    "arith.truncf": _same,
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.absf": np.abs,
}

_ON_BITS = ("arith.andi", "arith.ori", "arith.xori", "arith.select", "arith.extui")
"""Operations that take single bits as they are; others may take them for signed."""

_COMPARISONS: Mapping[tuple[type[Operation], int], Callable[..., Array]] = {
    (arith.CmpiOp, 0): np.equal,
    (arith.CmpiOp, 1): np.not_equal,
    (arith.CmpiOp, 2): np.less,
    (arith.CmpiOp, 3): np.less_equal,
    (arith.CmpiOp, 4): np.greater,
    (arith.CmpiOp, 5): np.greater_equal,
    # Ordered and unordered ones are the same, as there are only numbers.
    (arith.CmpfOp, 1): np.equal,
    (arith.CmpfOp, 2): np.greater,
    (arith.CmpfOp, 3): np.greater_equal,
    (arith.CmpfOp, 4): np.less,
    (arith.CmpfOp, 5): np.less_equal,
    (arith.CmpfOp, 6): np.not_equal,
    (arith.CmpfOp, 8): np.equal,
    (arith.CmpfOp, 9): np.greater,
    (arith.CmpfOp, 10): np.greater_equal,
    (arith.CmpfOp, 11): np.less,
    (arith.CmpfOp, 12): np.less_equal,
    (arith.CmpfOp, 13): np.not_equal,
}
"""By the number of the predicate."""
