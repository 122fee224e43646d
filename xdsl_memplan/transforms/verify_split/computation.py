"""What an operation computes, whatever the shapes: its loops, maps and body."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.transforms.verify_split.check_errors import NotFollowedError

_NOTES = (
    "memplan.layer",
    "memplan.looked_up",
    "operandSegmentSizes",
    "indexing_maps",
    "static_low",
    "static_high",
)


@dataclass(frozen=True)
class Sum:
    """An index: a constant and multiples of loops."""

    constant: int
    terms: tuple[tuple[int, int], ...]


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor; raises NotFollowedError if it is not static."""
    type_ = value.type
    if isinstance(type_, TensorType):
        shape = cast(TensorType[Attribute], type_).get_shape()
        if DYNAMIC_INDEX not in shape:
            return shape
    raise NotFollowedError(f"{type_} has no static shape")


def is_tensor(value: SSAValue) -> bool:
    """Tell whether a value is a tensor."""
    return isinstance(value.type, TensorType)


def element_types(op: Operation) -> tuple[Attribute, ...]:
    """What results are made of, whatever their shapes."""
    types = (result.type for result in op.results)
    return tuple(
        cast(TensorType[Attribute], type_).get_element_type()
        if isinstance(type_, TensorType)
        else type_
        for type_ in types
    )


def scalar_key(value: SSAValue) -> Hashable:
    """The same for scalars that are the same in two functions with the same arguments.

    Raises NotFollowedError for others: what changes in a loop, is read from a tensor or memory.
    """
    owner = value.owner
    if isinstance(owner, Block):
        assert isinstance(value, BlockArgument)
        if not isinstance(owner.parent_op(), FuncOp):
            raise NotFollowedError("a scalar changes from tile to tile")
        return ("argument", value.index)
    if isinstance(owner, arith.ConstantOp):
        return ("constant", owner.value)
    if any(is_tensor(operand) for operand in owner.operands) or owner.regions:
        raise NotFollowedError(f"a scalar is read from a tensor by {owner.name}")
    if not only_computes(owner):
        raise NotFollowedError(f"a scalar is made by {owner.name}")
    assert isinstance(value, OpResult)
    operands = map(scalar_key, owner.operands)
    return (owner.name, value.index, _notes(owner), element_types(owner), *operands)


def uniform_key(op: Operation) -> Hashable | None:
    """What every element of the result is; None if they differ."""
    match op:
        case linalg.FillOp() if op.inputs[0].type in element_types(op):
            return ("uniform", scalar_key(op.inputs[0]))
        case tensor.SplatOp():
            return ("uniform", scalar_key(op.input))
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense) if dense.is_splat():
            data = dense.data.data
            width = dense.get_element_type().compile_time_size
            return ("splat", dense.get_element_type(), data[:width])
        case _:
            return None


@dataclass(frozen=True)
class Lookup:
    """An element of a table: per dimension the index, and what is taken away from it."""

    indices: tuple[SSAValue, ...]
    taken: tuple[tuple[SSAValue | int, ...], ...]


@dataclass(eq=False)
class Computation:
    """An operation on tensors as loops: operand `k` is read at `maps[k]`, results written."""

    op: Operation
    operands: Sequence[SSAValue]
    """Tensors, in the order of the maps; outputs are the last ones."""
    maps: Sequence[tuple[Sum, ...]]
    reads: Sequence[bool]
    """Whether the elements of an operand matter."""
    inputs: int
    is_contraction: bool
    tables: Sequence[SSAValue] = ()
    """Tensors that the body looks up, each time that it does."""
    lookups: dict[int, "Lookup"] = field(default_factory=dict[int, "Lookup"])
    """By the number of the table what is looked up in the body itself."""
    body: Hashable = None
    shifts: list[tuple[int, Sequence[SSAValue | int]]] = field(
        default_factory=list[tuple[int, Sequence[SSAValue | int]]]
    )
    """What the body adds to the number of an iteration: the loop, and the terms."""

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Iterations of each loop."""
        extents: dict[int, int] = {}
        for operand, map_ in zip(self.operands, self.maps, strict=True):
            for index, extent in zip(map_, shape_of(operand), strict=True):
                if len(index.terms) == 1 and index.terms[0][1] == 1 and not index.constant:
                    extents.setdefault(index.terms[0][0], extent)
        used = {loop for map_ in self.maps for index in map_ for loop, _ in index.terms}
        if used - set(extents):
            raise NotFollowedError(f"a loop of {self.op.name} has no extent")
        return tuple(extents.get(loop, 1) for loop in range(max(used, default=-1) + 1))

    @cached_property
    def kind(self) -> Hashable:
        """Equal for the same computation on other shapes."""
        maps = tuple(tuple(index.terms for index in map_) for map_ in self.maps)
        return (self.op.name, _notes(self.op), element_types(self.op), maps, self.body)

    @cached_property
    def reduced(self) -> tuple[int, ...]:
        """The loops that no result has."""
        kept = {
            loop for map_ in self.maps[self.inputs :] for index in map_ for loop, _ in index.terms
        }
        return tuple(loop for loop in range(len(self.loops)) if loop not in kept)


def computation_of(op: Operation) -> Computation | None:
    """The loops of an operation; None if it has none that are known."""
    match op:
        case LinalgStructuredOperation():
            return _structured(op)
        case linalg.BroadcastOp():
            added = set(op.dimensions.get_values())
            rank = len(shape_of(op.results[0]))
            read = _dims(d for d in range(rank) if d not in added)
            return Computation(op, op.operands, (read, _dims(range(rank))), (True, False), 1, False)
        case linalg.TransposeOp():
            order = op.permutation.get_values()
            inverse = [0] * len(order)
            for position, dimension in enumerate(order):
                inverse[dimension] = position
            maps = (_dims(inverse), _dims(range(len(order))))
            return Computation(op, op.operands, maps, (True, False), 1, False)
        case linalg.ReduceOp() if len(op.results) == 1:
            reduced = set(op.dimensions.get_values())
            rank = len(shape_of(op.operands[0]))
            kept = _dims(d for d in range(rank) if d not in reduced)
            found = Computation(op, op.operands, (_dims(range(rank)), kept), (True, True), 1, False)
            _add_body(found, op.region.block)
            return found
        case _ if op.name.partition(".")[0] in ("arith", "math") and not op.regions:
            tensors = [operand for operand in op.operands if is_tensor(operand)]
            if not tensors or len(op.results) != 1:
                return None
            same = _dims(range(len(shape_of(op.results[0]))))
            maps, reads = (same,) * (len(tensors) + 1), (*([True] * len(tensors)), False)
            found = Computation(op, (*tensors, op.results[0]), maps, reads, len(tensors), False)
            found.body = tuple(
                None if is_tensor(operand) else scalar_key(operand) for operand in op.operands
            )
            return found
        case _:
            return None


def body_key(op: Operation, tables: list[SSAValue]) -> Hashable:
    """What the regions of an operation say; tensors from outside are added to `tables`."""
    found = Computation(op, (), (), (), 0, False)
    keys: list[Hashable] = []
    for region in op.regions:
        for block in region.blocks:
            _add_body(found, block)
            keys.append((found.body, tuple(loop for loop, _ in found.shifts)))
    if found.shifts and any(terms for _, terms in found.shifts):
        raise NotFollowedError(f"{op.name} adds to the numbers of iterations")
    if any(any(lookup.taken) for lookup in found.lookups.values()):
        raise NotFollowedError(f"{op.name} looks up a part of a table")
    tables += found.tables
    return tuple(keys)


def _structured(op: LinalgStructuredOperation) -> Computation:
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    if not op.results:
        raise NotFollowedError(f"{op.name} has no results")
    operands, body = list(op.operands), op.body.block
    tensors = [k for k, operand in enumerate(operands) if is_tensor(operand)]
    sums = tuple(_sums(maps[k]) for k in tensors)
    reads = tuple(body.args[k].first_use is not None for k in tensors)
    all_inputs = len(op.inputs)
    inputs = sum(k < all_inputs for k in tensors)
    found = Computation(op, [operands[k] for k in tensors], sums, reads, inputs, False)
    if op.name == "linalg.generic":
        _add_body(found, body)
    if len(tensors) < len(operands):
        scalars = [None if is_tensor(operand) else scalar_key(operand) for operand in operands]
        found.body = (found.body, *scalars)
    products = any(inner.name in ("arith.mulf", "arith.muli") for inner in body.ops)
    found.is_contraction = bool(found.reduced) and products and _shares_a_sum(found)
    return found


def _shares_a_sum(found: Computation) -> bool:
    """Tell whether two inputs have a loop in common that is added up."""
    summed = [
        {loop for index in map_ for loop, _ in index.terms if loop in found.reduced}
        for map_, read in zip(found.maps[: found.inputs], found.reads, strict=False)
        if read
    ]
    return any(a & b for i, a in enumerate(summed) for b in summed[:i])


def _dims(loops: "Sequence[int] | range | object") -> tuple[Sum, ...]:
    return tuple(Sum(0, ((loop, 1),)) for loop in loops)  # pyright: ignore


@lru_cache(maxsize=4096)
def _sums(map_: AffineMap) -> tuple[Sum, ...]:
    return tuple(map(_sum, map_.results))


def _sum(expression: AffineExpr) -> Sum:
    terms: dict[int, int] = {}
    constant = _collect(expression, 1, terms)
    return Sum(constant, tuple(sorted((k, v) for k, v in terms.items() if v)))


def _collect(expression: AffineExpr, factor: int, terms: dict[int, int]) -> int:
    match expression:
        case AffineDimExpr():
            terms[expression.position] = terms.get(expression.position, 0) + factor
            return 0
        case AffineConstantExpr():
            return factor * expression.value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            return _collect(expression.lhs, factor, terms) + _collect(expression.rhs, factor, terms)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
            for number, other in (
                (expression.lhs, expression.rhs),
                (expression.rhs, expression.lhs),
            ):
                if isinstance(number, AffineConstantExpr):
                    return _collect(other, factor * number.value, terms)
        case _:
            pass
    raise NotFollowedError(f"the index {expression} is no sum of loops")


def _notes(op: Operation) -> Hashable:
    """Attributes that say what an operation computes."""
    entries = {**op.attributes, **op.properties}
    return tuple((name, value) for name, value in sorted(entries.items()) if name not in _NOTES)


def _add_body(found: Computation, block: Block) -> None:
    """Encode a body: operations in their order, values by number, what is outside by its key."""
    numbers: dict[SSAValue, Hashable] = {arg: ("in", arg.index) for arg in block.args}
    shifted: dict[SSAValue, tuple[int, list[SSAValue | int]]] = {}
    tables: list[SSAValue] = []
    keys: list[Hashable] = []

    def key(value: SSAValue) -> Hashable:
        if value in shifted:
            loop, terms = shifted[value]
            found.shifts.append((loop, terms))
            return ("iteration", loop)
        if value in numbers:
            return numbers[value]
        if is_tensor(value):
            tables.append(value)
            return ("table", len(tables))
        return scalar_key(value)

    for inner in block.ops:
        if isinstance(inner, linalg.IndexOp):
            shifted[inner.result] = (inner.dim.value.data, [])
            continue
        if isinstance(inner, arith.ConstantOp):
            numbers[inner.result] = ("constant", inner.value)
            continue
        if isinstance(inner, arith.AddiOp) and isinstance(inner.result.type, IndexType):
            base, other = inner.lhs, inner.rhs
            if base in shifted and other not in shifted:
                term = _term(other, numbers)
                if term is not None:
                    loop, terms = shifted[base]
                    shifted[inner.result] = (loop, [*terms, term])
                    continue
        if _is_taken_from_index(inner):
            continue
        regions = body_key(inner, tables) if inner.regions else None
        if isinstance(inner, tensor.ExtractOp):
            lookup = _lookup(inner)
            operands = (key(inner.tensor), *map(key, lookup.indices))
            if inner.tensor not in numbers:
                found.lookups[len(tables)] = lookup
            elif any(lookup.taken):
                raise NotFollowedError("looks up a part of what its body makes")
        else:
            operands = tuple(map(key, inner.operands))
        keys.append((inner.name, _notes(inner), element_types(inner), operands, regions))
        for result in inner.results:
            numbers[result] = ("made", len(keys), result.index)
    found.body = tuple(keys)
    found.tables = tables


def _is_taken_from_index(op: Operation) -> bool:
    """Tell whether something from outside is taken away, only to look something up."""
    if not isinstance(op, arith.SubiOp) or not isinstance(op.result.type, IndexType):
        return False
    other = op.rhs.owner
    is_of_body = other is op.parent or (isinstance(other, Operation) and other.parent is op.parent)
    return (isinstance(other, arith.ConstantOp) or not is_of_body) and all(
        (isinstance(use.operation, tensor.ExtractOp) and use.index > 0)
        or (use.index == 0 and _is_taken_from_index(use.operation))
        for use in op.result.uses
    )


def _lookup(op: tensor.ExtractOp) -> Lookup:
    indices: list[SSAValue] = []
    taken: list[tuple[SSAValue | int, ...]] = []
    for index in op.indices:
        terms: list[SSAValue | int] = []
        while isinstance(index.owner, arith.SubiOp) and _is_taken_from_index(index.owner):
            term = _term(index.owner.rhs, {})
            assert term is not None
            terms.append(term)
            index = index.owner.lhs
        indices.append(index)
        taken.append(tuple(terms))
    return Lookup(tuple(indices), tuple(taken))


def _term(value: SSAValue, numbers: dict[SSAValue, Hashable]) -> SSAValue | int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None if value in numbers else value


Evaluate = Callable[[SSAValue], int]
