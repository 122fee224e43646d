"""`tvm-hill-climb` against a statement of TVM's source (v0.19.0, src/tir/usmp/algo/hill_climb.cc).

Written from the source alone, in the order in which it draws numbers: what follows its `continue`
statements is what went wrong once.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest

from xdsl_memplan import Problem, plan

ATTEMPTS = 500


@dataclass
class RandR:
    """glibc's `rand_r`."""

    state: int = 0

    def __call__(self) -> int:
        result = 0
        for bits, mask in ((0, 2047), (10, 1023), (10, 1023)):
            self.state = (self.state * 1103515245 + 12345) % 2**32
            result = result << bits ^ (self.state // 65536 & mask)
        return result


@dataclass
class Climb:
    sizes: list[int]
    alignments: list[int]
    conflicts: list[set[int]]
    rand: RandR = field(default_factory=RandR)
    order: list[int] = field(default_factory=list[int])
    skipped: int = 0

    def place(self) -> dict[int, int]:
        at: dict[int, int] = {}
        for b in self.order:
            candidate = 0
            for other in sorted(self.conflicts[b] & at.keys(), key=lambda c: (at[c], c)):
                end = at[other] + self.sizes[other]
                end = -(-end // self.alignments[other]) * self.alignments[other]
                end = -(-end // self.alignments[b]) * self.alignments[b]
                if end > candidate and candidate + self.sizes[b] > at[other]:
                    candidate = end
            at[b] = candidate
        return at

    def swap(self, i: int, j: int) -> None:
        if i != j:
            self.order[i], self.order[j] = self.order[j], self.order[i]

    def run(self, pressure: int) -> dict[int, int]:
        n = len(self.sizes)
        key = [(-self.sizes[b], -len(self.conflicts[b]), -b) for b in range(n)]
        self.order = sorted(range(n), key=key.__getitem__)
        total_size, i1, i2 = 0, -1, -1
        at: dict[int, int] = {}
        best: dict[int, int] = {}
        for attempt in range(ATTEMPTS):
            before, at = at, self.place()
            total = max(at[b] + self.sizes[b] for b in at)
            if (
                not total_size
                or total_size > total
                or self.rand() % 100 < 50 * (total - total_size) // total // attempt
            ):
                best, total_size = at, total
                if total <= pressure:
                    break
            else:
                self.swap(i2, i1)
                at = before
            chosen = self.choose(at)
            if chosen is None:
                self.skipped += 1
                continue
            i1, i2 = chosen
            self.swap(i1, i2)
        return best

    def choose(self, at: dict[int, int]) -> tuple[int, int] | None:
        position = {b: i for i, b in enumerate(self.order)}
        most = max(at[b] + self.sizes[b] for b in at)
        top = [b for b in self.order if at[b] + self.sizes[b] == most]
        node = top[self.rand() % len(top)]
        first = sorted(position[c] for c in self.conflicts[node] if position[c] < position[node])
        second = sorted(
            position[d]
            for c in self.conflicts[node]
            for d in self.conflicts[c]
            if position[d] < position[c]
        )
        if not first:
            return None
        one = other = first[self.rand() % len(first)]
        while other == one:
            if second and self.rand() % 100 > 25:
                other = second[self.rand() % len(second)]
            else:
                other = first[self.rand() % len(first)]
            if len(second) < 2 and len(first) < 2:
                break
            if {one} == {*first, *second}:
                return None  # There it would draw for ever.
        return None if other == one else (one, other)


@pytest.mark.parametrize("aligned", [False, True])
def test_same_offsets_as_the_source(aligned: bool):
    random = np.random.default_rng(11)
    skipped = 0
    for number in range(40):
        n = int(random.integers(2, 6 if number % 2 else 16))
        pairs = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.4]
        problem = Problem(
            sizes=random.integers(1, 9 if number % 3 else 4000, n),
            starts=np.zeros(n, dtype=np.int64),
            ends=np.ones(n, dtype=np.int64),
            alignments=2 ** random.integers(0, 6, n) if aligned else None,
            # Pairs have no load at which the search would stop.
            conflict_relation="pairs",
            conflict_pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        )
        conflicts: list[set[int]] = [set() for _ in range(n)]
        for i, j in pairs:
            conflicts[i].add(j)
            conflicts[j].add(i)
        alignments = [1] * n if problem.alignments is None else problem.alignments.tolist()
        climb = Climb(problem.sizes.tolist(), alignments, conflicts)
        expected = climb.run(pressure=0)
        found = plan(problem, planner="tvm-hill-climb")
        assert found.offsets.tolist() == [expected[i] for i in range(n)], number
        skipped += climb.skipped
    assert skipped > 500
