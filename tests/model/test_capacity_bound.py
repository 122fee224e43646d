"""No order of computing moves less than the bound says: against sets of points and simulated runs.

The oracles know operations as lists of points, each with the elements that it reads and makes.
"""

import random
from collections import OrderedDict
from itertools import product
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xdsl_memplan.model.capacity_bound import CapacityBound
from xdsl_memplan.model.contraction import Contraction, contraction_of
from xdsl_memplan.model.origins import origins
from xdsl_memplan.model.split_graph import (
    Affine,
    Index,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
    whole,
)

Terms = tuple[tuple[int, int], ...]
Element = tuple[int, tuple[int, ...]]
"""A tensor and an index into it."""


def index(*terms: tuple[int, int], constant: int = 0) -> Index:
    return Index(tuple(sorted(terms)), constant)


def convolution(
    tensors: list[SplitTensor], inputs: int, features: int, kernel: int, stride: int, dilation: int
) -> SplitOp:
    """Append weights and a result: one dimension of places, one of features, no padding."""
    channels, size = tensors[inputs].shape
    places = (size - dilation * (kernel - 1) - 1) // stride + 1
    weights, result = len(tensors), len(tensors) + 1
    tensors.append(SplitTensor(f"w{weights}", (features, channels, kernel), 4, "argument"))
    tensors.append(SplitTensor(f"c{result}", (features, places), 4, "value"))
    # Loops: feature, place, channel, position in the window.
    return SplitOp(
        "conv",
        (result,),
        (
            SplitOperand(
                inputs,
                (channels, size),
                Affine((index((2, 1)), index((1, stride), (3, dilation)))),
            ),
            SplitOperand(
                weights,
                (features, channels, kernel),
                Affine((index((0, 1)), index((2, 1)), index((3, 1)))),
            ),
        ),
        True,
        (features, places, channels, kernel),
        ("parallel", "parallel", "reduction", "reduction"),
        (0, 1),
        work_per_point=1,
    )


def padded(tensors: list[SplitTensor], inputs: int, low: int, high: int) -> SplitOp:
    channels, size = tensors[inputs].shape
    shape = (channels, low + size + high)
    tensors.append(SplitTensor(f"p{len(tensors)}", shape, 4, "value"))
    access = Affine((index((0, 1)), Index(((1, 1),), -low)))
    return SplitOp(
        "pad",
        (len(tensors) - 1,),
        (SplitOperand(inputs, (channels, size), access),),
        True,
        shape,
        ("parallel", "parallel"),
        (0, 1),
    )


def added(tensors: list[SplitTensor], one: int, other: int) -> SplitOp:
    shape = tensors[one].shape
    tensors.append(SplitTensor(f"s{len(tensors)}", shape, 4, "value"))
    access = Affine((index((0, 1)), index((1, 1))))
    operands = tuple(SplitOperand(tensor, shape, access) for tensor in (one, other))
    iterators = ("parallel", "parallel")
    return SplitOp("add", (len(tensors) - 1,), operands, True, shape, iterators, (0, 1))


def elements(op: SplitOp, point: tuple[int, ...]) -> tuple[list[Element], Element]:
    """What a point of the loops reads, and what it makes."""
    read: list[Element] = []
    for operand in op.operands:
        assert isinstance(operand.access, Affine)
        place = tuple(
            i.constant + sum(factor * point[loop] for loop, factor in i.terms)
            for i in operand.access.indices
        )
        if all(0 <= p < extent for p, extent in zip(place, operand.shape, strict=True)):
            read.append((operand.tensor, place))
    return read, (op.results[0], tuple(point[d] for d in op.result_access if d is not None))


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[SplitGraph, SplitOp]:
    kernel, stride = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    dilation, channels = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    low, high = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    size = draw(st.integers(max(1, dilation * (kernel - 1) + 1 - low - high), 11))
    tensors = [SplitTensor("x", (channels, size), 4, "argument")]
    ops = [padded(tensors, 0, low, high)]
    ops.append(convolution(tensors, 1, draw(st.integers(1, 3)), kernel, stride, dilation))
    return SplitGraph(tuple(tensors), tuple(ops)), ops[-1]


@settings(max_examples=300, deadline=None)
@given(convolutions(), st.randoms(use_true_random=False))
def test_no_points_use_more_than_they_may(
    given_: tuple[SplitGraph, SplitOp], generator: random.Random
) -> None:
    graph, op = given_
    contraction = contraction_of(op, whole(op.loops), graph, origins(graph))
    if contraction is None:
        return
    (pad, _), inside = graph.ops, {}
    for place in product(*map(range, pad.loops)):
        read, made = elements(pad, place)
        if read:
            inside[made] = read[0]
    points = list(product(*map(range, op.loops)))
    counted = [p for p in points if elements(op, p)[0][0] in inside]
    assert contraction.points == len(counted)
    for _ in range(10):
        chosen = random_points(op, counted, generator)
        inputs = {elements(op, point)[0][0] for point in chosen}
        weights = {elements(op, point)[0][1] for point in chosen}
        results = {elements(op, point)[1] for point in chosen}
        most = contraction.reuse * len(inputs) * len(weights) * len(results)
        assert len(chosen) ** 2 <= most


def random_points(
    op: SplitOp, points: list[tuple[int, ...]], generator: random.Random
) -> list[tuple[int, ...]]:
    """Any points, all in a box, or all points that some elements allow."""
    kind = generator.randrange(3)
    if kind == 0:
        return [point for point in points if generator.random() < 0.5]
    if kind == 1:
        ends = [sorted(generator.choices(range(n + 1), k=2)) for n in op.loops]
        return [p for p in points if all(a <= i < b for i, (a, b) in zip(p, ends, strict=True))]
    seen = {e for p in points for e in [*elements(op, p)[0], elements(op, p)[1]]}
    kept = {element for element in sorted(seen) if generator.random() < 0.6}
    return [p for p in points if {*elements(op, p)[0], elements(op, p)[1]} <= kept]


def test_a_window_uses_what_is_there_as_often_as_it_may() -> None:
    """Without strides the bound of the points is reached but for the ends of the row."""
    tensors = [SplitTensor("x", (1, 1002), 4, "argument")]
    op = convolution(tensors, 0, 1, 3, 1, 1)
    graph = SplitGraph(tuple(tensors), (op,))
    contraction = contraction_of(op, whole(op.loops), graph, origins(graph))
    assert contraction == Contraction((0,), 1, 2, 3000, 3)
    assert 3000**2 > 0.99 * contraction.reuse * 1002 * 3 * 1000


def test_what_is_looked_up_near_has_no_origin() -> None:
    """Two elements may look up the same one."""
    tensors = [SplitTensor("x", (2, 8), 4, "argument"), SplitTensor("y", (2, 8), 4, "value")]
    access = Affine((index((0, 1)), Index(((1, 1),), 0, 1, reach=2)))
    read = SplitOperand(0, (2, 8), access)
    op = SplitOp("near", (1,), (read,), True, (2, 8), ("parallel", "parallel"), (0, 1))
    assert 1 not in origins(SplitGraph(tuple(tensors), (op,)))


def chain(generator: random.Random) -> SplitGraph:
    """Two to four convolutions, some padded, some with a sum around them."""
    tensors = [
        SplitTensor("x", (generator.randint(3, 8), generator.randint(10, 30)), 4, "argument")
    ]
    ops: list[SplitOp] = []
    last = 0
    for _ in range(generator.randint(2, 4)):
        start = last
        kernel = generator.choice([1, 1, 3])
        if kernel == 3 and generator.random() < 0.8:
            ops.append(padded(tensors, last, 1, 1))
            last = len(tensors) - 1
        features = generator.choice([tensors[start].shape[0], generator.randint(3, 10)])
        if tensors[last].shape[1] < kernel:
            break
        ops.append(convolution(tensors, last, features, kernel, generator.choice([1, 1, 2]), 1))
        last = len(tensors) - 1
        if tensors[start].shape == tensors[last].shape:
            ops.append(added(tensors, last, start))
            last = len(tensors) - 1
    tensors[last] = SplitTensor("y", tensors[last].shape, 4, "value", returned=True)
    return SplitGraph(tuple(tensors), tuple(ops))


class Chip:
    """What is on chip, in the order of the last use, and what has moved."""

    def __init__(self, graph: SplitGraph, held: int) -> None:
        self.makers = {op.results[0]: op for op in graph.ops}
        self.held = held
        self.there: OrderedDict[Element, None] = OrderedDict()
        self.stored: set[Element] = set()
        self.moved = 0

    def use(self, element: Element, pinned: set[Element], *, is_written: bool) -> None:
        """Bring an element on chip, from where it is; a new one is begun there."""
        if element in self.there:
            self.there.move_to_end(element)
        else:
            if len(self.there) >= self.held:
                self.give_up(next(e for e in self.there if e not in pinned))
            if element[0] not in self.makers or element in self.stored:
                self.moved += 1
            self.there[element] = None
        if is_written:
            self.stored.discard(element)

    def give_up(self, element: Element) -> None:
        del self.there[element]
        if element[0] in self.makers and element not in self.stored:
            self.stored.add(element)
            self.moved += 1

    def finish(self, result: int) -> int:
        """Store what is left of the result; returns the elements that have moved."""
        for element in [element for element in self.there if element[0] == result]:
            self.give_up(element)
        return self.moved


def moved_in_blocks(graph: SplitGraph, held: int, generator: random.Random) -> int:
    """Elements that move if each operation runs in blocks, sums growing together in a block."""
    chip = Chip(graph, held)
    for op in graph.ops:
        side = max(1, isqrt(held + 4) - 2) if generator.random() < 0.7 else None
        sizes = [side or generator.randint(1, n) for n in op.loops]
        loops = [d for d, kind in enumerate(op.iterators) if kind == "parallel"]
        others = [d for d in range(len(op.loops)) if d not in loops]
        starts = [range(0, op.loops[d], sizes[d]) for d in loops]
        for start in product(*starts):
            block = [
                range(s, min(s + sizes[d], op.loops[d])) for d, s in zip(loops, start, strict=True)
            ]
            for outer in product(*(range(op.loops[d]) for d in others)):
                for inner in product(*block):
                    place = dict(zip(loops + others, inner + outer, strict=True))
                    read, made = elements(op, tuple(place[d] for d in range(len(op.loops))))
                    for element in read:
                        chip.use(element, {*read, made}, is_written=False)
                    chip.use(made, {*read, made}, is_written=True)
    return chip.finish(graph.ops[-1].results[0])


def moved_on_demand(graph: SplitGraph, held: int, generator: random.Random) -> tuple[int, int]:
    """Elements that move if what is not on chip is computed again, unless it was stored.

    Returns the multiply-adds that are done, too.
    """
    chip = Chip(graph, held)
    made_at: dict[Element, list[tuple[int, ...]]] = {}
    for op in graph.ops:
        for point in product(*map(range, op.loops)):
            made_at.setdefault(elements(op, point)[1], []).append(point)
    points = 0

    def need(element: Element, pinned: set[Element]) -> None:
        nonlocal points
        is_new = element in made_at and element not in chip.there and element not in chip.stored
        chip.use(element, {*pinned, element}, is_written=False)
        if not is_new:
            return
        op = chip.makers[element[0]]
        for point in made_at[element]:
            for operand in elements(op, point)[0]:
                need(operand, {*pinned, element})
            points += op.work_per_point
        if generator.random() < 0.2:
            forgotten = next(iter(chip.there))
            if forgotten not in {*pinned, element} and forgotten[0] != graph.ops[-1].results[0]:
                del chip.there[forgotten]

    for element in blocks(graph.ops[-1], generator):
        need(element, set())
    return chip.finish(graph.ops[-1].results[0]), points


def blocks(op: SplitOp, generator: random.Random) -> list[Element]:
    """The elements of a result, block after block."""
    extents = [op.loops[d] for d in op.result_access if d is not None]
    sizes = [generator.randint(1, n) for n in extents]
    starts = product(*(range(0, n, size) for n, size in zip(extents, sizes, strict=True)))
    return [
        (op.results[0], place)
        for start in starts
        for place in product(
            *(range(s, min(s + z, n)) for s, z, n in zip(start, sizes, extents, strict=True))
        )
    ]


@pytest.mark.parametrize("seed", range(40))
def test_no_run_moves_less(seed: int) -> None:
    generator = random.Random(seed)
    graph = chain(generator)
    bound = CapacityBound.of(graph)
    for held in (12, 24, 48):
        moved, points = moved_on_demand(graph, held, generator)
        assert bound.bytes_moved(4 * held, points) <= 4 * moved
        assert bound.bytes_moved(4 * held) <= 4 * moved_in_blocks(graph, held, generator)


def test_a_run_comes_near() -> None:
    """A matrix product in square blocks moves little more than it must."""
    graph = product_of(48, 48, 48)
    moved = 4 * moved_in_blocks(graph, 96, random.Random(1))
    bound = CapacityBound.of(graph).bytes_moved(4 * 96)
    assert 3 * bound > 2 * moved > 2 * bound > 4 * CapacityBound.of(graph).floor


def product_of(rows: int, columns: int, inner: int) -> SplitGraph:
    tensors = [SplitTensor("x", (inner, rows), 4, "argument")]
    op = convolution(tensors, 0, columns, 1, 1, 1)
    tensors[-1] = SplitTensor("y", (columns, rows), 4, "value", returned=True)
    return SplitGraph(tuple(tensors), (op,))


def test_a_matrix_product_moves_what_is_known() -> None:
    """Of three 512 x 512 matrices with 1,024 elements on chip: 2 * 512 ** 3 / 32 and more move."""
    bound = CapacityBound.of(product_of(512, 512, 512))
    known = 2 * 512**3 // 32 - 2 * 1024 - 512**2 + 512**2  # Begun, and stored at the end.
    assert bound.bytes_moved(4096) == pytest.approx(4 * known, rel=1e-6)
    assert bound.bytes_moved(4 << 20) == bound.floor == 3 * 4 * 512**2


def test_more_room_or_more_work_never_lifts_it() -> None:
    for seed in range(30):
        bound = CapacityBound.of(chain(random.Random(seed)))
        by_room = [bound.bytes_moved(capacity) for capacity in (16, 64, 128, 256, 4096)]
        assert by_room == sorted(by_room, reverse=True)
        by_work = [bound.bytes_moved(64, bound.least_points + more) for more in (0, 50, 5000)]
        assert by_work == sorted(by_work, reverse=True)
