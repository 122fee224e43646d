"""STREAM's `AllocationIR` as a schedule: residency of tensors on cores, addresses to be found.

STREAM (KULeuven-MICAS/stream, `stream/ir/allocation.py`, schema 1.5) exports what its scheduler
decided as JSON. Of that this reads `performance.memory_occupancy` (per core the tensors that stay
on chip, in bits) and `performance.tensor_reuse` (`on_chip_tiles`: how many tiles of a tensor are in
flight at once). It holds neither addresses nor lifetimes:

- a core is a memory, named by its id (`core0`) or as the caller says;
- a tensor lives through the whole steady state, tick 0, unless the caller gives lifetimes;
- `on_chip_tiles` are copies, where the bits of the core can be cut into so many equal ones;
- STREAM lists the eight largest tensors of a core. The bits of the others, by `resident_bits`, are
  one more tensor, `core0.others`, that lives all the time.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TextIO, cast

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.json_document import read_json
from xdsl_memplan.model.given_schedule import GivenSchedule, GivenTensor
from xdsl_memplan.model.integers import checked_integer
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Pool

STEADY_STATE = Lifetime(0, 1)
"""One tick: everything that is resident is so at the same time."""


def read_allocation(
    stream: TextIO,
    name: str = "<input>",
    *,
    memories: Mapping[int, Pool] | None = None,
    lifetimes: Mapping[str, Lifetime] | None = None,
    alignment: int = 1,
) -> GivenSchedule:
    """Read an `AllocationIR` that `model_dump_json` wrote.

    Args:
        stream: the JSON text.
        name: the file, for messages.
        memories: name, capacity (bytes) and base address of the memory of each core, by its id;
            others are `core<id>` with the capacity that STREAM says.
        lifetimes: half-open lifetimes of tensors by name, in the caller's ticks; with any, all
            others live from the first of these ticks to the last.
        alignment: of every tensor and copy, in bytes.

    Raises FormatError for what is no such document, and for lifetimes of tensors that it has not.
    """
    _, document = read_json(stream, name)
    try:
        return _schedule(document, memories or {}, lifetimes or {}, alignment)
    except ValueError as error:
        raise FormatError(name, 1, 1, str(error)) from error


def _schedule(
    document: Any,
    memories: Mapping[int, Pool],
    lifetimes: Mapping[str, Lifetime],
    alignment: int,
) -> GivenSchedule:
    version = _mapping(document, "the document").get("schema_version")
    if not isinstance(version, str) or not version.startswith("1."):
        raise ValueError(f"schema_version is {version!r}; versions 1.x are known")
    performance = _mapping(document.get("performance"), "performance")
    tiles = {
        _text(entry, "tensor"): entry.get("on_chip_tiles")
        for entry in _mappings(performance, "tensor_reuse")
    }
    always = (
        Lifetime(min(x.start for x in lifetimes.values()), max(x.end for x in lifetimes.values()))
        if lifetimes
        else STEADY_STATE
    )
    pools: list[Pool] = []
    tensors: list[GivenTensor] = []
    for core in _mappings(performance, "memory_occupancy"):
        number = checked_integer(core.get("core_id"), "core_id", least=0)
        capacity = checked_integer(core.get("capacity_bits"), f"core {number}: capacity_bits")
        pool = memories.get(number, Pool(f"core{number}", capacity // 8))
        pools.append(pool)
        for entry in _mappings(core, "tensors"):
            tensor = _text(entry, "tensor")
            bits = checked_integer(entry.get("bits"), f"tensor '{tensor}': bits", least=0)
            count = tiles.get(tensor)
            copies = count if isinstance(count, int) and count > 0 and bits % count == 0 else 1
            tensors.append(
                GivenTensor(
                    tensor,
                    pool.name,
                    lifetimes.get(tensor, always),
                    -(-bits // copies // 8),
                    None,
                    copies,
                    alignment,
                )
            )
        resident = checked_integer(core.get("resident_bits", 0), f"core {number}: resident_bits")
        listed = sum(entry["bits"] for entry in _mappings(core, "tensors"))
        if resident > listed:
            others = -(-(resident - listed) // 8)
            tensors.append(
                GivenTensor(f"core{number}.others", pool.name, always, others, None, 1, alignment)
            )
    known = {tensor.name for tensor in tensors}
    for unknown in sorted(set(lifetimes) - known):
        raise ValueError(f"no core holds tensor '{unknown}', which has a lifetime")
    return GivenSchedule(tensors, pools, always.end)


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no JSON object; is this an AllocationIR with statistics?")
    return cast(dict[str, Any], value)


def _mappings(entries: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    value = entries.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"'{key}' is no list")
    return [_mapping(entry, f"{key}[{i}]") for i, entry in enumerate(cast(list[Any], value))]


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"'{key}' is {value!r}, not a name")
    return value
