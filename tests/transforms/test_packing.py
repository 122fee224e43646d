"""`linalg.pack` and `linalg.unpack`: what they stand for, in tiles, and as MLIR computes it."""

from itertools import product

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

# x: 12 x 10 in tiles of 4 x 8, the last column of tiles half empty; w: 24 x 10 in tiles of 8 x 8.
PRODUCT = """
func.func @main(%x: tensor<12x10xf32>, %w: tensor<10x24xf32>) -> tensor<12x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x2x4x8xf32>
  %p = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 8]
      into %e0 : tensor<12x10xf32> -> tensor<3x2x4x8xf32>
  %e1 = tensor.empty() : tensor<3x2x8x8xf32>
  %q = linalg.pack %w padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
      inner_tiles = [8, 8] into %e1 : tensor<10x24xf32> -> tensor<3x2x8x8xf32>
  %e2 = tensor.empty() : tensor<3x3x4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3x3x4x8xf32>) -> tensor<3x3x4x8xf32>
  %m = linalg.mmt4d ins(%p, %q : tensor<3x2x4x8xf32>, tensor<3x2x8x8xf32>)
      outs(%f : tensor<3x3x4x8xf32>) -> tensor<3x3x4x8xf32>
  %e3 = tensor.empty() : tensor<12x24xf32>
  %y = linalg.unpack %m inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e3
      : tensor<3x3x4x8xf32> -> tensor<12x24xf32>
  func.return %y : tensor<12x24xf32>
}
"""

# One dimension of three in tiles, the others turned; back without the padding.
ONE_OF_THREE = """
func.func @main(%x: tensor<5x7x3xf32>) -> (tensor<3x5x2x4xf32>, tensor<5x7x3xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<3x5x2x4xf32>
  %p = linalg.pack %x padding_value(%one : f32) outer_dims_perm = [2, 0, 1] inner_dims_pos = [1]
      inner_tiles = [4] into %e : tensor<5x7x3xf32> -> tensor<3x5x2x4xf32>
  %a = linalg.abs ins(%p : tensor<3x5x2x4xf32>) outs(%e : tensor<3x5x2x4xf32>)
      -> tensor<3x5x2x4xf32>
  %d = tensor.empty() : tensor<5x7x3xf32>
  %y = linalg.unpack %a outer_dims_perm = [2, 0, 1] inner_dims_pos = [1] inner_tiles = [4] into %d
      : tensor<3x5x2x4xf32> -> tensor<5x7x3xf32>
  func.return %p, %y : tensor<3x5x2x4xf32>, tensor<5x7x3xf32>
}
"""

PROGRAMS = {"product": PRODUCT, "one_of_three": ONE_OF_THREE}
ARGUMENTS = {"product": ((12, 10), (10, 24)), "one_of_three": ((5, 7, 3),)}
RESULTS = {"product": 1, "one_of_three": 2}


@pytest.fixture
def context() -> Context:
    return full_context()


def parsed(context: Context, text: str) -> ModuleOp:
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def arrays(name: str) -> list[np.ndarray]:
    numbers = np.random.default_rng(0)
    return [numbers.standard_normal(shape, dtype=np.float32) for shape in ARGUMENTS[name]]


def test_elements_go_where_mlir_says(context: Context):
    """Tile `t` of dimension 1, element `i` of it, is element `4 t + i`; what is missing is 1."""
    (x,) = arrays("one_of_three")
    packed, back = run(parsed(context, ONE_OF_THREE), [x], "main")
    for c, a, t, i in product(range(3), range(5), range(2), range(4)):
        assert packed[c, a, t, i] == (x[a, 4 * t + i, c] if 4 * t + i < 7 else 1.0)
    np.testing.assert_array_equal(back, np.abs(x))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_they_are_taken_apart_into_computes_the_same(context: Context, name: str):
    module = parsed(context, PROGRAMS[name])
    expected = run(module, arrays(name), "main")
    MemplanGeneralizeOpsPass().apply(context, module)
    module.verify()
    assert "linalg.pack" not in str(module)
    assert "linalg.unpack" not in str(module)
    for one, other in zip(expected, run(module, arrays(name), "main"), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_have_tiles(context: Context, name: str, stage: str):
    module = parsed(context, PROGRAMS[name])
    expected = run(module, arrays(name), "main")
    MemplanPipelinePass(memory="L1=1KiB,DDR", stage=stage, arena="alloc").apply(context, module)
    for one, other in zip(expected, run(module, arrays(name), "main"), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("name", PROGRAMS)
def test_mlir_computes_the_same(context: Context, name: str):
    module = parsed(context, PROGRAMS[name])
    before = str(module)
    MemplanPipelinePass(memory="L1=1KiB,DDR", stage="all").apply(context, module)
    assert compare_modules(before, str(module)).results == RESULTS[name]


@pytest.mark.parametrize(
    ("shape", "message"),
    [("3x1x4x8", "in tiles is"), ("3x2x4", "in tiles is"), ("2x3x4x8", "in tiles is")],
)
def test_shapes_that_do_not_fit_are_refused(context: Context, shape: str, message: str):
    text = f"""
    func.func @main(%x: tensor<12x10xf32>, %e: tensor<{shape}xf32>) {{
      %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e
          : tensor<12x10xf32> -> tensor<{shape}xf32>
      func.return
    }}
    """
    with pytest.raises(VerifyException, match=message):
        parsed(context, text)


def test_dynamic_shapes_stay(context: Context):
    text = """
    func.func @main(%x: tensor<?x?xf32>, %e: tensor<?x?x?x8xf32>, %n: index)
        -> tensor<?x?x?x8xf32> {
      %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [%n, 8] into %e
          : tensor<?x?xf32> -> tensor<?x?x?x8xf32>
      func.return %p : tensor<?x?x?x8xf32>
    }
    """
    module = parsed(context, text)
    MemplanGeneralizeOpsPass().apply(context, module)
    assert str(parsed(context, str(module))) == str(parsed(context, text))
