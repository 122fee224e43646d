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
from xdsl_memplan.transforms.verify_split.tiled_program import TiledProgram
from xdsl_memplan.transforms.verify_split.whole_program import (
    WholeProgram,
)


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


def check_split(whole: FuncOp, tiled: FuncOp) -> SplitCheck:
    """Check `tiled` against `whole`, which may hold groups and has the same arguments.

    Proved: every element of every result is computed from the same elements by the same operations
    in the same order, no element is read before it is written, and as many multiply-adds are done
    as the groups say.

    Refuted: an operation reads an element that nothing has written or that lies outside of its
    tensor; or, where the whole program reads a tensor, the same tensor at another index or at
    another stage of its sum, another argument or another constant; or more or fewer multiply-adds
    are done than the groups say.

    Unknown: all else, such as an operation that is none of the whole program.

    Linear in the operations, times three for every loop around them, or its iterations where tiles
    differ in kind.
    """
    try:
        program = WholeProgram(whole)
        run = TiledProgram(tiled, program)
        run.run()
    except CheckError as error:
        refuted = isinstance(error, MismatchError)
        return SplitCheck(Verdict.REFUTED if refuted else Verdict.UNKNOWN, _message(error))
    promised = _promised_work(program)
    if run.work != promised:
        return SplitCheck(
            Verdict.REFUTED,
            f"{describe_op(tiled)}: does {run.work} multiply-adds, its groups say {promised}",
        )
    return SplitCheck(Verdict.PROVED)


def _message(error: CheckError) -> str:
    place = "" if error.op is None else f"{describe_op(error.op)}: "
    by = "" if error.by in (None, error.op) else f"; written by {describe_op(error.by)}"
    return f"{place}{error}{by}"


def _promised_work(program: WholeProgram) -> int:
    """What groups say, and what is outside of groups."""
    inside = [op for op in program.function.body.block.ops if isinstance(op, GroupOp)]
    outside = sum(
        work for op, work in program.work.items() if op.parent is program.function.body.block
    )
    return outside + sum(group.cost.cost.work for group in inside)
