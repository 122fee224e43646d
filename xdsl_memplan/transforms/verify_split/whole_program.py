"""The program before it was cut: what each tensor is made of, and who computes it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, cf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xdsl_memplan.analysis.side_effects import only_asserts
from xdsl_memplan.dialects.groups import GroupOp, GroupYieldOp
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.transforms.verify_split.check_errors import NotFollowedError
from xdsl_memplan.transforms.verify_split.computation import (
    Computation,
    body_key,
    computation_of,
    element_types,
    is_tensor,
    scalar_key,
    shape_of,
    uniform_key,
)
from xdsl_memplan.transforms.verify_split.held_parts import (
    UNDEFINED,
    Along,
    Apart,
    Box,
    Held,
    Origin,
    Part,
    clipped,
    glued,
    overwritten,
    tensors_of,
    whole_box,
)
from xdsl_memplan.transforms.verify_split.reshapes import Reshape
from xdsl_memplan.transforms.verify_split.rows import rows_of


@dataclass
class WholeProgram:
    """A function as it was; `memplan.group` counts as what is in it."""

    function: FuncOp
    computations: dict[Hashable, dict[Hashable, list[Computation]]] = field(
        default_factory=dict[Hashable, dict[Hashable, list[Computation]]]
    )
    """By kind and by one of the tensors that are read."""
    others: dict[Hashable, list[Operation]] = field(default_factory=dict[Hashable, list[Operation]])
    """Operations without loops, by kind and by one of the tensors that are read."""
    reshapes: dict[Operation, Reshape] = field(default_factory=dict[Operation, Reshape])
    """Those of the others by which elements change their indices."""
    work: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Multiply-adds of contractions."""
    asserted: set[Hashable] = field(default_factory=set[Hashable])
    """What is asserted of scalars."""
    _numbered: dict[Hashable, Operation] = field(default_factory=dict[Hashable, Operation])
    _held: dict[SSAValue, Held] = field(default_factory=dict[SSAValue, Held])
    _read: list[SSAValue] = field(default_factory=list[SSAValue])

    _numbers: dict[Hashable, int] = field(default_factory=dict[Hashable, int])

    def __post_init__(self) -> None:
        self._rows = rows_of(operations(self.function))
        for op in operations(self.function):
            self._enter(op)

    def number_of(self, tensor: Hashable) -> int:
        """Number tensors in the order in which they are met."""
        return self._numbers.setdefault(tensor, len(self._numbers))

    def held(self, value: SSAValue) -> Held:
        """What a tensor is made of, in terms of tensors that are computed."""
        found = self._held.get(value)
        if found is None:
            found = self._held[value] = self._find(value)
        return found

    def returned(self) -> Sequence[SSAValue]:
        """What the function returns."""
        last = self.function.body.block.last_op
        assert isinstance(last, ReturnOp)
        return last.operands

    def _enter(self, op: Operation) -> None:
        if op.name.startswith(("scf.", "affine.")) or isinstance(op, CallOp):
            raise NotFollowedError(f"{op.name} in the whole program")
        if uniform_key(op) is not None or moved(op, self.held) is not None:
            return
        check_effects(op, self.asserted)
        if not any(map(is_tensor, op.results)) or isinstance(op, tensor.EmptyOp | arith.ConstantOp):
            return
        if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
            known = {part.origin for part in self.held(op.src).parts}
            if all(part.origin in known for part in self.held(op.result).parts):
                return
            self.reshapes[op] = Reshape.of(op)
        computation = computation_of(op)
        if computation is None:
            tensors = [operand for operand in op.operands if is_tensor(operand)]
            self._read += tensors
            kind = other_kind(op)
            if not isinstance(op, tensor.InsertSliceOp):
                self._number(op, kind, tensors)
            for key in self._keys(tensors):
                self.others.setdefault((kind, key), []).append(op)
            return
        if computation.is_contraction:
            self.work[op] = volume(computation)
        operands = zip(computation.operands, computation.reads, strict=True)
        read = [operand for operand, is_read in operands if is_read]
        constants = tuple(index.constant for map_ in computation.maps for index in map_)
        shifts = tuple(tuple(terms) for _, terms in computation.shifts)
        kind = (computation.kind, computation.loops, constants, shifts)
        self._read += [*read, *computation.tables]
        self._number(op, kind, [*read, *computation.tables])
        like_it = self.computations.setdefault(computation.kind, {})
        for key in self._keys(read):
            like_it.setdefault(key, []).append(computation)

    def _number(self, op: Operation, kind: Hashable, read: Sequence[SSAValue]) -> None:
        """Take results that are computed twice, by the same operation of the same, for the same."""
        key = (
            kind,
            tuple(self.held(value).parts for value in read),
            tuple(map(shape_of, op.results)),
        )
        first = self._numbered.setdefault(key, op)
        if first is not op:
            for result, same in zip(op.results, first.results, strict=True):
                self._held[result] = self.held(same)

    def _keys(self, tensors: Sequence[SSAValue]) -> set[Hashable]:
        parts = (part for value in tensors for part in self.held(value).parts)
        return {None, *(tensor for part in parts for tensor in tensors_of(part, part.box))}

    def _find(self, value: SSAValue) -> Held:
        if isinstance(value, OpResult) and isinstance(value.op, GroupOp):
            last = value.op.body.block.last_op
            assert isinstance(last, GroupYieldOp)
            return self.held(last.values[value.index])
        shape = shape_of(value)
        key: Hashable = value
        if isinstance(value, BlockArgument):
            key = ("argument", value.index)
        elif isinstance(value, OpResult):
            found = moved(value.op, self.held)
            if found is not None:
                return found
            if isinstance(value.op, tensor.EmptyOp):
                return Held(shape, (Part(whole_box(shape), UNDEFINED, ()),))
            uniform = uniform_key(value.op)
            if uniform is not None:
                return Held(shape, (Part(whole_box(shape), Origin(uniform), ()),))
            if isinstance(value.op, arith.ConstantOp):
                key = ("constant", value.op.value)
            if isinstance(value.op, tensor.InsertSliceOp):
                part = itself(key, shape)
                origin = replace(part.origin, apart=self._apart(value.op))
                return Held(shape, (replace(part, origin=origin),))
            if isinstance(value.op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
                return Held(shape, self._reshaped(value.op, key))
            if value in self._rows:
                return Held(shape, (self._rows[value],))
        return Held(shape, (itself(key, shape),))

    def _apart(self, op: tensor.InsertSliceOp) -> Apart | None:
        """Where elements are set apart in one value; None if they are in several."""
        parts = self.held(op.dest).parts
        if len(parts) != 1 or parts[0].access or parts[0].origin == UNDEFINED:
            return None
        return Apart(
            tuple(op.static_offsets.get_values()),
            tuple(op.static_sizes.get_values()),
            tuple(op.static_strides.get_values()),
            parts[0].origin,
        )

    def _reshaped(
        self, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp, key: Hashable
    ) -> tuple[Part, ...]:
        """Parts whose elements are still found by their indices, and others under a new name."""
        reshape = Reshape.of(op)
        whole = itself(key, reshape.result)
        parts: list[Part] = []
        for part in self.held(op.src).parts:
            box, access = reshape.box(part.box), reshape.carried(part)
            if box is None:
                return (whole,)
            known = whole if access is None else replace(part, access=access)
            parts.append(replace(known, box=box))
        return glued(parts)

    def reads_undefined(self) -> bool:
        """Tell whether elements are read that nothing writes."""
        groups = [op for op in self.function.body.block.ops if isinstance(op, GroupOp)]
        inputs = [value for group in groups for value in group.inputs]
        returned = map(only_element_of, self.returned())
        tensors = filter(is_tensor, (*self._read, *inputs, *returned))
        return any(part.origin == UNDEFINED for value in tensors for part in self.held(value).parts)


def only_element_of(value: SSAValue) -> SSAValue:
    """The tensor of rank 0 that a scalar is taken out of; the value itself for all else."""
    op = value.owner
    return op.tensor if isinstance(op, tensor.ExtractOp) and not op.indices else value


def itself(key: Hashable, shape: Sequence[int]) -> Part:
    """All of a tensor of the whole program."""
    access = tuple(Along(dimension, 1, 0) for dimension in range(len(shape)))
    return Part(whole_box(shape), Origin(key), access)


def operations(function: FuncOp) -> Iterator[Operation]:
    """Iterate over the operations of a function, and those in groups in place of the groups."""
    if len(function.body.blocks) != 1:
        raise NotFollowedError("branches between blocks")
    for op in function.body.block.ops:
        if isinstance(op, GroupOp):
            yield from op.body.block.ops
        else:
            yield op


def other_kind(op: Operation) -> Hashable:
    """Equal for operations that do the same, whatever their shapes; regions included."""
    tables: list[SSAValue] = []
    if isinstance(op, tensor.InsertSliceOp):
        return (op.name, op.static_strides)
    if isinstance(op, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
        return (op.name, op.reassociation)
    scalars = tuple(None if is_tensor(value) else scalar_key(value) for value in op.operands)
    attributes = tuple(sorted({**op.attributes, **op.properties}.items()))
    return (op.name, attributes, scalars, element_types(op), body_key(op, tables))


def check_effects(op: Operation, asserted: set[Hashable]) -> None:
    """Add what an operation asserts; raise NotFollowedError if it does more than that."""
    if isinstance(op, cf.AssertOp):
        asserted.add((scalar_key(op.arg), op.msg))
    elif not only_asserts(op):
        raise NotFollowedError(f"{op.name} may have effects")


def volume(computation: Computation) -> int:
    """Iterations of all loops together."""
    count = 1
    for extent in computation.loops:
        count *= extent
    return count


def work_of(computation: Computation) -> int:
    """Multiply-adds of all loops together."""
    return volume(computation) if computation.is_contraction else 0


def moved(op: Operation, held: Callable[[SSAValue], Held]) -> Held | None:
    """What the result of an operation holds that computes nothing; None if it is another."""
    match op:
        case tensor.PadOp():
            return _padded(op, held)
        case tensor.CastOp():
            return held(op.source)
        case tensor.ConcatOp():
            return _concatenated(op, held)
        case tensor.ExtractSliceOp() if DYNAMIC_INDEX not in op.static_offsets.get_values():
            return sliced(held(op.source), op, op.static_offsets.get_values(), op.result)
        case tensor.InsertSliceOp() if (
            DYNAMIC_INDEX not in op.static_offsets.get_values() and not sets_apart(op)
        ):
            return inserted(held(op.source), held(op.dest), op, op.static_offsets.get_values())
        case LoadOp() | CarryOp() if not op.offsets:
            return copied(held(op.source), op, op.static_offsets.get_values())
        case StoreOp() if not op.offsets:
            offsets, sizes = op.static_offsets.get_values(), op.static_sizes.get_values()
            return put(held(op.source), held(op.destination), offsets, sizes, op)
        case _:
            return None


def copied(held: Held, op: LoadOp | CarryOp, offsets: Sequence[int]) -> Held:
    """What a copy of a region holds."""
    sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
    return clipped(held, region_of(offsets, sizes, steps), steps, range(len(sizes)))


def region_of(offsets: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Box:
    """The least box around a region."""
    return tuple((a, a + (n - 1) * s + 1) for a, n, s in zip(offsets, sizes, steps, strict=True))


def sliced(held: Held, op: tensor.ExtractSliceOp, offsets: Sequence[int], result: SSAValue) -> Held:
    """What a slice holds."""
    sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
    region = region_of(offsets, sizes, steps)
    return clipped(held, region, steps, kept_dimensions(sizes, shape_of(result)))


def sets_apart(op: tensor.InsertSliceOp) -> bool:
    """Tell whether there are elements between those that are inserted."""
    sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
    return any(step != 1 and size > 1 for step, size in zip(steps, sizes, strict=True))


def inserted(source: Held, target: Held, op: tensor.InsertSliceOp, offsets: Sequence[int]) -> Held:
    """What a tensor holds with a box of it replaced."""
    return put(source, target, offsets, op.static_sizes.get_values(), op)


def put(
    source: Held, target: Held, offsets: Sequence[int], sizes: Sequence[int], op: Operation
) -> Held:
    """Replace a region by a tensor, which may lack dimensions of size 1."""
    kept = kept_dimensions(sizes, source.shape)
    place = {number: dimension for number, dimension in enumerate(kept)}
    parts: list[Part] = []
    for part in source.parts:
        box = [(0, 1)] * len(sizes)
        for number, dimension in place.items():
            box[dimension] = part.box[number]
        access = tuple(
            along if along.dim is None else along._replace(dim=place[along.dim])
            for along in part.access
        )
        spread = Part(tuple(box), part.origin, access, part.done, op)
        parts.append(spread.moved(offsets))
    region = tuple((a, a + n) for a, n in zip(offsets, sizes, strict=True))
    return overwritten(target, parts, region)


def kept_dimensions(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of a slice that its type has; of several ones the later are kept."""
    kept: list[int] = []
    position = len(shape) - 1
    for dimension in reversed(range(len(sizes))):
        if position >= 0 and shape[position] == sizes[dimension]:
            kept.append(dimension)
            position -= 1
        elif sizes[dimension] != 1:
            raise NotFollowedError("a slice without some dimensions")
    if position >= 0:
        raise NotFollowedError("a slice without some dimensions")
    return kept[::-1]


def _padded(op: tensor.PadOp, held: Callable[[SSAValue], Held]) -> Held | None:
    low, high = op.static_low.get_values(), op.static_high.get_values()
    last = op.region.block.last_op
    if DYNAMIC_INDEX in (*low, *high) or last is None or len(last.operands) != 1:
        return None
    value = last.operands[0]
    owner = value.owner
    if (
        isinstance(owner, Operation)
        and owner.parent is op.region.block
        and not isinstance(owner, arith.ConstantOp)
    ):
        return None
    if isinstance(value, BlockArgument) and value.block is op.region.block:
        return None
    shape = shape_of(op.result)
    border = Part(whole_box(shape), Origin(("uniform", scalar_key(value))), ())
    source = held(op.source)
    region = tuple((a, a + n) for a, n in zip(low, source.shape, strict=True))
    return overwritten(Held(shape, (border,)), [p.moved(low) for p in source.parts], region)


def _concatenated(op: tensor.ConcatOp, held: Callable[[SSAValue], Held]) -> Held:
    shape = shape_of(op.results[0])
    found = Held(shape, ())
    along, place = op.dim.value.data, 0
    for operand in op.operands:
        source = held(operand)
        offsets = [0] * len(shape)
        offsets[along] = place
        place += source.shape[along]
        found = put(source, found, offsets, source.shape, op)
    return found
