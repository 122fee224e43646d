"""What is planned in a benchmark: problems with a name and a group."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem


@dataclass(frozen=True)
class BenchmarkInstance:
    """A problem to be planned; `load` is in bytes, `capacity` that of the problem's memory."""

    name: str
    group: str
    problem: Problem
    load: int

    @property
    def capacity(self) -> int:
        """Bytes a plan should fit in: the memory's, else the load."""
        return self.load if self.problem.capacity is None else self.problem.capacity


def load_of(problem: Problem) -> int:
    """Return the max over ticks of the bytes live, gaps left out. Complexity: O(n log n)."""
    is_live = problem.ends > problem.starts
    gaps = np.array(problem.gaps, dtype=np.int64).reshape(-1, 3)
    times = [problem.starts[is_live], problem.ends[is_live], gaps[:, 1], gaps[:, 2]]
    sizes, idle = problem.sizes[is_live], problem.sizes[gaps[:, 0]]
    at = np.concatenate(times)
    if not len(at):
        return 0
    change = np.concatenate([sizes, -sizes, -idle, idle])
    # What is freed at a tick is free at that tick.
    order = np.lexsort((change, at))
    return max(0, int(np.cumsum(change[order]).max()))


def from_files(paths: Iterable[Path], group: str | None = None) -> Iterator[BenchmarkInstance]:
    """Read CSV files in minimalloc's format, and those of folders, one memory without a limit each.

    A number in the name, as in `A.1048576.csv`, is the capacity, and gives a second instance with
    it; the first one has the load as its capacity. The group is the folder's name by default. Sizes
    are rounded up to a common alignment, which then holds by itself: few peers know alignment.
    Raises FormatError, OSError.
    """
    for path in paths:
        if path.is_dir():
            yield from from_files(sorted(path.glob("*.csv")), group)
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            problem = read_problem(stream, str(path))
        problem = _with_rounded_sizes(problem)
        yield from _with_capacities(path, group or path.resolve().parent.name, problem)


def _with_rounded_sizes(problem: Problem) -> Problem:
    if problem.alignments is None or len(np.unique(problem.alignments)) != 1:
        return problem
    alignment = int(problem.alignments[0])
    return replace(problem, sizes=-(-problem.sizes // alignment) * alignment, alignments=None)


def _with_capacities(path: Path, group: str, problem: Problem) -> Iterator[BenchmarkInstance]:
    name, _, given = path.stem.partition(".")
    load = load_of(problem)
    yield BenchmarkInstance(name, group, _in_memory_of(problem, load), load)
    if given.isdecimal() and int(given) != load:
        capacity = int(given)
        yield BenchmarkInstance(f"{name}@{given}", group, _in_memory_of(problem, capacity), load)


def _in_memory_of(problem: Problem, capacity: int) -> Problem:
    return replace(problem, pools=(replace(problem.pools[0], capacity=capacity),))


def generated(buffers: int, mean_live: int, seed: int = 0) -> BenchmarkInstance:
    """Make a problem of that many buffers with about `mean_live` alive at a time.

    Starts are uniform over as many ticks as there are buffers, lifetimes geometric, sizes
    multiples of 64 bytes, log-uniform from 64 B to 1 MiB. The same arguments give the same problem.
    """
    random = np.random.default_rng(seed)
    starts = random.integers(0, buffers, buffers, dtype=np.int64)
    lives = random.geometric(1 / max(2, mean_live), buffers).astype(np.int64)
    sizes = np.exp2(random.uniform(6, 20, buffers)).astype(np.int64) // 64 * 64
    problem = Problem(sizes=sizes, starts=starts, ends=np.minimum(starts + lives, buffers + 1))
    load = load_of(problem)
    name = f"generated-{buffers}-{mean_live}"
    return BenchmarkInstance(name, f"generated {buffers}", _in_memory_of(problem, load), load)
