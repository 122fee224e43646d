"""A maximum and where it is: one reduction with two results, cut along what it reduces or not."""

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


def softmax_of_product() -> str:
    """A product, less the maximum of each row, of which the place is found too, and not read."""
    square, row, column = "tensor<24x24xf32>", "tensor<24xf32>", "tensor<24xi64>"
    return f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<24x16xf32>, %w: tensor<16x24xf32>, %v: tensor<24x8xf32>)
    -> tensor<24x8xf32> {{
  %low = arith.constant -1.0e30 : f32
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %s = tensor.empty() : {square}
  %e = tensor.empty() : {row}
  %d = tensor.empty() : {column}
  %t = tensor.empty() : tensor<24x8xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%s : {square}) -> {square}
  %f = linalg.fill ins(%low : f32) outs(%e : {row}) -> {row}
  %g = linalg.fill ins(%none : i64) outs(%d : {column}) -> {column}
  %tz = linalg.fill ins(%zero : f32) outs(%t : tensor<24x8xf32>) -> tensor<24x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<24x16xf32>, tensor<16x24xf32>) outs(%sz : {square})
      -> {square}
  %m:2 = linalg.generic {{indexing_maps = [#all, #row, #row],
                         iterator_types = ["parallel", "reduction"]}}
      ins(%p : {square}) outs(%f, %g : {row}, {column}) {{
  ^bb0(%a: f32, %o: f32, %k: i64):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i64
    %r = arith.maximumf %a, %o : f32
    %c = arith.cmpf ogt, %a, %o : f32
    %n = arith.select %c, %i, %k : i64
    linalg.yield %r, %n : f32, i64
  }} -> ({row}, {column})
  %q = linalg.generic {{indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%p, %m#0 : {square}, {row}) outs(%s : {square}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  }} -> {square}
  %y = linalg.matmul ins(%q, %v : {square}, tensor<24x8xf32>) outs(%tz : tensor<24x8xf32>)
      -> tensor<24x8xf32>
  func.return %y : tensor<24x8xf32>
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_within_a_group_a_result_that_nobody_reads_is_not_handed_on(emit):
    """torch-mlir writes a softmax with the place of the maximum: all transformers have it."""
    text, memory = softmax_of_product(), "L1=4KiB,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 4096
