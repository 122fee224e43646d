"""Numbers in `dense<...>` whose bits are written down: stock xDSL 0.75 misreads those of floats.

MLIR writes infinities and NaN so: `dense<0xFF800000> : tensor<f32>` is minus infinity, where a
maximum starts. Stock xDSL takes it for the number 4286578688, and says nothing.
"""

from functools import cache
from typing import Any

from xdsl.dialects.builtin import AnyFloat, ComplexType
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.utils.hints import isa


@cache
def read_bits_of_floats() -> None:
    """Have them read as in MLIR; a second call has no effect."""
    element_class: Any = getattr(AttrParser, "_TensorLiteralElement")
    stock = element_class.to_type

    def to_type(element: Any, parser: AttrParser, type_: Attribute) -> Any:
        # What is written as a float is none of these; most elements are.
        if isinstance(element.value, float):
            return stock(element, parser, type_)
        is_complex = isa(type_, ComplexType)
        kind = type_.element_type if is_complex else type_
        text = element.span.text
        if not isinstance(kind, AnyFloat) or "x" not in text.lower():
            return stock(element, parser, type_)
        parts = text.strip("()").split(",")
        numbers = tuple(_number(part.strip(), kind, parser, element) for part in parts)
        return numbers if is_complex else numbers[0]

    element_class.to_type = to_type


def _number(text: str, type_: AnyFloat, parser: AttrParser, element: Any) -> float:
    """A number as it is written, or the one whose bits are."""
    if text[:2] not in ("0x", "0X"):
        return float(text)
    bits = int(text, 16)
    if bits >> type_.bitwidth:
        parser.raise_error(f"{text} has more bits than {type_}", at_position=element.span)
    raw = bits.to_bytes(type_.compile_time_size, "little")
    return next(iter(type_.iter_unpack(raw)))
