"""Checks a plan that is written in the IR, independently of what made it."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import lifetimes_of
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.memplan import ArenaOp, BufferOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import storage_of
from xdsl_memplan.transforms.abstract_execution import (
    ExecutedFunction,
    Instance,
    Place,
    execute,
)
from xdsl_memplan.transforms.refuse_tensor_ir import refuse_tensor_ir
from xdsl_memplan.transforms.verify_banks import check_banks
from xdsl_memplan.transforms.verify_given import check_order, given_instances
from xdsl_memplan.transforms.verify_places import checked_place
from xdsl_memplan.transforms.verify_regions import verify_regions


@dataclass(frozen=True)
class MemplanVerifyPass(ModulePass):
    """Check the offsets in the IR: nothing that is live may share bytes with anything else that is.

    Accepted, because `%a` is read for the last time before `%c` is written:

    ```mlir
    memplan.arena @L1 alignment 64 size 128
    func.func @main(%x: memref<16xf32>) {
      %a = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
      %b = memplan.buffer @L1 size 64 alignment 64 offset 64 : memref<16xf32>
      %c = memplan.buffer @L1 size 64 alignment 64 offset 0 : memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
      linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
      linalg.exp ins(%b : memref<16xf32>) outs(%c : memref<16xf32>)
      linalg.exp ins(%c : memref<16xf32>) outs(%x : memref<16xf32>)
      func.return
    }
    ```

    The IR is left as it is. With `%b` at offset 32 the pass fails:

    ```mlir
    // '%a = memplan.buffer' (operation 1 of @main), bytes [0, 64) at ticks [0, 2), and
    // '%b = memplan.buffer' (operation 2 of @main), bytes [32, 96) at ticks [1, 3),
    // share bytes [32, 64) of @L1 at tick 1
    ```

    It checks that every buffer has an offset, is aligned, lies inside its arena, that arenas keep
    to their capacity, that lifetimes in the IR cover all accesses, that no two buffers in use
    share bytes, and that a call leaves alone what its caller still needs. A `memref.subview` lies
    in what it is part of, also with offsets that depend on loops, and has the type of what it
    takes. Where `memplan.traffic` says how many bytes move, they are counted again from the copies
    that are there, and from what bodies load off chip: as many as its `total`, or without one no
    more than its `bytes` besides those that reach a returned buffer. Aliases and liveness are
    recomputed by running the functions on abstract storage; no code is shared with the analysis
    that the other passes use. What a buffer asks for (`memplan.fixed_offset`,
    `memplan.offset_range`, `memplan.candidates`, `memplan.copies`) is checked as well, and operands
    of `memplan.different_banks`, by the `banks` of the arena.

    Options:

    - `lifetimes` (`computed`): `given` takes the lifetimes in the IR as they are, whatever their
      ticks mean, and checks overlap and order only: no two buffers share bytes at one tick, and
      every operation has a tick at which all its buffers are alive, not before an earlier
      operation on one of them.

    Requires buffer IR after `memplan-assign-offsets`.
    """

    name = "memplan-verify"

    lifetimes: Literal["computed", "given"] = "computed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Check every function of the module ``op``.

        Raises PassFailedException with the two buffers, their bytes and their ticks.
        """
        arenas = {a.sym_name.data: a for a in op.body.ops if isinstance(a, ArenaOp)}
        functions = {f.sym_name.data: f for f in op.body.ops if isinstance(f, FuncOp)}
        done: dict[str, ExecutedFunction] = {}
        for name, function in functions.items():
            _execute(name, functions, arenas, done, [])
            if self.lifetimes == "computed":
                verify_regions(function, op)
        if self.lifetimes == "given":
            _verify_given(op, functions, arenas)
        elif not arenas:
            refuse_tensor_ir(op, self.name)
        for executed in done.values():
            check_banks(executed, arenas)
            if self.lifetimes == "computed":
                _verify_computed(executed, arenas)


def _verify_given(
    module: ModuleOp, functions: dict[str, FuncOp], arenas: dict[str, ArenaOp]
) -> None:
    places = {name: _places(function, arenas) for name, function in functions.items()}
    holders = frozenset(name for name, found in places.items() if found)
    for name, function in functions.items():
        instances = given_instances(function, places[name], holders)
        for arena in arenas:
            _check_overlap(arena, [i for i in instances if i.place and i.place.arena == arena])
    for lifetimes in lifetimes_of(module).values():
        check_order(lifetimes)


def _verify_computed(executed: ExecutedFunction, arenas: dict[str, ArenaOp]) -> None:
    _check_lifetimes(executed)
    if executed.copies_clash is not None:
        a, b = executed.copies_clash
        assert a.place is not None
        raise PassFailedException(
            f"{_described(a)}, has {a.place.copies} copies, and more iterations need theirs at "
            f"ticks [{b.first_tick}, {b.last_tick + 1})"
        )
    for arena in arenas:
        _check_overlap(arena, [i for i in executed.instances if i.place and i.place.arena == arena])


def _places(function: FuncOp, arenas: dict[str, ArenaOp]) -> dict[Operation, Place]:
    return {
        op: checked_place(op, trait, arenas)
        for op in operations_in(function)
        if (trait := storage_of(op)) is not None
    }


def _execute(
    name: str,
    functions: dict[str, FuncOp],
    arenas: dict[str, ArenaOp],
    done: dict[str, ExecutedFunction],
    pending: list[str],
) -> None:
    """Run a function after all that it calls."""
    function = functions.get(name)
    if function is None or name in done or not function.body.blocks:
        return
    if name in pending:
        raise PassFailedException(
            f"{describe_op(function)}: calls itself, so it cannot be verified"
        )
    pending.append(name)
    for op in operations_in(function):
        if isinstance(op, CallOp):
            _execute(op.callee.string_value(), functions, arenas, done, pending)
    pending.pop()
    done[name] = execute(function, _places(function, arenas), done)


def _check_lifetimes(executed: ExecutedFunction) -> None:
    """Check that the lifetimes in the IR cover all accesses."""
    for instance in executed.instances:
        op = instance.op
        trait = storage_of(op) if op is not None else None
        lifetime = trait.get_lifetime(op) if trait is not None and op is not None else None
        if op is None or lifetime is None or instance.first is None:
            continue
        if instance.first_tick < lifetime.start or instance.last_tick >= lifetime.end:
            raise PassFailedException(
                f"{describe_op(op)}: its lifetime is [{lifetime.start}, {lifetime.end}), but it is "
                f"in use at ticks [{instance.first_tick}, {instance.last_tick + 1})"
            )


def _check_overlap(arena: str, instances: Iterable[Instance]) -> None:
    """Check that no two instances in use at one step share bytes, by a sweep over the steps.

    What is in use is disjoint, so a newcomer can only clash with its neighbours. n log n.
    """
    used = [i for i in instances if i.first is not None and i.last >= i.first and i.place]
    used.sort(key=lambda i: i.first or 0)
    order: list[tuple[int, int]] = []
    owners: dict[int, Instance] = {}
    expiry: list[tuple[int, int, int]] = []
    for number, instance in enumerate(used):
        place, first = instance.place, instance.first
        assert place is not None
        assert first is not None
        if place.size == 0:
            continue
        while expiry and expiry[0][0] < first:
            _, offset, old = heappop(expiry)
            if owners.get(offset) is used[old]:
                order.pop(bisect_left(order, (offset,)))
                del owners[offset]
        position = bisect_left(order, (place.offset,))
        near = order[max(position - 1, 0) : position + 1]
        for other in (owners[offset] for offset, _ in near):
            assert other.place is not None
            if max(place.offset, other.place.offset) >= min(
                place.offset + place.size, other.place.offset + other.place.size
            ):
                continue
            if other.op is instance.op and isinstance(instance.op, BufferOp):
                continue  # One storage, reused by every iteration.
            if other.op is instance.op and place.copies > 1:
                continue  # Copies that iterations take in turn, checked before.
            raise _shared(arena, other, instance)
        held = owners.get(place.offset)
        if held is None:
            insort(order, (place.offset, number))
        if held is None or instance.last > held.last:
            owners[place.offset] = instance
            heappush(expiry, (instance.last, place.offset, number))


def _shared(arena: str, a: Instance, b: Instance) -> PassFailedException:
    assert a.place is not None
    assert b.place is not None
    start = max(a.place.offset, b.place.offset)
    end = min(a.place.offset + a.place.size, b.place.offset + b.place.size)
    message = f"{_described(a)}, and {_described(b)}, share bytes [{start}, {end}) of @{arena}"
    if a.op is b.op:
        message += " in successive iterations: an iteration still needs what its predecessor made"
    else:
        message += f" at tick {max(a.first_tick, b.first_tick)}"
    return PassFailedException(message)


def _described(instance: Instance) -> str:
    place, op = instance.place, instance.op
    assert place is not None
    assert op is not None
    of = ", memory taken by the call" if isinstance(op, CallOp) else ""
    return (
        f"{describe_op(op)}{of}, bytes [{place.offset}, {place.offset + place.size}) at ticks "
        f"[{instance.first_tick}, {instance.last_tick + 1})"
    )
