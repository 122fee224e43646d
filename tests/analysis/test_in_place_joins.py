"""Operators are joined with what they change in place, where that costs nothing."""

from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.in_place_joins import join_in_place
from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.analysis.schedule_graph import traffic_graph
from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.native.context import full_context

SMALL, LARGE, W = "tensor<16xf32>", "tensor<64xf32>", "tensor<16x64xf32>"


def joined(body: str, returned: str) -> Graph:
    text = (
        f"func.func @main(%x: {SMALL}, %w: {W}, %v: tensor<64x16xf32>,"
        f" %in: tensor<16x256xf32>, %out: tensor<256x64xf32>) -> {LARGE} {{\n"
        f"%e = tensor.empty() : {LARGE}\n%es = tensor.empty() : {SMALL}\n{body}"
        f"func.return {returned} : {LARGE}\n}}"
    )
    module = Parser(full_context(), text).parse_module()
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    graph = join_in_place(OperatorGraph.of(function))
    return traffic_graph(graph, TensorGraph.of(graph))


def vecmat(result: str, source: str, kind: str, weights: str, weights_type: str, made: str) -> str:
    empty = "%e" if made == LARGE else "%es"
    return (
        f"{result} = linalg.vecmat ins({source}, {weights} : {kind}, {weights_type})"
        f" outs({empty} : {made}) -> {made}\n"
    )


def add(result: str, left: str, right: str) -> str:
    return (
        f"{result} = linalg.add ins({left}, {right} : {LARGE}, {LARGE}) outs(%e : {LARGE})"
        f" -> {LARGE}\n"
    )


RESIDUAL = (
    vecmat("%skip", "%x", SMALL, "%w", W, LARGE)
    + vecmat("%small", "%skip", LARGE, "%v", "tensor<64x16xf32>", SMALL)
    + vecmat("%wide", "%small", SMALL, "%w", W, LARGE)
)


def test_a_residual_addition_joins_the_product_before_it():
    graph = joined(RESIDUAL + add("%y", "%wide", "%skip"), "%y")
    assert len(graph.operators) == 3
    # 64 bytes of %small, and 256 each of %skip and %y; alone the addition needs three times 256.
    assert graph.largest_footprint == 64 + 256 + 256


def test_nothing_joins_what_others_read():
    graph = joined(RESIDUAL + add("%y", "%wide", "%wide") + add("%z", "%y", "%wide"), "%z")
    # The second addition is written over the first; both read %wide, which stays a tensor. What
    # comes before it has one reader each, and is one operator already.
    assert [operator.inputs for operator in graph.operators] == [(), (0,)]


def test_nothing_joins_where_more_would_have_to_be_there():
    big = "tensor<256xf32>"
    body = (
        RESIDUAL.replace(vecmat("%wide", "%small", SMALL, "%w", W, LARGE), "")
        + f"%eb = tensor.empty() : {big}\n"
        + f"%b = linalg.vecmat ins(%small, %in : {SMALL}, tensor<16x256xf32>) outs(%eb : {big})"
        + f" -> {big}\n"
        + vecmat("%wide", "%b", big, "%out", "tensor<256x64xf32>", LARGE)
    )
    graph = joined(body + add("%y", "%wide", "%skip"), "%y")
    # Together the last two would need 1024 + 256 + 256 bytes, one after the other 1024 + 256.
    assert len(graph.operators) == 5
    assert graph.largest_footprint == 1024 + 256
