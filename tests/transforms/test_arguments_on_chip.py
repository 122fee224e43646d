"""Arguments that are read where they are (`stage=none`) by several groups."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

LOOKED_UP = """
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%ids: tensor<12xi64>, %table: tensor<8x16xf32>) -> tensor<12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x16xf32>
  %y = linalg.generic {indexing_maps = [#row, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<12xi64>) outs(%e : tensor<12x16xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %table[%i, %j] : tensor<8x16xf32>
    linalg.yield %r : f32
  } -> tensor<12x16xf32>
  %es = tensor.empty() : tensor<12xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<12xf32>) -> tensor<12xf32>
  %s = linalg.generic {indexing_maps = [#all, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<12x16xf32>) outs(%fs : tensor<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %o : f32
    linalg.yield %m : f32
  } -> tensor<12xf32>
  %z = linalg.generic {indexing_maps = [#all, #row,
                                        #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<12x16xf32>, tensor<12xf32>) outs(%e : tensor<12x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.subf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<12x16xf32>
  %d = tensor.empty() : tensor<12x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<12x8xf32>) -> tensor<12x8xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                                        affine_map<(d0, d1, d2) -> (d1, d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%z, %table : tensor<12x16xf32>, tensor<8x16xf32>) outs(%f : tensor<12x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<12x8xf32>
  func.return %p : tensor<12x8xf32>
}
"""


def test_an_argument_is_not_stored_for_those_who_read_it_later():
    n = Network()
    x = n.argument(1, 4, 12, 12)
    text = n.text(n.each("addf", n.conv(n.relu(n.conv(n.relu(n.conv(x, 4)), 4)), 4), x))
    module = in_layers(text)
    MemplanGroupPass(memory="L1=2KiB,DDR", stage="none", threads=1).apply(Context(), module)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    image = function.body.block.args[0]
    assert sum(image in group.inputs for group in groups) > 1
    stores = [op for op in module.walk() if isinstance(op, StoreOp)]
    assert not any(isinstance(op.source, BlockArgument) for op in stores)
    group = MemplanGroupPass(memory="L1=2KiB,DDR", stage="none", threads=1)
    assert check(text, arrays_for(parse(text)), group, "auto", "L1=2KiB,DDR") <= 2048


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_a_table_that_is_looked_up_and_then_multiplied_with(emit):
    """What an earlier group looks up must not become what is stored for a later one."""
    numbers = np.random.default_rng(0)
    inputs = [numbers.integers(0, 8, 12), numbers.standard_normal((8, 16)).astype(np.float32)]
    memory = "L1=1KiB,DDR"
    group = MemplanGroupPass(memory=memory, stage="none", threads=1)
    assert check(LOOKED_UP, inputs, group, emit, memory) <= 1024
