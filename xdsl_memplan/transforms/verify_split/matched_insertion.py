"""Which insertion with steps of the whole program one of a tile is a piece of."""

from collections.abc import Sequence

from xdsl.dialects import tensor

from xdsl_memplan.transforms.verify_split.check_errors import (
    CheckError,
    MismatchError,
    NotFollowedError,
)
from xdsl_memplan.transforms.verify_split.comparison import Shift, shifts
from xdsl_memplan.transforms.verify_split.computation import shape_of
from xdsl_memplan.transforms.verify_split.held_parts import Along, Held, Part, whole_box
from xdsl_memplan.transforms.verify_split.matching import Matcher, joined, least_certain


def set_apart(matcher: Matcher, op: tensor.InsertSliceOp, offsets: Sequence[int]) -> Held:
    """What a tensor holds into which elements are inserted with others between them.

    Raises MismatchError or NotFollowedError if it is no piece of what the whole program makes so.
    """
    source, target = matcher.held(op.source), matcher.held(op.dest)
    region = whole_box(source.shape)
    found: list[Held] = []
    failures: list[CheckError] = []
    for whole in matcher.others(op, [(source, region), (target, whole_box(target.shape))]):
        assert isinstance(whole, tensor.InsertSliceOp)
        try:
            ways = shifts(source, region, matcher.program.held(whole.source))
        except CheckError as error:
            failures.append(error)
            continue
        for shift in ways:
            try:
                found.append(_as_piece(matcher, op, offsets, whole, shift))
            except CheckError as error:
                failures.append(error)
    if not found:
        raise least_certain(failures)
    return joined(found)


def _as_piece(
    matcher: Matcher,
    op: tensor.InsertSliceOp,
    offsets: Sequence[int],
    whole: tensor.InsertSliceOp,
    shift: Shift,
) -> Held:
    source, target = matcher.held(op.source), matcher.held(op.dest)
    starts = _starts(op, offsets, whole, shift)
    matcher.check(source, whole_box(source.shape), matcher.program.held(whole.source), shift)
    want = matcher.program.held(whole.dest)
    matcher.check(target, whole_box(target.shape), want, starts)
    [part] = matcher.program.held(whole.result).parts
    access = tuple(Along(d, 1, start) for d, start in enumerate(starts))
    return Held(target.shape, (Part(whole_box(target.shape), part.origin, access, 0, op),))


def _starts(
    op: tensor.InsertSliceOp,
    offsets: Sequence[int],
    whole: tensor.InsertSliceOp,
    shift: Shift,
) -> list[int]:
    """Where the tile lies in the whole, if it has all elements that the whole inserts there."""
    sizes, extents = op.static_sizes.get_values(), whole.static_sizes.get_values()
    if len(shift) != len(sizes):
        raise NotFollowedError("tensor.insert_slice with steps into other dimensions")
    widths = shape_of(op.dest)
    starts: list[int] = []
    for d, (start, step) in enumerate(zip(shift, op.static_strides.get_values(), strict=True)):
        if start is None:
            if sizes[d] != extents[d]:
                raise NotFollowedError("where a tile lies is not known")
            start = 0
        there = whole.static_offsets.get_values()[d]
        at = there + step * start - offsets[d]
        end = at + widths[d]
        first, last = (-((there - place) // step) for place in (at, end))
        if (max(first, 0), min(last, extents[d])) != (start, start + sizes[d]):
            raise MismatchError("leaves out elements that the whole program inserts")
        starts.append(at)
    return starts
