"""Buffers of the second memory: their alignment is its own, and where it is full the next one is used."""  # noqa: E501

from xdsl.context import Context

from tests.transforms.test_split_programs import parse
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

MATRIX = "tensor<10x10xf32>"
"""400 bytes."""
TWO_RESULTS = f"""
func.func @main(%x: {MATRIX}) -> ({MATRIX}, {MATRIX}) {{
  %e = tensor.empty() : {MATRIX}
  %y = linalg.exp ins(%x : {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
  %z = linalg.tanh ins(%x : {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
  func.return %y, %z : {MATRIX}, {MATRIX}
}}
"""


def off_chip(memory: str) -> list[BufferOp]:
    """The buffers of the two results, planned and verified."""
    module = parse(TWO_RESULTS)
    for stage in (
        MemplanFormLayersPass(),
        MemplanGroupPass(memory=memory, threads=1),
        MemplanExpandGroupsPass(),
        MemplanBufferizePass(memory=memory),
        MemplanAssignOffsetsPass(memory=memory),
        MemplanVerifyPass(),
    ):
        stage.apply(Context(), module)
    buffers = [op for op in module.walk() if isinstance(op, BufferOp)]
    return [op for op in buffers if op.arena.string_value() != "L1"]


def test_each_has_the_alignment_of_its_memory():
    """Before, all had that of the first memory: the second result lay at 400."""
    offsets = [op.offset.value.data for op in off_chip("L1=1KiB:align=16,DDR:align=256")]
    assert sorted(offsets) == [0, 512]


def test_what_the_second_memory_has_no_room_for_goes_to_the_third():
    arenas = [op.arena.string_value() for op in off_chip("L1=1KiB,L2=500,DDR")]
    assert sorted(arenas) == ["DDR", "L2"]


def test_a_buffer_that_may_go_to_either_is_aligned_for_both():
    buffers = off_chip("L1=1KiB:align=16,L2=500:align=48,DDR:align=32")
    assert {op.alignment.value.data for op in buffers} == {96}


def test_the_pipeline_plans_with_three_memories(capsys):
    """It was refused: L2 has 500 bytes, and 800 are stored."""
    memory = "L1=512,L2=500,DDR"
    MemplanPipelinePass(memory=memory, stage="all", summary=True).apply(
        Context(), parse(TWO_RESULTS)
    )
    printed = capsys.readouterr().err
    assert "@L2: 400 bytes of 500" in printed
    assert "@DDR: 400 bytes" in printed
