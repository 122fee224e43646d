"""`linalg.softmax` of MLIR 22, and the structured operations that it stands for."""

import struct
from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.fills import make_fill
from xdsl_memplan.dialects.linalg_additions.bodies import Body, Scalars, add, div, region_of, sub
from xdsl_memplan.dialects.linalg_additions.syntax import (
    parse_operands,
    parse_result_types,
    print_operands,
    print_result_types,
)


@irdl_op_definition
class SoftmaxOp(IRDLOperation):
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along one dimension.

    MLIR has no pass that lowers it; `transform.structured.decompose_interface` takes it apart, on
    tensors. `decomposed` does the same.
    """

    name = "linalg.softmax"

    input = operand_def(base(TensorType) | base(MemRefType))
    output = operand_def(base(TensorType) | base(MemRefType))
    result = var_result_def(base(TensorType))

    dimension = prop_def(IntegerAttr.constr(i64))

    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        """Input and output of one shape and of floats; a dimension that there is.

        Raises VerifyException.
        """
        from_, to = self.input.type, self.output.type
        assert isa(from_, TensorType[Attribute] | MemRefType)
        assert isa(to, TensorType[Attribute] | MemRefType)
        if from_.get_shape() != to.get_shape() or from_.element_type != to.element_type:
            raise VerifyException(f"linalg.softmax: {from_} and {to} must be the same")
        if not isinstance(from_.element_type, AnyFloat):
            raise VerifyException(f"linalg.softmax of {from_.element_type}: it takes floats")
        if not 0 <= (dimension := self.dimension.value.data) < from_.get_num_dims():
            raise VerifyException(
                f"linalg.softmax: there is no dimension {dimension} of {from_.get_num_dims()}"
            )
        if [r.type for r in self.result] != ([to] if isinstance(to, TensorType) else []):
            raise VerifyException("linalg.softmax: its result has the type of its output tensor")

    @classmethod
    def parse(cls, parser: Parser) -> "SoftmaxOp":
        """Read `{attributes} dimension(1) ins(...) outs(...) -> type`."""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_keyword("dimension")
        with parser.in_parens():
            dimension = parser.parse_integer()
        position = parser.pos
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        if len(inputs) != 1 or len(outputs) != 1:
            parser.raise_error("linalg.softmax takes one operand in ins and in outs", position)
        return cls.build(
            operands=[inputs[0], outputs[0]],
            result_types=[parse_result_types(parser)],
            properties={"dimension": IntegerAttr(dimension, i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(f" dimension({self.dimension.value.data})")
        print_operands(printer, "ins", [self.input])
        print_operands(printer, "outs", [self.output])
        print_result_types(printer, self.result.types)


def decomposed(op: SoftmaxOp, builder: Builder) -> SSAValue:
    """Build the operations that MLIR 22 takes a softmax on tensors of static shape apart into.

    The greatest element of a row (`maxnumf`, from a NaN), the exponentials of the differences,
    their sum (from 0), the quotients: the same bits.
    """
    type_ = op.output.type
    assert isa(type_, TensorType[Attribute])
    element = type_.element_type
    assert isinstance(element, AnyFloat)
    shape = type_.get_shape()
    reduced = op.dimension.value.data
    all_loops = AffineMap.identity(len(shape))
    kept = [d for d in range(len(shape)) if d != reduced]
    rows = AffineMap(len(shape), 0, tuple(AffineDimExpr(d) for d in kept))
    row_type = TensorType(element, [shape[d] for d in kept])

    def along(value: SSAValue, first: float, body: Body) -> SSAValue:
        start = builder.insert(arith.ConstantOp(FloatAttr(first, element))).result
        empty = builder.insert(tensor.EmptyOp([], row_type)).tensor
        into = builder.insert(make_fill(start, empty, [row_type])).results[0]
        kinds = [
            IteratorTypeAttr.reduction() if d == reduced else IteratorTypeAttr.parallel()
            for d in range(len(shape))
        ]
        return _generic(builder, [value], into, [all_loops, rows], kinds, body)

    def each(value: SSAValue, of_row: SSAValue, body: Body) -> SSAValue:
        kinds = [IteratorTypeAttr.parallel()] * len(shape)
        maps = [all_loops, rows, all_loops]
        return _generic(builder, [value, of_row], op.output, maps, kinds, body)

    greatest = along(op.input, _LEAST, lambda args: arith.MaxnumfOp(args[0], args[1]).result)
    powers = each(op.input, greatest, _power_of_difference)
    total = along(powers, 0.0, lambda args: add(args[0], args[1]))
    return each(powers, total, lambda args: div(args[0], args[1]))


_LEAST: float = struct.unpack("<d", struct.pack("<Q", 0xFFF8 << 48))[0]
"""The NaN that `maxnumf` gives way to any number for, with the sign that MLIR gives it."""


def _power_of_difference(args: Scalars) -> SSAValue:
    return math.ExpOp(sub(args[0], args[1])).result


def _generic(
    builder: Builder,
    inputs: Sequence[SSAValue],
    into: SSAValue,
    maps: Sequence[AffineMap],
    kinds: Sequence[IteratorTypeAttr],
    body: Body,
) -> SSAValue:
    region = region_of(body, (*inputs, into))
    made = GenericOp(inputs, [into], region, [*map(AffineMapAttr, maps)], kinds, [into.type])
    return builder.insert(made).results[0]
