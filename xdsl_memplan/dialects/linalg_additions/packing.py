"""`linalg.pack` and `linalg.unpack` of MLIR 22: tensors in tiles, as `linalg.mmt4d` wants them."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


class _Tiled(IRDLOperation):
    """What both have: the dimensions that are cut, sizes of tiles, order of the others."""

    outer_dims_perm = opt_prop_def(DenseArrayBase.constr(i64))
    inner_dims_pos = prop_def(DenseArrayBase.constr(i64))
    static_inner_tiles = prop_def(DenseArrayBase.constr(i64))

    traits = traits_def(Pure())

    def tiles(self) -> dict[int, int]:
        """The size of a tile by the dimension that it cuts, in the order of the result."""
        sizes = self.static_inner_tiles.get_values()
        return dict(zip(self.inner_dims_pos.get_values(), sizes, strict=True))

    def order(self) -> Sequence[int]:
        """The dimension of the tensor without tiles for each outer dimension of that with tiles."""
        if self.outer_dims_perm is not None and (given := self.outer_dims_perm.get_values()):
            return given
        return range(len(self.shapes()[0]))

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of the tensor without tiles, and with."""
        raise NotImplementedError

    def verify_(self) -> None:
        """Check that the shapes fit the tiles.

        Raises VerifyException.
        """
        plain, tiled = self.shapes()
        positions = self.inner_dims_pos.get_values()
        sizes = self.static_inner_tiles.get_values()
        if len(positions) != len(sizes) or len(set(positions)) != len(positions):
            raise VerifyException(f"{self.name}: one tile for each of different dimensions")
        if any(not 0 <= dimension < len(plain) for dimension in positions):
            raise VerifyException(f"{self.name}: there are {len(plain)} dimensions to cut")
        if sorted(self.order()) != [*range(len(plain))]:
            raise VerifyException(f"{self.name}: outer_dims_perm must be a permutation")
        tiles = self.tiles()
        outer = [_in_tiles(plain[d], tiles.get(d, 1)) for d in self.order()]
        expected = (*outer, *sizes)
        if len(tiled) != len(expected) or any(
            DYNAMIC_INDEX not in (one, other) and one != other
            for one, other in zip(tiled, expected, strict=True)
        ):
            raise VerifyException(f"{self.name}: {plain} in tiles is {expected}, not {tiled}")
        if self.results[0].type != self.operands[1].type:
            raise VerifyException(f"{self.name}: its result has the type of what it writes into")

    def given_tiles(self) -> Sequence[SSAValue]:
        """The sizes of tiles that are operands."""
        raise NotImplementedError

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        source, dest = self.operands[:2]
        printer.print_string(" ")
        printer.print_ssa_value(source)
        self.print_padding(printer)
        if self.outer_dims_perm is not None and self.outer_dims_perm.get_values():
            _print_numbers(printer, "outer_dims_perm", self.outer_dims_perm.get_values())
        _print_numbers(printer, "inner_dims_pos", self.inner_dims_pos.get_values())
        given = iter(self.given_tiles())
        printer.print_string(" inner_tiles = [")
        for number, size in enumerate(self.static_inner_tiles.get_values()):
            printer.print_string(", " if number else "")
            if size == DYNAMIC_INDEX:
                printer.print_ssa_value(next(given))
            else:
                printer.print_string(str(size))
        printer.print_string("] into ")
        printer.print_ssa_value(dest)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(source.type)
        printer.print_string(" -> ")
        printer.print_attribute(dest.type)

    def print_padding(self, printer: Printer) -> None:
        """Print the value of padding, where there is one."""


@irdl_op_definition
class PackOp(_Tiled):
    """Cut dimensions into tiles, which become dimensions of their own, last.

    What is missing of the last tiles is `padding_value`.
    """

    name = "linalg.pack"

    source = operand_def(base(TensorType))
    dest = operand_def(base(TensorType))
    padding_value = opt_operand_def()
    inner_tiles = var_operand_def()
    result = result_def(base(TensorType))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of source and result."""
        return _shape(self.source), _shape(self.result)

    def given_tiles(self) -> Sequence[SSAValue]:
        """The sizes of tiles that are operands."""
        return self.inner_tiles

    def print_padding(self, printer: Printer) -> None:
        """Print `padding_value(%v : f32)`."""
        if self.padding_value is not None:
            printer.print_string(" padding_value(")
            printer.print_ssa_value(self.padding_value)
            printer.print_string(" : ")
            printer.print_attribute(self.padding_value.type)
            printer.print_string(")")

    @classmethod
    def parse(cls, parser: Parser) -> "PackOp":
        """Read `%x padding_value(%v : f32) outer_dims_perm = [..] inner_dims_pos = [..] ...`."""
        source = parser.parse_unresolved_operand()
        padding: list[SSAValue] = []
        if parser.parse_optional_keyword("padding_value"):
            with parser.in_parens():
                value = parser.parse_unresolved_operand()
                parser.parse_punctuation(":")
                padding = [parser.resolve_operand(value, parser.parse_type())]
        rest = _Rest(parser)
        ends = parser.resolve_operands([source, rest.dest], rest.types, parser.pos)
        return cls.build(
            operands=[*ends, padding, rest.given],
            result_types=[rest.types[1]],
            properties=rest.properties,
            attributes=rest.attributes,
        )


@irdl_op_definition
class UnpackOp(_Tiled):
    """Put tiles side by side again; what was padding is left out."""

    name = "linalg.unpack"

    source = operand_def(base(TensorType))
    dest = operand_def(base(TensorType))
    inner_tiles = var_operand_def()
    result = result_def(base(TensorType))

    irdl_options = (ParsePropInAttrDict(),)

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of result and source."""
        return _shape(self.result), _shape(self.source)

    def given_tiles(self) -> Sequence[SSAValue]:
        """The sizes of tiles that are operands."""
        return self.inner_tiles

    @classmethod
    def parse(cls, parser: Parser) -> "UnpackOp":
        """Read `%x outer_dims_perm = [..] inner_dims_pos = [..] inner_tiles = [..] into ...`."""
        source = parser.parse_unresolved_operand()
        rest = _Rest(parser)
        ends = parser.resolve_operands([source, rest.dest], rest.types, parser.pos)
        return cls.build(
            operands=[*ends, rest.given],
            result_types=[rest.types[1]],
            properties=rest.properties,
            attributes=rest.attributes,
        )


class _Rest:
    """What both have behind their source, in MLIR's syntax."""

    def __init__(self, parser: Parser) -> None:
        self.properties: dict[str, Attribute] = {}
        for name in ("outer_dims_perm", "inner_dims_pos"):
            if name == "inner_dims_pos":
                parser.parse_keyword(name)
            elif not parser.parse_optional_keyword(name):
                continue
            parser.parse_punctuation("=")
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
            self.properties[name] = DenseArrayBase.from_list(i64, numbers)
        parser.parse_keyword("inner_tiles")
        parser.parse_punctuation("=")
        self.given: list[SSAValue] = []
        sizes = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: self._size(parser)
        )
        self.properties["static_inner_tiles"] = DenseArrayBase.from_list(i64, sizes)
        parser.parse_keyword("into")
        self.dest = parser.parse_unresolved_operand()
        self.attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        first = parser.parse_type()
        parser.parse_punctuation("->")
        self.types = (first, parser.parse_type())

    def _size(self, parser: Parser) -> int:
        value = parser.parse_optional_unresolved_operand()
        if value is None:
            return parser.parse_integer()
        self.given.append(parser.resolve_operand(value, IndexType()))
        return DYNAMIC_INDEX


def _print_numbers(printer: Printer, name: str, numbers: Sequence[int]) -> None:
    printer.print_string(f" {name} = [{', '.join(map(str, numbers))}]")


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(cast(TensorType[Attribute], value.type).get_shape())


def _in_tiles(size: int, tile: int) -> int:
    """Count the tiles of a dimension; unknown if one of the numbers is."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (size, tile) else -(-size // max(tile, 1))
