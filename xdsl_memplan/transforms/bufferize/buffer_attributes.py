"""What buffers of each memory say of themselves: arena, alignment, where else they may go."""

from collections.abc import Collection, Mapping
from math import lcm

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, SymbolRefAttr, i64
from xdsl.ir import Attribute

from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.dialects.wishes import CANDIDATES


def buffer_attributes(
    memories: Memories, alignment: int | None, spaces: Collection[str | None] = ()
) -> dict[str, Mapping[str, Attribute]]:
    """Return the attributes of `memplan.buffer` that depend on its memory, by name of the memory.

    With ``alignment`` (bytes) all buffers have it, otherwise each that of its memory. A buffer off
    chip may also go to the memories that come after its own, where that has a capacity: what was
    stored to the second memory does not have to stay there. Not where one of them has a memory
    space (``spaces`` has its name), as the type says which one it is.
    """
    found: dict[str, Mapping[str, Attribute]] = {}
    listed = list(memories.by_name.values())
    for position, memory in enumerate(listed):
        may_overflow = position > 0 and memory.capacity is not None
        homes = listed[position:] if may_overflow else [memory]
        if any(home.name in spaces for home in homes):
            homes = [memory]
        aligned = alignment or lcm(*(home.alignment for home in homes))
        attributes: dict[str, Attribute] = {
            "arena": SymbolRefAttr(memory.name),
            "alignment": IntegerAttr(aligned, i64),
        }
        if len(homes) > 1:
            attributes[CANDIDATES] = ArrayAttr([StringAttr(home.name) for home in homes])
        found[memory.name] = attributes
    return found
