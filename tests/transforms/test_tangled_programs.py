"""Programs whose tensors lie in each other compute the same with the offsets of a plan."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.tangled_programs import tangled_program
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

BUGS = Path(__file__).parent / "tangled"


PLAN: tuple[ModulePass, ...] = (
    MemplanBufferizePass(),
    MemplanAssignOffsetsPass(),
    MemplanVerifyPass(),
)


def check_computes_the_same(
    text: str, seed: int = 0, stages: Sequence[ModulePass] = PLAN
) -> ModuleOp:
    """Compare with the tensor program, in the interpreter."""
    module = Parser(full_context(), text).parse_module()
    main = [op for op in module.body.ops if isinstance(op, FuncOp)][-1]
    random = np.random.default_rng(seed)
    arguments = [
        random.integers(-4, 5, type.get_shape()).astype(np.float32)
        if isinstance(type, TensorType)
        else seed % 2
        for type in main.function_type.inputs
    ]
    expected = run(module, arguments, "main")
    for stage in stages:
        stage.apply(Context(), module)
        module.verify()
    for one, other in zip(run(module, arguments, "main"), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    return module


@pytest.mark.parametrize("path", sorted(BUGS.glob("*.mlir")), ids=lambda path: path.stem)
def test_what_went_wrong_once(path: Path):
    check_computes_the_same(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int):
    check_computes_the_same(tangled_program(seed), seed)


@pytest.mark.parametrize("seed", [*range(25), 593])
def test_random_programs_with_less_memory(seed: int):
    """What is planned computes the same; what does not fit is refused in words."""
    text = tangled_program(seed, control_flow=False)
    memory = "L1:align=4,DDR:align=4"
    *stages, _ = MemplanPipelinePass(split="never", memory=memory).passes()
    module = check_computes_the_same(text, seed, stages)
    first = next(op for op in module.body.ops if isinstance(op, ArenaOp))
    needed = 0 if first.size is None else first.size.value.data
    for share in (0.5, 0.8):
        memory = f"L1={int(needed * share) // 4 * 4}:align=4,DDR:align=4"
        with suppress(PassFailedException):
            check_computes_the_same(
                text, seed, [MemplanPipelinePass(split="never", memory=memory, arena="alloc")]
            )
