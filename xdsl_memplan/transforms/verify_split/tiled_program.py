"""Runs a tiled function on descriptions of its tensors, loops by induction."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
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
    shape_of,
    uniform_key,
)
from xdsl_memplan.transforms.verify_split.held_parts import (
    Box,
    Held,
    Origin,
    Part,
    whole_box,
    without,
)
from xdsl_memplan.transforms.verify_split.matched_insertion import set_apart
from xdsl_memplan.transforms.verify_split.matched_reshape import reshaped
from xdsl_memplan.transforms.verify_split.matching import Matcher
from xdsl_memplan.transforms.verify_split.whole_program import (
    WholeProgram,
    copied,
    inserted,
    itself,
    moved,
    put,
    region_of,
    sets_apart,
    sliced,
    volume,
)

_MOST_ITERATIONS = 4096
"""Of a loop whose iterations are followed one by one."""


@dataclass
class TiledProgram:
    """A function in tiles, beside the whole program that it stands for."""

    function: FuncOp
    program: WholeProgram
    work: int = 0
    """Multiply-adds done so far."""
    _held: dict[SSAValue, Held] = field(default_factory=dict[SSAValue, Held])
    _indices: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    _computations: dict[Operation, Computation] = field(
        default_factory=dict[Operation, Computation]
    )

    def __post_init__(self) -> None:
        self.matcher = Matcher(self.program, self._of, self._evaluate)

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

    def _block(self, block: Block) -> None:
        for op in block.ops:
            try:
                self._operation(op)
            except CheckError as error:
                error.op = error.op or op
                raise

    def _of(self, value: SSAValue) -> Held:
        held = self._held.get(value)
        if held is None:
            raise NotFollowedError(f"what {value.type} holds is not known")
        return held

    def _evaluate(self, value: SSAValue) -> int:
        """An index, a sum of loop counters with constant factors."""
        known = self._indices.get(value)
        if known is not None:
            return known
        op = value.owner
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
            case _:
                raise NotFollowedError("an index is no sum of loop counters")

    def _operation(self, op: Operation) -> None:
        if op in self._computations:
            self._tile(op, self._computations[op])
        else:
            self._other_operation(op)
        for result in op.results:
            held = self._held.get(result)
            if held is not None:
                self.matcher.decisions.append([part.origin for part in held.parts])

    def _other_operation(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp() | arith.AddiOp() | arith.MuliOp() if not is_tensor(
                op.results[0]
            ):
                pass
            case scf.ForOp():
                self._loop(op)
            case scf.YieldOp():
                pass
            case ReturnOp():
                self._check_returned(op)
            case LoadOp() | CarryOp():
                self._copy(op)
            case StoreOp():
                self._store(op)
            case tensor.EmptyOp():
                self._held[op.tensor] = Held(shape_of(op.tensor), ())
            case tensor.ExtractSliceOp():
                offsets = self._offsets(op.static_offsets.get_values(), op.offsets)
                _check_slice(op, offsets, shape_of(op.source))
                self._held[op.result] = sliced(self._of(op.source), op, offsets, op.result)
            case tensor.InsertSliceOp():
                offsets = self._offsets(op.static_offsets.get_values(), op.offsets)
                _check_slice(op, offsets, shape_of(op.dest))
                self._held[op.result] = (
                    set_apart(self.matcher, op, offsets)
                    if sets_apart(op)
                    else inserted(self._of(op.source), self._of(op.dest), op, offsets)
                )
            case tensor.ExpandShapeOp() | tensor.CollapseShapeOp():
                self._held[op.result] = reshaped(self.matcher, op)
            case _ if any(map(is_tensor, op.results)):
                self._computed(op)
            case _:
                pass

    def _computed(self, op: Operation) -> None:
        uniform = uniform_key(op)
        if uniform is not None:
            shape = shape_of(op.results[0])
            self._held[op.results[0]] = Held(shape, (Part(whole_box(shape), Origin(uniform), ()),))
            return
        found = moved(op, self._of)
        if found is not None:
            self._held[op.results[0]] = found
            return
        if isinstance(op, arith.ConstantOp):
            shape = shape_of(op.result)
            self._held[op.result] = Held(shape, (itself(("constant", op.value), shape),))
            return
        computation = computation_of(op)
        if computation is not None:
            self._computations[op] = computation
            self._tile(op, computation)
            return
        if op.name.startswith(("memplan.", "scf.", "func.", "affine.")):
            raise NotFollowedError(f"{op.name} is not followed")
        for result, held in zip(op.results, self.matcher.other_results(op), strict=True):
            self._held[result] = held

    def _tile(self, op: Operation, computation: Computation) -> None:
        results = self.matcher.results(computation)
        self.work += volume(computation) if computation.is_contraction else 0
        for result, held in zip(op.results, results, strict=True):
            self._held[result] = held

    def _copy(self, op: LoadOp | CarryOp) -> None:
        offsets = self._offsets(op.static_offsets.get_values(), op.offsets)
        sizes, steps = op.static_sizes.get_values(), op.static_strides.get_values()
        source = self._of(op.source)
        _check_inside(region_of(offsets, sizes, steps), source.shape)
        held = copied(source, op, offsets)
        self.matcher.decisions.append(self._check_written(held))
        self._held[op.result] = held

    def _store(self, op: StoreOp) -> None:
        offsets = self._offsets(op.static_offsets.get_values(), op.offsets)
        sizes = op.static_sizes.get_values()
        if any(step != 1 for step in op.static_strides.get_values()):
            raise NotFollowedError("memplan.store with steps")
        source, target = self._of(op.source), self._of(op.destination)
        _check_inside(tuple((a, a + n) for a, n in zip(offsets, sizes, strict=True)), target.shape)
        self.matcher.decisions.append(self._check_written(source))
        self._held[op.result] = put(source, target, offsets, sizes, op)

    def _offsets(self, static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int]:
        values = iter(dynamic)
        return [
            self._evaluate(next(values)) if offset == DYNAMIC_INDEX else offset for offset in static
        ]

    def _check_returned(self, op: ReturnOp) -> None:
        for number, (mine, other) in enumerate(
            zip(op.operands, self.program.returned(), strict=True)
        ):
            if not is_tensor(mine):
                continue
            shape = shape_of(mine)
            try:
                want = self.program.held(other)
                check_holds(self._of(mine), whole_box(shape), want, [0] * len(shape))
            except CheckError as error:
                raise type(error)(f"result {number}: {error}", error.by) from error

    def _check_written(self, held: Held) -> int:
        """Check that everything is written; return by how many parts."""
        rest = [whole_box(held.shape)]
        for part in held.parts:
            rest = [piece for box in rest for piece in without(box, part.box)]
        if rest:
            where = "x".join(f"[{a}, {b})" for a, b in rest[0])
            kind = NotFollowedError if self.program.reads_undefined() else MismatchError
            raise kind(f"reads elements {where} that nothing has written yet")
        return len(held.parts)

    # Loops.

    def _loop(self, op: scf.ForOp) -> None:
        first, end, step = (self._evaluate(v) for v in (op.lb, op.ub, op.step))
        count = len(range(first, end, step))
        state = [self._of(v) for v in op.iter_args]
        if count > 3:
            found = self._by_induction(op, state, first, step, count)
            if found is None:
                # The last one may take what is left.
                found = self._by_induction(op, state, first, step, count - 1)
                if found is not None:
                    found = self._iteration(op, found, first + (count - 1) * step)
            if found is None:
                if count > _MOST_ITERATIONS:
                    raise NotFollowedError("tiles of a loop are not alike")
                found = state
                for number in range(count):
                    found = self._iteration(op, found, first + number * step)
            state = found
        else:
            for number in range(count):
                state = self._iteration(op, state, first + number * step)
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
        return [self._of(value) for value in last.operands]

    def _by_induction(
        self, op: scf.ForOp, state: Sequence[Held], first: int, step: int, count: int
    ) -> list[Held] | None:
        """Follow the first two iterations, and the last one from what it should begin with.

        All numbers are linear in the counter. What holds in the second iteration and in the last,
        by the same decisions, holds in those between. Returns None if the decisions differ.
        """
        matcher, before = self.matcher, self.work
        around, matcher.decisions = matcher.decisions, []
        one = self._iteration(op, state, first)
        work = self.work
        matcher.decisions = []
        two = self._iteration(op, one, first + step)
        decisions, per_tile = matcher.decisions, self.work - work
        late = [_later(a, b, count - 2) for a, b in zip(one, two, strict=True)]
        last = [_later(a, b, count - 1) for a, b in zip(one, two, strict=True)]
        begin = [held for held in late if held is not None]
        matcher.decisions = []
        alike = False
        if len(begin) == len(late):
            # Tiles that are not alike need not meet what this one begins with.
            with suppress(CheckError):
                end = self._iteration(op, begin, first + (count - 1) * step)
                alike = end == last and matcher.decisions == decisions
        matcher.decisions = [*around, decisions]
        self.work = work + (count - 1) * per_tile if alike else before
        return [held for held in last if held is not None] if alike else None


def _later(one: Held, two: Held, steps: int) -> Held | None:
    """What is held so many iterations after `one`, if each changes it as the one to `two`."""
    if len(one.parts) != len(two.parts):
        return None
    parts: list[Part] = []
    for a, b in zip(one.parts, two.parts, strict=True):
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
