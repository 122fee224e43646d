"""The interpreter itself: views share bytes, what nobody wrote shows, errors are told."""

from typing import Any

import numpy as np
import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import InterpretationError

from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context


def run_text(text: str, *arguments: Any, function: str | None = None) -> list[Any]:
    module = Parser(full_context(), text).parse_module()
    module.verify()
    return run(module, arguments, function)


X = np.arange(6, dtype=np.float32)


def test_a_subview_shares_the_bytes_of_its_source():
    text = """
    func.func @f(%m: memref<6xf32>, %v: f32) -> memref<6xf32> {
      %c1 = arith.constant 1 : index
      %part = memref.subview %m[1] [2] [3] : memref<6xf32> to memref<2xf32, strided<[3], offset: 1>>
      memref.store %v, %part[%c1] : memref<2xf32, strided<[3], offset: 1>>
      func.return %m : memref<6xf32>
    }"""
    [found] = run_text(text, X, 9.0)
    assert list(found) == [0, 1, 2, 3, 9, 5]


def test_arguments_are_not_changed():
    text = """
    func.func @f(%m: memref<6xf32>, %v: f32) {
      linalg.fill ins(%v : f32) outs(%m : memref<6xf32>)
      func.return
    }"""
    x = X.copy()
    assert run_text(text, x, 9.0) == []
    assert list(x) == list(X)


def test_views_of_one_arena_alias():
    text = """
    func.func @f(%v: f32) -> memref<2xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %arena = memref.alloc() : memref<12xi8>
      %a = memref.view %arena[%c0][] : memref<12xi8> to memref<2xf32>
      %b = memref.view %arena[%c4][] : memref<12xi8> to memref<2xf32>
      linalg.fill ins(%v : f32) outs(%a : memref<2xf32>)
      memref.store %zero, %b[%c0] : memref<2xf32>
      func.return %a : memref<2xf32>
    }"""
    [found] = run_text(text, 9.0)
    assert list(found) == [9, 0]


def test_reinterpret_cast_has_strides():
    text = """
    func.func @f(%m: memref<6xf32>) -> memref<2x2xf32, strided<[1, 3], offset: 1>> {
      %t = memref.reinterpret_cast %m to offset: [1], sizes: [2, 2], strides: [1, 3] : memref<6xf32> to memref<2x2xf32, strided<[1, 3], offset: 1>>
      func.return %t : memref<2x2xf32, strided<[1, 3], offset: 1>>
    }"""  # noqa: E501
    [found] = run_text(text, X)
    assert found.tolist() == [[1, 4], [2, 5]]


def test_a_global_keeps_what_is_written_between_calls():
    text = """
    "memref.global"() <{sym_name = "g", sym_visibility = "private", type = memref<1xi32>, initial_value = dense<5> : tensor<1xi32>}> : () -> ()
    func.func private @next() -> i32 {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %g = memref.get_global @g : memref<1xi32>
      %old = memref.load %g[%c0] : memref<1xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %g[%c0] : memref<1xi32>
      func.return %new : i32
    }
    func.func @f() -> i32 {
      %a = func.call @next() : () -> i32
      %b = func.call @next() : () -> i32
      func.return %b : i32
    }"""  # noqa: E501
    assert run_text(text) == [7]


@pytest.mark.parametrize(
    "make",
    [
        "memref.alloc() : memref<2xf32>",
        "memplan.buffer @M size 8 alignment 4 : memref<2xf32>",
        "memplan.buffer @M size 8 alignment 4 lifetime <0 : i64, 1 : i64> offset 4 : memref<2xf32>",
    ],
)
def test_what_nobody_wrote_is_nan(make: str):
    text = f"""
    memplan.arena @M
    func.func @f() -> memref<2xf32> {{
      %m = {make}
      func.return %m : memref<2xf32>
    }}"""
    assert np.isnan(run_text(text)[0]).all()


def test_a_buffer_in_a_loop_is_one_storage():
    text = """
    memplan.arena @M
    func.func @f() -> i32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %i0 = arith.constant 0 : i32
      %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%seen = %i0) -> (i32) {
        %m = memplan.buffer @M size 4 alignment 4 : memref<1xi32>
        %old = memref.load %m[%c0] : memref<1xi32>
        %n = arith.index_cast %i : index to i32
        memref.store %n, %m[%c0] : memref<1xi32>
        scf.yield %old : i32
      }
      func.return %last : i32
    }"""
    assert run_text(text) == [1]


def test_dynamic_sizes():
    text = """
    func.func @f(%t: tensor<?xf32>) -> (tensor<?xf32>, index) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.add ins(%t, %t : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      func.return %r, %n : tensor<?xf32>, index
    }"""  # noqa: E501
    found, size = run_text(text, X)
    assert list(found) == list(2 * X)
    assert size == 6


def test_integers_and_halves():
    text = """
    func.func @f(%a: tensor<2xi8>, %b: tensor<2xi8>, %out: tensor<i32>, %h: tensor<2xf16>) -> (tensor<i32>, tensor<2xf16>) {
      %d = linalg.dot ins(%a, %b : tensor<2xi8>, tensor<2xi8>) outs(%out : tensor<i32>) -> tensor<i32>
      %s = linalg.square ins(%h : tensor<2xf16>) outs(%h : tensor<2xf16>) -> tensor<2xf16>
      func.return %d, %s : tensor<i32>, tensor<2xf16>
    }"""  # noqa: E501
    a = np.array([100, -100], np.int8)
    dot, squares = run_text(text, a, a, np.array(1, np.int32), np.array([0.5, 3], np.float16))
    assert dot == 20001
    assert squares.tolist() == [0.25, 9]
    assert squares.dtype == np.float16


def test_a_view_outside_of_its_arena_is_an_error():
    text = """
    func.func @f() -> memref<2xf32> {
      %c8 = arith.constant 8 : index
      %arena = memref.alloc() : memref<12xi8>
      %a = memref.view %arena[%c8][] : memref<12xi8> to memref<2xf32>
      func.return %a : memref<2xf32>
    }"""
    with pytest.raises(InterpretationError, match="a view of 8 bytes in 4"):
        run_text(text)


def test_a_failed_assertion_is_an_error():
    text = """
    func.func @f(%c: i1) {
      cf.assert %c, "must hold"
      func.return
    }"""
    assert run_text(text, True) == []
    with pytest.raises(InterpretationError, match="assertion failed: must hold"):
        run_text(text, False)


def test_the_function_has_to_be_clear():
    text = "func.func @f() { func.return }\nfunc.func @g() { func.return }"
    with pytest.raises(InterpretationError, match="say which function to run: f, g"):
        run_text(text)
    assert run_text(text, function="g") == []


@pytest.mark.parametrize("size", [1, 8], ids=["one-by-one", "whole-arrays"])
def test_each_result_is_rounded_to_its_type(size: int):
    """Half of the last bit added twice to one is lost twice; with 64 bits it would show."""
    kind = f"tensor<{size}xf32>"
    text = f"""
    func.func @f(%x: {kind}, %y: {kind}) -> {kind} {{
      %e = tensor.empty() : {kind}
      %z = linalg.generic {{
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}} ins(%x, %y : {kind}, {kind}) outs(%e : {kind}) {{
      ^bb0(%p: f32, %q: f32, %o: f32):
        %s = arith.addf %p, %q : f32
        %t = arith.addf %s, %q : f32
        linalg.yield %t : f32
      }} -> {kind}
      func.return %z : {kind}
    }}"""
    ones, halves = np.full(size, 1, np.float32), np.full(size, 2.0**-24, np.float32)
    [found] = run_text(text, ones, halves)
    assert list(found) == [1] * size


def test_a_product_is_rounded_before_it_is_added():
    text = """
    func.func @f(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>, %c: tensor<5x6xf32>)
        -> tensor<5x6xf32> {
      %d = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x6xf32>)
        outs(%c : tensor<5x6xf32>) -> tensor<5x6xf32>
      func.return %d : tensor<5x6xf32>
    }"""
    random = np.random.default_rng(0)
    a, b, c = (
        random.standard_normal(shape).astype(np.float32) for shape in ((5, 7), (7, 6), (5, 6))
    )
    expected = c.copy()
    for k in range(7):
        expected += a[:, k : k + 1] * b[k]
    [found] = run_text(text, a, b, c)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", ["", "1x", "2x3x"])
def test_a_splat_has_any_shape(shape: str):
    text = f"""
    func.func @f() -> tensor<{shape}f32> {{
      %c = arith.constant dense<2.0> : tensor<{shape}f32>
      func.return %c : tensor<{shape}f32>
    }}"""
    [found] = run_text(text)
    assert found.shape == tuple(map(int, shape.split("x")[:-1]))
    assert (found == 2).all()
