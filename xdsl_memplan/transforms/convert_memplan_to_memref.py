"""Turns planned buffers into views of one arena per memory, in upstream operations only."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.aliases import Aliases, aliases_of_module
from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.memories import arena_ops
from xdsl_memplan.analysis.planned_buffers import storage_operations
from xdsl_memplan.dialects.memplan import ARENA, CONSTANT, ArenaOp, BufferOp
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.arena_access import (
    ArenaMemref,
    ArgumentArenas,
    GlobalArenas,
    insert_first,
)
from xdsl_memplan.transforms.arena_address import AddressArenas, check_bases
from xdsl_memplan.transforms.refuse_tensor_ir import refuse_tensor_ir

PREFIX = "memplan."


@dataclass(frozen=True)
class ConvertMemplanToMemrefPass(ModulePass):
    """Turn planned buffers into views of one arena per memory; only upstream operations are left.

    Before:

    ```mlir
    memplan.arena @L1 alignment 64 size 128
    func.func @main(%x: memref<16xf32>) {
      %b = memplan.buffer @L1 size 64 alignment 64 offset 64 : memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
      linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
      func.return
    }
    ```

    After, with `arena=global`:

    ```mlir
    "memref.global"() <{sym_name = "L1", type = memref<128xi8>, initial_value, ...}> : () -> ()
    func.func @main(%x: memref<16xf32>) {
      %L1 = memref.get_global @L1 : memref<128xi8>
      %c64 = arith.constant 64 : index
      %b = memref.view %L1[%c64][] : memref<128xi8> to memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
      linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
      func.return
    }
    ```

    A buffer with a strided layout is a view of its span and a `memref.reinterpret_cast`.
    Allocations of other dialects that carry `memplan.offset` become views too, and their
    deallocations go. All attributes of memplan are dropped. A returned buffer is returned as a
    view of the arena.

    Options:

    - `arena` (`global`): where the bytes come from. `global`: a private `memref.global`, shared by
      all functions. `argument`: further arguments, one per arena, after those a function has;
      calls inside the module hand them on. `alloc`: as `argument`, but a function nobody in the
      module calls allocates the arena at its beginning and frees it at its end; if it returns a
      view of the arena, its caller has to free that instead. `address`: the memory's `base`, as
      operations of the llvm dialect that every function begins with; a memory that has a base
      other than 0 needs this or `argument`, as the other two would be bytes elsewhere.

    Requires offsets (`memplan-assign-offsets`) and alignments that are powers of two.
    """

    name = "convert-memplan-to-memref"

    arena: Literal["global", "alloc", "argument", "address"] = "global"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert the module ``op``.

        Raises PassFailedException for a buffer without offset, and one that is not a memref.
        """
        ops = arena_ops(op)
        calls = CallGraph.of(op)
        planned = {f: _planned(f, ops) for f in calls.bottom_up}
        if not ops:
            refuse_tensor_ir(op, self.name)
        used = {f.sym_name.data: {p.arena for p in mine} for f, mine in planned.items()}
        names = set[str]().union(*used.values())
        spaces = _spaces(planned, ops)
        arenas = [ArenaMemref.of(a, spaces[name]) for name, a in ops.items() if name in names]
        check_bases([ops[arena.name] for arena in arenas], self.arena)
        match self.arena:
            case "global":
                access = GlobalArenas(arenas, ops)
            case "address":
                access = AddressArenas(arenas, ops)
            case _:
                allocate = self.arena == "alloc"
                access = ArgumentArenas(arenas, calls, used, allocate=allocate)
        # Asked only where it matters, as it takes longer than the rest: who frees and returns what.
        frees = any(type(inner) is memref.DeallocOp for inner in operations_in(op))
        hands_on = isinstance(access, ArgumentArenas)
        aliases = aliases_of_module(op) if frees or hands_on else {}
        for function, mine in planned.items():
            values = {p.value for p in mine}
            if frees:
                _drop_deallocations(aliases[function], values)
            returns_views = hands_on and _returns_any(aliases[function], values)
            held = access.enter(function, [n for n in ops if n in used[function.sym_name.data]])
            if isinstance(access, ArgumentArenas) and not returns_views:
                _free_at_end(function, access.allocated(function))
            _replace_by_views(function, mine, held)
        access.finish()
        for arena in ops.values():
            Rewriter.erase_op(arena)
        _drop_attributes(op)


@dataclass(frozen=True)
class _Planned:
    """A buffer with its place; bytes."""

    op: Operation
    value: SSAValue
    type: MemRefType[Attribute]
    arena: str
    offset: int
    size: int


def _planned(function: FuncOp, arenas: dict[str, ArenaOp]) -> list[_Planned]:
    found: list[_Planned] = []
    for op, trait in storage_operations(function):
        offset, size = trait.get_offset(op), trait.size_bytes(op)
        symbol = op.arena if isinstance(op, BufferOp) else op.attributes.get(ARENA)
        if offset is None or size is None:
            raise PassFailedException(
                f"{describe_op(op)}: has no offset; run memplan-assign-offsets first"
            )
        if not isinstance(symbol, SymbolRefAttr) or symbol.string_value() not in arenas:
            raise PassFailedException(f"{describe_op(op)}: the module has no arena {symbol}")
        value = trait.storage(op)
        if not isinstance(value.type, MemRefType):
            raise PassFailedException(
                f"{describe_op(op)}: {value.type} is no memref; convert this operation with a pass "
                "of its own dialect, which can read its offset"
            )
        found.append(
            _Planned(
                op,
                value,
                cast(MemRefType[Attribute], value.type),
                symbol.string_value(),
                offset,
                size,
            )
        )
    return found


def _spaces(
    planned: dict[FuncOp, list[_Planned]], arenas: dict[str, ArenaOp]
) -> dict[str, Attribute | None]:
    """Return the memory space of each arena: what it says itself, or that of its first buffer."""
    spaces: dict[str, Attribute | None] = {}
    for mine in planned.values():
        for buffer in mine:
            spaces.setdefault(buffer.arena, buffer.type.memory_space)
    return spaces | {name: a.space for name, a in arenas.items() if a.space is not None}


def _drop_deallocations(aliases: Aliases, planned: set[SSAValue]) -> None:
    for op in operations_in(aliases.function):
        if not isinstance(op, memref.DeallocOp):
            continue
        roots = aliases.roots(op.memref)
        if all(root in planned for root in roots):
            Rewriter.erase_op(op)
        elif any(root in planned for root in roots):
            raise PassFailedException(
                f"{describe_op(op)}: may free a planned buffer or another one"
            )


def _returns_any(aliases: Aliases, planned: set[SSAValue]) -> bool:
    last = aliases.function.body.block.last_op
    return last is not None and any(
        root in planned for value in last.operands for root in aliases.roots(value)
    )


def _free_at_end(function: FuncOp, allocated: Sequence[SSAValue]) -> None:
    last = function.body.block.last_op
    if last is not None:
        for value in allocated:
            Rewriter.insert_op(memref.DeallocOp.get(value), InsertPoint.before(last))


def _replace_by_views(
    function: FuncOp, planned: Sequence[_Planned], arenas: dict[str, SSAValue]
) -> None:
    shifts = {
        offset: ConstantOp(IntegerAttr(offset, IndexType()))
        for offset in sorted({buffer.offset for buffer in planned})
    }
    first = _after_arenas(function, arenas)
    for constant in shifts.values():
        if first is None:
            insert_first(function, [constant])
        else:
            Rewriter.insert_op(constant, InsertPoint.after(first))
            first = constant
    for buffer in planned:
        shift = shifts[buffer.offset].result
        views = _views(buffer, arenas[buffer.arena], shift)
        last = views[-1].results[0]
        last.name_hint = buffer.value.name_hint
        Rewriter.replace_op(buffer.op, views, [last])


def _after_arenas(function: FuncOp, arenas: dict[str, SSAValue]) -> Operation | None:
    """Return the last of the operations that made the arenas, which are first in the function."""
    makers = {value.owner for value in arenas.values()}
    last = None
    for op in function.body.block.ops:
        if op not in makers:
            break
        last = op
    return last


def _views(buffer: _Planned, arena: SSAValue, shift: SSAValue) -> list[Operation]:
    type_ = buffer.type
    arena_type = arena.type
    assert isinstance(arena_type, MemRefType)
    space = arena_type.memory_space
    element = type_.element_type
    if isinstance(type_.layout, NoneAttr):
        dense = type_
        if type_.memory_space != space:
            dense = MemRefType(element, type_.shape, NoneAttr(), space)
        # Not by the constructor, which looks at everything and takes ten times as long.
        ops: list[Operation] = [memref.ViewOp.create(operands=[arena, shift], result_types=[dense])]
    else:
        strides, offset, width = (
            type_.get_strides(),
            type_.get_offset(),
            element_size_bytes(element),
        )
        if strides is None or offset is None or None in strides or not width:
            raise PassFailedException(
                f"{describe_op(buffer.op)}: the layout of {type_} has no static strides"
            )
        span = MemRefType(element, [buffer.size // width], NoneAttr(), space)
        view = memref.ViewOp(arena, shift, [], span)
        strided = MemRefType(element, type_.shape, type_.layout, space)
        cast = memref.ReinterpretCastOp.from_dynamic(
            view.result, [offset], type_.get_shape(), [s for s in strides if s is not None], strided
        )
        ops = [view, cast]
    if type_.memory_space != space:
        ops.append(memref.MemorySpaceCastOp(ops[-1].results[0], type_))
    return ops


def _stays(argument_attribute: str) -> bool:
    # What an argument has to be is of use to whoever calls the function.
    return argument_attribute == CONSTANT or not argument_attribute.startswith(PREFIX)


def _drop_attributes(module: ModuleOp) -> None:
    for op in operations_in(module):
        if op.attributes:
            for name in [name for name in op.attributes if name.startswith(PREFIX)]:
                del op.attributes[name]
        if isinstance(op, FuncOp) and op.arg_attrs is not None:
            kept = [
                DictionaryAttr({k: v for k, v in a.data.items() if _stays(k)}) for a in op.arg_attrs
            ]
            op.arg_attrs = ArrayAttr(kept) if any(a.data for a in kept) else None
