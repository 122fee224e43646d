"""Scalars that a function takes out of tensors and returns: the rest is cut, and they are counted.

Before, such a function was left whole, and refused with `stage=all`.
"""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_region_moves import arena_bytes
from tests.transforms.test_split_programs import Emit, check, parse
from xdsl_memplan.dialects.off_chip import FLOOR, LOOKUPS, TOTAL, TRAFFIC
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split

X = "tensor<32x16xf32>"

HEAD = f"""
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {X}
  %y = linalg.abs ins(%x : {X}) outs(%e : {X}) -> {X}
  %room = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%room : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce {{ arith.addf }} ins(%y : {X}) outs(%f : tensor<f32>) dimensions = [0, 1]
  %s = tensor.extract %sum[] : tensor<f32>"""


def program(results: str, body: str) -> str:
    return f"func.func @main(%x: {X}, %t: tensor<4xf32>) -> ({results}) {{{HEAD}\n{body}\n}}"


SUM = program(f"f32, {X}", f"func.return %s, %y : f32, {X}")
COMPUTED = program(
    "f32, f32",
    """%half = arith.constant 0.5 : f32
  %h = arith.mulf %s, %half : f32
  %one = arith.constant 1 : index
  %a = tensor.extract %t[%one] : tensor<4xf32>
  %b = arith.addf %a, %h : f32
  func.return %h, %b : f32, f32""",
)
READ_TOO = program(
    f"f32, {X}",
    f"""%b = tensor.splat %s : {X}
  %z = linalg.sub ins(%y, %b : {X}, {X}) outs(%e : {X}) -> {X}
  func.return %s, %z : f32, {X}""",
)
TWICE = program("f32, f32, tensor<f32>", "func.return %s, %s, %sum : f32, f32, tensor<f32>")
VIEWED = program(
    "f32",
    f"""%w = tensor.empty() : tensor<1x1xf32>
  %g = linalg.fill ins(%zero : f32) outs(%w : tensor<1x1xf32>) -> tensor<1x1xf32>
  %o = tensor.extract_slice %y[3, 2] [1, 1] [1, 1] : {X} to tensor<1x1xf32>
  %c = tensor.collapse_shape %o [] : tensor<1x1xf32> into tensor<f32>
  %v = tensor.extract %c[] : tensor<f32>
  func.return %v : f32""",
)
OF_ARGUMENT = f"""
func.func @main(%x: {X}, %t: tensor<4xf32>) -> (f32, {X}) {{
  %two = arith.constant 2 : index
  %s = tensor.extract %t[%two] : tensor<4xf32>
  %e = tensor.empty() : {X}
  %y = linalg.abs ins(%x : {X}) outs(%e : {X}) -> {X}
  func.return %s, %y : f32, {X}
}}"""

PROGRAMS = {
    "sum": SUM,
    "computed": COMPUTED,
    "read-too": READ_TOO,
    "twice": TWICE,
    "viewed": VIEWED,
    "of-argument": OF_ARGUMENT,
}


def inputs() -> list[np.ndarray]:
    """Numbers with exact sums, as the interpreter computes scalars out of bodies in f64."""
    numbers = np.random.default_rng(5).integers(-16, 17, (32, 16)).astype(np.float32)
    return [numbers, np.array([1, 2, 4, 8], np.float32)]


def in_tiles(text: str, memory: str) -> ModuleOp:
    module, context = parse(text), Context()
    MemplanFormLayersPass().apply(context, module)
    MemplanGroupPass(memory=memory, stage="all", threads=1).apply(context, module)
    MemplanExpandGroupsPass().apply(context, module)
    return module


def traffic(module: ModuleOp) -> dict[str, int]:
    [function] = module.body.block.ops
    noted = function.attributes[TRAFFIC]
    assert isinstance(noted, DictionaryAttr)
    return {
        name: number.value.data
        for name, number in noted.data.items()
        if isinstance(number, IntegerAttr)
    }


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rest_is_cut_and_computes_the_same(name: str, stage: str, emit: Emit) -> None:
    memory = "L1=512,DDR"
    group = MemplanGroupPass(memory=memory, stage="all" if stage == "all" else "none", threads=1)
    assert check(PROGRAMS[name], inputs(), group, emit, memory) <= 512


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiles_are_proved(name: str) -> None:
    whole = parse(PROGRAMS[name])
    MemplanFormLayersPass().apply(Context(), whole)
    [function] = whole.body.block.ops
    [tiled] = in_tiles(PROGRAMS[name], "L1=512,DDR").body.block.ops
    verdict = check_split(function, tiled)  # pyright: ignore[reportArgumentType]
    assert verdict.verdict is Verdict.PROVED, verdict.reason


def test_another_scalar_is_not_proved() -> None:
    whole = parse(COMPUTED)
    MemplanFormLayersPass().apply(Context(), whole)
    [function] = whole.body.block.ops
    other = COMPUTED.replace("func.return %h, %b", "func.return %b, %h")
    [tiled] = in_tiles(other, "L1=512,DDR").body.block.ops
    verdict = check_split(function, tiled)  # pyright: ignore[reportArgumentType]
    assert verdict.verdict is not Verdict.PROVED


def test_what_is_taken_out_off_chip_is_counted() -> None:
    """The sum is stored, and the function takes it from there: 4 bytes each."""
    found = traffic(in_tiles(SUM, "L1=512,DDR"))
    assert found == {FLOOR: 2 * 2048 + 4, TOTAL: 2 * 2048 + 4 + 4, LOOKUPS: 4}


def test_too_few_bytes_are_refused() -> None:
    """`memplan-verify` counts what is taken out again."""
    module, context = in_tiles(SUM, "L1=512,DDR"), Context()
    [function] = module.body.block.ops
    noted = function.attributes[TRAFFIC]
    assert isinstance(noted, DictionaryAttr)
    less = {name: number for name, number in noted.data.items() if name != LOOKUPS}
    function.attributes[TRAFFIC] = DictionaryAttr({**less, TOTAL: IntegerAttr(2 * 2048 + 4, 64)})
    MemplanBufferizePass(memory="L1,DDR").apply(context, module)
    MemplanAssignOffsetsPass().apply(context, module)
    with pytest.raises(PassFailedException, match="looked up off chip, its operations look up 4"):
        MemplanVerifyPass().apply(context, module)


def test_layers_may_be_formed_again() -> None:
    module, context = parse(COMPUTED), Context()
    MemplanFormLayersPass().apply(context, module)
    once = str(module)
    MemplanFormLayersPass().apply(context, module)
    assert str(module) == once


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("capacity", [512, 16384])
def test_all_passes_compute_the_same(name: str, capacity: int) -> None:
    module = parse(PROGRAMS[name])
    MemplanPipelinePass(memory=f"L1={capacity},DDR", stage="all").apply(Context(), module)
    assert arena_bytes(module).get("L1", 0) <= capacity
    for expected, found in zip(
        run(parse(PROGRAMS[name]), inputs()), run(module, inputs()), strict=True
    ):
        np.testing.assert_array_equal(expected, found)
