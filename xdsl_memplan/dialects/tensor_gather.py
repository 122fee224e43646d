"""`tensor.gather` and `tensor.scatter` of MLIR 22: slices at places that a tensor tells."""

from collections.abc import Sequence
from typing import Self, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

_Tensor = TensorType[Attribute]
_Coordinates = TensorType[IntegerType | IndexType]
_Op = TypeVar("_Op", bound=IRDLOperation)


@irdl_op_definition
class GatherOp(IRDLOperation):
    """Slices of a tensor, one for each list of coordinates.

    The last dimension of the indices goes through the coordinates, one for each of the dimensions
    `gather_dims`. In these a slice has size 1, and leaves them out or not.
    """

    name = "tensor.gather"

    source = operand_def(_Tensor)
    indices = operand_def(_Coordinates)
    gather_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(_Tensor)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        """The result is a slice for each list of coordinates.

        Raises VerifyException.
        """
        _verify(self.source, self.indices, self.result, self.gather_dims)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`%source[%indices] gather_dims([0]) unique {attributes} : (types) -> type`."""
        operands = [parser.parse_unresolved_operand()]
        return _parse_at_indices(cls, parser, operands, "gather_dims")

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        _print_at_indices(self, printer, "gather_dims", self.gather_dims)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """A tensor in which slices are others, one for each list of coordinates; all are different."""

    name = "tensor.scatter"

    source = operand_def(_Tensor)
    dest = operand_def(_Tensor)
    indices = operand_def(_Coordinates)
    scatter_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(_Tensor)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        """The source is a slice for each list of coordinates, which are different.

        Raises VerifyException.
        """
        if self.unique is None:
            raise VerifyException("coordinates must be different ones: `unique` says that they are")
        if self.result.type != self.dest.type:
            raise VerifyException("the result has the type of the destination")
        _verify(self.dest, self.indices, self.source, self.scatter_dims)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`%source into %dest[%indices] scatter_dims([0]) unique : (types) -> type`."""
        operands = [parser.parse_unresolved_operand()]
        parser.parse_keyword("into")
        operands.append(parser.parse_unresolved_operand())
        return _parse_at_indices(cls, parser, operands, "scatter_dims")

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(" into ")
        printer.print_ssa_value(self.dest)
        _print_at_indices(self, printer, "scatter_dims", self.scatter_dims)


def coordinates_of(indices: SSAValue) -> tuple[int, ...]:
    """How many lists of coordinates there are, along each dimension of a tensor of them."""
    return tuple(cast(_Tensor, indices.type).get_shape()[:-1])


def _verify(
    whole: SSAValue, indices: SSAValue, slices: SSAValue, dims: DenseArrayBase[IntegerType]
) -> None:
    of_whole, of_slices = cast(_Tensor, whole.type), cast(_Tensor, slices.type)
    along, sizes = list(dims.get_values()), of_whole.get_shape()
    if not along or along != sorted({*along} & set(range(len(sizes)))):
        raise VerifyException(
            f"the dimensions must be some of 0 to {len(sizes) - 1}, in ascending order"
        )
    *lists, each = cast(_Tensor, indices.type).get_shape() or (0,)
    if each != len(along):
        raise VerifyException(
            f"{len(along)} coordinates are a last dimension of as many, not {each}"
        )
    kept = (*lists, *(1 if d in along else size for d, size in enumerate(sizes)))
    dropped = (*lists, *(size for d, size in enumerate(sizes) if d not in along))
    if of_slices.get_shape() not in (kept, dropped):
        raise VerifyException(
            f"slices have the shape {dropped}, or {kept}, not {of_slices.get_shape()}"
        )
    if of_slices.element_type != of_whole.element_type:
        raise VerifyException("slices have elements of the type that the tensor has")


def _parse_at_indices(
    cls: type[_Op], parser: Parser, operands: Sequence[UnresolvedOperand], keyword: str
) -> _Op:
    """An operation from its indices on, behind the other operands."""
    with parser.in_square_brackets():
        indices = parser.parse_unresolved_operand()
    parser.parse_keyword(keyword)
    with parser.in_parens():
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    properties: dict[str, Attribute] = {keyword: DenseArrayBase.from_list(i64, dims)}
    if parser.parse_optional_keyword("unique") is not None:
        properties["unique"] = UnitAttr()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parser.parse_function_type()
    return cls.build(
        operands=parser.resolve_operands([*operands, indices], [*type_.inputs], parser.pos),
        result_types=[*type_.outputs],
        properties=properties,
        attributes=attributes,
    )


def _print_at_indices(
    op: GatherOp | ScatterOp, printer: Printer, keyword: str, dims: DenseArrayBase[IntegerType]
) -> None:
    with printer.in_square_brackets():
        printer.print_ssa_value(op.indices)
    printer.print_string(f" {keyword}([{', '.join(map(str, dims.get_values()))}])")
    if op.unique is not None:
        printer.print_string(" unique")
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_operation_type(op)
