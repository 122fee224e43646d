"""Static memory planning for xDSL and MLIR: order, buffers, lifetimes, addresses, spills."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl_memplan.model.lifetime import Lifetime
    from xdsl_memplan.model.plan import Plan
    from xdsl_memplan.model.problem import Buffer, Pool, Problem
    from xdsl_memplan.planners.plan import plan
    from xdsl_memplan.transforms.plan_module import ModulePlan, plan_module

__all__ = ["Buffer", "Lifetime", "ModulePlan", "Plan", "Pool", "Problem", "plan", "plan_module"]

# Every start of xdsl-opt imports this package to find our passes, so nothing heavy is loaded until
# it is asked for.
_HOMES = {
    "Buffer": "xdsl_memplan.model.problem",
    "Lifetime": "xdsl_memplan.model.lifetime",
    "ModulePlan": "xdsl_memplan.transforms.plan_module",
    "Plan": "xdsl_memplan.model.plan",
    "Pool": "xdsl_memplan.model.problem",
    "Problem": "xdsl_memplan.model.problem",
    "plan": "xdsl_memplan.planners.plan",
    "plan_module": "xdsl_memplan.transforms.plan_module",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
