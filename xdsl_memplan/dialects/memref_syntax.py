"""Forms of memref operations that MLIR prints and stock xDSL 0.75 does not read.

`copy`, `cast`, `memory_space_cast`, `extract_aligned_pointer_as_index` and `global` are known to it
in the generic form alone. They are printed in that form as before, which MLIR reads too.
"""

from functools import cache
from typing import Any

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import DenseResourceAttr, MemRefType, StringAttr, TensorType, UnitAttr
from xdsl.dialects.memref import (
    CastOp,
    CopyOp,
    ExtractAlignedPointerAsIndexOp,
    GlobalOp,
    MemorySpaceCastOp,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.hints import isa


@cache
def read_memrefs_as_mlir() -> None:
    """Have them read so; a second call has no effect."""
    setattr(CopyOp, "parse", classmethod(_parse_copy))
    setattr(GlobalOp, "parse", classmethod(_parse_global))
    for op_class in (CastOp, MemorySpaceCastOp):
        setattr(op_class, "parse", classmethod(_parse_cast))
    setattr(ExtractAlignedPointerAsIndexOp, "parse", classmethod(_parse_pointer))


def _parse_copy(cls: type[CopyOp], parser: Parser) -> CopyOp:
    """`%source, %destination {attributes} : type to type`."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    destination = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    from_ = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    to = parser.resolve_operand(destination, parser.parse_type())
    return cls.build(operands=[from_, to], attributes=attributes)


def _parse_cast(
    cls: type[CastOp | MemorySpaceCastOp], parser: Parser
) -> CastOp | MemorySpaceCastOp:
    """`%source {attributes} : type to type`."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    value = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    return cls.build(operands=[value], result_types=[parser.parse_type()], attributes=attributes)


def _parse_pointer(
    cls: type[ExtractAlignedPointerAsIndexOp], parser: Parser
) -> ExtractAlignedPointerAsIndexOp:
    """`%source : type -> index {attributes}`."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    value = parser.resolve_operand(source, parser.parse_type())
    parser.parse_punctuation("->")
    made = parser.parse_type()
    attributes = parser.parse_optional_attr_dict()
    return cls.build(operands=[value], result_types=[made], attributes=attributes)


def _parse_global(cls: type[GlobalOp], parser: Parser) -> GlobalOp:
    """`"private" constant @name : type = value {alignment = 64}`."""
    properties: dict[str, Attribute] = {}
    visibility = parser.parse_optional_str_literal()
    properties["sym_visibility"] = StringAttr("public" if visibility is None else visibility)
    if parser.parse_optional_keyword("constant") is not None:
        properties["constant"] = UnitAttr()
    properties["sym_name"] = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    properties["type"] = parser.parse_type()
    if parser.parse_optional_punctuation("=") is not None:
        is_unset = parser.parse_optional_keyword("uninitialized") is not None
        properties["initial_value"] = UnitAttr() if is_unset else _value(parser, properties["type"])
    attributes = parser.parse_optional_attr_dict()
    if (alignment := attributes.pop("alignment", None)) is not None:
        properties["alignment"] = alignment
    return cls.build(properties=properties, attributes=attributes)


def _value(parser: Any, type_: Attribute) -> Attribute:
    """The contents, without their type, which is that of the memref as a tensor."""
    assert isa(type_, MemRefType[Attribute])
    of_tensor = TensorType(type_.element_type, type_.get_shape())
    if parser.parse_optional_keyword("dense_resource") is None:
        parser.parse_keyword("dense")
        return parser.parse_dense_int_or_fp_elements_attr(of_tensor)
    interface = parser.ctx.get_dialect("builtin").get_interface(OpAsmDialectInterface)
    with parser.in_angle_brackets():
        handle = parser._parse_dialect_resource_handle("builtin", interface)
    return DenseResourceAttr.from_params(handle, of_tensor)
