"""Places for tensors that go through `scf.for`, `scf.while` and the branches of `scf.if`.

What a loop carries has one place: the initial value is put there before the loop, every iteration
finds it there and leaves the next one there. A yielded tensor may be written straight into the
place once the old contents are not read any more in that iteration. The results of branches have
one place as well, which each branch writes.
"""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.place import NEVER, Place
from xdsl_memplan.transforms.bufferize.placement import Placement


def place_for(placement: Placement, op: Operation) -> None:
    """One place for the result, the initial value, the argument and the yielded value."""
    assert isinstance(op, scf.ForOp)
    places = [placement.result_place(r) if is_tensor(r) else None for r in op.res]
    body = op.body.block
    _enter(placement, op, op.iter_args, body.args[1:], places)
    _yield_into(placement, body, places, [(argument,) for argument in body.args[1:]])
    placement.visit_block(body)


def place_while(placement: Placement, op: Operation) -> None:
    """Like a loop; what the condition forwards unchanged has the place of what is carried."""
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    forwarded = condition.args
    results = [placement.result_place(r) if is_tensor(r) else None for r in op.res]
    carried: list[Place | None] = []
    shared: list[SSAValue | None] = [None] * len(results)
    for argument in before.args:
        places = [
            i
            for i, value in enumerate(forwarded)
            if value is argument and is_tensor(value) and shared[i] is None
        ]
        if places:
            shared[places[0]] = argument
            carried.append(results[places[0]])
        elif is_tensor(argument):
            carried.append(placement.new_place(argument, op))
        else:
            carried.append(None)
    _enter(placement, op, op.arguments, before.args, carried)
    for argument, place in zip(after.args, results, strict=True):
        if place is not None:
            placement.places[argument] = _inside(place)
    occupants: list[tuple[SSAValue, ...]] = [()] * len(carried)
    for i, argument in enumerate(before.args):
        if argument in shared:
            occupants[i] = (after.args[shared.index(argument)],)
    _yield_into(placement, after, carried, occupants)
    placement.visit_block(after)
    waiting = [place if shared[i] is None else None for i, place in enumerate(results)]
    _yield_into(placement, before, waiting, [()] * len(waiting), skip=1)
    placement.visit_block(before)


def place_branches(placement: Placement, op: Operation) -> None:
    """Each branch leaves its tensor in the place of the result.

    A tensor from outside that some branches hand on unchanged may be in that place already; the
    other branches may then write when they have read it for the last time.
    """
    places = [placement.result_place(r) if is_tensor(r) else None for r in op.results]
    blocks = [block for region in op.regions for block in region.blocks]
    outside: list[tuple[SSAValue, ...]] = []
    for i, place in enumerate(places):
        outside.append(() if place is None else _handed_on(placement, op, blocks, i, place))
    for block in blocks:
        _yield_into(placement, block, places, outside)
        placement.visit_block(block)


def place_body(placement: Placement, op: Operation) -> None:
    """A loop that carries no tensors."""
    for region in op.regions:
        for block in region.blocks:
            placement.visit_block(block)


def _handed_on(
    placement: Placement, op: Operation, blocks: Sequence[Block], index: int, place: Place
) -> tuple[SSAValue, ...]:
    """The tensors from outside that are in the place of a result when the branches begin."""
    for block in blocks:
        last = block.last_op
        if last is None or index >= len(last.operands):
            continue
        value = last.operands[index]
        root = placement.root(value)
        if value is not root or root in placement.places:
            continue
        if placement.offer_to_branches(value, place, op):
            return (root,)
    return tuple(tensor for tensor, _ in place.occupants)


def _inside(place: Place) -> Place:
    """The place for tensors of a body, where positions of the outside say nothing."""
    return replace(place, occupants=(), known_from=-1, overwritten_at=NEVER, early=())


def _enter(
    placement: Placement,
    op: Operation,
    initial: Sequence[SSAValue],
    arguments: Sequence[BlockArgument],
    places: Sequence[Place | None],
) -> None:
    for value, argument, place in zip(initial, arguments, places, strict=True):
        if place is not None:
            placement.offer_storage(value, place, op)
            placement.places[argument] = _inside(place)


def _yield_into(
    placement: Placement,
    block: Block,
    places: Sequence[Place | None],
    occupants: Sequence[tuple[SSAValue, ...]],
    skip: int = 0,
) -> None:
    """Offer each place to the tensor that the last operation of the block hands on.

    `occupants` are tensors that are in the places when the block begins.
    """
    last = block.last_op
    if last is None:
        return
    for value, place, tensors in zip(last.operands[skip:], places, occupants, strict=True):
        if place is None or any(value is tensor for tensor in tensors):
            continue
        place = _inside(place)
        for tensor in tensors:
            uses = placement.liveness.uses_in(tensor, block)
            place = place.occupied(tensor, max((use.position for use in uses), default=-1))
        placement.offer_storage(value, place, last)
