"""A planned program computes the same; one whose plan overlaps does not, and is refused as well."""

import re
import subprocess

import pytest

from xdsl_memplan.native.compare import DifferenceError, compare_modules

PROGRAM = """
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                     outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.sub ins(%y, %x : tensor<8x8xf32>, tensor<8x8xf32>)
                  outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}
"""


def run_passes(text: str, passes: str) -> subprocess.CompletedProcess[str]:
    command = ["xdsl-opt", "-p", passes, "--verify-diagnostics"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def planned() -> str:
    passes = "memplan-annotate-lifetimes,memplan-bufferize,memplan-assign-offsets"
    return run_passes(PROGRAM, passes).stdout


@pytest.fixture(scope="module")
def overlapping(planned: str) -> str:
    # x is at 0 and y at 256; half of y is moved onto x, which is still needed. The arena's size
    # and its own check go, so that nothing but the offsets is wrong.
    moved = planned.replace("offset 256", "offset 128")
    assert moved != planned
    return re.sub(r"memplan\.arena @memory.*", "memplan.arena @memory alignment 64 size 512", moved)


@pytest.mark.needs_mlir
def test_a_planned_program_computes_the_same(planned: str):
    compare_modules(PROGRAM, run_passes(planned, "convert-memplan-to-memref").stdout)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("arena", ["global", "alloc"])
def test_the_whole_pipeline(arena: str):
    done = run_passes(PROGRAM, f"memplan-pipeline{{arena={arena}}}")
    compare_modules(PROGRAM, done.stdout)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("width", [17, 48])
def test_sums_of_odd_widths_do_not_overlap(width: int):
    # The 48-bit sums of TOSA's 16-bit convolutions: LLVM puts them 8 bytes apart.
    text = f"""
    func.func @main(%a: tensor<24xi8>, %b: tensor<24xi{width}>) -> tensor<24xi{width}> {{
      %e = tensor.empty() : tensor<24xi{width}>
      %x = linalg.add ins(%b, %b : tensor<24xi{width}>, tensor<24xi{width}>)
                      outs(%e : tensor<24xi{width}>) -> tensor<24xi{width}>
      %y = linalg.add ins(%x, %b : tensor<24xi{width}>, tensor<24xi{width}>)
                      outs(%e : tensor<24xi{width}>) -> tensor<24xi{width}>
      %z = linalg.sub ins(%y, %x : tensor<24xi{width}>, tensor<24xi{width}>)
                      outs(%e : tensor<24xi{width}>) -> tensor<24xi{width}>
      return %z : tensor<24xi{width}>
    }}"""
    passes = 'memplan-pipeline{memory="L1=1KiB:align=8,DDR" split=never rewrite=false}'
    compare_modules(text, run_passes(text, passes).stdout)


@pytest.mark.needs_mlir
def test_an_overlapping_plan_gives_other_numbers():
    # Lowered by hand: a plan that overlaps does not get through our own passes.
    done = run_passes(PROGRAM, "memplan-pipeline")
    constants = [int(n) for n in re.findall(r"arith\.constant (\d+) : index", done.stdout)]
    assert 256 in constants
    spoiled = done.stdout.replace("arith.constant 256 : index", "arith.constant 128 : index")
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(PROGRAM, spoiled)


def test_verify_refuses_an_overlapping_plan(overlapping: str):
    done = run_passes(overlapping, "memplan-verify")
    said = done.stdout + done.stderr
    assert "share" in said or "overlap" in said, said
