"""Schedules from outside as JSON: which tensor is where, and when.

```json
{"ticks": 40,
 "memories": [{"name": "L1", "capacity": 65536, "base": 268435456}],
 "tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 12, "copies": 2},
             {"tensor": "b", "memory": "L1", "start": 8, "end": 40, "offset": 4096}]}
```

A tensor has `tensor`, `memory`, `start` and `end`; `offset`, `copies`, `size`, `alignment` and
`function` are optional. Sizes, alignments and offsets are bytes. Lifetimes are half-open, their
ticks are the author's; they lie in 0 .. `ticks` where that is given. A tensor comes once in each
memory.
"""

from collections.abc import Mapping
from typing import Any, TextIO, cast

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.json_document import read_json
from xdsl_memplan.formats.json_position import line_and_column
from xdsl_memplan.model.given_schedule import GivenSchedule, GivenTensor
from xdsl_memplan.model.integers import checked_integer
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Pool

_KEYS = {
    "tensor": {
        *("tensor", "memory", "start", "end", "offset"),
        *("copies", "size", "alignment", "function"),
    },
    "memory": {"name", "capacity", "base"},
    "schedule": {"ticks", "memories", "tensors"},
}


def read_given_schedule(stream: TextIO, name: str = "<input>") -> GivenSchedule:
    """Read a schedule.

    Raises FormatError with line and column of the entry that is wrong.
    """
    text, document = read_json(stream, name)
    at = ("", 0)
    try:
        entries = _mapping(document, "schedule")
        ticks = checked_integer(entries["ticks"], "ticks", least=0) if "ticks" in entries else None
        memories: list[Pool] = []
        for i, entry in enumerate(_list(entries, "memories")):
            at = ("memories", i)
            memory = _memory(_mapping(entry, "memory"))
            if memory.name in {other.name for other in memories}:
                raise ValueError(f"memory '{memory.name}' comes twice")
            memories.append(memory)
        tensors: list[GivenTensor] = []
        seen: set[tuple[str, str, str]] = set()
        for i, entry in enumerate(_list(entries, "tensors")):
            at = ("tensors", i)
            tensor = _tensor(_mapping(entry, "tensor"), ticks)
            if (key := (tensor.function, tensor.name, tensor.memory)) in seen:
                raise ValueError(f"tensor '{tensor.name}' is in {tensor.memory} twice")
            seen.add(key)
            tensors.append(tensor)
    except ValueError as error:
        raise FormatError(name, *line_and_column(text, *at), str(error)) from error
    return GivenSchedule(tensors, memories, ticks)


def given_schedule_document(schedule: GivenSchedule) -> dict[str, Any]:
    """Lay a schedule out for JSON, as `read_given_schedule` reads it."""
    document: dict[str, Any] = {} if schedule.ticks is None else {"ticks": schedule.ticks}
    document["memories"] = [
        {"name": pool.name, "capacity": pool.capacity, "base": pool.base_address}
        for pool in schedule.memories
    ]
    document["tensors"] = [
        {"tensor": t.name, "memory": t.memory, "start": t.lifetime.start, "end": t.lifetime.end}
        | {
            key: value
            for key, value, usual in (
                *(("offset", t.offset, None), ("copies", t.copies, 1), ("size", t.size, None)),
                *(("alignment", t.alignment, 1), ("function", t.function, "")),
            )
            if value != usual
        }
        for t in schedule.tensors
    ]
    return document


def _tensor(entry: Mapping[str, Any], ticks: int | None) -> GivenTensor:
    name = _text(entry, "tensor")

    def number(key: str, least: int, default: int | None = None) -> int:
        value = entry.get(key, default)
        return checked_integer(value, f"tensor '{name}': {key}", least=least)

    start, end = number("start", 0), number("end", 0)
    if end < start:
        raise ValueError(f"tensor '{name}': ends at {end}, before its start {start}")
    if ticks is not None and end > ticks:
        raise ValueError(f"tensor '{name}': lifetime [{start}, {end}) is outside of [0, {ticks})")
    return GivenTensor(
        name,
        _text(entry, "memory"),
        Lifetime(start, end),
        number("size", 0) if "size" in entry else None,
        number("offset", 0) if entry.get("offset") is not None else None,
        number("copies", 1, 1),
        number("alignment", 1, 1),
        _text(entry, "function") if "function" in entry else "",
    )


def _memory(entry: Mapping[str, Any]) -> Pool:
    name = _text(entry, "name")
    base = checked_integer(entry.get("base", 0), f"the base of {name}", least=0)
    return Pool(name, entry.get("capacity"), base)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"a {what} is no JSON object")
    entries = cast(dict[str, Any], value)
    if unknown := sorted(set(entries) - _KEYS[what]):
        raise ValueError(f"a {what} has no '{unknown[0]}'; it has {', '.join(sorted(_KEYS[what]))}")
    return entries


def _list(entries: Mapping[str, Any], key: str) -> list[Any]:
    value = entries.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"'{key}' is no list")
    return cast(list[Any], value)


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"'{key}' is {value!r}, not a name")
    return value
