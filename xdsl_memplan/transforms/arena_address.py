"""Arenas at the absolute addresses of their memories."""

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntAttr,
    IntegerAttr,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.transforms.arena_access import ArenaMemref, insert_first


def check_base(name: str, base: int | None, how: str) -> None:
    """Refuse an arena that would not lie at the address of its memory, or whose address is unknown.

    Raises PassFailedException.
    """
    if base and how in ("global", "alloc"):
        raise PassFailedException(
            f"@{name} has base {base:#x}, and arena={how} would be bytes elsewhere; use "
            "arena=address (or argument)"
        )
    if base is None and how == "address":
        raise PassFailedException(
            f"@{name} has no base, so its address is not known; say it when you plan: "
            f'memory="{name}=64KiB:base=0x10000000"'
        )


def check_bases(arenas: Sequence[ArenaOp], how: str) -> None:
    """Check the arenas of a module as `check_base` does.

    Raises PassFailedException with the arena.
    """
    for arena in arenas:
        base = arena.base.value.data if arena.base is not None else None
        try:
            check_base(arena.sym_name.data, base, how)
        except PassFailedException as failure:
            raise PassFailedException(f"{describe_op(arena)}: {failure}") from None


class AddressArenas:
    """Every function makes the memref of an arena from its address, as the llvm dialect lays it."""

    def __init__(self, arenas: Sequence[ArenaMemref], ops: dict[str, ArenaOp]) -> None:
        """Note the addresses."""
        self._arenas = {arena.name: arena for arena in arenas}
        self._bases = {
            name: arena.base.value.data for name, arena in ops.items() if arena.base is not None
        }

    def enter(self, function: FuncOp, names: Sequence[str]) -> dict[str, SSAValue]:
        """Give a function the arenas it uses; returns them by name."""
        found: dict[str, SSAValue] = {}
        ops: list[Operation] = []
        for name in names:
            made = _memref_at(self._bases[name], self._arenas[name])
            ops += made
            found[name] = made[-1].results[0]
        insert_first(function, ops)
        return found

    def finish(self) -> None:
        """Nothing is left to do."""


def _memref_at(address: int, arena: ArenaMemref) -> list[Operation]:
    """Build MLIR's descriptor of a memref of one dimension: pointers, offset, size, stride."""
    # Loading the dialect takes a moment, and hardly any arena has an address.
    from xdsl.dialects import llvm

    space = arena.type.memory_space
    pointer_type = (
        llvm.LLVMPointerType(IntAttr(space.value.data))
        if isinstance(space, IntegerAttr) and space.value.data
        else llvm.LLVMPointerType()
    )
    per_dimension = llvm.LLVMArrayType(1, i64)
    descriptor = llvm.LLVMStructType.from_type_list(
        [pointer_type, pointer_type, i64, per_dimension, per_dimension]
    )
    constants = {
        value: ConstantOp(IntegerAttr(value, i64))
        for value in (address, 0, arena.type.get_shape()[0], 1)
    }
    pointer = llvm.IntToPtrOp.build(
        operands=[constants[address].result], result_types=[pointer_type]
    )
    ops: list[Operation] = [*constants.values(), pointer, llvm.UndefOp(descriptor)]
    for position, value in (
        ((0,), pointer.output),
        ((1,), pointer.output),
        ((2,), constants[0].result),
        ((3, 0), constants[arena.type.get_shape()[0]].result),
        ((4, 0), constants[1].result),
    ):
        at = DenseArrayBase.from_list(i64, list(position))
        ops.append(llvm.InsertValueOp(at, ops[-1].results[0], value))
    types: list[Attribute] = [arena.type]
    ops.append(UnrealizedConversionCastOp.get([ops[-1].results[0]], types))
    return ops
