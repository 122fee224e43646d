"""Operators and tensors between them, and which tensors may share room."""

from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.tensor_graph import TensorGraph
from xdsl_memplan.analysis.traffic_graph import Parts, has_choice, traffic_graph
from xdsl_memplan.model.graph import Graph
from xdsl_memplan.native.context import full_context

T, P, W = "tensor<4x4xf32>", "tensor<8x4xf32>", "tensor<4x4xf32>"


def tensors_of(body: str, returned: str, kind: str) -> TensorGraph:
    text = (
        f"func.func @main(%x: {T}, %w: {W}) -> {kind} {{\n%e = tensor.empty() : {T}\n"
        f"%c = arith.constant 0.0 : f32\n"
        f"%z = linalg.fill ins(%c : f32) outs(%e : {T}) -> {T}\n{body}"
        f"func.return {returned} : {kind}\n}}"
    )
    module = Parser(full_context(), text).parse_module()
    return TensorGraph.of(next(op for op in module.ops if isinstance(op, FuncOp)))


def graph(body: str, returned: str, kind: str, parts: Parts = Parts.MOVE_INSIDE) -> Graph:
    return traffic_graph(tensors_of(body, returned, kind), 1, parts)


def matmul(result: str, source: str) -> str:
    return f"{result} = linalg.matmul ins({source}, %w : {T}, {W}) outs(%z : {T}) -> {T}\n"


def add(result: str, left: str, right: str) -> str:
    return f"{result} = linalg.add ins({left}, {right} : {T}, {T}) outs(%e : {T}) -> {T}\n"


PAD = (
    "%p = tensor.pad %a low[2, 0] high[2, 0] {\n^bb0(%i: index, %j: index):\n"
    f"tensor.yield %c : f32\n}} : {T} to {P}\n"
)
READ_PAD = (
    f"%ep = tensor.empty() : {P}\n%q = linalg.exp ins(%p : {P}) outs(%ep : {P}) -> {P}\n"
    f"%s = tensor.extract_slice %q[0, 0] [4, 4] [1, 1] : {P} to {T}\n"
)


def test_an_addition_needs_two_tensors_at_once():
    found = graph(matmul("%a", "%x") + matmul("%b", "%a") + add("%y", "%a", "%b"), "%y", T)
    # %a, %b and %y of 64 bytes; %y is written over %a or %b.
    assert found.operators[2].overwrites == ((2, 0), (2, 1))
    assert [found.least_footprint(i) for i in range(3)] == [64, 128, 128]
    assert found.largest_footprint == 128


def test_a_product_is_not_written_over_what_it_reads():
    found = graph(matmul("%a", "%x") + matmul("%b", "%a"), "%b", T)
    assert all(not operator.overwrites for operator in found.operators)


def test_a_sum_over_one_operand_twice_reads_both_before_it_writes():
    found = graph(matmul("%a", "%x") + matmul("%b", "%a") + add("%y", "%b", "%b"), "%y", T)
    assert found.operators[-1].overwrites == ((2, 1),)


def test_what_needs_nothing_runs_with_its_only_reader():
    found = graph(
        matmul("%a", "%x") + matmul("%b", "%a") + matmul("%l", "%x") + add("%y", "%b", "%l"),
        "%y",
        T,
    )
    # %a with %b, and %l, which is no tensor between operators, with the sum.
    assert len(found.operators) == 2
    assert found.tensors[2].kind == "input"


def test_a_pad_may_have_its_source_inside():
    body = matmul("%a", "%x") + PAD + READ_PAD
    for parts in (Parts.MOVE_INSIDE, Parts.COME_BACK_INSIDE):
        found = graph(body + add("%y", "%s", "%x"), "%y", T, parts)
        assert found.least_footprint(1) == 128
        assert found.operators[1].reloads == (parts is Parts.COME_BACK_INSIDE)


def test_what_lives_on_in_a_pad_takes_its_bytes_only():
    body = matmul("%a", "%x") + PAD + READ_PAD + add("%y", "%s", "%a")
    assert has_choice(tensors_of(body, "%y", T))
    found = graph(body, "%y", T, Parts.LIE_INSIDE)
    # The pad is 64 bytes besides %a; who reads it reads both.
    assert [tensor.size for tensor in found.tensors[:2]] == [64, 64]
    assert sorted(found.operators[2].inputs) == [0, 1]
    assert graph(body, "%y", T).least_footprint(1) == 128


ELEMENT = (
    "%i = arith.constant 0 : index\n"
    f"%s = tensor.extract %a[%i, %i] : {T}\n%t = arith.addf %s, %c : f32\n"
)


def test_who_needs_an_element_comes_after_who_reads_it():
    body = matmul("%a", "%x") + ELEMENT + f"%r = tensor.insert %t into %x[%i, %i] : {T}\n"
    found = graph(body, "%r", T)
    # The product is folded into its only reader.
    assert [operator.id for operator in found.operators] == ["tensor.extract 0", "tensor.insert 1"]
    assert list(found.edges) == [(0, 1)]


def test_who_makes_a_number_is_not_run_later():
    """%b needs nothing and has one reader, but its number is needed before."""
    body = (
        f"%t = arith.constant true\n%b, %n = scf.if %t -> ({T}, index) {{\n"
        f"%i = arith.constant 1 : index\nscf.yield %x, %i : {T}, index\n}} else {{\n"
        f"%i = arith.constant 0 : index\nscf.yield %w, %i : {T}, index\n}}\n"
        + matmul("%a", "%x")
        + f"%k = tensor.insert %c into %a[%n, %n] : {T}\n"
        + add("%y", "%b", "%k")
    )
    found = graph(body, "%y", T)
    assert [operator.kind for operator in found.operators] == [
        "scf.if",
        "tensor.insert",
        "linalg.add",
    ]
    assert list(found.edges) == [(0, 1)]
