"""Checks that a function in tiles computes what it did as a whole."""

from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.verify_split.computation import NotFollowedError
from xdsl_memplan.transforms.verify_split.tiled_program import TiledProgram
from xdsl_memplan.transforms.verify_split.whole_program import (
    WholeProgram,
)


def check_split(whole: FuncOp, tiled: FuncOp) -> str | None:
    """Check `tiled` against `whole`, which may hold groups and has the same arguments.

    Returns None if every element of every result is computed from the same elements by the same
    operations in the same order, no element is read before it is written, and as many
    multiply-adds are done as the groups say. Returns why not if something in the functions cannot
    be followed: then nothing is known. Linear in the operations, times three for every loop around
    them, or its iterations where tiles differ in kind.

    Raises PassFailedException with the operation that is wrong.
    """
    try:
        program = WholeProgram(whole)
        run = TiledProgram(tiled, program)
        run.run()
    except NotFollowedError as error:
        return str(error)
    promised = _promised_work(program)
    if run.work != promised:
        raise PassFailedException(
            f"{describe_op(tiled)}: does {run.work} multiply-adds, its groups say {promised}"
        )
    return None


def _promised_work(program: WholeProgram) -> int:
    """What groups say, and what is outside of groups."""
    inside = [op for op in program.function.body.block.ops if isinstance(op, GroupOp)]
    outside = sum(
        work for op, work in program.work.items() if op.parent is program.function.body.block
    )
    return outside + sum(group.cost.cost.work for group in inside)
