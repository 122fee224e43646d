"""The memories that buffers go to: what the module says about them, and what an option says.

The module has `memplan.memories = [#memplan.memory<...>]` and perhaps `memplan.arena` operations;
an option is text such as ``L1=64KiB:align=64:base=0x1000,L2=1MiB``. The option wins over the
attribute, the attribute over the arenas.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import MEMORIES, NO_CAPACITY, ArenaOp, BufferOp, MemoryAttr
from xdsl_memplan.dialects.queries import storage_of
from xdsl_memplan.formats.byte_size import parse_byte_size

DEFAULT_MEMORY = "memory"
DEFAULT_ALIGNMENT = 64


@dataclass(frozen=True)
class Memory:
    """One memory; capacity, alignment of its first byte and address of its first byte in bytes."""

    name: str
    capacity: int | None = None
    alignment: int = DEFAULT_ALIGNMENT
    base: int | None = None
    banks: int = 1
    """Equal parts of the capacity, one behind the other."""


@dataclass(frozen=True)
class Memories:
    """All memories of a module by name; the first is where buffers go that name none."""

    by_name: dict[str, Memory]
    by_space: dict[Attribute, str]
    """Names of the memories whose arena says what memory space its memrefs have."""
    described: bool = True
    """Whether anybody said anything; if not, there is one memory without a limit."""

    @classmethod
    def of(cls, module: ModuleOp, option: "str | Sequence[Memory]" = "") -> "Memories":
        """Read what ``module`` and ``option``, a text or the memories themselves, say.

        Raises PassFailedException for text that cannot be read, and for an option none of
        whose memories is known to a module that has arenas or memories.
        """
        arenas = [op for op in module.body.ops if isinstance(op, ArenaOp)]
        known = {memory.name: memory for memory in _described(module)}
        for arena in arenas:
            known.setdefault(arena.sym_name.data, _of_arena(arena))
        try:
            wanted = parse_memories(option) if isinstance(option, str) else option
        except ValueError as error:
            raise PassFailedException(f"option memory: {error}") from error
        if wanted and known and not any(memory.name in known for memory in wanted):
            raise PassFailedException(
                f"option memory: the module has no memory '{wanted[0].name}'; "
                f"it has {', '.join(known)}"
            )
        merged = {memory.name: memory for memory in wanted}
        for memory in known.values():
            merged.setdefault(memory.name, memory)
        described = bool(merged)
        if not described:
            merged[DEFAULT_MEMORY] = Memory(DEFAULT_MEMORY)
        by_space = {a.space: a.sym_name.data for a in arenas if a.space is not None}
        return cls(merged, by_space, described)

    @property
    def default(self) -> Memory:
        """The memory of buffers that name none."""
        return next(iter(self.by_name.values()))

    def memory_of(self, op: Operation) -> Memory:
        """Return the memory that a buffer-like operation names: by its arena, or its memory space.

        A string as memory space is the name of a memory, a number ``n`` stands for the memory
        ``n``. Raises PassFailedException that lists the known names.
        """
        if isinstance(op, BufferOp):
            name = op.arena.string_value()
        else:
            trait = storage_of(op)
            space = trait.memory_space(op) if trait is not None else None
            if space is None:
                return self.default
            if isinstance(space, StringAttr):
                fallback = space.data
            elif isinstance(space, IntegerAttr):
                fallback = str(space.value.data)
            else:
                fallback = str(space)
            name = self.by_space.get(cast(Attribute, space), fallback)
        return self.named(op, name)

    def named(self, op: Operation, name: str) -> Memory:
        """Return the memory ``name`` that ``op`` wants.

        Raises PassFailedException that lists the known names.
        """
        memory = self.by_name.get(name)
        if memory is None:
            raise PassFailedException(
                f"{describe_op(op)}: unknown memory '{name}'; known are {', '.join(self.by_name)}"
            )
        return memory


def parse_memories(text: str) -> list[Memory]:
    """Read ``NAME[=CAPACITY][:align=BYTES][:base=ADDRESS][:banks=N]``, separated by commas.

    Raises ValueError that says what is wrong and what would work.
    """
    memories: list[Memory] = []
    for entry in filter(None, map(str.strip, text.split(","))):
        head, *details = entry.split(":")
        name, has_capacity, capacity = (part.strip() for part in head.partition("="))
        if not name:
            raise ValueError(f"'{entry}' names no memory; write for example L1=64KiB")
        if any(memory.name == name for memory in memories):
            raise ValueError(f"memory '{name}' comes twice")
        values = {"align": DEFAULT_ALIGNMENT, "base": None, "banks": 1}
        for detail in details:
            key, _, value = (part.strip() for part in detail.partition("="))
            if key not in values:
                raise ValueError(
                    f"'{detail}' of memory '{name}' is unknown; known are align=BYTES, "
                    "base=ADDRESS, banks=N"
                )
            values[key] = parse_byte_size(value)
        alignment = values["align"] or 0
        if alignment < 1:
            raise ValueError(f"memory '{name}' has alignment {alignment}; it must be positive")
        size = parse_byte_size(capacity) if has_capacity else None
        banks = values["banks"] or 0
        if banks < 1 or (banks > 1 and (size is None or size % banks)):
            raise ValueError(
                f"memory '{name}' has {banks} banks; they are equal parts of a capacity, such as "
                f"{name}=64KiB:banks=4"
            )
        memories.append(Memory(name, size, alignment, values["base"], banks))
    return memories


def arena_ops(module: ModuleOp) -> dict[str, ArenaOp]:
    """Return the arenas of a module by name."""
    return {op.sym_name.data: op for op in module.body.ops if isinstance(op, ArenaOp)}


def ensure_arenas(module: ModuleOp, memories: Iterable[Memory]) -> dict[str, ArenaOp]:
    """Return arenas for ``memories``: new ones at the top of the module, or old ones updated.

    Raises PassFailedException where something else has the name.
    """
    arenas = arena_ops(module)
    taken = {
        name.data: op
        for op in module.body.ops
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
    }
    first = module.body.block.first_op
    for memory in memories:
        arena = arenas.get(memory.name)
        fresh = ArenaOp(
            memory.name,
            space=None if arena is None else arena.space,
            capacity=memory.capacity,
            alignment=memory.alignment,
            base=memory.base,
        )
        if arena is None and memory.name in taken:
            raise PassFailedException(
                f"{describe_op(taken[memory.name])} has the name @{memory.name}, which the arena "
                'would have; name the memory: memory="L1=64KiB"'
            )
        if arena is not None:
            arena.attributes.update(fresh.attributes)
        else:
            arenas[memory.name] = fresh
            if first is None:
                module.body.block.add_op(fresh)
            else:
                module.body.block.insert_op_before(fresh, first)
    return arenas


def _described(module: ModuleOp) -> Sequence[Memory]:
    attribute = module.attributes.get(MEMORIES)
    if attribute is None:
        return ()
    if not isa(attribute, ArrayAttr[MemoryAttr]):
        raise PassFailedException(f"{MEMORIES} is {attribute}, not an array of #memplan.memory")
    memories: list[Memory] = []
    for entry in attribute.data:
        capacity = entry.capacity.value.data
        memories.append(
            Memory(
                entry.memory_name.data,
                None if capacity == NO_CAPACITY else capacity,
                entry.alignment.value.data,
                entry.base.value.data,
            )
        )
    return memories


def _of_arena(arena: ArenaOp) -> Memory:
    def value(attribute: IntegerAttr | None) -> int | None:
        return None if attribute is None else attribute.value.data

    return Memory(
        arena.sym_name.data,
        value(arena.capacity),
        value(arena.alignment) or DEFAULT_ALIGNMENT,
        value(arena.base),
    )
