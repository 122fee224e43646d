"""Passes are tried on a copy of a module; what is best is put in its place."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xdsl_memplan.dialects.copies import copied_operation

Run = Callable[[ModuleOp, list[ModulePass]], None]
"""Runs passes; where it plans, all that follow splitting after them."""


@dataclass(frozen=True)
class Runs:
    """How the pipeline runs passes."""

    alone: Run
    """Runs passes, and nothing after them."""
    with_plan: Run
    """Runs passes, then all that follow splitting."""


def trial_of(module: ModuleOp, passes: list[ModulePass], run: Run) -> ModuleOp:
    """Return what passes make of a module, which stays as it is; raises what they raise."""
    trial = copied_operation(module)
    run(trial, passes)
    return trial


def commit(module: ModuleOp, trial: ModuleOp) -> None:
    """Put the operations of a trial in the place of those of the module, unless it is that."""
    if trial is module:
        return
    module.attributes.clear()
    module.attributes.update(trial.attributes)
    block = trial.body.block
    for op in reversed(list(module.body.block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    for op in list(block.ops):
        op.detach()
        module.body.block.add_op(op)
