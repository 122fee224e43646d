"""Random programs compute the same after planning; what cannot be bufferized is named."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.random_tensor_programs import random_arguments, random_program
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compile import compile_module
from xdsl_memplan.native.context import full_context
from xdsl_memplan.native.run import call
from xdsl_memplan.native.values import signature
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_random_programs_bufferize_and_verify(seed: int):
    module = parse(random_program(seed).text)
    MemplanBufferizePass().apply(full_context(), module)
    module.verify()
    left = {op.name for op in module.walk() if op.name.startswith(("tensor.", "bufferization."))}
    assert not left


@given(st.integers(0, 2**32), st.integers(4, 12))
@settings(max_examples=60, deadline=None)
def test_random_programs_compute_the_same(seed: int, most: int):
    program = random_program(seed, most)
    check_computes_the_same(program.text, random_arguments(program, seed))


def check_computes_the_same(text: str, arguments: list[np.ndarray]) -> None:
    """Compare with the tensor program, in the interpreter, at the offsets of a plan."""
    module = parse(text)
    for stage in (MemplanBufferizePass(), MemplanAssignOffsetsPass(), MemplanVerifyPass()):
        stage.apply(full_context(), module)
    for one, other in zip(run(parse(text), arguments), run(module, arguments), strict=True):
        np.testing.assert_array_equal(one, other)


OVERLAPPING_PARTS = """
func.func @main(%a: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %b = tensor.empty() : tensor<4x6xf32>
  %c = linalg.exp ins(%a : tensor<4x6xf32>) outs(%b : tensor<4x6xf32>) -> tensor<4x6xf32>
  %d = tensor.pad %c low[0, 0] high[4, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<8x6xf32>
  %e = linalg.exp ins(%c : tensor<4x6xf32>) outs(%b : tensor<4x6xf32>) -> tensor<4x6xf32>
  %f = tensor.insert_slice %e into %d[ROW, 0] [4, 6] [1, 1]
    : tensor<4x6xf32> into tensor<8x6xf32>
  func.return %f : tensor<8x6xf32>
}
"""


@pytest.mark.parametrize(("row", "size"), [(1, 288), (4, 192)])
def test_a_part_that_is_written_over_early_holds_no_tensor_that_is_read_later(row: int, size: int):
    """%c may lie in %d, and %e in %f over it, but not both where their rows meet."""
    text = OVERLAPPING_PARTS.replace("ROW", str(row))
    check_computes_the_same(text, [np.arange(24, dtype=np.float32).reshape(4, 6) / 8])
    module = parse(text)
    MemplanBufferizePass().apply(full_context(), module)
    sizes = [op.size.value.data for op in module.walk() if isinstance(op, BufferOp)]
    assert sum(sizes) == size


@pytest.mark.needs_mlir
@pytest.mark.parametrize("seed", range(6))
def test_random_programs_compute_the_same_in_machine_code(seed: int, tmp_path: Path):
    program = random_program(seed)
    module = parse(program.text)
    MemplanPipelinePass().apply(full_context(), module)
    function = next(op for op in module.walk() if isinstance(op, FuncOp))
    arrays = random_arguments(program, seed)
    expected = program.run([array.copy() for array in arrays])
    kept = [array.copy() for array in arrays]
    found = call(compile_module(str(module), tmp_path), "main", arrays, signature(function)[1])
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
    for array, before in zip(arrays, kept, strict=True):
        assert np.array_equal(array, before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { func.return %x : tensor<?xf32> }",
            "run time only",
        ),
        (
            "func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> { func.return %x : tensor<*xf32> }",
            "unranked",
        ),
        (
            "func.func @f(%x: tensor<4294967296x4294967296xf32>) { func.return }",
            "more than 2\\^63",
        ),
    ],
)
def test_error_names_what_is_wrong_and_leaves_the_module(text: str, message: str):
    module = parse(text)
    before = str(module)
    with pytest.raises(PassFailedException, match=message):
        MemplanBufferizePass().apply(full_context(), module)
    assert str(module) == before


def test_unknown_operation_is_named():
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = "other.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    """
    allowing = full_context(allow_unregistered=True)
    module = Parser(allowing, text).parse_module()
    with pytest.raises(PassFailedException, match=r"other\.op"):
        MemplanBufferizePass().apply(allowing, module)
