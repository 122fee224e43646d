"""Tiles of whole networks against the networks, by `verify_split.check_split`.

    python benchmarks/check_splits.py FILES... [--memory 128KiB 256KiB ...] [--peak]
        [--strategy auto literal block-first] [--stage all none] [--limit SECONDS] [--pipeline]

Every line is one network with one memory, strategy and way to stage: what was found out of its
tiles, the bytes that they move, their multiply-adds of those of the whole, groups that move more
than they say, the CPU seconds of the passes up to the tiles, and those of the check. With
`--pipeline` the seconds of `memplan-pipeline{verify=false}`, from the parsed module to memrefs,
stand beside them. A run that needs more than `--limit` CPU seconds is given up.
"""

import argparse
import multiprocessing
import resource
import signal
import sys
import time
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.resting_collector import resting_collector
from xdsl_memplan.transforms.verify_split.check_split import check_split


class Run(NamedTuple):
    """How a network is split; the memory `peak` stands for the least arena, without a capacity."""

    memory: str
    strategy: Literal["auto", "literal", "block-first"]
    stage: Literal["all", "none"]
    with_pipeline: bool


def check(path: Path, run: Run) -> str:
    """One line of what was found."""
    context = full_context()
    module = Parser(context, path.read_text(encoding="utf-8"), str(path)).parse_module()
    peak = run.memory == "peak"
    with resting_collector():
        began = time.process_time()
        for stage_pass in (
            MemplanFoldTransposesPass(),
            MemplanFoldReshapesPass(),
            MemplanFuseElementwisePass(),
            MemplanFormLayersPass(),
            MemplanGroupPass(
                objective="peak" if peak else "traffic",
                strategy=run.strategy,
                memory="" if peak else f"L1={run.memory},DDR",
                stage=run.stage,
            ),
        ):
            stage_pass.apply(context, module)
        whole = module.clone()
        MemplanExpandGroupsPass(check=False).apply(context, module)
        module.verify()
        made = time.process_time()
        found: list[str] = []
        functions = [
            [op for op in one.walk() if isinstance(op, FuncOp) and op.body.blocks]
            for one in (whole, module)
        ]
        for before, after in zip(*functions, strict=True):
            result = check_split(before, after)
            moved = sum(count.moved_bytes or 0 for count in result.groups)
            done = sum(count.work for count in result.groups)
            whole_work = sum(count.whole_work for count in result.groups)
            promises = [
                f"{result.verdict.value} {result.reason}".strip(),
                f"{moved / 1e6:.3f} MB moved",
                f"{done / max(1, whole_work):.4f} of the multiply-adds",
                *result.more_bytes,
            ]
            found.append(", ".join(promises))
        seconds = time.process_time() - made
    times = f"passes {made - began:.1f} s, check {seconds:.2f} s"
    if run.with_pipeline:
        times += f", pipeline {_pipeline_seconds(path, run):.1f} s"
    return f"{times}: {'; '.join(found)}"


def _pipeline_seconds(path: Path, run: Run) -> float:
    """CPU seconds of all passes without checks."""
    context = full_context()
    module = Parser(context, path.read_text(encoding="utf-8"), str(path)).parse_module()
    began = time.process_time()
    MemplanPipelinePass(
        objective="peak" if run.memory == "peak" else "fit",
        strategy=run.strategy,
        memory="" if run.memory == "peak" else f"L1={run.memory},DDR",
        stage=run.stage,
        verify=False,
    ).apply(context, module)
    return time.process_time() - began


def _child(path: Path, run: Run, limit: int, end: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    try:
        end.send(check(path, run))
    except PassFailedException as error:
        end.send(f"no tiles: {str(error).splitlines()[0]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="tiles of networks, checked")
    add = parser.add_argument
    add("files", nargs="+", type=Path)
    add("--memory", nargs="*", default=["256KiB"])
    add("--peak", action="store_true", help="also the least arena, without a capacity")
    add("--strategy", nargs="+", default=["auto"], choices=["auto", "literal", "block-first"])
    add("--stage", nargs="+", default=["all"], choices=["all", "none"])
    add("--pipeline", action="store_true", help="also the time of all passes")
    add("--limit", type=int, default=150, help="CPU seconds of a run: %(default)s")
    arguments = parser.parse_args()
    sys.setrecursionlimit(10_000)
    refuted = 0
    ways = product(arguments.memory, arguments.strategy, arguments.stage)
    runs = [Run(*way, arguments.pipeline) for way in ways]
    if arguments.peak:
        runs.append(Run("peak", "auto", "none", arguments.pipeline))
    for path in arguments.files:
        for run in runs:
            here, there = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.get_context("fork").Process(
                target=_child, args=(path, run, arguments.limit, there)
            )
            process.start()
            there.close()
            try:
                line = here.recv()
            except EOFError:
                line = "the process ended"
            process.join()
            if process.exitcode == -signal.SIGXCPU:
                line = f"more than {arguments.limit} CPU seconds"
            refuted += "refuted" in line
            print(f"{path.stem:22} {' '.join(run[:3]):20} {line}", flush=True)
    return int(refuted > 0)


if __name__ == "__main__":
    sys.exit(main())
