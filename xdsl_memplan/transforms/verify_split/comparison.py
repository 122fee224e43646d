"""Compares what a tensor of the tiled program holds with what the whole program has there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.ir import Attribute, Operation

from xdsl_memplan.transforms.verify_split.check_errors import MismatchError, NotFollowedError
from xdsl_memplan.transforms.verify_split.held_parts import (
    UNDEFINED,
    Box,
    Held,
    Origin,
    Part,
    left_of,
    meet,
    share_a_tensor,
    tensors_of,
)

Shift = Sequence[int | None]
"""What is added to a local index, per dimension; None: it makes no difference."""


def check_holds(held: Held, region: Box, want: Held, shift: Shift) -> list[tuple[int, int]]:
    """Check that a region holds what is wanted: local index `p` is index `p + shift` of that.

    Returns which parts of one were found to be which of the other. Raises MismatchError for
    elements that are not written, or certainly are others; NotFollowedError for elements that may
    be others.
    """
    for dimension, ((a, b), s, extent) in enumerate(zip(region, shift, want.shape, strict=True)):
        if s is not None and (a + s < 0 or b + s > extent):
            raise MismatchError(
                f"dimension {dimension} is [{a + s}, {b + s}) of the whole, which has {extent}"
            )
    pairs: list[tuple[int, int]] = []
    unknown: NotFollowedError | None = None
    for wanted, leaf in enumerate(want.parts):
        box = local_box(leaf.box, region, shift, want.shape)
        if box is None or leaf.origin == UNDEFINED:
            continue
        rest = [box]
        for number, part in enumerate(held.parts):
            shared = meet(part.box, box)
            if shared is not None and _is_same(part, leaf, shared, shift):
                pairs.append((number, wanted))
                rest = left_of(rest, shared)
                if not rest:
                    break
        if rest:
            why = _why_not(held, rest[0], leaf, shift)
            unknown = unknown or why
    if unknown is not None:
        raise unknown
    return pairs


def _why_not(held: Held, box: Box, leaf: Part, shift: Shift) -> NotFollowedError:
    """Why elements are not known to be what is wanted; raises MismatchError if they are not."""
    where = "x".join(f"[{a}, {b})" for a, b in box)
    by: Operation | None = None
    is_written = False
    for part in held.parts:
        shared = meet(part.box, box)
        if shared is None:
            continue
        is_written, by = True, by or part.by
        corner: Box = tuple((a, a + 1) for a, _ in shared)
        is_same_tensor = tensors_of(part, corner) == tensors_of(_moved(leaf, shift), corner)
        starts_anew = not leaf.is_complete and _kind(part.origin) == "constant"
        if (
            are_different(part.origin, leaf.origin)
            or starts_anew
            or (is_same_tensor and not _is_same(part, leaf, shared, shift))
        ):
            raise MismatchError(f"elements {where} are not those of the whole program", part.by)
    if not is_written:
        raise MismatchError(f"elements {where} are not written")
    return NotFollowedError(f"elements {where} are not known to be those of the whole program", by)


def _moved(leaf: Part, shift: Shift) -> Part:
    """What is wanted, as local indices find it."""
    back = [None if s is None else -s for s in shift]
    return replace(leaf, access=tuple(along.moved(back) for along in leaf.access))


def are_different(one: Origin, other: Origin) -> bool:
    """Tell whether two tensors differ for certain: other arguments, other constants.

    What is computed may be the same by another way; it never counts as different.
    """
    kinds = {_kind(one), _kind(other)}
    return one.key != other.key and None not in kinds


def _kind(origin: Origin) -> object:
    match origin.key:
        case ("argument", int()):
            return "argument"
        case ("uniform", ("constant", Attribute())):
            return "constant"
        case _:
            return None


def local_box(leaf: Box, region: Box, shift: Shift, extents: Sequence[int]) -> Box | None:
    """The local indices of a region that lie in a part of the whole; None if none does."""
    box: list[tuple[int, int]] = []
    for (a, b), s, (first, end), extent in zip(leaf, shift, region, extents, strict=True):
        if s is None:
            if (a, b) != (0, extent):
                raise NotFollowedError("where a tile lies in a padded tensor is not known")
            box.append((first, end))
        else:
            box.append((max(a - s, first), min(b - s, end)))
    return tuple(box) if all(a < b for a, b in box) else None


def _is_same(part: Part, leaf: Part, box: Box, shift: Shift) -> bool:
    """Compare what two say of a box of local indices."""
    if _is_between(part, leaf, box, shift):
        return True
    if part.origin != leaf.origin or part.done != leaf.done:
        is_wanted_whole = not leaf.origin.summed and part.is_complete
        if part.origin.key != leaf.origin.key or not is_wanted_whole:
            return False
    corner = [a for a, _ in box]
    for mine, other in zip(part.access, leaf.access, strict=True):
        by = 0 if other.dim is None else shift[other.dim]
        if mine.shift is None or other.shift is None or by is None:
            continue
        there = other._replace(shift=other.shift + other.step * by)
        if mine == there:
            continue
        if mine.at(corner) != there.at(corner):
            return False
        for dimension, (a, b) in enumerate(box):
            steps = [along.step if along.dim == dimension else 0 for along in (mine, there)]
            if b - a > 1 and steps[0] != steps[1]:
                return False
    return True


def _is_between(part: Part, leaf: Part, box: Box, shift: Shift) -> bool:
    """Tell whether a part is one value that lies between elements that are set apart."""
    apart = leaf.origin.apart
    if apart is None or part.access or part.origin != apart.between:
        return False
    there: list[tuple[int, int]] = []
    for along in leaf.access:
        by = None if along.dim is None else shift[along.dim]
        if along.dim is None or along.shift is None or along.step != 1 or by is None:
            return False
        start, end = box[along.dim]
        there.append((start + by + along.shift, end + by + along.shift))
    return apart.is_between(tuple(there))


def known_parts(held: Held, region: Box) -> Iterator[tuple[Part, Box]]:
    """Parts of tensors, not of one value everywhere, and where they are in a region."""
    for part in held.parts:
        if part.access and part.is_complete:
            shared = meet(part.box, region)
            if shared is not None:
                yield part, shared


def shifts(held: Held, region: Box, want: Held) -> list[list[int | None]]:
    """Where a region may lie in the tensor that is wanted.

    Raises MismatchError if it can lie nowhere, NotFollowedError if no place is known.
    """
    parts = list(known_parts(held, region))
    found: list[list[int | None]] = []
    placed: Box | None = None
    for part, box in parts:
        if placed is not None and meet(placed, box) is None:
            continue  # What the same elements are besides matters, other elements do not.
        for leaf in want.parts:
            if share_a_tensor(leaf, leaf.box, part, box):
                shift = _shift_between(part, leaf, [a for a, _ in box], want.shape)
                if shift is not None and shift not in found:
                    found.append(shift)
                    placed = placed or box
    if found:
        return found
    if not parts:
        return [[0 if extent == 1 else None for extent in want.shape]]
    for part, box in parts:
        if all(
            share_a_tensor(leaf, leaf.box, part, box) or are_different(part.origin, leaf.origin)
            for leaf in want.parts
        ):
            raise MismatchError("reads other tensors than the whole program")
    raise NotFollowedError("is not known to read the tensors of the whole program")


def _shift_between(
    part: Part, leaf: Part, corner: Sequence[int], shape: Sequence[int]
) -> list[int | None] | None:
    """How far a part lies from its place in the whole; None if it cannot lie there."""
    shift: list[int | None] = [None] * len(shape)
    for mine, other in zip(part.access, leaf.access, strict=True):
        index = mine.at(corner)
        if index is None or other.shift is None:
            continue
        distance = index - other.shift
        if other.dim is None:
            if distance:
                return None
        elif distance % other.step:
            return None
        else:
            shift[other.dim] = distance // other.step - corner[other.dim]
    bound = {along.dim for along in leaf.access}
    for dimension, extent in enumerate(shape):
        if extent == 1 and dimension not in bound:
            shift[dimension] = -corner[dimension]
    return shift
