"""A generic operation whose results have different maps becomes one for each map.

```mlir
%e, %s = linalg.generic {indexing_maps = [#ij, #ij, #i], iterator_types = ["parallel", "reduction"]}
    ins(%x) outs(%o, %zero) {
^bb0(%in: f32, %out: f32, %sum: f32):
  %p = math.exp %in : f32
  %q = arith.addf %sum, %p : f32
  linalg.yield %p, %q : f32, f32
}
```

No tile of one result says which tile of the other it is made with, so that such an operation has no
tiles. Here the first becomes an operation of parallel loops, and the sum another one that reads its
result: what an element of each loop has made is not computed again. The same scalars are added in
the same order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.dialects.linalg_additions.indexing import iterators_of
from xdsl_memplan.dialects.loop_lengths import told_loops
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.transforms.new_generic import made_like


def take_results_apart(block: Block) -> None:
    """Rewrite the operations of a block whose results have different maps.

    One stays as it is where a result is made of the output of another with a different map, where
    its body does more than to compute or a function is called for it, and where a part alone would
    not tell how often a loop runs.
    """
    for op in list(block.ops):
        if isinstance(op, GenericOp) and len(op.results) > 1:
            parts = _parts_of(op)
            if len(parts) > 1:
                _replace(op, parts)


@dataclass
class _Part:
    """Results of one map, and what they are made of."""

    map_: AffineMap
    numbers: list[int] = field(default_factory=list[int])
    operations: list[Operation] = field(default_factory=list[Operation])
    inputs: list[int] = field(default_factory=list[int])
    """Numbers of the inputs that are read,"""
    made: list[int] = field(default_factory=list[int])
    """and of the results of other parts that are read as they are."""


def _parts_of(op: GenericOp) -> list[_Part]:
    """The parts, first those that write an element in each iteration; none if it has to stay."""
    inputs = input_count(op)
    parts: dict[AffineMap, _Part] = {}
    for number, map_ in enumerate(op.indexing_maps.data[inputs:]):
        parts.setdefault(map_.data, _Part(map_.data)).numbers.append(number)
    if len(parts) == 1 or "library_call" in op.properties:
        return []
    if not all(map(_only_computes, op.body.block.walk())):
        return []
    loops = len(op.iterator_types)
    ordered = sorted(parts.values(), key=lambda part: len(part.map_.results) != loops)
    if not all(_may_be_alone(op, part) for part in ordered):
        return []
    yielded = _yielded(op)
    made: dict[SSAValue, int] = {}
    for part in ordered:
        if not _fill(part, op, made):
            return []
        if len(part.map_.results) == loops:
            computed = (n for n in part.numbers if isinstance(yielded[n].owner, Operation))
            made |= {yielded[number]: number for number in computed}
    return ordered


def _only_computes(op: Operation) -> bool:
    return only_computes(op) or isinstance(op, IndexOp | YieldOp)


def _may_be_alone(op: GenericOp, part: _Part) -> bool:
    """Tell whether every loop gives the results another element or is summed up in them."""
    loops = told_loops([AffineMapAttr(part.map_)])
    kinds = op.iterator_types.data
    return len(loops) == len(part.map_.results) and all(
        loop in loops or kind.data is IteratorType.REDUCTION for loop, kind in enumerate(kinds)
    )


def _yielded(op: GenericOp) -> Sequence[SSAValue]:
    last = op.body.block.last_op
    assert last is not None
    return last.operands


def _fill(part: _Part, op: GenericOp, made: dict[SSAValue, int]) -> bool:
    """Note what a part reads; returns whether it can be computed by itself."""
    body, inputs = op.body.block, input_count(op)
    yielded = _yielded(op)
    needed: set[Operation] = set()
    read: set[SSAValue] = set()
    waiting = [yielded[number] for number in part.numbers]
    while waiting:
        value = waiting.pop()
        if value in read:
            continue
        read.add(value)
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent is body and value not in made:
            needed.add(owner)
            waiting += values_used(owner)
    part.operations = [inner for inner in body.ops if inner in needed]
    part.made = [number for value, number in made.items() if value in read]
    arguments = [number for number, argument in enumerate(body.args) if argument in read]
    part.inputs = [number for number in arguments if number < inputs]
    own = {inputs + number for number in part.numbers}
    if not own.issuperset(arguments[len(part.inputs) :]):
        return False
    told = told_loops(op.indexing_maps.data[number] for number in _operands(op, part))
    return len(told) == len(op.iterator_types)


def _operands(op: GenericOp, part: _Part) -> list[int]:
    """The numbers of the operands of a part, results counted as the outputs that they are in."""
    inputs = input_count(op)
    return [*part.inputs, *(inputs + number for number in (*part.made, *part.numbers))]


def _replace(op: GenericOp, parts: Iterable[_Part]) -> None:
    results: dict[int, SSAValue] = {}
    for part in parts:
        new = _computed(op, part, [results[number] for number in part.made])
        Rewriter.insert_op(new, InsertPoint.before(op))
        for number, result in zip(part.numbers, new.results, strict=True):
            result.name_hint = op.results[number].name_hint
            results[number] = result
    Rewriter.replace_op(op, [], [results[number] for number in range(len(op.results))])


def _computed(op: GenericOp, part: _Part, made: Sequence[SSAValue]) -> GenericOp:
    """The operation that computes a part, of what is made by others."""
    inputs, arguments, yielded = input_count(op), op.body.block.args, _yielded(op)
    read = [op.operands[number] for number in part.inputs]
    written = [op.operands[inputs + number] for number in part.numbers]
    numbers = _operands(op, part)
    body = Block(arg_types=[arguments[number].type for number in numbers])
    elements = [
        *(arguments[number] for number in part.inputs),
        *(yielded[number] for number in part.made),
        *(arguments[inputs + number] for number in part.numbers),
    ]
    copies: dict[SSAValue, SSAValue] = dict(zip(elements, body.args, strict=True))
    for inner in part.operations:
        body.add_op(inner.clone(copies))
    body.add_op(YieldOp(*(copies.get(yielded[n], yielded[n]) for n in part.numbers)))
    maps = [op.indexing_maps.data[number] for number in numbers]
    new = made_like(op, body, ([*read, *made], written), maps, part.numbers)
    new.properties["iterator_types"] = iterators_of(part.map_)
    return new
