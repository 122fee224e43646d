"""Operations as loops over boxes of tensors: what splitting knows of a function, without IR.

A box is a half-open range per dimension. An operation computes a box of its results in a box of its
loops, and reads a box of each operand: `loops_of`, `result_box` and `operand_box` go from one to
the other. A box of an operand contains all the elements that are needed and is the least such box,
but for steps (strides), for reshapes of boxes that are not contiguous, and for lookups.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Box: TypeAlias = tuple[tuple[int, int], ...]
"""A half-open range of elements per dimension; none is empty."""

Iterator: TypeAlias = Literal["parallel", "reduction"]
TensorKind: TypeAlias = Literal["argument", "constant", "fill", "value"]


@dataclass(frozen=True, slots=True)
class Index:
    """One index of an operand: `(sum of coefficient * loop + constant) / divisor`, where whole.

    With a ``reach`` all indices are read for which the sum is up to that much more.
    """

    terms: tuple[tuple[int, int], ...]
    """Pairs of a loop and its coefficient, which is at least 1; ascending, each loop once."""
    constant: int = 0
    divisor: int = 1
    """Where the sum is no multiple of it the operand has no element (insertion with a step)."""
    reach: int = 0
    """Of an index that is looked up by a function of loops: how far it strays from the sum."""


@dataclass(frozen=True, slots=True)
class Affine:
    """Indices are sums of loops. What lies outside of the operand is not read (padding)."""

    indices: tuple[Index, ...]
    """One per dimension of the operand."""


@dataclass(frozen=True, slots=True)
class Reshape:
    """The loops are the dimensions of the result, which is the operand in another shape."""

    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """Dimensions of the result and of the operand with the same elements in the same order.

    Dimensions in no group have size 1.
    """


@dataclass(frozen=True, slots=True)
class Whole:
    """All of the operand is read whatever is computed."""


@dataclass(frozen=True, slots=True)
class Indirect:
    """Elements are looked up by indices that are computed: one per point of the loops."""

    distinct: int = 0
    """Elements of the operand that may all differ, by the loops that the indices depend on."""


Access: TypeAlias = Affine | Reshape | Whole | Indirect


@dataclass(frozen=True, slots=True)
class SplitTensor:
    """A tensor: an argument, a constant, the result of an operation, or one value everywhere."""

    name: str
    shape: tuple[int, ...]
    element_bytes: int
    kind: TensorKind
    """A `fill` (or splat constant) costs no transfer: it can be made again in any shape."""
    returned: bool = False

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole tensor."""
        return box_elements(whole(self.shape)) * self.element_bytes


@dataclass(frozen=True, slots=True)
class SplitOperand:
    """A tensor that an operation reads, and how."""

    tensor: int
    """Position in the graph."""
    shape: tuple[int, ...]
    access: Access


@dataclass(frozen=True, slots=True)
class SplitOp:
    """An operation. If it is not splittable, it reads all of its operands and has no loops."""

    name: str
    results: tuple[int, ...]
    """Positions of the tensors that it makes and somebody needs; all by one `result_access`."""
    operands: tuple[SplitOperand, ...]
    """What it reads. Destinations that are filled again in the shape of a tile are not listed."""
    splittable: bool = False
    loops: tuple[int, ...] = ()
    """Extents, none is 0."""
    iterators: tuple[Iterator, ...] = ()
    result_access: tuple[int | None, ...] = ()
    """The loop of each dimension of the results; None for a dimension of size 1 without a loop."""
    in_place: tuple[int, ...] = ()
    """Operands (positions in `operands`) whose bytes the first result may take, one for one."""
    parts: tuple[int, ...] = ()
    """Operands that are nothing but a part of the result: whoever makes them can write there."""
    copied_parts: tuple[int, ...] = ()
    """Those of them that cannot be made there, but are copied."""
    view: bool = False
    """The result is part of the operand's bytes: no storage and no time."""
    cuttable: tuple[tuple[int, ...], ...] = ()
    """Reductions that may be cut: the result of one part is the destination of the next.

    The last loop of each entry may be cut into any parts, where those before it, outermost first,
    are cut into single iterations. Every element then sees the same sequence of additions, or the
    order makes no difference, as with integers.
    """
    work_per_point: int = 0
    """Multiply-adds per point of the loops: 1 for contractions."""
    operations: int = 1
    """Operations of the IR that a tile of it is, those in bodies among them."""
    rooms: int = 0
    """Operations that all tiles of one shape share: room for results, constants of their size."""
    layer: int = -1


@dataclass(frozen=True, slots=True)
class SplitGraph:
    """The operations of a function in their order, and the tensors between them."""

    tensors: tuple[SplitTensor, ...]
    ops: tuple[SplitOp, ...]
    name: str = ""


def positions_in_order(graph: SplitGraph, layers: Sequence[int]) -> list[int]:
    """List the positions of all operations in another order of the layers. n log n."""
    places = {layer: place for place, layer in enumerate(layers)}
    return sorted(range(len(graph.ops)), key=lambda position: places[graph.ops[position].layer])


def whole(shape: Sequence[int]) -> Box:
    """Return the box of all elements of a shape."""
    return tuple((0, extent) for extent in shape)


def box_elements(box: Box) -> int:
    """Count the elements of a box."""
    count = 1
    for start, stop in box:
        count *= stop - start
    return count


def bounding_box(first: Box, second: Box) -> Box:
    """Return the least box that contains both."""
    return tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(first, second, strict=True))


def loops_of(op: SplitOp, box: Box) -> Box:
    """Return the loops that compute a box of the results; reductions are full. O(loops)."""
    ranges = list(whole(op.loops))
    for loop, extent in zip(op.result_access, box, strict=False):
        if loop is not None:
            ranges[loop] = extent
    return tuple(ranges)


def result_box(op: SplitOp, loops: Box) -> Box:
    """Return the box of a splittable operation's results that a box of loops computes. O(rank)."""
    return tuple((0, 1) if loop is None else loops[loop] for loop in op.result_access)


def operand_box(op: SplitOp, operand: int, loops: Box) -> Box | None:
    """Return what is read of an operand (position in `op.operands`) for a box of the loops.

    Returns None if nothing is read. O(terms of the access).
    """
    ranges = operand_ranges(op, operand, loops)
    return None if any(start >= stop for start, stop in ranges) else ranges


def operand_ranges(op: SplitOp, operand: int, loops: Box) -> Box:
    """Return the indices that are read in each dimension of an operand, some of them maybe none.

    A dimension's range depends on its own loops only: the sizes of tiles along one dimension can be
    told from each other where a tile reads nothing of another one. O(terms of the access).
    """
    read = op.operands[operand]
    return ranges_read(read.access, loops, op.loops, read.shape)


def ranges_read(
    access: Access, loops: Box, extents: tuple[int, ...], shape: tuple[int, ...]
) -> Box:
    """Return what `operand_ranges` does, of an access to a tensor of that shape."""
    match access:
        case Affine(indices):
            pairs = zip(indices, shape, strict=True)
            return tuple([_affine_range(index, loops, extent) for index, extent in pairs])
        case Reshape(groups):
            return reshape_operand_box(groups, loops, extents, shape)
        case Whole() | Indirect():
            return whole(shape)


def tile_signature(op: SplitOp, loops: Box) -> tuple[object, ...]:
    """Return what a tile looks like, wherever it is.

    Tiles with equal signatures are computed by the same operations on tensors of the same shapes,
    at other starts: one body of a loop serves them all. O(terms of the accesses).
    """
    signature: list[object] = [tuple(stop - start for start, stop in loops)]
    for operand in op.operands:
        match operand.access:
            case Affine(indices):
                pairs = zip(indices, operand.shape, strict=True)
                signature.append(tuple(index_signature(i, loops, extent) for i, extent in pairs))
            case Reshape(groups) as reshape:
                box = reshape_operand_box(groups, loops, op.loops, operand.shape)
                signature.append(reshape_signature(reshape, box, loops, operand.shape, op.loops))
            case Whole() | Indirect():
                pass
    return tuple(signature)


def operand_start(index: Index, loops: Sequence[tuple[int, int]]) -> int:
    """Return the first index that a box of loops reads along one dimension; it reads some."""
    low, _ = _extremes(index, loops)
    return max(0, -(-low // index.divisor))


def index_signature(
    index: Index, loops: Sequence[tuple[int, int]], extent: int
) -> tuple[int, int | None]:
    """Return how much a tile reads along one dimension, and where that starts in its tile."""
    low, high = _extremes(index, loops)
    start, stop = _inside(index, low, high, extent)
    if start >= stop:
        return 0, None
    return stop - start, start * index.divisor - low


def reshape_signature(
    reshape: Reshape,
    box: Box,
    loops: Sequence[tuple[int, int]],
    shape: Sequence[int],
    extents: Sequence[int],
) -> tuple[object, ...]:
    """Return how large the box is that a tile reads, and where the tile starts in it.

    In dimensions of which the box holds all, the tile may start anywhere: None.
    """
    around = reshaped_box(reshape.groups, box, shape, extents)
    sizes = tuple(max(0, stop - start) for start, stop in box)
    return sizes, tuple(
        None if outer == (0, extent) else inner[0] - outer[0]
        for inner, outer, extent in zip(loops, around, extents, strict=True)
    )


def reshape_operand_box(
    groups: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    loops: Sequence[tuple[int, int]],
    extents: Sequence[int],
    shape: Sequence[int],
) -> Box:
    """Return the box of the operand with the elements of a box of the result, or more; O(rank)."""
    box = list(whole(shape))
    for result_dims, operand_dims in groups:
        group_extents = [extents[d] for d in result_dims]
        contiguous = contiguous_box(tuple(loops[d] for d in result_dims), group_extents)
        first, end = linear_range(contiguous, group_extents)
        part = box_of_range(first, end, [shape[d] for d in operand_dims])
        for dimension, extent in zip(operand_dims, part, strict=True):
            box[dimension] = extent
    return tuple(box)


def reshaped_box(
    groups: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    box: Box,
    shape: Sequence[int],
    result_shape: Sequence[int],
) -> Box:
    """Return the box of the result that has the elements of an operand's box; O(rank).

    The operand's box is one that `operand_box` returns; it may be more than the tile needs.
    """
    result = list(whole(result_shape))
    for result_dims, operand_dims in groups:
        part = tuple(box[d] for d in operand_dims)
        first, end = linear_range(part, [shape[d] for d in operand_dims])
        around = box_of_range(first, end, [result_shape[d] for d in result_dims])
        for dimension, extent in zip(result_dims, around, strict=True):
            result[dimension] = extent
    return tuple(result)


def contiguous_box(box: Box, shape: Sequence[int]) -> Box:
    """Round a box out until its elements are neighbours in row-major order.

    The first dimension with more than one index stays a range, all later ones become full.
    """
    result = list(box)
    for dimension, (start, stop) in enumerate(box):
        if stop - start > 1:
            result[dimension + 1 :] = whole(shape[dimension + 1 :])
            break
    return tuple(result)


def linear_range(box: Box, shape: Sequence[int]) -> tuple[int, int]:
    """Return the half-open range of row-major positions of a contiguous box."""
    first = last = 0
    for (start, stop), extent in zip(box, shape, strict=True):
        first = first * extent + start
        last = last * extent + stop - 1
    return first, last + 1


def _affine_range(index: Index, loops: Box, extent: int) -> tuple[int, int]:
    low, high = _extremes(index, loops)
    return _inside(index, low, high, extent)


def _inside(index: Index, low: int, high: int, extent: int) -> tuple[int, int]:
    """Return the indices from a least to a greatest sum that the operand has."""
    divisor = index.divisor
    first, end = -(-low // divisor), high // divisor + 1
    # Asked of every operand of every tile: comparisons take half as long as `max` and `min`.
    return first if first > 0 else 0, end if end < extent else extent


def _extremes(index: Index, loops: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the least and the greatest value of the sum, before it is divided."""
    low = index.constant
    high = low + index.reach
    for loop, factor in index.terms:
        start, stop = loops[loop]
        low += factor * start
        high += factor * (stop - 1)
    return low, high


def box_of_range(first: int, end: int, shape: Sequence[int]) -> Box:
    """Return the contiguous box around the row-major positions `first` to `end - 1`.

    The first dimension in which the first and the last index differ becomes a range, later ones are
    full.
    """
    box: list[tuple[int, int]] = []
    last = end - 1
    for extent in reversed(shape):
        box.append((first % extent, last % extent + 1))
        first //= extent
        last //= extent
    box.reverse()
    for dimension, (start, stop) in enumerate(box):
        if stop - start != 1:
            box[dimension + 1 :] = whole(shape[dimension + 1 :])
            break
    return tuple(box)
