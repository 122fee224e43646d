"""What the search counts on chip is a promise: buffers take no more."""

from typing import Literal

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.random_networks import random_network
from tests.transforms.random_tensor_programs import random_program
from tests.transforms.test_region_moves import arena_bytes
from tests.transforms.test_split_programs import in_layers
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

Emit = Literal["auto", "unroll", "loop"]
Stage = Literal["none", "all"]


def group(text: str, objective: str, memory: str, stage: Stage) -> ModuleOp:
    """Form groups; programs without, or which do not fit, are none of a test's business."""
    module = in_layers(text)
    try:
        MemplanGroupPass(
            objective="peak" if objective == "peak" else "traffic",
            memory=memory,
            stage=stage,
            threads=1,
        ).apply(Context(), module)
    except PassFailedException:
        assume(False)
    return module


def plan(module: ModuleOp, emit: Emit, memory: str) -> int:
    """Expand and plan without a capacity; return the bytes of the first memory."""
    for stage in (
        MemplanExpandGroupsPass(emit=emit),
        MemplanBufferizePass(memory=memory),
        MemplanAssignOffsetsPass(memory=memory),
        MemplanVerifyPass(),
    ):
        stage.apply(Context(), module)
    return arena_bytes(module).get("L1", 0)


@given(
    st.integers(0, 2**32),
    st.sampled_from(["network", "network", "program"]),
    st.integers(3, 8),
    st.sampled_from(["peak", "traffic", "traffic"]),
    st.integers(256, 8192),
    st.sampled_from([1, 16, 64]),
    st.sampled_from(["auto", "loop", "unroll"]),
    st.sampled_from(["all", "all", "none"]),
)
@example(411, "program", 7, "traffic", 256, 1, "auto", "all")  # A layer that only shows another.
@settings(max_examples=30, deadline=None)
def test_buffers_take_no_more_than_was_counted(
    seed: int,
    kind: str,
    size: int,
    objective: str,
    capacity: int,
    alignment: int,
    emit: Emit,
    stage: Stage,
):
    text = random_network(seed, size) if kind == "network" else random_program(seed, size).text
    limit = f"={capacity}" if objective == "traffic" else ""
    module = group(text, objective, f"L1{limit}:align={alignment},DDR", stage)
    groups = [op.cost.cost for op in module.walk() if isinstance(op, GroupOp)]
    assume(groups)
    counted = max(cost.peak for cost in groups)
    if limit:
        assert counted <= capacity
    assert plan(module, emit, f"L1:align={alignment},DDR") <= counted
