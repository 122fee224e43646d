"""What stock xDSL's tensor lacks: a `tensor.pad` with operands and a result of known shape."""

from functools import cache

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.tensor import PadOp
from xdsl.ir import Attribute, Dialect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa


@cache
def accept_padding_of_known_results() -> None:
    """Have `tensor.pad` verified as in MLIR; a second call has no effect.

    Stock xDSL 0.74 wants as many unknown sizes in the result as there are in the padding. MLIR lets
    a result say more than its padding, and `tosa-to-tensor` prints such: constants as operands, and
    a result of static shape.
    """
    setattr(PadOp, "verify_", _verify)


def extended_tensor(stock: Dialect) -> Dialect:
    """The dialect `stock`, with its `tensor.pad` corrected in place."""
    accept_padding_of_known_results()
    return stock


def _verify(op: PadOp) -> None:
    """Raise VerifyException where a size that padding and source tell is another in the result."""
    op.get_irdl_definition().verify(op)
    source, result = op.source.type, op.result.type
    assert isa(source, TensorType[Attribute])
    assert isa(result, TensorType[Attribute])
    low, high = op.static_low.get_values(), op.static_high.get_values()
    ranks = {len(low), len(high), len(source.get_shape()), len(result.get_shape())}
    if len(ranks) != 1:
        raise VerifyException("source, result and both paddings must have as many dimensions")
    if low.count(DYNAMIC_INDEX) != len(op.low) or high.count(DYNAMIC_INDEX) != len(op.high):
        raise VerifyException("each unknown amount of padding takes one operand")
    sizes = zip(low, source.get_shape(), high, result.get_shape(), strict=True)
    for dimension, (*parts, size) in enumerate(sizes):
        if DYNAMIC_INDEX not in (*parts, size) and sum(parts) != size:
            raise VerifyException(
                f"dimension {dimension} of the result must be {sum(parts)} long, not {size}"
            )
