"""Groups that are given instead of searched for: by GraphTurbo's rules, and by hand."""

from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_fused_layer_cnn import vgg_e
from tests.transforms.test_region_moves import arena_bytes
from tests.transforms.test_split_programs import Network, arrays_for, check, in_layers, parse, same
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.model.tiling_plan import LayerGroup
from xdsl_memplan.scheduling.splitting import (
    GivenCut,
    GivenGroup,
    LayerDoesNotFitError,
    SplitMachine,
    find_groups,
    lay_out_groups,
)
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Rule = Literal["literal", "block-first"]
RULES: list[Rule] = ["literal", "block-first"]


def residual_blocks() -> str:
    """Four images, a residual block, a convolution with a stride, another block."""
    n = Network()
    x = n.relu(n.conv(n.argument(4, 2, 8, 6), 3))
    x = n.relu(n.each("addf", n.conv(n.relu(n.conv(x, 3)), 3), x))
    x = n.relu(n.conv(x, 4, stride=2))
    return n.text(n.relu(n.each("addf", n.conv(n.relu(n.conv(x, 4)), 4), x)))


def groups_of(module: ModuleOp) -> list[GroupOp]:
    return [op for op in module.walk() if isinstance(op, GroupOp)]


@pytest.mark.parametrize("emit", ["unroll", "auto"])
@pytest.mark.parametrize("capacity", [3000, 4096, 8192])
@pytest.mark.parametrize("strategy", RULES)
def test_groups_of_the_rules_compute_the_same(strategy: Rule, capacity: int, emit):
    text, memory = residual_blocks(), f"L1={capacity},DDR"
    group = MemplanGroupPass(strategy=strategy, memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= capacity


@pytest.mark.parametrize("strategy", RULES)
def test_instances_are_parts_of_the_batch(strategy: Rule):
    """An image takes 4 * (3 + 3 + 3) * 48 = 1728 bytes: two at once fit in 3600, with weights."""
    module = in_layers(residual_blocks())
    MemplanGroupPass(strategy=strategy, memory="L1=3000,DDR").apply(Context(), module)
    cuts = [cut.cut for group in groups_of(module) for cut in group.cuts]
    assert cuts
    assert all((cut.kind, cut.loop, cut.halo) == ("result", 0, "recompute") for cut in cuts)


@pytest.mark.parametrize("strategy", RULES)
def test_the_search_moves_no_more(strategy: Rule):
    totals: list[int] = []
    for chosen in ("auto", strategy):
        module = in_layers(residual_blocks())
        MemplanGroupPass(strategy=chosen, memory="L1=4096,DDR", transfer_cost=0).apply(
            Context(), module
        )
        totals.append(sum(group.cost.cost.traffic for group in groups_of(module)))
    assert totals[0] <= totals[1]


@pytest.mark.parametrize("stage", ["none", "all"])
def test_the_pipeline_with_a_rule_fits_and_computes_the_same(stage: Literal["none", "all"]):
    text = residual_blocks()
    module = parse(text)
    inputs = arrays_for(module)
    expected = run(parse(text), inputs)
    MemplanPipelinePass(strategy="block-first", stage=stage, memory="L1=4096,DDR").apply(
        Context(), module
    )
    assert arena_bytes(module)["L1"] <= 4096
    same(expected, run(module, inputs))


@pytest.mark.parametrize(
    "options",
    [
        {"memory": "L1,DDR"},
        {"memory": "L1=4096"},
        {"memory": "L1=4096,DDR", "split": "never"},
        {"memory": "L1=4096,DDR", "objective": "peak"},
    ],
)
def test_what_the_pipeline_needs_for_a_rule(options):
    with pytest.raises(PassFailedException, match="option strategy=literal needs"):
        MemplanPipelinePass(strategy="literal", **options).apply(
            Context(), parse(residual_blocks())
        )


@pytest.mark.parametrize("options", [{"memory": "L1,DDR"}, {"objective": "peak"}])
def test_rules_need_a_capacity(options):
    module = in_layers(residual_blocks())
    with pytest.raises(PassFailedException, match="strategy=literal needs objective=traffic and"):
        MemplanGroupPass(strategy="literal", **options).apply(Context(), module)


def test_what_fits_in_no_number_of_instances():
    module = in_layers(residual_blocks())
    with pytest.raises(PassFailedException, match="groups are given; strategy=auto may find other"):
        MemplanGroupPass(strategy="block-first", memory="L1=800,DDR").apply(Context(), module)


def as_given(groups: list[LayerGroup]) -> list[GivenGroup]:
    graph = vgg_e()

    def cuts(group: LayerGroup) -> tuple[GivenCut, ...]:
        found: list[GivenCut] = []
        for cut in group.cuts:
            assert (cut.kind, cut.lead) == ("result", 0)
            extent = graph.tensors[cut.op].shape[cut.loop]
            found.append(GivenCut(cut.loop, -(-extent // cut.size), cut.halo == "cache"))
        return tuple(found)

    return [GivenGroup(group.first_layer, group.last_layer, (cuts(group),)) for group in groups]


def test_groups_that_were_found_cost_the_same_when_given():
    machine = SplitMachine(1 << 20, 64, is_staged=True, stages_arguments=True)
    found, stands_for = find_groups(vgg_e(), machine, "traffic")
    assert lay_out_groups(vgg_e(), machine, as_given(found)) == (found, stands_for)


def test_the_first_way_that_fits_is_taken():
    machine = SplitMachine(500_000, 64, is_staged=True)
    ways = tuple((GivenCut(2, parts, cached=True),) for parts in (1, 2, 112))
    rest = GivenGroup(3, 6, ((GivenCut(3, 8, cached=False), GivenCut(2, 56, cached=True)),))
    groups, _ = lay_out_groups(vgg_e(), machine, [GivenGroup(0, 2, ways), rest])
    assert [cut.size for cut in groups[0].cuts] == [1]
    with pytest.raises(LayerDoesNotFitError):
        lay_out_groups(vgg_e(), machine, [GivenGroup(0, 2, ways[:2]), rest])
