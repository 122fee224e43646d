"""What stock xDSL's scf lacks: `scf.forall`, which MLIR's tiling writes; `scf_syntax.py`."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    i64,
)
from xdsl.dialects.utils import parse_assignment, print_assignment
from xdsl.dialects.utils.dynamic_index_list import (
    get_dynamic_index_list,
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    NoTerminator,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from xdsl_memplan.dialects.extended_dialect import with_operations
from xdsl_memplan.dialects.scf_syntax import parse_bounds, read_loops_as_mlir

_MAPPING = "mapping"


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """The end of an iteration of `scf.forall`: what it puts into the shared results."""

    name = "scf.forall.in_parallel"

    region = region_def("single_block")

    traits = lazy_traits_def(lambda: (IsTerminator(), NoTerminator(), HasParent(ForallOp)))

    assembly_format = "$region attr-dict"


@irdl_op_definition
class ForallOp(IRDLOperation):
    """`scf.forall` of MLIR 22: iterations in any order, each of which makes parts of the results.

    A bound is a number or an operand, as the offsets of a slice are.
    """

    name = "scf.forall"

    lower = var_operand_def(IndexType)
    upper = var_operand_def(IndexType)
    step = var_operand_def(IndexType)
    outputs = var_operand_def()
    static_lower = prop_def(DenseArrayBase[IntegerType], prop_name="staticLowerBound")
    static_upper = prop_def(DenseArrayBase[IntegerType], prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase[IntegerType], prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr[Attribute])
    body = region_def("single_block")
    res = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(SingleBlockImplicitTerminator(InParallelOp), RecursiveMemoryEffect())

    def bounds(self) -> tuple[tuple[SSAValue | int, SSAValue | int, SSAValue | int], ...]:
        """Where each loop begins, where it ends, and its step, outermost loop first."""
        lists = (
            get_dynamic_index_list(known.get_values(), values, DYNAMIC_INDEX)
            for known, values in self._mixed()
        )
        return tuple(zip(*lists, strict=True))

    def _mixed(self) -> Sequence[tuple[DenseArrayBase[IntegerType], Sequence[SSAValue]]]:
        return (
            (self.static_lower, self.lower),
            (self.static_upper, self.upper),
            (self.static_step, self.step),
        )

    def verify_(self) -> None:
        """As many bounds of each kind, an index for each loop, and what is shared as results.

        Raises VerifyException.
        """
        for known, values in self._mixed():
            verify_dynamic_index_list(known.get_values(), values, DYNAMIC_INDEX, " in the bounds")
        loops = {len(known) for known, _ in self._mixed()}
        if len(loops) != 1:
            raise VerifyException("a loop has a lower and an upper bound and a step")
        shared = [value.type for value in self.outputs]
        expected = [*[IndexType()] * loops.pop(), *shared]
        if [argument.type for argument in self.body.block.args] != expected:
            raise VerifyException("the body takes an index for each loop, then what is shared")
        if [*self.result_types] != shared:
            raise VerifyException("what is shared is what is returned")

    @classmethod
    def parse(cls, parser: Parser) -> "ForallOp":
        """`(%i) in (8) shared_outs(%o = %e) -> (type) {...}`, or `(%i) = (0) to (8) step (2) ...`.

        Attributes come last, the mapping to processors among them.
        """
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )

        def numbers() -> tuple[list[SSAValue], list[int]]:
            unresolved, known = parse_dynamic_index_list_without_types(
                parser, DYNAMIC_INDEX, delimiter=parser.Delimiter.PAREN
            )
            return [parser.resolve_operand(value, IndexType()) for value in unresolved], [*known]

        lower: tuple[list[SSAValue], list[int]] = ([], [0] * len(indices))
        step: tuple[list[SSAValue], list[int]] = ([], [1] * len(indices))
        if parser.parse_optional_keyword("in") is not None:
            upper = numbers()
        else:
            lower, upper, step = parse_bounds(parser, numbers)
        at = parser.pos
        shared: list[tuple[Parser.UnresolvedArgument, SSAValue]] = []
        types: list[Attribute] = []
        if parser.parse_optional_keyword("shared_outs") is not None:
            pairs = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_assignment(parser)
            )
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            outputs = parser.resolve_operands([value for _, value in pairs], types, at)
            shared = [(name, value) for (name, _), value in zip(pairs, outputs, strict=True)]
        arguments = [index.resolve(IndexType()) for index in indices]
        arguments += [name.resolve(value.type) for name, value in shared]
        body = parser.parse_region(arguments)
        attributes = parser.parse_optional_attr_dict()
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        properties: dict[str, Attribute] = {
            name: DenseArrayBase.from_list(i64, known)
            for name, (_, known) in zip(names, (lower, upper, step), strict=True)
        }
        if (mapping := attributes.pop(_MAPPING, None)) is not None:
            properties[_MAPPING] = mapping
        op = cls.build(
            operands=[lower[0], upper[0], step[0], [value for _, value in shared]],
            result_types=[types],
            properties=properties,
            attributes=attributes,
            regions=[body],
        )
        if not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp.build(regions=[Region(Block())]))
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        block = self.body.block
        count = len(self.static_lower)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(block.args[:count], printer.print_ssa_value)
        lists = tuple(zip((" = ", " to ", " step "), self._mixed(), strict=True))
        from_0 = not self.lower and not any(self.static_lower.get_values())
        by_1 = not self.step and {*self.static_step.get_values()} <= {1}
        if from_0 and by_1:
            lists = ((" in ", self._mixed()[1]),)
        for keyword, (known, values) in lists:
            printer.print_string(keyword)
            print_dynamic_index_list(
                printer,
                DYNAMIC_INDEX,
                values,
                known.get_values(),
                delimiter=Parser.Delimiter.PAREN,
            )
        if self.outputs:
            printer.print_string(" shared_outs(")
            pairs = zip(block.args[count:], self.outputs, strict=True)
            printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
            printer.print_string(") -> (")
            printer.print_list(self.outputs.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_empty_block=False,
            print_block_terminators=not isinstance(block.last_op, InParallelOp)
            or bool(block.last_op.region.block.ops),
        )
        mapping = {} if self.mapping is None else {_MAPPING: self.mapping}
        printer.print_op_attributes(self.attributes | mapping)


_ADDED = (ForallOp, InParallelOp)


def extended_scf(stock: Dialect) -> Dialect:
    """The dialect `stock` with what it lacks; others are read as in MLIR."""
    read_loops_as_mlir()
    return with_operations(stock, _ADDED)
