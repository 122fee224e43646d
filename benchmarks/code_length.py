"""How long the code of tiles is, on networks that nothing was tuned for.

    python benchmarks/code_length.py [--memory 16KiB 64KiB ... peak]

One row per network of `tests/transforms/code_networks.py`, one column per memory: operations after
`memplan-expand-groups{emit=loop}` over those of the network, bodies included. `peak` stands for the
least arena, without a capacity.
"""

import argparse

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.code_networks import NETWORKS
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

MEMORIES = ("16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "peak")


def times(text: str, memory: str) -> float | None:
    """Operations in tiles over those of the whole; None where a layer does not fit."""
    context = full_context()
    module = Parser(context, text).parse_module()
    whole = _operations(module)
    MemplanFuseElementwisePass(chains=True).apply(context, module)
    MemplanFormLayersPass().apply(context, module)
    group = (
        MemplanGroupPass(objective="peak", stage="none")
        if memory == "peak"
        else MemplanGroupPass(memory=f"L1={memory},DDR")
    )
    try:
        group.apply(context, module)
    except PassFailedException:
        return None
    MemplanExpandGroupsPass(emit="loop").apply(context, module)
    return _operations(module) / whole


def _operations(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", nargs="+", default=MEMORIES)
    memories: list[str] = parser.parse_args().memory
    print("| network |", " | ".join(memories), "|")
    print("|---|" + "-:|" * len(memories))
    for network in NETWORKS:
        found = (times(network(), memory) for memory in memories)
        row = ("-" if ratio is None else f"{ratio:.1f}" for ratio in found)
        print(f"| {network.__name__} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
