"""Operations in forms of their own, as those that the other passes know."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.bufferization import AllocTensorOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp, ReduceOp
from xdsl.dialects.scf import ExecuteRegionOp
from xdsl.dialects.tensor import CastOp, EmptyOp, PadOp, ReshapeOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.linalg_additions.elementwise import ElementwiseOp
from xdsl_memplan.dialects.linalg_additions.map import MapOp
from xdsl_memplan.dialects.linalg_additions.packing import PackOp, UnpackOp
from xdsl_memplan.dialects.linalg_additions.softmax import SoftmaxOp, decomposed
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.scf_additions import ForallOp
from xdsl_memplan.dialects.tensor_additions import BitcastOp, GenerateOp, RankOp
from xdsl_memplan.dialects.tensor_gather import GatherOp, ScatterOp
from xdsl_memplan.transforms.as_generic import (
    bitcast_as_generic,
    generate_as_generic,
    hand_over,
    map_as_generic,
    reduce_as_generic,
    structured_as_generic,
)
from xdsl_memplan.transforms.casts_back import read_before_casts
from xdsl_memplan.transforms.forall_as_loops import forall_as_loops
from xdsl_memplan.transforms.gathers import gather_as_generic, scatter_as_loops
from xdsl_memplan.transforms.index_as_arith import IN_INDEX, index_as_arith
from xdsl_memplan.transforms.known_padding import write_known_padding
from xdsl_memplan.transforms.known_shapes import write_known_shapes
from xdsl_memplan.transforms.named_again import named_again
from xdsl_memplan.transforms.narrowed_operands import take_out_narrowed
from xdsl_memplan.transforms.packs_as_views import packed, unpacked
from xdsl_memplan.transforms.padding_value import compute_padding_before
from xdsl_memplan.transforms.regions_run_once import inline_region
from xdsl_memplan.transforms.scalar_inputs import keep_shapes_only, reads_scalar, sums_scalar
from xdsl_memplan.transforms.static_reshape import write_as_views


@dataclass(frozen=True)
class MemplanGeneralizeOpsPass(ModulePass):
    """Write operations with forms of their own as `linalg.generic`.

    They are `linalg.map`, `linalg.elementwise`, `linalg.softmax` and `tensor.generate`. So are
    operations with a name that read a tensor of one scalar everywhere (products with ones):
    a generic one reads the scalar, and no tensor is filled for it; where only this operand tells
    how often a loop runs, as a filter does, an empty one stays. Padding by constants is written in
    the `tensor.pad`, whose value is computed before it, and a `bufferization.alloc_tensor` that
    copies nothing and names no memory is a `tensor.empty`. A `tensor.reshape` between static shapes
    is a `tensor.collapse_shape`, a `tensor.expand_shape`, or one after the other, and a
    `tensor.cast` to another type and back is none. A `linalg.pack` is padding, an expanded shape
    and a transpose, a `linalg.unpack` the reverse. What is in a `scf.execute_region` of one block
    takes its place, and a `scf.forall` is loops one within another. A `tensor.gather` looks its
    elements up, and a `tensor.scatter` is loops that insert one slice each. A `tensor.bitcast` is a
    generic `arith.bitcast`, and a `tensor.rank` a number; what the `index` dialect computes,
    `arith` does. Sizes that follow from constants are written in types (`known_shapes.py`), also
    where tiles do not divide what a loop goes along (`loops_of_like_sizes.py`). What a sum makes
    narrower before it adds up is taken out of it (`narrowed_operands.py`), and fills and transposes
    that were made generic have their names again.

    Before:

    ```mlir
    %r = linalg.map { arith.addf } ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>)
        outs(%o : tensor<4x6xf32>)
    ```

    After:

    ```mlir
    %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<4x6xf32>, tensor<4x6xf32>) outs(%o : tensor<4x6xf32>) {
    ^bb0(%x: f32, %y: f32, %out: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<4x6xf32>
    ```

    A softmax becomes four operations and two fills, those that MLIR 22 takes it apart into: the
    greatest element of each row, the exponentials of the differences, their sum, the quotients.
    They have tiles and are planned like anything else; MLIR has no pass that lowers the softmax.
    The same scalars are computed in the same order. Options: none.

    Requires nothing; a softmax on memrefs or of dynamic shape is left alone, and so is packing of
    dynamic shape.
    """

    name = "memplan-generalize-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the whole module ``op``; linear in its operations."""
        for inner in operations_in(op):
            if type(inner) is ForallOp:
                forall_as_loops(inner)
            elif type(inner) in IN_INDEX:
                index_as_arith(inner)
        write_known_shapes(op)
        uniforms = Uniforms()
        for inner in operations_in(op):
            if type(inner) is GenericOp:
                inner = named_again(inner) or take_out_narrowed(inner)
            if isinstance(inner, MapOp):
                map_as_generic(inner)
            elif isinstance(inner, GenerateOp):
                generate_as_generic(inner)
            elif isinstance(inner, ElementwiseOp):
                structured_as_generic(inner)
            elif isinstance(inner, LinalgStructuredOperation) and reads_scalar(inner, uniforms):
                keep_shapes_only(structured_as_generic(inner), uniforms)
            elif isinstance(inner, ReduceOp) and sums_scalar(inner, uniforms):
                keep_shapes_only(reduce_as_generic(inner), uniforms)
            elif isinstance(inner, AllocTensorOp) and _is_room(inner):
                room = EmptyOp(inner.dynamic_sizes, cast(TensorType[Attribute], inner.tensor.type))
                Rewriter.replace_op(inner, room)
            elif isinstance(inner, ExecuteRegionOp) and len(inner.region.blocks) == 1:
                inline_region(inner)
            elif isinstance(inner, BitcastOp) and is_static_tensor(inner.dest):
                bitcast_as_generic(inner)
            elif isinstance(inner, GatherOp) and is_static_tensor(inner.result):
                gather_as_generic(inner)
            elif isinstance(inner, ScatterOp) and is_static_tensor(inner.source):
                scatter_as_loops(inner)
            elif isinstance(inner, RankOp) and isa(inner.tensor.type, TensorType[Attribute]):
                rank = IntegerAttr(inner.tensor.type.get_num_dims(), IndexType())
                Rewriter.replace_op(inner, ConstantOp(rank))
            elif isinstance(inner, PadOp):
                compute_padding_before(inner)
                write_known_padding(inner)
            elif isinstance(inner, CastOp):
                read_before_casts(inner)
            elif isinstance(inner, ReshapeOp):
                write_as_views(inner)
            elif isinstance(inner, SoftmaxOp) and is_static_tensor(inner.output):
                _take_apart(inner, partial(decomposed, inner))
            elif isinstance(inner, PackOp):
                _take_apart(inner, partial(packed, inner))
            elif isinstance(inner, UnpackOp):
                _take_apart(inner, partial(unpacked, inner))


def _is_room(op: AllocTensorOp) -> bool:
    """Tell whether an allocation says no more than a shape; where it is, a plan says."""
    says_more = op.copy is not None or op.size_hint is not None or op.attributes
    return not says_more and isinstance(op.tensor.type, TensorType)


def _take_apart(op: Operation, build: Callable[[Builder], SSAValue | None]) -> None:
    """Put what is built in the place of an operation; nothing is built if it stays."""
    block = op.parent
    assert block is not None
    before = op.prev_op
    result = build(Builder(InsertPoint.before(op)))
    if result is None:
        return
    made = block.first_op if before is None else before.next_op
    while made is not None and made is not op:
        made.location = op.location
        made = made.next_op
    hand_over(op, (result,))
