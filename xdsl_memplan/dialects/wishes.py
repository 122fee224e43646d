"""What the author of a module asks of the place of a buffer: attributes of the operation.

| attribute | of | asks |
|---|---|---|
| `memplan.fixed_offset = 4096 : i64` | a buffer | to lie at this offset (bytes) in its memory |
| `memplan.offset_range = array<i64: 0, 8192>` | a buffer | to lie in the bytes [0, 8192) |
| `memplan.candidates = ["L1", "L2"]` | a buffer | memories in order of preference |
| `memplan.size_bound = 4096 : i64` | a buffer of dynamic size | the most bytes it can have |
| `memplan.copies = 2 : i64` | a buffer | room for so many copies, one behind the other |
| `memplan.copy_stride = 64 : i64` | a buffer with copies | by the plan: bytes to the next |
| `memplan.different_banks = array<i64: 0, 1>` | any operation | these operands in different banks |
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

FIXED_OFFSET = "memplan.fixed_offset"
OFFSET_RANGE = "memplan.offset_range"
CANDIDATES = "memplan.candidates"
SIZE_BOUND = "memplan.size_bound"
COPIES = "memplan.copies"
COPY_STRIDE = "memplan.copy_stride"
DIFFERENT_BANKS = "memplan.different_banks"


@dataclass(frozen=True)
class Wishes:
    """What one buffer asks for; offsets in bytes from the first byte of its memory."""

    fixed_offset: int | None = None
    offset_range: tuple[int, int] | None = None
    """Half-open: the whole buffer lies in it."""
    candidates: tuple[str, ...] = ()
    """Names of memories; empty: the one that its type or arena names."""
    copies: int = 1

    @property
    def pins(self) -> bool:
        """Whether it asks for an offset."""
        return self.fixed_offset is not None or self.offset_range is not None


def wishes_of(op: Operation) -> Wishes:
    """Read the attributes of a buffer-like operation.

    Raises ValueError that names the attribute which is wrong and shows one that is right.
    """
    if not any(name in op.attributes for name in (FIXED_OFFSET, OFFSET_RANGE, CANDIDATES, COPIES)):
        return Wishes()
    fixed = _integer(op, FIXED_OFFSET, 0)
    copies = _integer(op, COPIES, 1)
    match op.attributes.get(OFFSET_RANGE):
        case None:
            range_ = None
        case attribute:
            numbers = _integers(attribute)
            if len(numbers) != 2 or not 0 <= numbers[0] <= numbers[1]:
                raise _wrong(OFFSET_RANGE, attribute, "array<i64: 0, 8192>, bytes from and to")
            range_ = (numbers[0], numbers[1])
    match op.attributes.get(CANDIDATES):
        case None:
            names: tuple[str, ...] = ()
        case ArrayAttr() as listed if listed.data and all(
            isinstance(entry, StringAttr) for entry in listed.data
        ):
            names = tuple(entry.data for entry in listed.data if isinstance(entry, StringAttr))
        case attribute:
            raise _wrong(CANDIDATES, attribute, '["L1", "L2"]')
    if fixed is not None and range_ is not None:
        raise ValueError(f"{FIXED_OFFSET} and {OFFSET_RANGE} together; one of them is enough")
    return Wishes(fixed, range_, names, 1 if copies is None else copies)


def operands_in_different_banks(op: Operation) -> tuple[int, ...]:
    """Return the operands, by index, that have to lie in different banks; empty for most.

    Raises ValueError for an attribute that cannot be read or an operand that does not exist.
    """
    attribute = op.attributes.get(DIFFERENT_BANKS)
    if attribute is None:
        return ()
    numbers = _integers(attribute)
    if len(numbers) < 2 or any(not 0 <= n < len(op.operands) for n in numbers):
        raise _wrong(
            DIFFERENT_BANKS, attribute, f"array<i64: 0, 1>, indices of {len(op.operands)} operands"
        )
    return numbers


def copies_bytes(size: int, stride: int, copies: int) -> int:
    """Return the bytes of copies one behind the other: the last needs no padding."""
    return (copies - 1) * stride + size


def copy_stride(size: int, alignment: int) -> int:
    """Return the bytes from one copy to the next, so that each is aligned."""
    return -(-size // alignment) * alignment


def bounded_size(op: Operation, size: int | None) -> int | None:
    """Return the bytes to reserve for a buffer of ``size`` bytes: for None, the most it can have.

    None if that is not said, either. Raises ValueError if it cannot be read or is below ``size``.
    """
    bound = _integer(op, SIZE_BOUND, 0)
    if size is None or bound is None:
        return bound if size is None else size
    if bound < size:
        raise ValueError(f"{SIZE_BOUND} is {bound}, and the buffer has {size} bytes")
    return size


def written_stride(op: Operation) -> int | None:
    """Return the bytes from one copy to the next that a plan has written.

    Raises ValueError if they cannot be read.
    """
    return _integer(op, COPY_STRIDE, 0)


def _integer(op: Operation, name: str, least: int) -> int | None:
    match op.attributes.get(name):
        case None:
            return None
        case IntegerAttr() as number if least <= number.value.data < 1 << 63:
            return number.value.data
        case attribute:
            raise _wrong(name, attribute, f"an integer of at least {least}, such as 64 : i64")


def _integers(attribute: Attribute) -> tuple[int, ...]:
    if not isa(attribute, DenseArrayBase[IntegerType]):
        return ()
    return tuple(attribute.get_values())


def _wrong(name: str, attribute: Attribute, right: str) -> ValueError:
    return ValueError(f"{name} is {attribute}; write {right}")
