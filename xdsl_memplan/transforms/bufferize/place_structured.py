"""Places for `linalg` operations and for arithmetic on whole tensors."""

from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.placement import Placement


def place_structured(placement: Placement, op: Operation) -> None:
    """Offer the place of each result: to the output if its old contents count, or to an input."""
    if not op.results:
        raise cannot_bufferize(op, "it mixes tensors and memrefs, or has memrefs already")
    if all(placement.uniforms.of(result) is not None for result in op.results):
        return
    needed = placement.liveness.needed_results(op)
    for tie in placement.liveness.sharing.destinations(op):
        if needed[tie.result]:
            _offer_to_one(placement, op, tie.result)


def place_elementwise(placement: Placement, op: Operation) -> None:
    """Offer the place of the result to an operand of the same type."""
    assert is_elementwise(op)
    _offer_to_one(placement, op, 0)


def _offer_to_one(placement: Placement, op: Operation, result: int) -> None:
    """Offer the place to what may be written over in turn, first what could not be elsewhere.

    A tensor that could also be put straight into a larger one (a pad, a concatenation) comes last;
    then one that has other uses.
    """

    def order(value: SSAValue) -> tuple[bool, int]:
        content = placement.liveness.content(placement.root(value))
        return content.sliced > 0, len(content.uses)

    place = placement.result_place(op.results[result])
    reads = placement.liveness.reads(op)
    over = placement.liveness.sharing.overwritable(op, result)
    candidates = [op.operands[i] for i in over if reads[i]]
    if len(candidates) > 1:
        candidates.sort(key=order)
    for value in candidates:
        if placement.offer_in_place(value, place, op, result):
            return
