"""A maximum and where it is: one reduction with two results, cut along what it reduces."""

import pytest

from tests.transforms.test_split_programs import arrays_for, check, parse
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

ROWS, LONG = 3, 300
"""A row has 1200 bytes."""


def argmax(*returned: str) -> str:
    types = {"%m#0": f"tensor<{ROWS}xf32>", "%m#1": f"tensor<{ROWS}xi32>"}
    results = ", ".join(types[name] for name in returned)
    return f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<{ROWS}x{LONG}xf32>) -> ({results}) {{
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<{ROWS}xf32>
  %d = tensor.empty() : tensor<{ROWS}xi32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<{ROWS}xf32>) -> tensor<{ROWS}xf32>
  %g = linalg.fill ins(%zero : i32) outs(%d : tensor<{ROWS}xi32>) -> tensor<{ROWS}xi32>
  %m:2 = linalg.generic {{indexing_maps = [#all, #row, #row],
                         iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<{ROWS}x{LONG}xf32>)
      outs(%f, %g : tensor<{ROWS}xf32>, tensor<{ROWS}xi32>) {{
  ^bb0(%a: f32, %o: f32, %k: i32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %a, %o : f32
    %r = arith.select %c, %a, %o : f32
    %s = arith.select %c, %i, %k : i32
    linalg.yield %r, %s : f32, i32
  }} -> (tensor<{ROWS}xf32>, tensor<{ROWS}xi32>)
  func.return {", ".join(returned)} : {results}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("returned", [("%m#1",), ("%m#0",), ("%m#1", "%m#0")])
def test_rows_that_do_not_fit_are_reduced_in_parts(returned, emit):
    """Where only one result is read the other is handed on all the same, as the one needs it."""
    text, memory = argmax(*returned), "L1=512,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 512
