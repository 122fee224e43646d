"""Bytes that networks move which merge the places of an image, merged and apart.

    python benchmarks/image_networks.py

Two blocks each of Swin-T (first and third stage) and of ConvNeXt-T (first stage), as
`tests/transforms/image_programs.py` writes them, with everything staged: MB that groups move, as
the search counts them, without `memplan-unmerge-places` and with it.
"""

from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from tests.transforms.image_programs import attention_in_windows, products_of_pixels
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.off_chip import FLOOR, TRAFFIC
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass
from xdsl_memplan.transforms.split_passes import SplitOptions, forming, rewriting, searching

NETWORKS = {
    "Swin-T, stage 1": attention_in_windows((1, 56, 56, 96), heads=3, side=7),
    "Swin-T, stage 3": attention_in_windows((1, 14, 14, 384), heads=12, side=7),
    "ConvNeXt-T, stage 1": products_of_pixels((1, 96, 56, 56)),
}
MEMORIES = ("128KiB", "256KiB", "512KiB", "1MiB", "2MiB")


def moved(text: str, capacity: str, *, places_apart: bool) -> tuple[float, float]:
    """MB that groups move, and that must be moved."""
    context = full_context()
    module = Parser(context, text).parse_module()
    memory = f"L1={capacity},DDR"
    options = SplitOptions("traffic", "all", memory, 1.1, 2.5, threads=2)
    first = (
        MemplanGeneralizeOpsPass(),
        MemplanTrimPass(),
        MemplanFoldTransposesPass(),
        MemplanFoldReshapesPass(),
        MemplanFuseElementwisePass(),
    )
    split = [*rewriting(options, places_apart=places_apart), *forming()]
    for step in (*first, *split, *searching(options, "traffic")):
        step.apply(context, module)
    total = sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    floor = function.attributes[TRAFFIC].data[FLOOR].value.data  # pyright: ignore
    return total / 1e6, floor / 1e6


def main() -> None:
    print("| |", " | ".join(MEMORIES), "| floor |")
    print("|---|" + "-:|" * (len(MEMORIES) + 1))
    for name, text in NETWORKS.items():
        for places_apart in (False, True):
            found = [moved(text, memory, places_apart=places_apart) for memory in MEMORIES]
            way = "apart" if places_apart else "merged"
            cells = " | ".join(f"{total:.2f}" for total, _ in found)
            print(f"| {name}, {way} | {cells} | {found[0][1]:.2f} |")


if __name__ == "__main__":
    main()
