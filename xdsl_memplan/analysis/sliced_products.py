"""Products of which slices of features are read: the halves of a gate, the gates of a cell."""

from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import ExtractSliceOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xdsl_memplan.analysis.functions_with_slices import functions_with_slices
from xdsl_memplan.analysis.side_effects import must_keep_order
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.trait_answers import check_answers
from xdsl_memplan.dialects.tiling import Read, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.model.split_graph import Box, ranges_read, whole

MOST_RANGES = 8
"""Of so many ranges at the most each is computed by an operation of its own."""

_MOST_TO_WEIGHT = 4
"""A weight may be made of arguments in so many operations, as a masked one is."""

_MOST_TO_PRODUCT = 32
"""So many operations may be between a product and slices of what is made of it."""

Range = tuple[int, int]


@dataclass(frozen=True)
class SlicedResult:
    """An operation whose result is read in slices, each in one of several ranges of a dimension."""

    rule: TilingRule
    dim: int
    loop: int
    """That makes the dimension."""
    ranges: tuple[Range, ...]
    """Ascending; no two have an index in common."""

    def loops_of(self, part: Range) -> Box:
        """The loops that make a range of the dimension."""
        return _loops_with(self.rule, self.loop, part)


def has_sliced_product(module: ModuleOp) -> bool:
    """Tell whether some operation of a module has a `sliced_result`."""
    return any(
        sliced_result(op) is not None
        for function in functions_with_slices(module)
        for op in function.body.block.ops
    )


def sliced_result(op: Operation) -> SlicedResult | None:
    """Return how the result of an operation is read in slices of features; None if it is not.

    All readers must be slices in no more than `MOST_RANGES` ranges of one dimension that have
    nothing in common. The operation must be a product, or follow one, of which these are features:
    a weight has them, too, made of arguments in few operations, and not what it is multiplied by.

    Raises WrongAnswerError for what a trait of somebody else answers.
    """
    uses = list(op.results[0].uses) if len(op.results) == 1 else []
    slices = [use.operation for use in uses]
    if len(slices) < 2 or not all(_is_even_slice(reader) for reader in slices):
        return None
    rule = _rule_of(op)
    if rule is None:
        return None
    found: SlicedResult | None = None
    readers = cast(list[ExtractSliceOp], slices)
    for dim, loop in enumerate(rule.result_access):
        ranges = tuple(sorted({range_of(reader, dim) for reader in readers}))
        if (
            loop is not None
            and 2 <= len(ranges) <= MOST_RANGES
            and _are_apart(ranges)
            and (found is None or len(ranges) < len(found.ranges))
            and _is_made_of_features(op, rule, loop, ranges)
        ):
            found = SlicedResult(rule, dim, loop, ranges)
    return found


def range_of(op: ExtractSliceOp, dim: int) -> Range:
    """The indices of a dimension that a slice takes."""
    start, size = op.static_offsets.get_values()[dim], op.static_sizes.get_values()[dim]
    return start, start + size


def _is_even_slice(op: Operation) -> bool:
    """Tell whether an operation is a slice of known place and size without gaps."""
    return (
        isinstance(op, ExtractSliceOp)
        and not (op.offsets or op.sizes or op.strides)
        and all(stride == 1 for stride in op.static_strides.get_values())
    )


def _rule_of(op: Operation) -> TilingRule | None:
    check_answers(op)
    return None if must_keep_order(op) else tiling_rule_of(op)


def _is_made_of_features(
    op: Operation,
    rule: TilingRule,
    loop: int,
    ranges: tuple[Range, ...],
    most: int = _MOST_TO_PRODUCT,
) -> bool:
    """Tell whether ranges of a loop are features of a product, here or in what is read."""
    follows = [(read, _dim_that_follows(read, rule, loop, ranges)) for read in rule.reads]
    if rule.work_per_point and "reduction" in rule.iterators:
        factors = [(read, dim) for read, dim in follows if _is_added_up(read, rule)]
        has_weight = any(dim is not None and _is_weight(read.tensor) for read, dim in factors)
        return has_weight and any(dim is None for _, dim in factors)
    for read, followed in follows:
        maker = read.tensor.owner
        if not isinstance(maker, Operation) or not read.tensor.has_one_use():
            continue
        if followed is None or most == 0:
            continue
        before = _rule_of(maker)
        if before is None or len(maker.results) != 1:
            continue
        dim, read_ranges = followed
        made_by = before.result_access[dim]
        if made_by is not None and _is_made_of_features(
            maker, before, made_by, read_ranges, most - 1
        ):
            return True
    return False


def _is_added_up(read: Read, rule: TilingRule) -> bool:
    """Tell whether a sum goes along what is read: not so for what the sum starts with."""
    shape = shape_of(read.tensor)
    everything = ranges_read(read.access, whole(rule.loops), rule.loops, shape)
    for loop, iterator in enumerate(rule.iterators):
        if iterator == "reduction":
            one = _loops_with(rule, loop, (0, 1))
            if ranges_read(read.access, one, rule.loops, shape) != everything:
                return True
    return False


def _dim_that_follows(
    read: Read, rule: TilingRule, loop: int, ranges: tuple[Range, ...]
) -> tuple[int, tuple[Range, ...]] | None:
    """The one dimension of what is read of which each range of a loop needs other indices.

    None if all need the same, or have indices in common.
    """
    shape = shape_of(read.tensor)
    boxes = [
        ranges_read(read.access, _loops_with(rule, loop, part), rule.loops, shape)
        for part in ranges
    ]
    differ = [dim for dim in range(len(shape)) if len({box[dim] for box in boxes}) > 1]
    if len(differ) != 1:
        return None
    [dim] = differ
    parts = tuple(box[dim] for box in boxes)
    return (dim, parts) if _are_apart(parts) else None


def _loops_with(rule: TilingRule, loop: int, part: Range) -> Box:
    """All loops as a whole, but for a part of one."""
    loops = list(whole(rule.loops))
    loops[loop] = part
    return tuple(loops)


def _are_apart(ranges: tuple[Range, ...]) -> bool:
    """Tell whether ranges follow one another, and have nothing in common."""
    return all(before[1] <= after[0] for before, after in pairwise(ranges))


def _is_weight(value: SSAValue, most: int = _MOST_TO_WEIGHT) -> bool:
    """Tell whether a tensor is an argument, a constant, or what few operations make of these.

    None of them adds anything up, as a product of activations does.
    """
    if isinstance(value, BlockArgument):
        return True
    op = cast(Operation, value.owner)
    read = [operand for operand in op.operands if is_tensor(operand.type)]
    if not read:
        return True
    rule = _rule_of(op) if most else None
    return (
        rule is not None
        and "reduction" not in rule.iterators
        and all(_is_weight(operand, most - 1) for operand in read)
    )
