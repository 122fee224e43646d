"""The memories that buffers go to: what the module says about them, and what an option says.

The module has `memplan.memories = [#memplan.memory<...>]` and perhaps `memplan.arena` operations;
an option is text such as ``L1=64KiB:align=64:base=0x1000,L2=1MiB``. The option wins over the
attribute, the attribute over the arenas; what an option leaves out of a memory that the module
knows is as the module says.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import MEMORIES, NO_CAPACITY, ArenaOp, BufferOp, MemoryAttr
from xdsl_memplan.dialects.queries import storage_of
from xdsl_memplan.formats.byte_size import MAX_BYTES, parse_byte_size

DEFAULT_MEMORY = "memory"
DEFAULT_ALIGNMENT = 64


@dataclass(frozen=True)
class Memory:
    """One memory; capacity, alignment of its first byte and address of its first byte in bytes.

    Raises ValueError for numbers that no memory has.
    """

    name: str
    capacity: int | None = None
    alignment: int = DEFAULT_ALIGNMENT
    base: int | None = None
    banks: int = 1
    """Equal parts of the capacity, one behind the other."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        for what, value in (("capacity", self.capacity), ("base", self.base)):
            if value is not None and not 0 <= value <= MAX_BYTES:
                raise ValueError(f"memory '{self.name}' has {what} {value}; it is 0 to 2^63 - 1")
        if self.alignment < 1:
            raise ValueError(
                f"memory '{self.name}' has alignment {self.alignment}; it must be positive"
            )
        if self.banks < 1 or (
            self.banks > 1 and (self.capacity is None or self.capacity % self.banks)
        ):
            raise ValueError(
                f"memory '{self.name}' has {self.banks} banks; they are equal parts of a capacity, "
                f"such as {self.name}=64KiB:banks=4"
            )


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
            try:
                said = _of_arena(arena)
                memory = known.setdefault(said.name, said)
                # The attribute has no banks, and a base of 0 where nobody gave one.
                merged = replace(
                    memory, base=memory.base or said.base or memory.base, banks=said.banks
                )
            except ValueError as error:
                raise PassFailedException(f"{describe_op(arena)}: {error}") from error
            known[said.name] = merged
        try:
            wanted = parse_memories(option, known) if isinstance(option, str) else option
        except ValueError as error:
            raise PassFailedException(f"option memory: {error}") from error
        if wanted and known and not any(memory.name in known for memory in wanted):
            raise PassFailedException(
                f"option memory: the module has no memory '{wanted[0].name}'; "
                f"it has {', '.join(known)}"
            )
        merged = {memory.name: memory for memory in wanted}
        if len(merged) < len(wanted):
            twice = [memory.name for memory in wanted]
            name = next(name for name in twice if twice.count(name) > 1)
            raise PassFailedException(f"option memory: memory '{name}' comes twice")
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


def parse_memories(text: str, known: Mapping[str, Memory] | None = None) -> list[Memory]:
    """Read ``NAME[=CAPACITY][:align=BYTES][:base=ADDRESS][:banks=N]``, separated by commas.

    What is left out is taken from the memory of this name in ``known``.
    Raises ValueError that says what is wrong and what would work.
    """
    memories: list[Memory] = []
    for entry in map(str.strip, text.split(",") if text.strip() else ()):
        if not entry:
            raise ValueError(
                f"'{text}' has a comma with no memory on one side; write for example L1=64KiB,DDR"
            )
        head, *details = entry.split(":")
        name, has_capacity, capacity = (part.strip() for part in head.partition("="))
        if not name:
            raise ValueError(f"'{entry}' names no memory; write for example L1=64KiB")
        if any(memory.name == name for memory in memories):
            raise ValueError(f"memory '{name}' comes twice")
        old = (known or {}).get(name, Memory(name))
        values = {"align": old.alignment, "base": old.base, "banks": old.banks}
        given: set[str] = set()
        for detail in details:
            key, _, value = (part.strip() for part in detail.partition("="))
            if key not in values:
                raise ValueError(
                    f"'{detail}' of memory '{name}' is unknown; known are align=BYTES, "
                    "base=ADDRESS, banks=N"
                )
            if key in given:
                raise ValueError(f"memory '{name}' has {key} twice")
            given.add(key)
            values[key] = _number(value, f"{key} of memory '{name}'")
        size = _number(capacity, f"size of memory '{name}'") if has_capacity else old.capacity
        memories.append(
            Memory(name, size, values["align"] or 0, values["base"], values["banks"] or 0)
        )
    return memories


def _number(text: str, what: str) -> int:
    try:
        return parse_byte_size(text)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error


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
        # A base address says how the first byte is aligned; another alignment would be no truth.
        aligned = memory.base is None or memory.base % memory.alignment == 0
        fresh = ArenaOp(
            memory.name,
            space=None if arena is None else arena.space,
            capacity=memory.capacity,
            alignment=memory.alignment if aligned else None,
            base=memory.base,
            banks=memory.banks if memory.banks > 1 else None,
        )
        if arena is None and memory.name in taken:
            raise PassFailedException(
                f"{describe_op(taken[memory.name])} has the name @{memory.name}, which the arena "
                "would have; give the memory another name, for example "
                f'memory="{_free_name(memory.name, taken)}=64KiB"'
            )
        if arena is not None:
            if not aligned:
                arena.attributes.pop("alignment", None)
            arena.attributes.update(fresh.attributes)
        else:
            arenas[memory.name] = fresh
            if first is None:
                module.body.block.add_op(fresh)
            else:
                module.body.block.insert_op_before(fresh, first)
    return arenas


def _free_name(name: str, taken: Container[str]) -> str:
    """A name like ``name`` that is not among those that are taken."""
    return next(f"{name}_{n}" for n in count(1) if f"{name}_{n}" not in taken)


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
        value(arena.banks) or 1,
    )
