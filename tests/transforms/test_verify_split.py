"""Tiles that are spoiled are refused, or compute the same."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import InterpretationError, VerifyException

from tests.transforms import test_split_programs as programs
from tests.transforms.networks import Network
from tests.transforms.spoiled_tiles import SPOILERS
from tests.transforms.test_region_moves import parse
from tests.transforms.test_single_contractions import contraction
from tests.transforms.test_split_programs import Emit
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.dialects.groups import CutAttr, GroupCostAttr, GroupOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms import memplan_expand_groups
from xdsl_memplan.transforms.memplan_expand_groups import SHORTEST_LOOPS, MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles
from xdsl_memplan.transforms.verify_split.check_split import SplitCheck, Verdict, check_split


def features_last() -> str:
    """A sum over a window first, cut within each of its places."""
    window = contraction("y + k, x + l, c", "k, l, c, f", "y, x, f", y=4, x=5, f=8, k=2, l=3, c=24)
    return window.text()


def shifted_patches() -> str:
    """Patches that are shifted inwards at the ends of a row."""
    n = Network()
    return n.text(n.relu(n.conv(n.relu(n.conv(n.argument(1, 2, 9, 16), 3)), 3)))


SPLITS = [
    (shifted_patches, "L1=768,DDR", "loop"),
    (programs.two_convolutions, "L1=1KiB,DDR", "auto"),
    (programs.strided_and_pooled, "L1=1KiB,DDR", "auto"),
    (programs.residual_block, "L1=1536,DDR", "loop"),
    (programs.feed_forward, "L1=1KiB,DDR", "loop"),
    (programs.skip, "L1=1KiB,DDR", "loop"),
    (features_last, "L1=1KiB,DDR", "loop"),
    (features_last, "L1=1KiB,DDR", "unroll"),
]


def function_of(module: ModuleOp) -> FuncOp:
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp))


def split(text: str, memory: str, emit: Emit) -> tuple[ModuleOp, ModuleOp]:
    """A program with groups, and in tiles."""
    module = parse(text)
    MemplanFormLayersPass().apply(Context(), module)
    MemplanGroupPass(memory=memory).apply(Context(), module)
    whole = module.clone()
    MemplanExpandGroupsPass(emit=emit).apply(Context(), module)
    return whole, module


def refusal(whole: ModuleOp, tiled: ModuleOp) -> str | None:
    """Why tiles are refused; None if they are proved."""
    found = check_split(function_of(whole), function_of(tiled))
    return None if found.verdict is Verdict.PROVED else found.reason


def compute_the_same(
    expected: Sequence[np.ndarray], module: ModuleOp, inputs: Sequence[np.ndarray]
) -> bool:
    try:
        found = run(module, inputs)
    except (InterpretationError, IndexError):
        return False
    return all(np.array_equal(one, other) for one, other in zip(expected, found, strict=True))


@pytest.mark.parametrize(("program", "memory", "emit"), SPLITS)
def test_spoiled_tiles_are_refused_or_compute_the_same(
    program: Callable[[], str], memory: str, emit: Emit
):
    whole, tiled = split(program(), memory, emit)
    assert refusal(whole, tiled) is None
    inputs = programs.arrays_for(whole)
    expected = run(parse(program()), inputs)
    refused: set[str] = set()
    refuted, unknown = 0, 0
    for name, spoil in SPOILERS.items():
        for seed in range(2):
            spoiled = tiled.clone()
            if not spoil(spoiled, random.Random(seed)):
                continue
            try:
                spoiled.verify()
            except VerifyException:
                continue
            found = check_split(function_of(whole), function_of(spoiled))
            is_harmless = compute_the_same(expected, spoiled, inputs)
            if found.verdict is Verdict.PROVED:
                assert is_harmless, (name, seed)
                continue
            assert " of @main)" in found.reason, found
            refused.add(name)
            refuted += found.verdict is Verdict.REFUTED
            unknown += found.verdict is Verdict.UNKNOWN
            # What passes turn into an error must be one.
            assert found.verdict is Verdict.UNKNOWN or not is_harmless, (name, seed)
    assert len(refused) >= 8, refused
    # Tiles that are patches have more borders, of which less is known for sure.
    times = 2 if program is programs.residual_block else 3
    assert refuted > times * unknown


def test_work_is_no_more_than_the_groups_say():
    whole, tiled = split(programs.feed_forward(), "L1=1KiB,DDR", "auto")
    [group, *_] = [op for op in whole.walk() if isinstance(op, GroupOp)]
    cost = group.cost.cost
    group.attributes["cost"] = GroupCostAttr.of(cost._replace(work=cost.work + 1))
    assert refusal(whole, tiled) is None  # Tiles may do less.
    group.attributes["cost"] = GroupCostAttr.of(cost._replace(work=cost.work - 1))
    why = refusal(whole, tiled)
    assert why is not None
    assert "multiply-adds, it says" in why


@pytest.mark.parametrize(("program", "memory", "emit"), SPLITS)
def test_bytes_and_work_of_groups_are_recounted(
    program: Callable[[], str], memory: str, emit: Emit
):
    """Against what `off_chip_bytes` counts of one group after the other."""
    module = parse(program())
    MemplanFormLayersPass().apply(Context(), module)
    MemplanGroupPass(memory=memory).apply(Context(), module)
    whole, function = module.clone(), function_of(module)
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    expected: list[tuple[int, int]] = []
    for group in groups:
        work, before = group.cost.cost.work, off_chip_bytes(function)
        memplan_expand_groups.expand_group(group, SHORTEST_LOOPS[emit])
        after = off_chip_bytes(function)
        assert before is not None
        assert after is not None
        expected.append((after - before, work))
    found = check_split(function_of(whole), function)
    assert [(count.moved_bytes, count.work) for count in found.groups] == expected
    assert found.more_bytes == ()


def test_a_group_that_moves_more_than_it_says_is_named():
    whole, tiled = split(programs.two_convolutions(), "L1=1KiB,DDR", "auto")
    [_, group] = [op for op in whole.walk() if isinstance(op, GroupOp)]
    cost = group.cost.cost
    group.attributes["cost"] = GroupCostAttr.of(cost._replace(traffic=cost.traffic - 1))
    found = check_split(function_of(whole), function_of(tiled))
    assert found.verdict is Verdict.PROVED
    [why] = found.more_bytes
    assert why.endswith(f"its tiles move {cost.traffic} bytes, it says {cost.traffic - 1}")


def test_multiply_adds_done_again_are_limited():
    """Rows of the first convolution that two tiles need are computed twice."""
    module = parse(programs.two_convolutions())
    MemplanFormLayersPass().apply(Context(), module)
    MemplanGroupPass(objective="peak", memory="L1,DDR", max_code=0).apply(Context(), module)
    [group] = [op for op in module.walk() if isinstance(op, GroupOp)]
    recomputed = [CutAttr.of(cut.cut._replace(halo="recompute")) for cut in group.cuts]
    group.attributes["cuts"] = ArrayAttr(recomputed)
    whole = module.clone()
    MemplanExpandGroupsPass(check=False).apply(Context(), module)
    found = check_split(function_of(whole), function_of(module))
    [count] = found.groups
    assert count.work > count.whole_work
    [group] = [op for op in whole.walk() if isinstance(op, GroupOp)]
    group.attributes["cost"] = GroupCostAttr.of(group.cost.cost._replace(work=count.work))
    ratio = count.work / count.whole_work
    functions = function_of(whole), function_of(module)
    assert check_split(*functions, ratio).verdict is Verdict.PROVED
    refused = check_split(*functions, ratio - 0.01)
    assert refused.verdict is Verdict.REFUTED
    assert "times the" in refused.reason


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch):
    """Tiles of which one is not put into the result."""
    forget = SPOILERS["drop a store"]

    def spoil(function: FuncOp) -> None:
        parent = function.parent_op()
        assert isinstance(parent, ModuleOp)
        assert forget(parent, random.Random(0))

    monkeypatch.setattr(memplan_expand_groups, "erase_unread", spoil)


@pytest.mark.usefixtures("forgetful")
def test_wrong_tiles_are_an_error_of_the_pass():
    module = parse(programs.two_convolutions())
    MemplanFormLayersPass().apply(Context(), module)
    MemplanGroupPass(memory="L1=1KiB,DDR").apply(Context(), module)
    unchecked = module.clone()
    with pytest.raises(RefutedTiles, match=r"'func.return' \(operation \d+ of @main\): result 0"):
        MemplanExpandGroupsPass().apply(Context(), module)
    MemplanExpandGroupsPass(check=False).apply(Context(), unchecked)


@pytest.mark.usefixtures("forgetful")
def test_a_pipeline_with_wrong_tiles_tries_nothing_else():
    module = parse(programs.two_convolutions())
    memory = "L1=1KiB:align=1,DDR"
    with pytest.raises(RefutedTiles, match="not written"):
        MemplanPipelinePass(memory=memory, stage="all").apply(Context(), module.clone())
    MemplanPipelinePass(memory=memory, stage="all", verify=False).apply(Context(), module)


def test_a_pipeline_takes_tiles_of_which_nothing_is_known(monkeypatch: pytest.MonkeyPatch):
    found: list[SplitCheck] = []

    def unknown(whole: FuncOp, tiled: FuncOp, max_recompute: float | None) -> SplitCheck:
        found.append(SplitCheck(Verdict.UNKNOWN, "no rule"))
        return found[-1]

    monkeypatch.setattr(memplan_expand_groups, "check_split", unknown)
    module = parse(programs.two_convolutions())
    MemplanPipelinePass(memory="L1=1KiB:align=1,DDR", stage="all").apply(Context(), module)
    assert found
