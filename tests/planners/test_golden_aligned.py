"""Restated rules give the offsets of their originals where alignment matters, too."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xdsl_memplan import Problem, plan

DATA = Path(__file__).parent.parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "golden_aligned.json").read_text())["cases"]
ARENA: list[dict[str, Any]] = json.loads((DATA / "golden_tflite_arena.json").read_text())["cases"]


@pytest.mark.parametrize("planner", sorted({case["planner"] for case in CASES}))
def test_as_the_installed_originals(planner: str):
    """`benchmarks/golden_aligned.py` made the file."""
    for case in (case for case in CASES if case["planner"] == planner):
        arrays = (np.array(case[key]) for key in ("sizes", "starts", "ends", "alignments"))
        assert plan(Problem(*arrays), planner=planner).offsets.tolist() == case["offsets"]


@pytest.mark.parametrize("case", ARENA, ids=lambda case: case["name"])
def test_litert_arena(case: dict[str, Any]):
    """An independent statement of `SimpleMemoryArena::Allocate` made these offsets."""
    starts, ends, sizes = np.array(case["buffers"]).T
    alignments = np.broadcast_to(case["align"], sizes.shape).copy()
    found = plan(Problem(sizes, starts, ends, alignments), planner="tflite-arena")
    assert found.offsets.tolist() == case["want"]
