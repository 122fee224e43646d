"""The independent checker of plans: shares no code with planners or the checker of the core."""

from bisect import bisect_left, insort
from collections import defaultdict

from xdsl_memplan.model.integers import Int64Array, int64_array
from xdsl_memplan.model.problem import Problem


class PlanError(ValueError):
    """A plan breaks a rule; the message names the buffers and the rule."""


def check_plan(problem: Problem, offsets: Int64Array, pools: Int64Array | None = None) -> int:
    """Check offsets against every rule of a problem and return the peak in bytes.

    Offsets are bytes, shape (n,); pools are indices, shape (n,), None if there is one pool. With
    several pools the peak is the sum over them. Never-live buffers count for the peak.
    Complexity: O(n log n) steps (and O(n) moves inside a sorted list), plus O(pairs).

    Raises PlanError, ValueError for offsets or pools that are not integers.
    """
    if len(offsets) != len(problem):
        raise PlanError(f"{len(offsets)} offsets for {len(problem)} buffers")
    at: list[int] = int64_array(offsets, "offsets").tolist()
    size: list[int] = problem.sizes.tolist()
    pool: list[int] = [0] * len(at) if pools is None else int64_array(pools, "pools").tolist()
    if len(pool) != len(at):
        raise PlanError(f"{len(pool)} pools for {len(problem)} buffers")
    peaks = [0] * len(problem.pools)
    for i, offset in enumerate(at):
        _check_placement(problem, i, offset, pool[i])
        if size[i]:
            peaks[pool[i]] = max(peaks[pool[i]], offset + size[i])
    for i, offset in problem.fixed:
        if at[i] != offset:
            raise PlanError(f"buffer {problem.describe(i)} is fixed at {offset} but is at {at[i]}")
    _check_candidates(problem, pool)

    def share_bytes(a: int, b: int) -> bool:
        return pool[a] == pool[b] and max(at[a], at[b]) < min(at[a] + size[a], at[b] + size[b])

    if problem.conflict_pairs is not None:
        for a, b in problem.conflict_pairs.tolist():
            if share_bytes(a, b):
                raise _overlap(problem, a, b)
    if problem.conflict_relation == "lifetimes":
        _sweep(problem, at, size, pool)
    return sum(peaks)


def _check_placement(problem: Problem, i: int, offset: int, pool: int) -> None:
    name = problem.describe(i)
    if not 0 <= pool < len(problem.pools):
        raise PlanError(f"buffer {name} is in a pool that does not exist")
    size = int(problem.sizes[i])
    memory = problem.pools[pool]
    if offset < 0 or offset + size > 2**63 - 1:
        raise PlanError(f"buffer {name} lies outside the address space")
    # Buffers of no bytes get in nobody's way, wherever they are.
    if not size:
        return
    if memory.capacity is not None and offset + size > memory.capacity:
        raise PlanError(
            f"buffer {name} ends at {offset + size}, above the capacity of {memory.name}"
        )
    alignment = 1 if problem.alignments is None else int(problem.alignments[i])
    if (memory.base_address + offset) % alignment:
        raise PlanError(f"buffer {name} at offset {offset} is not aligned to {alignment}")


def _check_candidates(problem: Problem, pool: list[int]) -> None:
    allowed: dict[int, set[int]] = defaultdict(set)
    for buffer, candidate in problem.candidates:
        allowed[buffer].add(candidate)
    for buffer, candidates in allowed.items():
        if pool[buffer] not in candidates:
            raise PlanError(f"buffer {problem.describe(buffer)} is in a pool that it may not use")


def _sweep(problem: Problem, at: list[int], size: list[int], pool: list[int]) -> None:
    """Walk through time with the live ranges sorted: a new one can only meet its neighbours."""
    events: list[tuple[int, bool, int]] = []
    for i, start, end in problem.live_spans():
        if start < end and size[i]:
            events += [(start, True, i), (end, False, i)]
    # Ends sort before starts of the same tick, as lifetimes are half-open.
    events.sort()
    live: list[tuple[int, int, int]] = []
    for _, starts, i in events:
        entry = (pool[i], at[i], i)
        if not starts:
            del live[bisect_left(live, entry)]
            continue
        position = bisect_left(live, entry)
        for neighbour in live[max(position - 1, 0) : position + 1]:
            other = neighbour[2]
            overlap = max(at[i], at[other]) < min(at[i] + size[i], at[other] + size[other])
            if neighbour[0] == pool[i] and overlap:
                raise _overlap(problem, i, other)
        insort(live, entry)


def _overlap(problem: Problem, a: int, b: int) -> PlanError:
    first, second = problem.describe(min(a, b)), problem.describe(max(a, b))
    return PlanError(f"buffers {first} and {second} conflict and share bytes")
