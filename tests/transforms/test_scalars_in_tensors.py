"""Scalars that a function takes out of tensors: what reads them is cut, and computes the same."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import tensor

from tests.transforms.test_split_programs import Emit, check, parse
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

X = "tensor<64x32xf32>"
SAME = "affine_map<(i, j) -> (i, j)>"
ELEMENTWISE = f'{{indexing_maps = [{SAME}, {SAME}], iterator_types = ["parallel", "parallel"]}}'

# Divides by the largest element, as networks do that quantize as they run.
LARGEST = f"""
  %low = arith.constant -3.0e38 : f32
  %room = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%low : f32) outs(%room : tensor<f32>) -> tensor<f32>
  %largest = linalg.generic {{indexing_maps = [{SAME}, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}} ins(%x : {X}) outs(%start : tensor<f32>) {{
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  }} -> tensor<f32>
  %scalar = tensor.extract %largest[] : tensor<f32>"""
ARGUMENT = """
  %two = arith.constant 2 : index
  %scalar = tensor.extract %s[%two] : tensor<4xf32>"""


def scaled(taken: str) -> str:
    """A program that multiplies by the inverse of a scalar and adds it."""
    return f"""
func.func @main(%x: {X}, %s: tensor<4xf32>) -> {X} {{{taken}
  %one = arith.constant 1.0 : f32
  %inverse = arith.divf %one, %scalar : f32
  %e = tensor.empty() : {X}
  %y = linalg.generic {ELEMENTWISE} ins(%x : {X}) outs(%e : {X}) {{
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %inverse : f32
    %q = arith.addf %p, %scalar : f32
    %r = arith.addf %q, %inverse : f32
    linalg.yield %r : f32
  }} -> {X}
  %f = linalg.fill ins(%inverse : f32) outs(%e : {X}) -> {X}
  %b = tensor.splat %scalar : {X}
  %g = linalg.add ins(%f, %b : {X}, {X}) outs(%e : {X}) -> {X}
  %z = linalg.mul ins(%y, %g : {X}, {X}) outs(%e : {X}) -> {X}
  func.return %z : {X}
}}"""


def inputs() -> list[np.ndarray]:
    """Numbers with exact products, as the interpreter computes scalars out of bodies in f64."""
    numbers = np.random.default_rng(3).integers(-16, 17, (64, 32)).astype(np.float32)
    return [numbers, np.array([1, 2, 4, 8], np.float32)]


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("taken", [LARGEST, ARGUMENT], ids=["largest", "argument"])
def test_what_reads_a_scalar_is_cut(taken: str, emit: Emit) -> None:
    memory = "L1=2048,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(scaled(taken), inputs(), group, emit, memory) <= 2048


@pytest.mark.parametrize("taken", [LARGEST, ARGUMENT], ids=["largest", "argument"])
def test_nothing_is_taken_out_any_more(taken: str) -> None:
    module = parse(scaled(taken))
    MemplanFormLayersPass().apply(Context(), module)
    module.verify()
    [function] = module.body.block.ops
    assert not any(isinstance(op, tensor.ExtractOp) for op in function.regions[0].block.ops)
    for expected, found in zip(
        run(parse(scaled(taken)), inputs()), run(module, inputs()), strict=True
    ):
        np.testing.assert_array_equal(expected, found)


def test_a_scalar_that_says_where_something_lies_stays() -> None:
    text = f"""
    func.func @main(%x: {X}, %at: tensor<2xindex>) -> tensor<8x32xf32> {{
      %zero = arith.constant 0 : index
      %row = tensor.extract %at[%zero] : tensor<2xindex>
      %y = tensor.extract_slice %x[%row, 0] [8, 32] [1, 1] : {X} to tensor<8x32xf32>
      func.return %y : tensor<8x32xf32>
    }}"""
    module = parse(text)
    MemplanFormLayersPass().apply(Context(), module)
    assert any(isinstance(op, tensor.ExtractOp) for op in module.walk())


def with_scalar(body: str, result: str) -> str:
    """A program with a scalar of an argument, and `%y`."""
    return f"""
func.func @main(%x: {X}, %s: tensor<4xf32>) -> {result} {{
  %two = arith.constant 2 : index
  %scalar = tensor.extract %s[%two] : tensor<4xf32>
  %e = tensor.empty() : {X}
  %y = linalg.abs ins(%x : {X}) outs(%e : {X}) -> {X}
  {body}
}}"""


PADDED = with_scalar(
    f"""%p = tensor.pad %y low[1, 2] high[3, 0] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %scalar : f32
  }} : {X} to tensor<68x34xf32>
  func.return %p : tensor<68x34xf32>""",
    "tensor<68x34xf32>",
)
ONE_ELEMENT = with_scalar(
    f"""%twice = arith.addf %scalar, %scalar : f32
  %o = tensor.from_elements %twice : tensor<1x1xf32>
  func.return %o, %y : tensor<1x1xf32>, {X}""",
    f"(tensor<1x1xf32>, {X})",
)
SEVERAL_ELEMENTS = with_scalar(
    f"""%twice = arith.addf %scalar, %scalar : f32
  %unit = arith.constant 1.0 : f32
  %square = tensor.from_elements %twice, %unit, %scalar, %twice : tensor<2x2xf32>
  %pair = tensor.from_elements %scalar, %unit : tensor<2xf32>
  %room2 = tensor.empty() : tensor<2x2xf32>
  %o = linalg.generic {{indexing_maps = [{SAME}, affine_map<(i, j) -> (j)>, {SAME}],
      iterator_types = ["parallel", "parallel"]}}
    ins(%square, %pair : tensor<2x2xf32>, tensor<2xf32>) outs(%room2 : tensor<2x2xf32>) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %c = arith.subf %a, %b : f32
    linalg.yield %c : f32
  }} -> tensor<2x2xf32>
  func.return %o, %pair, %y : tensor<2x2xf32>, tensor<2xf32>, {X}""",
    f"(tensor<2x2xf32>, tensor<2xf32>, {X})",
)
BRANCH = with_scalar(
    f"""%one = arith.constant 1.0 : f32
  %c = arith.cmpf ogt, %scalar, %one : f32
  %k = scf.if %c -> (f32) {{
    %h = arith.addf %scalar, %one : f32
    scf.yield %h : f32
  }} else {{
    scf.yield %one : f32
  }}
  %b = tensor.splat %k : {X}
  %z = linalg.mul ins(%y, %b : {X}, {X}) outs(%e : {X}) -> {X}
  func.return %z : {X}""",
    X,
)


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize(
    "text",
    [PADDED, ONE_ELEMENT, SEVERAL_ELEMENTS, BRANCH],
    ids=["pad", "one-element", "several-elements", "branch"],
)
def test_pads_elements_and_branches_read_a_scalar(text: str, stage: str, emit: Emit) -> None:
    """Before, functions with one of these were left whole."""
    memory = "L1=2048,DDR"
    group = MemplanGroupPass(memory=memory, stage="all" if stage == "all" else "none", threads=1)
    assert check(text, inputs(), group, emit, memory) <= 2048
