"""Comparisons, selections and casts of arith on whole tensors and vectors, as in MLIR.

| operation                               | stock xDSL 0.75             | here              |
|-----------------------------------------|-----------------------------|-------------------|
| cmpi, cmpf                              | give one `i1` for a tensor  | a tensor of `i1`  |
| select                                  | takes one `i1` for a tensor | or a tensor of it |
| extsi, extui, trunci, sitofp, uitofp,   | refuse tensors              | take them         |
| fptosi, fptoui, index_cast              |                             |                   |
"""

from collections.abc import Callable, Mapping
from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    container_of,
    i1,
)
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IRDLOperation, OperandDef, ResultDef, base
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

BOOLS = container_of(IntegerType(1))
INTEGERS = container_of(base(IntegerType))
INTEGERS_OR_INDICES = container_of(base(IntegerType) | base(IndexType))
FLOATS = container_of(AnyFloatConstr)
"""Numbers, and tensors and vectors of them."""

_CASTS: Mapping[type[IRDLOperation], tuple[AttrConstraint, AttrConstraint]] = {
    arith.ExtSIOp: (INTEGERS, INTEGERS),
    arith.ExtUIOp: (INTEGERS, INTEGERS),
    arith.TruncIOp: (INTEGERS, INTEGERS),
    arith.SIToFPOp: (INTEGERS, FLOATS),
    arith.UIToFPOp: (INTEGERS, FLOATS),
    arith.FPToSIOp: (FLOATS, INTEGERS),
    arith.FPToUIOp: (FLOATS, INTEGERS),
    arith.IndexCastOp: (INTEGERS_OR_INDICES, INTEGERS_OR_INDICES),
}
"""What they take, and what they make of it."""


@cache
def accept_tensors() -> None:
    """Have them read, printed and verified so; a second call has no effect."""
    for op_class, (taken, made) in _CASTS.items():
        _redefine(op_class, input=taken, result=made)
        setattr(op_class, "verify_", verify_cast)
    for op_class in (arith.CmpiOp, arith.CmpfOp):
        _redefine(op_class, result=BOOLS)
        setattr(op_class, "parse", classmethod(_comparison(op_class.parse)))
        setattr(op_class, "verify_", _verify_same_shapes)
    _redefine(arith.SelectOp, cond=BOOLS)
    setattr(arith.SelectOp, "parse", classmethod(_parse_select))
    setattr(arith.SelectOp, "print", _print_select)
    setattr(arith.SelectOp, "verify_", _verify_select)


def like(type_: Attribute, element: Attribute) -> Attribute:
    """The type of `element` for each element of a tensor or a vector; `element` for a number."""
    if isa(type_, TensorType[Attribute]):
        return TensorType(element, type_.get_shape(), type_.encoding)
    if isa(type_, VectorType[Attribute]):
        return VectorType(element, type_.get_shape(), type_.scalable_dims)
    return element


def verify_cast(op: IRDLOperation) -> None:
    """Both have one shape, and elements that go with the operation.

    Raises VerifyException.
    """
    _verify_same_shapes(op)
    old, new = (get_element_type_or_self(v.type) for v in (op.operands[0], op.results[0]))
    if op.name.startswith("arith.index_cast"):
        if isinstance(old, IndexType) == isinstance(new, IndexType):
            raise VerifyException(f"{op.name} of {old} to {new}: one of both must be an index")
        return
    assert isinstance(old, FixedBitwidthType)
    assert isinstance(new, FixedBitwidthType)
    if op.name.startswith("arith.ext") and new.bitwidth <= old.bitwidth:
        raise VerifyException(f"{op.name} of {old} to {new}: the result must be wider")
    if op.name.startswith("arith.trunc") and new.bitwidth >= old.bitwidth:
        raise VerifyException(f"{op.name} of {old} to {new}: the result must be narrower")


def _redefine(op_class: type[IRDLOperation], **constraints: AttrConstraint) -> None:
    """Let operands and results of these names have other types."""
    definition = op_class.get_irdl_definition()
    for name, defined in (*definition.operands, *definition.results):
        if name in constraints:
            kind = OperandDef if isinstance(defined, OperandDef) else ResultDef
            defined.constr = kind(constraints[name]).constr


def _verify_same_shapes(op: IRDLOperation) -> None:
    op.get_irdl_definition().verify(op)
    old, new = op.operands[0].type, op.results[0].type
    if not have_compatible_shape(old, new):
        raise VerifyException(f"{op.name} of {old} to {new}: both must have one shape")


def _comparison(stock: Callable[[Parser], IRDLOperation]) -> Callable[..., IRDLOperation]:
    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        op = stock(parser)
        Rewriter.replace_value_with_new_type(op.results[0], like(op.operands[0].type, i1))
        return op

    return parse


def _parse_select(cls: type[arith.SelectOp], parser: Parser) -> arith.SelectOp:
    """`%condition, %a, %b {attributes} : type`, or `: condition type, type`."""
    operands = [parser.parse_unresolved_operand()]
    for _ in range(2):
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types: list[Attribute] = [i1, parser.parse_type()]
    if parser.parse_optional_punctuation(",") is not None:
        types = [types[1], parser.parse_type()]
    condition, lhs, rhs = parser.resolve_operands(operands, [*types, types[1]], parser.pos)
    return cls.build(operands=[condition, lhs, rhs], result_types=types[1:], attributes=attributes)


def _print_select(op: arith.SelectOp, printer: Printer) -> None:
    """Print what `_parse_select` reads."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_ssa_value)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    if op.cond.type != i1:
        printer.print_attribute(op.cond.type)
        printer.print_string(", ")
    printer.print_attribute(op.result.type)


def _verify_select(op: arith.SelectOp) -> None:
    op.get_irdl_definition().verify(op)
    chosen = op.result.type
    if op.cond.type != i1 and not have_compatible_shape(op.cond.type, chosen):
        raise VerifyException(f"{op.name} by {op.cond.type} of {chosen}: both must have one shape")
