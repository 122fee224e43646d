"""What may be moved, computed twice or left out, and what must stay."""

import pytest
from xdsl.ir import Operation
from xdsl.parser import Parser

from xdsl_memplan.analysis.side_effects import must_keep_order, only_asserts
from xdsl_memplan.dialects.tiling_models.structured import may_run_again
from xdsl_memplan.native.context import full_context

SAME = "affine_map<(i) -> (i)>"


def mapped(body: str) -> str:
    return (
        f'%r = linalg.generic {{indexing_maps = [{SAME}, {SAME}], iterator_types = ["parallel"]}} '
        "ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {\n^bb0(%p: f32, %o: f32):\n"
        f"{body}\nlinalg.yield %p : f32\n}} -> tensor<4xf32>"
    )


def first_op(text: str) -> Operation:
    module = f"func.func @main(%x: tensor<4xf32>, %m: memref<f32>, %b: i1) {{\n{text}\nreturn\n}}"
    parsed = Parser(full_context(allow_unregistered=True), module).parse_module()
    [function] = parsed.body.block.ops
    return next(iter(function.regions[0].block.ops))


@pytest.mark.parametrize(
    ("text", "keeps_order", "asserts_at_most"),
    [
        ("%e = tensor.empty() : tensor<4xf32>", False, True),
        (mapped("%q = arith.addf %p, %p : f32"), False, True),
        ('cf.assert %b, "no"', True, True),
        (mapped('cf.assert %b, "no"'), True, True),
        ("%v = memref.load %m[] : memref<f32>", True, False),
        (mapped("memref.store %p, %m[] : memref<f32>"), True, False),
        # Nothing is known of operations that are not registered, not even that they have a trait.
        ('%v = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>', True, False),
        (mapped('"foo.bar"() : () -> ()'), True, False),
    ],
)
def test_what_must_keep_its_order(text: str, keeps_order: bool, asserts_at_most: bool):
    op = first_op(text)
    assert must_keep_order(op) == keeps_order
    assert only_asserts(op) == asserts_at_most


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%q = arith.addf %p, %p : f32", True),
        ('%q = "foo.bar"(%p) : (f32) -> f32', False),
        ("memref.store %p, %m[] : memref<f32>", False),
    ],
)
def test_what_may_run_again(body: str, expected: bool):
    assert may_run_again(first_op(mapped(body))) == expected
