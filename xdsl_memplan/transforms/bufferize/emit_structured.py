"""Emission of `linalg` operations and of arithmetic on whole tensors."""

from functools import lru_cache
from typing import cast

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, i32
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from xdsl_memplan.analysis.memref_layout import Tensor
from xdsl_memplan.dialects.memplan import LIFETIMES
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.queries import destinations_of
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.inlined_scalars import inlined_inputs
from xdsl_memplan.transforms.bufferize.liveness import is_tensor


def emit_structured(emitter: Emitter, op: Operation) -> bool:
    """The same operation on memrefs."""
    if all(emitter.placement.uniforms.of(result) is not None for result in op.results):
        return True
    _load_captured(emitter, op)
    targets = _targets(emitter, op)
    if type(op) is linalg_ops.GenericOp:
        _emit_generic(emitter, op, targets)
        return True
    operands = [
        targets.get(index) or _input(emitter, operand) for index, operand in enumerate(op.operands)
    ]
    new = type(op).create(
        operands=operands,
        properties=op.properties,
        attributes=_attributes(op),
        regions=[op.detach_region(region) for region in list(op.regions)],
    )
    new.location = op.location
    emitter.insert(new)
    return True


def emit_by_traits(emitter: Emitter, op: Operation) -> bool:
    """The same operation on memrefs, without its tensor results: an operation of somebody else."""
    targets = _targets(emitter, op)
    new = type(op).create(
        operands=[targets.get(i) or _input(emitter, v) for i, v in enumerate(op.operands)],
        result_types=[result.type for result in op.results if not is_tensor(result)],
        properties=op.properties,
        attributes=_attributes(op),
    )
    new.location = op.location
    emitter.insert(new)
    kept = iter(new.results)
    for result in op.results:
        if not is_tensor(result):
            emitter.replace(result, next(kept))
    return True


def _targets(emitter: Emitter, op: Operation) -> dict[int, SSAValue]:
    """The memref of each destination operand whose result somebody needs."""
    reads = emitter.liveness.reads(op)
    needed = emitter.liveness.needed_results(op)
    targets: dict[int, SSAValue] = {}
    for tie in destinations_of(op):
        if not needed[tie.result]:
            continue
        result = op.results[tie.result]
        place = emitter.placement.places[result]
        if reads[tie.operand]:
            target = emitter.put(op.operands[tie.operand], place)
        else:
            target = emitter.at(place, result.name_hint)
        targets[tie.operand] = emitter.memrefs[result] = target
    return targets


def emit_elementwise(emitter: Emitter, op: Operation) -> bool:
    """A `linalg.generic` that computes one element after another."""
    result = op.results[0]
    type_ = cast(Tensor, result.type)
    target = emitter.at(emitter.placement.places[result], result.name_hint)
    emitter.memrefs[result] = target
    block = Block()
    inputs: list[SSAValue] = []
    arguments: list[SSAValue] = []
    for operand in op.operands:
        uniform = emitter.placement.uniforms.of(operand) if is_tensor(operand) else None
        if not is_tensor(operand):
            arguments.append(operand)
        elif uniform is not None:
            arguments.append(emitter.scalar(uniform.scalar))
        else:
            inputs.append(emitter.memref_of(operand))
            element = cast(Tensor, operand.type).element_type
            arguments.append(block.insert_arg(element, len(block.args)))
    block.insert_arg(type_.element_type, len(block.args))
    inner = type(op).create(
        operands=arguments,
        result_types=[type_.element_type],
        properties=op.properties,
        attributes=_attributes(op),
    )
    block.add_ops((inner, linalg_ops.YieldOp(inner.results[0])))
    rank = len(type_.get_shape())
    maps = [AffineMapAttr(AffineMap.identity(rank))] * (len(inputs) + 1)
    iterators = [IteratorTypeAttr.parallel()] * rank
    emitter.insert(linalg_ops.GenericOp(inputs, [target], Region(block), maps, iterators))
    return True


def _emit_generic(emitter: Emitter, op: linalg_ops.GenericOp, targets: dict[int, SSAValue]) -> None:
    """A generic without inputs that are the same everywhere, and without results nobody needs."""
    body = op.detach_region(op.body)
    block = body.block
    first = len(op.operands) - len(op.results)
    maps = op.indexing_maps.data
    inputs: list[SSAValue] = []
    outputs: list[SSAValue] = []
    kept: list[AffineMapAttr] = []
    dropped: list[int] = []
    inlined = inlined_inputs(op, targets, emitter.placement.uniforms)
    for index, operand in enumerate(op.operands):
        if index >= first:
            target = targets.get(index)
            if target is None:
                dropped.append(index)
                continue
            outputs.append(target)
        else:
            uniform = emitter.placement.uniforms.of(operand) if index in inlined else None
            if uniform is not None:
                block.args[index].replace_all_uses_with(emitter.scalar(uniform.scalar))
                dropped.append(index)
                continue
            inputs.append(_input(emitter, operand))
        kept.append(maps[index])
    if dropped:
        terminator = block.last_op
        assert terminator is not None
        terminator.operands = [
            v for i, v in enumerate(terminator.operands) if i + first not in dropped
        ]
        _erase_unused(block)
        for index in reversed(dropped):
            block.erase_arg(block.args[index])
    new = linalg_ops.GenericOp.create(
        operands=[*inputs, *outputs],
        properties=op.properties
        | {
            "indexing_maps": ArrayAttr(kept) if dropped else op.indexing_maps,
            "operandSegmentSizes": _segments(len(inputs), len(outputs)),
        },
        attributes=_attributes(op),
        regions=[body],
    )
    new.location = op.location
    emitter.insert(new)


@lru_cache(maxsize=1024)
def _segments(inputs: int, outputs: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, (inputs, outputs))


def _input(emitter: Emitter, operand: SSAValue) -> SSAValue:
    return emitter.memref_of(operand) if is_tensor(operand) else operand


def _erase_unused(block: Block) -> None:
    """Erase what only dropped results were computed with."""
    for op in reversed(list(block.ops)):
        unused = op.results and not any(result.uses for result in op.results)
        if unused and (isinstance(op, linalg_ops.IndexOp) or only_computes(op)):
            op.detach()
            op.erase()


def _load_captured(emitter: Emitter, op: Operation) -> None:
    """Let the body read tensors from outside through their memrefs."""
    for inner in operations_in(op) if op.regions else ():
        if type(inner) is tensor.ExtractOp:
            assert inner.parent is not None
            emit_extract_before(emitter, inner)
            inner.detach()
            inner.erase()


def emit_extract_before(emitter: Emitter, op: tensor.ExtractOp) -> None:
    """Read one element where `op` reads it."""
    uniform = emitter.placement.uniforms.of(op.tensor)
    if uniform is not None:
        emitter.replace(op.result, emitter.scalar(uniform.scalar))
        return
    source = emitter.memref_of(op.tensor)
    load = memref.LoadOp.get(source, op.indices)
    load.res.name_hint = op.result.name_hint
    assert op.parent is not None
    op.parent.insert_op_before(load, op)
    emitter.replace(op.result, load.res)


def _attributes(op: Operation) -> dict[str, Attribute]:
    return {name: value for name, value in op.attributes.items() if name != LIFETIMES}
