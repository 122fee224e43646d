"""Places for `linalg` operations and for arithmetic on whole tensors."""

from collections.abc import Iterator

from xdsl.ir import Operation, OpResult, SSAValue

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import Heir
from xdsl_memplan.transforms.bufferize.placement import Placement


def place_structured(placement: Placement, op: Operation) -> None:
    """Offer the place of each result: to the output if its old contents count, or to an input."""
    known = placement.liveness.heirs.get(op)
    if known is None:
        known = placement.liveness.heirs[op] = list(_heirs_of_results(placement, op))
    for result, heirs in known:
        placement.offer_in_place(heirs, placement.result_place(result), op)


def place_elementwise(placement: Placement, op: Operation) -> None:
    """Offer the place of the result to an operand of the same type."""
    assert is_elementwise(op)
    place = placement.result_place(op.results[0])
    placement.offer_in_place(_heirs(placement, op, 0), place, op)


def _heirs_of_results(placement: Placement, op: Operation) -> Iterator[tuple[OpResult, list[Heir]]]:
    if not op.results:
        raise cannot_bufferize(op, "it mixes tensors and memrefs, or has memrefs already")
    if all(placement.uniforms.of(result) is not None for result in op.results):
        return
    needed = placement.liveness.needed_results(op)
    for tie in placement.liveness.sharing.destinations(op):
        if needed[tie.result]:
            yield op.results[tie.result], _heirs(placement, op, tie.result)


def _heirs(placement: Placement, op: Operation, result: int) -> list[Heir]:
    """What may be written over, in the order to be asked, first what could not be elsewhere.

    A tensor that could also be put straight into a larger one (a pad, a concatenation) comes last;
    then one that has other uses.
    """

    def order(value: SSAValue) -> tuple[bool, int]:
        content = placement.liveness.content(placement.root(value))
        return content.sliced > 0, len(content.uses)

    reads = placement.liveness.reads(op)
    over = placement.liveness.sharing.overwritable(op, result)
    candidates = [op.operands[i] for i in over if reads[i]]
    if len(candidates) > 1:
        candidates.sort(key=order)
    return placement.heirs(op, result, candidates)
