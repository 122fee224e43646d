"""How functions get hold of the arenas once memplan's operations are gone."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i8,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import ArenaOp


@dataclass(frozen=True)
class ArenaMemref:
    """One arena as upstream knows it; alignment in bytes."""

    name: str
    type: MemRefType
    alignment: int

    @classmethod
    def of(cls, arena: ArenaOp, space: Attribute | None) -> "ArenaMemref":
        """Describe a planned arena whose memrefs have the memory space ``space``.

        Raises PassFailedException where upstream cannot guarantee the alignment.
        """
        alignment = arena.alignment.value.data if arena.alignment is not None else 1
        base = arena.base.value.data if arena.base is not None else 0
        if alignment & (alignment - 1):
            raise PassFailedException(
                f"{describe_op(arena)}: alignment {alignment} is not a power of two, so no memref "
                "can be aligned to it; it is the least common multiple of that of the memory "
                "(option memory, NAME=SIZE:align=BYTES) and that of its buffers (option alignment)"
            )
        if base % alignment:
            raise PassFailedException(
                f"{describe_op(arena)}: base {base} is not a multiple of alignment {alignment}"
            )
        size = arena.size.value.data if arena.size is not None else 0
        return cls(
            arena.sym_name.data, MemRefType(i8, [size], NoneAttr(), space or NoneAttr()), alignment
        )


class GlobalArenas:
    """Every arena is a private `memref.global`, shared by all functions."""

    def __init__(self, arenas: Sequence[ArenaMemref], ops: dict[str, ArenaOp]) -> None:
        """Put a global in the place of every arena."""
        self._arenas = {arena.name: arena for arena in arenas}
        for arena in arenas:
            block = ops[arena.name].parent
            assert block is not None
            block.insert_op_before(
                memref.GlobalOp.get(
                    StringAttr(arena.name), arena.type, UnitAttr(), alignment=arena.alignment
                ),
                ops[arena.name],
            )

    def enter(self, function: FuncOp, names: Sequence[str]) -> dict[str, SSAValue]:
        """Give a function the arenas it uses; returns them by name."""
        gets = [memref.GetGlobalOp(name, self._arenas[name].type) for name in names]
        insert_first(function, gets)
        return {name: get.memref for name, get in zip(names, gets, strict=True)}

    def finish(self) -> None:
        """Nothing is left to do."""


class ArgumentArenas:
    """Arenas come as the last arguments of every function that needs them, itself or for callees.

    With ``allocate``, a function that no other one calls allocates them, and frees them when it
    returns unless it returns a view of one; then the caller frees that.
    """

    def __init__(
        self,
        arenas: Sequence[ArenaMemref],
        calls: CallGraph,
        used: dict[str, set[str]],
        *,
        allocate: bool,
    ) -> None:
        """Decide who gets what; ``used`` says which arenas the buffers of each function are in."""
        self._arenas = arenas
        self._calls = [op for f in calls.bottom_up for op in f.walk() if isinstance(op, CallOp)]
        self._called = {call.callee.string_value() for call in self._calls}
        self._allocate = allocate
        self._held: dict[str, dict[str, SSAValue]] = {}
        self._needed: dict[str, list[str]] = {}
        for function in calls.bottom_up:
            name = function.sym_name.data
            mine = set(used.get(name, ()))
            for op in function.walk():
                if isinstance(op, CallOp):
                    mine |= set(self._needed.get(op.callee.string_value(), ()))
            self._needed[name] = [arena.name for arena in arenas if arena.name in mine]

    def enter(self, function: FuncOp, names: Sequence[str]) -> dict[str, SSAValue]:
        """Give a function the arenas it uses and those its callees need; returns them by name."""
        name = function.sym_name.data
        needed = [arena for arena in self._arenas if arena.name in self._needed[name]]
        if self._allocate and name not in self._called:
            allocations = [_allocation(arena) for arena in needed]
            insert_first(function, allocations)
            memrefs: list[SSAValue] = [op.memref for op in allocations]
            held = dict(zip((arena.name for arena in needed), memrefs, strict=True))
        else:
            held = {arena.name: self._argument(function, arena) for arena in needed}
        self._held[name] = held
        return held

    def finish(self) -> None:
        """Hand the arenas on to callees."""
        for call in self._calls:
            extra = self._needed.get(call.callee.string_value(), [])
            function = call.parent_op()
            while function is not None and not isinstance(function, FuncOp):
                function = function.parent_op()
            if extra and function is not None:
                held = self._held[function.sym_name.data]
                call.operands = [*call.operands, *(held[name] for name in extra)]

    def allocated(self, function: FuncOp) -> list[SSAValue]:
        """Return the arenas that a function has allocated itself."""
        name = function.sym_name.data
        return (
            list(self._held[name].values()) if self._allocate and name not in self._called else []
        )

    @staticmethod
    def _argument(function: FuncOp, arena: ArenaMemref) -> SSAValue:
        block = function.body.block
        argument = block.insert_arg(arena.type, len(block.args))
        argument.name_hint = arena.name
        if function.arg_attrs is not None:
            function.arg_attrs = ArrayAttr([*function.arg_attrs, DictionaryAttr({})])
        function.update_function_type()
        aligned = memref.AssumeAlignmentOp(argument, arena.alignment)
        insert_first(function, [aligned])
        return aligned.result


def insert_first(function: FuncOp, ops: Sequence[Operation]) -> None:
    """Put operations at the very beginning of a function."""
    block = function.body.block
    if block.first_op is None:
        block.add_ops(ops)
    else:
        block.insert_ops_before(ops, block.first_op)


def _allocation(arena: ArenaMemref) -> memref.AllocOp:
    return memref.AllocOp([], [], arena.type, alignment=IntegerAttr(arena.alignment, 64))
