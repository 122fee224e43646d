"""What is planned in a benchmark: problems with a name and a group."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem

_SECONDS_PER_BUFFER = 6e-5
"""What a rule may take on generated problems: a minute for a million buffers."""


@dataclass(frozen=True)
class BenchmarkInstance:
    """A problem to be planned; its memory has a capacity where it is enough to fit."""

    name: str
    group: str
    problem: Problem
    load: int
    """Bytes."""
    capacity: int
    """Bytes a plan should fit in: what the file says, else the load."""
    seconds: float = 0.0
    """A run may take as long, whatever the limit of searches: large ones need it."""
    minimize: bool = True
    """False: to fit in the capacity is enough. Only for who knows capacities."""

    @property
    def family(self) -> str:
        """What `group` has before a comma: alike but for the number of buffers."""
        return self.group.partition(",")[0] if self.minimize else self.group


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


def from_files(paths: Iterable[Path], group: str | None = None) -> list[BenchmarkInstance]:
    """Read CSV files in minimalloc's format, and those of folders; the smallest first.

    A number in the name, as in `A.1048576.csv`, is the capacity, and gives a second instance, in a
    group of its own, in which it is enough to fit. The group is the folder's name by default. Sizes
    are rounded up to a common alignment, which then holds by itself: few peers know alignment.
    Buffers that never live or have no bytes are left out. Instances of one name in one group, as of
    folders of the same name, are called by their whole path.
    Raises FormatError, OSError, ValueError for a file or a folder with nothing to plan.
    """
    files = [file for path in paths for file in _files_of(path)]
    groups_of = [group or file.resolve().parent.name for file in files]
    count = Counter((at, _name_and_capacity(file)[0]) for at, file in zip(groups_of, files))
    instances: list[BenchmarkInstance] = []
    for at, file in zip(groups_of, files, strict=True):
        name, capacity = _name_and_capacity(file)
        unique = name if count[at, name] == 1 else str(file)
        instances += _of_file(file, at, unique, capacity)
    groups = list(dict.fromkeys(instance.group for instance in instances))
    return sorted(
        instances, key=lambda one: (not one.minimize, groups.index(one.group), len(one.problem))
    )


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if not (files := sorted(path.glob("*.csv"))):
        raise ValueError(f"{path}: no .csv file is in this folder")
    return files


def _of_live_buffers(problem: Problem) -> Problem:
    """Leave out what takes no bytes at any tick: peers refuse it, and it has no place."""
    if problem.fixed or problem.gaps:
        return problem
    kept = (problem.ends > problem.starts) & (problem.sizes > 0)
    alignments = problem.alignments
    return replace(
        problem,
        sizes=problem.sizes[kept],
        starts=problem.starts[kept],
        ends=problem.ends[kept],
        alignments=None if alignments is None else alignments[kept],
        ids=[problem.ids[i] for i in np.flatnonzero(kept).tolist()] if problem.ids else (),
    )


def _with_rounded_sizes(problem: Problem) -> Problem:
    if problem.alignments is None or len(np.unique(problem.alignments)) != 1:
        return problem
    alignment = int(problem.alignments[0])
    return replace(problem, sizes=-(-problem.sizes // alignment) * alignment, alignments=None)


def _name_and_capacity(path: Path) -> tuple[str, int | None]:
    """`A.1048576.csv` is A with a capacity; `net.max.csv` and `net.min.csv` are two names."""
    name, _, given = path.stem.rpartition(".")
    return (name, int(given)) if name and given.isdecimal() else (path.stem, None)


def _of_file(path: Path, group: str, name: str, given: int | None) -> Iterator[BenchmarkInstance]:
    with path.open(encoding="utf-8", newline="") as stream:
        problem = _with_rounded_sizes(_of_live_buffers(read_problem(stream, str(path))))
    load = load_of(problem)
    if load == 0:
        raise ValueError(f"{path}: nothing to plan, as no buffer with bytes is ever live")
    yield BenchmarkInstance(name, group, problem, load, load if given is None else given)
    if given is not None:
        limited = problem.with_capacity(given)
        yield BenchmarkInstance(name, f"{group}, to fit", limited, load, given, minimize=False)


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
    group = f"generated, {buffers:,} buffers"
    seconds = buffers * _SECONDS_PER_BUFFER
    return BenchmarkInstance(name, group, problem, load, load, seconds)
