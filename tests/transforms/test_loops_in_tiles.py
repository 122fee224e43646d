"""What loops and branches hold is computed in tiles, and computes the same."""

import re
from math import prod
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from tests.transforms.looped_programs import SHAPES, STATE, LoopedProgram
from tests.transforms.test_inline_calls import after, parse
from xdsl_memplan.interpreter.run import run

DATA = Path(__file__).parents[1] / "data"


def arguments_of(seed: int) -> list[object]:
    random = np.random.default_rng(seed)
    return [random.uniform(-0.5, 0.5, shape).astype(np.float32) for shape in SHAPES]


@pytest.mark.parametrize("seed", [*range(40), 1001, 1011, 9043])
@pytest.mark.parametrize(
    "options",
    ['memory="L1=1KiB,DDR" stage=all', 'memory="L1=8KiB,DDR" stage=all', 'memory="L1=1KiB,DDR"'],
)
def test_random_programs_compute_the_same(seed: int, options: str):
    """What is counted off chip is counted again by `memplan-verify`, which runs in the pipeline."""
    text = LoopedProgram(seed).text()
    planned = after(text, f"memplan-pipeline{{{options} arena=alloc}}")
    arguments = arguments_of(seed)
    expected = run(parse(text), arguments, "main")
    found = run(planned, arguments, "main")
    for want, have in zip(expected, found, strict=True):
        np.testing.assert_array_equal(want, have)


@pytest.mark.parametrize("memory", ["2KiB", "32KiB"])
@pytest.mark.parametrize("name", ["recurrent", "lstm_layers", "greedy_decoder", "switched_steps"])
def test_recurrent_networks_compute_the_same(name: str, memory: str):
    text = (DATA / f"{name}.mlir").read_text()
    planned = after(text, f'memplan-pipeline{{memory="L1={memory},DDR" stage=all arena=alloc}}')
    assert_computes_the_same(text, planned)


def shapes_of(module: ModuleOp) -> list[tuple[int, ...]]:
    """The shapes of the arguments of @main."""
    main = next(op for op in module.body.ops if isinstance(op, FuncOp))
    return [type_.get_shape() for type_ in main.function_type.inputs if isa(type_, TensorType)]


def assert_computes_the_same(text: str, planned: ModuleOp) -> None:
    module = parse(text)
    random = np.random.default_rng(3)
    arguments: list[object] = [
        random.uniform(-0.25, 0.25, shape).astype(np.float32) for shape in shapes_of(module)
    ]
    for want, have in zip(
        run(module, arguments, "main"), run(planned, arguments, "main"), strict=True
    ):
        np.testing.assert_array_equal(want, have)


def steps(times: int, state: str, weights: str, product: str) -> str:
    """A product of the state %s and the weights %w, step by step."""
    return f"""
func.func @main(%x: {state}, %w: {weights}) -> {state} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c{times} = arith.constant {times} : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %c{times} step %c1 iter_args(%s = %x) -> ({state}) {{
    %e = tensor.empty() : {state}
    %f = linalg.fill ins(%zero : f32) outs(%e : {state}) -> {state}
    %p = {product} outs(%f : {state}) -> {state}
    %r = linalg.tanh ins(%p : {state}) outs(%e : {state}) -> {state}
    scf.yield %r : {state}
  }}
  func.return %y : {state}
}}
"""


STEPS = steps(
    16, STATE, "tensor<16x16xf32>", f"linalg.matmul ins(%s, %w : {STATE}, tensor<16x16xf32>)"
)


def bytes_moved(capacity: int | str, capsys: pytest.CaptureFixture[str], text: str = STEPS) -> int:
    return planned_with_bytes(capacity, capsys, text)[1]


def planned_with_bytes(
    capacity: int | str, capsys: pytest.CaptureFixture[str], text: str
) -> tuple[ModuleOp, int]:
    options = f'memory="L1={capacity},DDR" stage=all arena=alloc summary=true'
    planned = after(text, f"memplan-pipeline{{{options}}}")
    found = re.search(r"@main: (\d+) bytes move", capsys.readouterr().err)
    assert found is not None
    return planned, int(found[1])


def test_what_is_the_same_in_all_steps_stays_on_chip_where_there_is_room(
    capsys: pytest.CaptureFixture[str],
):
    """The weights have 1024 bytes; the state has 512, and is copied off chip if it is there.

    Beside the state and its tiles three eighths of the weights have room.
    """
    assert bytes_moved(4096, capsys) == 1024 + 2 * 512
    assert bytes_moved(1024, capsys) == 384 + 16 * 640 + 2 * 512 + 16 * 2 * 512


@pytest.mark.parametrize(
    ("name", "memory", "moved"),
    [
        ("recurrent", "512KiB", 4 * (16 * 64 + 2 * 256 + 64 * 256 + 256 * 256 + 256)),
        ("lstm_layers", "64KiB", 4 * (20 * 40 + 40 * 40 + (40 + 3 * 24) * 96 + 24 * 10 + 200 + 24)),
    ],
)
def test_arguments_come_once_and_results_go_once_where_all_fits(
    name: str, memory: str, moved: int, capsys: pytest.CaptureFixture[str]
):
    """What goes from part to part and from step to step does not leave the chip."""
    text = (DATA / f"{name}.mlir").read_text()
    assert bytes_moved(memory, capsys, text) == moved


HISTORY = f"""
func.func @main(%x: {STATE}) -> ({STATE}, {STATE}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : {STATE}
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %e) -> ({STATE}) {{
    %r = tensor.extract_slice %x[%i, 0] [1, 16] [1, 1] : {STATE} to tensor<1x16xf32>
    %d = tensor.empty() : tensor<1x16xf32>
    %s = linalg.exp ins(%r : tensor<1x16xf32>) outs(%d : tensor<1x16xf32>) -> tensor<1x16xf32>
    %w = tensor.insert_slice %s into %o[%i, 0] [1, 16] [1, 1] : tensor<1x16xf32> into {STATE}
    scf.yield %w : {STATE}
  }}
  %z = linalg.tanh ins(%y : {STATE}) outs(%e : {STATE}) -> {STATE}
  func.return %y, %z : {STATE}, {STATE}
}}
"""


def test_what_is_returned_and_read_is_not_loaded_back(capsys: pytest.CaptureFixture[str]):
    assert bytes_moved(4096, capsys, HISTORY) == 3 * 512


REPEATED = STEPS.replace(
    "  %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x16xf32>) {",
    "  %n = arith.addi %times, %c1 : index\n"
    "  %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8x16xf32>) {",
).replace("%x: tensor<8x16xf32>", "%times: index, %x: tensor<8x16xf32>")


@pytest.mark.parametrize("capacity", [1024, 4096])
def test_the_state_of_a_loop_of_unknown_length_stays_on_chip(capacity: int):
    """Of the copies that move, none of the state is in the loop where there is room."""
    assert "%times" in REPEATED
    planned = after(REPEATED, f'memplan-pipeline{{memory="L1={capacity},DDR" stage=all}}')
    (loop,) = [op for op in planned.walk() if isinstance(op, scf.ForOp) and op.parent_op()][:1]
    moves = [op for op in loop.walk() if isinstance(op, memref.CopyOp)]
    assert bool(moves) == (capacity == 1024)


def test_fewer_bytes_move_with_more_room(capsys: pytest.CaptureFixture[str]):
    moved = [bytes_moved(capacity, capsys) for capacity in range(512, 4097, 128)]
    assert moved == sorted(moved, reverse=True)


STACKED = """
func.func @main(%x: tensor<2x48xf32>, %w: tensor<3x48x48xf32>) -> tensor<2x48xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %x) -> (tensor<2x48xf32>) {
    %z = scf.for %l = %c0 to %c3 step %c1 iter_args(%h = %s) -> (tensor<2x48xf32>) {
      %m = tensor.extract_slice %w[%l, 0, 0] [1, 48, 48] [1, 1, 1]
        : tensor<3x48x48xf32> to tensor<48x48xf32>
      %e = tensor.empty() : tensor<2x48xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x48xf32>) -> tensor<2x48xf32>
      %p = linalg.matmul ins(%h, %m : tensor<2x48xf32>, tensor<48x48xf32>)
        outs(%f : tensor<2x48xf32>) -> tensor<2x48xf32>
      %r = linalg.tanh ins(%p : tensor<2x48xf32>) outs(%e : tensor<2x48xf32>) -> tensor<2x48xf32>
      scf.yield %r : tensor<2x48xf32>
    }
    scf.yield %z : tensor<2x48xf32>
  }
  func.return %y : tensor<2x48xf32>
}
"""
"""Weights of three layers, 9216 bytes each, read in five steps."""

SQUARE = steps(
    20,
    "tensor<96xf32>",
    "tensor<96x96xf32>",
    "linalg.matvec ins(%w, %s : tensor<96x96xf32>, tensor<96xf32>)",
)
"""Weights of 36,864 bytes, read in twenty steps."""


@pytest.mark.parametrize("capacity", [4096, 8192, 12288, 16384, 24576])
@pytest.mark.parametrize(("text", "times"), [(STACKED, 5), (SQUARE, 20)])
def test_weights_larger_than_the_memory_fill_half_of_it(
    text: str, times: int, capacity: int, capsys: pytest.CaptureFixture[str]
):
    """What half of the memory holds is loaded once, not in each step; all computes the same."""
    state, weights = (4 * prod(shape) for shape in shapes_of(parse(text)))
    planned, moved = planned_with_bytes(capacity, capsys, text)
    assert moved <= 2 * state + times * weights - (times - 1) * capacity // 2
    assert_computes_the_same(text, planned)


def test_the_part_that_is_in_the_way_is_named():
    text = STEPS.replace("8x16xf32", "8x?xf32").replace("tensor.empty()", "tensor.empty(%c16)")
    with pytest.raises(
        PassFailedException, match=r"stage=all.*\n@main.part0 is not split: the size"
    ):
        after(text, 'memplan-pipeline{memory="L1=4KiB,DDR" stage=all}')
