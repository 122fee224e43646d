"""How `scf.for` and `scf.if` are read: one result type may stand without parentheses, as in MLIR.

Stock xDSL 0.74 wants them: `-> tensor<4xf32>`, which people write, is refused.
"""

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import IndexType, i1
from xdsl.dialects.scf import ForOp, IfOp, YieldOp
from xdsl.dialects.utils import parse_assignment
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.traits import IsTerminator


@cache
def accept_bare_result_types() -> None:
    """Have both operations read so; a second call has no effect."""
    setattr(ForOp, "parse", classmethod(_parse_for))
    setattr(IfOp, "parse", classmethod(_parse_if))


def _parse_for(cls: type[ForOp], parser: Parser) -> ForOp:
    """`%i = %from to %to step %by iter_args(%x = %a) -> type : type {body} {attributes}`."""
    induction = parser.parse_argument(expect_type=False)
    bounds: list[UnresolvedOperand] = []
    for introduce in (
        lambda: parser.parse_punctuation("="),
        lambda: parser.parse_keyword("to"),
        lambda: parser.parse_keyword("step"),
    ):
        introduce()
        bounds.append(parser.parse_unresolved_operand())
    at = parser.pos
    pairs: Sequence[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = ()
    types: Sequence[Attribute] = ()
    if parser.parse_optional_keyword("iter_args") is not None:
        pairs = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parse_assignment(parser)
        )
        types = _result_types(parser)
    carried = parser.resolve_operands([value for _, value in pairs], types, at)
    has_type = parser.parse_optional_punctuation(":") is not None
    of_bounds = parser.parse_type() if has_type else IndexType()
    lower, upper, step = (parser.resolve_operand(bound, of_bounds) for bound in bounds)
    arguments = [argument.resolve(type_) for (argument, _), type_ in zip(pairs, types, strict=True)]
    body = _ended(parser.parse_region((induction.resolve(of_bounds), *arguments)))
    op = cls(lower, upper, step, carried, body)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _parse_if(cls: type[IfOp], parser: Parser) -> IfOp:
    """`%condition -> type {then} else {otherwise} {attributes}`."""
    condition = parser.parse_operand(i1)
    types = _result_types(parser)
    then = _ended(parser.parse_region())
    has_else = parser.parse_optional_keyword("else") is not None
    otherwise = _ended(parser.parse_region()) if has_else else Region()
    return cls(condition, types, then, otherwise, parser.parse_optional_attr_dict())


def _result_types(parser: Parser) -> Sequence[Attribute]:
    """`-> type`, `-> (type, type)`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def _ended(region: Region) -> Region:
    """The region with the `scf.yield` that may be left out."""
    if not region.blocks:
        region.add_block(Block())
    last = region.blocks[-1].last_op
    if last is None or not last.has_trait(IsTerminator):
        region.blocks[-1].add_op(YieldOp())
    return region
