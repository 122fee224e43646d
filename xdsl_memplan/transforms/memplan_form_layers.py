"""Numbers the layers of a network: what is computed together whatever else is split."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, Use
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.block_order import arrange
from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.analysis.layers import form_layers
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.looked_up_near import accesses_near
from xdsl_memplan.analysis.returned_concats import returned_concats
from xdsl_memplan.analysis.side_effects import only_asserts
from xdsl_memplan.analysis.split_graph import LAYER, FunctionSplitGraph
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import shown_by
from xdsl_memplan.dialects.tiling_models.looked_up import note_table_accesses, tables
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.transforms.bufferize.unread import drop_unread
from xdsl_memplan.transforms.concats_of_readers import give_each_reader_its_own, share_in_layers
from xdsl_memplan.transforms.empty_tensors import drop_empty_tensors
from xdsl_memplan.transforms.inserted_ranks import insert_whole_ranks
from xdsl_memplan.transforms.inserted_scalars import insert_slices_of_one_element
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.results_apart import take_results_apart
from xdsl_memplan.transforms.returned_constants import copy_returned_constants
from xdsl_memplan.transforms.scalars_in_tensors import put_scalars_into_tensors
from xdsl_memplan.transforms.slices_at_run_time import write_slices_at_run_time
from xdsl_memplan.transforms.unread import erase_unread


@dataclass(frozen=True)
class MemplanFormLayersPass(ModulePass):
    """Number the layers of a network: what is computed together whatever else is split.

    Before:

    ```mlir
    %p = tensor.pad %x ... : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
    %c = linalg.conv_2d_nchw_fchw ins(%p, %w : ...) outs(%f : ...) -> tensor<1x4x8x8xf32>
    %r = linalg.exp ins(%c : ...) outs(%e : ...) -> tensor<1x4x8x8xf32>
    %m = linalg.pooling_nchw_max ins(%r, %k : ...) outs(%g : ...) -> tensor<1x4x4x4xf32>
    ```

    After:

    ```mlir
    %p = tensor.pad %x ... {memplan.layer = 0 : i64} : ...
    %c = linalg.conv_2d_nchw_fchw {memplan.layer = 0 : i64} ins(%p, %w : ...) ...
    %r = linalg.exp {memplan.layer = 0 : i64} ins(%c : ...) ...
    %m = linalg.pooling_nchw_max {memplan.layer = 1 : i64} ins(%r, %k : ...) ...
    ```

    A layer is an anchor, which is an operation that reduces (contraction, pooling, sum), with the
    elementwise chain behind it. Pads, reshapes, slices, concatenations, and arithmetic on weights
    go with the layer that reads them. The reductions of a softmax or a normalisation are one layer
    with what is between them, but a sum over all of more than 1024 elements is one of its own: what
    is scaled by it needs all of it in each tile. What several layers read and none makes is a
    layer, and so is an operation without a `TilingTrait` or with a dynamic offset.

    Tiles of one result say nothing about another that is not on the way to it: so results of a
    layer that do not lead to each other are layers of their own. A view that several layers read
    is copied for each, as views cost nothing.

    Scalars that the function takes out of tensors become tensors of rank 0 first, if what reads
    them reads elements as well: generics, fills, splats and pads. Of what is returned the element
    is taken out at the end, and has no layer. What reads a tensor without an element does without
    it. Scalars that are inserted into tensors become slices of one element. What is inserted into a
    tensor of higher rank gets that rank. Constants and fills that are returned are copied. A
    `linalg.generic` whose results have different maps becomes one for each map.

    Operations move so that each layer is a run of them and the numbers ascend; else their order
    stays. What computes and is read by nobody is erased. Constants, fills and empty tensors have no
    layer and stand before the first who uses them. Old numbers are overwritten.

    Options:

    - `longest-norm` (0): bytes that a softmax or normalisation may reduce to one element for being
      one layer. Longer ones are a layer for each reduction, and for what reads it beside the
      elements: more is moved, but not even one row must fit. 0: any is one layer.

    - `turned-apart` (false): what a contraction reads is a layer of its own if it is made of a
      tensor and of the same tensor with elements moved, as by a rotary embedding. It is stored
      once, and a contraction that reads it several times fetches less.

    - `store-parts` (false): a concatenation that is only returned has no layer, where every part is
      computed here: each is stored where it lies in the result. For groups whose results go off
      chip.

    - `largest-concat` (0): bytes of a concatenation that is put together once, though several
      layers read it. Of a larger one each puts together what it reads: so its parts are stored as
      they are made, and none is fetched only to be stored beside others. 0: any is put together
      once.

    Requires nothing. Functions with several blocks, tensors of dynamic shape, or effects other than
    assertions are left alone.
    """

    name = "memplan-form-layers"

    longest_norm: int = 0
    turned_apart: bool = False
    store_parts: bool = False
    largest_concat: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Number the layers of every function of the module ``op``; linear in its operations.

        Raises PassFailedException for a number of bytes that is less than 0.
        """
        sizes = {"longest-norm": self.longest_norm, "largest-concat": self.largest_concat}
        for option, size in sizes.items():
            if size < 0:
                raise PassFailedException(
                    f"memplan-form-layers: option {option}={size} is less than 0"
                )
        for function in operations_in(op):
            if isinstance(function, FuncOp) and function.body.blocks:
                _form(function, self)


def why_left_alone(function: FuncOp) -> str | None:
    """Say why a function with a body has no layers; None if that is for its tensors, if at all."""
    if len(function.body.blocks) != 1:
        return "it has branches between blocks"
    block = function.body.block
    for op in block.ops:
        if op is not block.last_op and not only_asserts(op):
            return f"{describe_op(op)} may do more than compute tensors"
    return None


def _form(function: FuncOp, options: MemplanFormLayersPass) -> None:
    if len(function.body.blocks) != 1:
        return
    block = function.body.block
    if not all(op is block.last_op or only_asserts(op) for op in block.ops):
        return
    drop_empty_tensors(block)
    take_results_apart(block)
    insert_slices_of_one_element(block)
    write_slices_at_run_time(block)
    put_scalars_into_tensors(block)
    insert_whole_ranks(block)
    copy_returned_constants(block)
    erase_unread(function)  # What a body computes in vain reads nothing.
    drop_unread(function)
    erase_unread(function)
    _note_lookups(block)
    put_together = returned_concats(block) if options.store_parts else []
    largest = options.largest_concat
    copies = give_each_reader_its_own(block, largest) if largest else []
    try:
        split = FunctionSplitGraph.of(function, put_together)
    except ValueError:
        share_in_layers(copies)  # None has a layer.
        return
    for op in put_together:
        op.attributes.pop(LAYER, None)
    layers = form_layers(split.graph, options.longest_norm or None, options.turned_apart)
    for op, layer in zip(split.operations, layers, strict=True):
        op.attributes[LAYER] = IntegerAttr(layer, i64)
    shared = share_in_layers(copies)
    order: list[tuple[int, int, Operation]] = []
    for position in reversed(range(len(layers))):
        op = split.operations[position]
        if op in shared:
            continue
        if split.graph.ops[position].view:
            order += [(layer_of(copy), position, copy) for copy in _views_where_read(op)]
        else:
            order.append((layers[position], position, op))
    order.sort(key=lambda entry: entry[:2])
    arrange(block, (op for _, _, op in order))


def _note_lookups(block: Block) -> None:
    """Write down which elements of tables are looked up, where that can be known beforehand.

    Later it cannot: what computes indices may be in tiles by then.
    """
    known = (KnownNumbers(), KnownNumbers(wide=True))
    for op in block.ops:
        if type(op) is GenericOp and any(True for _ in tables(op)):
            rule = tiling_rule_of(op)
            if rule is not None:
                note_table_accesses(op, accesses_near(op, rule.loops, known))


def _views_where_read(view: Operation) -> list[Operation]:
    """Give each layer that reads a view one of its own; views cost nothing.

    So a group fetches the view, whatever shape the tensor had where it was made. What is returned
    is made where the tensor was that it shows.
    """
    block = view.parent
    assert block is not None
    maker = shown_by(view.results[0]).owner
    made_in = layer_of(maker) if isinstance(maker, Operation) else -1
    if made_in < 0:  # It shows what no layer makes.
        made_in = layer_of(view)
    readers: dict[tuple[int, bool], list[Use]] = {}
    for result in view.results:
        for use in result.uses:
            top = block.find_ancestor_op_in_block(use.operation)
            assert top is not None
            is_returned = top.has_trait(IsTerminator, value_if_unregistered=False)
            layer = made_in if is_returned else layer_of(top)
            readers.setdefault((layer, is_returned), []).append(use)
    if not readers or any(layer < 0 for layer, _ in readers):
        return [view]
    views: list[Operation] = []
    for (layer, _), uses in sorted(readers.items(), key=lambda entry: entry[0]):
        copy = view if not views else view.clone()
        copy.attributes[LAYER] = IntegerAttr(layer, i64)
        if views:
            block.insert_op_after(copy, views[-1])
            for use in uses:
                index = view.results.index(use.operation.operands[use.index])
                use.operation.operands[use.index] = copy.results[index]
        views.append(copy)
    return views
