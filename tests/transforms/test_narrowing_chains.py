"""Sums of quantized layers that exist for a slice of the features only."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from tests.transforms.quantized_networks import QuantizedNetwork, quantized_network
from tests.transforms.test_model_peak import Emit, Stage, group, plan
from tests.transforms.test_region_moves import parse
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.model.narrowing_chains import narrowing_chains
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def chains_of(text: str) -> list[tuple[list[str], int]]:
    """For each chain the names of its operations, and the features of a slice."""
    module = parse(text)
    MemplanFormLayersPass().apply(Context(), module)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    graph = FunctionSplitGraph.of(function).graph
    return [
        ([graph.ops[link.op].name.removeprefix("linalg.") for link in chain.links], chain.size)
        for chain in narrowing_chains(graph)
    ]


def numbers_for(module: ModuleOp) -> list[np.ndarray]:
    """Bytes and 32-bit numbers, small enough for no sum to overflow."""
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    random = np.random.default_rng(1)
    arrays: list[np.ndarray] = []
    for type_ in function.function_type.inputs:
        assert isinstance(type_, TensorType)
        assert isinstance(type_.element_type, IntegerType)
        dtype = np.int8 if type_.element_type.width.data == 8 else np.int32
        arrays.append(random.integers(-100, 100, type_.get_shape()).astype(dtype))
    return arrays


def one_layer(features: int, *, reads_sums_again: bool = False) -> str:
    n = QuantizedNetwork(0)
    sums = n.convolution(n.argument((1, 4, 4, 8)), features, 1)
    made = n.narrowed(sums, "i8")
    if reads_sums_again:
        made = n.narrowed(sums, "i8", made)
    return n.text(made)


def test_a_chain_begins_where_sums_do():
    [(names, size)] = chains_of(one_layer(24))
    assert names == ["generic", "conv_2d_nhwc_fhwc", "generic"]
    assert size == 8


def test_large_layers_have_no_more_than_32_slices():
    [(_, size)] = chains_of(one_layer(1000))
    assert size == 32


def test_a_slice_of_few_features_is_all_of_them():
    assert chains_of(one_layer(8)) == []


def test_sums_that_are_read_twice_stay():
    assert chains_of(one_layer(24, reads_sums_again=True)) == []


def test_a_reshape_is_part_of_a_chain():
    n = QuantizedNetwork(0)
    x = n.argument((1, 4, 4, 24))
    [(names, _)] = chains_of(n.text(n.narrowed(n.depthwise(x), "i8")))
    assert names == ["depthwise_conv_2d_nhwc_hwcm", "tensor.collapse_shape", "generic"]


PEAK: tuple[str, str, Stage] = ("peak", "L1:align=1,DDR", "none")
TRAFFIC: tuple[str, str, Stage] = ("traffic", "L1=1200:align=16,DDR", "all")


@pytest.mark.parametrize(
    ("seed", "memory", "emit"),
    [
        (7, PEAK, "auto"),
        (2, TRAFFIC, "loop"),
        (3, TRAFFIC, "unroll"),
        (11, PEAK, "auto"),
        (5, TRAFFIC, "loop"),  # Tiles of features, which are sliced again.
    ],
)
def test_slices_compute_the_same(seed: int, memory: tuple[str, str, Stage], emit: Emit):
    text = quantized_network(seed, 3)
    module = group(text, *memory)
    assert any(op.sliced is not None for op in module.walk() if isinstance(op, GroupOp))
    inputs = numbers_for(module)
    expected = run(parse(text), inputs)
    MemplanExpandGroupsPass(emit=emit).apply(Context(), module)
    for mine, whole in zip(run(module, inputs), expected, strict=True):
        np.testing.assert_array_equal(mine, whole)


@pytest.mark.parametrize("seed", range(20, 40))
def test_buffers_take_no_more_than_was_counted(seed: int):
    objective, memory, stage = PEAK if seed % 2 else TRAFFIC
    module = group(quantized_network(seed, 3), objective, memory, stage, chains=seed % 3 == 0)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    limit = "L1:align=16,DDR" if objective == "traffic" else memory
    assert plan(module, "loop", limit) <= counted


def test_where_there_is_room_sums_are_whole():
    module = parse(one_layer(24))
    MemplanFormLayersPass().apply(Context(), module)
    MemplanGroupPass(memory="L1=64KiB,DDR", stage="all").apply(Context(), module)
    assert not any(op.sliced is not None for op in module.walk() if isinstance(op, GroupOp))


def residual_blocks() -> str:
    """Two bottlenecks with windows of 3 x 3, each with what it read added to it."""
    n = QuantizedNetwork(0)
    x = n.narrowed(n.convolution(n.argument((1, 4, 4, 3)), 64, 1), "i8")
    for _ in range(2):
        narrow = n.narrowed(n.convolution(x, 8, 1), "i8")
        narrow = n.narrowed(n.convolution(narrow, 8, 3), "i8")
        x = n.narrowed(n.convolution(narrow, 64, 1), "i8", x)
    return n.text(n.narrowed(n.convolution(x, 8, 1), "i8"))


def test_slices_are_written_over_what_an_earlier_group_made():
    """The last layer of a block is a group of its own, and is added to what it reads last."""
    text = residual_blocks()
    module = group(text, *PEAK, chains=True)
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    assert any(op.sliced is not None and not op.cuts for op in groups)
    counted = max(op.cost.cost.peak for op in groups)
    inputs = numbers_for(module)
    expanded = module.clone()
    MemplanExpandGroupsPass(emit="loop").apply(Context(), expanded)
    np.testing.assert_array_equal(run(expanded, inputs)[0], run(parse(text), inputs)[0])
    assert plan(module, "loop", PEAK[1]) <= counted


def test_what_is_read_again_is_not_written_over():
    """A block whose input is also added to the result of the next one."""
    n = QuantizedNetwork(0)
    x = n.narrowed(n.convolution(n.argument((1, 4, 4, 3)), 32, 1), "i8")
    first = n.narrowed(n.convolution(n.narrowed(n.convolution(x, 8, 3), "i8"), 32, 1), "i8", x)
    last = n.narrowed(n.convolution(n.narrowed(n.convolution(first, 8, 3), "i8"), 32, 1), "i8", x)
    module = group(n.text(last), *PEAK, chains=True)
    inputs = numbers_for(module)
    expected = run(parse(n.text(last)), inputs)[0]
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    expanded = module.clone()
    MemplanExpandGroupsPass(emit="loop").apply(Context(), expanded)
    np.testing.assert_array_equal(run(expanded, inputs)[0], expected)
    assert plan(module, "loop", PEAK[1]) <= counted
