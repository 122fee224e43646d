"""What stock xDSL's tensor lacks.

| operation             | stock xDSL 0.75                                  | here                 |
|-----------------------|--------------------------------------------------|----------------------|
| generate              | is not there                                     | is                   |
| parallel_insert_slice | is not there                                     | is                   |
| rank                  | is not there                                     | is                   |
| bitcast               | is not there                                     | is                   |
| gather, scatter       | are not there                                    | `tensor_gather.py`   |
| pad                   | wants unknown sizes in a result of known padding | takes a known result |
| expand_shape          | refuses a tensor without dimensions              | takes it             |
"""

from functools import cache

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    AnyTensorTypeConstr,
    AnyUnrankedTensorTypeConstr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.dialects.tensor import ExpandShapeOp, PadOp, YieldOp
from xdsl.dialects.utils import DynamicIndexList
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.extended_dialect import with_operations
from xdsl_memplan.dialects.tensor_gather import GatherOp, ScatterOp


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """`tensor.generate` of MLIR 22: its body makes each element from the indices of its place."""

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def(TensorType[Attribute])

    assembly_format = "$dynamic_extents $body attr-dict `:` type($result)"
    traits = traits_def(RecursiveMemoryEffect(), SingleBlockImplicitTerminator(YieldOp))

    def verify_(self) -> None:
        """An operand for each unknown size; a body that takes indices and yields an element.

        Raises VerifyException.
        """
        type_ = self.result.type
        shape = type_.get_shape()
        if shape.count(DYNAMIC_INDEX) != len(self.dynamic_extents):
            raise VerifyException("each unknown size of the result takes one operand")
        block = self.body.block
        indices = [argument.type for argument in block.args]
        if len(indices) != len(shape) or not all(isinstance(of, IndexType) for of in indices):
            raise VerifyException("the body takes an index for each dimension of the result")
        yielded = block.last_op
        if not isinstance(yielded, YieldOp) or [*yielded.operand_types] != [type_.element_type]:
            raise VerifyException(f"the body must yield {type_.element_type}")


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """What an iteration of `scf.forall` inserts into a shared tensor."""

    name = "tensor.parallel_insert_slice"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def()

    assembly_format = (
        "$source `into` $dest ``"
        "custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes)"
        "custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )
    custom_directives = (DynamicIndexList,)

    def verify_(self) -> None:
        """As many numbers of each kind as the tensor has dimensions.

        Raises VerifyException.
        """
        type_ = self.dest.type
        assert isa(type_, TensorType[Attribute])
        rank = type_.get_num_dims()
        for known, values in (
            (self.static_offsets.get_values(), self.offsets),
            (self.static_sizes.get_values(), self.sizes),
            (self.static_strides.get_values(), self.strides),
        ):
            if len(known) != rank or known.count(DYNAMIC_INDEX) != len(values):
                raise VerifyException(f"offsets, sizes and strides are {rank} numbers each")


@irdl_op_definition
class RankOp(IRDLOperation):
    """The number of dimensions of a tensor."""

    name = "tensor.rank"

    tensor = operand_def(AnyTensorTypeConstr | AnyUnrankedTensorTypeConstr)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    assembly_format = "attr-dict $tensor `:` type($tensor)"


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The same bits as elements of another type of the same width."""

    name = "tensor.bitcast"

    source = operand_def(TensorType[Attribute])
    dest = result_def(TensorType[Attribute])

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        """One shape, and elements of one width.

        Raises VerifyException.
        """
        source, dest = self.source.type, self.dest.type
        assert isa(source, TensorType[Attribute])
        assert isa(dest, TensorType[Attribute])
        if source.get_shape() != dest.get_shape():
            raise VerifyException("both tensors must have one shape")
        if _bits(source) != _bits(dest):
            raise VerifyException("elements of both must have as many bits")


def _bits(type_: TensorType[Attribute]) -> int | None:
    element = type_.element_type
    known = isinstance(element, IntegerType | AnyFloat)
    return element.bitwidth if known else None


@cache
def accept_padding_of_known_results() -> None:
    """Have `tensor.pad` verified as in MLIR; a second call has no effect.

    Stock xDSL 0.75 wants as many unknown sizes in the result as there are in the padding. MLIR lets
    a result say more than its padding, and `tosa-to-tensor` prints such: constants as operands, and
    a result of static shape.
    """
    setattr(PadOp, "verify_", _verify)


@cache
def accept_views_of_scalars() -> None:
    """Have `tensor.expand_shape` take a tensor of no dimensions; a second call has no effect.

    It becomes one with any number of dimensions of size 1. No dimension is part of another then,
    so that MLIR writes `[]`, which stock xDSL 0.75 refuses. torch-mlir prints such.
    """
    stock = ExpandShapeOp.verify_

    def verify(op: ExpandShapeOp) -> None:
        source, result = op.src.type, op.result.type
        assert isa(source, TensorType[Attribute])
        is_scalar = not source.get_shape() and not op.reassociation
        is_known = op.static_output_shape.get_values() == result.get_shape()
        if not (is_scalar and is_known and set(result.get_shape()) <= {1}):
            stock(op)

    setattr(ExpandShapeOp, "verify_", verify)


_ADDED = (BitcastOp, GatherOp, GenerateOp, ParallelInsertSliceOp, RankOp, ScatterOp)


def extended_tensor(stock: Dialect) -> Dialect:
    """The dialect `stock` with what is missing; its classes are corrected in place."""
    accept_padding_of_known_results()
    accept_views_of_scalars()
    return with_operations(stock, _ADDED)


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
