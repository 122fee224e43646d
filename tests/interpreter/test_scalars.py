"""Operations on scalars give the bits that LLVM gives; on whole tensors they give the same."""

from pathlib import Path

import numpy as np
import pytest

from tests.interpreter.test_run import run_text
from xdsl_memplan.native.compile import compile_module
from xdsl_memplan.native.run import call
from xdsl_memplan.native.values import ArrayType

A8 = np.array([0, 1, -1, 5, 127, -128, -3, 64, -77, 100, 2, -2], np.int8)
B8 = np.array([1, -1, -1, 3, -128, 127, 2, 7, -5, 9, -3, 100], np.int8)
SHIFTS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 7, 3], np.int8)
A1 = np.array([0, 1, 1, 0] * 3, np.bool_)
B1 = np.array([0, 1, 0, 1] * 3, np.bool_)
LONG = np.array(
    [
        *(0, 1, -1, 2**24 + 1, 2**24 + 3, 2**53 + 1, 2**62 + 2**38 + 1, -(2**62) - 2**38 - 1),
        *(2**63 - 1, -(2**63), 2**40 + 2**16, -7),
    ],
    np.int64,
)
X = np.array(
    [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 7.25, 1e-30, -0.75, 0.99999994], np.float32
)
Y = np.array([1, -1, 0.1, -0.1, 3, 1e10, -2.5, 1e-8, -7.25, 1e30, 0.3, 0.33333334], np.float32)
Z = np.array([0, -0.0, 1e-9, 3, -4.5, 1, -6.25, 1, 52.5625, -1, 0.1, -0.33333334], np.float32)
OPERANDS = {
    "%a": ("i8", A8), "%b": ("i8", B8), "%s": ("i8", SHIFTS), "%p": ("i1", A1), "%q": ("i1", B1),
    "%l": ("i64", LONG), "%x": ("f32", X), "%y": ("f32", Y), "%z": ("f32", Z),
}  # fmt: skip
INPUTS = [array for _, array in OPERANDS.values()]
EXACT = [
    *(f"arith.{op} %a, %b : i8 -> i8" for op in (
        "addi", "subi", "muli", "divui", "divsi", "ceildivui", "ceildivsi", "floordivsi", "remui",
        "remsi", "minui", "maxui", "minsi", "maxsi", "andi", "ori", "xori",
    )),
    *(f"arith.{op} %a, %s : i8 -> i8" for op in ("shli", "shrsi", "shrui")),
    *(f"arith.{op} %p, %q : i1 -> i1" for op in (
        "addi", "minui", "maxui", "minsi", "maxsi", "andi", "xori",
    )),
    *(f"arith.cmpi {how}, %a, %b : i8 -> i1" for how in ("slt", "ult", "uge")),
    "arith.cmpi slt, %p, %q : i1 -> i1",
    "arith.mulsi_extended %a, %b : i8 -> i8, i8",
    "arith.mului_extended %a, %b : i8 -> i8, i8",
    "arith.addui_extended %a, %b : i8, i1 -> i8, i1",
    *(f"arith.{op} %a : i8 to i32 -> i32" for op in ("extsi", "extui")),
    *(f"arith.{op} %p : i1 to i8 -> i8" for op in ("extsi", "extui")),
    *(f"arith.{op} %p : i1 to f32 -> f32" for op in ("sitofp", "uitofp")),
    *(f"arith.{op} %l : i64 to f32 -> f32" for op in ("sitofp", "uitofp")),
    *(f"arith.{op} %l : i64 to f64 -> f64" for op in ("sitofp", "uitofp")),
    "arith.trunci %l : i64 to i8 -> i8",
    "arith.fptosi %x : f32 to i8 -> i8",
    "arith.bitcast %y : f32 to i32 -> i32",
    "arith.select %p, %a, %b : i8 -> i8",
    "arith.index_castui %a : i8 to index -> index",
    *(f"math.{op} %a : i8 -> i8" for op in ("absi", "ctlz", "cttz", "ctpop")),
    *(f"math.{op} %x : f32 -> f32" for op in (
        "absf", "ceil", "floor", "round", "roundeven", "trunc", "sqrt",
    )),
    *(f"arith.remf {of} : f32 -> f32" for of in ("%x, %z", "%y, %m", "%x, %y")),
    *(f"math.{op} %w : f32 -> i1" for op in ("isfinite", "isnan")),
    "math.copysign %x, %y : f32 -> f32",
    "math.fma %x, %y, %z : f32 -> f32",
]  # fmt: skip
NEAR = [
    *(f"math.{op} %x : f32 -> f32" for op in (
        "acos", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "exp", "exp2",
        "expm1", "log1p", "sin", "sinh", "tan", "tanh",
    )),
    *(f"math.{op} %m : f32 -> f32" for op in ("acosh", "log", "log10", "log2")),
    "math.atan2 %x, %y : f32 -> f32",
    "math.erfc %x : f32 -> f32",
    "math.sincos %x : f32 -> f32, f32",
]  # fmt: skip


def _program(lines: list[str]) -> tuple[str, list[str]]:
    """A function that does each operation on elements, and the types of what it returns."""
    arguments = ", ".join(f"{n}_: tensor<12x{t}>" for n, (t, _) in OPERANDS.items())
    map_, kinds = "affine_map<(i) -> (i)>", 'iterator_types = ["parallel"]'
    ins = ", ".join(f"{n}_" for n in OPERANDS)
    tensors = ", ".join(f"tensor<12x{t}>" for t, _ in OPERANDS.values())
    block = ", ".join(f"{n}: {t}" for n, (t, _) in OPERANDS.items())
    body = ["%one = arith.constant 1.0 : f32", "%positive = math.absf %y : f32"]
    body.append("%m = arith.addf %positive, %one : f32")
    body.append("%w = math.powf %y, %z : f32")
    types: list[str] = []
    for number, line in enumerate(lines):
        text, results = line.split(" -> ")
        several = results.split(", ")
        body.append(f"%r{number}{':2' if len(several) == 2 else ''} = {text}")
        types += several
    made = [
        f"%r{number}#{i}" if "," in line.split(" -> ")[1] else f"%r{number}"
        for number, line in enumerate(lines)
        for i, _ in enumerate(line.split(" -> ")[1].split(", "))
    ]
    empty = "\n".join(f"%e{i} = tensor.empty() : tensor<12x{t}>" for i, t in enumerate(types))
    outs = ", ".join(f"%e{i}" for i, _ in enumerate(types))
    out_types = ", ".join(f"tensor<12x{t}>" for t in types)
    out_block = ", ".join(f"%o{i}: {t}" for i, t in enumerate(types))
    lines_of_body = "\n".join(body)
    text = f"""
    func.func @main({arguments}) -> ({out_types}) {{
      {empty}
      %all:{len(types)} = linalg.generic {{indexing_maps = [{", ".join([map_] * (len(OPERANDS) + len(types)))}], {kinds}}}
        ins({ins} : {tensors}) outs({outs} : {out_types}) {{
      ^bb0({block}, {out_block}):
        {lines_of_body}
        linalg.yield {", ".join(made)} : {", ".join(types)}
      }} -> ({out_types})
      func.return {", ".join(f"%all#{i}" for i in range(len(types)))} : {out_types}
    }}"""  # noqa: E501
    return text, types


def _by_llvm(text: str, types: list[str], folder: Path) -> list[np.ndarray]:
    library = compile_module(text, folder)
    inputs = [array.view(np.int8) if array is A1 or array is B1 else array for array in INPUTS]
    return call(library, "main", inputs, [ArrayType((12,), type_) for type_ in types])


@pytest.mark.needs_mlir
def test_the_bits_are_those_of_llvm(tmp_path: Path):
    text, types = _program(EXACT)
    found = run_text(text, *INPUTS)
    for number, (a, b) in enumerate(zip(found, _by_llvm(text, types, tmp_path), strict=True)):
        assert a.astype(b.dtype).tobytes() == b.tobytes(), (number, types[number], a, b)


@pytest.mark.needs_mlir
def test_other_functions_are_near_those_of_llvm(tmp_path: Path):
    text, types = _program(NEAR)
    found = run_text(text, *INPUTS)
    for a, b in zip(found, _by_llvm(text, types, tmp_path), strict=True):
        # MLIR takes some apart, sinh into exponentials, which loses digits.
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("type_", ["i8", "f32"])
def test_a_whole_tensor_is_its_elements(type_: str):
    op, a, b = ("minui", A8, B8) if type_ == "i8" else ("mulf", X, Y)
    tensor = f"tensor<12x{type_}>"
    text = f"""
    func.func @f(%a: {tensor}, %b: {tensor}) -> {tensor} {{
      %r = arith.{op} %a, %b : {tensor}
      func.return %r : {tensor}
    }}"""
    [found] = run_text(text, a, b)
    least = np.minimum(a.view(np.uint8), b.view(np.uint8)).view(np.int8)
    assert found.tobytes() == (least if op == "minui" else a * b).tobytes()


def test_classes_of_numbers_and_clamps():
    """LLVM 22 has no lowering of these from the dialect."""
    numbers = np.array([1, -2.5, 0, 1e-40, np.inf, -np.inf, np.nan, 1e-38 * 1.1755], np.float32)
    text = """
    func.func @f(%x: f32, %low: f32, %high: f32) -> (i1, i1, f32) {
      %inf = math.isinf %x : f32
      %normal = math.isnormal %x : f32
      %clamped = math.clampf %x to [%low, %high] : f32
      func.return %inf, %normal, %clamped : i1, i1, f32
    }"""
    found = [run_text(text, float(x), -2.0, 2.0) for x in numbers]
    inf, normal, clamped = map(list, zip(*found, strict=True))
    tiny = np.finfo(np.float32).smallest_normal
    assert inf == list(np.isinf(numbers))
    assert normal == list(np.isfinite(numbers) & (np.abs(numbers) >= tiny))
    np.testing.assert_array_equal(clamped, np.clip(numbers, -2, 2))


@pytest.mark.needs_mlir
def test_comparisons_selections_and_casts_of_whole_tensors(tmp_path: Path):
    text = """
    func.func @main(%x: tensor<12xf32>, %n: tensor<12xi8>, %p: tensor<12xi1>)
        -> (tensor<12xf32>, tensor<12xi8>, tensor<12xi1>, tensor<12xi64>) {
      %0 = arith.sitofp %n : tensor<12xi8> to tensor<12xf32>
      %1 = arith.select %p, %x, %0 : tensor<12xi1>, tensor<12xf32>
      %2 = arith.cmpf olt, %1, %0 : tensor<12xf32>
      %3 = arith.index_castui %n : tensor<12xi8> to tensor<12xindex>
      %4 = arith.index_cast %3 : tensor<12xindex> to tensor<12xi64>
      %5 = arith.fptosi %x : tensor<12xf32> to tensor<12xi8>
      %6 = arith.cmpi ult, %5, %n : tensor<12xi8>
      %7 = math.isfinite %x : tensor<12xf32>
      %8 = arith.xori %6, %7 : tensor<12xi1>
      %9 = arith.andi %8, %2 : tensor<12xi1>
      func.return %1, %5, %9, %4 : tensor<12xf32>, tensor<12xi8>, tensor<12xi1>, tensor<12xi64>
    }"""
    types = [ArrayType((12,), type_) for type_ in ("f32", "i8", "i1", "i64")]
    library = compile_module(text, tmp_path)
    native = call(library, "main", [X, A8, A1.view(np.int8)], types)
    for a, b in zip(run_text(text, X, A8, A1), native, strict=True):
        assert a.astype(b.dtype).tobytes() == b.tobytes()
