"""Scalars that are inserted into tensors: what makes and reads these is cut, and is the same.

Before, such an insertion was an operation on a whole tensor, which had to fit the memory.
"""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import tensor

from tests.transforms.test_split_programs import Emit, check, parse
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

X = "tensor<64x32xf32>"


def program(inserted: str) -> str:
    return f"""
func.func @main(%x: {X}, %t: tensor<4xf32>, %at: tensor<2xi64>, %v: f32) -> {X} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : {X}
  %y = linalg.abs ins(%x : {X}) outs(%e : {X}) -> {X}
{inserted}
  %q = linalg.square ins(%z : {X}) outs(%e : {X}) -> {X}
  func.return %q : {X}
}}"""


GIVEN = f"  %z = tensor.insert %v into %y[%c7, %c1] : {X}"
TAKEN = f"""  %s = tensor.extract %t[%c1] : tensor<4xf32>
  %w = tensor.insert %s into %y[%c7, %c1] : {X}
  %z = tensor.insert %v into %w[%c1, %c7] : {X}"""
AT_RUN_TIME = f"""  %p = tensor.extract %at[%c1] : tensor<2xi64>
  %i = arith.index_cast %p : i64 to index
  %z = tensor.insert %v into %y[%i, %c1] : {X}"""
OF_NO_RANK = f"""  %r = tensor.empty() : tensor<f32>
  %o = tensor.insert %v into %r[] : tensor<f32>
  %s = tensor.extract %o[] : tensor<f32>
  %b = tensor.splat %s : {X}
  %z = linalg.add ins(%y, %b : {X}, {X}) outs(%e : {X}) -> {X}"""


def inputs() -> list[np.ndarray | float]:
    numbers = np.random.default_rng(3).integers(-16, 17, (64, 32)).astype(np.float32)
    return [numbers, np.array([1, 2, 4, 8], np.float32), np.array([3, 41], np.int64), 5.0]


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("stage", ["none", "all"])
@pytest.mark.parametrize(
    "inserted",
    [GIVEN, TAKEN, AT_RUN_TIME, OF_NO_RANK],
    ids=["given", "taken", "at-run-time", "of-no-rank"],
)
def test_tiles_compute_the_same(inserted: str, stage: str, emit: Emit) -> None:
    memory = "L1=1024,DDR"
    group = MemplanGroupPass(memory=memory, stage="all" if stage == "all" else "none", threads=1)
    assert check(program(inserted), inputs(), group, emit, memory) <= 1024


def test_a_tensor_of_unknown_shape_stays_as_it_is_used() -> None:
    """Nothing has layers where a size is not known; the rewritten insertion is valid there, too."""
    text = """
    func.func @main(%y: tensor<?x4xf32>, %v: f32, %i: index) -> tensor<?x4xf32> {
      %z = tensor.insert %v into %y[%i, %i] : tensor<?x4xf32>
      func.return %z : tensor<?x4xf32>
    }"""
    module = parse(text)
    MemplanFormLayersPass().apply(Context(), module)
    module.verify()
    assert any(isinstance(op, tensor.InsertSliceOp) for op in module.walk())
