import numpy as np
import pytest

from xdsl_memplan.native.compare import DifferenceError, compare_modules
from xdsl_memplan.native.compile import NativeToolError, compile_module
from xdsl_memplan.native.run import ArrayType, random_inputs
from xdsl_memplan.tools.cli import main

TENSORS = """
func.func @main(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2xbf16>) {
  %e = tensor.empty() : tensor<4x3xf32>
  %r = linalg.sub ins(%a, %b : tensor<4x3xf32>, tensor<4x3xf32>)
                  outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %c = arith.constant dense<1.0> : tensor<2xbf16>
  return %r, %c : tensor<4x3xf32>, tensor<2xbf16>
}
"""

IN_PLACE = """
func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
  return %a : memref<4xf32>
}
"""

pytestmark = pytest.mark.needs_mlir


def test_a_module_agrees_with_itself():
    agreement = compare_modules(TENSORS, TENSORS)
    assert agreement.results == 2
    assert agreement.standard_deviations[0] > 0.1
    assert agreement.standard_deviations[1] == 0


def test_a_difference_is_found():
    with pytest.raises(DifferenceError, match="result 0 differs in 12 of 12 elements"):
        compare_modules(TENSORS, TENSORS.replace("linalg.sub", "linalg.add"))


def test_swapped_operands_are_found():
    swapped = TENSORS.replace("ins(%a, %b", "ins(%b, %a")
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(TENSORS, swapped)


def test_signatures_must_agree():
    with pytest.raises(DifferenceError, match="signatures of @main differ"):
        compare_modules(TENSORS, TENSORS.replace("4x3", "4x4"))


def test_writing_to_an_argument_is_found():
    before = IN_PLACE.replace("outs(%a", "outs(%b").replace(
        "  linalg", "  %b = memref.alloc() : memref<4xf32>\n  linalg"
    )
    before = before.replace("return %a", "return %b")
    with pytest.raises(DifferenceError, match="writes to argument 0"):
        compare_modules(before, IN_PLACE)


def test_what_a_tool_says_is_passed_on():
    broken = TENSORS.replace("return %r, %c", '"some.op"() : () -> () \n return %r, %c')
    with pytest.raises(NativeToolError, match="unregistered dialect"):
        compare_modules(broken, broken)


def test_what_cannot_be_parsed_says_where():
    with pytest.raises(ValueError, match="not a module: <unknown>:2:59"):
        compare_modules(TENSORS.replace("->", ">>", 1), TENSORS)


def test_inputs_depend_on_the_seed_only():
    types = [ArrayType((2, 3), "f32"), ArrayType((5,), "f16"), ArrayType((4,), "i64")]
    first, again, other = (random_inputs(types, seed) for seed in (1, 1, 2))
    for one, same, different in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(one, same)
        assert (one != different).any()
    # Vectors are variances and scales in networks, and must not be negative.
    assert (first[1] > 0).all()


def test_command(tmp_path, capsys):
    file = tmp_path / "a.mlir"
    file.write_text(TENSORS)
    assert main(["compare", str(file), str(file)]) == 0
    assert "equal, bit for bit: 2 results" in capsys.readouterr().err


def test_a_function_equal_to_another_one_is_found():
    helper = TENSORS.replace("@main", "@helper")
    assert compare_modules(helper + TENSORS, TENSORS).results == 2


def test_loops_of_many_operations_are_compiled_once(tmp_path):
    step = "  %r{n} = linalg.exp ins(%r{p} : tensor<8xf32>) outs(%e : tensor<8xf32>) -> {t}\n"
    steps = "".join(step.format(n=n + 1, p=n, t="tensor<8xf32>") for n in range(300))
    text = (
        "func.func @main(%r0: tensor<8xf32>) -> tensor<8xf32> {\n"
        f"  %e = tensor.empty() : tensor<8xf32>\n{steps}  return %r300 : tensor<8xf32>\n}}"
    )
    compile_module(text, tmp_path)
    bitcode = (tmp_path / "module.bc").read_bytes()
    # 300 loops one by one are 100,000 bytes of machine code and more.
    assert (tmp_path / "module.o").stat().st_size < 60_000, len(bitcode)
