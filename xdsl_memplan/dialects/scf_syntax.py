"""How `scf.for`, `scf.if` and `scf.parallel` are read, as in MLIR.

| operation | stock xDSL 0.75                               | here                       |
|-----------|-----------------------------------------------|----------------------------|
| for, if   | want parentheses around one result type       | take `-> tensor<4xf32>`    |
| parallel  | is read and printed in the generic form alone | is read and printed in its own |
| reduce    | has no commas between several regions         | has them                   |
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects.builtin import IndexType, i1
from xdsl.dialects.scf import ForOp, IfOp, ParallelOp, ReduceOp, YieldOp
from xdsl.dialects.utils import parse_assignment
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

_Bound = TypeVar("_Bound")


@cache
def read_loops_as_mlir() -> None:
    """Have the operations read so; a second call has no effect."""
    setattr(ForOp, "parse", classmethod(_parse_for))
    setattr(IfOp, "parse", classmethod(_parse_if))
    setattr(ParallelOp, "parse", classmethod(_parse_parallel))
    setattr(ParallelOp, "print", _print_parallel)
    setattr(ReduceOp, "parse", classmethod(_parse_reduce))
    setattr(ReduceOp, "print", _print_reduce)


def parse_bounds(parser: Parser, parse: Callable[[], _Bound]) -> tuple[_Bound, _Bound, _Bound]:
    """`= lower to upper step step`."""
    parser.parse_punctuation("=")
    lower = parse()
    parser.parse_keyword("to")
    upper = parse()
    parser.parse_keyword("step")
    return lower, upper, parse()


def _parse_for(cls: type[ForOp], parser: Parser) -> ForOp:
    """`%i = %from to %to step %by iter_args(%x = %a) -> type : type {body} {attributes}`."""
    induction = parser.parse_argument(expect_type=False)
    bounds = parse_bounds(parser, parser.parse_unresolved_operand)
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


def _parse_parallel(cls: type[ParallelOp], parser: Parser) -> ParallelOp:
    """`(%i) = (%from) to (%to) step (%by) init (%x) -> type {body} {attributes}`."""
    inductions = parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )

    def indices() -> Sequence[SSAValue]:
        operands = _operands(parser)
        return parser.resolve_operands(operands, [IndexType()] * len(operands), parser.pos)

    lower, upper, step = parse_bounds(parser, indices)
    at = parser.pos
    has_inits = parser.parse_optional_keyword("init") is not None
    unresolved = _operands(parser) if has_inits else []
    inits = parser.resolve_operands(unresolved, _result_types(parser), at)
    body = parser.parse_region([induction.resolve(IndexType()) for induction in inductions])
    if not isinstance(body.block.last_op, ReduceOp):
        body.block.add_op(ReduceOp())
    op = cls(lower, upper, step, body, inits)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _print_parallel(op: ParallelOp, printer: Printer) -> None:
    """Print what `_parse_parallel` reads."""
    lists = [
        (" ", op.body.block.args),
        (" = ", op.lowerBound),
        (" to ", op.upperBound),
        (" step ", op.step),
    ]
    if op.initVals:
        lists.append((" init ", op.initVals))
    for introduction, values in lists:
        printer.print_string(introduction)
        with printer.in_parens():
            printer.print_list(values, printer.print_ssa_value)
    if op.initVals:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(op.result_types, printer.print_attribute)
    printer.print_string(" ")
    printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)
    if op.attributes:
        printer.print_op_attributes(op.attributes)


def _parse_reduce(cls: type[ReduceOp], parser: Parser) -> ReduceOp:
    """`(%x, %y : types) {...}, {...} {attributes}`, or nothing."""
    operands: Sequence[UnresolvedOperand] = ()
    types: Sequence[Attribute] = ()
    regions: list[Region] = []
    at = parser.pos
    if parser.parse_optional_punctuation("(") is not None:
        operands = parser.parse_comma_separated_list(
            Parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        regions = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_region)
    op = cls(parser.resolve_operands(operands, types, at), regions)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _print_reduce(op: ReduceOp, printer: Printer) -> None:
    """Print what `_parse_reduce` reads."""
    if op.args:
        with printer.in_parens():
            printer.print_list(op.args, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(op.args.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_list(op.reductions, printer.print_region)
    if op.attributes:
        printer.print_op_attributes(op.attributes)


def _operands(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


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
