"""Tensors without an element: what reads them is cut, and MLIR takes what becomes of them."""

import re

import numpy as np
import pytest
from xdsl.context import Context

from tests.transforms.test_split_programs import Emit, check, parse
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

X, NOTHING, ROWS = "tensor<64x32xf32>", "tensor<64x0xf32>", "tensor<0x32xf32>"

OPERATIONS = {
    "first of a concatenation": f"tensor.concat dim(1) %z, %a : ({NOTHING}, {X}) -> {X}",
    "between": f"tensor.concat dim(0) %a, %n, %a : ({X}, {ROWS}, {X}) -> tensor<128x32xf32>",
    "insertion": f"tensor.insert_slice %z into %a[0, 3] [64, 0] [1, 1] : {NOTHING} into {X}",
    "product": f"linalg.matmul ins(%z, %n : {NOTHING}, {ROWS}) outs(%a : {X}) -> {X}",
    "border": f"""tensor.pad %z low[0, 16] high[0, 16] {{
      ^bb0(%i: index, %j: index):
        tensor.yield %one : f32
      }} : {NOTHING} to {X}""",
}


def program(operation: str) -> str:
    """A program in which the operation reads an empty part of something computed."""
    type_ = operation[operation.rindex("tensor<") :]
    return f"""
    func.func @main(%x: {X}, %w: {X}) -> {type_} {{
      %one = arith.constant 1.0 : f32
      %e = tensor.empty() : {X}
      %a = linalg.exp ins(%x : {X}) outs(%e : {X}) -> {X}
      %z = tensor.extract_slice %a[0, 0] [64, 0] [1, 1] : {X} to {NOTHING}
      %n = tensor.extract_slice %w[0, 0] [0, 32] [1, 1] : {X} to {ROWS}
      %r = {operation}
      %d = tensor.empty() : {type_}
      %y = linalg.exp ins(%r : {type_}) outs(%d : {type_}) -> {type_}
      func.return %y : {type_}
    }}"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_what_reads_nothing_is_cut(operation: str, emit: Emit) -> None:
    numbers = np.random.default_rng(3)
    inputs = [numbers.random((64, 32), np.float32) for _ in range(2)]
    memory = "L1=4096,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    # The border is read, and has room besides.
    assert check(program(operation), inputs, group, emit, memory) <= 8192


def test_an_empty_part_has_no_place_behind_the_end() -> None:
    text = f"""
    func.func @main(%x: {X}, %y: {NOTHING}) -> {X} {{
      %e = tensor.empty() : {X}
      %f = tensor.empty() : {NOTHING}
      %a = linalg.exp ins(%x : {X}) outs(%e : {X}) -> {X}
      %b = linalg.exp ins(%y : {NOTHING}) outs(%f : {NOTHING}) -> {NOTHING}
      %c = tensor.concat dim(1) %a, %b : ({X}, {NOTHING}) -> {X}
      func.return %c : {X}
    }}"""
    module = parse(text)
    MemplanBufferizePass().apply(Context(), module)
    for op in module.walk():
        if op.name == "memref.subview":
            assert not re.search(r"<(\d+x)*0x", str(op.results[0].type))
