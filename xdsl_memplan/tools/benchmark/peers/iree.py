"""`iree-opt` of iree-base-compiler: https://iree.dev, Apache-2.0 WITH LLVM-exception.

A call is the whole process, which parses the problem as IR and prints the plan. The pass alone is
the share that MLIR's own timing (`--mlir-timing`) gives it of the CPU time of the process: it makes
the IR of its plan as well.
"""

import re
import resource
import subprocess
from collections.abc import Callable, Iterator

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task
from xdsl_memplan.tools.benchmark.peers.executable import executable

_TOLD = frozenset({"alignment"})


def contenders() -> Iterator[Contender]:
    """Yield the planners of MLIR and of IREE in `iree-opt`. Raises FileNotFoundError."""
    command = executable("iree-opt")

    def prepare_mlir(problem: Problem, limits: Limits) -> Task:
        passes = "func.func(static-memory-planner-analysis{algorithm=best-fit})"
        # Allocations come in order of start.
        order = np.argsort(problem.starts, kind="stable")
        name = "StaticMemoryPlannerAnalysisPass"
        text = _alloc_ir(problem)
        return _subprocess_task(command, passes, name, text, _view_offsets, order)

    def prepare_iree(problem: Problem, limits: Limits) -> Task:
        passes = "func.func(iree-stream-layout-slices, canonicalize)"
        order = np.arange(len(problem))
        text = _pack_ir(problem)
        return _subprocess_task(command, passes, "LayoutSlicesPass", text, _pack_offsets, order)

    yield Contender(
        "iree-opt MLIR best-fit", "peer", prepare_mlir, 12_000, honours=_TOLD, timed="pass"
    )
    yield Contender("iree-opt LayoutSlices", "peer", prepare_iree, 12_000, timed="pass")


def _subprocess_task(
    command: str,
    passes: str,
    timed_pass: str,
    text: str,
    read: Callable[[str], list[int]],
    order: Int64Array,
) -> Task:
    arguments = [command, f"--pass-pipeline=builtin.module({passes})", "-"]

    def work() -> str:
        done = subprocess.run(arguments, input=text, capture_output=True, text=True, check=True)
        return done.stdout

    def offsets(output: str) -> Int64Array:
        by_buffer = np.empty(len(order), dtype=np.int64)
        by_buffer[order] = read(output)
        return by_buffer

    def kernel_seconds() -> float:
        timing = [*arguments, "--mlir-timing", "--mlir-timing-display=list"]
        before = _cpu_seconds_of_children()
        done = subprocess.run(timing, input=text, capture_output=True, text=True, check=True)
        spent = _cpu_seconds_of_children() - before
        found = re.search(rf"\(\s*([0-9.]+)%\)\s+{timed_pass}", done.stderr)
        if found is None:
            raise ValueError(f"no {timed_pass} in the timing of iree-opt")
        return float(found[1]) / 100 * spent

    return Task(work, offsets, kernel_seconds)


def _cpu_seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _alloc_ir(problem: Problem) -> str:
    events: list[tuple[int, int, int, str]] = []
    for i, (size, start, end) in enumerate(
        zip(problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist(), strict=True)
    ):
        kind = f"memref<{size}xi8>"
        properties = "operandSegmentSizes = array<i32: 0, 0>"
        if problem.alignments is not None:
            properties += f", alignment = {problem.alignments[i]} : i64"
        alloc = f'  %b{i} = "memref.alloc"() <{{{properties}}}> : () -> {kind}'
        events.append((start, 1, i, alloc))
        events.append((end, 0, i, f"  memref.dealloc %b{i} : {kind}"))
    lines = [line for *_, line in sorted(events)]
    return "\n".join(["func.func @f() {", *lines, "  return", "}"])


def _view_offsets(output: str) -> list[int]:
    constants = dict(re.findall(r"(%\S+) = arith\.constant (\d+) : index", output))
    return [int(constants[name]) for name in re.findall(r"memref\.view %\w+\[(%\w+)\]", output)]


def _pack_ir(problem: Problem) -> str:
    n = len(problem)
    columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
    rows = list(zip(*columns, strict=True))
    sizes = [f"  %s{i} = arith.constant {size} : index" for i, (size, _, _) in enumerate(rows)]
    slices = [f"    [{start}, {end - 1}] = %s{i}" for i, (_, start, end) in enumerate(rows)]
    results = ", ".join(f"%p#{i}" for i in range(n + 1))
    types = ", ".join(["index"] * (n + 1))
    return "\n".join(
        [
            f"func.func @f() -> ({types}) {{",
            *sizes,
            f"  %p:{n + 1} = stream.resource.pack slices({{",
            ",\n".join(slices),
            "  }) : index",
            f"  return {results} : {types}",
            "}",
        ]
    )


def _pack_offsets(output: str) -> list[int]:
    constants = dict(re.findall(r"(%\S+) = arith\.constant (\d+) : index", output))
    returned = re.search(r"return (.*?) :", output)
    if returned is None:
        raise ValueError("no offsets in the output of iree-opt")
    # The first result is the size of the pack.
    return [int(constants[name]) for name in returned[1].split(", ")][1:]
