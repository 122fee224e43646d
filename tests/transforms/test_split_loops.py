"""Maps with `floordiv` and `mod`: the same numbers with the loops split, whole and in tiles."""

import random

import numpy as np
import pytest
from xdsl.parser import Parser

from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_split_loops import MemplanSplitLoopsPass


def _random_program(seed: int) -> tuple[str, list[tuple[int, ...]]]:
    """A generic of three loops whose inputs are read at quotients and rests of them."""
    choose = random.Random(seed)
    extents = [choose.choice([4, 6, 8, 12]) for _ in range(3)]
    divisors = [choose.choice([n for n in (2, 3, 4) if n < e and e % n == 0]) for e in extents]

    def index(loop: int) -> tuple[str, int]:
        """An index of one loop, and the extent that it needs."""
        extent, divisor, name = extents[loop], divisors[loop], f"d{loop}"
        match choose.randrange(6):
            case 0:
                return name, extent
            case 1:
                return f"{name} mod {divisor}", divisor
            case 2:
                return f"({name} floordiv {divisor}) * 2 + 1", (extent // divisor) * 2
            case 3:
                return f"({name} * 2) floordiv {divisor}", extent * 2 // divisor
            case 4:
                return f"({name} mod {divisor}) * {extent} + {name}", divisor * extent
            case _:
                return f"{name} floordiv {divisor}", extent // divisor

    maps: list[str] = []
    shapes: list[tuple[int, ...]] = []
    for others in ([0, 1], [0, 1, 2]):
        loops = choose.sample(others, choose.randint(1, len(others)))
        found = [index(loop) for loop in loops]
        if 2 not in others:
            found.append(("d2", extents[2]))  # What gives the extent of the loop.
        maps.append(f"affine_map<(d0, d1, d2) -> ({', '.join(text for text, _ in found)})>")
        shapes.append(tuple(size for _, size in found))
    sums = choose.random() < 0.5
    result = extents[:2] if sums else extents
    kinds = f'["parallel", "parallel", "{"reduction" if sums else "parallel"}"]'
    maps.append(f"affine_map<(d0, d1, d2) -> ({', '.join(f'd{i}' for i in range(len(result)))})>")
    a, b = (f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in shapes)
    out = f"tensor<{'x'.join(map(str, result))}xf32>"
    carry = "%out" if sums else "%q"
    return (
        f"""func.func @main(%x: {a}, %y: {b}) -> {out} {{
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : {out}
          %f = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
          %u = linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = {kinds}}}
              ins(%x, %y : {a}, {b}) outs(%f : {out}) {{
          ^bb0(%i: f32, %j: f32, %out: f32):
            %n = linalg.index {choose.randrange(3)} : index
            %k = arith.index_cast %n : index to i32
            %q = arith.sitofp %k : i32 to f32
            %p = arith.mulf %i, %j : f32
            %r = arith.addf %p, %q : f32
            %s = arith.addf %r, {carry} : f32
            linalg.yield %s : f32
          }} -> {out}
          func.return %u : {out}
        }}""",
        shapes,
    )


@pytest.mark.parametrize("seed", range(40))
def test_same_numbers(seed: int):
    text, shapes = _random_program(seed)
    generator = np.random.default_rng(seed)
    inputs = [generator.normal(size=shape).astype(np.float32) for shape in shapes]
    context = full_context()
    module = Parser(context, text).parse_module()
    (expected,) = run(module, inputs)
    MemplanSplitLoopsPass().apply(context, module)
    module.verify()
    assert "floordiv" not in str(module)
    assert " mod " not in str(module)
    (found,) = run(module, inputs)
    assert np.array_equal(found, expected)


UPSAMPLED = """
#same = affine_map<(c, h, w) -> (c, h, w)>
#twice = affine_map<(c, h, w) -> (c, h floordiv 2, w floordiv 2)>
!small = tensor<4x10x12xf32>
!large = tensor<4x20x24xf32>
!image = tensor<1x4x20x24xf32>
!result = tensor<1x4x18x22xf32>
func.func @main(%x: !small, %y: !large, %k: tensor<4x4x3x3xf32>) -> !result {
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : !small
  %e = tensor.empty() : !large
  %r = linalg.exp ins(%x : !small) outs(%o : !small) -> !small
  %u = linalg.generic {indexing_maps = [#twice, #same, #same],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %y : !small, !large) outs(%e : !large) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> !large
  %i = tensor.expand_shape %u [[0, 1], [2], [3]] output_shape [1, 4, 20, 24]
      : !large into !image
  %p = tensor.empty() : !result
  %f = linalg.fill ins(%zero : f32) outs(%p : !result) -> !result
  %c = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%i, %k : !image, tensor<4x4x3x3xf32>) outs(%f : !result) -> !result
  func.return %c : !result
}
"""
"""What is upsampled, and another tensor, added and convolved."""


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=2KiB,DDR", "L1=4KiB,DDR", ""])
def test_upsampled_in_tiles(memory: str):
    context = full_context()
    module = Parser(context, UPSAMPLED).parse_module()
    objective = "traffic" if memory else "peak"
    MemplanPipelinePass(
        memory=memory, stage="all" if memory else "none", objective=objective
    ).apply(context, module)
    compare_modules(UPSAMPLED, str(module))
