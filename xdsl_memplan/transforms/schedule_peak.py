"""Orders of least peak for the functions of a module, kept only where they help."""

from collections.abc import Iterable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.function_problems import function_problems
from xdsl_memplan.analysis.memories import DEFAULT_ALIGNMENT, Memory
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.planned_buffers import problem_of
from xdsl_memplan.analysis.schedule_graph import peak_graph
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.divide_and_conquer import order_for_peak_by_parts
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.transforms.bufferize.check import check_function
from xdsl_memplan.transforms.bufferize.handover import keep
from xdsl_memplan.transforms.bufferize.module import place_function
from xdsl_memplan.transforms.bufferize.peak import Peak
from xdsl_memplan.transforms.bufferize.placement import Placement
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass

CONTROL_FLOW = {Kind.SEQUENCE, Kind.LOOP, Kind.PARALLEL_LOOP, Kind.CALL}


def functions_with_body(module: ModuleOp) -> Iterable[FuncOp]:
    """Yield the functions that have something to schedule."""
    return (op for op in module.body.ops if isinstance(op, FuncOp) and not op.is_declaration)


def graph_to_schedule(function: FuncOp, keep_order: bool = False) -> OperatorGraph:
    """Analyse a function.

    Raises PassFailedException if its operators or their sizes are not known.
    """
    try:
        return OperatorGraph.of(function, keep_order)
    except ValueError as error:
        raise PassFailedException(f"memplan-schedule: {error}") from error


def schedule_for_least_peak(graph: OperatorGraph, max_states: int) -> None:
    """Reorder a function for the least peak, if bufferization then needs less memory.

    The operator graph foresees bufferization closely but not to the byte, so where it promises a
    gain tensors are given their places in both orders, and the better order stays.
    """
    found = _better_order(graph, max_states)
    if found is None:
        return
    order, promised = found
    function = graph.function
    before, places = bytes_needed(function, graph.sharing)
    keep(function, places)
    if before is not None and before <= promised:
        return
    operations = list(function.body.block.ops)
    graph.reorder(order)
    after, better_places = bytes_needed(function, graph.sharing, is_checked=before is not None)
    if before is None or after is None or after >= before:
        restore(function, operations)
    else:
        keep(function, better_places)


def _better_order(graph: OperatorGraph, max_states: int) -> tuple[list[int], int] | None:
    """Find the order of least peak of the operators, and its bytes; None if it promises no gain."""
    schedulable = peak_graph(graph)
    given = range(len(schedulable.operators))
    order = _order(schedulable, SearchSettings(max_states=max_states))
    promised = schedulable.load_in_order(order)
    if promised >= schedulable.load_in_order(given):
        if graph.is_in_file_order():
            return None
        order = given
    return [index for index in order if index < len(graph.operators)], promised


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


def bytes_needed(
    function: FuncOp, sharing: Sharing | None = None, *, is_checked: bool = False
) -> tuple[int | None, Placement | None]:
    """Foresee the most bytes live at once after bufferization; None if that fails.

    With ``is_checked`` it is known that the operations can be bufferized.

    Straight-line code needs what its tensors' places need; these are given, too. Loops and branches
    may need copies besides, so they are bufferized on a copy, and what is returned is the arena.
    Changes nothing.
    """
    try:
        if not is_straight_line(function):
            return _arena_bytes(function), None
        if not is_checked:
            check_function(function)
        placement = place_function(
            function, {}, in_place=True, sharing=sharing, alignment=DEFAULT_ALIGNMENT
        )
        return Peak(placement, DEFAULT_ALIGNMENT).bytes, placement
    except PassFailedException:
        return None, None


def arena_bytes(function: FuncOp, memory: Memory, sharing: Sharing | None = None) -> int | None:
    """Foresee the arena in a memory after bufferization; None if that fails.

    The places of the tensors of straight-line code are planned as buffers will be; what is moved to
    another memory takes no room. For loops and branches see `bytes_needed`. Changes nothing.
    """
    try:
        if not is_straight_line(function):
            return _arena_bytes(function)
        check_function(function)
        placement = place_function(
            function,
            {},
            in_place=True,
            default_arena=memory.name,
            sharing=sharing,
            alignment=memory.alignment,
        )
        return plan(Peak(placement).problem(memory.alignment), effort="low").peak
    except PassFailedException:
        return None


def is_straight_line(function: FuncOp) -> bool:
    """Tell whether a function has neither control flow, between blocks or by `scf`, nor calls."""
    blocks = function.body.blocks
    return len(blocks) == 1 and all(kind_of(op) not in CONTROL_FLOW for op in blocks[0].ops)


def _arena_bytes(function: FuncOp) -> int:
    module = function.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    copy = module.clone()
    MemplanBufferizePass().apply(Context(), copy)
    return sum(
        plan(problem_of(problem.buffers, problem.memory)).peak
        for problem in function_problems(copy, "")
        if problem.function == function.sym_name.data
    )
