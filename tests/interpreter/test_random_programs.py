"""Random programs compute the same after bufferization and planning, and their plans are valid."""

import importlib.util
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from xdsl_memplan.interpreter.run import run

_SPEC = importlib.util.spec_from_file_location(
    "random_program", Path(__file__).parent / "random_program.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
random_program = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(random_program)

UNIVERSE = Universe.get_multiverse()
PASSES = PassPipeline.parse_spec(
    UNIVERSE.all_passes,
    "memplan-bufferize,memplan-annotate-lifetimes,memplan-assign-offsets,memplan-verify",
)


def parse(text: str) -> tuple[Context, ModuleOp]:
    context = Context()
    for name, factory in UNIVERSE.all_dialects.items():
        context.register_dialect(name, factory)
    return context, Parser(context, text).parse_module()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(random_program.random_programs())
def test_planned_programs_compute_the_same(program: "random_program.RandomProgram"):
    context, module = parse(program.text)
    module.verify()
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(shape).astype(np.float32) for shape in program.inputs]
    expected = run(module, inputs)
    assert all(np.isfinite(array).all() for array in expected)
    PASSES.apply(context, module)
    module.verify()
    found = run(module, inputs)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=program.text)
