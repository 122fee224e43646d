"""What is not split, and why: functions that have no tiles, and reports about them."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.parts import PARTS

_HINT = "what may help"
"""What a line of a report begins with that advises tiles."""


def refuse_unfetched(module: ModuleOp, whole: Sequence[FuncOp]) -> None:
    """Refuse functions that compute tensors but have no tiles: nothing would fetch their operands.

    ``whole`` are those without tiles, after passes on a copy of `module`.
    """
    names = {op.sym_name.data for op in whole}
    left = [
        op for op in functions_of(module) if op.sym_name.data in names and _computes_tensors(op)
    ]
    if reasons := _why_whole(left):
        advice = "operands are fetched by tiles; with stage=none they are read where they are"
        raise PassFailedException("\n".join([f"option stage=all: {advice}", *reasons]))


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that have a body."""
    return [op for op in operations_in(module) if isinstance(op, FuncOp) and op.body.blocks]


def is_whole(function: FuncOp) -> bool:
    """Tell whether a function is not split, nor its parts."""
    return PARTS not in function.attributes and _why_not_split(function) is not None


def _computes_tensors(function: FuncOp) -> bool:
    """Tell whether operations have tensors besides calls and the last, which returns."""
    if PARTS in function.attributes:
        return False
    return any(
        is_tensor(value.type)
        for block in function.body.blocks
        for op in block.ops
        if op is not block.last_op and not isinstance(op, CallOp)
        for value in (*op.operands, *op.results)
    )


def with_tiles(module: ModuleOp, failures: list[PassFailedException]) -> PassFailedException:
    """The first failure, of operations as a whole, and what was in the way of tiles."""
    whole, *_, tiles = failures
    if str(whole) == str(tiles) or _not_split(module):
        return without_hint(module, whole)
    kept = [line for line in str(whole).splitlines() if not line.startswith(_HINT)]
    first = str(tiles).partition("\n")[0]
    return PassFailedException("\n".join([*kept, f"in tiles it does not fit either: {first}"]))


def without_hint(module: ModuleOp, failure: PassFailedException) -> PassFailedException:
    """A failure that does not advise tiles: they were tried, or there is a reason why not."""
    lines = str(failure).splitlines()
    if not any(line.startswith(_HINT) for line in lines):
        return failure
    kept = [line for line in lines if not line.startswith(_HINT)]
    return PassFailedException("\n".join([*kept, *_not_split(module)]))


def _not_split(module: ModuleOp) -> list[str]:
    """Why functions are not split, a line each."""
    return _why_whole(functions_of(module))


def _why_whole(functions: Sequence[FuncOp]) -> list[str]:
    reasons = [(function, _why_not_split(function)) for function in functions]
    return [f"@{op.sym_name.data} is not split: {why}" for op, why in reasons if why is not None]


def _why_not_split(function: FuncOp) -> str | None:
    from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
    from xdsl_memplan.transforms.memplan_form_layers import why_left_alone
    from xdsl_memplan.transforms.memplan_group import why_whole

    if (why := why_left_alone(function)) is not None:
        return why
    try:
        return why_whole(FunctionSplitGraph.of(function))
    except ValueError as error:
        return str(error)
