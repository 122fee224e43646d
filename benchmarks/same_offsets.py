"""Whether our planners give the offsets of the originals that are installed, byte for byte.

    python benchmarks/same_offsets.py [--random 14] [--hill-climb]

On minimalloc's A..K with times mapped to event ranks, and on random problems, half of them with few
different sizes. Sizes are multiples of 64 bytes, to which IREE aligns. But for IREE, which packs a
list, times are numbers of operations, as in the IR that MLIR and Triton are given. Vela's hill
climb takes minutes on some and is left out unless asked for; `golden_vela.py` keeps what it gives.
Needs `pip install xdsl-memplan[bench]`, and `[bench-heavy]` for ExecuTorch and Triton.
"""

import argparse
import sys
from collections.abc import Iterator

import numpy as np
from golden_vela import DATA, ranked

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.tools.benchmark.contenders import Limits
from xdsl_memplan.tools.benchmark.peers import peers

ORIGINALS = {
    "vela greedy": "vela-greedy",
    "iree-opt MLIR best-fit": "mlir-best-fit",
    "iree-opt LayoutSlices": "iree",
    "executorch greedy": "executorch",
    "triton allocation": "triton",
    "vela hill climb": "vela-hill-climb",
}


def random_problems(count: int) -> Iterator[tuple[str, Problem]]:
    random = np.random.default_rng(7)
    for number in range(count):
        buffers = int(random.integers(5, 300))
        starts = random.integers(0, buffers, buffers, dtype=np.int64)
        lives = random.integers(1, 2 + buffers // 3, buffers, dtype=np.int64)
        most = 6 if number % 2 else 4096
        sizes = 64 * random.integers(1, most, buffers, dtype=np.int64)
        yield f"random {number}", Problem(sizes=sizes, starts=starts, ends=starts + lives)


def by_operation(problem: Problem) -> Problem:
    """Number allocations and deallocations, as IR does: what dies comes before what begins."""
    n = len(problem)
    order = np.argsort(problem.starts, kind="stable")
    sizes, starts, ends = problem.sizes[order], problem.starts[order], problem.ends[order]
    alignments = None if problem.alignments is None else problem.alignments[order]
    is_start = np.repeat([True, False], n)
    events = np.lexsort((np.tile(np.arange(n), 2), is_start, np.concatenate([starts, ends])))
    at = np.empty(2 * n, dtype=np.int64)
    at[events] = np.arange(2 * n)
    return Problem(sizes=sizes, starts=at[:n], ends=at[n:] + 1, alignments=alignments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--random", type=int, default=14, help="default: %(default)s")
    parser.add_argument("--hill-climb", action="store_true", help="Vela's too")
    arguments = parser.parse_args()
    files = sorted((DATA / "minimalloc").glob("*.csv"))
    problems = [(path.name[0], ranked(path)) for path in files]
    problems += random_problems(arguments.random)
    found, missing = peers()
    for peer in found:
        if peer.name not in ORIGINALS or (peer.searches and not arguments.hill_climb):
            continue
        different: list[str] = []
        for name, given in problems:
            # IREE has no order of its own: as the file has it.
            problem = given if ORIGINALS[peer.name] == "iree" else by_operation(given)
            task = peer.prepare(problem, Limits(seconds=600))
            theirs = task.offsets(task.work())
            ours = plan(problem, planner=ORIGINALS[peer.name]).offsets
            if not np.array_equal(ours, theirs):
                different.append(name)
        same = len(problems) - len(different)
        print(f"{peer.name}: {same} of {len(problems)} identical", *different, flush=True)
    for peer, reason in missing:
        print(f"{peer}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
