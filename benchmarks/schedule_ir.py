"""Bytes moved off chip by networks in MLIR, at M_R and M_H of each: the schedule, and Belady.

    python benchmarks/schedule_ir.py [--states N] [FILE.mlir ...]

The IR's own types, tensors as `memplan-schedule{objective=traffic}` sees them. Belady replaces in
the order of the file. N is by default what the pass allows.
"""

import argparse
import time
from pathlib import Path

from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.in_place_joins import join_in_place
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.schedule_graph import traffic_graph
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.native.context import full_context
from xdsl_memplan.scheduling.budgets import budgets_of
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.replacement import replace_in_order
from xdsl_memplan.scheduling.traffic import schedule_for_traffic
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

ROOT = Path(__file__).parent.parent


def graph_of(path: Path) -> Graph:
    context = full_context()
    module = Parser(context, path.read_text(encoding="utf-8"), str(path)).parse_module()
    # What memplan-pipeline does before it schedules.
    MemplanFoldTransposesPass().apply(context, module)
    MemplanFuseElementwisePass().apply(context, module)
    function = next(op for op in module.body.ops if isinstance(op, FuncOp))
    operators = join_in_place(OperatorGraph.of(function))
    return traffic_graph(operators, TensorGraph.of(operators), 64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--states", type=int, default=MemplanSchedulePass.max_states)
    arguments = parser.parse_args()
    files: list[Path] = arguments.files
    folders = (ROOT / "examples", ROOT / "benchmarks" / "networks")
    settings = SearchSettings(max_states=arguments.states)
    for path in files or sorted(p for folder in folders for p in folder.glob("*.mlir")):
        try:
            graph = graph_of(path)
            budgets = budgets_of(graph, settings).by_name()
        except (ValueError, InvalidGraphError) as error:
            print(f"{path.stem}: {error}")
            continue
        for name in ("M_R", "M_H"):
            start = time.process_time()
            try:
                found = schedule_for_traffic(graph, budgets[name], settings)
            except InvalidGraphError as error:
                print(f"{path.stem} {name}: {error}")
                continue
            seconds = time.process_time() - start
            check_schedule(graph, found, budgets[name])
            given = range(len(graph.operators))
            belady = replace_in_order(graph, given, budgets[name], "belady")
            print(
                f"{path.stem} {name} {budgets[name]}: {found.traffic}, bound {found.bound},"
                f" {found.stop}, {seconds:.2f} s; belady {belady.traffic}",
                flush=True,
            )


if __name__ == "__main__":
    main()
