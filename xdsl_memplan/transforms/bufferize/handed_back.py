"""Arguments that a function hands back: a result of a call may be the bytes of an operand."""

from xdsl.dialects import func
from xdsl.ir import BlockArgument, OpResult, SSAValue

from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.placement import Placement


def handed_back(placement: Placement) -> tuple[frozenset[int], ...]:
    """Per result of a function that is placed: the arguments whose bytes it may be."""
    last = placement.function.body.blocks[-1].last_op
    return tuple(
        _arguments(placement, value) if is_tensor(value) else frozenset[int]()
        for value in (last.operands if last is not None else ())
    )


def _arguments(placement: Placement, value: SSAValue) -> frozenset[int]:
    found: set[int] = set()
    seen: set[SSAValue] = set()
    work = [value]
    while work:
        root = placement.root(work.pop())
        place = placement.places.get(root)
        external = None if place is None else place.storage.resolve().external
        if external is None or external in seen:
            continue
        seen.add(external)
        if isinstance(external, BlockArgument):
            found.add(external.index)
        elif isinstance(external, OpResult) and isinstance(external.op, func.CallOp):
            operands = placement.liveness.handed_back(external.op, external.index)
            work += (external.op.operands[i] for i in operands)
    return frozenset(found)
