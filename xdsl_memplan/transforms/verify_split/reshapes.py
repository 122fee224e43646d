"""What a reshaped tensor holds, part by part."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import tensor

from xdsl_memplan.transforms.verify_split.check_errors import NotFollowedError
from xdsl_memplan.transforms.verify_split.comparison import Shift
from xdsl_memplan.transforms.verify_split.computation import shape_of
from xdsl_memplan.transforms.verify_split.held_parts import Along, Box, Part


@dataclass(frozen=True)
class Reshape:
    """`tensor.expand_shape` or `tensor.collapse_shape`: which dimensions become which."""

    source: tuple[int, ...]
    result: tuple[int, ...]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """Dimensions of the source, and those of the result that have the same elements."""

    @classmethod
    def of(cls, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp) -> "Reshape":
        """The reshape that an operation does; raises NotFollowedError without static shapes."""
        many = [tuple(entry.value.data for entry in group.data) for group in op.reassociation.data]
        ones = [(number,) for number in range(len(many))]
        sides = (ones, many) if isinstance(op, tensor.ExpandShapeOp) else (many, ones)
        return cls(shape_of(op.src), shape_of(op.results[0]), tuple(zip(*sides, strict=True)))

    def carried(self, part: Part) -> tuple[Along, ...] | None:
        """How the elements of a part are found from the result; None if not by its indices.

        Indices stay what they are where dimensions of size 1 come and go.
        """
        places: dict[int, int | None] = {}
        for mine, others in self.groups:
            long = [d for d in mine if self.source[d] > 1]
            target = [d for d in others if self.result[d] > 1]
            places |= {d: None for d in mine if self.source[d] == 1}
            if len(long) == 1 and len(target) == 1:
                places[long[0]] = target[0]
        found: list[Along] = []
        for along in part.access:
            if along.dim is None or along.shift is None:
                found.append(along._replace(dim=None))
            elif along.dim not in places:
                return None
            else:
                found.append(along._replace(dim=places[along.dim]))
        return tuple(found)

    def box(self, box: Box) -> Box | None:
        """Where the elements of a box of the source are; None if that is no box."""
        found: list[tuple[int, int]] = [(0, 1)] * len(self.result)
        for mine, others in self.groups:
            run = _run([box[d] for d in mine], [self.source[d] for d in mine])
            if run is None:
                return None
            first, end = run
            for d in reversed(others):
                extent = self.result[d]
                if first % extent == 0 and end % extent == 0:
                    found[d] = (0, extent)
                    first, end = first // extent, end // extent
                elif first // extent == (end - 1) // extent:
                    found[d] = (first % extent, (end - 1) % extent + 1)
                    first = first // extent
                    end = first + 1
                else:
                    return None
        return tuple(found)

    def starts(self, shift: Shift, whole: "Reshape") -> list[int | None]:
        """Where the result lies in that of the whole, of which the source is a piece.

        Raises NotFollowedError if its elements are no run of those of the whole.
        """
        starts: list[int | None] = [None] * len(self.result)
        for mine, others in self.groups:
            at = [shift[d] for d in mine]
            if any(a is None for a in at):
                continue
            begin = 0
            for a, extent in zip(at, [whole.source[d] for d in mine], strict=True):
                begin = begin * extent + (a or 0)
            _check_run([a or 0 for a in at], mine, self.source, whole.source)
            for d in reversed(others):
                begin, starts[d] = divmod(begin, whole.result[d])
            _check_run([starts[d] or 0 for d in others], others, self.result, whole.result)
        return starts


def _run(box: Sequence[tuple[int, int]], extents: Sequence[int]) -> tuple[int, int] | None:
    """The elements of a box in row-major order; None if there are others between."""
    first, count = 0, 1
    for (a, b), extent in zip(box, extents, strict=True):
        if count > 1 and (a, b) != (0, extent):
            return None
        first, count = first * extent + a, count * (b - a)
    return first, first + count


def _check_run(
    at: Sequence[int], dims: Sequence[int], sizes: Sequence[int], extents: Sequence[int]
) -> None:
    box = [(a, a + sizes[d]) for a, d in zip(at, dims, strict=True)]
    inside = all(b <= extents[d] for (_, b), d in zip(box, dims, strict=True))
    if not inside or _run(box, [extents[d] for d in dims]) is None:
        raise NotFollowedError("reshapes what is no run of elements")
