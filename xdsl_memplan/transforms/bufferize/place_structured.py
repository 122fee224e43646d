"""Places for `linalg` operations and for arithmetic on whole tensors."""

from xdsl.ir import Operation, SSAValue

from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.queries import destinations_of
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.placement import Placement


def place_structured(placement: Placement, op: Operation) -> None:
    """Offer the place of each result: to the output if its old contents count, or to an input."""
    if not op.results:
        raise cannot_bufferize(op, "it mixes tensors and memrefs, or has memrefs already")
    if all(placement.uniforms.of(result) is not None for result in op.results):
        return
    ties = destinations_of(op)
    reads = placement.liveness.reads(op)
    outputs = {tie.operand for tie in ties}
    needed = placement.liveness.needed_results(op)
    for tie in ties:
        if not needed[tie.result]:
            continue
        place = placement.result_place(op.results[tie.result])
        output = op.operands[tie.operand]
        if reads[tie.operand]:
            placement.offer_in_place(output, place, op, tie.result)
            continue
        candidates = [
            v for i, v in enumerate(op.operands) if i not in outputs and reads[i] and is_tensor(v)
        ]
        _offer_to_one(placement, candidates, op, tie.result)


def place_elementwise(placement: Placement, op: Operation) -> None:
    """Offer the place of the result to an operand of the same type."""
    assert is_elementwise(op)
    placement.result_place(op.results[0])
    _offer_to_one(placement, [v for v in op.operands if is_tensor(v)], op, 0)


def _offer_to_one(
    placement: Placement, candidates: list[SSAValue], op: Operation, result: int
) -> None:
    """Offer the place to the candidates in turn, those first that could not be elsewhere.

    A tensor that could also be put straight into a larger one (a pad, a concatenation) comes last;
    then one that has other uses.
    """

    def order(value: SSAValue) -> tuple[bool, int]:
        content = placement.liveness.content(placement.root(value))
        return content.sliced > 0, len(content.uses)

    place = placement.result_place(op.results[result])
    type = op.results[result].type
    for value in sorted((v for v in candidates if v.type == type), key=order):
        if placement.offer_in_place(value, place, op, result):
            return
