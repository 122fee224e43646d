"""Runs a tiled function on descriptions of its tensors, loops by induction."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.transforms.verify_split.check_errors import (
    CheckError,
    MismatchError,
    NotFollowedError,
)
from xdsl_memplan.transforms.verify_split.comparison import check_holds
from xdsl_memplan.transforms.verify_split.computation import (
    Computation,
    computation_of,
    is_tensor,
    scalar_key,
    shape_of,
    uniform_key,
)
from xdsl_memplan.transforms.verify_split.held_parts import (
    Box,
    Held,
    Origin,
    Part,
    left_of,
    whole_box,
)
from xdsl_memplan.transforms.verify_split.matched_insertion import set_apart
from xdsl_memplan.transforms.verify_split.matched_reshape import reshaped
from xdsl_memplan.transforms.verify_split.matching import Matcher
from xdsl_memplan.transforms.verify_split.whole_program import (
    WholeProgram,
    check_effects,
    copied,
    inserted,
    itself,
    moved,
    only_element_of,
    put,
    region_of,
    sets_apart,
    sliced,
)

_WithOffsets: TypeAlias = tensor.ExtractSliceOp | tensor.InsertSliceOp | LoadOp | CarryOp | StoreOp

_MOST_RUNS = 4096
"""Runs of iterations that are alike, in a loop."""

_MOST_PARTS = 512
"""Parts of one tensor that are known at a time; networks have a few dozen. Work grows with their
square: 81 shifts of an image over itself, each of which is zero at an end as others are, have some
thousand."""


@dataclass
class TiledProgram:
    """A function in tiles, beside the whole program that it stands for."""

    function: FuncOp
    program: WholeProgram
    times: Counter[Operation] = field(default_factory=Counter[Operation])
    """How often contractions, loads, stores and what looks elements up are done; loads of one value
    everywhere are not counted."""
    _held: dict[SSAValue, Held] = field(default_factory=dict[SSAValue, Held])
    _indices: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _asserted: set[Hashable] = field(default_factory=set[Hashable])
    computations: dict[Operation, Computation] = field(default_factory=dict[Operation, Computation])
    """The tiles that are operations with loops."""

    def __post_init__(self) -> None:
        self.matcher = Matcher(self.program, self.held, self._evaluate)
        # Operations that are not looked up in the whole program.
        self._rules: dict[type[Operation], Callable[[Any], None]] = {
            scf.ForOp: self._loop,
            scf.YieldOp: lambda op: None,
            ReturnOp: self._check_returned,
            LoadOp: self._copy,
            CarryOp: self._copy,
            StoreOp: self._store,
            tensor.EmptyOp: self._empty,
            tensor.ExtractSliceOp: self._slice,
            tensor.InsertSliceOp: self._insert,
            tensor.ExpandShapeOp: self._reshape,
            tensor.CollapseShapeOp: self._reshape,
        }

    def run(self) -> None:
        """Follow the function to what it returns.

        Raises MismatchError with the operation that does not do what the whole program does,
        NotFollowedError with the one of which that cannot be told.
        """
        if len(self.function.body.blocks) != 1:
            raise NotFollowedError("branches between blocks")
        block = self.function.body.block
        for argument in block.args:
            if is_tensor(argument):
                shape = shape_of(argument)
                self._held[argument] = Held(shape, (itself(("argument", argument.index), shape),))
        self._block(block)
        if self._asserted != self.program.asserted:
            raise NotFollowedError("asserts something else than the whole program")

    def _block(self, block: Block) -> None:
        for op in block.ops:
            try:
                self._operation(op)
            except CheckError as error:
                error.op = error.op or op
                raise

    def held(self, value: SSAValue) -> Held:
        """What a tensor holds, in a loop the last time; raises NotFollowedError if not known."""
        held = self._held.get(value)
        if held is None:
            raise NotFollowedError(f"what {value.type} holds is not known")
        return held

    def _evaluate(self, value: SSAValue) -> int:
        """An index: a sum of loop counters with factors, or the larger or smaller of two."""
        known = self._indices.get(value)
        if known is not None:
            return known
        op = value.owner
        if not isinstance(value.type, IndexType):
            raise NotFollowedError("an index may wrap around")
        match op:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return number.value.data
            case arith.AddiOp():
                return self._evaluate(op.lhs) + self._evaluate(op.rhs)
            case arith.SubiOp():
                return self._evaluate(op.lhs) - self._evaluate(op.rhs)
            case arith.MuliOp() if any(
                isinstance(operand.owner, arith.ConstantOp) for operand in op.operands
            ):
                return self._evaluate(op.lhs) * self._evaluate(op.rhs)
            case arith.MaxSIOp() | arith.MinSIOp():
                return self._chosen(op)
            case _:
                raise NotFollowedError("an index is no sum of loop counters")

    def _chosen(self, op: arith.MaxSIOp | arith.MinSIOp) -> int:
        """The larger or the smaller of two indices.

        Which one it is is a decision: between two iterations that decide alike all do, as both are
        linear.
        """
        left, right = self._evaluate(op.lhs), self._evaluate(op.rhs)
        is_left = left >= right if isinstance(op, arith.MaxSIOp) else left <= right
        self.matcher.decisions.append(is_left)
        return left if is_left else right

    def _operation(self, op: Operation) -> None:
        if op in self.computations:
            self._tile(op, self.computations[op])
        else:
            self._other_operation(op)
        for result in op.results:
            held = self._held.get(result)
            if held is not None:
                if len(held.parts) > _MOST_PARTS:
                    raise NotFollowedError("may be too many things at once")
                self.matcher.decisions.append([part.origin for part in held.parts])

    def _other_operation(self, op: Operation) -> None:
        rule = self._rules.get(type(op))
        if rule is not None:
            rule(op)
        elif any(map(is_tensor, op.results)):
            self._computed(op)
        else:
            check_effects(op, self._asserted)

    def _empty(self, op: tensor.EmptyOp) -> None:
        [result] = op.results
        self._held[result] = Held(shape_of(result), ())

    def _slice(self, op: tensor.ExtractSliceOp) -> None:
        offsets = self._offsets(op)
        source, result = self.held(op.operands[0]), op.results[0]
        _check_slice(op, offsets, source.shape)
        self._held[result] = sliced(source, op, offsets, result)

    def _insert(self, op: tensor.InsertSliceOp) -> None:
        offsets = self._offsets(op)
        _check_slice(op, offsets, shape_of(op.dest))
        if any(step != 1 for step in op.static_strides.get_values()):
            try:
                self._held[op.result] = set_apart(self.matcher, op, offsets)
                return
            except CheckError:
                # A single element has nothing between it and others of the tile.
                if sets_apart(op):
                    raise
        self._held[op.result] = inserted(self.held(op.source), self.held(op.dest), op, offsets)

    def _reshape(self, op: tensor.ExpandShapeOp | tensor.CollapseShapeOp) -> None:
        self._held[op.result] = reshaped(self.matcher, op)

    def _computed(self, op: Operation) -> None:
        uniform = uniform_key(op)
        if uniform is not None:
            shape = shape_of(op.results[0])
            self._held[op.results[0]] = Held(shape, (Part(whole_box(shape), Origin(uniform), ()),))
            return
        found = moved(op, self.held)
        if found is not None:
            self._held[op.results[0]] = found
            return
        if isinstance(op, arith.ConstantOp):
            shape = shape_of(op.result)
            self._held[op.result] = Held(shape, (itself(("constant", op.value), shape),))
            return
        computation = computation_of(op)
        if computation is not None:
            self.computations[op] = computation
            self._tile(op, computation)
            return
        if op.name.startswith(("memplan.", "scf.", "func.", "affine.")):
            raise NotFollowedError(f"{op.name} is not followed")
        for result, held in zip(op.results, self.matcher.other_results(op), strict=True):
            self._held[result] = held

    def _tile(self, op: Operation, computation: Computation) -> None:
        results = self.matcher.results(computation)
        if computation.is_contraction or computation.tables:
            self.times[op] += 1
        for result, held in zip(op.results, results, strict=True):
            self._held[result] = held

    def _copy(self, op: LoadOp | CarryOp) -> None:
        offsets = self._offsets(op)
        sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
        source = self.held(op.operands[0])
        _check_inside(region_of(offsets, sizes, steps), source.shape)
        held = copied(source, op, offsets)
        if isinstance(op, LoadOp) and any(part.access for part in held.parts):
            self.times[op] += 1
        self.matcher.decisions.append(self._check_written(held))
        self._held[op.result] = held

    def _store(self, op: StoreOp) -> None:
        offsets = self._offsets(op)
        sizes = op.static_sizes.get_values()
        if any(step != 1 for step in op.static_strides.get_values()):
            raise NotFollowedError("memplan.store with steps")
        source, target = self.held(op.source), self.held(op.destination)
        _check_inside(tuple((a, a + n) for a, n in zip(offsets, sizes, strict=True)), target.shape)
        self.matcher.decisions.append(self._check_written(source))
        self.times[op] += 1
        self._held[op.result] = put(source, target, offsets, sizes, op)

    def _offsets(self, op: _WithOffsets) -> Sequence[int]:
        static = op.static_offsets.get_values()
        if DYNAMIC_INDEX not in static:
            return static
        values = iter(op.offsets)
        return tuple(
            self._evaluate(next(values)) if offset == DYNAMIC_INDEX else offset for offset in static
        )

    def _check_returned(self, op: ReturnOp) -> None:
        for number, (mine, other) in enumerate(
            zip(op.operands, self.program.returned(), strict=True)
        ):
            mine, other = only_element_of(mine), only_element_of(other)
            if not (is_tensor(mine) and is_tensor(other)):
                if scalar_key(mine) != scalar_key(other):
                    raise NotFollowedError(f"result {number} is not known to be that of the whole")
                continue
            shape = shape_of(mine)
            try:
                want = self.program.held(other)
                check_holds(self.held(mine), whole_box(shape), want, [0] * len(shape))
            except CheckError as error:
                raise type(error)(f"result {number}: {error}", error.by) from error

    def _check_written(self, held: Held) -> int:
        """Check that everything is written; return by how many parts."""
        rest = [whole_box(held.shape)]
        for part in held.parts:
            rest = left_of(rest, part.box)
        if rest:
            where = "x".join(f"[{a}, {b})" for a, b in rest[0])
            kind = NotFollowedError if self.program.reads_undefined() else MismatchError
            raise kind(f"reads elements {where} that nothing has written yet")
        return len(held.parts)

    # Loops.

    def _loop(self, op: scf.ForOp) -> None:
        first, end, step = (self._evaluate(v) for v in (op.lb, op.ub, op.step))
        if step <= 0:
            raise NotFollowedError("a loop that does not count upwards")
        count = len(range(first, end, step))
        state = [self.held(v) for v in op.iter_args]
        done = runs = 0
        while done < count:
            counter = first + done * step
            if count - done > 3:
                state, many = self._alike(op, state, counter, step, count - done)
                done += many
            else:
                state = self._iteration(op, state, counter)
                done += 1
            runs += 1
            if runs > _MOST_RUNS:
                raise NotFollowedError("tiles of a loop are not alike")
        for result, held in zip(op.results, state, strict=True):
            self._held[result] = held

    def _iteration(self, op: scf.ForOp, state: Sequence[Held], counter: int) -> list[Held]:
        block = op.body.block
        self._indices[block.args[0]] = counter
        for argument, held in zip(block.args[1:], state, strict=True):
            self._held[argument] = held
        self._block(block)
        last = block.last_op
        assert isinstance(last, scf.YieldOp)
        return [self.held(value) for value in last.operands]

    def _alike(
        self, op: scf.ForOp, state: Sequence[Held], first: int, step: int, count: int
    ) -> tuple[list[Held], int]:
        """Follow two iterations, and those after them that are alike; return how many it were.

        All numbers are linear in the counter. What holds in the second iteration and in a later
        one, by the same decisions, holds in those between.
        """
        matcher = self.matcher
        around, matcher.decisions = matcher.decisions, []
        one = self._iteration(op, state, first)
        matcher.decisions, times, self.times = [], self.times, Counter()
        two = self._iteration(op, one, first + step)
        decisions, per_tile = matcher.decisions, self.times

        def goes_on(many: int) -> bool:
            """Whether the last of so many iterations is as the second one."""
            late, last = _later(one, two, many - 2), _later(one, two, many - 1)
            if late is None or last is None:
                return False
            matcher.decisions, self.times = [], Counter()
            # Tiles that are not alike need not meet what this one begins with.
            with suppress(CheckError):
                end = self._iteration(op, late, first + (many - 1) * step)
                return end == last and matcher.decisions == decisions
            return False

        many = _longest(count, goes_on)
        self.times = times
        for tile, count in per_tile.items():
            self.times[tile] += (many - 1) * count
        matcher.decisions = [*around, (many, decisions)]
        end = two if many == 2 else _later(one, two, many - 1)
        assert end is not None
        return end, many


def _longest(count: int, goes_on: Callable[[int], bool]) -> int:
    """How many iterations are alike, at least two: all, all but the last one, or a first part."""
    for many in (count, count - 1):
        if goes_on(many):
            return many
    least, most = 2, 4
    while most < count - 1 and goes_on(most):
        least, most = most, 2 * most
    most = min(most, count - 1)
    while most - least > 1:
        middle = (least + most) // 2
        if goes_on(middle):
            least = middle
        else:
            most = middle
    return least


def _later(one: Sequence[Held], two: Sequence[Held], steps: int) -> list[Held] | None:
    """What is handed on so many iterations after `one`, if each changes it as the one to `two`."""
    late: list[Held] = []
    for a, b in zip(one, two, strict=True):
        held = _held_later(a, b, steps)
        if held is None:
            return None
        late.append(held)
    return late


def _held_later(one: Held, two: Held, steps: int) -> Held | None:
    """What is held so many iterations after `one`, if each changes it as the one to `two`."""
    if len(one.parts) != len(two.parts):
        return None
    parts: list[Part] = []
    for a, b in zip(one.parts, two.parts, strict=True):
        if a is b:  # Nearly always: an iteration changes few of the parts that there are.
            parts.append(b)
            continue
        if a.origin != b.origin or len(a.access) != len(b.access):
            return None
        box: Box = tuple(
            (low + steps * (low2 - low), high + steps * (high2 - high))
            for (low, high), (low2, high2) in zip(a.box, b.box, strict=True)
        )
        access = list(a.access)
        for number, (mine, other) in enumerate(zip(a.access, b.access, strict=True)):
            if (mine.dim, mine.step) != (other.dim, other.step):
                return None
            if mine.shift is not None and other.shift is not None:
                access[number] = mine._replace(
                    shift=mine.shift + steps * (other.shift - mine.shift)
                )
            elif mine.shift is not other.shift:
                return None
        parts.append(
            replace(b, box=box, access=tuple(access), done=a.done + steps * (b.done - a.done))
        )
    return Held(one.shape, tuple(parts))


def _check_inside(region: Box, shape: Sequence[int]) -> None:
    for dimension, ((a, b), extent) in enumerate(zip(region, shape, strict=True)):
        if a < 0 or b > extent:
            raise MismatchError(f"dimension {dimension} is [{a}, {b}), outside of {extent}")


def _check_slice(
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp, offsets: Sequence[int], shape: Sequence[int]
) -> None:
    region = region_of(offsets, op.static_sizes.get_values(), op.static_strides.get_values())
    _check_inside(region, shape)
