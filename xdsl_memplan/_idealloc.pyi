from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias, final

from numpy.typing import NDArray

from xdsl_memplan.model.split_graph import SplitGraph

class PlanningError(ValueError): ...
class InvalidProblemError(PlanningError): ...
class InvalidOptionError(PlanningError): ...
class UnknownPlannerError(PlanningError): ...
class UnsupportedError(PlanningError): ...
class TimeLimitError(PlanningError): ...
class InvalidPlanError(PlanningError): ...
class InvalidGraphError(PlanningError): ...

@final
class Prepared:
    def __new__(cls, problem: dict[str, Any]) -> Self: ...
    def run(self, planner: str) -> None: ...

def planners() -> list[tuple[str, str, str, tuple[bool, bool, bool, bool, bool]]]: ...
def check(problem: dict[str, Any], offsets: NDArray[Any], pools: NDArray[Any] | None) -> int: ...
def cross(problem: dict[str, Any], offsets: NDArray[Any]) -> None: ...
def mixed_lifetimes(
    seed: int, sizes: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]
) -> None: ...
def plan(
    problem: dict[str, Any],
    offsets: NDArray[Any],
    pools: NDArray[Any] | None,
    *,
    planner: str,
    seed: int,
    effort: str,
    threads: int,
    time_limit_seconds: float | None,
    minimize: bool,
    parameters: dict[str, str],
    progress: Callable[[int, int, int], None] | None,
) -> tuple[int, int, int, str, list[tuple[str, int]]]: ...

BACKTRACK_FEATURES: list[str]

def backtracks(
    problem: dict[str, Any],
    *,
    seed: int,
    parameters: dict[str, str],
    steps: int,
    most: int,
    oracle_nodes: int,
    oracle_share: int,
) -> tuple[
    list[list[float]],
    list[int],
    tuple[list[int], list[int], list[int], list[int], list[bool]],
    list[int],
]: ...
def lookahead_backtracks(
    problem: dict[str, Any],
    *,
    seed: int,
    parameters: dict[str, str],
    steps: int,
    trial: int,
    most: int,
    share: int,
) -> tuple[bool, int, list[list[float]], list[int], list[int]]: ...
def schedule(
    graph: dict[str, Any],
    *,
    capacity: int | None,
    order: list[int] | None,
    seed: int,
    max_states: int | None,
    max_memory_bytes: int | None,
    time_limit_seconds: float | None,
    without: list[str],
    progress: Callable[[int, int, int], None] | None,
) -> tuple[
    list[int],
    list[tuple[int, int, int, int, bool, bool]],
    tuple[int, int, int, int],
    str,
    list[tuple[str, int]],
    list[list[int]],
]: ...
def replace(
    graph: dict[str, Any], order: list[int], capacity: int, rule: str
) -> tuple[
    list[int],
    list[tuple[int, int, int, int, bool, bool]],
    tuple[int, int, int, int],
    str,
    list[tuple[str, int]],
    list[list[int]],
]: ...
def check_graph(graph: dict[str, Any]) -> None: ...
def check_schedule(
    graph: dict[str, Any],
    order: list[int],
    stays: Sequence[tuple[int, int, int, int, bool, bool]],
    capacity: int | None,
) -> tuple[int, int]: ...

_Groups: TypeAlias = tuple[
    tuple[
        list[
            tuple[
                int,
                int,
                list[tuple[Any, int, int, int, int, Any, int, int]],
                bool,
                bool,
                list[tuple[int, Any, int]],
                tuple[int, int, int, int, int],
                bool,
                list[int],
            ]
        ],
        list[int],
    ]
    | None,
    tuple[int, int | None, int | None] | None,
]

def split_groups(
    graph: SplitGraph,
    slices: dict[int, tuple[int, int, int, bool]],
    machine: dict[str, Any],
    objective: str,
    order: str,
    threads: int,
) -> tuple[list[int], _Groups]: ...
def split_given(
    graph: SplitGraph,
    slices: dict[int, tuple[int, int, int, bool]],
    machine: dict[str, Any],
    groups: list[tuple[int, int, list[list[tuple[int, int, bool]]]]],
) -> _Groups: ...
def split_layout(
    graph: SplitGraph,
    slices: dict[int, tuple[int, int, int, bool]],
    machine: dict[str, Any],
    target: int,
    cuts: list[tuple[str, int, int, int, int, str, int, int]],
    residencies: list[tuple[int, str, int]],
    is_sliced: bool,
) -> tuple[
    list[tuple[int, int]],
    list[list[tuple[bool, int, int]]],
    list[tuple[int, list[tuple[bool, int, int]]]],
    list[list[tuple[list[tuple[int, int]], list[int]]]],
    list[tuple[int, int, Any, int, int, int]],
    tuple[int, int, int, int, int],
    int,
    int,
    list[int],
    list[tuple[int, int]],
]: ...
