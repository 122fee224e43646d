"""Layers run in another order than that of the file."""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block

from xdsl_memplan.analysis.block_order import arrange
from xdsl_memplan.analysis.split_graph import LAYER, FunctionSplitGraph
from xdsl_memplan.model.split_graph import positions_in_order


def bring_layers_into_order(
    block: Block, split: FunctionSplitGraph, layers: Sequence[int]
) -> FunctionSplitGraph:
    """Move the operations of layers, so that these have the order given, and number them anew.

    Nothing moves if they have it. Linear, but for sorting. Returns the split graph of the block as
    it is then.
    """
    if list(layers) == sorted(layers):
        return split
    positions = positions_in_order(split.graph, layers)
    places = {layer: place for place, layer in enumerate(layers)}
    operations = tuple(split.operations[position] for position in positions)
    ops = tuple(split.graph.ops[position] for position in positions)
    ops = tuple(replace(op, layer=places[op.layer]) for op in ops)
    for operation, op in zip(operations, ops, strict=True):
        operation.attributes[LAYER] = IntegerAttr(op.layer, i64)
    arrange(block, operations)
    return replace(split, graph=replace(split.graph, ops=ops), operations=operations)
