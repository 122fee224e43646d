"""Tiles that are spoiled are refused, or compute the same."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import InterpretationError, VerifyException

from tests.transforms import test_split_programs as programs
from tests.transforms.spoiled_tiles import SPOILERS
from tests.transforms.test_region_moves import parse
from tests.transforms.test_split_programs import Emit
from xdsl_memplan.dialects.groups import GroupCostAttr, GroupOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split

SPLITS = [
    (programs.two_convolutions, "L1=1KiB,DDR", "auto"),
    (programs.strided_and_pooled, "L1=1KiB,DDR", "auto"),
    (programs.residual_block, "L1=1536,DDR", "loop"),
    (programs.feed_forward, "L1=1KiB,DDR", "loop"),
    (programs.skip, "L1=1KiB,DDR", "loop"),
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
    assert refuted > 3 * unknown


def test_work_is_what_the_groups_say():
    whole, tiled = split(programs.feed_forward(), "L1=1KiB,DDR", "auto")
    [group, *_] = [op for op in whole.walk() if isinstance(op, GroupOp)]
    cost = group.cost.cost
    group.attributes["cost"] = GroupCostAttr.of(cost._replace(work=cost.work + 1))
    why = refusal(whole, tiled)
    assert why is not None
    assert "multiply-adds, its groups say" in why
