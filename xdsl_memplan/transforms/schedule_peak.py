"""Orders of least peak for the functions of a module, kept only where they help."""

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.function_problems import function_problems
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.planned_buffers import problem_of
from xdsl_memplan.analysis.schedule_graph import peak_graph
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import order_for_peak_by_parts
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass


def functions_to_schedule(module: ModuleOp) -> Iterable[tuple[FuncOp, OperatorGraph]]:
    """Yield the functions that have a body.

    Raises PassFailedException for one that cannot be analysed.
    """
    for op in module.body.ops:
        if not isinstance(op, FuncOp) or op.is_declaration:
            continue
        try:
            graph = OperatorGraph.of(op)
        except ValueError as error:
            raise PassFailedException(f"memplan-schedule: {error}") from error
        yield op, graph


def schedule_module_for_peak(module: ModuleOp, memory: str, max_states: int) -> None:
    """Reorder each function for the least peak, if bufferization then needs less memory.

    The operator graph foresees bufferization closely but not to the byte, so both orders are
    bufferized and planned on copies where the graph promises a gain.

    Raises PassFailedException for a function that cannot be analysed.
    """
    original: dict[FuncOp, list[Operation]] = {}
    before = module.clone()
    for function, graph in functions_to_schedule(module):
        operations = list(function.body.block.ops)
        if _reorder(graph, max_states):
            original[function] = operations
    if not original:
        return
    old, new = arena_bytes(before, memory), arena_bytes(module.clone(), memory)
    if old is None or new is None:
        return
    for function, operations in original.items():
        name = function.sym_name.data
        if new.get(name, 0) >= old.get(name, 0):
            restore(function, operations)


def _reorder(graph: OperatorGraph, max_states: int) -> bool:
    """Bring a function into the order of least peak; false if the graph promises no gain."""
    schedulable = peak_graph(graph)
    given = range(len(schedulable.operators))
    order = _order(schedulable, SearchSettings(max_states=max_states))
    if schedulable.load_in_order(order) >= schedulable.load_in_order(given):
        return False
    graph.reorder([index for index in order if index < len(graph.operators)])
    return True


def _order(graph: Graph, settings: SearchSettings) -> Sequence[int]:
    """Find the order of least peak, or where the graph is too large the best between cuts."""
    try:
        found = schedule_for_peak(graph, settings)
        if found.optimal or found.load == found.bound:
            return found.order
    except InvalidGraphError:
        pass  # Too many tensors live at once for the search: parts have fewer.
    try:
        return order_for_peak_by_parts(graph, settings=settings)
    except InvalidGraphError:
        return range(len(graph.operators))


def restore(function: FuncOp, operations: Iterable[Operation]) -> None:
    """Put the operations of a function back into an earlier order."""
    block = function.body.block
    listed = list(operations)
    for op in listed:
        op.detach()
    block.add_ops(listed)


def arena_bytes(module: ModuleOp, memory: str) -> dict[str, int] | None:
    """Bufferize ``module``, which is changed, and plan it: bytes by function, None if it fails."""
    try:
        MemplanBufferizePass(memory=memory).apply(Context(), module)
        needed: dict[str, int] = {}
        for problem in function_problems(module, memory):
            peak = plan(problem_of(problem.buffers, problem.memory)).peak
            needed[problem.function] = needed.get(problem.function, 0) + peak
    except PassFailedException:
        return None
    return needed
