"""What bufferization copies in any case is an operation before the schedule counts bytes."""

from collections.abc import Sequence

import pytest
from xdsl.context import Context
from xdsl.dialects import bufferization
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.tangled_programs import tangled_program
from tests.transforms.test_tangled_programs import check_computes_the_same
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

ROWS_OF_AN_ARGUMENT = """
func.func @main(%n: index, %x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %even = tensor.extract_slice %x[0, 0] [2, 4] [2, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %odd = tensor.extract_slice %x[1, 0] [2, 4] [2, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  func.return %even, %odd : tensor<2x4xf32>, tensor<2x4xf32>
}
"""
TWO_FILLS = """
func.func @main(%n: index, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %half = arith.constant 5.0e-1 : f32
  %two = arith.constant 2.0 : f32
  %a = tensor.splat %half : tensor<4x4xf32>
  %b = tensor.splat %two : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>)
    -> tensor<4x4xf32>
  %z = linalg.add ins(%y, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
    -> tensor<4x4xf32>
  func.return %z : tensor<4x4xf32>
}
"""
PART_OF_A_TENSOR = """
func.func @main(%n: index, %x: tensor<8x4xf32>, %w: tensor<10x4xf32>)
    -> (tensor<2x4xf32>, tensor<10x4xf32>) {
  %e = tensor.empty() : tensor<8x4xf32>
  %a = linalg.abs ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %rows = tensor.extract_slice %a[2, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %f = tensor.empty() : tensor<10x4xf32>
  %b = linalg.negf ins(%w : tensor<10x4xf32>) outs(%f : tensor<10x4xf32>) -> tensor<10x4xf32>
  func.return %rows, %b : tensor<2x4xf32>, tensor<10x4xf32>
}
"""
FLAT_SLICE = """
func.func @main(%n: index, %x: tensor<4x4xf32>) -> tensor<8xf32> {
  %part = tensor.extract_slice %x[0, 1] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  %flat = tensor.collapse_shape %part [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.abs ins(%flat : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
"""


def _scheduled(text: str, memory: str = "", objective: str = "fit") -> ModuleOp:
    module = Parser(full_context(), text).parse_module()
    MemplanSchedulePass(objective=objective, memory=memory).apply(Context(), module)
    module.verify()
    return module


def _copies(module: ModuleOp) -> list[Sequence[int]]:
    """The shapes that are copied, in order."""
    return [
        op.copy.type.get_shape()
        for op in module.walk()
        if isinstance(op, bufferization.AllocTensorOp) and op.copy is not None
    ]


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        (ROWS_OF_AN_ARGUMENT, [(2, 4), (2, 4)]),
        (TWO_FILLS, [(4, 4), (4, 4)]),
        (PART_OF_A_TENSOR, [(2, 4)]),
        (FLAT_SLICE, [(4, 2)]),
    ],
)
def test_copies_are_operations(text: str, shapes: list[tuple[int, ...]]):
    assert _copies(_scheduled(text)) == shapes


def test_one_fill_for_all_that_an_operation_reads():
    text = TWO_FILLS.replace("ins(%a, %b :", "ins(%a, %a :")
    assert _copies(_scheduled(text)) == [(4, 4)]


def test_a_result_that_is_returned_twice_is_copied_once():
    text = ROWS_OF_AN_ARGUMENT.replace("return %even, %odd", "return %even, %even")
    assert _copies(_scheduled(text)) == [(2, 4)]


@pytest.mark.parametrize(
    "text",
    [
        # Nobody reads it.
        FLAT_SLICE.replace("func.return %y", "%d = linalg.abs ins(%flat : tensor<8xf32>) "
                           "outs(%e : tensor<8xf32>) -> tensor<8xf32>\nfunc.return %e")
        .replace("%y = linalg.abs ins(%flat", "%y = linalg.abs ins(%e"),
        # The scalar is computed with, and a reshape is as dense as what it shows.
        """
        func.func @main(%n: index, %x: tensor<4x4xf32>) -> tensor<16xf32> {
          %half = arith.constant dense<0.5> : tensor<4x4xf32>
          %y = arith.addf %x, %half : tensor<4x4xf32>
          %z = tensor.collapse_shape %y [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
          func.return %z : tensor<16xf32>
        }
        """,
    ],
    ids=["dead", "none"],
)  # fmt: skip
def test_no_copy_where_bufferization_makes_none(text: str):
    module = _scheduled(text)
    assert (4, 2) not in _copies(module)
    assert (4, 4) not in _copies(module)


@pytest.mark.parametrize(
    ("text", "capacity", "moved"),
    [
        # One result after the other leaves: 32 bytes at a time, where both take 64.
        (ROWS_OF_AN_ARGUMENT, 32, 0),
        # %rows is all that stays of %a; it leaves before %b, 160 bytes, is made.
        (PART_OF_A_TENSOR, 160, 0),
    ],
)
def test_what_is_copied_can_leave(text: str, capacity: int, moved: int):
    memory = f"L1={capacity}:align=4,DDR:align=4"
    *stages, _ = MemplanPipelinePass(split="never", memory=memory).passes()
    module = check_computes_the_same(text, 0, stages)
    function = next(op for op in module.body.ops if op.name == "func.func")
    assert f"bytes = {moved} " in str(function.attributes["memplan.traffic"])


def test_fills_are_counted():
    """Both fills and the sum are there at once: 192 bytes."""
    with pytest.raises(PassFailedException, match=r"memplan-schedule: .*192 bytes"):
        _scheduled(TWO_FILLS, "L1=188:align=4,DDR:align=4")
    memory = "L1=192:align=4,DDR:align=4"
    *stages, _ = MemplanPipelinePass(split="never", memory=memory).passes()
    check_computes_the_same(TWO_FILLS, 0, stages)


@pytest.mark.parametrize("seed", [3, 23, 46, 75, 132, 190, 243, 246, 249])
def test_what_the_schedule_accepts_is_planned(seed: int):
    """Once accepted and then impossible, or refused by memplan-verify."""
    text = tangled_program(seed, control_flow=False)
    *stages, _ = MemplanPipelinePass(split="never", memory="L1:align=4,DDR:align=4").passes()
    module = check_computes_the_same(text, seed, stages)
    first = next(op for op in module.body.ops if isinstance(op, ArenaOp))
    needed = 0 if first.size is None else first.size.value.data
    for percent in (35, 60, 75, 90):
        memory = f"L1={needed * percent // 400 * 4}:align=4,DDR:align=4"
        _, _, *rest, _ = MemplanPipelinePass(split="never", memory=memory).passes()
        try:
            _scheduled(text, memory)
        except PassFailedException:
            continue
        check_computes_the_same(text, seed, rest)
