"""Computes the elements of a batch one after another, each through all layers."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import InsertSliceOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.split_graph import LAYER
from xdsl_memplan.analysis.trait_answers import WrongAnswerError
from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.groups import ON_CHIP, SPLIT, GroupOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.model.needed_work import needed_work
from xdsl_memplan.model.split_graph import SplitGraph
from xdsl_memplan.scheduling.splitting import GivenCut, GivenGroup, SplitMachine
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import group_function
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles
from xdsl_memplan.transforms.slices_taken_once import take_slices_once

LARGEST_BATCH = 64
"""What is computed for more elements is no batch of images or sequences, but rows of a matrix."""

_NO_LIMITS = SplitMachine(None, alignment=1)


@dataclass(frozen=True)
class MemplanLoopOverBatchPass(ModulePass):
    """Compute the elements of a batch one after another, each through all layers.

    Before:

    ```mlir
    func.func @main(%x: tensor<4x8x64xf32>, %w: tensor<8x64xf32>) -> tensor<4x8x64xf32> {
      %e = tensor.empty() : tensor<4x8x64xf32>
      %y = linalg.exp ins(%x : ...) outs(%e : ...) -> tensor<4x8x64xf32>
      ...
      return %z : tensor<4x8x64xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4x8x64xf32>, %w: tensor<8x64xf32>) -> tensor<4x8x64xf32> {
      %r = tensor.empty() : tensor<4x8x64xf32>
      %z = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %r) -> (tensor<4x8x64xf32>) {
        %xi = tensor.extract_slice %x[%i, 0, 0] [1, 8, 64] [1, 1, 1] : ... to tensor<1x8x64xf32>
        %e = tensor.empty() : tensor<1x8x64xf32>
        %y = linalg.exp ins(%xi : ...) outs(%e : ...) -> tensor<1x8x64xf32>
        ...
        %t = tensor.insert_slice %zi into %s[%i, 0, 0] [1, 8, 64] [1, 1, 1] : ...
        scf.yield %t : tensor<4x8x64xf32>
      }
      return %z : tensor<4x8x64xf32>
    }
    ```

    What is between the layers is then that of one element: it may stay on chip where that of all
    would not. In tiles of a batch each group goes through all elements before the next begins.

    A function is changed if all its results have the same first dimension, of 2 to 64. What needs
    the whole batch, as its mean does, is computed before the loop. No multiply-adds are done twice:
    where elements share them, as rows of a convolution do, the function stays as it is. Options:
    none.

    Requires tensor IR; functions with loops, branches or calls stay as they are.
    """

    name = "memplan-loop-over-batch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Make the loops in all functions of the module ``op``.

        Raises RefutedTiles or WrongAnswerError if a client's operation answers wrongly.
        """
        for function in operations_in(op):
            if isinstance(function, FuncOp) and (batch := batch_of(function)):
                looped = _looped(ctx, function, batch)
                if looped is not None:
                    Rewriter.replace_op(function, looped)


def batch_of(function: FuncOp) -> int:
    """The first dimension of all results; 0 if they differ, or if that is no batch."""
    if len(function.body.blocks) != 1:
        return 0
    last = function.body.block.last_op
    sizes = set(map(_first_dimension, last.operands)) if last is not None else set[int]()
    batch = sizes.pop() if len(sizes) == 1 else 0
    return batch if 2 <= batch <= LARGEST_BATCH else 0


def _first_dimension(value: SSAValue) -> int:
    shape = value.type.get_shape() if isinstance(value.type, ShapedType) else ()
    return shape[0] if shape else 0


def _looped(ctx: Context, function: FuncOp, batch: int) -> FuncOp | None:
    """A copy of a function with a loop around all its layers; None if there is no such loop."""
    module = ModuleOp([copy := copied_operation(function)])
    needed = 0

    def all_layers(graph: SplitGraph) -> Sequence[GivenGroup]:
        nonlocal needed
        needed = needed_work(graph)
        last = max(op.layer for op in graph.ops)
        return [GivenGroup(0, last, ((GivenCut(0, batch, cached=False),),))]

    try:
        MemplanFormLayersPass().apply(ctx, module)
        group_function(copy, _NO_LIMITS, "peak", ON_CHIP, 1, all_layers)
        groups = [op for op in copy.body.block.ops if isinstance(op, GroupOp)]
        if [group.cost.cost.tiles for group in groups] != [batch]:
            return None
        # Groups that are given may do more than the machine allows.
        if groups[0].cost.cost.work > needed:
            return None
        MemplanExpandGroupsPass(emit="loop").apply(ctx, module)
    except (RefutedTiles, WrongAnswerError):
        raise
    except PassFailedException:
        return None
    loops = [op for op in copy.body.block.ops if isinstance(op, scf.ForOp)]
    if len(loops) != 1:
        return None
    body = loops[0].body.block
    take_slices_once(body)
    _insert_last(body)
    for op in operations_in(copy):
        op.attributes.pop(LAYER, None)
    copy.attributes.pop(SPLIT, None)
    copy.detach()
    return copy


def _insert_last(body: Block) -> None:
    """Put results into those of the batch when all of them are there: layers stay together."""
    last = body.last_op
    assert last is not None
    for op in list(body.ops):
        if isinstance(op, InsertSliceOp) and all(use.operation is last for use in op.result.uses):
            op.detach()
            body.insert_op_before(op, last)
