"""An option that no pass takes is what `memplan-pipeline` speaks of first, whatever else fails or would do."""  # noqa: E501

import pytest
from xdsl.context import Context
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_split_programs import parse
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_read_schedule import MemplanReadSchedulePass

EXP = """
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}
"""
TOO_SMALL, NO_LIMIT = "L1=64,DDR", ""


@pytest.mark.parametrize("memory", [TOO_SMALL, NO_LIMIT])
@pytest.mark.parametrize(
    ("option", "value"),
    [("planner", "none-such"), ("seed", -1), ("effort", "some"), ("threads", -1)],
)
def test_of_the_planner(option, value, memory):
    """Before, 64 bytes were called too small first, and the option came last."""
    stage = MemplanPipelinePass(memory=memory, **{option: value})
    with pytest.raises(PassFailedException, match=rf"^option {option}: "):
        stage.apply(Context(), parse(EXP))


@pytest.mark.parametrize(
    "options", [{"memory": TOO_SMALL}, {"objective": "peak"}, {}, {"split": "never"}]
)
def test_of_the_search(options):
    """Before, by peak and where nothing is split it was ignored without a word."""
    stage = MemplanPipelinePass(max_recompute=0.5, **options)
    with pytest.raises(PassFailedException, match=r"^memplan-group: option max-recompute=0.5 "):
        stage.apply(Context(), parse(EXP))


@pytest.mark.parametrize(
    "options",
    [
        {"memory": "L1=1KiB"},
        {"memory": "L1,DDR"},
        {"memory": NO_LIMIT},
        {"memory": "L1=1KiB,DDR", "split": "never"},
        {"memory": "L1=1KiB,DDR", "objective": "peak"},
    ],
)
def test_nothing_is_fetched_without_tiles_to_fetch_or_a_memory_to_fetch_from(options):
    """Before, operands were read where they are without a word."""
    stage = MemplanPipelinePass(stage="all", **options)
    with pytest.raises(PassFailedException, match=r"^option stage=all needs .* two memories"):
        stage.apply(Context(), parse(EXP))


@pytest.mark.parametrize(
    "options",
    [{}, {"objective": "none"}, {"memory": "L1=1KiB,DDR", "split": "never"}, {"memory": "L1,DDR"}],
)
def test_no_order_is_thorough_where_nothing_is_split(options):
    """Before, the orders that `optimize` tries were tried, or none at all."""
    stage = MemplanPipelinePass(order="thorough", **options)
    with pytest.raises(PassFailedException, match=r"^option order=thorough needs split=auto"):
        stage.apply(Context(), parse(EXP))


def test_no_order_is_thorough_where_groups_are_given():
    """Before, the order of the file stayed without a word."""
    stage = MemplanPipelinePass(memory="L1=1KiB,DDR", order="thorough", strategy="literal")
    with pytest.raises(PassFailedException, match=r"option order=thorough needs strategy=auto"):
        stage.apply(Context(), parse(EXP))


@pytest.mark.parametrize("most", [-1, 0.5])
def test_tiles_do_no_less_than_is_needed(most: float):
    """Before, -1 was any, and of 0.5 all tiles were called wrong."""
    with pytest.raises(PassFailedException, match=rf"option max-recompute={most} is neither 0"):
        MemplanExpandGroupsPass(max_recompute=most).apply(Context(), parse(EXP))


def test_a_schedule_has_a_file():
    """Before, the file of no name was called a directory."""
    with pytest.raises(PassFailedException, match=r"needs the path of a schedule: file="):
        MemplanReadSchedulePass().apply(Context(), parse(EXP))


@pytest.mark.parametrize("arena", ["global", "alloc"])
@pytest.mark.parametrize("memory", ["L1=64:base=0x1000,DDR", "L1:base=0x1000"])
def test_a_memory_at_an_address_is_no_arena_elsewhere(arena, memory):
    """Before, all was planned first, and 64 bytes were called too small."""
    stage = MemplanPipelinePass(memory=memory, arena=arena)
    with pytest.raises(PassFailedException, match=rf"^option arena={arena}: @L1 has base 0x1000"):
        stage.apply(Context(), parse(EXP))


def test_an_arena_at_an_address_has_one():
    stage = MemplanPipelinePass(memory=TOO_SMALL, arena="address")
    with pytest.raises(PassFailedException, match=r"^option arena=address: @L1 has no base"):
        stage.apply(Context(), parse(EXP))
