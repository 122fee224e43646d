"""What the tiles of each group do, counted in the tiles."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.memref_size import element_size_bytes, size_bytes
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp
from xdsl_memplan.transforms.verify_split.check_errors import MismatchError
from xdsl_memplan.transforms.verify_split.computation import Computation, is_tensor
from xdsl_memplan.transforms.verify_split.tiled_program import TiledProgram
from xdsl_memplan.transforms.verify_split.whole_program import volume, work_of


@dataclass
class GroupCount:
    """Bytes moved to and from the chip and multiply-adds of all tiles of a group.

    What cannot be told to belong to the group is left out. Bytes are None where that goes for all
    moves. `whole_work` are the multiply-adds of
    the group as a whole, each done once.
    """

    moved_bytes: int | None = None
    work: int = 0
    whole_work: int = 0


def recount(run: TiledProgram) -> dict[GroupOp, GroupCount]:
    """Count what a program that was followed does, by groups of the whole; linear."""
    block = run.program.function.body.block
    counts = {op: GroupCount() for op in block.ops if isinstance(op, GroupOp)}
    for op, work in run.program.work.items():
        group = op.parent_op()
        if isinstance(group, GroupOp):
            counts[group].whole_work += work
    moved: Counter[GroupOp] = Counter()
    outside = [run.program.held(op.source).parts for op in block.ops if isinstance(op, StoreOp)]
    for op, times in run.times.items():
        if isinstance(op, LoadOp):
            group, size = _group_of(run, op.result, _read_by), size_bytes(op.result.type)
        elif isinstance(op, StoreOp):
            parts = run.held(op.source).parts
            if parts in outside:
                outside.remove(parts)
                continue
            group, size = _group_of(run, op.source, _made_by), size_bytes(op.source.type)
        else:
            group = _group_at(run, op)
            if group is not None:
                computation = run.computations[op]
                counts[group].work += times * work_of(computation)
                moved[group] += times * _looked_up(computation)
            continue
        if group is not None:
            moved[group] += times * (size or 0)
    is_known = not outside and not any(isinstance(op, LoadOp) for op in block.ops)
    for group, count in counts.items():
        count.moved_bytes = moved[group] if is_known else None
    return counts


def check_work(counts: dict[GroupOp, GroupCount], max_recompute: float | None) -> None:
    """Raise MismatchError for a group whose tiles do more multiply-adds than it says, or may."""
    for group, count in counts.items():
        promised = group.cost.cost.work
        if count.work > promised:
            raise MismatchError(
                f"{describe_op(group)}: its tiles do {count.work} multiply-adds, it says {promised}"
            )
        if max_recompute is not None and count.work > count.whole_work * max_recompute:
            raise MismatchError(
                f"{describe_op(group)}: its tiles do {count.work} multiply-adds, more than "
                f"{max_recompute} times the {count.whole_work} of the whole"
            )


def more_bytes(counts: dict[GroupOp, GroupCount]) -> tuple[str, ...]:
    """Name the groups whose tiles move more bytes than they say."""
    return tuple(
        f"{describe_op(group)}: its tiles move {count.moved_bytes} bytes, it says "
        f"{group.cost.cost.traffic}"
        for group, count in counts.items()
        if (count.moved_bytes or 0) > group.cost.cost.traffic
    )


def _looked_up(computation: Computation) -> int:
    """Bytes that come from tables that the function was given: of each one for an iteration."""
    found = 0
    for table in dict.fromkeys(computation.tables):
        if isinstance(table, BlockArgument) and isinstance(table.block.parent_op(), FuncOp):
            assert isa(table.type, TensorType[Attribute])
            element_bytes = element_size_bytes(table.type.get_element_type()) or 0
            found += volume(computation) * element_bytes
    return found


def _group_at(run: TiledProgram, op: Operation) -> GroupOp | None:
    """The group that an operation is a piece of; None if there is none, or there are several."""
    groups = {whole.parent_op() for whole in run.matcher.pieces.get(op, ())}
    group = groups.pop() if len(groups) == 1 else None
    return group if isinstance(group, GroupOp) else None


def _group_of(
    run: TiledProgram,
    moved: SSAValue,
    near: Callable[[SSAValue], Iterable[tuple[Operation, Iterable[SSAValue]]]],
) -> GroupOp | None:
    """The group of the nearest operations that are pieces of one; None if they are of several."""
    groups: set[GroupOp | None] = set()
    seen, pending = {moved}, [moved]
    while pending:
        for op, further in near(pending.pop()):
            if op in run.matcher.pieces:
                groups.add(_group_at(run, op))
                continue
            new = [value for value in dict.fromkeys(further) if value not in seen]
            seen.update(new)
            pending += new
    return groups.pop() if len(groups) == 1 else None


def _read_by(value: SSAValue) -> Iterator[tuple[Operation, Iterable[SSAValue]]]:
    """Who reads a tensor, and the tensors in which it is found after that."""
    for use in value.uses:
        op, number = use.operation, use.index
        match op:
            case scf.ForOp():
                number -= len(op.operands) - len(op.iter_args)
                yield op, (op.results[number], op.body.block.args[1 + number])
            case scf.YieldOp() if isinstance(loop := op.parent_op(), scf.ForOp):
                yield op, (loop.results[number], loop.body.block.args[1 + number])
            case StoreOp() if number == 0:
                yield op, ()  # It has left the chip.
            case _:
                yield op, op.results


def _made_by(value: SSAValue) -> Iterator[tuple[Operation, Iterable[SSAValue]]]:
    """Who makes a tensor, and of what."""
    match value:
        case BlockArgument() if isinstance(loop := value.block.parent_op(), scf.ForOp):
            yield loop, _handed_on(loop, value.index - 1)
        case OpResult(op=scf.ForOp() as loop):
            yield loop, _handed_on(loop, value.index)
        case OpResult(op=StoreOp() as store):
            # It hands on its destination; what is written is the source.
            yield store, (store.source,)
        case OpResult():
            yield value.op, filter(is_tensor, value.op.operands)
        case _:
            pass


def _handed_on(loop: scf.ForOp, number: int) -> Iterator[SSAValue]:
    last = loop.body.block.last_op
    if number >= 0 and last is not None:
        yield loop.iter_args[number]
        yield last.operands[number]
