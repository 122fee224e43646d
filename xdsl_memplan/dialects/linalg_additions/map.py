"""`linalg.map` of MLIR 22: a body that is run for every element of operands of one shape."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, ShapedType, TensorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.linalg_additions.bodies import region_of
from xdsl_memplan.dialects.linalg_additions.short_body import (
    parse_short_body,
    print_short_body,
)
from xdsl_memplan.dialects.linalg_additions.syntax import parse_operands, print_operands


@irdl_op_definition
class MapOp(IRDLOperation):
    """The body takes one element of every input and of the output, and yields the new one.

    No structured operation in xDSL's sense: those keep the numbers of their operands in a
    property, which MLIR's `linalg.map` does not have. `memplan-generalize-ops` makes it one.
    """

    name = "linalg.map"

    inputs = var_operand_def(AnyAttr())
    init = operand_def(base(TensorType) | base(MemRefType))
    result = var_result_def(base(TensorType))
    mapper = region_def("single_block")

    traits = traits_def(SingleBlockImplicitTerminator(YieldOp))

    def verify_(self) -> None:
        """Operands of the shape of the output; a body that takes and yields its elements.

        Raises VerifyException.
        """
        out = self.init.type
        assert isinstance(out, ShapedType)
        elements = [_element_of(operand) for operand in self.operands]
        for number, operand in enumerate(self.inputs):
            type_ = operand.type
            if not isinstance(type_, ShapedType) or type_.get_shape() != out.get_shape():
                raise VerifyException(
                    f"linalg.map: input {number} of type {type_} has not the shape of {out}"
                )
        block = self.mapper.block
        if [argument.type for argument in block.args] != elements:
            raise VerifyException(
                "linalg.map: its body takes one element of every input and of the output: "
                + ", ".join(map(str, elements))
            )
        yielded = block.last_op
        if not isinstance(yielded, YieldOp) or [*yielded.operand_types] != elements[-1:]:
            raise VerifyException(f"linalg.map: its body must yield {elements[-1]}")

    @classmethod
    def parse(cls, parser: Parser) -> "MapOp":
        """Read `ins(...) outs(...) {attributes} (%arguments) {...}`, or a body in short."""
        short = parse_short_body(parser)
        position = parser.pos
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        if len(outputs) != 1:
            parser.raise_error("linalg.map has one operand in outs", position)
        attributes = parser.parse_optional_attr_dict()
        operands = (*inputs, *outputs)
        if short is None:
            arguments = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_argument
            )
            region = parser.parse_region(arguments)
        else:
            region = region_of(lambda args: short(args[:-1], args[-1].type), operands)
        types = [type_ for type_ in (outputs[0].type,) if isa(type_, TensorType[Attribute])]
        return cls.build(
            operands=[inputs, outputs[0]],
            result_types=[types],
            attributes=attributes,
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        """Print as MLIR does: in short where one operation on all elements is all there is."""
        op = _only_operation(self.mapper.block)
        if op is not None:
            print_short_body(printer, op)
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", [self.init])
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        if op is None:
            printer.print_string(" ")
            with printer.in_parens():
                printer.print_list(self.mapper.block.args, printer.print_block_argument)
            printer.print_string(" ")
            printer.print_region(self.mapper, print_entry_block_args=False)


def _element_of(value: SSAValue) -> object:
    type_ = value.type
    return type_.element_type if isa(type_, TensorType[Attribute] | MemRefType) else type_


def _only_operation(block: Block) -> Operation | None:
    """The operation on all inputs that a body consists of; None if it has more, or another."""
    ops: Sequence[Operation] = [*block.ops]
    if len(ops) != 2 or not ops[0].operands or len(ops[0].results) != 1 or ops[0].regions:
        return None
    on_all = [*ops[0].operands] == [*block.args[:-1]]
    return ops[0] if on_all and [*ops[1].operands] == [*ops[0].results] else None
