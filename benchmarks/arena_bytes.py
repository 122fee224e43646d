"""Bytes of the arena per network, beside what upstream's bufferization needs.

    python benchmarks/arena_bytes.py [--corpus DIR ...] [--json OUT] [--upstream] [FILE.mlir ...]

Ours: the passes of `memplan-pipeline` up to the offsets, in the order of the file. `arena` is the
largest offset + size, `load` the most bytes live at one tick (no plan is smaller), `copies` the
`memref.copy` operations. Upstream: `benchmarks/upstream_memory.py` says what is measured; its
numbers are read from `upstream_memory.json`, or made anew with `--upstream` (needs mlir-opt 22).
`ratio` is our arena to the smallest of stock, best and split.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import Universe

from xdsl_memplan.dialects.memplan import PLAN, PlanAttr
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass

sys.path.insert(0, str(Path(__file__).parent))
from upstream_memory import measure, network_files

UPSTREAM = Path(__file__).parent / "upstream_memory.json"


@dataclass(frozen=True)
class Ours:
    """Bytes, copies and seconds of one network."""

    arena: int
    load: int
    copies: int
    seconds: float


def plan(path: Path, *, rewrite: bool, in_place: bool, planner: str) -> Ours:
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    module = Parser(context, path.read_text(), str(path)).parse_module()
    start = time.process_time()
    if rewrite:
        MemplanFoldTransposesPass().apply(context, module)
        MemplanFuseElementwisePass().apply(context, module)
    MemplanBufferizePass(in_place=in_place).apply(context, module)
    MemplanAssignOffsetsPass(planner=planner).apply(context, module)
    seconds = time.process_time() - start
    operations = list(module.walk())
    plans = [p for op in operations if isinstance(p := op.attributes.get(PLAN), PlanAttr)]
    copies = sum(op.name == "memref.copy" for op in operations)
    arena = max((p.peak.value.data for p in plans), default=0)
    return Ours(arena, max((p.load.value.data for p in plans), default=0), copies, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="default: all networks here")
    parser.add_argument("--corpus", nargs="*", type=Path, default=[], help="folders of networks")
    parser.add_argument("--json", type=Path, help="where the numbers go as well")
    parser.add_argument("--upstream", action="store_true", help="run mlir-opt instead of the file")
    parser.add_argument("--no-rewrite", action="store_true", help="without fold and fuse")
    parser.add_argument("--no-in-place", action="store_true", help="an ablation")
    parser.add_argument("--planner", default="")
    arguments = parser.parse_args()
    given = [*arguments.files, *(f for d in arguments.corpus for f in sorted(d.glob("*.mlir")))]
    known = json.loads(UPSTREAM.read_text())
    table = Table(title="MB per network")
    for column in ("network", "arena", "load", "frag.", "copies", "dealloc", "stock", "best"):
        table.add_column(column, justify="left" if column == "network" else "right")
    for column in ("split", "copies", "ratio"):
        table.add_column(column, justify="right")
    numbers: dict[str, dict[str, float]] = {}
    for path in network_files(given):
        ours = plan(
            path,
            rewrite=not arguments.no_rewrite,
            in_place=not arguments.no_in_place,
            planner=arguments.planner,
        )
        row = asdict(measure(path.read_text())) if arguments.upstream else known.get(path.stem)
        if row is None:
            continue
        least = min(row["stock"], row["best"], row["split"])
        ratio = ours.arena / least
        numbers[path.stem] = {**asdict(ours), "ratio": ratio, **row}
        sizes = (row["deallocated"], row["stock"], row["best"], row["split"])
        table.add_row(
            path.stem,
            f"{ours.arena / 1e6:.3f}",
            f"{ours.load / 1e6:.3f}",
            f"{ours.arena / max(ours.load, 1) - 1:.2%}",
            str(ours.copies),
            *(f"{size / 1e6:.2f}" for size in sizes),
            str(row["stock_copies"]),
            f"{ratio:.3f}",
        )
    Console(width=140).print(table)
    ratios = [row["ratio"] for row in numbers.values()]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        below, above = sum(r < 1 for r in ratios), sum(r > 1 for r in ratios)
        print(f"geometric mean {mean:.3f}; below upstream's best {below}, above {above}")
    if arguments.json:
        arguments.json.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()
