"""The named errors of scheduling; all are ValueErrors."""

from xdsl_memplan._idealloc import (
    InvalidGraphError,
    InvalidOptionError,
    InvalidPlanError,
    PlanningError,
)

__all__ = ["InvalidGraphError", "InvalidOptionError", "InvalidPlanError", "PlanningError"]
