"""Small programs compute the same before and after the passes, with memory that really aliases.

Each kernel runs as it is (checked against numpy), after memplan-bufferize, after the pipeline
with planned buffers, and after conversion to memref; the results are equal bit for bit.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context

KERNELS = Path(__file__).parent / "kernels"
Arrays = list[Any]


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def conv_pool(x: Any, w: Any, b: Any) -> Any:
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    conv = np.empty((1, 3, 3, 3))
    for i, j in np.ndindex(3, 3):
        window = padded[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
        conv[:, :, i, j] = np.tensordot(window, w, ([1, 2, 3], [1, 2, 3])) + b
    windows = [conv[:, :, i : i + 2, j : j + 2] for i in (0, 1) for j in (0, 1)]
    return np.stack([w.max(axis=(2, 3)) for w in windows], -1).reshape(1, 3, 2, 2)


def slices(x: Any) -> Any:
    exp, twice = np.exp(x[:, :3]), 2 * x[:, 3:]
    return np.hstack([twice, exp]), np.hstack([exp, twice]).reshape(24)


def branches(x: Any, y: Any) -> Any:
    total = x + y
    return (np.exp(total) if x[0] > 0 else total) * total


def calls(x: Any, y: Any) -> Any:
    kept = x * y
    return (kept * kept + 1 - kept) - (y * y + 1) + kept


def reductions(q: Any, k: Any) -> Any:
    scores = q @ k.transpose(0, 2, 1)
    return scores, scores.sum(axis=2)


REFERENCES: dict[str, tuple[list[tuple[int, ...]], Callable[..., Any]]] = {
    "matmul_relu_residual": (
        [(4, 4), (4, 4), (4,)],
        lambda x, w, b: np.maximum(x @ w + b, 0) + x,
    ),
    "softmax": ([(3, 5)], softmax),
    "conv_pool": ([(1, 2, 6, 6), (3, 2, 3, 3), (3,)], conv_pool),
    "slices": ([(4, 6)], slices),
    "loop": ([(5, 4), (4,)], lambda x, init: init + np.exp(x).sum(axis=0)),
    "branches": ([(4,), (4,)], branches),
    "branch_into_input": (
        [(4,), (4,)],
        lambda x, y: np.exp(y) - np.abs(x) if x[0] > 0 else np.abs(x),
    ),
    "calls": ([(8,), (8,)], calls),
    "reductions": ([(2, 3, 4), (2, 3, 4)], reductions),
    "gather": ([(6, 4)], lambda table, rows: (2 * table[rows]) ** 2),
}
"""Shapes of the inputs, and what numpy computes."""


def inputs_of(kernel: str) -> Arrays:
    random = np.random.default_rng(7)
    shapes, _ = REFERENCES[kernel]
    arrays: Arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    return [*arrays, np.array([4, 0, 4])] if kernel == "gather" else arrays


def parse(kernel: str) -> tuple[Context, ModuleOp]:
    context = full_context()
    return context, Parser(context, (KERNELS / f"{kernel}.mlir").read_text()).parse_module()


def after(kernel: str, pipeline: str) -> ModuleOp:
    """The kernel after a pipeline of passes, verified."""
    context, module = parse(kernel)
    passes = PassPipeline.parse_spec(Universe.get_multiverse().all_passes, pipeline)
    passes.apply(context, module)
    module.verify()
    return module


def assert_same(found: Arrays, expected: Arrays) -> None:
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kernel", REFERENCES)
def test_tensor_ir_computes_what_numpy_computes(kernel: str):
    _, module = parse(kernel)
    inputs = inputs_of(kernel)
    expected = REFERENCES[kernel][1](*inputs)
    found = run(module, inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


PLANNED = "memplan-bufferize,memplan-annotate-lifetimes,memplan-assign-offsets"


@pytest.mark.parametrize(
    "pipeline",
    [
        "memplan-bufferize",
        PLANNED,
        f"{PLANNED},memplan-verify,convert-memplan-to-memref",
        "memplan-pipeline",
    ],
)
@pytest.mark.parametrize("kernel", REFERENCES)
def test_passes_do_not_change_results(kernel: str, pipeline: str):
    _, module = parse(kernel)
    inputs = inputs_of(kernel)
    assert_same(run(after(kernel, pipeline), inputs), run(module, inputs))


@pytest.mark.parametrize("kernel", ["softmax", "calls", "slices", "reductions"])
def test_buffers_that_overlap_give_other_results(kernel: str):
    """All buffers at offset 0: the interpreter shows what the verifiers would refuse."""
    _, module = parse(kernel)
    wrong = after(kernel, PLANNED)
    buffers = [op for op in wrong.walk() if isinstance(op, BufferOp)]
    assert len(buffers) > 1
    for buffer in buffers:
        buffer.offset = IntegerAttr(0, i64)
    inputs = inputs_of(kernel)
    expected = run(module, inputs)
    found = run(wrong, inputs)
    assert any(not np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
