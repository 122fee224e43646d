"""The planners of others, as far as they are installed: `pip install xdsl-memplan[bench]`.

Each adapter says a problem in the peer's terms outside of the timed part. None of them is given
gaps, fixed offsets or listed conflicts.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task


class Missing(NamedTuple):
    """A peer that cannot take part, and why."""

    name: str
    reason: str


def peers() -> tuple[list[Contender], list[Missing]]:
    """Return the peers that are installed, and those that are not."""
    found: list[Contender] = []
    missing: list[Missing] = []
    for name, family in _FAMILIES.items():
        try:
            found.extend(family())
        except (ImportError, FileNotFoundError) as error:
            missing.append(Missing(name, str(error)))
    return found, missing


def _peer(name: str, prepare: Callable[[Problem, Limits], Task], most: int) -> Contender:
    return Contender(name, "peer", prepare, most)


def _omnimalloc() -> Iterator[Contender]:
    module: Any = import_module("omnimalloc")
    searches = {
        "genetic": 2_000,
        "hill_climb": 2_000,
        "minimalloc": 2_000,
        "simulated_annealing": 2_000,
        "supermalloc": 2_000,
        "tabu_search": 2_000,
        "telamalloc": 2_000,
        "omni": 2_000,
    }

    def prepare_with(allocator: str) -> Callable[[Problem, Limits], Task]:
        def prepare(problem: Problem, limits: Limits) -> Task:
            columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
            buffers = [
                module.Allocation(id=i, size=size, start=start, end=end)
                for i, (size, start, end) in enumerate(zip(*columns, strict=True))
            ]
            return Task(
                lambda: module.allocate(buffers, allocator),
                lambda placed: np.array([buffer.offset for buffer in placed], dtype=np.int64),
            )

        return prepare

    for allocator in module.available_allocators():
        if allocator == "random":
            continue
        most = searches.get(allocator, 30_000)
        yield _peer(f"omnimalloc {allocator}", prepare_with(allocator), most)


def _vela() -> Iterator[Contender]:
    greedy: Any = import_module("ethosu.vela.greedy_allocation")
    hill_climb: Any = import_module("ethosu.vela.hillclimb_allocation")
    live_range: Any = import_module("ethosu.vela.live_range")

    def ranges(problem: Problem) -> list[Any]:
        made: list[Any] = []
        for i in range(len(problem)):
            one = live_range.LiveRange(None, 1)
            one.start_time, one.end_time = int(problem.starts[i]), int(problem.ends[i]) - 1
            one.size, one.name = int(problem.sizes[i]), f"{i:09}"
            one.tensors.append(_VelaTensor())
            made.append(one)
        return made

    def prepare_greedy(problem: Problem, limits: Limits) -> Task:
        graph = live_range.LiveRangeGraph()
        graph.lrs = ranges(problem)
        return Task(
            lambda: greedy.allocate_live_ranges(graph, 1),
            lambda _: np.array([one.tensors[0].address for one in graph.lrs], dtype=np.int64),
        )

    def prepare_hill_climb(problem: Problem, limits: Limits) -> Task:
        # Vela lays time out as an array: where that is long, event ranks keep it short.
        is_short = int(problem.ends.max(initial=0)) <= 8 * len(problem)
        given = ranges(problem if is_short else _ranked(problem))
        capacity = problem.capacity or 2**62
        return Task(
            lambda: hill_climb.allocate_live_ranges(given, None, capacity),
            lambda addresses: np.array(addresses, dtype=np.int64),
        )

    yield _peer("vela greedy", prepare_greedy, 30_000)
    yield _peer("vela hill climb", prepare_hill_climb, 1_500)


class _VelaTensor:
    address = 0


def _ranked(problem: Problem) -> Problem:
    times = np.unique(np.concatenate([problem.starts, problem.ends]))
    starts, ends = np.searchsorted(times, problem.starts), np.searchsorted(times, problem.ends)
    return Problem(sizes=problem.sizes, starts=starts, ends=ends)


def _cp_sat() -> Iterator[Contender]:
    cp_model: Any = import_module("ortools.sat.python.cp_model")

    def prepare(problem: Problem, limits: Limits) -> Task:
        model = cp_model.CpModel()
        total = int(problem.sizes.sum())
        peak = model.new_int_var(0, total, "peak")
        offsets: list[Any] = []
        times: list[Any] = []
        places: list[Any] = []
        for size, start, end in zip(
            problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist(), strict=True
        ):
            offset = model.new_int_var(0, total - size, "")
            model.add(offset + size <= peak)
            offsets.append(offset)
            times.append(model.new_fixed_size_interval_var(start, end - start, ""))
            places.append(model.new_fixed_size_interval_var(offset, size, ""))
        model.add_no_overlap_2d(times, places)
        model.minimize(peak)
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = limits.seconds
        solver.parameters.num_workers = max(1, limits.threads)
        if problem.capacity is not None:
            model.add(peak >= min(total, _load(problem)))

        def work() -> Any:
            status = solver.solve(model)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                raise TimeoutError("no solution within the time limit")
            return solver

        def read(solved: Any) -> Int64Array:
            return np.array([solved.value(offset) for offset in offsets], dtype=np.int64)

        return Task(work, read)

    yield _peer("ortools CP-SAT", prepare, 1_500)


def _load(problem: Problem) -> int:
    from xdsl_memplan.tools.benchmark.instances import load_of

    return load_of(problem)


def _iree() -> Iterator[Contender]:
    command = _executable("iree-opt")

    def prepare_mlir(problem: Problem, limits: Limits) -> Task:
        passes = "func.func(static-memory-planner-analysis{algorithm=best-fit})"
        # Allocations come in order of start.
        order = np.argsort(problem.starts, kind="stable")
        return _subprocess_task(command, passes, _alloc_ir(problem), _view_offsets, order)

    def prepare_iree(problem: Problem, limits: Limits) -> Task:
        passes = "func.func(iree-stream-layout-slices, canonicalize)"
        order = np.arange(len(problem))
        return _subprocess_task(command, passes, _pack_ir(problem), _pack_offsets, order)

    yield _peer("iree-opt MLIR best-fit", prepare_mlir, 12_000)
    yield _peer("iree-opt LayoutSlices", prepare_iree, 12_000)


def _executable(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not on PATH")
    return found


def _subprocess_task(
    command: str,
    passes: str,
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

    return Task(work, offsets)


def _alloc_ir(problem: Problem) -> str:
    events: list[tuple[int, int, int, str]] = []
    for i, (size, start, end) in enumerate(
        zip(problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist(), strict=True)
    ):
        kind = f"memref<{size}xi8>"
        events.append((start, 1, i, f"  %b{i} = memref.alloc() : {kind}"))
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


def _minimalloc() -> Iterator[Contender]:
    command = _executable("minimalloc")

    def prepare(problem: Problem, limits: Limits) -> Task:
        folder = Path(tempfile.mkdtemp(prefix="memplan-bench-"))
        source, target = folder / "input.csv", folder / "output.csv"
        columns = (problem.starts.tolist(), problem.ends.tolist(), problem.sizes.tolist())
        rows = (
            f"{i},{start},{end},{size}\n"
            for i, (start, end, size) in enumerate(zip(*columns, strict=True))
        )
        source.write_text("id,lower,upper,size\n" + "".join(rows), encoding="utf-8")
        arguments = [
            command,
            f"--capacity={problem.capacity}",
            f"--input={source}",
            f"--output={target}",
            f"--timeout={limits.seconds}s",
        ]

        def work() -> Path:
            subprocess.run(arguments, capture_output=True, check=True)
            return target

        def read(path: Path) -> Int64Array:
            if not path.exists():
                raise TimeoutError("no solution within the time limit")
            table = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64, ndmin=2)
            shutil.rmtree(folder)
            return table[np.argsort(table[:, 0]), 4]

        return Task(work, read)

    yield _peer("minimalloc", prepare, 5_000)


_FAMILIES: dict[str, Callable[[], Iterator[Contender]]] = {
    "omnimalloc": _omnimalloc,
    "ethos-u-vela": _vela,
    "ortools": _cp_sat,
    "iree-base-compiler": _iree,
    "minimalloc": _minimalloc,
}
