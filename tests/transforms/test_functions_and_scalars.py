"""Functions, calls and scalars: what is planned computes the same, and again after planning twice.

Each file of `functions/` has a function @main. @external, where it is declared, hands back its
argument: that is the worst that a function of somebody else may do.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context

FUNCTIONS = Path(__file__).parent / "functions"
EXTERNAL = r"(func\.func private @external)\((\w+<4xf32>)\) -> (\w+<4xf32>)"


def parse(text: str) -> ModuleOp:
    module = Parser(full_context(), text).parse_module()
    module.verify()
    return module


def with_external(module: ModuleOp) -> ModuleOp:
    """Give @external a body."""
    body = r"\1(%argument: \2) -> \3 {\n  func.return %argument : \2\n}"
    return parse(re.sub(EXTERNAL, body, str(module)))


def after(module: ModuleOp, passes: str) -> ModuleOp:
    changed = module.clone()
    PassPipeline.parse_spec(Universe.get_multiverse().all_passes, passes).apply(
        full_context(), changed
    )
    changed.verify()
    return parse(str(changed))


def argument_for(type: Attribute, random: np.random.Generator) -> object:
    if isinstance(type, Float32Type):
        return float(np.float32(random.standard_normal()))
    if isinstance(type, IntegerType | IndexType):
        return 1
    assert isinstance(type, TensorType)
    if isinstance(type.element_type, Float32Type):
        return random.standard_normal(type.get_shape()).astype(np.float32)
    return np.ones(type.get_shape(), bool if type.element_type == IntegerType(1) else np.int32) * 2


@pytest.mark.parametrize("path", sorted(FUNCTIONS.glob("*.mlir")), ids=lambda path: path.stem)
def test_planned_functions_compute_the_same(path: Path):
    module = parse(path.read_text())
    main = next(
        op for op in module.body.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"
    )
    random = np.random.default_rng(1)
    arguments = [argument_for(type, random) for type in main.function_type.inputs]
    expected = run(with_external(module), arguments, "main")
    planned = after(module, "memplan-pipeline{arena=alloc}")
    for passes in (
        after(module, "memplan-bufferize"),
        after(module, "memplan-bufferize,memplan-assign-offsets,memplan-verify"),
        planned,
        after(planned, "memplan-pipeline{arena=alloc}"),
    ):
        found = run(with_external(passes), arguments, "main")
        assert len(found) == len(expected)
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_planning_again_changes_nothing():
    module = parse((FUNCTIONS / "call_returns_same_twice.mlir").read_text())
    for arena in ("argument", "global"):
        once = after(module, f"memplan-pipeline{{arena={arena}}}")
        assert str(after(once, f"memplan-pipeline{{arena={arena}}}")) == str(once)


def test_a_name_that_is_taken_is_an_error_that_says_so():
    module = parse(
        "func.func private @memory()\n" + (FUNCTIONS / "scalar_argument.mlir").read_text()
    )
    with pytest.raises(PassFailedException, match="has the name @memory"):
        after(module, "memplan-bufferize")
    after(module, 'memplan-bufferize{memory="L1=64KiB"}')


def test_the_name_that_is_advised_is_free():
    """Before, `L1` was advised, where that was taken."""
    module = parse(
        "func.func private @L1()\nfunc.func private @L1_1()\n"
        + (FUNCTIONS / "scalar_argument.mlir").read_text()
    )
    with pytest.raises(PassFailedException, match=r"@L1, which.*another name.*\"(L1_2=64KiB)\""):
        after(module, 'memplan-bufferize{memory="L1=1KiB"}')
    after(module, 'memplan-bufferize{memory="L1_2=64KiB"}')
