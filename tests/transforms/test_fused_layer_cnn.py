"""Figures of "Fused-Layer CNN Accelerators" (Alwani et al., MICRO 2016): VGG-E's first layers.

Five convolutions and two poolings on 224x224, f32. The paper fuses all of them: 3.6 MB of feature
maps move for each image, and 362 KB on chip keep what neighbouring tiles both need.
"""

from functools import cache
from itertools import pairwise

import pytest
from xdsl.dialects.func import FuncOp

from tests.transforms.test_split_programs import Network, in_layers
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.model.tiling_plan import GroupLayout, LoopCut
from xdsl_memplan.scheduling.splitting import SplitMachine, find_groups, lay_out

IMAGE, RESULT = 3 * 224 * 224 * 4, 256 * 56 * 56 * 4
FEATURES = [3, 64, 64, 128, 128, 256]
WEIGHTS = sum(before * after * 9 * 4 for before, after in pairwise(FEATURES))
MULTIPLY_ADDS = 5_635_768_320


@cache
def vgg_e() -> SplitGraph:
    n = Network()
    x = n.argument(1, 3, 224, 224)
    for features, is_pooled in ((64, False), (64, True), (128, False), (128, True), (256, False)):
        x = n.relu(n.conv(x, features))
        x = n.pool(x) if is_pooled else x
    [function] = [op for op in in_layers(n.text(x)).walk() if isinstance(op, FuncOp)]
    return FunctionSplitGraph.of(function).graph


def overlap_bytes(graph: SplitGraph, layout: GroupLayout) -> int:
    """Bytes kept from one tile to the next, of the tile that keeps most, for a single cut."""
    found = 0
    for tensor, spans in layout.tensors.items():
        if not any(span.driven for span in spans):
            continue  # Weights, which no cut of rows reaches.
        size = graph.tensors[tensor].element_bytes
        for driven, first, second in spans:
            if driven:
                track = layout.tracks[first][second]
                overlaps = map(track.overlap, range(len(track.new)))
                size *= max(stop - start for start, stop in overlaps)
            else:
                size *= second - first
        found += size
    return found


def test_one_group_keeps_two_rows_of_each_padded_input():
    """362 KB: the overlaps are 355,632 bytes, the rest is the paper's working tile."""
    graph = vgg_e()
    last = len(graph.ops) - 1
    rows = LoopCut("result", last, 2, 1, 0, halo="cache")
    layout = lay_out(graph, SplitMachine(None, 1, is_staged=True), last, [rows], [])
    # Padded inputs of the convolutions: width, features.
    inputs = [(226, 3), (226, 64), (114, 64), (114, 128), (58, 128)]
    assert sum(2 * width * features * 4 for width, features in inputs) == 355_632
    assert overlap_bytes(graph, layout) == 355_632
    assert layout.cost.work == MULTIPLY_ADDS
    assert layout.cost.traffic == RESULT


def test_the_search_moves_the_image_and_the_result_only():
    """3.6 MB: 3,813,376 bytes, each once; weights, which the paper leaves out, once too."""
    assert IMAGE + RESULT == 3_813_376
    machine = SplitMachine(4 << 20, 64, is_staged=True, stages_arguments=True)
    groups, _ = find_groups(vgg_e(), machine, "traffic")
    assert sum(group.cost.traffic for group in groups) == 3_813_376 + WEIGHTS
    assert sum(group.cost.work for group in groups) <= 1.1 * MULTIPLY_ADDS


@pytest.mark.parametrize(
    ("capacity", "between"),
    [(500_000, 0), (370_688, 128 * 56 * 56 * 4)],
    ids=["one group", "362 KiB"],
)
def test_room_for_windows_and_overlaps_with_weights_elsewhere(capacity: int, between: int):
    """All is one group from 499,136 bytes on; at 362 KiB the last pooled tensor moves as well."""
    machine = SplitMachine(capacity, 64, is_staged=True)
    groups, _ = find_groups(vgg_e(), machine, "traffic")
    assert sum(group.cost.traffic for group in groups) == RESULT + 2 * between
    assert all(group.cost.peak <= capacity for group in groups)
    assert sum(group.cost.work for group in groups) <= 1.1 * MULTIPLY_ADDS
