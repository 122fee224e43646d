"""Emission of `scf` operations: they lose their tensors, which stay in their places."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xdsl_memplan.analysis.memref_layout import Memref
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.place import Place


def emit_for(emitter: Emitter, op: Operation) -> bool:
    """A loop that carries scalars only."""
    assert isinstance(op, scf.ForOp)
    body = op.body.block
    _enter(emitter, op.iter_args, body.args[1:])
    _results(emitter, op)
    emitter.emit_block(body)
    _erase_tensors(body)
    region = op.detach_region(op.body)
    scalars = [value for value in op.iter_args if not is_tensor(value)]
    _replace(emitter, op, scf.ForOp(op.lb, op.ub, op.step, scalars, region))
    return True


def emit_while(emitter: Emitter, op: Operation) -> bool:
    """A loop that carries scalars only."""
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    _enter(emitter, op.arguments, before.args)
    _results(emitter, op)
    for argument in after.args:
        if is_tensor(argument):
            emitter.memrefs[argument] = emitter.at(emitter.placement.places[argument])
    emitter.emit_block(before)
    emitter.emit_block(after)
    _erase_tensors(before)
    _erase_tensors(after)
    regions = [op.detach_region(region) for region in list(op.regions)]
    scalars = [value for value in op.arguments if not is_tensor(value)]
    types = [result.type for result in op.res if not is_tensor(result)]
    _replace(emitter, op, scf.WhileOp(scalars, types, *regions))
    return True


def emit_branches(emitter: Emitter, op: Operation) -> bool:
    """Branches that give scalars only."""
    _results(emitter, op)
    for region in op.regions:
        for block in region.blocks:
            emitter.emit_block(block)
    new = type(op).create(
        operands=op.operands,
        result_types=[result.type for result in op.results if not is_tensor(result)],
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(region) for region in list(op.regions)],
    )
    _replace(emitter, op, new)
    return True


def emit_body(emitter: Emitter, op: Operation) -> bool:
    """A loop that carries no tensors stays."""
    for region in op.regions:
        for block in region.blocks:
            emitter.emit_block(block)
    return False


def emit_yield(emitter: Emitter, op: Operation) -> bool:
    """Leave every tensor in the place where what is around the block expects it."""
    if not any(is_tensor(value) for value in op.operands):
        return False
    parent = op.parent_op()
    assert parent is not None
    _put_all(emitter, op.operands, _targets(emitter, parent))
    new = scf.YieldOp(*(value for value in op.operands if not is_tensor(value)))
    emitter.insert(new)
    return True


def emit_condition(emitter: Emitter, op: Operation) -> bool:
    """Leave every forwarded tensor in the place of the result of the loop."""
    assert isinstance(op, scf.ConditionOp)
    if not any(is_tensor(value) for value in op.operands):
        return False
    parent = op.parent_op()
    assert isinstance(parent, scf.WhileOp)
    places = emitter.placement.places
    _put_all(emitter, op.args, [places.get(result) for result in parent.res])
    scalars = [value for value in op.args if not is_tensor(value)]
    emitter.insert(scf.ConditionOp(op.condition, *scalars))
    return True


def _targets(emitter: Emitter, parent: Operation) -> list[Place | None]:
    places = emitter.placement.places
    if isinstance(parent, scf.WhileOp):
        return [places.get(argument) for argument in parent.before_region.block.args]
    return [places.get(result) for result in parent.results]


def _put_all(emitter: Emitter, values: Sequence[SSAValue], places: Sequence[Place | None]) -> None:
    """Put all tensors at once: what one of them overwrites, another may still be."""
    moved = [
        (value, place)
        for value, place in zip(values, places, strict=True)
        if place is not None and not emitter.is_at(value, place)
    ]
    written = {place.storage.resolve() for _, place in moved}
    sources: list[tuple[SSAValue, SSAValue | None]] = []
    for value, _ in moved:
        temporary = None
        found = emitter.placement.places.get(emitter.placement.root(value))
        storage = None if found is None else found.storage.resolve()
        if len(moved) > 1 and storage in written:
            source = emitter.memref_of(value)
            # What is off chip stays there: it may be larger than all memory on chip.
            temporary = emitter.new_buffer(_dense(source), arena=storage.arena)
            emitter.copy(source, temporary)
        sources.append((value, temporary))
    for (value, temporary), (_, place) in zip(sources, moved, strict=True):
        if temporary is None:
            emitter.put(value, place)
        else:
            emitter.copy(temporary, emitter.at(place))


def _dense(value: SSAValue) -> Memref:

    type = cast(Memref, value.type)
    return MemRefType(type.element_type, type.get_shape(), NoneAttr(), type.memory_space)


def _enter(
    emitter: Emitter, initial: Sequence[SSAValue], arguments: Sequence[BlockArgument]
) -> None:
    for value, argument in zip(initial, arguments, strict=True):
        if is_tensor(argument):
            place = emitter.placement.places[argument]
            emitter.memrefs[argument] = emitter.put(value, place)


def _results(emitter: Emitter, op: Operation) -> None:
    for result in op.results:
        if is_tensor(result):
            place = emitter.placement.places[result]
            emitter.memrefs[result] = emitter.at(place, result.name_hint)


def _replace(emitter: Emitter, op: Operation, new: Operation) -> None:
    new.location = op.location
    emitter.insert(new)
    scalars = [result for result in op.results if not is_tensor(result)]
    for old, result in zip(scalars, new.results, strict=True):
        result.name_hint = old.name_hint
        emitter.replace(old, result)


def _erase_tensors(block: Block) -> None:
    for argument in [argument for argument in block.args if is_tensor(argument)]:
        block.erase_arg(argument)
