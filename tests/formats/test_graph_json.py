import io
import json
from typing import Any

import pytest

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic


def document(**changes: Any) -> dict[str, Any]:
    return {
        "name": "small",
        "tensors": [
            {"id": "x", "bytes": 4, "kind": "input"},
            {"id": "y", "bytes": 8, "kind": "activation"},
            {"id": "z", "bytes": 2, "kind": "activation"},
        ],
        "ops": [
            {"name": "f", "op": "conv", "inputs": ["x"], "outputs": ["y"]},
            {"name": "g", "op": "relu", "inputs": ["y"], "outputs": ["z"]},
        ],
        "outputs": ["z"],
    } | changes


def read(**changes: Any):
    return read_graph(io.StringIO(json.dumps(document(**changes))), "small.json")


def test_read():
    graph = read()
    assert graph.name == "small"
    assert [op.id for op in graph.operators] == ["f", "g"]
    assert graph.operators[0].kind == "conv"
    assert [tensor.kind for tensor in graph.tensors] == ["input", "activation", "output"]
    assert graph.largest_footprint == 12


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tensors": [{"id": "x", "bytes": -1}]}, "tensor 'x': -1 bytes is not in"),
        ({"tensors": [{"id": "x", "bytes": 2**63}]}, "bytes is not in 0"),
        ({"tensors": [{"id": "x", "bytes": "4"}]}, "bytes '4' is not an integer"),
        ({"tensors": [{"id": "x", "bytes": 4, "kind": "thing"}]}, "unknown kind 'thing'"),
        ({"tensors": [{"id": "x", "bytes": 4}] * 2, "outputs": []}, "tensor id 'x' comes twice"),
        ({"ops": [{"name": "f", "inputs": ["q"]}]}, "operator 'f': there is no tensor 'q'"),
        ({"ops": [{"name": "f"}, {"name": "f"}]}, "operator name 'f' comes twice"),
        ({"outputs": ["q"]}, "output 'q' is no tensor"),
        ({"tensors": {}}, "the document has no list 'tensors'"),
        ({"ops": [3]}, "entry 0 of 'ops' is not a JSON object"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], message: str):
    with pytest.raises(FormatError, match=message):
        read(**changes)


def test_no_json():
    with pytest.raises(FormatError, match=r"g.json:1:2: not JSON"):
        read_graph(io.StringIO("{,}"), "g.json")
    with pytest.raises(FormatError, match=r"g.json:1:1: lists within lists"):
        read_graph(io.StringIO("[" * 100_000), "g.json")
    with pytest.raises(FormatError, match=r"g.json:1:1: not JSON: Exceeds the limit"):
        read_graph(io.StringIO('{"tensors": [' + "9" * 5000 + "]}"), "g.json")


TEXT = """{"name": "a \\"list\\": [", "ops": 3,
 "tensors": [ {"id": "x", "bytes": 4, "kind": "input"},
   {"id": "y", "bytes": 8}],
 "ops": [{"name": "f", "inputs": ["x"], "outputs": ["y"]},
  {"name": "g", "inputs": ["y"]}
 ],
  "outputs": ["y"]
}"""


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("4,", "-4,", "2:15: tensor 'x'"),
        ("8}", "8.5}", "3:4: tensor 'y'"),
        ('"y", "bytes"', '"x", "bytes"', "3:4: tensor id 'x' comes twice"),
        ('"inputs": ["x"]', '"inputs": ["q"]', "4:10: operator 'f'"),
        ('{"name": "g", "inputs": ["y"]}', "[]", "5:3: entry 1 of 'ops'"),
        ('"outputs": ["y"]\n', '"outputs": ["y",\n"q"]', "8:1: output 'q'"),
        ('"outputs": ["y"]\n', '"outputs": {}', "7:14: the document: 'outputs'"),
        ('"tensors"', '"tensor"', "1:1: the document has no list 'tensors'"),
    ],
)
def test_mistakes_have_line_and_column(old: str, new: str, place: str):
    assert read_graph(io.StringIO(TEXT)).operators[1].inputs == (1,)
    with pytest.raises(FormatError, match=f"g.json:{place}"):
        read_graph(io.StringIO(TEXT.replace(old, new)), "g.json")


def test_a_cycle_is_named():
    ops = [
        {"name": "f", "inputs": ["z"], "outputs": ["y"]},
        {"name": "g", "inputs": ["y"], "outputs": ["z"]},
    ]
    with pytest.raises(InvalidGraphError, match="the graph has a cycle: g -> f -> g"):
        schedule_for_peak(read(ops=ops))


def test_a_tensor_without_producer():
    ops = [{"name": "g", "inputs": ["y"], "outputs": ["z"]}]
    with pytest.raises(InvalidGraphError, match="tensor 'y' is neither an input nor made"):
        schedule_for_peak(read(ops=ops))


def test_an_operator_larger_than_the_capacity():
    with pytest.raises(InvalidGraphError, match=r"operator 'f' reads and makes 12 bytes \(M_R\)"):
        schedule_for_traffic(read(), 11)


def test_an_operator_that_reads_what_it_makes():
    ops = [{"name": "f", "inputs": ["y"], "outputs": ["y", "z"]}]
    with pytest.raises(InvalidGraphError, match="the graph has a cycle: f -> f"):
        schedule_for_peak(read(ops=ops))


def test_a_tensor_that_two_operators_make():
    ops = [{"name": name, "inputs": ["x"], "outputs": ["y", "z"]} for name in "fg"]
    with pytest.raises(InvalidGraphError, match="tensor 'y' is made by operator 'f' and by"):
        schedule_for_peak(read(ops=ops))


def test_a_tensor_without_consumer_is_there_while_it_is_made():
    ops = [{"name": "f", "inputs": ["x"], "outputs": ["y", "z"]}]
    graph = read(ops=ops)
    found = schedule_for_traffic(graph, 14)
    check_schedule(graph, found, 14)
    assert (graph.largest_footprint, found.traffic, found.stop) == (14, 0, "optimal")


def test_sizes_that_add_up_to_too_much():
    tensors = [{"id": name, "bytes": 2**62} for name in "xyz"]
    tensors[0]["kind"] = "input"
    with pytest.raises(InvalidGraphError, match="add up to more than 2\\^63"):
        schedule_for_peak(read(tensors=tensors))


def test_several_outputs_and_reading_twice():
    ops = [
        {"name": "f", "inputs": ["x", "x"], "outputs": ["y", "z"]},
        {"name": "g", "inputs": ["y", "y"], "outputs": ["w"]},
    ]
    tensors = [*document()["tensors"], {"id": "w", "bytes": 1}]
    graph = read(ops=ops, tensors=tensors, outputs=["z", "w"])
    found = schedule_for_traffic(graph, graph.largest_footprint)
    check_schedule(graph, found, 14)
    assert (graph.largest_footprint, found.traffic) == (14, 0)


def test_an_empty_graph():
    graph = read(ops=[], tensors=[], outputs=[])
    assert schedule_for_peak(graph).peak == 0
    assert schedule_for_traffic(graph, 0).traffic == 0
