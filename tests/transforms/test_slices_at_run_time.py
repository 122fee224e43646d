"""Slices whose position is known at run time only have tiles, and compute the same."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp

from tests.transforms.test_split_programs import Emit, check, parse, same
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROWS, COLUMNS = 24, 16
CACHE = f"tensor<{ROWS}x{COLUMNS}xf32>"


def program(slice_: str, result: str) -> str:
    """Something computed, and a slice at a row and a column that two arguments say."""
    return f"""
func.func @main(%x: {CACHE}, %key: tensor<4x{COLUMNS}xf32>, %at: tensor<2xi64>) -> {result} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = tensor.extract %at[%zero] : tensor<2xi64>
  %b = tensor.extract %at[%one] : tensor<2xi64>
  %i = arith.index_cast %a : i64 to index
  %second = arith.index_cast %b : i64 to index
  %j = arith.muli %second, %one : index
  %d = tensor.empty() : {CACHE}
  %e = tensor.empty() : tensor<4x{COLUMNS}xf32>
  %cache = linalg.exp ins(%x : {CACHE}) outs(%d : {CACHE}) -> {CACHE}
  %new = linalg.exp ins(%key : tensor<4x{COLUMNS}xf32>) outs(%e : tensor<4x{COLUMNS}xf32>)
    -> tensor<4x{COLUMNS}xf32>
  {slice_}
  %f = tensor.empty() : {result}
  %z = linalg.tanh ins(%y : {result}) outs(%f : {result}) -> {result}
  func.return %z : {result}
}}"""


PART = f"""%part = tensor.extract_slice %new[1, 3] [1, 5] [1, 1]
    : tensor<4x{COLUMNS}xf32> to"""
SLICES = {
    "rows put in": (
        f"""%y = tensor.insert_slice %new into %cache[%i, 0] [4, {COLUMNS}] [1, 1]
            : tensor<4x{COLUMNS}xf32> into {CACHE}""",
        CACHE,
    ),
    "a block put in": (
        f"""{PART} tensor<1x5xf32>
  %y = tensor.insert_slice %part into %cache[%i, %j] [1, 5] [1, 1]
            : tensor<1x5xf32> into {CACHE}""",
        CACHE,
    ),
    "a row of lower rank put in": (
        f"""{PART} tensor<5xf32>
  %y = tensor.insert_slice %part into %cache[3, %j] [1, 5] [1, 1]
            : tensor<5xf32> into {CACHE}""",
        CACHE,
    ),
    "rows taken out": (
        f"""%y = tensor.extract_slice %cache[%i, 0] [20, {COLUMNS}] [1, 1]
            : {CACHE} to tensor<20x{COLUMNS}xf32>""",
        f"tensor<20x{COLUMNS}xf32>",
    ),
    "of an argument": (
        f"""%y = tensor.extract_slice %x[%i, %j] [20, 8] [1, 1]
            : {CACHE} to tensor<20x8xf32>""",
        "tensor<20x8xf32>",
    ),
    "a column of lower rank": (
        f"""%y = tensor.extract_slice %cache[2, %j] [20, 1] [1, 1]
            : {CACHE} to tensor<20xf32>""",
        "tensor<20xf32>",
    ),
}
POSITIONS = [(0, 0), (1, 3), (4, 8)]


def inputs(at: tuple[int, int]) -> list:
    draw = np.random.default_rng(3)
    shapes = ((ROWS, COLUMNS), (4, COLUMNS))
    return [
        *(draw.standard_normal(shape).astype(np.float32) for shape in shapes),
        np.array(at, dtype=np.int64),
    ]


@pytest.mark.parametrize("at", POSITIONS)
@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("name", SLICES)
def test_it_is_cut_and_computes_the_same(name: str, emit: Emit, at: tuple[int, int]):
    memory = "L1=2048,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(program(*SLICES[name]), inputs(at), group, emit, memory) <= 2048


@pytest.mark.parametrize("name", SLICES)
def test_no_position_is_left(name: str):
    module = parse(program(*SLICES[name]))
    MemplanFormLayersPass().apply(Context(), module)
    module.verify()
    slices = (tensor.ExtractSliceOp, tensor.InsertSliceOp)
    assert not any(isinstance(op, slices) and list(op.offsets) for op in module.walk())
    for at in POSITIONS:
        same(run(parse(program(*SLICES[name])), inputs(at)), run(module, inputs(at)))


@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize("name", SLICES)
def test_the_pipeline_splits_it(name: str, stage: str):
    """At a position of its own, as the arguments of the comparison may say any."""
    text = program(*SLICES[name]).replace("%a = tensor.extract", "%a0 = tensor.extract")
    text = text.replace("%b = tensor.extract", "%b0 = tensor.extract")
    text = text.replace(
        "%i = arith.index_cast",
        """%four = arith.constant 4 : i64
  %a = arith.remui %a0, %four : i64
  %b = arith.remui %b0, %four : i64
  %i = arith.index_cast""",
    )
    module = planned(text, stage)
    assert compare_modules(text, str(module)).results == 1


def planned(text: str, stage: str) -> ModuleOp:
    module = parse(text)
    pipeline = MemplanPipelinePass(
        objective="traffic",
        stage=stage,  # pyright: ignore[reportArgumentType]
        memory="L1=2KiB,DDR",
    )
    pipeline.apply(full_context(), module)
    return module


def test_steps_and_positions_that_are_indices_stay():
    for slice_, position in (
        ("%x[%row, 0] [8, 16] [2, 1]", "tensor<2xi64>"),
        ("%x[%row, 0] [8, 16] [1, 1]", "tensor<2xindex>"),
    ):
        cast = "" if "index" in position else "%row = arith.index_cast %taken : i64 to index"
        text = f"""
    func.func @main(%x: {CACHE}, %at: {position}) -> tensor<8x16xf32> {{
      %zero = arith.constant 0 : index
      {"%taken" if cast else "%row"} = tensor.extract %at[%zero] : {position}
      {cast}
      %y = tensor.extract_slice {slice_} : {CACHE} to tensor<8x16xf32>
      func.return %y : tensor<8x16xf32>
    }}"""
        module = parse(text)
        MemplanFormLayersPass().apply(Context(), module)
        assert any(isinstance(op, tensor.ExtractSliceOp) for op in module.walk())
