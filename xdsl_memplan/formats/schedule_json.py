"""Schedules as JSON: what `memplan schedule` writes, and `memplan check` reads again.

```json
{"graph": "...", "objective": "traffic", "in_order": false, "parameters": false, "capacity": 128,
 "traffic": 0, "peak": 96, "load": 96, "bound": 0, "stop": "optimal", "order": ["conv", ...],
 "parts": [["conv", ...], ...],
 "stays": [{"tensor": "x", "start": 0, "end": 1, "offset": 0, "loaded": true, "spilled": false}]}
```

Operators and tensors go by name. Sizes and offsets are bytes; ``start`` and ``end`` are positions
in ``order``. ``in_order`` says that the bound holds for this order only, ``parameters`` that
parameters are on chip too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO, cast

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.json_document import read_json
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.model.integers import checked_integer
from xdsl_memplan.model.schedule import Schedule, Stay


@dataclass(frozen=True)
class WrittenSchedule:
    """A schedule with what it claims to hold for."""

    schedule: Schedule
    capacity: int | None
    """Bytes."""
    in_order: bool = False
    """The bound holds for this order only."""
    parameters: bool = False
    """Parameters are on chip too."""


def schedule_document(graph: Graph, written: WrittenSchedule) -> dict[str, Any]:
    """Lay out a schedule of a graph for JSON."""
    schedule = written.schedule
    return {
        "graph": graph.name,
        "objective": schedule.objective,
        "in_order": written.in_order,
        "parameters": written.parameters,
        "capacity": written.capacity,
        "traffic": schedule.traffic,
        "peak": schedule.peak,
        "load": schedule.load,
        "bound": schedule.bound,
        "stop": schedule.stop,
        "order": [graph.operators[index].id for index in schedule.order],
        "parts": [[graph.operators[index].id for index in part] for part in schedule.parts],
        "stays": [
            {
                "tensor": graph.tensors[stay.tensor].id,
                "start": stay.start,
                "end": stay.end,
                "offset": stay.offset,
                "loaded": stay.is_loaded,
                "spilled": stay.is_spilled,
            }
            for stay in schedule.stays
        ],
    }


def read_schedules(stream: TextIO, name: str, graph: Graph) -> list[WrittenSchedule]:
    """Read a schedule of a graph, or a list of them, as a curve has them.

    ``graph`` has all its parameters. Raises FormatError that names the key and the value.
    """
    _, document = read_json(stream, name)
    listed = cast(list[Any], document) if isinstance(document, list) else [document]
    try:
        return [_read(one, graph) for one in listed]
    except ValueError as error:
        raise FormatError(name, 1, 1, str(error)) from error


def _read(document: Any, graph: Graph) -> WrittenSchedule:
    if not isinstance(document, dict):
        raise ValueError("a schedule is no JSON object")
    entries = cast(dict[str, Any], document)
    parameters = _flag(entries, "parameters", "the schedule")
    graph = graph if parameters else graph.without_parameters()
    operators = {op.id: i for i, op in enumerate(graph.operators)}
    tensors = {tensor.id: i for i, tensor in enumerate(graph.tensors)}
    objective = entries.get("objective")
    if objective not in ("peak", "traffic"):
        raise ValueError(f"objective {objective!r} is not peak or traffic")

    def number(key: str) -> int:
        return checked_integer(entries.get(key), key, least=0)

    stays: list[Stay] = []
    for i, entry in enumerate(_listed(entries.get("stays", []), "stays")):
        where = f"stays[{i}]"
        if not isinstance(entry, dict):
            raise ValueError(f"{where} is no JSON object")
        stay = cast(dict[str, Any], entry)
        start, end, offset = (
            checked_integer(stay.get(key), f"{where}: {key}") for key in ("start", "end", "offset")
        )
        tensor = _position(stay.get("tensor"), tensors, f"{where}: tensor")
        flags = (_flag(stay, key, where) for key in ("loaded", "spilled"))
        stays.append(Stay(tensor, start, end, offset, *flags))

    def positions(names: Sequence[Any], what: str) -> list[int]:
        return [_position(op, operators, what) for op in names]

    schedule = Schedule(
        objective,
        positions(_listed(entries.get("order", []), "order"), "order: operator"),
        stays,
        number("load"),
        number("peak"),
        number("traffic"),
        number("bound"),
        str(entries.get("stop", "")),
        {},
        [
            positions(_listed(part, f"parts[{i}]"), "parts: operator")
            for i, part in enumerate(_listed(entries.get("parts", []), "parts"))
        ],
    )
    capacity = None if entries.get("capacity") is None else number("capacity")
    return WrittenSchedule(
        schedule, capacity, _flag(entries, "in_order", "the schedule"), parameters
    )


def _listed(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"'{what}' is no list")
    return cast(list[Any], value)


def _flag(entries: Mapping[str, Any], key: str, where: str) -> bool:
    value = entries.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{where}: {key} is {value!r}, not true or false")
    return value


def _position(name: Any, positions: Mapping[str, int], what: str) -> int:
    if not isinstance(name, str) or name not in positions:
        raise ValueError(f"{what} {name!r} is not in the graph")
    return positions[name]
