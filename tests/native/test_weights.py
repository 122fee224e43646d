"""Weights in resources keep their values through the pipeline, whole, staged or as arguments."""

import subprocess

import numpy as np
import pytest

from xdsl_memplan.native.compare import DifferenceError, compare_modules
from xdsl_memplan.native.left_out import fill_in, left_out

FEATURES, HIDDEN = 24, 40
SHAPES = {"w0": (FEATURES, HIDDEN), "b0": (1, HIDDEN), "w1": (HIDDEN, FEATURES)}


def network() -> str:
    """Two products and a bias, weights in resources as torch-mlir prints them."""
    generator = np.random.default_rng(0)
    blobs = {
        name: f"0x04000000{generator.standard_normal(shape).astype('<f4').tobytes().hex()}"
        for name, shape in SHAPES.items()
    }
    types = {name: f"tensor<{a}x{b}xf32>" for name, (a, b) in SHAPES.items()}
    x, h = f"tensor<8x{FEATURES}xf32>", f"tensor<8x{HIDDEN}xf32>"
    constants = "\n".join(
        f"  %{name} = arith.constant dense_resource<{name}> : {types[name]}" for name in SHAPES
    )
    rows = ",\n".join(f'      {name}: "{blob}"' for name, blob in blobs.items())
    return f"""
#bias = affine_map<(d0, d1) -> (0, d1)>
#here = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: {x}) -> {x} {{
{constants}
  %zero = arith.constant 0.0 : f32
  %eh = tensor.empty() : {h}
  %fh = linalg.fill ins(%zero : f32) outs(%eh : {h}) -> {h}
  %h = linalg.matmul ins(%x, %w0 : {x}, {types["w0"]}) outs(%fh : {h}) -> {h}
  %g = linalg.generic {{indexing_maps = [#here, #bias, #here],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%h, %b0 : {h}, {types["b0"]}) outs(%eh : {h}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }} -> {h}
  %ex = tensor.empty() : {x}
  %fx = linalg.fill ins(%zero : f32) outs(%ex : {x}) -> {x}
  %y = linalg.matmul ins(%g, %w1 : {h}, {types["w1"]}) outs(%fx : {x}) -> {x}
  func.return %y : {x}
}}
{{-#
  dialect_resources: {{
    builtin: {{
{rows}
    }}
  }}
#-}}
"""


def planned(text: str, options: str) -> str:
    command = ["xdsl-opt", "-p", f"memplan-pipeline{{{options}}}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.needs_mlir
@pytest.mark.parametrize(
    "options",
    [
        "",
        'memory="L1=2KiB,DDR"',
        'memory="L1=4KiB,DDR" stage=all',
        'memory="L1=64KiB,DDR" stage=all',
    ],
    ids=["whole", "split", "staged", "staged, all fits"],
)
def test_values_are_kept(options: str):
    text = network()
    assert compare_modules(text, planned(text, options)).informative


def test_large_weights_are_printed_once_and_never_as_elements():
    text = network()
    after = planned(text, 'memory="L1=4KiB,DDR" stage=all')
    blobs = [line.strip().rstrip(",") for line in text.splitlines() if '"0x' in line]
    assert len(blobs) == len(SHAPES)
    for blob in blobs:
        assert after.count(blob) == 1
    assert "dense<[" not in after


def test_as_arguments_no_weight_is_left_in_the_function():
    after = planned(network(), "constants=arguments")
    head = next(line for line in after.splitlines() if "func.func @main" in line)
    assert head.count("memplan.constant = dense_resource<") == len(SHAPES)
    assert "memplan_constant" not in after


def without_bytes(text: str) -> str:
    return text[: text.index("{-#")]


@pytest.mark.needs_mlir
@pytest.mark.parametrize(
    "trailer", ["", "{-#\n\n#-}\n", "{-# dialect_resources: {builtin: {}} #-}"]
)
def test_a_file_without_the_bytes_is_compared_with_random_ones(trailer: str):
    text = without_bytes(network()) + trailer
    agreement = compare_modules(text, planned(text, ""))
    assert agreement.informative
    assert agreement.left_out == len(SHAPES)


@pytest.mark.needs_mlir
def test_without_the_bytes_other_arithmetic_still_differs():
    text = without_bytes(network())
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(text, planned(text, "").replace("arith.addf", "arith.mulf"))


def test_given_bytes_stay_and_the_others_are_the_same_in_both_files():
    text = network()
    half = "\n".join(line for line in text.splitlines() if not line.startswith("      w0:"))
    assert list(left_out(text)) == []
    assert list(left_out(half)) == ["w0"]
    filled, all_filled = (fill_in(t, left_out(t), seed=3) for t in (half, without_bytes(text)))
    assert filled.count('"0x') == all_filled.count('"0x') == len(SHAPES)
    blobs = [line for line in all_filled.splitlines() if line.startswith("w0:")]
    assert len(blobs) == 1
    assert blobs[0].rstrip(",") in filled
    assert left_out(filled) == {}


def test_names_are_found_beside_long_contents():
    """In time in proportion to the length: here the square of it would be minutes."""
    text = f'{{-#\ndialect_resources: {{ builtin: {{ w0: "0x04000000{"5e" * 400_000}" }} }}\n#-}}\n'
    used = "%w = arith.constant dense_resource<{}> : tensor<2xf32>\n"
    assert list(left_out(used.format("w0") + used.format("w1") + text)) == ["w1"]
