"""How many layers networks have, and that forming them changes no result."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.parser import Parser

from tests.analysis.set_programs import Program
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

SOFTMAX = (Path(__file__).parent / "softmax_of_logits.mlir").read_text()


def layers_of(text: str) -> dict[int, list[Operation]]:
    """The operations of each layer; layers must be runs, in ascending order."""
    module = Parser(full_context(), text).parse_module()
    MemplanFormLayersPass().apply(full_context(), module)
    module.verify()
    found: dict[int, list[Operation]] = {}
    for op in module.walk():
        layer = op.attributes.get("memplan.layer")
        if isinstance(layer, IntegerAttr):
            assert not found or layer.value.data in (max(found), max(found) + 1)
            found.setdefault(layer.value.data, []).append(op)
    return found


def anchors(layers: dict[int, list[Operation]]) -> Counter[str]:
    """Layers by the first named operation that reduces, or by none."""
    kinds = ("linalg.conv", "linalg.depthwise", "linalg.pooling", "linalg.matmul", "linalg.batch")
    return Counter(
        next((kind for op in ops for kind in kinds if op.name.startswith(kind)), "reduction")
        for ops in layers.values()
    )


def test_resnet50_has_the_layers_of_the_paper() -> None:
    """GraphTurbo, figure 3: 58 kernels, of which flatten is a view here and so no layer.

    53 convolutions, two poolings, the product, and the softmax, which our file has not.
    """
    text = (EXAMPLES / "resnet50.mlir").read_text()
    head, _, tail = text.rpartition("return %")
    logits = "%" + tail.split()[0]
    head = head.removesuffix("func.")
    with_softmax = (
        f"{head}{SOFTMAX.replace('LOGITS', logits)}    func.return %sm_y {tail[tail.index(':') :]}"
    )
    layers = layers_of(with_softmax)
    assert anchors(layers) == {
        "linalg.conv": 53,
        "linalg.pooling": 1,
        "reduction": 2,
        "linalg.matmul": 1,
    }
    flatten = [op for ops in layers.values() for op in ops if op.name == "tensor.collapse_shape"]
    assert len(layers) + len(flatten) == 58


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ("squeezenet1_1", {"linalg.conv": 26, "linalg.pooling": 3, "reduction": 1}),
        (
            "vit_b_16",  # 25 normalisations, 12 softmaxes, 12 transposes
            {"linalg.conv": 1, "linalg.matmul": 49, "linalg.batch": 24, "reduction": 49},
        ),
    ],
)
def test_networks(network: str, expected: dict[str, int]) -> None:
    assert anchors(layers_of((EXAMPLES / f"{network}.mlir").read_text())) == expected


def test_results_stay() -> None:
    for seed in range(30):
        program = Program(seed, is_chain=False)
        module: ModuleOp = Parser(full_context(), program.text()).parse_module()
        arguments: list[Any] = [
            np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
            for rows, columns in program.arguments
        ]
        (expected,) = run(module, arguments)
        MemplanFormLayersPass().apply(full_context(), module)
        module.verify()
        (result,) = run(module, arguments)
        assert np.array_equal(result, expected)


def test_what_reads_a_returned_transposition_is_no_earlier_layer() -> None:
    """As heads of a detector, each returned, and all of them side by side."""
    source, turned, both = "tensor<4x6xf32>", "tensor<6x4xf32>", "tensor<12x4xf32>"
    heads = "\n".join(
        f"""
  %d{i} = tensor.empty() : {source}
  %f{i} = linalg.fill ins(%zero : f32) outs(%d{i} : {source}) -> {source}
  %p{i} = linalg.matmul ins(%x, %w{i} : tensor<4x5xf32>, tensor<5x6xf32>) outs(%f{i} : {source})
      -> {source}
  %e{i} = tensor.empty() : {turned}
  %t{i} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>,
                                          affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}}
      ins(%p{i} : {source}) outs(%e{i} : {turned}) {{
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }} -> {turned}"""
        for i in (0, 1)
    )
    weights = "%w0: tensor<5x6xf32>, %w1: tensor<5x6xf32>"
    results = f"{turned}, {turned}, {both}"
    layers = layers_of(f"""
func.func @main(%x: tensor<4x5xf32>, {weights}) -> ({results}) {{
  %zero = arith.constant 0.0 : f32
{heads}
  %y = tensor.concat dim(0) %t0, %t1 : ({turned}, {turned}) -> {both}
  func.return %t0, %t1, %y : {results}
}}
""")
    layer = {op.name: number for number, ops in layers.items() for op in ops}
    assert layer["tensor.concat"] == max(layers)


def test_what_repeats_elements_is_of_the_layer_that_reads_it() -> None:
    """As the pooled features of a point cloud, beside those of each point.

    Who stores them for another group then stores each once.
    """
    few, many, out = "tensor<4x6xf32>", "tensor<4x5x6xf32>", "tensor<4x5xf32>"
    layers = layers_of(
        f"""
func.func @main(%x: tensor<4x3xf32>, %w: tensor<3x6xf32>) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : {few}
  %f = linalg.fill ins(%zero : f32) outs(%d : {few}) -> {few}
  %p = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x6xf32>) outs(%f : {few}) -> {few}
  %n = linalg.exp ins(%p : {few}) outs(%d : {few}) -> {few}
  %e = tensor.empty() : {many}
  %r = linalg.broadcast ins(%n : {few}) outs(%e : {many}) dimensions = [1]
  %c = linalg.exp ins(%r : {many}) outs(%e : {many}) -> {many}
  %g = tensor.empty() : {out}
  %h = linalg.fill ins(%zero : f32) outs(%g : {out}) -> {out}
  %s = linalg.reduce {{ arith.addf }} ins(%c : {many}) outs(%h : {out}) dimensions = [2]
  func.return %s : {out}
}}"""
    )
    names = [[op.name for op in ops] for ops in layers.values()]
    assert names == [
        ["linalg.matmul", "linalg.exp"],
        ["linalg.broadcast", "linalg.exp", "linalg.reduce"],
    ]
