"""Tensors that the whole program concatenates, named as parts of one tensor.

A loop whose iterations read some of each is followed at once, whatever the boundaries it crosses.
"""

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.ir import Operation, OpResult, SSAValue

from xdsl_memplan.dialects.groups import GroupOp, GroupYieldOp
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.verify_split.computation import is_tensor, shape_of, uniform_key
from xdsl_memplan.transforms.verify_split.held_parts import Along, Origin, Part, Row, whole_box


def rows_of(operations: Iterable[Operation]) -> dict[SSAValue, Part]:
    """Name results of operations that compute: of each the part of a row that it is.

    A tensor is in the row of the longest concatenation that it is in, if all others next to it
    there are in no other row. Every element has one name, as it had before. O(n log n).
    """
    found: dict[SSAValue, Part] = {}
    runs = [run for op in operations if isinstance(op, tensor.ConcatOp) for run in _runs(op)]
    for number, (members, along) in enumerate(sorted(runs, key=lambda run: -len(run[0]))):
        if any(member in found for member in members):
            continue
        ends: list[int] = []
        for member in members:
            ends.append((ends[-1] if ends else 0) + shape_of(member)[along])
        row = Row(along, tuple(ends))
        origin = Origin(("row", number), row=row)
        for member, end in zip(members, ends, strict=True):
            shape = shape_of(member)
            access = tuple(
                Along(d, 1, end - shape[along] if d == along else 0) for d in range(len(shape))
            )
            found[member] = Part(whole_box(shape), origin, access)
    return found


def _runs(op: tensor.ConcatOp) -> list[tuple[Sequence[SSAValue], int]]:
    """Neighbours among what is concatenated that are computed, each a tensor of its own."""
    runs: list[list[SSAValue]] = [[]]
    for part in map(_computed, op.operands):
        if part is None or part in runs[-1]:
            runs.append([])
        else:
            runs[-1].append(part)
    return [(run, op.dim.value.data) for run in runs if len(run) > 1]


def _computed(value: SSAValue) -> SSAValue | None:
    """The result of an operation that computes, behind groups and stores; None if it is none."""
    match value.owner:
        case GroupOp() as group:
            last = group.body.block.last_op
            assert isinstance(last, GroupYieldOp)
            return _computed(last.values[group.results.index(value)])
        case StoreOp() as store if store.source.type == store.result.type:
            return _computed(store.source)
        case Operation() as op if isinstance(value, OpResult):
            is_known = op.name.startswith("tensor.") or isinstance(op, arith.ConstantOp | StoreOp)
            is_other = is_known or uniform_key(op) is not None or not is_tensor(value)
            return None if is_other else value
        case _:
            return None
