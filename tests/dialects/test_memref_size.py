"""Bytes of memref and tensor types."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, MemRefLayoutAttr, MemRefType, f32
from xdsl.ir import Data
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

from xdsl_memplan.dialects.layout_span import attach_layout_offset
from xdsl_memplan.dialects.memref_size import size_bytes


@pytest.mark.parametrize(
    ("type", "bytes"),
    [
        ("memref<2x3xf32>", 24),
        ("tensor<2x3xbf16>", 12),
        ("memref<f64>", 8),
        ("memref<4xindex>", 32),
        ("memref<10xi1>", 10),  # a bit takes a byte
        ("memref<3xi4>", 3),
        # LLVM lays elements out at multiples of their alignment.
        ("memref<3xi17>", 12),
        ("memref<3xi33>", 24),
        ("memref<3xi48>", 24),
        ("memref<3xi65>", 48),
        ("memref<3xi257>", 144),
        ("memref<3xf80>", 48),
        ("memref<2xcomplex<f64>>", 32),
        ("memref<2xvector<3xf32>>", 32),
        ("memref<2xvector<2x3xf16>>", 32),
        ("memref<2xvector<9xf32>>", 128),
        ("memref<2xcomplex<f32>>", 16),
        ("memref<2xvector<4xf32>>", 32),
        ("memref<2x0x3xf32>", 0),
        ("memref<2x3xf32, strided<[4, 1]>>", 28),  # (1 * 4 + 2 * 1 + 1) * 4
        ("memref<2x3xf32, strided<[4, 1], offset: 5>>", 48),  # (5 + 7) * 4
        ("memref<2x3xf32, affine_map<(i, j) -> (j, i)>>", None),
        ("memref<2x3xf32, affine_map<(i, j) -> (j * 4 + i + 2)>>", 48),  # (2 * 4 + 1 + 2 + 1) * 4
        # Tiles of 4: 8 elements each, 32 apart; the last index is not the one that is furthest.
        ("memref<8xi8, affine_map<(i) -> ((i floordiv 4) * 32 + (i mod 4) * 8)>>", 57),
        ("memref<6xi8, affine_map<(i) -> ((i mod 4) * 8)>>", 25),
        ("memref<9xi8, affine_map<(i) -> (i ceildiv 2)>>", 5),
        ("memref<4x4xi8, affine_map<(i, j) -> ((i + j) mod 4)>>", 4),
        ("memref<70000xi8, affine_map<(i) -> ((i floordiv 4) * 4 + i mod 4)>>", 70000),
        ("memref<4xi8, affine_map<(i) -> (i - 1)>>", None),  # before its start
        ("memref<4xi8, affine_map<(i)[s] -> (i + s)>>", None),
        ("memref<2x3xf32, strided<[?, 1]>>", None),
        ("memref<2x3xf32, strided<[4, 1], offset: ?>>", None),
        ("memref<?x3xf32>", None),
        ("memref<*xf32>", None),
        ("memref<2xvector<[4]xf32>>", None),
        ("f32", None),
    ],
)
def test_size_bytes(type: str, bytes: int | None):
    context = Context()
    context.load_dialect(Builtin)
    assert size_bytes(Parser(context, type).parse_type()) == bytes


@irdl_attr_definition
class Tiled(MemRefLayoutAttr, Data[int]):
    """A foreign layout: tiles of 4, 8 apart, and an offset that the map leaves out."""

    name = "test.tiled"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        raise NotImplementedError

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(str(self.data))

    def get_affine_map(self) -> AffineMap:
        if self.data < 0:
            raise NotImplementedError("dynamic")
        i = AffineExpr.dimension(0)
        return AffineMap(1, 0, ((i // 4) * 8 + i % 4,))


def test_a_layout_whose_map_leaves_its_offset_out():
    tiled, dynamic = (MemRefType(f32, [8], Tiled(offset)) for offset in (5, -1))
    assert size_bytes(tiled) == (8 + 3 + 1) * 4
    attach_layout_offset(Tiled, lambda layout: layout.data)
    assert size_bytes(tiled) == (5 + 8 + 3 + 1) * 4
    assert size_bytes(dynamic) is None
