"""Padding that constants tell, written in the operation."""

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import SSAValue

from xdsl_memplan.transforms.as_generic import hand_over


def write_known_padding(op: tensor.PadOp) -> None:
    """Replace ``op`` by one in which amounts that are constants are no operands any more.

    MLIR's canonicalizer leaves them where the result has a static shape, as in what
    `tosa-to-tensor` makes of `tosa.pad` and of transposed convolutions.
    """
    low, low_operands = _known(op.static_low.get_values(), op.low)
    high, high_operands = _known(op.static_high.get_values(), op.high)
    block = op.parent
    if block is None or len(low_operands) + len(high_operands) == len(op.low) + len(op.high):
        return
    padded = tensor.PadOp(
        op.source,
        low_operands,
        high_operands,
        op.detach_region(op.region),
        low,
        high,
        op.result.type,
        op.nofold,
        dict(op.attributes),
    )
    padded.location = op.location
    block.insert_op_before(padded, op)
    hand_over(op, padded.results)


def _known(
    amounts: Iterable[int], operands: Sequence[SSAValue]
) -> tuple[list[int], list[SSAValue]]:
    """Amounts with what is known of `operands`, which stand for the unknown ones, and the rest."""
    known: list[int] = []
    left: list[SSAValue] = []
    following = iter(operands)
    for amount in amounts:
        if amount != DYNAMIC_INDEX:
            known.append(amount)
            continue
        operand = next(following)
        match operand.owner:
            case arith.ConstantOp(value=IntegerAttr() as number):
                known.append(number.value.data)
            case _:
                known.append(amount)
                left.append(operand)
    return known, left
