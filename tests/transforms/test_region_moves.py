"""Split programs compute what the whole ones do, and take the room that one can count by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp
from xdsl.parser import Parser

from tests.transforms import split_programs as programs
from tests.transforms.random_moves import COLUMNS, WHOLE, RandomMoves
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.dialects.off_chip import TOTAL, TRAFFIC
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

MODES = [(loop, stage) for loop in (False, True) for stage in (False, True)]


def parse(text: str) -> ModuleOp:
    module = Parser(full_context(), text).parse_module()
    module.verify()
    return module


def planned(text: str, memory: str = "L1=1MiB:align=1,DDR") -> ModuleOp:
    """Plan a program; the bytes that its moves promise are checked on the way."""
    module = parse(text)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    total = off_chip_bytes(function)
    assert total is not None
    function.attributes[TRAFFIC] = DictionaryAttr({TOTAL: IntegerAttr(total, i64)})
    MemplanPipelinePass(memory=memory).apply(Context(), module)
    return module


def arena_bytes(module: ModuleOp) -> dict[str, int]:
    """Bytes of each memory that buffers lie in: a global of bytes that holds nothing at first."""
    found: dict[str, int] = {}
    for op in module.walk():
        if isinstance(op, GlobalOp) and isinstance(op.initial_value, UnitAttr):
            assert isinstance(op.type, MemRefType)
            if op.type.element_type == i8 and op.type.get_num_dims() == 1:
                [found[op.sym_name.data]] = op.type.get_shape()
    return found


@pytest.mark.parametrize(("loop", "stage"), MODES)
def test_room_of_split_convolutions(loop: bool, stage: bool):
    module = planned(programs.split_convolutions(loop=loop, stage=stage))
    # When the first convolution of a tile runs: its window of x, the window of h that it writes
    # into, the overlap of h from the tile before, the overlap of x for the tile after.
    needed = 4 * (3 * 6 * 14 + 8 * 6 * 14 + 8 * 2 * 14 + 3 * 2 * 14)
    weights, result = 4 * (8 * 3 * 9 + 4 * 8 * 9), 4 * (4 * 16 * 12)
    # Alignment of the buffers adds less than 64 bytes for each of six.
    found = arena_bytes(module)
    least = needed + (weights if stage else result)
    assert least <= found["L1"] < least + 6 * 64
    assert found.get("DDR") == (result if stage else None)


@pytest.mark.needs_mlir
@pytest.mark.parametrize(("loop", "stage"), MODES)
def test_split_convolutions_compute_the_same(loop: bool, stage: bool):
    module = planned(programs.split_convolutions(loop=loop, stage=stage))
    compare_modules(programs.whole_convolutions(), str(module))


@pytest.mark.parametrize("loop", [False, True])
def test_room_of_split_matmuls(loop: bool):
    module = planned(programs.split_matmuls(loop=loop))
    # All of A, a slice of B, one of C, the columns between, and the sums; B goes before C comes.
    assert arena_bytes(module) == {"L1": 4 * (16 * 12 + 12 * 8 + 16 * 8 + 16 * 8), "DDR": 4 * 128}


@pytest.mark.needs_mlir
@pytest.mark.parametrize("loop", [False, True])
def test_split_matmuls_compute_the_same(loop: bool):
    compare_modules(programs.whole_matmuls(), str(planned(programs.split_matmuls(loop=loop))))


def test_room_of_a_stored_skip():
    found = arena_bytes(planned(programs.split_skip()))
    # The last layer: both parts, padded, and the result.
    assert found["L1"] == 4 * (8 * 10 * 14 + 4 * 8 * 12)
    # The skipped tensor, the one below it, and the result, all there at once.
    assert found["DDR"] == 3 * 4 * (4 * 16 * 12)


@pytest.mark.needs_mlir
def test_a_stored_skip_computes_the_same():
    compare_modules(programs.whole_skip(), str(planned(programs.split_skip())))


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_random_moves_compute_the_same(seed: int):
    text = RandomMoves(seed).text()
    x = np.arange(WHOLE * COLUMNS, dtype=np.float32).reshape(WHOLE, COLUMNS)
    expected = run(parse(text), [x])
    module = parse(text)
    MemplanBufferizePass(memory="L1:align=1,DDR:align=1").apply(Context(), module)
    MemplanAssignOffsetsPass().apply(Context(), module)
    MemplanVerifyPass().apply(Context(), module)
    for one, other in zip(expected, run(module, [x]), strict=True):
        np.testing.assert_array_equal(one, other)


def promised(text: str) -> int | None:
    [function] = [op for op in parse(text).walk() if isinstance(op, FuncOp)]
    return off_chip_bytes(function)


@pytest.mark.parametrize("loop", [False, True])
def test_each_byte_moves_once(loop: bool):
    # x, both weights, y; with cached overlaps no row of x comes twice.
    convolutions = 4 * (3 * 16 * 12 + 8 * 27 + 4 * 72 + 4 * 16 * 12)
    assert promised(programs.split_convolutions(loop=loop, stage=True)) == convolutions
    assert promised(programs.split_matmuls(loop=loop)) == 4 * (16 * 12 + 12 * 32 + 32 * 8 + 16 * 8)


def test_nobody_counts_what_a_branch_moves():
    text = """
    func.func @main(%x: tensor<8xf32>, %c: i1) -> tensor<4xf32> {
      %r = scf.if %c -> (tensor<4xf32>) {
        %0 = memplan.load %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
        scf.yield %0 : tensor<4xf32>
      } else {
        %1 = memplan.load %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      }
      func.return %r : tensor<4xf32>
    }"""
    assert promised(text) is None
