"""A contraction alone, of two arguments: it moves little more than it must, and computes the same.

What must move is a bound of its own (`model/capacity_bound.py`), proved without any tiles.
"""

from typing import NamedTuple

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp

from tests.transforms.test_split_programs import Emit, arrays_for, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, TRAFFIC
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


class Contraction(NamedTuple):
    """Indices of two factors and of the result, and the extent of each loop."""

    factors: tuple[str, str]
    result: str
    extents: dict[str, int]

    def text(self) -> str:
        """A function of the two factors; loops that are not in the result are summed up."""
        loops = list(self.extents)
        maps = ", ".join(
            f"affine_map<({', '.join(loops)}) -> ({indices})>"
            for indices in (*self.factors, self.result)
        )
        kinds = ", ".join(
            f'"{"parallel" if loop in self.result else "reduction"}"' for loop in loops
        )
        first, second, result = map(self.type, (*self.factors, self.result))
        return f"""
        func.func @main(%a: {first}, %b: {second}) -> {result} {{
          %zero = arith.constant 0.0 : f32
          %empty = tensor.empty() : {result}
          %sums = linalg.fill ins(%zero : f32) outs(%empty : {result}) -> {result}
          %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
            ins(%a, %b : {first}, {second}) outs(%sums : {result}) {{
          ^bb0(%p: f32, %q: f32, %s: f32):
            %m = arith.mulf %p, %q : f32
            %t = arith.addf %s, %m : f32
            linalg.yield %t : f32
          }} -> {result}
          func.return %r : {result}
        }}"""

    def type(self, indices: str) -> str:
        """The type of what the indices, such as `c, y + k`, go through."""
        sizes = [
            1 + sum(self.extents[loop] - 1 for loop in index.split(" + "))
            for index in indices.split(", ")
        ]
        return f"tensor<{'x'.join(map(str, sizes))}xf32>"


def contraction(first: str, second: str, result: str, **extents: int) -> Contraction:
    return Contraction((first, second), result, extents)


CONTRACTIONS = {
    "product": contraction("i, k", "k, j", "i, j", i=48, j=40, k=36),
    "transposed": contraction("k, i", "j, k", "i, j", i=48, j=40, k=36),
    "side_by_side": contraction("b, i, k", "b, k, j", "b, i, j", b=3, i=24, j=20, k=16),
    "batch": contraction("b, i, k", "k, j", "b, i, j", b=4, i=20, j=32, k=24),
    "row": contraction("c, x + k", "f, c, k", "f, x", f=12, x=60, c=12, k=5),
    "window": contraction(
        "c, y + k, x + l", "f, c, k, l", "f, y, x", f=12, y=17, x=19, c=8, k=3, l=3
    ),
    # Windows are summed up first, so that features can only be cut within each of their places.
    "features_last": contraction(
        "y + k, x + l, c", "k, l, c, f", "y, x, f", y=9, x=11, f=16, k=3, l=3, c=48
    ),
    "groups": contraction(
        "g, c, y + k, x + l", "g, f, c, k, l", "g, f, y, x", g=3, f=6, y=11, x=13, c=6, k=3, l=3
    ),
}


@pytest.mark.parametrize("capacity", [1024, 2048, 4096, 8192])
@pytest.mark.parametrize("name", CONTRACTIONS)
def test_it_moves_little_more_than_it_must(name: str, capacity: int) -> None:
    module = in_layers(CONTRACTIONS[name].text())
    # Moves are free and code has no limit: bytes are compared with bytes.
    group = MemplanGroupPass(
        memory=f"L1={capacity},DDR", threads=1, transfer_cost=0, code_cost=0, max_code=0
    )
    group.apply(Context(), module)
    # The bound does not know that tiles of windows overlap, nor the order of a sum.
    times = 7 if name == "features_last" else 3 if "+" in CONTRACTIONS[name].factors[0] else 2
    assert moved(module) <= times * must_move(module)


def test_a_sum_over_two_loops_is_added_up_where_the_result_is() -> None:
    """The result stays on chip as a whole, while both factors come in parts, each once."""
    text = contraction("b, i, k", "b, k, j", "i, j", b=7, i=61, k=67, j=43).text()
    module = in_layers(text)
    MemplanGroupPass(memory="L1=16KiB,DDR", threads=1).apply(Context(), module)
    assert moved(module) == 4 * (7 * 61 * 67 + 7 * 67 * 43 + 61 * 43)


def test_rows_around_features_have_many_sizes() -> None:
    """What is divided by the sum of its row stays on chip while all features come, 48 rows at a
    time, or so; with 16 rows, the size before that was tried after 64, twice as many bytes move."""
    x, w, sums, result = (f"tensor<{t}xf32>" for t in ("384x64", "64x128", "384", "384x128"))
    rows, whole = "affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (i, j)>"
    text = f"""
    func.func @main(%x: {x}, %w: {w}) -> {result} {{
      %zero = arith.constant 0.0 : f32
      %a = tensor.empty() : {sums}
      %b = linalg.fill ins(%zero : f32) outs(%a : {sums}) -> {sums}
      %s = linalg.generic {{indexing_maps = [{whole}, {rows}],
        iterator_types = ["parallel", "reduction"]}} ins(%x : {x}) outs(%b : {sums}) {{
      ^bb0(%p: f32, %q: f32):
        %t = arith.addf %q, %p : f32
        linalg.yield %t : f32
      }} -> {sums}
      %c = tensor.empty() : {x}
      %y = linalg.generic {{indexing_maps = [{whole}, {rows}, {whole}],
        iterator_types = ["parallel", "parallel"]}} ins(%x, %s : {x}, {sums}) outs(%c : {x}) {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %t = arith.divf %p, %q : f32
        linalg.yield %t : f32
      }} -> {x}
      %d = tensor.empty() : {result}
      %z = linalg.fill ins(%zero : f32) outs(%d : {result}) -> {result}
      %r = linalg.matmul ins(%y, %w : {x}, {w}) outs(%z : {result}) -> {result}
      func.return %r : {result}
    }}"""
    module = in_layers(text)
    MemplanGroupPass(memory="L1=16KiB,DDR", threads=1).apply(Context(), module)
    assert moved(module) <= 4 * (384 * 64 + 8 * 64 * 128 + 384 * 128)


def moved(module: ModuleOp) -> int:
    return sum(op.cost.traffic.value.data for op in module.walk() if isinstance(op, GroupOp))


def must_move(module: ModuleOp) -> int:
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    noted = function.attributes[TRAFFIC]
    assert isinstance(noted, DictionaryAttr)
    entries = [noted.data[name] for name in (CAPACITY_FLOOR, FLOOR) if name in noted.data]
    assert isinstance(entries[0], IntegerAttr)
    return entries[0].value.data


COMPUTED = {name: CONTRACTIONS[name] for name in ("side_by_side", "row")} | {
    # Smaller than above: the interpreter takes minutes for a million multiply-adds.
    "groups": contraction(
        "g, c, y + k, x + l", "g, f, c, k, l", "g, f, y, x", g=2, f=6, y=7, x=8, c=6, k=3, l=3
    ),
    "features_last": contraction(
        "y + k, x + l, c", "k, l, c, f", "y, x, f", y=5, x=6, f=12, k=3, l=3, c=20
    ),
}


@pytest.mark.parametrize("capacity", [1024, 4096])
@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("name", COMPUTED)
def test_it_computes_the_same(name: str, emit: Emit, capacity: int) -> None:
    text, memory = COMPUTED[name].text(), f"L1={capacity},DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


@pytest.mark.parametrize("shape", ["64x48", "1x16x10x20", "3072"])
def test_a_sum_of_everything_is_added_up_in_parts(shape: str) -> None:
    loops = ", ".join(f"d{d}" for d in range(shape.count("x") + 1))
    kinds = ", ".join(['"reduction"'] * len(loops.split(",")))
    text = f"""
    func.func @main(%a: tensor<{shape}xf32>) -> tensor<f32> {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<f32>
      %sums = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
      %r = linalg.generic {{
        indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ()>],
        iterator_types = [{kinds}]
      }} ins(%a : tensor<{shape}xf32>) outs(%sums : tensor<f32>) {{
      ^bb0(%p: f32, %s: f32):
        %t = arith.addf %s, %p : f32
        linalg.yield %t : f32
      }} -> tensor<f32>
      func.return %r : tensor<f32>
    }}"""
    module = in_layers(text)
    MemplanGroupPass(memory="L1=2KiB,DDR", threads=1).apply(Context(), module)
    assert moved(module) == must_move(module)
    group = MemplanGroupPass(memory="L1=2KiB,DDR", threads=1)
    assert check(text, arrays_for(parse(text)), group, "loop", "L1=2KiB,DDR") <= 2048
