"""Bytes moved off chip by networks in MLIR at three capacities, as `memplan-pipeline` plans them.

    python benchmarks/schedule_ir.py [--capacity BYTES] [FILE.mlir ...]

M_R is the least capacity that the largest operation needs with everything else away, M_P the arena
without a capacity, M_H half way. Every plan is verified, its copies recounted. Operations stay
whole (`split=never`). Prints the rows of the table in docs/scheduling.md; sizes are bytes.
"""

import argparse
import time
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import DEFAULT_ALIGNMENT
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.analysis.traffic_graph import Parts, traffic_graph
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.resting_collector import resting_collector

ROOT = Path(__file__).parent.parent


def function_of(module: ModuleOp) -> FuncOp:
    """The function that is planned."""
    return next(op for op in module.body.ops if isinstance(op, FuncOp) and op.body.blocks)


def planned(module: ModuleOp, memory: str) -> tuple[ModuleOp, float]:
    """Run the passes up to `memplan-verify` on a copy; with CPU seconds."""
    copy = module.clone()
    start = time.process_time()
    with resting_collector():
        *stages, _ = MemplanPipelinePass(memory=memory, split="never").passes()
        for stage in stages:
            stage.apply(Context(), copy)
    return copy, time.process_time() - start


def arena_bytes(module: ModuleOp) -> int:
    """The size of the first arena."""
    arena = next(op for op in module.body.ops if isinstance(op, ArenaOp))
    return arena.size.value.data if arena.size is not None else 0


def least_capacity(module: ModuleOp) -> int:
    """Bytes that the largest operation needs, after the rewrites that come before scheduling."""
    copy = module.clone()
    for stage in MemplanPipelinePass(objective="none").passes():
        if stage.name == "memplan-bufferize":
            break
        stage.apply(Context(), copy)
    tensors = TensorGraph.of(function_of(copy))
    return traffic_graph(tensors, DEFAULT_ALIGNMENT, Parts.MOVE_INSIDE).largest_footprint


def row(module: ModuleOp, capacity: int) -> str:
    """Bytes moved, the bound, and CPU seconds of the passes."""
    try:
        plan, seconds = planned(module, f"L1={capacity},DDR")
    except PassFailedException as error:
        return f"refused: {str(error).splitlines()[0]}"
    traffic = function_of(plan).attributes.get(TRAFFIC)
    moved = bound = 0
    if isinstance(traffic, DictionaryAttr):
        values = [traffic.data[name] for name in ("bytes", "bound")]
        moved, bound = (v.value.data for v in values if isinstance(v, IntegerAttr))
    proof = "=" if moved == bound else f"{bound / 1e6:.2f}"
    return f"{capacity / 1e6:.2f} | {moved / 1e6:.2f}, {proof} | {seconds:.1f}"


def main() -> None:
    """Print one line per network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--capacity", type=int, nargs="*", help="instead of the three")
    arguments = parser.parse_args()
    folders = (ROOT / "examples", ROOT / "benchmarks" / "networks")
    files: list[Path] = arguments.files
    for path in files or sorted(p for folder in folders for p in folder.glob("*.mlir")):
        module = Parser(full_context(), path.read_text(encoding="utf-8")).parse_module()
        try:
            least = least_capacity(module)
            most = arena_bytes(planned(module, "")[0])
        except (ValueError, PassFailedException) as error:
            print(f"{path.stem}: {str(error).splitlines()[0]}", flush=True)
            continue
        most = max(least, most)
        capacities: list[int] = arguments.capacity or [least, (least + most) // 2, most]
        cells = " | ".join(row(module, capacity) for capacity in capacities)
        print(f"| {path.stem} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
