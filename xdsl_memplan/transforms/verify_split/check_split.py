"""Checks that a function in tiles computes what it did as a whole."""

from dataclasses import dataclass
from enum import Enum

from xdsl.dialects.func import FuncOp

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.verify_split.check_errors import (
    CheckError,
    MismatchError,
)
from xdsl_memplan.transforms.verify_split.order import check_order
from xdsl_memplan.transforms.verify_split.recount import GroupCount, check_work, more_bytes, recount
from xdsl_memplan.transforms.verify_split.tiled_program import TiledProgram
from xdsl_memplan.transforms.verify_split.whole_program import WholeProgram, work_of


class Verdict(Enum):
    """What is known of tiles."""

    PROVED = "proved"
    """Every element is computed as before."""
    UNKNOWN = "unknown"
    """Something could not be followed."""
    REFUTED = "refuted"
    """An operation certainly does not do what the whole program does."""


@dataclass(frozen=True)
class SplitCheck:
    """What was found out of tiles, and why nothing better."""

    verdict: Verdict
    reason: str = ""
    """With the operation and its place; empty if the tiles are proved."""
    groups: tuple[GroupCount, ...] = ()
    """What the tiles of each group do, in the order of the groups; none if not followed."""
    more_bytes: tuple[str, ...] = ()
    """Groups whose tiles move more bytes than they say. The tiles may be right all the same."""


def check_split(whole: FuncOp, tiled: FuncOp, max_recompute: float | None = None) -> SplitCheck:
    """Check `tiled` against `whole`, which may hold groups and has the same arguments.

    Proved: every element of every result is computed from the same elements by the same operations
    in the same order, no element is read before it is written, no more multiply-adds are done than
    the groups say, and no group does more than `max_recompute` times its own.

    Refuted: an operation reads an element that nothing has written or that lies outside of its
    tensor, or in either program what is computed after it; or, where the whole program reads a
    tensor, the same tensor at another index or at another stage of its sum, another argument or
    another constant; or more multiply-adds are done than the groups say.

    Unknown: all else, such as an operation that is none of the whole program, or a program that
    does more than compute tensors: it touches memory, calls, or has operations without traits.

    Linear in the operations, times three for every loop around them, or its iterations where tiles
    differ in kind.
    """
    try:
        check_order(whole)
        check_order(tiled)
        program = WholeProgram(whole)
        run = TiledProgram(tiled, program)
        run.run()
    except CheckError as error:
        refuted = isinstance(error, MismatchError)
        return SplitCheck(Verdict.REFUTED if refuted else Verdict.UNKNOWN, _message(error))
    counts = recount(run)
    groups = tuple(counts.values())
    try:
        check_work(counts, max_recompute)
        _check_all_work(run)
    except MismatchError as error:
        return SplitCheck(Verdict.REFUTED, str(error), groups)
    return SplitCheck(Verdict.PROVED, "", groups, more_bytes(counts))


def _message(error: CheckError) -> str:
    place = "" if error.op is None else f"{describe_op(error.op)}: "
    by = "" if error.by in (None, error.op) else f"; written by {describe_op(error.by)}"
    return f"{place}{error}{by}"


def _check_all_work(run: TiledProgram) -> None:
    """Check all multiply-adds, also those that belong to no group for certain.

    Fewer are no mistake: all elements are there.
    """
    program = run.program
    block = program.function.body.block
    inside = (op.cost.cost.work for op in block.ops if isinstance(op, GroupOp))
    outside = (work for op, work in program.work.items() if op.parent is block)
    promised = sum(inside) + sum(outside)
    done = sum(
        times * work_of(run.computations[op])
        for op, times in run.times.items()
        if op in run.computations
    )
    if done > promised:
        raise MismatchError(
            f"{describe_op(run.function)}: does {done} multiply-adds, its groups say {promised}"
        )
