"""Writes a schedule from a file onto the buffers that it names."""

from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.planned_buffers import storage_operations
from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memplan import MEMORIES, NO_CAPACITY, MemoryAttr
from xdsl_memplan.dialects.wishes import CANDIDATES, COPIES, FIXED_OFFSET, bounded_size
from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.given_schedule_json import read_given_schedule
from xdsl_memplan.model.given_schedule import GivenSchedule, GivenTensor

NAME = "memplan.name"
"""Attribute of a buffer: the name that schedules know it by; else its SSA name is taken."""


@dataclass(frozen=True)
class MemplanReadSchedulePass(ModulePass):
    """Write memories, lifetimes, offsets and copies of a JSON schedule onto the buffers it names.

    Before, with `{"tensors": [{"tensor": "a", "memory": "L1", "start": 0, "end": 900}]}` in a file:

    ```mlir
    %a = memref.alloc() : memref<16xf32>
    ```

    After:

    ```mlir
    %a = memref.alloc() {memplan.candidates = ["L1"],
                         memplan.lifetimes = [#memplan.lifetime<0 : i64, 900 : i64>]} : ...
    ```

    A tensor of the schedule is the buffer with that `memplan.name`, or else with that SSA name.
    Memories that the schedule describes are added to the module's. Go on with
    `memplan-assign-offsets`, which keeps the lifetimes, and `memplan-verify{lifetimes=given}`.

    Options:

    - `file` (none): the path of the schedule.
    """

    name = "memplan-read-schedule"

    file: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Annotate the buffers of the module ``op``; nothing is changed where this fails.

        Raises PassFailedException with line and column of the file, or the buffer, that is wrong,
        and where no file is named.
        """
        if not self.file:
            raise PassFailedException(
                'memplan-read-schedule needs the path of a schedule: file="schedule.json"'
            )
        try:
            with Path(self.file).open(encoding="utf-8") as stream:
                schedule = read_given_schedule(stream, self.file)
        except (OSError, FormatError, UnicodeDecodeError) as error:
            raise PassFailedException(f"option file: {error}") from error
        apply_schedule(op, schedule)


def apply_schedule(module: ModuleOp, schedule: GivenSchedule) -> None:
    """Write a schedule onto the buffers of ``module``.

    Raises PassFailedException for a tensor that no buffer, or more than one, has the name of, for a
    memory that is not known, for a buffer in two memories, for one that is larger than its tensor
    or less aligned, and for a buffer without a lifetime in a function with others.
    """
    named = [
        (function, _name(op, trait), op, trait)
        for function in module.walk()
        if isinstance(function, FuncOp)
        for op, trait in storage_operations(function)
    ]
    memories = {memory.name: memory for memory in _memories(module, schedule)}
    found: list[tuple[GivenTensor, Operation, BufferLikeTrait]] = []
    for tensor in schedule.tensors:
        matching = [
            (function, op, trait)
            for function, name, op, trait in named
            if name == tensor.name and tensor.function in ("", function.sym_name.data)
        ]
        if len(matching) != 1:
            raise _no_match(tensor, [f.sym_name.data for f, _, _ in matching], named)
        [(_, op, trait)] = matching
        if tensor.memory not in memories:
            raise PassFailedException(
                f"tensor '{tensor.name}' of the schedule: unknown memory '{tensor.memory}'; known "
                f"are {', '.join(memories)}"
            )
        if other := next((t for t, o, _ in found if o is op), None):
            raise PassFailedException(
                f"{describe_op(op)}: the schedule has it in {other.memory} and in {tensor.memory}; "
                "a buffer lies in one memory, so use one for each and a copy between them"
            )
        _check_room(tensor, op, trait, memories[tensor.memory])
        found.append((tensor, op, trait))
    _check_complete(named, {op for _, op, _ in found})
    module.attributes[MEMORIES] = ArrayAttr(
        MemoryAttr.of(
            memory.name,
            capacity=NO_CAPACITY if memory.capacity is None else memory.capacity,
            alignment=memory.alignment,
            base=memory.base or 0,
        )
        for memory in memories.values()
    )
    for tensor, op, trait in found:
        trait.set_lifetime(op, tensor.lifetime)
        op.attributes[CANDIDATES] = ArrayAttr([StringAttr(tensor.memory)])
        if tensor.offset is not None:
            op.attributes[FIXED_OFFSET] = IntegerAttr(tensor.offset, i64)
        if tensor.copies > 1:
            op.attributes[COPIES] = IntegerAttr(tensor.copies, i64)


def _check_room(tensor: GivenTensor, op: Operation, trait: BufferLikeTrait, memory: Memory) -> None:
    """What the schedule says of a buffer besides where and when it is has to hold of it, too."""
    alignment = trait.alignment(op) or memory.alignment
    try:
        size = bounded_size(op, trait.size_bytes(op))
    except ValueError as error:
        raise PassFailedException(f"{describe_op(op)}: {error}") from error
    if size is not None and tensor.size is not None and size > tensor.size:
        raise PassFailedException(
            f"{describe_op(op)}: has {size} bytes, and tensor '{tensor.name}' of the schedule has "
            f"{tensor.size}"
        )
    if alignment % tensor.alignment:
        raise PassFailedException(
            f"{describe_op(op)}: is aligned to {alignment} bytes, and tensor '{tensor.name}' of "
            f"the schedule to {tensor.alignment}; say so on the buffer, or "
            f"align={tensor.alignment} for memory '{tensor.memory}' in memplan.memories"
        )


def _check_complete(
    named: list[tuple[FuncOp, str | None, Operation, BufferLikeTrait]], scheduled: set[Operation]
) -> None:
    """Ticks of a schedule and those that are computed do not mix."""
    functions = {function for function, _, op, _ in named if op in scheduled}
    for function, _, op, trait in named:
        if function in functions and op not in scheduled and trait.get_lifetime(op) is None:
            raise PassFailedException(
                f"{describe_op(op)}: the schedule has no such tensor, and has other buffers of "
                "this function; say when this one lives, in the same ticks"
            )


def _name(op: Operation, trait: BufferLikeTrait) -> str | None:
    name = op.attributes.get(NAME)
    return name.data if isinstance(name, StringAttr) else trait.storage(op).name_hint


def _memories(module: ModuleOp, schedule: GivenSchedule) -> list[Memory]:
    """Return the memories of the module, and those of the schedule that it has not."""
    known = Memories.of(module)
    memories = list(known.by_name.values()) if known.described else []
    names = {memory.name for memory in memories}
    for pool in schedule.memories:
        if pool.name not in names:
            alignment = 1 if pool.base_address % 64 else 64
            memories.append(Memory(pool.name, pool.capacity, alignment, pool.base_address or None))
    return memories


def _no_match(
    tensor: GivenTensor,
    functions: list[str],
    named: list[tuple[FuncOp, str | None, Operation, BufferLikeTrait]],
) -> PassFailedException:
    if functions:
        return PassFailedException(
            f"tensor '{tensor.name}' of the schedule: buffers of @{', @'.join(functions)} have "
            "this name; say which function it is, or give the buffers a memplan.name of their own"
        )
    names = ", ".join(sorted({name for _, name, _, _ in named if name})) or "none"
    where = f" in @{tensor.function}" if tensor.function else ""
    return PassFailedException(
        f"tensor '{tensor.name}' of the schedule: no buffer{where} has this name; "
        f"buffers are {names}"
    )
