"""What memory planning asks of an operation: traits that anybody can attach to any operation class.

Six questions, one trait each:

| trait              | question                                                        |
|--------------------|-----------------------------------------------------------------|
| `BufferLikeTrait`  | does it make storage: how large, how aligned, where, how long?   |
| `AliasingTrait`    | which results are the storage of which operands (views, casts)?  |
| `DestinationTrait` | which tensor results can be written into which operands?         |
| `ReadsWritesTrait` | whose contents does it read and write?                           |
| `InPlaceTrait`     | which operands may a result be written over while it is computed? |
| `TilingTrait`      | which elements does a part of the result need; how is it made?   |

An embedder implements a trait and attaches it to an operation class of her own or of somebody else:

    @dataclass(frozen=True)
    class CastIsView(AliasingTrait):
        def aliases(self, op: Operation) -> tuple[Tie, ...]:
            return (Tie(result=0, operand=0),)

    attach(MyCastOp, CastIsView())

Analyses and passes never look at the traits; they call the functions of `queries.py`. What is
attached to xDSL's own operations is in `stock_models.py` and in `tiling_models/`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Flag
from typing import NamedTuple

from xdsl.builder import Builder
from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedMemRefType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, OpTraits, SSAValue
from xdsl.traits import OpTrait

from xdsl_memplan.dialects.tiling import Tile, TilingRule
from xdsl_memplan.model.lifetime import Lifetime

# Asked of every value of a program, and isinstance is slow where a class has an ABC.
_WITH_CONTENTS = frozenset({TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType})


class Access(Flag):
    """What an operation does with the contents of one operand or result."""

    NONE = 0
    READ = 1
    WRITE = 2
    READ_WRITE = 3


class Tie(NamedTuple):
    """A result and an operand that belong together, by index."""

    result: int
    operand: int


class Effects(NamedTuple):
    """Accesses to the contents of tensors and memrefs, one per operand and one per result.

    A tensor operand is never written: what an operation writes is its tensor result. What it
    reads of a destination operand are old contents that show in the result. Accesses by
    operations inside regions are not counted: those operations answer for themselves. Scalars
    are `NONE`.
    """

    operands: tuple[Access, ...]
    results: tuple[Access, ...]

    @property
    def takes_time(self) -> bool:
        """Tell whether the operation touches contents at all: such operations are ticks."""
        return any(self.operands) or any(self.results)


class BufferLikeTrait(OpTrait, ABC):
    """The operation makes storage that can be planned: its first result, a memref or like one."""

    def storage(self, op: Operation) -> SSAValue:
        """The value that stands for the storage."""
        return op.results[0]

    @abstractmethod
    def size_bytes(self, op: Operation) -> int | None:
        """Bytes of the storage; None if they are not known at compile time."""

    @abstractmethod
    def alignment(self, op: Operation) -> int | None:
        """Alignment in bytes; None if the operation does not ask for one."""

    @abstractmethod
    def memory_space(self, op: Operation) -> Attribute | None:
        """The memory space, as the memref type writes it; None for the default one."""

    @abstractmethod
    def get_lifetime(self, op: Operation) -> Lifetime | None:
        """The lifetime written on the operation, if any."""

    @abstractmethod
    def set_lifetime(self, op: Operation, lifetime: Lifetime) -> None:
        """Write the lifetime on the operation."""

    @abstractmethod
    def get_offset(self, op: Operation) -> int | None:
        """The offset in its arena (bytes) written on the operation, if any."""

    @abstractmethod
    def set_offset(self, op: Operation, offset: int) -> None:
        """Write the offset (bytes) on the operation."""

    def deallocation(self, op: Operation) -> Sequence[Operation]:
        """New operations that free the storage, for `memplan-insert-deallocs`; none by default."""
        return ()


class AliasingTrait(OpTrait, ABC):
    """Some results are (part of) the storage of operands: views, casts, reshapes."""

    @abstractmethod
    def aliases(self, op: Operation) -> Sequence[Tie]:
        """Results with operands whose storage they are; several ties for one result mean any."""


class DestinationTrait(OpTrait, ABC):
    """Destination-passing style: the storage of an operand can become that of a tensor result."""

    @abstractmethod
    def destinations(self, op: Operation) -> Sequence[Tie]:
        """Each tensor result that has a destination, with that operand."""


class ReadsWritesTrait(OpTrait, ABC):
    """The operation says whose contents it reads and writes."""

    @abstractmethod
    def effects(self, op: Operation) -> Effects | None:
        """The accesses; None if they cannot be told, and then the operation cannot be planned."""


class InPlaceTrait(OpTrait, ABC):
    """A result can be written over an operand: each element is read before it is written."""

    @abstractmethod
    def overwrites(self, op: Operation) -> Sequence[Tie]:
        """Results with operands of the same type that they may be written over.

        Only operands whose element is read before, and only before, the result's element at the
        same place is written. Operands that `DestinationTrait` names need not be listed.
        """


class TilingTrait(OpTrait, ABC):
    """The operation can compute a box of its results from boxes of its operands."""

    @abstractmethod
    def rule(self, op: Operation) -> TilingRule | None:
        """Its loops, and what they read; None if this operation must stay whole."""

    @abstractmethod
    def tile(self, op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
        """Insert what computes a tile; return the same elements that the whole operation makes.

        Returns one tensor per result of ``op``, of the shape of the tile. Asked only if there is a
        rule.
        """


INTERFACES = (
    BufferLikeTrait,
    AliasingTrait,
    DestinationTrait,
    ReadsWritesTrait,
    InPlaceTrait,
    TilingTrait,
)


def has_contents(type: Attribute) -> bool:
    """Tell whether values of the type are tensors or memrefs."""
    return type.__class__ in _WITH_CONTENTS


def attach(op_class: type[Operation], *traits: OpTrait, replace: bool = True) -> None:
    """Attach traits to an operation class that need not be ours.

    Adding with xDSL's `add_trait` works too. But classes that inherit their traits unchanged
    share one set of them in xDSL, and a second trait for the same interface would be ambiguous:
    here the class gets a set of its own, and a new trait takes the place of the old one of the
    same interface.

    Args:
        op_class: the class of the operations.
        traits: instances of the traits above, or of any trait.
        replace: whether a trait of the same interface that is there already gives way.
    """
    kept = list(op_class.traits)
    for trait in traits:
        interface = next((i for i in INTERFACES if isinstance(trait, i)), type(trait))
        if any(isinstance(old, interface) for old in kept):
            if not replace:
                continue
            kept = [old for old in kept if not isinstance(old, interface)]
        kept.append(trait)
    result = tuple(kept)
    op_class.traits = OpTraits(lambda: result)
