"""Structured operations on whole arrays give each element the bits that one by one gives it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.interpreter.test_run import run_text
from xdsl_memplan.interpreter import linalg_functions, whole_arrays

SPECIAL = [0.0, -0.0, 1.0, -1.5, 3.0e38, 1.0e-45, float("inf"), float("-inf"), float("nan"), 0.1]
BODIES = [
    "%r = arith.addf %x, %o : f32",
    "%p = arith.mulf %x, %y : f32\n%r = arith.addf %o, %p : f32",
    "%p = arith.subf %y, %x : f32\n%r = arith.maximumf %p, %o : f32",
    "%p = arith.minimumf %x, %y : f32\n%r = arith.negf %p : f32",
    "%r = arith.maximumf %x, %outer : f32",
    "%half = arith.constant 0.5 : f32\n%p = arith.mulf %x, %half : f32\n"
    "%r = arith.minimumf %p, %o : f32",
]
Shape = tuple[int, ...]

Nest = tuple[str, str, str, str, Shape, Shape, Shape]

NESTS: list[Nest] = [
    ("a, b", "a, b", "b, a", "a, b", (3, 4), (4, 3), (3, 4)),
    ("a, b, c", "a, c", "c, b", "a, b", (3, 5), (5, 4), (3, 4)),
    ("a, b, c", "a * 2 + c", "c", "b, a", (7,), (3,), (4, 3)),
    ("a, b, c", "(a + b) floordiv 2, c", "b", "a, c", (4, 3), (3,), (4, 3)),
    ("a, b", "a, b", "b", "a", (4, 6), (6,), (4,)),
    ("a, b", "a, b", "b", "", (4, 6), (6,), ()),
]


def _both(text: str, *arguments: Any) -> tuple[list[Any], list[Any]]:
    def never(*_: object) -> bool:
        return False

    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        whole = run_text(text, *arguments)
        patch.setattr(linalg_functions, "run_whole", never)
        return whole, run_text(text, *arguments)


def _bits(arrays: list[Any]) -> list[bytes]:
    return [np.where(np.isnan(a), np.nan, a).astype(np.float32).tobytes() for a in arrays]


def _t(shape: tuple[int, ...], kind: str = "tensor") -> str:
    return f"{kind}<{''.join(f'{size}x' for size in shape)}f32>"


@pytest.mark.parametrize("most", [whole_arrays._MOST, 20])
@given(nest=st.sampled_from(NESTS), body=st.sampled_from(BODIES), data=st.data())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_elements_have_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, most: int, nest: Nest, body: str, data: st.DataObject
):
    """All steps of a sum at once, or one step or two."""
    monkeypatch.setattr(whole_arrays, "_MOST", most)
    loops, x, y, o, *shapes = nest
    kinds = ", ".join('"parallel"' if loop in o else '"reduction"' for loop in loops.split(", "))
    maps = ", ".join(f"affine_map<({loops}) -> ({to})>" for to in (x, y, o))
    tx, ty, to = map(_t, shapes)
    text = f"""
    func.func @f(%a: {tx}, %b: {ty}, %c: {to}) -> {to} {{
      %outer = arith.constant -0.25 : f32
      %made = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
          ins(%a, %b : {tx}, {ty}) outs(%c : {to}) {{
      ^bb0(%x: f32, %y: f32, %o: f32):
        {body}
        linalg.yield %r : f32
      }} -> {to}
      func.return %made : {to}
    }}"""
    number = st.sampled_from(SPECIAL) | st.floats(width=32)
    values = [
        np.array(data.draw(st.lists(number, min_size=n, max_size=n)), np.float32).reshape(shape)
        for shape in shapes
        for n in [int(np.prod(shape))]
    ]
    whole, single = _both(text, *values)
    assert _bits(whole) == _bits(single)


def _running_sum(first: int) -> str:
    """Element by element of what may lie in the same bytes, one element further on."""
    part = f"memref<7xf32, strided<[1], offset: {first}>>"
    return f"""
    func.func @f(%m: memref<8xf32>) -> memref<8xf32> {{
      %x = memref.subview %m[0] [7] [1] : memref<8xf32> to memref<7xf32, strided<[1]>>
      %o = memref.subview %m[{first}] [7] [1] : memref<8xf32> to {part}
      linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
                      iterator_types = ["parallel"]}}
          ins(%x : memref<7xf32, strided<[1]>>) outs(%o : {part}) {{
      ^bb0(%i: f32, %j: f32):
        %s = arith.addf %i, %j : f32
        linalg.yield %s : f32
      }}
      func.return %m : memref<8xf32>
    }}"""


@pytest.mark.parametrize(("first", "last"), [(0, 14.0), (1, 28.0)])
def test_what_was_written_for_one_element_is_read_for_the_next(first: int, last: float):
    """A plan that puts buffers over one another must not look right."""
    x = np.arange(8, dtype=np.float32)
    whole, single = _both(_running_sum(first), x)
    assert _bits(whole) == _bits(single)
    assert whole[0][7 - (1 - first)] == (12.0 if first == 0 else last)


def test_sums_of_what_they_are_written_over():
    """An operand that is the output changes with every step."""
    text = """
    func.func @f(%m: memref<5xf32>, %y: memref<5x3xf32>) -> memref<5xf32> {
      linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>,
                                       affine_map<(a, b) -> (a)>],
                      iterator_types = ["parallel", "reduction"]}
          ins(%m, %y : memref<5xf32>, memref<5x3xf32>) outs(%m : memref<5xf32>) {
      ^bb0(%x: f32, %z: f32, %o: f32):
        %p = arith.mulf %x, %z : f32
        %s = arith.addf %p, %o : f32
        linalg.yield %s : f32
      }
      func.return %m : memref<5xf32>
    }"""
    numbers = np.random.default_rng(1).standard_normal((5, 4)).astype(np.float32)
    whole, single = _both(text, numbers[:, 0].copy(), numbers[:, 1:].copy())
    assert _bits(whole) == _bits(single)


INTEGER_BODIES = [
    "%a = arith.extsi %x : i8 to i32\n%b = arith.muli %a, %y : i32\n%r = arith.addi %b, %o : i32",
    "%a = arith.muli %y, %y : i32\n%b = arith.shrsi %a, %outer : i32\n"
    "%c = arith.trunci %b : i32 to i8\n%d = arith.maxsi %c, %x : i8\n"
    "%r = arith.extsi %d : i8 to i32",
    "%low = arith.constant -3 : i32\n%a = arith.minsi %y, %o : i32\n%r = arith.subi %low, %a : i32",
]


@given(
    st.sampled_from(INTEGER_BODIES),
    *(
        st.lists(st.integers(-(1 << b - 1), (1 << b - 1) - 1), min_size=n, max_size=n)
        for b, n in ((8, 12), (32, 4), (32, 3))
    ),
)
@settings(deadline=None)
def test_integers_are_the_same(body: str, x: list[int], y: list[int], o: list[int]):
    """Of any size: what has too many bits for its type loses the first ones."""
    maps = ", ".join(f"affine_map<(a, b) -> ({to})>" for to in ("a, b", "b", "a"))
    tx, ty, to = "tensor<3x4xi8>", "tensor<4xi32>", "tensor<3xi32>"
    text = f"""
    func.func @f(%xs: {tx}, %ys: {ty}, %os: {to}) -> {to} {{
      %outer = arith.constant 5 : i32
      %made = linalg.generic {{indexing_maps = [{maps}],
                              iterator_types = ["parallel", "reduction"]}}
          ins(%xs, %ys : {tx}, {ty}) outs(%os : {to}) {{
      ^bb0(%x: i8, %y: i32, %o: i32):
        {body}
        linalg.yield %r : i32
      }} -> {to}
      func.return %made : {to}
    }}"""
    values = np.array(x, np.int8).reshape(3, 4), np.array(y, np.int32), np.array(o, np.int32)
    whole, single = _both(text, *values)
    np.testing.assert_array_equal(whole[0], single[0])
    assert whole[0].dtype == single[0].dtype == np.int32
