"""Trimmed programs compute the same bits: random ones, of whose results only parts are read."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import ExtractSliceOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from tests.transforms.random_networks import random_network
from tests.transforms.random_tensor_programs import random_arguments, random_program
from tests.transforms.test_split_programs import arrays_for, parse
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass


def cut_results(module: ModuleOp, seed: int) -> None:
    """Let every function return random slices of what it returns."""
    random = Random(seed)
    for function in module.walk():
        if not isinstance(function, FuncOp) or not function.body.blocks:
            continue
        last = function.body.block.last_op
        assert isinstance(last, ReturnOp)
        for index, value in enumerate(last.operands):
            last.operands[index] = _part(value, last, random)
        results = [value.type for value in last.operands]
        inputs = function.function_type.inputs.data
        function.function_type = FunctionType.from_lists([*inputs], results)


def _part(value: SSAValue, before: ReturnOp, random: Random) -> SSAValue:
    type_ = value.type
    if not isa(type_, TensorType[Attribute]) or not all(n > 0 for n in type_.get_shape()):
        return value
    sizes = [random.randint(1, max(1, n // 2)) for n in type_.get_shape()]
    starts = [random.randint(0, n - k) for n, k in zip(type_.get_shape(), sizes, strict=True)]
    steps = [1] * len(sizes)
    part = ExtractSliceOp(value, starts, sizes, steps, TensorType(type_.element_type, sizes))
    block = before.parent
    assert block is not None
    block.insert_op_before(part, before)
    return part.result


def same(expected: Sequence[Any], found: Sequence[Any]) -> None:
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


def trimmed(module: ModuleOp) -> tuple[ModuleOp, bool]:
    """A trimmed copy, and whether anything changed."""
    other = module.clone()
    MemplanTrimPass().apply(full_context(), other)
    other.verify()
    return other, str(other) != str(module)


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(seed: int):
    module = parse(random_network(seed, 6))
    cut_results(module, seed)
    other, _ = trimmed(module)
    arguments = arrays_for(module)
    same(run(module, arguments), run(other, arguments))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int):
    program = random_program(seed)
    module = parse(program.text)
    cut_results(module, seed)
    other, _ = trimmed(module)
    arguments = random_arguments(program, seed)
    same(run(module, arguments), run(other, arguments))


def test_most_of_them_are_trimmed():
    changed = 0
    for seed in range(20):
        module = parse(random_network(seed, 6))
        cut_results(module, seed)
        changed += trimmed(module)[1]
    assert changed > 10


def test_softmax_of_one_row():
    text = """
func.func @main(%x: tensor<32x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<32x8xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>)
    -> tensor<32x8xf32>
  %y = tensor.extract_slice %s[5, 0] [1, 8] [1, 1] : tensor<32x8xf32> to tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}
"""
    module = parse(text)
    arguments = arrays_for(module)
    MemplanGeneralizeOpsPass().apply(full_context(), module)
    other, changed = trimmed(module)
    assert changed
    assert "linalg.fill ins(%" in str(other)
    assert "outs(%e : tensor<32x8xf32>)" not in str(other)
    same(run(parse(text), arguments), run(other, arguments))
