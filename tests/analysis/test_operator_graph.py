import random
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.operator_graph import OperatorGraph
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
T = "tensor<4x4xf32>"


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


def function_of(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp))


def graph_of(body: str, arguments: str = f"%a: {T}, %b: {T}") -> OperatorGraph:
    module = parse(
        f"func.func @main({arguments}) -> {T} {{\n  %e = tensor.empty() : {T}\n{body}\n}}"
    )
    return OperatorGraph.of(function_of(module))


def binary(result: str, name: str, left: str, right: str, out: str = "%e") -> str:
    ins = f"ins({left}, {right} : {T}, {T})"
    return f"  {result} = linalg.{name} {ins} outs({out} : {T}) -> {T}\n"


def matmul(result: str, left: str, right: str) -> str:
    return binary(f"{result}_zero", "add", "%a", "%b") + binary(
        result, "matmul", left, right, f"{result}_zero"
    )


def names(graph: OperatorGraph) -> list[list[str]]:
    return [[op.name for op in operator.operations] for operator in graph.operators]


def test_an_elementwise_operation_takes_over_what_dies():
    # The sum of arguments is folded; the product writes to new room, the last sum works in place.
    graph = graph_of(
        binary("%x", "matmul", "%a", "%b")
        + binary("%y", "matmul", "%x", "%b")
        + binary("%z", "add", "%x", "%y")
        + f"  return %z : {T}"
    )
    assert names(graph) == [["linalg.matmul"], ["linalg.matmul"], ["linalg.add"]]
    x, y, z = (operator.outputs for operator in graph.operators)
    assert [graph.storage_bytes[s] for s in (*x, *y, *z)] == [64, 64, 0]
    # x is read by the second product too, but y only by the sum: the sum lies where y did.
    assert graph.returned == sorted([*y, *z])


def test_a_destination_is_taken_over():
    graph = graph_of(matmul("%x", "%a", "%b") + f"  return %x : {T}")
    # The addition that makes the destination needs only arguments: it is part of the product.
    assert names(graph) == [["linalg.add", "linalg.matmul"]]
    only = graph.operators[0]
    assert only.inputs == []
    assert sum(graph.storage_bytes[s] for s in only.outputs) == 64
    assert only.workspace_bytes == 0


def test_workspace_of_what_is_folded():
    transposed = (
        f"  %t = linalg.transpose ins(%a : {T}) outs(%e : {T}) permutation = [1, 0]\n"
        + binary("%x", "matmul", "%t", "%b")
        + f"  return %x : {T}"
    )
    graph = graph_of(transposed)
    assert names(graph) == [["linalg.transpose", "linalg.matmul"]]
    assert graph.operators[0].workspace_bytes == 64


def test_what_needs_more_room_than_its_reader_has_is_not_folded():
    x, big, w, v, q = (f"tensor<{shape}xf32>" for shape in ("4", "64", "4x64", "64x4", "4x4"))
    function = function_of(
        parse(
            f"func.func @main(%x: {x}, %w: {w}, %v: {v}, %q: {q}) -> {x} {{\n"
            f"  %e = tensor.empty() : {big}\n  %f = tensor.empty() : {x}\n"
            f"  %b = linalg.vecmat ins(%x, %w : {x}, {w}) outs(%e : {big}) -> {big}\n"
            f"  %s = linalg.vecmat ins(%b, %v : {big}, {v}) outs(%f : {x}) -> {x}\n"
            f"  %r = linalg.vecmat ins(%s, %q : {x}, {q}) outs(%f : {x}) -> {x}\n"
            f"  return %r : {x}\n}}"
        )
    )
    # The 256 bytes of %b may come long before %r, which holds 32; %s is where they are read.
    graph = OperatorGraph.of(function)
    assert names(graph) == [["linalg.vecmat"] * 2, ["linalg.vecmat"]]
    assert graph.operators[0].workspace_bytes == 256


def test_assertions_have_no_order_of_their_own():
    assertion = '  cf.assert %ok, "one"\n'
    call = "  func.call @log() : () -> ()\n"
    for body, ordered in ((assertion * 2, 0), (assertion * 2 + call, 3)):
        module = parse(
            f"func.func @main(%ok: i1, %a: {T}) -> {T} {{\n{body}  return %a : {T}\n}}\n"
            "func.func private @log() -> ()"
        )
        graph = OperatorGraph.of(function_of(module))
        assert sum(operator.keeps_order for operator in graph.operators) == ordered


def test_a_fill_belongs_to_its_reader():
    filled = (
        "  %c = arith.constant 0.0 : f32\n"
        f"  %f = linalg.fill ins(%c : f32) outs(%e : {T}) -> {T}\n"
        + binary("%x", "matmul", "%a", "%b", "%f")
        + binary("%y", "matmul", "%x", "%b", "%f")
        + f"  return %y : {T}"
    )
    graph = graph_of(filled)
    # Both need only arguments at first; the second is the only reader of the first.
    assert names(graph) == [["linalg.matmul", "linalg.matmul"]]
    # x dies in the second product, whose result is the output: 2 * 64 live, 64 of it workspace.
    assert graph.operators[0].workspace_bytes == 64


def test_views_are_their_source():
    flat = "tensor<16xf32>"
    graph = graph_of(
        binary("%x", "matmul", "%a", "%b")
        + f"  %v = tensor.collapse_shape %x [[0, 1]] : {T} into {flat}\n"
        + f"  %w = tensor.expand_shape %v [[0, 1]] output_shape [4, 4] : {flat} into {T}\n"
        + binary("%y", "matmul", "%w", "%w")
        + binary("%z", "matmul", "%x", "%y")
        + f"  return %z : {T}"
    )
    first, second, third = graph.operators
    assert second.inputs == first.outputs
    assert third.inputs == sorted([*first.outputs, *second.outputs])


def test_dead_results_need_no_room():
    graph = graph_of(binary("%x", "add", "%a", "%b") + f"  return %a : {T}")
    assert [graph.storage_bytes[s] for s in graph.operators[0].outputs] == [0]


def test_a_dynamic_size_is_refused():
    body = (
        "  %n = arith.constant 4 : index\n  %d = tensor.empty(%n) : tensor<?xf32>\n"
        "  %x = linalg.exp ins(%d : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>\n"
        f"  return %a : {T}"
    )
    with pytest.raises(
        ValueError,
        match=r"linalg\.exp' \(operation 4 of @main\): its size is known at run time only",
    ):
        graph_of(body)


def random_order(graph: OperatorGraph, seed: int) -> list[int]:
    generator = random.Random(seed)
    maker = {s: i for i, operator in enumerate(graph.operators) for s in operator.outputs}
    waits = {i: {maker[s] for s in o.inputs} for i, o in enumerate(graph.operators)}
    order: list[int] = []
    while waits:
        ready = [i for i, needed in waits.items() if not needed]
        chosen = generator.choice(ready)
        order.append(chosen)
        del waits[chosen]
        for needed in waits.values():
            needed.discard(chosen)
    return order


@pytest.mark.needs_mlir
@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_computes_the_same(seed: int):
    text = (EXAMPLES / "squeezenet1_1.mlir").read_text()
    module = parse(text)
    graph = OperatorGraph.of(function_of(module))
    graph.reorder(random_order(graph, seed))
    module.verify()
    assert str(module) != str(parse(text))
    compare_modules(text, str(module))


def test_who_needs_an_element_comes_after_who_reads_it():
    graph = graph_of(
        binary("%x", "add", "%a", "%b")
        + matmul("%y", "%a", "%b")
        + "  %i = arith.constant 0 : index\n"
        + f"  %s = tensor.extract %y[%i, %i] : {T}\n"
        + "  %t = arith.negf %s : f32\n"
        + f"  %z = tensor.insert %t into %x[%i, %i] : {T}\n"
        + f"  func.return %z : {T}"
    )
    parts = [[op.name for op in operator.operations] for operator in graph.operators]
    extract = next(i for i, part in enumerate(parts) if "tensor.extract" in part)
    insert = next(i for i, part in enumerate(parts) if "tensor.insert" in part)
    assert graph.edges == [(extract, insert)]
