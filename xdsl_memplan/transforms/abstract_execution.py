"""Runs a function on abstract storage, to learn what is live when: one half of `memplan-verify`.

This is deliberately not how `xdsl_memplan.analysis` does it, and shares nothing with it. There,
every value gets an interval of ticks, and intervals move along alias edges. Here the function is
executed: both arms of a conditional one after the other, every loop at least twice and until its
arguments point to nothing new, and each execution of an allocation makes a new instance. What is
live when can then be read off a straight trace.

What an operation touches is decided by types and by xDSL's own effect traits: every operand that
can hold a pointer, unless xDSL says that the operation has no effect on memory. What comes out of
an operation may point to all that went in. An embedder's own word (`ReadsWritesTrait`) is taken
for her own operations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.interfaces import (
    Access,
    AliasingTrait,
    Effects,
    ReadsWritesTrait,
)
from xdsl_memplan.dialects.queries import effects_of, storage_of, trait_of
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.wishes import DIFFERENT_BANKS
from xdsl_memplan.dialects.xdsl_versions import LinalgStructuredOperation
from xdsl_memplan.transforms.copy_turns import CopyTurns, ticks_inside


@dataclass(frozen=True)
class Place:
    """Bytes ``[offset, offset + size)`` of an arena."""

    arena: str
    offset: int
    size: int
    """Of all copies together."""
    copies: int = 1
    """How many iterations of a loop take in turn."""


@dataclass(eq=False)
class Instance:
    """Storage made by one execution of an operation; or what a call takes; or an argument."""

    op: Operation | None
    place: Place | None
    first: int | None = None
    """Steps of the trace, both inclusive."""
    last: int = -1
    first_tick: int = 0
    """Ticks of the function, both inclusive."""
    last_tick: int = -1

    def touch(self, step: int, tick: int) -> None:
        """Note an access."""
        if self.first is None:
            self.first, self.first_tick = step, tick
        self.last = max(self.last, step)
        self.first_tick = min(self.first_tick, tick)
        self.last_tick = max(self.last_tick, tick)


Pointers = tuple[Instance, ...]


@dataclass
class ExecutedFunction:
    """What a function did; sizes in bytes."""

    instances: list[Instance]
    """Everything with a place, in the order it was made."""
    arguments: Sequence[Instance]
    returned: Sequence[Pointers]
    ticks: int
    peaks: dict[str, int] = field(default_factory=dict[str, int])
    """Highest byte in use by arena, calls included."""
    wishes_for_banks: list[tuple[Operation, list[Pointers]]] = field(
        default_factory=list[tuple[Operation, list[Pointers]]]
    )
    """Executions of operations with `memplan.different_banks`, and where operands pointed."""
    copies_clash: tuple[Instance, Instance] | None = None
    """Two pieces of storage of one operation that are in use at once in the same copy."""


_SCALARS = (AnyFloat, IntegerType, IndexType, VectorType, ComplexType, NoneType)
_LOOPS = {"scf.for": 3, "affine.for": None, "scf.parallel": None, "affine.parallel": None}
_BRANCHES = {"scf.if", "scf.index_switch", "scf.execute_region", "affine.if", "memref.alloca_scope"}
_HARMLESS = {
    "bufferization.to_buffer",
    "bufferization.to_tensor",
    "builtin.unrealized_conversion_cast",
    "memplan.buffer",
    "tensor.empty",
}
"""Operations for which xDSL forgot to say that they do not touch contents."""
_NUMBERS = {
    "affine.load",
    "memref.atomic_rmw",
    "memref.dim",
    "memref.extract_strided_metadata",
    "memref.load",
    "memref.rank",
}
"""Operations whose numbers are elements, sizes and strides, and no addresses."""


def execute(
    function: FuncOp, places: dict[Operation, Place], callees: dict[str, ExecutedFunction]
) -> ExecutedFunction:
    """Run ``function``, whose storage has the given places; callees first.

    Linear in the operations executed: twice the body of every loop, or once more than it takes
    until what the loop carries is made by the same operations again.
    Raises PassFailedException for control flow it cannot follow.
    """
    return _Execution(function, places, callees).run()


class _Execution:
    def __init__(
        self,
        function: FuncOp,
        places: dict[Operation, Place],
        callees: dict[str, ExecutedFunction],
    ) -> None:
        self.function = function
        self.places = places
        self.callees = callees
        self.pointers: dict[SSAValue, Pointers] = {}
        self.instances: list[Instance] = []
        self.step = 0
        self.ticks: dict[Operation, int] = {}
        self.tick_count = 0
        self.parallel = 0
        self.turns = CopyTurns()
        self.wishes_for_banks: list[tuple[Operation, list[Pointers]]] = []

    def run(self) -> ExecutedFunction:
        arguments = [Instance(None, None) for _ in self.function.args]
        for value, argument in zip(self.function.args, arguments, strict=True):
            if _may_point(value.type):
                self.pointers[value] = (argument,)
        returned = self.run_region(self.function.body)
        for pointers in returned:
            for instance in pointers:
                # The caller may read it, or write what nobody has written yet.
                instance.touch(self.step, max(self.tick_count - 1, 0))
        done = ExecutedFunction(self.instances, arguments, returned, self.tick_count)
        done.wishes_for_banks = self.wishes_for_banks
        done.copies_clash = self.turns.clash()
        self.turns.live_through()
        for instance in self.instances:
            if (place := instance.place) is not None:
                end = place.offset + place.size
                done.peaks[place.arena] = max(done.peaks.get(place.arena, 0), end)
        return done

    def run_region(self, region: Region) -> list[Pointers]:
        """Run a region and return what its terminator hands on."""
        if not region.blocks:
            return []
        if len(region.blocks) > 1:
            op = region.blocks[1].first_op or region.parent
            raise _failed(op, "branches between blocks cannot be verified")
        return self.run_block(region.block)

    def run_block(self, block: Block) -> list[Pointers]:
        last = block.last_op
        for op in block.ops:
            if op is not last or op.results or op.regions or not _is_terminator(op):
                self.run_operation(op)
            self.note_banks(op)
        return [self.of(v) for v in last.operands] if last is not None else []

    def note_banks(self, op: Operation) -> None:
        if DIFFERENT_BANKS in op.attributes:
            self.wishes_for_banks.append((op, [self.of(v) for v in op.operands]))

    def of(self, value: SSAValue) -> Pointers:
        return self.pointers.get(value, ())

    def bind(self, values: Sequence[SSAValue], pointers: Sequence[Pointers]) -> None:
        for value, targets in zip(values, pointers, strict=True):
            self.pointers[value] = targets

    def run_operation(self, op: Operation) -> None:
        name = op.name
        if storage_of(op) is not None:
            self.make_storage(op)
            if touched := list(self.accesses(op)):
                self.touch(op, touched)
        elif name in _LOOPS:
            self.run_loop(op)
        elif name == "scf.while":
            self.run_while(op)
        elif name in _BRANCHES:
            arms = [self.run_region(region) for region in op.regions]
            self.bind(op.results, _union(*[arm for arm in arms if len(arm) == len(op.results)]))
        elif isinstance(op, CallOp):
            self.run_call(op)
        else:
            self.run_plain(op)

    def make_storage(self, op: Operation) -> None:
        if self.parallel:
            raise _failed(op, "iterations of a parallel loop share this memory")
        instance = Instance(op, self.places.get(op))
        self.instances.append(instance)
        self.turns.made(instance)
        for result in op.results:
            self.pointers[result] = (instance,)
        trait = storage_of(op)
        if trait is not None:
            self.pointers[trait.storage(op)] = (instance,)

    def run_plain(self, op: Operation) -> None:
        touched = list(self.accesses(op))
        if touched or _takes_time(op):
            self.touch(op, touched)
        self.point_results(op)

    def point_results(self, op: Operation) -> None:
        """Let results point where operands do, unless it is known that they do not."""
        given = _merge(*map(self.of, op.operands))
        if not given:
            return
        aliasing = None if _is_stock(op) else trait_of(op, AliasingTrait)
        if aliasing is not None:
            for tie in aliasing.aliases(op):
                old, new = self.of(op.results[tie.result]), self.of(op.operands[tie.operand])
                self.pointers[op.results[tie.result]] = _merge(old, new)
            return
        effects = _said(op)
        # Arithmetic on an address gives an address, and so may any number not read from memory.
        address = any(self.of(v) and not _may_point(v.type) for v in op.operands)
        reads = effects.takes_time if effects is not None else _reads_numbers(op)
        for i, result in enumerate(op.results):
            if effects is not None and Access.WRITE in effects.results[i]:
                continue
            number = _may_be_address(result.type) and not reads
            if _may_point(result.type) or address or number:
                self.pointers[result] = given

    def accesses(self, op: Operation) -> Iterable[Instance]:
        """Everything an operation touches, and operations inside it, as one step."""
        # Most operations are scalar arithmetic: what they would do to contents is not asked.
        operands = [self.of(operand) for operand in op.operands]
        if any(operands) and _touches_contents(op):
            shapes = _that_only_give_a_shape(op)
            for index, pointers in enumerate(operands):
                if index not in shapes:
                    yield from pointers
        if storage_of(op) is not None and (effects := _said(op)) is not None:
            for result, access in zip(op.results, effects.results, strict=True):
                yield from self.of(result) if access else ()
        if not op.regions:
            return
        given = _merge(*map(self.of, op.operands))
        for argument in (a for region in op.regions for block in region.blocks for a in block.args):
            if given and _may_point(argument.type):
                self.pointers[argument] = given
        yield from self.accesses_inside(op)

    def accesses_inside(self, op: Operation) -> Iterable[Instance]:
        """Everything that operations in the regions of one touch."""
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    if storage_of(inner) is not None:
                        self.make_storage(inner)
                    yield from self.accesses(inner)
                    self.note_banks(inner)
                    if storage_of(inner) is None:
                        self.point_results(inner)

    def touch(self, op: Operation, instances: Iterable[Instance]) -> None:
        tick = self.ticks.get(op)
        if tick is None:
            tick = self.ticks[op] = self.tick_count
            self.tick_count += 1
        for instance in instances:
            instance.touch(self.step, tick)
        self.step += 1

    def run_call(self, op: CallOp) -> None:
        callee = self.callees.get(op.callee.string_value())
        operands = [self.of(v) for v in op.operands]
        taken = list(_merge(*operands))
        if callee is None:
            self.touch(op, taken)
            for result in op.results:
                if _may_point(result.type) or _may_be_address(result.type):
                    self.pointers[result] = tuple(taken)
            return
        for arena, peak in callee.peaks.items():
            whole = Instance(op, Place(arena, 0, peak))
            self.instances.append(whole)
            taken.append(whole)
        self.touch(op, taken)
        arguments = dict(zip(map(id, callee.arguments), operands, strict=True))
        returned: dict[int, Instance] = {}
        for result, pointers in zip(op.results, callee.returned, strict=True):
            targets: list[Instance] = []
            for instance in pointers:
                if id(instance) in arguments:
                    targets += arguments[id(instance)]
                elif instance.place is not None:
                    kept = returned.get(id(instance))
                    if kept is None:
                        # Until the end of the call these bytes are part of what the callee owns.
                        kept = Instance(op, instance.place, self.step, -1, self.ticks[op] + 1)
                        returned[id(instance)] = kept
                        self.instances.append(kept)
                    targets.append(kept)
            self.pointers[result] = tuple(targets)

    def run_loop(self, op: Operation) -> None:
        count = len(op.results)
        first = _LOOPS[op.name]
        start = len(op.operands) - count if first is None else first
        initial = [self.of(v) for v in op.operands[start : start + count]]
        is_parallel = op.name.endswith("parallel")
        self.parallel += is_parallel
        body = op.regions[0]
        carried = body.block.args[len(body.block.args) - count :] if not is_parallel else ()
        before = set(self.instances)
        state, seen = initial, 0
        states: set[tuple[frozenset[int], ...]] = set()
        is_settled = False
        entered = self.step
        self.turns.enter()
        while True:
            if seen >= 2 and _shape(state) in states:
                if is_settled or before.issuperset(_merge(*state)):
                    break
                # What this repetition touches late is in use when the next one begins.
                is_settled = True
            states.add(_shape(state))
            if carried:
                self.bind(carried, state)
            handed_on = self.run_region(body)
            if carried:
                state = _union(handed_on, _older(state, before))
            seen += 1
            self.turns.next_iteration()
        self.leave_loop(op, entered)
        self.parallel -= is_parallel
        self.bind(op.results, _union(initial, state) if carried else [()] * count)

    def run_while(self, op: Operation) -> None:
        before_region, after_region = op.regions
        older = set(self.instances)
        state: list[Pointers] = [self.of(v) for v in op.operands]
        results: list[Pointers] = [()] * len(op.results)
        states: set[tuple[frozenset[int], ...]] = set()
        seen = 0
        is_settled = False
        entered = self.step
        self.turns.enter()
        while True:
            self.bind(before_region.block.args, state)
            forwarded = self.run_region(before_region)[1:]
            results = _union(forwarded, _older(results, older))
            if seen >= 2 and _shape(state) in states:
                if is_settled or older.issuperset(_merge(*state)):
                    break
                is_settled = True
            states.add(_shape(state))
            self.bind(after_region.block.args, forwarded)
            state = _union(self.run_region(after_region), _older(state, older))
            seen += 1
            self.turns.next_iteration()
        self.leave_loop(op, entered)
        self.bind(op.results, results)

    def leave_loop(self, loop: Operation, entered: int) -> None:
        ticks: list[int] = []
        if self.turns.any_made():
            ticks = [tick for op in loop.walk() if (tick := self.ticks.get(op)) is not None]
        self.turns.leave((entered, self.step - 1), ticks_inside(ticks))


def _is_terminator(op: Operation) -> bool:
    return op.name.endswith(("yield", "return", ".condition"))


def _may_point(type_: Attribute) -> bool:
    return _is_no_scalar(type(type_))


@cache  # Asked of every operand, and isinstance is slow where a class has an ABC.
def _is_no_scalar(kind: type[Attribute]) -> bool:
    return not issubclass(kind, _SCALARS)


def _touches_contents(op: Operation) -> bool:
    if op.name in _HARMLESS or op.name.endswith(".yield"):
        return False
    if not _is_stock(op) and trait_of(op, ReadsWritesTrait) is not None:
        said = _said(op)
        return said is None or said.takes_time
    effects = get_effects(op)
    if effects is None:
        return True
    return any(e.kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE) for e in effects)


def _takes_time(op: Operation) -> bool:
    """Tell whether an operation is a tick although it touches nothing that is planned."""
    types = (*op.operand_types, *op.result_types)
    if any(isinstance(type_, MemRefType | UnrankedMemRefType) for type_ in types):
        return _touches_contents(op)
    if any(isinstance(type_, TensorType | UnrankedTensorType) for type_ in types):
        effects = effects_of(op)
        return effects is None or effects.takes_time
    return False


def _is_stock(op: Operation) -> bool:
    """Tell whether an operation is xDSL's own: an embedder's word is taken for hers only."""
    return type(op).__module__.startswith("xdsl.")


def _reads_numbers(op: Operation) -> bool:
    """Tell whether the numbers that come out are read from memory, or sizes."""
    effects = get_effects(op)
    return op.name in _NUMBERS or any(e.kind is MemoryEffectKind.READ for e in effects or ())


def _said(op: Operation) -> Effects | None:
    """What an embedder says of her operation; None for xDSL's own and if she says nothing."""
    trait = None if _is_stock(op) else trait_of(op, ReadsWritesTrait)
    return None if trait is None else trait.effects(op)


def _may_be_address(type_: Attribute) -> bool:
    """Tell whether an address has room in a number of the type."""
    if isinstance(type_, IntegerType):
        return type_.bitwidth >= 16
    return isinstance(type_, IndexType)


def _that_only_give_a_shape(op: Operation) -> Sequence[int]:
    """List the operands that are inputs which no element is taken from, as a pooling window."""
    if not op.regions or not _is_structured(type(op)):
        return ()
    arguments = op.regions[0].block.args[: input_count(op)]
    return [index for index, argument in enumerate(arguments) if argument.first_use is None]


@cache
def _is_structured(op_class: type[Operation]) -> bool:
    return issubclass(op_class, LinalgStructuredOperation)


def _merge(*pointers: Pointers) -> Pointers:
    if len(found := [targets for targets in pointers if targets]) < 2:
        return found[0] if found else ()  # Nearly always.
    return tuple(dict.fromkeys(instance for targets in pointers for instance in targets))


def _union(*rows: Sequence[Pointers]) -> list[Pointers]:
    return [_merge(*column) for column in zip(*rows, strict=True)]


def _older(state: Sequence[Pointers], before: set[Instance]) -> list[Pointers]:
    """Keep what was made before the loop: it may still be meant in any later iteration."""
    return [tuple(i for i in targets if i in before) for targets in state]


def _shape(state: Sequence[Pointers]) -> tuple[frozenset[int], ...]:
    """Tell states apart by what made the storage, not by the instance."""
    return tuple(
        frozenset(id(i.op) if i.op is not None else id(i) for i in targets) for targets in state
    )


def _failed(op: Operation | None, reason: str) -> PassFailedException:
    name = op.name if op is not None else "function"
    return PassFailedException(f"'{name}': {reason}")
