"""Which reshape of the whole program a reshaped tile is a piece of."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import tensor
from xdsl.ir import Operation

from xdsl_memplan.transforms.verify_split.check_errors import CheckError, NotFollowedError
from xdsl_memplan.transforms.verify_split.comparison import Shift, local_box, shifts
from xdsl_memplan.transforms.verify_split.held_parts import (
    Box,
    Held,
    Part,
    glued,
    whole_box,
)
from xdsl_memplan.transforms.verify_split.matching import Matcher, least_certain
from xdsl_memplan.transforms.verify_split.reshapes import Reshape


def reshaped(matcher: Matcher, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp) -> Held:
    """What a reshaped tensor is: a piece of a tensor of the whole program, or part by part.

    Raises MismatchError or NotFollowedError for a part whose elements change their indices and that
    is no piece of what the whole program reshapes.
    """
    reshape, held = Reshape.of(op), matcher.held(op.src)
    carried = [reshape.carried(part) for part in held.parts]
    if len(held.parts) > 1 and None in carried:
        all_, _ = _pieces(matcher, op, held, whole_box(held.shape))
        if all_:
            return Held(reshape.result, tuple(all_))
    parts: list[Part] = []
    for part, access in zip(held.parts, carried, strict=True):
        box = reshape.box(part.box)
        if box is None:
            raise NotFollowedError("reshapes what is no run of elements")
        known: list[Part] = []
        failures: Sequence[CheckError] = ()
        if part.access:
            known, failures = _pieces(matcher, op, Held(held.shape, (part,)), part.box)
        if access is not None:
            known.append(Part(box, part.origin, access, part.done, op))
        if not known:
            raise least_certain(failures)
        parts += known
    return Held(reshape.result, glued(parts))


def _pieces(
    matcher: Matcher, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp, held: Held, region: Box
) -> tuple[list[Part], list[CheckError]]:
    """What a region becomes as a piece of what the whole program reshapes; why not of others."""
    reshape = Reshape.of(op)
    found: list[Part] = []
    failures: list[CheckError] = []
    for whole in matcher.others(op, [(held, region)]):
        try:
            ways = shifts(held, region, matcher.program.held(whole.operands[0]))
        except CheckError as error:
            failures.append(error)
            continue
        for shift in ways:
            try:
                found += [*_piece(matcher, reshape, held, region, whole, shift)]
            except CheckError as error:
                failures.append(error)
    return found, failures


def _piece(
    matcher: Matcher, tile: Reshape, held: Held, region: Box, op: Operation, shift: Shift
) -> Iterator[Part]:
    whole, want = matcher.program.reshapes[op], matcher.program.held(op.operands[0])
    extents = zip(shift, tile.source, whole.source, strict=True)
    shift = [0 if s is None and mine == all_ else s for s, mine, all_ in extents]
    starts, box = tile.starts(shift, whole), tile.box(region)
    if box is None:
        raise NotFollowedError("reshapes what is no run of elements")
    matcher.check(held, region, want, shift)
    by = [None if start is None else -start for start in starts]
    for part in matcher.program.held(op.results[0]).parts:
        local = local_box(part.box, box, starts, whole.result)
        if local is not None:
            access = tuple(along.moved(by) for along in part.access)
            yield Part(local, part.origin, access, part.done, held.parts[0].by)
