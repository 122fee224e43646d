"""Operations with forms of their own: the interpreter, tiles, and MLIR."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tests.transforms.test_region_moves import arena_bytes
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

PROGRAM = """
func.func @main(%x: tensor<32x24xf32>, %y: tensor<24xf32>)
    -> (tensor<32x24xf32>, tensor<32x24xf32>) {
  %e = tensor.empty() : tensor<32x24xf32>
  %m = linalg.map { math.absf } ins(%x : tensor<32x24xf32>) outs(%e : tensor<32x24xf32>)
  %a = linalg.elementwise kind=#linalg.elementwise_kind<sub>
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                     affine_map<(i, j) -> (i, j)>]
    ins(%m, %y : tensor<32x24xf32>, tensor<24xf32>) outs(%e : tensor<32x24xf32>)
    -> tensor<32x24xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<32x24xf32>) outs(%e : tensor<32x24xf32>)
    -> tensor<32x24xf32>
  %c = linalg.softmax dimension(0) ins(%a : tensor<32x24xf32>) outs(%e : tensor<32x24xf32>)
    -> tensor<32x24xf32>
  return %r, %c : tensor<32x24xf32>, tensor<32x24xf32>
}
"""

ON_MEMREFS = """
func.func @main(%x: memref<8x6xf32>, %y: memref<8x6xf32>) -> memref<8x6xf32> {
  linalg.map { arith.addf } ins(%x, %x : memref<8x6xf32>, memref<8x6xf32>)
    outs(%x : memref<8x6xf32>)
  linalg.softmax dimension(1) ins(%x : memref<8x6xf32>) outs(%y : memref<8x6xf32>)
  return %y : memref<8x6xf32>
}
"""


@pytest.fixture
def context() -> Context:
    return full_context()


def parsed(context: Context, text: str = PROGRAM) -> ModuleOp:
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def arrays() -> list[np.ndarray]:
    numbers = np.random.default_rng(0)
    return [numbers.standard_normal(shape, dtype=np.float32) for shape in ((32, 24), (24,))]


def test_interpreter_computes_the_same_bits_before_and_after(context: Context):
    given = arrays()
    before = run(parsed(context), given)
    module = parsed(context)
    MemplanGeneralizeOpsPass().apply(context, module)
    module.verify()
    after = run(module, given)
    for one, other in zip(before, after, strict=True):
        assert one.tobytes() == other.tobytes()
    shifted = np.abs(given[0]) - given[1]
    for result, axis in zip(before, (1, 0), strict=True):
        powers = np.exp(shifted - shifted.max(axis, keepdims=True))
        assert np.allclose(result, powers / powers.sum(axis, keepdims=True), atol=1e-6)


def test_interpreter_writes_into_memrefs(context: Context):
    x = arrays()[0][:8, :6].copy()
    [result] = run(parsed(context, ON_MEMREFS), [x, np.zeros_like(x)])
    assert np.allclose(result.sum(1), 1, atol=1e-6)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("options", [{}, {"rewrite": False}, {"stage": "all"}])
def test_same_bits_as_mlir_in_tiles(context: Context, options: dict[str, object]):
    memory = "L1=2KiB,DDR"  # One tensor has 3 KiB.
    module = parsed(context)
    MemplanPipelinePass(memory=memory, **options).apply(context, module)  # pyright: ignore
    assert "linalg.softmax" not in str(module)
    assert compare_modules(PROGRAM, str(module)).results == 2


ONES = """
func.func @main(%x: tensor<64x32xf32>) -> tensor<48x32xf32> {
  %w = arith.constant dense<0.5> : tensor<48x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  %y = linalg.matmul ins(%w, %x : tensor<48x64xf32>, tensor<64x32xf32>)
    outs(%f : tensor<48x32xf32>) -> tensor<48x32xf32>
  return %y : tensor<48x32xf32>
}
"""


def check_in_tiles(context: Context, text: str, memory: str, shape: tuple[int, ...]) -> None:
    """Plan for a small memory: the same numbers, of one argument of this shape."""
    tiles = parsed(context, text)
    MemplanPipelinePass(memory=memory, stage="all").apply(Context(), tiles)
    check_same(context, text, tiles, shape)


def check_same(context: Context, text: str, planned: ModuleOp, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    [wanted], [found] = (run(module, [x]) for module in (parsed(context, text), planned))
    assert np.array_equal(found, wanted)


def check_whole(context: Context, text: str, bytes_: int, shape: tuple[int, ...]) -> None:
    """Plan without a limit: so many bytes, and the same numbers."""
    whole = parsed(context, text)
    MemplanPipelinePass().apply(Context(), whole)
    assert arena_bytes(whole) == {"memory": bytes_}
    check_same(context, text, whole, shape)


def test_a_matrix_of_one_scalar_takes_no_room(context: Context):
    """Before, it was filled where tiles took it for free: 1 KiB was refused."""
    check_whole(context, ONES, 48 * 32 * 4, (64, 32))
    check_in_tiles(context, ONES, "L1=1KiB,DDR", (64, 32))


BLUR = """
func.func @main(%x: tensor<1x16x16x8xf32>) -> tensor<1x14x14x8xf32> {
  %w = arith.constant dense<0.125> : tensor<3x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x14x14x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x14x14x8xf32>) -> tensor<1x14x14x8xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc
    {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x16x16x8xf32>, tensor<3x3x8xf32>)
    outs(%f : tensor<1x14x14x8xf32>) -> tensor<1x14x14x8xf32>
  return %y : tensor<1x14x14x8xf32>
}
"""


def test_a_filter_of_one_scalar_takes_no_room(context: Context):
    """Only the filter tells how large its window is, and no element of it is read.

    Before, it was filled in each tile, in room that the search for tiles did not count.
    """
    check_whole(context, BLUR, 14 * 14 * 8 * 4, (1, 16, 16, 8))
    check_in_tiles(context, BLUR, "L1=64:align=4,DDR", (1, 16, 16, 8))


REDUCED = """
func.func @main(%x: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %w = arith.constant dense<0.5> : tensor<6x9x4x5xf32>
  %y = linalg.reduce { arith.addf } ins(%w : tensor<6x9x4x5xf32>) outs(%x : tensor<9x4xf32>)
    dimensions = [0, 3]
  return %y : tensor<9x4xf32>
}
"""
REPEATED_ADDITION = """
func.func @main(%x: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %w = arith.constant dense<0.5> : tensor<9x7x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x4xf32>) -> tensor<9x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k, j)>,
    affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%w : tensor<9x7x4xf32>) outs(%f : tensor<9x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %o, %a : f32
    linalg.yield %b : f32
  } -> tensor<9x4xf32>
  %y = linalg.sub ins(%x, %s : tensor<9x4xf32>, tensor<9x4xf32>) outs(%e : tensor<9x4xf32>)
    -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}
"""


@pytest.mark.parametrize("text", [REDUCED, REPEATED_ADDITION])
def test_sums_of_one_scalar_read_nothing(context: Context, text: str):
    check_in_tiles(context, text, "L1=64:align=4,DDR", (9, 4))


def reshaped(old: str, new: str, shape: str, rank: int) -> str:
    """Something computed, reshaped by a `tensor.reshape`, and computed on again."""
    return f"""
func.func @main(%x: tensor<{old}xf32>) -> tensor<{new}xf32> {{
  %s = arith.constant dense<{shape}> : tensor<{rank}xindex>
  %d = tensor.empty() : tensor<{old}xf32>
  %e = tensor.empty() : tensor<{new}xf32>
  %y = linalg.exp ins(%x : tensor<{old}xf32>) outs(%d : tensor<{old}xf32>) -> tensor<{old}xf32>
  %r = tensor.reshape %y(%s) : (tensor<{old}xf32>, tensor<{rank}xindex>) -> tensor<{new}xf32>
  %z = linalg.exp ins(%r : tensor<{new}xf32>) outs(%e : tensor<{new}xf32>) -> tensor<{new}xf32>
  return %z : tensor<{new}xf32>
}}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((48, 32), (1536,)),
        ((1536,), (1, 48, 32, 1)),
        ((32, 48), (48, 32)),
        ((4, 6, 64, 1), (1, 24, 8, 8)),
        ((6, 1, 256), (2, 3, 1, 16, 16)),
        ((12, 128), (12, 128)),
    ],
)
def test_a_reshape_to_a_static_shape_has_tiles(
    context: Context, old: tuple[int, ...], new: tuple[int, ...]
):
    """Before, all of what it reads had to be there: 1 KiB was refused."""
    sizes = ("x".join(map(str, shape)) for shape in (old, new))
    check_in_tiles(context, reshaped(*sizes, str([*new]), len(new)), "L1=1KiB,DDR", old)


@pytest.mark.parametrize(
    ("old", "new", "view"),
    [("", "1x1x", "tensor.expand_shape"), ("1x1x", "", "tensor.collapse_shape"), ("", "", None)],
)
def test_a_reshape_of_a_scalar_is_a_view(context: Context, old: str, new: str, view: str | None):
    rank = new.count("x")
    shape = [1] * rank if rank else ""
    text = f"""
func.func @main(%x: tensor<{old}f32>) -> tensor<{new}f32> {{
  %s = arith.constant dense<{shape}> : tensor<{rank}xindex>
  %r = tensor.reshape %x(%s) : (tensor<{old}f32>, tensor<{rank}xindex>) -> tensor<{new}f32>
  return %r : tensor<{new}f32>
}}
"""
    module = parsed(context, text)
    MemplanGeneralizeOpsPass().apply(context, module)
    module.verify()
    assert "tensor.reshape" not in str(module)
    assert view is None or view in str(module)
    check_same(context, text, module, (1,) * old.count("x"))


SCALARS = """
func.func @main(%x: tensor<32x16xf32>, %s: tensor<f32>, %u: tensor<1x1x1xf32>)
    -> (tensor<f32>, tensor<1xf32>, tensor<32x16xf32>) {
  %k = arith.constant dense<2.5> : tensor<f32>
  %a = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %b = tensor.expand_shape %k [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %c = tensor.collapse_shape %u [] : tensor<1x1x1xf32> into tensor<f32>
  %e = tensor.empty() : tensor<f32>
  %h = linalg.add ins(%c, %s : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  %i = tensor.expand_shape %h [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %o = tensor.empty() : tensor<32x16xf32>
  %y = linalg.generic {indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (0, 0)>,
      affine_map<(i, j) -> (0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%x, %a, %b, %i : tensor<32x16xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>)
    outs(%o : tensor<32x16xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %t: f32, %out: f32):
    %v = arith.mulf %p, %q : f32
    %w = arith.addf %v, %r : f32
    %z = arith.subf %w, %t : f32
    linalg.yield %z : f32
  } -> tensor<32x16xf32>
  return %h, %i, %y : tensor<f32>, tensor<1xf32>, tensor<32x16xf32>
}
"""


@pytest.mark.needs_mlir
@pytest.mark.parametrize("options", [{}, {"stage": "all"}, {"stage": "all", "rewrite": False}])
def test_views_of_scalars_in_tiles(context: Context, options: dict[str, object]):
    module = parsed(context, SCALARS)
    MemplanPipelinePass(memory="L1=1KiB,DDR", **options).apply(context, module)  # pyright: ignore
    assert compare_modules(SCALARS, str(module)).results == 3


CAST = """
func.func @main(%x: tensor<48x32xf32>) -> tensor<48x32xf32> {
  %e = tensor.empty() : tensor<48x32xf32>
  %y = linalg.exp ins(%x : tensor<48x32xf32>) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  %a = tensor.cast %y : tensor<48x32xf32> to tensor<?x32xf32>
  %b = tensor.cast %a : tensor<?x32xf32> to tensor<?x?xf32>
  %c = tensor.cast %b : tensor<?x?xf32> to tensor<48x32xf32>
  %z = linalg.tanh ins(%c : tensor<48x32xf32>) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  return %z : tensor<48x32xf32>
}
"""


def test_casts_back_to_a_static_shape_have_tiles(context: Context):
    """Before, nobody knew the size of what is between."""
    check_in_tiles(context, CAST, "L1=1KiB,DDR", (48, 32))
    module = parsed(context, CAST)
    MemplanGeneralizeOpsPass().apply(context, module)
    assert "tensor.cast" not in str(module)


def test_a_cast_that_others_read_stays(context: Context):
    text = CAST.replace("-> tensor<48x32xf32> {", "-> (tensor<48x32xf32>, tensor<?x32xf32>) {", 1)
    text = text.replace(
        "return %z : tensor<48x32xf32>", "return %z, %a : tensor<48x32xf32>, tensor<?x32xf32>"
    )
    module = parsed(context, text)
    MemplanGeneralizeOpsPass().apply(context, module)
    module.verify()
    assert str(module).count("tensor.cast") == 1


GENERATED = """
func.func @main(%x: tensor<32x24xf32>) -> (tensor<24x32xf32>, tensor<24xf32>, tensor<24xi32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e+9 : f32
  %none = arith.constant -1 : i32
  %mask = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c = arith.cmpi sge, %i, %j : index
    %s = arith.select %c, %zero, %low : f32
    tensor.yield %s : f32
  } : tensor<32x24xf32>
  %e = tensor.empty() : tensor<32x24xf32>
  %m = linalg.add ins(%x, %mask : tensor<32x24xf32>, tensor<32x24xf32>)
    outs(%e : tensor<32x24xf32>) -> tensor<32x24xf32>
  %turned = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %m[%j, %i] : tensor<32x24xf32>
    tensor.yield %v : f32
  } : tensor<24x32xf32>
  %rows = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<32x24xi32>
  %ef = tensor.empty() : tensor<24xf32>
  %ei = tensor.empty() : tensor<24xi32>
  %ff = linalg.fill ins(%low : f32) outs(%ef : tensor<24xf32>) -> tensor<24xf32>
  %fi = linalg.fill ins(%none : i32) outs(%ei : tensor<24xi32>) -> tensor<24xi32>
  %most:2 = linalg.reduce ins(%m, %rows : tensor<32x24xf32>, tensor<32x24xi32>)
    outs(%ff, %fi : tensor<24xf32>, tensor<24xi32>) dimensions = [0]
    (%in: f32, %at: i32, %max: f32, %place: i32) {
      %c = arith.cmpf ogt, %in, %max : f32
      %v = arith.select %c, %in, %max : f32
      %p = arith.select %c, %at, %place : i32
      linalg.yield %v, %p : f32, i32
    }
  return %turned, %most#0, %most#1 : tensor<24x32xf32>, tensor<24xf32>, tensor<24xi32>
}
"""


@pytest.mark.parametrize("memory", ["L1=1KiB,DDR", "L1=2KiB,DDR", "L1=64KiB,DDR"])
def test_tables_that_are_made_and_places_of_maxima_in_tiles(context: Context, memory: str):
    x = np.random.default_rng(0).normal(size=(32, 24)).astype(np.float32)
    masked = x + np.where(np.arange(32)[:, None] >= np.arange(24), 0, np.float32(-1e9))
    wanted = [masked.T, masked.max(0), masked.argmax(0)]
    tiles = parsed(context, GENERATED)
    MemplanPipelinePass(memory=memory, stage="all").apply(Context(), tiles)
    for module in (parsed(context, GENERATED), tiles):
        for one, other in zip(wanted, run(module, [x]), strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("ins", "types", "dimension", "error"),
    [
        ("%x, %y", "tensor<8x6xf32>, tensor<6x8xf32>", 0, "operands of one shape"),
        ("%x, %x", "tensor<8x6xf32>, tensor<8x6xf32>", 2, "dimensions from 0 to 1"),
        ("%x", "tensor<8x6xf32>", 0, "one operand in ins and in outs"),
    ],
)
def test_reductions_that_are_none(
    context: Context, ins: str, types: str, dimension: int, error: str
):
    text = f"""func.func @main(%x: tensor<8x6xf32>, %y: tensor<6x8xf32>, %o: tensor<6xf32>) {{
      %r:2 = linalg.reduce ins({ins} : {types}) outs(%o, %o : tensor<6xf32>, tensor<6xf32>)
        dimensions = [{dimension}] (%a: f32, %b: f32, %c: f32, %d: f32) {{
          linalg.yield %a, %b : f32, f32
        }}
      return
    }}"""
    with pytest.raises(ParseError, match=error):
        parsed(context, text)
