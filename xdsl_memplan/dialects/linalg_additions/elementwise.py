"""`linalg.elementwise` of MLIR 22: a function by name, and maps that may permute and repeat."""

from collections.abc import Callable, Sequence
from enum import auto

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, ArrayAttr, ShapedType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    prop_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xdsl_memplan.dialects.linalg_additions import bodies
from xdsl_memplan.dialects.linalg_additions.bodies import Scalars, region_of
from xdsl_memplan.dialects.linalg_additions.syntax import (
    build_named,
    parse_operands,
    parse_result_types,
    print_operands,
    print_result_types,
    shown_attributes,
)
from xdsl_memplan.dialects.name_in_brackets import NameInBrackets


class ElementwiseKind(StrEnum):
    """What is computed of the elements."""

    EXP = auto()
    LOG = auto()
    ABS = auto()
    CEIL = auto()
    FLOOR = auto()
    NEGF = auto()
    RECIPROCAL = auto()
    ROUND = auto()
    SQRT = auto()
    RSQRT = auto()
    SQUARE = auto()
    TANH = auto()
    ERF = auto()
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    DIV_UNSIGNED = auto()
    MAX_SIGNED = auto()
    MIN_SIGNED = auto()
    MAX_UNSIGNED = auto()
    MIN_UNSIGNED = auto()
    POWF = auto()
    SELECT = auto()


@irdl_attr_definition
class ElementwiseKindAttr(NameInBrackets, EnumAttribute[ElementwiseKind]):
    """`#linalg.elementwise_kind<add>`."""

    name = "linalg.elementwise_kind"


_K = ElementwiseKind
_UNARY: dict[ElementwiseKind, Callable[[SSAValue], Operation | SSAValue]] = {
    _K.EXP: math.ExpOp,
    _K.LOG: math.LogOp,
    _K.ABS: math.AbsFOp,
    _K.CEIL: math.CeilOp,
    _K.FLOOR: math.FloorOp,
    _K.NEGF: arith.NegfOp,
    _K.RECIPROCAL: bodies.reciprocal,
    _K.ROUND: math.RoundOp,
    _K.SQRT: math.SqrtOp,
    _K.RSQRT: math.RsqrtOp,
    _K.SQUARE: lambda x: bodies.mul(x, x),
    _K.TANH: math.TanhOp,
    _K.ERF: math.ErfOp,
}
_BINARY: dict[ElementwiseKind, Callable[[SSAValue, SSAValue], Operation | SSAValue]] = {
    _K.ADD: bodies.add,
    _K.SUB: bodies.sub,
    _K.MUL: bodies.mul,
    _K.DIV: bodies.div,
    _K.DIV_UNSIGNED: bodies.div_unsigned,
    _K.MAX_SIGNED: bodies.maximum,
    _K.MIN_SIGNED: bodies.minimum,
    _K.MAX_UNSIGNED: bodies.maximum_unsigned,
    _K.MIN_UNSIGNED: bodies.minimum_unsigned,
    _K.POWF: math.PowFOp,
}
_TERNARY: dict[ElementwiseKind, Callable[[SSAValue, SSAValue, SSAValue], Operation]] = {
    _K.SELECT: arith.SelectOp,
}
_NOT_OF_FLOATS = (_K.DIV_UNSIGNED, _K.MAX_UNSIGNED, _K.MIN_UNSIGNED)


def _inputs_of(kind: ElementwiseKind) -> int:
    return 1 if kind in _UNARY else 2 if kind in _BINARY else 3


@irdl_op_definition
class ElementwiseOp(LinalgStructuredOperation):
    """The function named by ``kind``, of elements that the maps say; nothing is cast."""

    name = "linalg.elementwise"

    kind = prop_def(ElementwiseKindAttr)
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """One map per operand."""
        return self.indexing_maps

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """Parallel, all of them."""
        loops = self.indexing_maps.data[-1].data.num_dims
        return ArrayAttr((IteratorTypeAttr.parallel(),) * loops)

    def verify_(self) -> None:
        """As for all structured operations; the number of inputs is that of the kind.

        Raises VerifyException.
        """
        if len(self.inputs) != _inputs_of(self.kind.data) or len(self.outputs) != 1:
            raise VerifyException(
                f"linalg.elementwise: {self.kind.data} takes {_inputs_of(self.kind.data)} inputs "
                f"and one output, not {len(self.inputs)} and {len(self.outputs)}"
            )
        super().verify_()
        yielded = self.body.block.last_op
        made = self.body.block.args[-1].type
        if yielded is None or [*yielded.operand_types] != [made]:
            raise VerifyException(
                f"linalg.elementwise: {self.kind.data} of these inputs is no {made}; "
                "nothing is cast"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "ElementwiseOp":
        """Read `kind=#linalg.elementwise_kind<add> indexing_maps = [...] ins(...) outs(...)`."""
        position = parser.pos
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        kind = parser.parse_attribute()
        if not isinstance(kind, ElementwiseKindAttr):
            parser.raise_error(f"{kind} is no #linalg.elementwise_kind", position)
        maps: Attribute | None = None
        if parser.parse_optional_keyword("indexing_maps") is not None:
            parser.parse_punctuation("=")
            maps = parser.parse_attribute()
        attributes = dict(parser.parse_optional_attr_dict())
        position = parser.pos
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        wanted = _inputs_of(kind.data)
        if len(inputs) != wanted or len(outputs) != 1:
            parser.raise_error(
                f"linalg.elementwise: {kind.data} takes {wanted} inputs and one output", position
            )
        types = parse_result_types(parser)
        if maps is None:
            out = outputs[0].type
            rank = out.get_num_dims() if isinstance(out, ShapedType) else 0
            maps = ArrayAttr([AffineMapAttr(AffineMap.identity(rank))] * (wanted + 1))
        properties = {"kind": kind, "indexing_maps": maps}
        return build_named(
            cls,
            parser,
            (inputs, outputs, types),
            (properties, attributes),
            lambda: _region(kind.data, inputs, outputs),
            position,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads; maps that are all identities are left out."""
        printer.print_string(" kind=")
        printer.print_attribute(self.kind)
        if any(map.data != AffineMap.identity(map.data.num_dims) for map in self.indexing_maps):
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.indexing_maps)
        shown = {n: a for n, a in shown_attributes(self).items() if n != "kind"}
        if shown:
            printer.print_op_attributes(shown)
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.outputs)
        print_result_types(printer, self.res.types)


def _region(
    kind: ElementwiseKind, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
) -> Region:
    def body(args: Scalars) -> SSAValue:
        *elements, _out = args
        if kind in _NOT_OF_FLOATS and isinstance(elements[0].type, AnyFloat):
            raise ValueError(f"no {kind} of {elements[0].type}")
        function = _UNARY.get(kind) or _BINARY.get(kind) or _TERNARY[kind]
        return SSAValue.get(function(*elements))

    return region_of(body, (*inputs, *outputs))
