"""Tensors whose elements are all the same scalar: they cost a fill where they are needed."""

from dataclasses import dataclass, field
from functools import cache
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_memplan.dialects.one_element import one_element
from xdsl_memplan.dialects.queries import aliases_of
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp


@dataclass(frozen=True)
class Uniform:
    """The scalar of a tensor: a value, or the attribute of a constant."""

    scalar: SSAValue | Attribute


@dataclass
class Uniforms:
    """Finds uniform tensors; every answer is kept."""

    _known: dict[SSAValue, Uniform | None] = field(default_factory=dict[SSAValue, Uniform | None])

    def of(self, value: SSAValue) -> Uniform | None:
        """The scalar that all elements of a tensor are, if that is known."""
        if value not in self._known:
            owner = value.owner
            self._known[value] = self._find(owner) if isinstance(owner, Operation) else None
        return self._known[value]

    def _find(self, op: Operation) -> Uniform | None:
        if not _is_listed(type(op)):
            # A view; what is seen of a memref is not known.
            sources = [op.operands[tie.operand] for tie in aliases_of(op)]
            return self.of(sources[0]) if len(sources) == len(op.results) == 1 else None
        match op:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
                if one_element(dense) is None:
                    return None
                scalar = _constant_of(dense)
                return None if scalar is None else Uniform(scalar)
            case linalg_ops.FillOp():
                return _scalar(op.inputs[0], op.results[0])
            case tensor.SplatOp():
                return _scalar(op.input, op.results[0])
            case tensor.FromElementsOp() if len(op.elements) == 1:
                return _scalar(op.elements[0], op.results[0])
            case LoadOp() | CarryOp():
                return self.of(op.source)
            case linalg_ops.BroadcastOp() | linalg_ops.TransposeOp():
                return self.of(op.operands[0]) if op.results else None
            case _:
                return None


@cache  # Asked of every operation, and isinstance is slow where a class has an ABC.
def _is_listed(op_class: type[Operation]) -> bool:
    return issubclass(
        op_class,
        arith.ConstantOp
        | linalg_ops.FillOp
        | tensor.SplatOp
        | tensor.FromElementsOp
        | LoadOp
        | CarryOp
        | linalg_ops.BroadcastOp
        | linalg_ops.TransposeOp,
    )


def _scalar(scalar: SSAValue, result: SSAValue) -> Uniform | None:
    type = cast(TensorType[Attribute], result.type)
    return Uniform(scalar) if scalar.type == type.element_type else None


def _constant_of(dense: DenseIntOrFPElementsAttr) -> Attribute | None:
    """The attribute of one element; None for element types that `arith.constant` has not."""
    if not isinstance(dense.get_element_type(), IntegerType | IndexType | AnyFloat):
        return None
    return next(iter(dense.iter_attrs()), None)
