"""The named errors of planning; all are ValueErrors."""

from xdsl_memplan._idealloc import (
    InvalidOptionError,
    InvalidPlanError,
    InvalidProblemError,
    PlanningError,
    TimeLimitError,
    UnknownPlannerError,
    UnsupportedError,
)

__all__ = [
    "InvalidOptionError",
    "InvalidPlanError",
    "InvalidProblemError",
    "PlanningError",
    "TimeLimitError",
    "UnknownPlannerError",
    "UnsupportedError",
]
