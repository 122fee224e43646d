"""Ways to spoil a function in tiles; each still is valid IR."""

import random
from collections.abc import Callable, Iterator

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    f32,
    i64,
)
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp


def of_kind(module: ModuleOp, *kinds: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kinds)]


def _shift(*kinds: type[Operation]) -> Callable[[ModuleOp, random.Random], bool]:
    """Move a region by one."""

    def spoil(module: ModuleOp, rng: random.Random) -> bool:
        found = of_kind(module, *kinds)
        if not found:
            return False
        op = rng.choice(found)
        static = op.attributes if "static_offsets" in op.attributes else op.properties
        offsets = list(static["static_offsets"].get_values())
        places = [i for i, offset in enumerate(offsets) if offset != DYNAMIC_INDEX]
        if not places:
            return False
        place = rng.choice(places)
        offsets[place] = max(0, offsets[place] + rng.choice((-1, 1)))
        static["static_offsets"] = DenseArrayBase.from_list(i64, offsets)
        return True

    return spoil


def _drop(kind: type[Operation], operand: int) -> Callable[[ModuleOp, random.Random], bool]:
    """Leave out what puts a tile into a tensor."""

    def spoil(module: ModuleOp, rng: random.Random) -> bool:
        found = of_kind(module, kind)
        if not found:
            return False
        op = rng.choice(found)
        op.results[0].replace_all_uses_with(op.operands[operand])
        op.detach()
        op.erase()
        return True

    return spoil


def _constant(op: Operation, number: int) -> SSAValue:
    made = arith.ConstantOp(IntegerAttr(number, IndexType()))
    assert op.parent is not None
    op.parent.insert_op_before(made, op)
    return made.result


def _bound(position: int, by: int) -> Callable[[ModuleOp, random.Random], bool]:
    """Change a bound or the step of a loop."""

    def spoil(module: ModuleOp, rng: random.Random) -> bool:
        loops = of_kind(module, scf.ForOp)
        if not loops:
            return False
        op = rng.choice(loops)
        old = op.operands[position].owner
        assert isinstance(old, arith.ConstantOp)
        op.operands[position] = _constant(op, old.value.value.data + by)
        return True

    return spoil


def swap_bounds(module: ModuleOp, rng: random.Random) -> bool:
    loops = of_kind(module, scf.ForOp)
    counts = {op.operands[1].owner.value.value.data for op in loops}
    if len(counts) < 2:
        return False
    one, other = rng.sample(loops, 2)
    numbers = [op.operands[1].owner.value.value.data for op in (one, other)]
    one.operands[1], other.operands[1] = _constant(one, numbers[1]), _constant(other, numbers[0])
    return True


def change_index(module: ModuleOp, rng: random.Random) -> bool:
    """Change a factor or a constant of an index."""
    found = [
        (op, position)
        for op in of_kind(module, arith.MuliOp, arith.AddiOp, arith.MinSIOp, arith.MaxSIOp)
        if isinstance(op.results[0].type, IndexType)
        for position, operand in enumerate(op.operands)
        if isinstance(operand.owner, arith.ConstantOp)
    ]
    if not found:
        return False
    op, position = rng.choice(found)
    number = op.operands[position].owner.value.value.data
    op.operands[position] = _constant(op, number + rng.choice((-1, 1)))
    return True


def _an_end(module: ModuleOp, rng: random.Random) -> Operation | None:
    """What keeps an index of shifted tiles below or above an end."""
    found = of_kind(module, arith.MinSIOp, arith.MaxSIOp)
    return rng.choice(found) if found else None


def change_end(module: ModuleOp, rng: random.Random) -> bool:
    """Let tiles at an end of a row be shifted by more or less."""
    if (op := _an_end(module, rng)) is None:
        return False
    number = op.operands[1].owner.value.value.data
    op.operands[1] = _constant(op, number + rng.choice((-1, 1)))
    return True


def swap_ends(module: ModuleOp, rng: random.Random) -> bool:
    """Keep an index below an end instead of above, or the other way round."""
    if (op := _an_end(module, rng)) is None:
        return False
    kind = arith.MaxSIOp if isinstance(op, arith.MinSIOp) else arith.MinSIOp
    Rewriter.replace_op(op, kind(op.operands[0], op.operands[1]))
    return True


def _before(op: Operation) -> Iterator[SSAValue]:
    """Values that an operation could use, of its own block and those around it."""
    at: Operation | None = op
    while at is not None and at.parent is not None:
        for other in at.parent.ops:
            if other is at:
                break
            yield from other.results
        yield from at.parent.args
        at = at.parent_op()


def _other_operand(*kinds: type[Operation]) -> Callable[[ModuleOp, random.Random], bool]:
    """Read another tensor of the same type."""

    def spoil(module: ModuleOp, rng: random.Random) -> bool:
        found = of_kind(module, *kinds)
        rng.shuffle(found)
        for op in found:
            for position in rng.sample(range(len(op.operands)), len(op.operands)):
                old = op.operands[position]
                if isinstance(old.type, IndexType):
                    continue
                others = [v for v in _before(op) if v.type == old.type and v is not old]
                if others:
                    op.operands[position] = rng.choice(others)
                    return True
        return False

    return spoil


def swap_yielded(module: ModuleOp, rng: random.Random) -> bool:
    for op in of_kind(module, scf.YieldOp):
        for i, one in enumerate(op.operands):
            for j in range(i):
                if op.operands[j].type == one.type:
                    op.operands[i], op.operands[j] = op.operands[j], one
                    return True
    return False


def yield_what_came(module: ModuleOp, rng: random.Random) -> bool:
    """Let a loop hand on what it was given."""
    loops = [op for op in of_kind(module, scf.ForOp) if op.results]
    if not loops:
        return False
    block = rng.choice(loops).regions[0].block
    last = block.last_op
    place = rng.randrange(len(last.operands))
    last.operands[place] = block.args[1 + place]
    return True


def turn_padding(module: ModuleOp, rng: random.Random) -> bool:
    found = of_kind(module, tensor.PadOp)
    if not found:
        return False
    op = rng.choice(found)
    low, high = op.properties["static_low"], op.properties["static_high"]
    op.properties["static_low"], op.properties["static_high"] = high, low
    return True


def other_filling(module: ModuleOp, rng: random.Random) -> bool:
    found = of_kind(module, linalg.FillOp)
    if not found:
        return False
    op = rng.choice(found)
    made = arith.ConstantOp(FloatAttr(3.5, f32))
    op.parent.insert_op_before(made, op)
    op.operands[0] = made.result
    return True


def turn_parts(module: ModuleOp, rng: random.Random) -> bool:
    """Put what was kept behind what is new."""
    found = of_kind(module, tensor.ConcatOp)
    if not found:
        return False
    op = rng.choice(found)
    op.operands = list(reversed(op.operands))
    return True


def other_body(module: ModuleOp, rng: random.Random) -> bool:
    found = [op for op in of_kind(module, arith.AddfOp) if op.parent_op().name == "linalg.generic"]
    if not found:
        return False
    op = rng.choice(found)
    made = arith.MulfOp(op.lhs, op.rhs)
    op.parent.insert_op_before(made, op)
    op.result.replace_all_uses_with(made.result)
    op.detach()
    op.erase()
    return True


def start_sum_anew(module: ModuleOp, rng: random.Random) -> bool:
    """Let a contraction begin at zero again, or go on where it should begin."""
    found = [
        op
        for op in module.walk()
        if op.name.startswith(("linalg.matmul", "linalg.conv", "linalg.batch", "linalg.generic"))
        and not isinstance(op.operands[-1].owner, linalg.FillOp)
        and op.results
    ]
    if not found:
        return False
    op = rng.choice(found)
    empty = tensor.EmptyOp((), op.results[0].type)
    zero = arith.ConstantOp(FloatAttr(0.0, f32))
    fill = linalg.FillOp((zero.result,), (empty.tensor,), (op.results[0].type,))
    for made in (empty, zero, fill):
        op.parent.insert_op_before(made, op)
    op.operands[len(op.operands) - 1] = fill.results[0]
    return True


def return_another(module: ModuleOp, rng: random.Random) -> bool:
    [op] = of_kind(module, ReturnOp)
    place = rng.randrange(len(op.operands))
    others = [
        v
        for v in _before(op)
        if isinstance(v, OpResult)
        and v.type == op.operands[place].type
        and v is not op.operands[place]
    ]
    if not others:
        return False
    op.operands[place] = rng.choice(others)
    return True


SPOILERS: dict[str, Callable[[ModuleOp, random.Random], bool]] = {
    "shift a load": _shift(LoadOp),
    "shift a store": _shift(StoreOp),
    "shift a carry": _shift(CarryOp),
    "shift a slice": _shift(tensor.ExtractSliceOp),
    "shift an insertion": _shift(tensor.InsertSliceOp),
    "drop a store": _drop(StoreOp, 1),
    "drop an insertion": _drop(tensor.InsertSliceOp, 1),
    "one tile less": _bound(1, -1),
    "one tile more": _bound(1, 1),
    "first tile left out": _bound(0, 1),
    "every second tile": _bound(2, 1),
    "swap bounds": swap_bounds,
    "change an index": change_index,
    "change an end": change_end,
    "swap ends": swap_ends,
    "load another tensor": _other_operand(LoadOp),
    "carry another tensor": _other_operand(CarryOp),
    "store another tensor": _other_operand(StoreOp, tensor.InsertSliceOp),
    "compute of another tensor": _other_operand(
        linalg.GenericOp, linalg.MatmulOp, linalg.Conv2DNchwFchwOp
    ),
    "swap what a loop hands on": swap_yielded,
    "hand on what came": yield_what_came,
    "turn padding": turn_padding,
    "another filling": other_filling,
    "turn a concatenation": turn_parts,
    "another body": other_body,
    "start a sum anew": start_sum_anew,
    "return another tensor": return_another,
}
