"""Boxes hold every element that is needed: against programs whose elements say what they came from.

Random programs work on sets: an element of an argument is one bit, and all that the operations do
with elements is to unite them. So one run in the interpreter tells for every element of the result
which elements it needs, without any notion of a box.
"""

import random
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from tests.analysis.set_programs import Program, Shape
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.formats.split_graph_json import split_graph_from_json, split_graph_to_json
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.model.least_traffic import bytes_at_least, bytes_read, surely_needed
from xdsl_memplan.model.needed_boxes import needed_boxes
from xdsl_memplan.model.origins import origins
from xdsl_memplan.model.split_graph import Box, SplitGraph, whole
from xdsl_memplan.native.context import full_context


def split(text: str) -> tuple[SplitGraph, Any]:
    module = Parser(full_context(), text).parse_module()
    module.verify()
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    return FunctionSplitGraph.of(function).graph, module


def marked(sets: Any, first: int, shape: Shape) -> set[tuple[int, ...]]:
    """The elements of an argument whose bits, from bit `first`, are in any of the sets."""
    united = int(np.bitwise_or.reduce(sets, axis=None))
    return {i for n, i in enumerate(np.ndindex(shape)) if united >> (first + n) & 1}


def random_box(shape: Shape, generator: random.Random) -> Box:
    starts = [generator.randrange(n) for n in shape]
    return tuple((s, generator.randint(s + 1, n)) for s, n in zip(starts, shape, strict=True))


@pytest.mark.parametrize("is_chain", [True, False], ids=["chain", "graph"])
def test_boxes_hold_what_is_needed(is_chain: bool) -> None:
    exact = 0
    for seed in range(60):
        program = Program(seed, is_chain)
        graph, module = split(program.text())
        assert all(op.splittable for op in graph.ops)
        arguments = program.sets()
        (result,) = run(module, arguments)
        (returned,) = graph.ops[-1].results
        for _ in range(5):
            box = random_box(result.shape, program.random)
            needed = needed_boxes(graph, {returned: box})
            sets = result[tuple(slice(*extent) for extent in box)]
            first = 0
            for position, shape in enumerate(program.arguments):
                elements = marked(sets, first, shape)
                first += prod(shape)
                found = needed.get(position)
                inside: set[tuple[int, ...]] = set() if found is None else points(found)
                assert elements <= inside, program.text()
                if program.exact:
                    exact += len(elements) > 0
                    assert elements == inside, program.text()
    assert exact or not is_chain


@pytest.mark.parametrize("is_chain", [True, False], ids=["chain", "graph"])
def test_no_more_is_surely_moved_than_what_is_needed(is_chain: bool) -> None:
    equal = 0
    for seed in range(60):
        program = Program(seed, is_chain)
        graph, module = split(program.text())
        arguments = program.sets()
        (result,) = run(module, arguments)
        needed = int(np.bitwise_or.reduce(result, axis=None)).bit_count()
        moved = 8 * (needed + result.size)
        at_least = bytes_at_least(graph, bytes_read(graph, surely_needed(graph)))
        assert at_least <= moved, program.text()
        equal += at_least == moved
    assert equal > 50


def test_elements_have_an_origin_of_their_own() -> None:
    """Each element in the box of an origin gets an element that it needs and no other gets."""
    found = 0
    for seed in range(150):
        program = Program(seed, False)
        graph, module = split(program.text())
        (returned,) = graph.ops[-1].results
        origin = origins(graph).get(returned)
        if origin is None:
            continue
        arguments = program.sets()
        (result,) = run(module, arguments)
        allowed = sum(int(arguments[tensor].sum()) for tensor in origin.tensors)
        needs = [int(result[element]) & allowed for element in points(origin.box)]
        assert all_different(needs), program.text()
        found += len(needs) > 1
    assert found > 40


def all_different(sets: list[int]) -> bool:
    """Whether each set of bits can be given a bit of its own (augmenting paths)."""
    owner: dict[int, int] = {}

    def give(number: int, tried: set[int]) -> bool:
        for bit in (n for n in range(sets[number].bit_length()) if sets[number] >> n & 1):
            if bit not in tried:
                tried.add(bit)
                if bit not in owner or give(owner[bit], tried):
                    owner[bit] = number
                    return True
        return False

    return all(give(number, set()) for number in range(len(sets)))


def points(box: Box) -> set[tuple[int, ...]]:
    sizes = [stop - start for start, stop in box]
    return {
        tuple(i + start for i, (start, _) in zip(index, box, strict=True))
        for index in np.ndindex(*sizes)
    }


def test_rows_that_nobody_reads() -> None:
    """A step of two over six rows leaves the last out, a class head reads one of four tokens."""
    text = (Path(__file__).parent / "rows_that_nobody_reads.mlir").read_text()
    graph, _ = split(text)
    needed = needed_boxes(graph)
    assert needed[0] == ((0, 1), (0, 1), (0, 5), (0, 5))
    assert needed[1] == ((0, 1), (0, 3))
    assert needed[2] == whole((3, 3))


def test_what_cannot_be_cut_is_read_whole() -> None:
    text = """
    func.func @main(%x: tensor<4x4xf32>, %n: index) -> tensor<2x4xf32> {
      %y = tensor.extract_slice %x[%n, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
      func.return %y : tensor<2x4xf32>
    }
    """
    graph, _ = split(text)
    assert not graph.ops[0].splittable
    assert graph.ops[0].view
    assert needed_boxes(graph, {1: ((0, 1), (0, 1))})[0] == whole((4, 4))


def test_json_and_back() -> None:
    for seed in range(20):
        graph, _ = split(Program(seed, False).text())
        assert split_graph_from_json(split_graph_to_json(graph)) == graph
