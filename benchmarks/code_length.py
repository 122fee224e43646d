"""How long the code of tiles is, on networks that nothing was tuned for, or on those in files.

    python benchmarks/code_length.py [FILE.mlir ...] [--memory 16KiB 64KiB ... peak]

One row per file, or per network of `tests/transforms/code_networks.py`, one column per memory:
operations after `memplan-expand-groups{emit=loop}` over those of the network, bodies included.
`peak` stands for the least arena, without a capacity.
"""

import argparse
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.code_networks import NETWORKS
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass

MEMORIES = ("16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "peak")
REWRITES = (
    MemplanGeneralizeOpsPass(),
    MemplanTrimPass(),
    MemplanFoldTransposesPass(),
    MemplanFoldReshapesPass(),
    MemplanFuseElementwisePass(),
    MemplanFuseElementwisePass(chains=True),
    MemplanFormLayersPass(),
)
"""What `memplan-pipeline` does before groups are looked for."""


def times(text: str, memory: str) -> float | None:
    """Operations in tiles over those of the whole; None where a layer does not fit."""
    context = full_context()
    module = Parser(context, text).parse_module()
    whole = _operations(module)
    for rewrite in REWRITES:
        rewrite.apply(context, module)
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
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    memories: list[str] = arguments.memory
    texts = {file.stem: file.read_text() for file in arguments.files}
    print("| network |", " | ".join(memories), "|")
    print("|---|" + "-:|" * len(memories))
    for name, text in (texts or {network.__name__: network() for network in NETWORKS}).items():
        found = (times(text, memory) for memory in memories)
        row = ("-" if ratio is None else f"{ratio:.1f}" for ratio in found)
        print(f"| {name} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
