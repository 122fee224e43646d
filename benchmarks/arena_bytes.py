"""Arena bytes of the networks, beside what they need today.

    python benchmarks/arena_bytes.py [FILE.mlir ...] [--json OUT] [--without-rewrites]

Ours: `memplan-pipeline` with its defaults. Today's: the columns of `upstream_memory.py`, from
`upstream_memory.json`, which that script writes. Sizes are MB (10^6 bytes), copies are
`memref.copy`.
"""

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table
from upstream_memory import UpstreamMemory, network_files
from xdsl.dialects.memref import CopyOp
from xdsl.parser import Parser

from xdsl_memplan.dialects.memplan import PLAN, PlanAttr
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.bufferize.handover import handing_over
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.resting_collector import resting_collector

UPSTREAM = Path(__file__).parent / "upstream_memory.json"


@dataclass(frozen=True)
class Planned:
    """What the pipeline makes of one network: bytes, copies and CPU seconds."""

    arena: int
    load: int
    bound: int
    copies: int
    parse_seconds: float
    pass_seconds: float


def plan_network(text: str, pipeline: MemplanPipelinePass) -> Planned:
    """Run the pipeline and read the plan before it is lowered."""
    context = full_context()
    began = time.process_time()
    module = Parser(context, text).parse_module()
    parsed = time.process_time()
    plans: list[PlanAttr] = []
    copies = 0
    # As memplan-pipeline does.
    with resting_collector(), handing_over():
        for stage in pipeline.passes():
            if stage.name == "convert-memplan-to-memref":
                copies = sum(isinstance(op, CopyOp) for op in module.walk())
                plans = [op.attributes[PLAN] for op in module.ops if PLAN in op.attributes]
            stage.apply(context, module)
    done = time.process_time()
    (plan,) = plans
    peak, load, bound = (size.value.data for size in (plan.peak, plan.load, plan.bound))
    return Planned(peak, load, bound, copies, parsed - began, done - parsed)


def main() -> None:
    parser = argparse.ArgumentParser(description="arena bytes of the networks")
    parser.add_argument("files", nargs="*", type=Path, help="default: all networks here")
    parser.add_argument("--json", type=Path, help="where the numbers go as well")
    parser.add_argument("--without-rewrites", action="store_true", help="bufferization alone")
    parser.add_argument("--objective", default="fit", help="of memplan-schedule, or none")
    arguments = parser.parse_args()
    pipeline = MemplanPipelinePass(
        rewrite=not arguments.without_rewrites, objective=arguments.objective
    )
    upstream = json.loads(UPSTREAM.read_text(encoding="utf-8"))
    console = Console(width=130)
    table = Table(
        "network", "today", "freed early", "best of 3", "ours", "of best", "fragmentation"
    )
    table.add_column("copies")
    table.add_column("passes / parse")
    ratios: list[float] = []
    results: dict[str, dict[str, float]] = {}
    for file in track(network_files(arguments.files), console=console, transient=True):
        planned = plan_network(file.read_text(encoding="utf-8"), pipeline)
        results[file.stem] = asdict(planned)
        row = [file.stem, "", "", "", f"{planned.arena / 1e6:.2f}", ""]
        copies = str(planned.copies)
        if file.stem in upstream:
            today = UpstreamMemory(**upstream[file.stem])
            ratios.append(planned.arena / today.smallest)
            sizes = (today.deallocated, today.stock, today.smallest)
            row[1:4] = [f"{size / 1e6:.2f}" for size in sizes]
            row[5] = f"{ratios[-1]:.3f}"
            copies += f" / {min(today.stock_copies, today.best_copies, today.split_copies)}"
        row.append(f"{100 * (planned.arena / planned.load - 1):.3f} %")
        row += [copies, f"{planned.pass_seconds:.2f} / {planned.parse_seconds:.2f} s"]
        table.add_row(*row)
    console.print(table)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        below = sum(ratio < 1 for ratio in ratios)
        console.print(f"geometric mean of ours / best of 3: {mean:.3f}; below on {below}")
        console.print(f"of {len(ratios)}; above on {sum(ratio > 1 for ratio in ratios)}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
