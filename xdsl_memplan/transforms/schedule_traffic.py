"""Brings the functions of a module under a capacity with the fewest bytes moved off chip."""

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.in_place_joins import join_in_place
from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.schedule_graph import traffic_graph
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.scheduling.core import SearchSettings
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.fixed_order import schedule_in_order
from xdsl_memplan.scheduling.traffic import schedule_for_traffic
from xdsl_memplan.transforms.off_chip_moves import write_schedule

DEFAULT_OFF_CHIP = "off_chip"


def schedule_for_least_traffic(
    graph: OperatorGraph, on_chip: Memory, off_chip: str, keep_order: bool, max_states: int
) -> None:
    """Write order, spills and retrieves of least traffic into the function of ``graph``.

    Raises PassFailedException if the memory has no capacity, or an operation does not fit.
    """
    capacity = on_chip.capacity
    if capacity is None:
        raise PassFailedException(
            "memplan-schedule: objective=traffic needs the capacity of the on-chip memory; "
            'write for example memory="L1=256KiB"'
        )
    # Every address is a multiple of the alignment, so sizes are rounded up to it.
    alignment = on_chip.alignment
    graph = join_in_place(graph, keep_order)
    tensors = TensorGraph.of(graph)
    schedulable = traffic_graph(graph, tensors, alignment)
    usable = capacity - capacity % alignment
    settings = SearchSettings(max_states=max_states)
    try:
        if keep_order:
            order = range(len(schedulable.operators))
            found = schedule_in_order(schedulable, order, usable, settings)
        else:
            found = schedule_for_traffic(schedulable, usable, settings)
    except InvalidGraphError as error:
        name = graph.function.sym_name.data
        raise PassFailedException(f"memplan-schedule: @{name}: {error}") from error
    write_schedule(graph, tensors, found.order, found.stays, on_chip.name, off_chip)
    graph.function.attributes[TRAFFIC] = DictionaryAttr(
        {"bytes": IntegerAttr(found.traffic, i64), "bound": IntegerAttr(found.bound, i64)}
    )


def two_memories(module: ModuleOp, option: str) -> tuple[Memory, str | None]:
    """The on-chip memory, and the name of the one off chip if there is one."""
    on_chip, *others = Memories.of(module, option).by_name.values()
    return on_chip, others[0].name if others else None
