"""GraphTurbo's figures, by its rules and by the search of this project.

    python benchmarks/graphturbo.py [--local MIB ...] [--evaluations N]

Prints what docs/graphturbo.md shows: kernels of ResNet-50, batches of Table 2, groups and order of
ResNet-50 for a batch of 8 in fp16, and the bytes that leave the cores. MiB are 2^20 bytes.
"""

import argparse
from collections.abc import Sequence

from paper_networks import bert, resnet50
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.native.context import full_context
from xdsl_memplan.scheduling.graphturbo.grouping import SubGraph, group
from xdsl_memplan.scheduling.graphturbo.kernels import Kernels, largest_batch, tvm_kernel_count
from xdsl_memplan.scheduling.graphturbo.layer_groups import layer_groups
from xdsl_memplan.scheduling.graphturbo.off_core import OffCore, off_core
from xdsl_memplan.scheduling.graphturbo.ordering import Instances, Search, order_instances
from xdsl_memplan.scheduling.graphturbo.weight_aware import least_off_core
from xdsl_memplan.scheduling.splitting import (
    LayerDoesNotFitError,
    SplitMachine,
    find_groups,
    lay_out_groups,
)
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass

MIB = 1 << 20
SHARED = 8 * MIB


def kernels_of(text: str) -> Kernels:
    """Parse a network and form its layers."""
    context = full_context()
    module = Parser(context, text).parse_module()
    for stage in (
        MemplanFoldTransposesPass(),
        MemplanFoldReshapesPass(),
        MemplanFuseElementwisePass(),
        MemplanFormLayersPass(),
    ):
        stage.apply(context, module)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    return Kernels(FunctionSplitGraph.of(function).graph)


def figures(network: Kernels) -> None:
    """Counts that the paper states."""
    batches = [largest_batch(kernels_of(resnet50(1)), 8 * MIB)]
    for tokens in (128, 256, 384, 512):
        batches.append(largest_batch(kernels_of(bert(tokens)), 16 * MIB))  # f32.
    print(f"kernels of ResNet-50: {tvm_kernel_count(network)}")
    print(f"batches, ResNet-50 and BERT with 128, 256, 384, 512 tokens: {batches}")

    def of_rules(local: int, *, diamonds: bool) -> list[SubGraph]:
        return group(network, local, "literal", diamonds=diamonds)

    for name, rule in (
        ("block-first", lambda local: group(network, local, "block-first")),
        ("rule (i)", lambda local: of_rules(local, diamonds=False)),
        ("rules (i), (ii)", lambda local: of_rules(local, diamonds=True)),
    ):
        found = {n / 16: rule(n * MIB // 16) for n in range(8, 257, 2)}
        four = [n for n, s in found.items() if [x.factor for x in s] == [8, 4, 2, 1]]
        said = f"{min(four)} to {max(four)} ({len(four)} capacities)" if four else "none"
        print(f"four groups 8, 4, 2, 1 by {name}, local MiB: {said}")


def _moved_row(name: str, instances: int, moved: OffCore) -> None:
    homes = "/".join(map(str, moved.homes))
    rest = moved.network + moved.activations
    pinned = f" + {moved.pinned / MIB:.1f} of weights" if moved.pinned else ""
    print(
        f"| {name} | {instances} | {homes} | {moved.weights / MIB:.1f} | {rest / MIB:.1f} "
        f"| {moved.shared / MIB:.1f}{pinned} | {moved.total / MIB:.1f} |"
    )


def table(network: Kernels, local: int, evaluations: int) -> None:
    """What leaves the cores, plan by plan."""
    print(f"\nlocal buffers {local / MIB:g} MiB, global buffer {SHARED / MIB:g} MiB\n")
    print(
        "| plan | kernels run | tensors local/global/off chip | weights | other off chip "
        "| global buffer | total |\n|---|-:|-:|-:|-:|-:|-:|"
    )

    def show(name: str, found: Sequence[SubGraph], search: Search, *, pin: bool = False) -> None:
        instances = Instances(network, found)
        order = order_instances(instances, search)
        _moved_row(name, len(order), off_core(instances, order, local, SHARED, pin=pin))

    each = [SubGraph((k,), None, 1) for k in range(network.count)]
    whole = Instances(network, each)
    everything = off_core(whole, whole.all, 0, 0)
    _moved_row("kernel by kernel, all off chip", len(each), everything)
    show("kernel by kernel", each, "bfs")
    show("literal", group(network, local, "literal"), "dfs")
    show("rule (i) alone", group(network, local, "literal", diamonds=False), "dfs")
    blocks_first = group(network, local, "block-first")
    show("block-first, breadth first", blocks_first, "bfs")
    show("block-first", blocks_first, "dfs")
    show("block-first, weights pinned", blocks_first, "dfs", pin=True)
    for pin, name in ((False, "weights in mind"), (True, "weights in mind, pinned")):
        best = least_off_core(network, local, SHARED, evaluations, pin=pin)
        if best is not None:
            name = f"{name}{', least' if best.is_proved else ''}"
            _moved_row(name, len(best.order), best.moved)


def one_memory(network: Kernels, capacities: Sequence[int]) -> None:
    """The same network with one memory on chip, in which weights take room too."""
    print("\n| memory, MiB | literal | block-first | search |\n|---|-:|-:|-:|")
    for capacity in capacities:
        machine = SplitMachine(capacity, 64, is_staged=True, stages_arguments=True)
        cells: list[str] = []
        for rule in ("literal", "block-first"):
            try:
                given = layer_groups(network.graph, capacity, rule)
                groups, _ = lay_out_groups(network.graph, machine, given)
                cells.append(f"{sum(g.cost.traffic for g in groups) / MIB:.1f}")
            except LayerDoesNotFitError:
                cells.append("no plan")
        groups, _ = find_groups(network.graph, machine, "traffic", 2)
        cells.append(f"{sum(g.cost.traffic for g in groups) / MIB:.1f}")
        print(f"| {capacity / MIB:g} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="GraphTurbo's figures")
    add = parser.add_argument
    add("--local", nargs="+", type=float, default=[6.25, 4], help="MiB of local buffers")
    add("--evaluations", type=int, default=2000, help="of the factors with weights in mind")
    arguments = parser.parse_args()
    network = kernels_of(resnet50(8))
    figures(network)
    found = group(network, 25 * MIB // 4, "block-first")
    order = order_instances(Instances(network, found), "dfs")
    print("order:", " ".join("abcd"[i.sub_graph] + str(i.number + 1) for i in order))
    for local in arguments.local:
        table(network, int(local * MIB), arguments.evaluations)
    one_memory(network, [int(n * MIB) for n in (*arguments.local, arguments.local[0] + 8)])


if __name__ == "__main__":
    main()
