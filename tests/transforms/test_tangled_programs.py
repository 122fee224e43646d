"""Programs whose tensors lie in each other compute the same with the offsets of a plan."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from tests.transforms.tangled_programs import tangled_program
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

BUGS = Path(__file__).parent / "tangled"


def check_computes_the_same(text: str, seed: int = 0) -> None:
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
    for stage in (MemplanBufferizePass(), MemplanAssignOffsetsPass(), MemplanVerifyPass()):
        stage.apply(Context(), module)
        module.verify()
    for one, other in zip(run(module, arguments, "main"), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("path", sorted(BUGS.glob("*.mlir")), ids=lambda path: path.stem)
def test_what_went_wrong_once(path: Path):
    check_computes_the_same(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int):
    check_computes_the_same(tangled_program(seed)[0], seed)
