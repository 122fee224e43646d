import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan.native.compare import DifferenceError, compare_modules
from xdsl_memplan.native.compile import (
    OPTIMIZE,
    NativeToolError,
    compile_module,
    find_tool,
    run_tool,
)
from xdsl_memplan.native.inputs import random_inputs
from xdsl_memplan.native.values import ArrayType
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


def test_arithmetic_on_tensors_of_half_the_bits():
    type_ = "tensor<4x8xbf16>"
    text = f"""
func.func @main(%a: {type_}, %b: {type_}) -> {type_} {{
  %s = arith.addf %a, %b : {type_}
  %e = math.exp %s : {type_}
  %w = arith.extf %e : {type_} to tensor<4x8xf32>
  %n = arith.truncf %w : tensor<4x8xf32> to {type_}
  return %n : {type_}
}}
"""
    assert compare_modules(text, text).informative
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(text, text.replace("addf", "subf"))


def test_complex_numbers_within_bodies():
    text = """
#map = affine_map<(i) -> (i)>
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = complex.create %a, %b : complex<f32>
    %d = complex.mul %c, %c : complex<f32>
    %e = complex.exp %d : complex<f32>
    %f = complex.im %e : complex<f32>
    linalg.yield %f : f32
  } -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}
"""
    assert compare_modules(text, text).results == 1
    other = text.replace("complex.mul %c, %c", "complex.add %c, %c")
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(text, other)


def test_a_function_with_scf_while():
    text = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %first = arith.constant 0 : index
  %limit = arith.constant 100.0 : f32
  %step = tensor.splat %limit : tensor<4xf32>
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %a[%first] : tensor<4xf32>
    %c = arith.cmpf olt, %v, %limit : f32
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %n = linalg.add ins(%b, %step : tensor<4xf32>, tensor<4xf32>)
                    outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
"""
    assert compare_modules(text, text).informative
    with pytest.raises(DifferenceError, match="result 0 differs"):
        compare_modules(
            text, text.replace("linalg.add ins(%b, %step", "linalg.add ins(%step, %step")
        )


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
    broken = TENSORS.replace("->", ">>", 1)
    with pytest.raises(ValueError, match="the text before is not a module: <unknown>:2:59"):
        compare_modules(broken, TENSORS)
    with pytest.raises(ValueError, match="the text after is not a module: <unknown>:2:59"):
        compare_modules(TENSORS, broken)


def test_a_file_that_is_no_text_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, picture = tmp_path / "a.mlir", tmp_path / "a.png"
    file.write_text(TENSORS)
    picture.write_bytes(b"\x89PNG\xff")
    assert main(["compare", str(file), str(picture)]) == 1
    assert f"memplan: {picture}: not a text file" in capsys.readouterr().err


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


def test_quantized_tensors_take_their_full_range():
    [wide, narrow, flag, index] = random_inputs(
        [ArrayType((4000,), kind) for kind in ("i8", "i4", "i1", "i32")], 0
    )
    assert (wide.min(), wide.max()) == (-128, 127)
    assert (narrow.min(), narrow.max()) == (-8, 7)
    assert (flag.min(), flag.max()) == (0, 1)
    assert (index.min(), index.max()) == (0, 15)


def function(results: str, body: str, arguments: str = "%a: tensor<4xf32>") -> str:
    return f"func.func @main({arguments}) -> ({results}) {{\n{body}\n}}"


def test_results_that_are_constants_say_nothing(tmp_path, capsys):
    file = tmp_path / "a.mlir"
    constant = "%c = arith.constant dense<1.0> : tensor<4xf32>\nreturn %c : tensor<4xf32>"
    file.write_text(function("tensor<4xf32>", constant))
    assert main(["compare", str(file), str(file)]) == 0
    assert "says nothing" in capsys.readouterr().err


@pytest.mark.parametrize("element", ["bf16", "f16", "i17", "i4", "i1", "f8E5M2", "f8E4M3FN"])
def test_element_types(element: str):
    joined = (
        f"%c = tensor.concat dim(0) %a, %b : (tensor<8x{element}>, tensor<8x{element}>) "
        f"-> tensor<16x{element}>\nreturn %c : tensor<16x{element}>"
    )
    arguments = f"%a: tensor<8x{element}>, %b: tensor<8x{element}>"
    text = function(f"tensor<16x{element}>", joined, arguments)
    agreement = compare_modules(text, text)
    assert agreement.informative
    if element == "bf16":
        assert agreement.standard_deviations[0] < 3
    with pytest.raises(DifferenceError, match="differs in"):
        compare_modules(text, text.replace("%a, %b :", "%b, %a :"))


def test_numbers_are_passed_and_returned():
    body = """%n = arith.index_cast %i : index to i32
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %f, %n, %s : tensor<4xf32>, i32, f32"""
    text = function("tensor<4xf32>, i32, f32", body, "%s: f32, %i: index")
    assert compare_modules(text, text).results == 3
    only = function("f32", "%t = arith.addf %s, %s : f32\nreturn %t : f32", "%s: f32")
    assert compare_modules(only, only).results == 1
    with pytest.raises(DifferenceError, match="result 0"):
        compare_modules(only, only.replace("addf %s", "subf %s"))


def test_what_cannot_be_passed_is_named():
    text = function("f80", "return %s : f80", "%s: f80")
    with pytest.raises(ValueError, match="f80 cannot be passed"):
        compare_modules(text, text)


SWAPPED = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b)
        -> (tensor<4xf32>, tensor<4xf32>) {
      scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
    }
    return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>"""


def test_loops_may_hand_on_any_tensor():
    arguments = "%a: tensor<4xf32>, %b: tensor<4xf32>"
    text = function("tensor<4xf32>, tensor<4xf32>", SWAPPED, arguments)
    assert compare_modules(text, text).informative


def test_an_argument_may_be_written_where_the_module_says_so():
    after = IN_PLACE
    compute = "linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)"
    body = f"%r = {compute} -> tensor<4xf32>\nreturn %r : tensor<4xf32>"
    before = function("tensor<4xf32>", body)
    with pytest.raises(DifferenceError, match="writes to argument 0"):
        compare_modules(before, after)
    compare_modules(before.replace("4xf32>)", "4xf32> {memplan.writable = true})", 1), after)
    compare_modules(IN_PLACE, IN_PLACE)


def test_memory_that_is_written_says_something(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "written.mlir"
    file.write_text(
        "func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) {\n"
        "linalg.negf ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)\nreturn\n}"
    )
    assert main(["compare", str(file), str(file)]) == 0
    said = capsys.readouterr().err
    assert said.startswith("equal, bit for bit: 1 written argument, standard deviation 0.")


def test_a_seed_is_not_negative(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["compare", "before.mlir", "after.mlir", "--seed=-1"])
    assert "'-1' is not a whole number of at least 0" in capsys.readouterr().err


def test_nothing_but_nan_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "nan.mlir"
    body = """%e = tensor.empty() : tensor<4xf32>
    %m = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %r = linalg.sqrt ins(%m : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>"""
    file.write_text(function("tensor<4xf32>", body, "%a: tensor<4xf32>"))
    assert main(["compare", str(file), str(file)]) == 0
    assert "says nothing: none has two different finite numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("element", "pattern", "number"),
    [
        ("f8E5M2", 0x7B, 57344.0),
        ("f8E4M3FN", 0x7E, 448.0),
        ("f8E4M3FN", 0x81, -(2.0**-9)),
        ("f8E4M3FNUZ", 0x7F, 240.0),
        ("f8E4M3B11FNUZ", 0x7F, 30.0),
        ("f8E3M4", 0x6F, 15.5),
        ("f8E8M0FNU", 0x80, 2.0),
    ],
)
def test_patterns_of_8_bits(element: str, pattern: int, number: float):
    """Largest and least numbers as the formats' papers list them."""
    array = np.array([pattern], np.uint8)
    assert ArrayType((1,), element).numbers(array)[0] == number


@pytest.mark.parametrize(
    "name", ["call_returns_same_twice_then_written", "call_two_results_same_buffer"]
)
def test_results_of_a_call_that_are_the_same_tensor(name: str):
    """MLIR's bufferization writes to one of them while the other is still read."""
    folder = Path(__file__).parents[1] / "transforms" / "functions"
    text = (folder / f"{name}.mlir").read_text()
    after = subprocess.run(
        ["xdsl-opt", "-p", "memplan-pipeline"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert compare_modules(text, after).informative


# Where one round of instcombine is not enough.
_TWO_ROUNDS = """
define void @f(ptr %a) {
  call void @llvm.memcpy.p0.p0.i64(ptr inttoptr (i64 64 to ptr), ptr %a, i64 4, i1 false)
  %b = getelementptr i8, ptr %a, i64 64
  %s = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } zeroinitializer, ptr %b, 1
  %t = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %s, i64 0, 2
  %u = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %t, i64 0, 3, 3
  %v = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %u, i64 0, 4, 3
  %w = insertvalue { ptr, ptr, i64, [4 x i64], [4 x i64] } %v, i64 0, 3, 2
  %x = load float, ptr inttoptr (i64 64 to ptr), align 4
  store float %x, ptr %a, align 4
  store { ptr, ptr, i64, [4 x i64], [4 x i64] } %w, ptr %a, align 8
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)
"""


def test_what_is_not_as_short_as_can_be_is_compiled():
    """LR-ASPP in tiles ended opt: instcombine found more to do after its one round."""
    run_tool([find_tool("opt"), f"-passes={OPTIMIZE}", "-", "-o", os.devnull], _TWO_ROUNDS)
