"""Named linalg operations that stock xDSL lacks: one row each, and one class made from each row.

Loops, indexing and bodies restate MLIR 22's definitions (LinalgNamedStructuredOps.yaml and
LinalgOps.td); tests/dialects/test_linalg_named_ops.py compares each row with what mlir-opt's
`--linalg-generalize-named-ops` makes of it.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseIntElementsAttr, ShapedType
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.linalg_additions import bodies
from xdsl_memplan.dialects.linalg_additions.bodies import Body
from xdsl_memplan.dialects.linalg_additions.indexing import Indexing, indexing_of, iterators_of
from xdsl_memplan.dialects.linalg_additions.syntax import parse_named, print_named


class Row(NamedTuple):
    """A named operation: its name, its indexing (see `indexing.py`), and what it computes."""

    name: str
    indexing: str
    body: Body


MULTIPLY_ADD = bodies.multiply_add
QUANTIZED = bodies.multiply_add_quantized
SUM = bodies.pooling(bodies.add)
MAX = bodies.pooling(bodies.maximum)
MIN = bodies.pooling(bodies.minimum)
MAX_UNSIGNED = bodies.pooling(bodies.maximum_unsigned, unsigned=True)
MIN_UNSIGNED = bodies.pooling(bodies.minimum_unsigned, unsigned=True)

ELEMENTWISE = [
    Row("abs", "", bodies.unary(math.AbsFOp)),
    Row("ceil", "", bodies.unary(math.CeilOp)),
    Row("erf", "", bodies.unary(math.ErfOp)),
    Row("floor", "", bodies.unary(math.FloorOp)),
    Row("negf", "", bodies.unary(arith.NegfOp)),
    Row("reciprocal", "", bodies.unary(bodies.reciprocal)),
    Row("round", "", bodies.unary(math.RoundOp)),
    Row("rsqrt", "", bodies.unary(math.RsqrtOp)),
    Row("square", "", bodies.unary(lambda x: bodies.mul(x, x))),
    Row("tanh", "", bodies.unary(math.TanhOp)),
    Row("div", "", bodies.binary(bodies.div)),
    Row("div_unsigned", "", bodies.binary(bodies.div_unsigned)),
    Row("powf", "", bodies.binary(math.PowFOp)),
]
"""Operations on operands of one shape."""

PRODUCTS = [
    Row("dot", "m : m, m -> .", MULTIPLY_ADD),
    Row("matvec", "m n : m n, n -> m", MULTIPLY_ADD),
    Row("vecmat", "n m : m, m n -> n", MULTIPLY_ADD),
    Row("batch_matvec", "b m k : b m k, b k -> b m", MULTIPLY_ADD),
    Row("batch_vecmat", "b n k : b k, b k n -> b n", MULTIPLY_ADD),
    Row("mmt4d", "m n k m0 n0 k0 : m k m0 k0, n k n0 k0 -> m n m0 n0", MULTIPLY_ADD),
    Row(
        "batch_mmt4d",
        "b m n k m0 n0 k0 : b m k m0 k0, b n k n0 k0 -> b m n m0 n0",
        MULTIPLY_ADD,
    ),
    Row("quantized_batch_matmul", "b m n k : b m k, b k n, ., . -> b m n", QUANTIZED),
]

MAPPED_PRODUCTS = [
    Row("batch_matmul", "b m n k : b m k, b k n -> b m n", MULTIPLY_ADD),
    Row("batch_reduce_matmul", "b m n k : b m k, b k n -> m n", MULTIPLY_ADD),
]
"""Products whose indexing maps can be given (transposed, broadcast operands)."""

PLAIN_CONVOLUTIONS = [
    Row("conv_1d", "ow kw : ow+kw, kw -> ow", MULTIPLY_ADD),
    Row("conv_2d", "oh ow kh kw : oh+kh ow+kw, kh kw -> oh ow", MULTIPLY_ADD),
    Row(
        "conv_3d",
        "od oh ow kd kh kw : od+kd oh+kh ow+kw, kd kh kw -> od oh ow",
        MULTIPLY_ADD,
    ),
]

_W, _H_W = "ow*s0+kw*d0", "oh*s0+kh*d0 ow*s1+kw*d1"
_D_H_W = "od*s0+kd*d0 oh*s1+kh*d1 ow*s2+kw*d2"

CONVOLUTIONS = [
    Row("conv_1d_nwc_wcf", f"n ow f kw c : n {_W} c, kw c f -> n ow f", MULTIPLY_ADD),
    Row("conv_1d_ncw_fcw", f"n f ow c kw : n c {_W}, f c kw -> n f ow", MULTIPLY_ADD),
    Row(
        "conv_2d_nhwc_hwcf_q",
        f"n oh ow f kh kw c : n {_H_W} c, kh kw c f, ., . -> n oh ow f",
        QUANTIZED,
    ),
    Row(
        "conv_2d_nhwc_fhwc_q",
        f"n oh ow f kh kw c : n {_H_W} c, f kh kw c, ., . -> n oh ow f",
        QUANTIZED,
    ),
    Row(
        "conv_2d_nchw_fchw_q",
        f"n f oh ow c kh kw : n c {_H_W}, f c kh kw, ., . -> n f oh ow",
        QUANTIZED,
    ),
    Row(
        "conv_2d_ngchw_gfchw_q",
        f"n g f oh ow c kh kw : n g c {_H_W}, g f c kh kw, ., . -> n g f oh ow",
        QUANTIZED,
    ),
    Row(
        "conv_2d_nhwgc_gfhwc_q",
        f"n oh ow g f kh kw c : n {_H_W} g c, g f kh kw c, ., . -> n oh ow g f",
        QUANTIZED,
    ),
    Row(
        "conv_3d_ndhwc_dhwcf",
        f"n od oh ow f kd kh kw c : n {_D_H_W} c, kd kh kw c f -> n od oh ow f",
        MULTIPLY_ADD,
    ),
    Row(
        "conv_3d_ndhwc_dhwcf_q",
        f"n od oh ow f kd kh kw c : n {_D_H_W} c, kd kh kw c f, ., . -> n od oh ow f",
        QUANTIZED,
    ),
    Row(
        "conv_3d_ncdhw_fcdhw",
        f"n f od oh ow c kd kh kw : n c {_D_H_W}, f c kd kh kw -> n f od oh ow",
        MULTIPLY_ADD,
    ),
    Row("depthwise_conv_1d_ncw_cw", f"n ow c kw : n c {_W}, c kw -> n c ow", MULTIPLY_ADD),
    Row("depthwise_conv_1d_nwc_wc", f"n ow c kw : n {_W} c, kw c -> n ow c", MULTIPLY_ADD),
    Row("depthwise_conv_1d_nwc_wcm", f"n ow c m kw : n {_W} c, kw c m -> n ow c m", MULTIPLY_ADD),
    Row(
        "depthwise_conv_2d_nchw_chw",
        f"n oh ow c kh kw : n c {_H_W}, c kh kw -> n c oh ow",
        MULTIPLY_ADD,
    ),
    Row(
        "depthwise_conv_2d_nhwc_hwc",
        f"n oh ow c kh kw : n {_H_W} c, kh kw c -> n oh ow c",
        MULTIPLY_ADD,
    ),
    Row(
        "depthwise_conv_2d_nhwc_hwc_q",
        f"n oh ow c kh kw : n {_H_W} c, kh kw c, ., . -> n oh ow c",
        QUANTIZED,
    ),
    Row(
        "depthwise_conv_2d_nhwc_hwcm",
        f"n oh ow c m kh kw : n {_H_W} c, kh kw c m -> n oh ow c m",
        MULTIPLY_ADD,
    ),
    Row(
        "depthwise_conv_2d_nhwc_hwcm_q",
        f"n oh ow c m kh kw : n {_H_W} c, kh kw c m, ., . -> n oh ow c m",
        QUANTIZED,
    ),
    Row(
        "depthwise_conv_3d_ncdhw_cdhw",
        f"n od oh ow kd kh kw c : n c {_D_H_W}, c kd kh kw -> n c od oh ow",
        MULTIPLY_ADD,
    ),
    Row(
        "depthwise_conv_3d_ndhwc_dhwc",
        f"n od oh ow kd kh kw c : n {_D_H_W} c, kd kh kw c -> n od oh ow c",
        MULTIPLY_ADD,
    ),
    Row(
        "depthwise_conv_3d_ndhwc_dhwcm",
        f"n od oh ow cm kd kh kw c : n {_D_H_W} c, kd kh kw c cm -> n od oh ow c cm",
        MULTIPLY_ADD,
    ),
]

_NWC = f"n ow c kw : n {_W} c, kw -> n ow c"
_NCW = f"n c ow kw : n c {_W}, kw -> n c ow"
_NHWC = f"n oh ow c kh kw : n {_H_W} c, kh kw -> n oh ow c"
_NCHW = f"n c oh ow kh kw : n c {_H_W}, kh kw -> n c oh ow"
_NDHWC = f"n od oh ow c kd kh kw : n {_D_H_W} c, kd kh kw -> n od oh ow c"

POOLINGS = [
    Row("pooling_nwc_sum", _NWC, SUM),
    Row("pooling_nwc_max", _NWC, MAX),
    Row("pooling_nwc_max_unsigned", _NWC, MAX_UNSIGNED),
    Row("pooling_nwc_min", _NWC, MIN),
    Row("pooling_nwc_min_unsigned", _NWC, MIN_UNSIGNED),
    Row("pooling_ncw_sum", _NCW, SUM),
    Row("pooling_ncw_max", _NCW, MAX),
    Row("pooling_nhwc_sum", _NHWC, SUM),
    Row("pooling_nhwc_max", _NHWC, MAX),
    Row("pooling_nhwc_max_unsigned", _NHWC, MAX_UNSIGNED),
    Row("pooling_nhwc_min", _NHWC, MIN),
    Row("pooling_nhwc_min_unsigned", _NHWC, MIN_UNSIGNED),
    Row("pooling_nchw_sum", _NCHW, SUM),
    Row("pooling_nchw_max", _NCHW, MAX),
    Row("pooling_ndhwc_sum", _NDHWC, SUM),
    Row("pooling_ndhwc_max", _NDHWC, MAX),
    Row("pooling_ndhwc_min", _NDHWC, MIN),
]


class TableOperation(NamedOperation):
    """A named operation made from a row."""

    ELEMENT: ClassVar[Body]
    NOTATION: ClassVar[str]

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        """The region that computes one element."""
        return bodies.region_of(cls.ELEMENT, (*inputs, *outputs))

    def indexing(self) -> Indexing:
        """Maps and iterators of this operation."""
        return indexing_of(self.NOTATION)

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """One map per operand."""
        return self.indexing().maps

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        """The same as affine maps."""
        return tuple(map.data for map in self.get_indexing_maps())

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """One kind per loop."""
        return self.indexing().iterators

    @classmethod
    def parse(cls, parser: Parser) -> NamedOperation:
        """Read MLIR's syntax."""
        return parse_named(cls, parser)

    def print(self, printer: Printer) -> None:
        """Print MLIR's syntax."""
        print_named(self, printer)


class ElementwiseTableOperation(TableOperation):
    """All operands have the shape of the output."""

    def indexing(self) -> Indexing:
        """Identity maps of the output's rank."""
        output = self.outputs[0].type
        assert isinstance(output, ShapedType)
        dims = " ".join(f"i{i}" for i in range(output.get_num_dims())) or "."
        loops = "" if dims == "." else dims
        inputs = ", ".join([dims] * len(self.inputs))
        return indexing_of(f"{loops} : {inputs} -> {dims}")


class WindowTableOperation(TableOperation):
    """A convolution or pooling; strides and dilations are 1 unless given."""

    strides = opt_prop_def(DenseIntElementsAttr)
    dilations = opt_prop_def(DenseIntElementsAttr)

    def indexing(self) -> Indexing:
        """Maps with the strides and dilations of the operation."""
        window = 1 + max(i for i in range(3) if f"s{i}" in self.NOTATION)
        factors: list[tuple[int, ...]] = []
        for name, attribute in (("strides", self.strides), ("dilations", self.dilations)):
            values = (1,) * window if attribute is None else tuple(attribute.get_values())
            if len(values) != window:
                raise VerifyException(f"expected {window} {name}, got {len(values)}")
            factors.append(values)
        return indexing_of(self.NOTATION, *factors)


class MappedTableOperation(TableOperation):
    """A product whose indexing maps are a property; without one, those of its row."""

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """The maps given, or those of the row."""
        maps = self.properties.get("indexing_maps")
        return maps if isa(maps, ArrayAttr[AffineMapAttr]) else self.indexing().maps


@irdl_op_definition
class ContractOp(TableOperation):
    """`linalg.contract` of MLIR 22: a product, summed over the loops that the output has not.

    Its indexing maps say all; there are no others to leave them to.
    """

    name = "linalg.contract"
    NOTATION: ClassVar[str] = ""
    ELEMENT: ClassVar[Body] = staticmethod(MULTIPLY_ADD)

    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])

    def indexing(self) -> Indexing:
        """The maps given; what does not reach the output is a reduction."""
        return Indexing(self.indexing_maps, iterators_of(self.indexing_maps.data[-1].data))


def _class_of(row: Row, base: type[TableOperation]) -> type[NamedOperation]:
    words = "".join(word.capitalize() for word in row.name.split("_"))
    members: dict[str, object] = {
        "__module__": __name__,
        "__annotations__": {"NOTATION": ClassVar[str], "ELEMENT": ClassVar[Body]},
        "__doc__": f"`linalg.{row.name}` of MLIR 22.",
        "name": f"linalg.{row.name}",
        "NOTATION": row.indexing,
        "ELEMENT": staticmethod(row.body),
    }
    if base is MappedTableOperation:
        members["indexing_maps"] = prop_def(
            ArrayAttr[AffineMapAttr], default_value=indexing_of(row.indexing).maps
        )
    return irdl_op_definition(cast(type[TableOperation], type(f"{words}Op", (base,), members)))


NAMED_OPS: list[type[NamedOperation]] = [
    *(_class_of(row, ElementwiseTableOperation) for row in ELEMENTWISE),
    *(_class_of(row, TableOperation) for row in (*PRODUCTS, *PLAIN_CONVOLUTIONS)),
    *(_class_of(row, MappedTableOperation) for row in MAPPED_PRODUCTS),
    *(_class_of(row, WindowTableOperation) for row in (*CONVOLUTIONS, *POOLINGS)),
    ContractOp,
]
"""A class for every row, and one whose loops are given with each operation."""
