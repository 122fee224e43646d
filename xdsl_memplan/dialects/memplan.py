"""The memplan dialect: arenas, buffers, lifetimes, memories and plans.

The same dialect as IRDL text, for a stock mlir-opt, is `dialects/memplan.irdl.mlir`. IRDL has no
properties and no custom attribute syntax, so operations hold attributes (`attr_def`) and attributes
print their parameters one by one. The levels of the IR are described in docs/dialect.md.
"""

from abc import ABC
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import (
    I64,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_attr_definition,
    irdl_op_definition,
    opt_attr_def,
    param_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.traits import MemoryAllocEffect, SymbolOpInterface, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xdsl_memplan.dialects.arena_verifier import verify_arena
from xdsl_memplan.dialects.groups import (
    CutAttr,
    GroupCostAttr,
    GroupOp,
    GroupYieldOp,
    ResidencyAttr,
)
from xdsl_memplan.dialects.interface_models import NoAccess
from xdsl_memplan.dialects.interfaces import BufferLikeTrait
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.model.lifetime import Lifetime

LIFETIMES = "memplan.lifetimes"
"""Attribute of any operation: an array with one `#memplan.lifetime` (or `unit`) per result."""

LIFETIME = "memplan.lifetime"
"""Attribute of a function argument: its `#memplan.lifetime`."""

CONSTANT = "memplan.constant"
"""Attribute of a function argument that was a constant: its value, or a name for it."""

MEMORIES = "memplan.memories"
"""Attribute of the module: an array of `#memplan.memory`; the first is the default one."""

OFFSET = "memplan.offset"
"""Attribute of a `memref.alloc`: its offset in the arena, i64, in bytes."""

ARENA = "memplan.arena"
"""Attribute of a buffer-like operation that is not ours: the symbol of its arena."""

PLAN = "memplan.plan"
"""Attribute of a function: the `#memplan.plan` that its buffers were placed by."""

NO_CAPACITY = -1
"""Capacity of a memory that has no limit."""


@lru_cache(maxsize=1 << 16)  # Ticks come again and again, and making attributes is slow.
def _i64(value: int) -> IntegerAttr[I64]:
    return IntegerAttr(value, i64)


class CheckedAttribute(ParametrizedAttribute, ABC):
    """An attribute whose wrong parameters are reported where they stand in the text."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        """Parse `<parameter, ...>` and verify."""
        position = parser.pos
        parameters = list(super().parse_parameters(parser))
        try:
            cls.new(parameters)
        except VerifyException as error:
            parser.raise_error(str(error), position, parser.pos)
        return parameters


@irdl_attr_definition
class LifetimeAttr(CheckedAttribute):
    """`#memplan.lifetime<start : i64, end : i64>`: the ticks `[start, end)` of logical time."""

    name = "memplan.lifetime"

    start: IntegerAttr[I64] = param_def()
    end: IntegerAttr[I64] = param_def()

    @classmethod
    def of(cls, lifetime: Lifetime) -> "LifetimeAttr":
        """The attribute that holds `lifetime`."""
        return cls(_i64(lifetime.start), _i64(lifetime.end))

    def verify(self) -> None:
        """Reject negative ticks and an end before the start. What is never needed has no tick."""
        start, end = self.lifetime
        if start < 0:
            raise VerifyException(f"a lifetime starts at tick 0 or later, got {start}")
        if end < start:
            raise VerifyException(f"a lifetime ends after its start, got [{start}, {end})")

    @property
    def lifetime(self) -> Lifetime:
        """The half-open range of ticks."""
        return Lifetime(self.start.value.data, self.end.value.data)


@irdl_attr_definition
class MemoryAttr(CheckedAttribute):
    """`#memplan.memory<"name", capacity, alignment, base>`: a memory, all numbers i64 and in bytes.

    A capacity of -1 is none. `base` is the address of the first byte.
    """

    name = "memplan.memory"

    memory_name: StringAttr = param_def()
    capacity: IntegerAttr[I64] = param_def()
    alignment: IntegerAttr[I64] = param_def()
    base: IntegerAttr[I64] = param_def()

    @classmethod
    def of(
        cls, name: str, *, capacity: int = NO_CAPACITY, alignment: int = 64, base: int = 0
    ) -> "MemoryAttr":
        """A memory of `capacity` bytes; without a capacity, one that is never full."""
        return cls(StringAttr(name), _i64(capacity), _i64(alignment), _i64(base))

    def verify(self) -> None:
        """Reject numbers that no memory has."""
        capacity, alignment, base = (
            number.value.data for number in (self.capacity, self.alignment, self.base)
        )
        if capacity < NO_CAPACITY:
            raise VerifyException(f"a capacity is bytes, or -1 for none, got {capacity}")
        if alignment < 1:
            raise VerifyException(f"an alignment is at least 1, got {alignment}")
        if base < 0 or base % alignment:
            raise VerifyException(f"base {base} is not a multiple of alignment {alignment}")


@irdl_attr_definition
class PlanAttr(CheckedAttribute):
    """`#memplan.plan<"planner", peak, load, bound>`: who planned a function, and how well.

    All numbers are i64 and in bytes: the peak that was reached, the load (most bytes live at one
    tick), and the best lower bound that was proved.
    """

    name = "memplan.plan"

    planner: StringAttr = param_def()
    peak: IntegerAttr[I64] = param_def()
    load: IntegerAttr[I64] = param_def()
    bound: IntegerAttr[I64] = param_def()

    @classmethod
    def of(cls, planner: str, *, peak: int, load: int, bound: int) -> "PlanAttr":
        """The plan of `planner`, sizes in bytes."""
        return cls(StringAttr(planner), _i64(peak), _i64(load), _i64(bound))

    def verify(self) -> None:
        """A bound is at least the load, and no plan is below a bound."""
        load, bound, peak = (n.value.data for n in (self.load, self.bound, self.peak))
        if not 0 <= load <= bound <= peak:
            raise VerifyException(
                f"expected 0 <= load <= bound <= peak, got load {load}, bound {bound}, peak {peak}"
            )


@irdl_op_definition
class ArenaOp(IRDLOperation):
    """One block of memory that buffers are placed in; a symbol at the level of the module.

    ```mlir
    memplan.arena @L2 space "L2" capacity 131072 alignment 64 base 4096 banks 4 size 401408
    ```
    All but the name is optional. `space` is the memory space of the memrefs that lie in the arena;
    `capacity` (bytes) what the memory holds; `alignment` (bytes) what the arena's first byte is
    aligned to; `base` its address; `banks` how many equal parts the capacity has, one behind the
    other; `size` (bytes) what a plan uses, known after planning.
    """

    name = "memplan.arena"

    sym_name = attr_def(SymbolNameConstraint())
    space = opt_attr_def(Attribute)
    capacity = opt_attr_def(IntegerAttr[I64])
    alignment = opt_attr_def(IntegerAttr[I64])
    base = opt_attr_def(IntegerAttr[I64])
    banks = opt_attr_def(IntegerAttr[I64])
    size = opt_attr_def(IntegerAttr[I64])

    traits = traits_def(SymbolOpInterface())

    assembly_format = (
        "$sym_name (`space` $space^)? (`capacity` $capacity^)? (`alignment` $alignment^)? "
        "(`base` $base^)? (`banks` $banks^)? (`size` $size^)? attr-dict"
    )

    def __init__(
        self,
        name: str,
        *,
        space: Attribute | None = None,
        capacity: int | None = None,
        alignment: int | None = None,
        base: int | None = None,
        banks: int | None = None,
        size: int | None = None,
    ) -> None:
        super().__init__(
            attributes={
                "sym_name": StringAttr(name),
                "space": space,
                "capacity": None if capacity is None else _i64(capacity),
                "alignment": None if alignment is None else _i64(alignment),
                "base": None if base is None else _i64(base),
                "banks": None if banks is None else _i64(banks),
                "size": None if size is None else _i64(size),
            }
        )

    def verify_(self) -> None:
        """Check the arena and the buffers in it; one walk of the module."""
        verify_arena(self, self.buffers())

    def buffers(self) -> "list[BufferOp]":
        """All buffers of the module that lie in this arena."""
        table = self.parent_op()
        if table is None or not table.has_trait(SymbolTable):
            return []
        buffers = (op for op in table.walk() if isinstance(op, BufferOp))
        return [op for op in buffers if op.arena.root_reference == self.sym_name]


@dataclass(frozen=True)
class BufferOpModel(BufferLikeTrait):
    """A `memplan.buffer` says everything itself."""

    def size_bytes(self, op: Operation) -> int:
        """The `size` of the operation."""
        return _buffer(op).size.value.data

    def alignment(self, op: Operation) -> int:
        """The `alignment` of the operation."""
        return _buffer(op).alignment.value.data

    def memory_space(self, op: Operation) -> Attribute | None:
        """The memory space of the result."""
        type = _buffer(op).memref.type
        return None if isinstance(type.memory_space, NoneAttr) else type.memory_space

    def get_lifetime(self, op: Operation) -> Lifetime | None:
        """The `lifetime` of the operation."""
        attribute = _buffer(op).lifetime
        return None if attribute is None else attribute.lifetime

    def set_lifetime(self, op: Operation, lifetime: Lifetime) -> None:
        """Write the `lifetime`."""
        _buffer(op).lifetime = LifetimeAttr.of(lifetime)

    def get_offset(self, op: Operation) -> int | None:
        """The `offset` of the operation."""
        offset = _buffer(op).offset
        return None if offset is None else offset.value.data

    def set_offset(self, op: Operation, offset: int) -> None:
        """Write the `offset`."""
        _buffer(op).offset = _i64(offset)


def _buffer(op: Operation) -> "BufferOp":
    assert isinstance(op, BufferOp)
    return op


@dataclass(frozen=True)
class LiesInAnArena(SymbolUserOpInterface):
    """The arena of a buffer exists; the arena checks the rest."""

    def verify(self, op: Operation) -> None:
        """Look the arena up, if the buffer is in a module."""
        symbol = _buffer(op).arena.root_reference
        table = op.parent_op()
        while table is not None and not table.has_trait(SymbolTable):
            table = table.parent_op()
        if table is None:
            return
        arena = SymbolTable.lookup_symbol(table, symbol)
        if not isinstance(arena, ArenaOp):
            found = "there is none" if arena is None else f"it is a {arena.name}"
            raise VerifyException(f"@{symbol.data} is no arena: {found}")


@irdl_op_definition
class BufferOp(IRDLOperation):
    """Storage of its own in an arena, as a memref.

    ```mlir
    %0 = memplan.buffer @L2 size 6272 alignment 64 lifetime <0 : i64, 3 : i64> offset 4096
        : memref<1x56x56xf16>
    ```
    `size` and `alignment` are bytes, `lifetime` is in ticks, `offset` counts bytes from the start
    of the arena. The last two are absent until a pass has computed them. The place of the operation
    in its block means nothing: the lifetime does. In a loop body it is one storage, reused by every
    iteration.
    """

    name = "memplan.buffer"

    arena = attr_def(FlatSymbolRefAttrConstr)
    size = attr_def(IntegerAttr[I64])
    alignment = attr_def(IntegerAttr[I64])
    lifetime = opt_attr_def(LifetimeAttr)
    offset = opt_attr_def(IntegerAttr[I64])

    memref = result_def(MemRefType)

    traits = traits_def(BufferOpModel(), NoAccess(), MemoryAllocEffect(), LiesInAnArena())

    assembly_format = (
        "$arena `size` $size `alignment` $alignment (`lifetime` $lifetime^)? (`offset` $offset^)? "
        "attr-dict `:` type($memref)"
    )

    def __init__(
        self,
        arena: str,
        result_type: MemRefType[Attribute],
        *,
        size: int,
        alignment: int,
        lifetime: Lifetime | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(
            attributes={
                "arena": SymbolRefAttr(arena),
                "size": _i64(size),
                "alignment": _i64(alignment),
                "lifetime": None if lifetime is None else LifetimeAttr.of(lifetime),
                "offset": None if offset is None else _i64(offset),
            },
            result_types=[result_type],
        )

    def verify_(self) -> None:
        """Check what the buffer says about itself."""
        size, alignment = self.size.value.data, self.alignment.value.data
        if alignment < 1:
            raise VerifyException(f"an alignment is at least 1, got {alignment}")
        needed = size_bytes(self.memref.type)
        if size < (needed or 0):
            raise VerifyException(f"{self.memref.type} needs {needed} bytes, size is {size}")
        if self.offset is not None and self.offset.value.data < 0:
            raise VerifyException(f"an offset is at least 0, got {self.offset.value.data}")


Memplan = Dialect(
    "memplan",
    [
        ArenaOp,
        BufferOp,
        SpillOp,
        RetrieveOp,
        LoadOp,
        StoreOp,
        CarryOp,
        GroupOp,
        GroupYieldOp,
    ],
    [LifetimeAttr, MemoryAttr, PlanAttr, CutAttr, ResidencyAttr, GroupCostAttr],
)
