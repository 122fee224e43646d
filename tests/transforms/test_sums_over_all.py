"""Sums over all there is, and sums within tiles that are needed when the tiles are gone."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

ROWS, COLUMNS = 48, 64
BIG, ROW, ONE = f"tensor<{ROWS}x{COLUMNS}xf32>", f"tensor<{ROWS}xf32>", "tensor<f32>"


def scaled(sums: str, of: str, more: str = "") -> str:
    """Sums of `x` over some of its loops, the square of each, and `z` times these.

    ``of`` is the map to one of the sums.
    """
    kinds = ", ".join(f'"{"parallel" if "d" + str(d) in of else "reduction"}"' for d in (0, 1))
    rank = of.count("d")
    own = f"affine_map<({of}) -> ({of})>"
    each = ", ".join(['"parallel"'] * rank)
    return f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> ({of})>
#own = {own}
func.func @main(%x: {BIG}, %z: {BIG}) -> ({BIG}, {sums}) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {sums}
  %f = linalg.fill ins(%zero : f32) outs(%e : {sums}) -> {sums}
  %r = linalg.generic {{indexing_maps = [#all, #sum], iterator_types = [{kinds}]}}
      ins(%x : {BIG}) outs(%f : {sums}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }} -> {sums}
  %u = linalg.generic {{indexing_maps = [#own, #own], iterator_types = [{each}]}}
      ins(%r : {sums}) outs(%e : {sums}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  }} -> {sums}
  %d = tensor.empty() : {BIG}
  %y = linalg.generic {{indexing_maps = [#all, #sum, #all],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%z, %u : {BIG}, {sums}) outs(%d : {BIG}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  }} -> {BIG}
  func.return %y, %u : {BIG}, {sums}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("capacity", [384, 1024, 4096])
@pytest.mark.parametrize(("sums", "of"), [(ONE, ""), (ROW, "d0")])
def test_what_is_scaled_by_its_own_sum_fits_little_room(sums: str, of: str, capacity: int, emit):
    text, memory = scaled(sums, of), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


def test_a_sum_over_all_is_fetched_once():
    """Tiles of what is read beside such a sum have not got it: it is a layer before."""
    module = in_layers(scaled(ONE, ""))
    MemplanGroupPass(memory="L1=4KiB,DDR", threads=1).apply(Context(), module)
    moved = sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))
    assert moved <= 3 * ROWS * COLUMNS * 4 + 3 * 4


def test_no_sum_within_tiles_is_needed_outside_of_them():
    """One layer of all cannot add up within tiles of `y`: `u` is complete when these are gone."""
    module = in_layers(scaled(ONE, ""))
    for op in module.walk():
        if "memplan.layer" in op.attributes:
            op.attributes["memplan.layer"] = IntegerAttr(0, 64)
    with pytest.raises(PassFailedException, match=r"'%y = linalg\.generic'.* does not fit"):
        MemplanGroupPass(memory="L1=8KiB,DDR", threads=1).apply(Context(), module)


def mean_of(*shape: int) -> str:
    """The mean of all elements of an argument: one number."""
    whole = f"tensor<{'x'.join(map(str, shape))}xf32>"
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    kinds = ", ".join(['"reduction"'] * len(shape))
    return f"""
func.func @main(%x: {whole}) -> {ONE} {{
  %zero = arith.constant 0.0 : f32
  %part = arith.constant 0.01 : f32
  %e = tensor.empty() : {ONE}
  %f = linalg.fill ins(%zero : f32) outs(%e : {ONE}) -> {ONE}
  %r = linalg.generic {{
      indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ()>],
      iterator_types = [{kinds}]}} ins(%x : {whole}) outs(%f : {ONE}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  }} -> {ONE}
  %m = linalg.generic {{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
                       iterator_types = []}} ins(%r : {ONE}) outs(%e : {ONE}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %part : f32
    linalg.yield %s : f32
  }} -> {ONE}
  func.return %m : {ONE}
}}
"""


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("shape", [(2, 2, 2, 3, 3, 7), (1, 3, 16, 24), (8, 63)])
def test_a_sum_over_all_is_cut_along_its_inner_loops_too(shape: tuple[int, ...], emit):
    """Where one iteration of the outermost loop is too large for the memory."""
    text, memory = mean_of(*shape), "L1=320,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 320
