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
