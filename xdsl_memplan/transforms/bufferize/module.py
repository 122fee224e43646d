"""Bufferization of a module: plan every function first, then rewrite."""

from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute

from xdsl_memplan.analysis.lifetimes import lifetimes_of
from xdsl_memplan.analysis.memories import Memories, ensure_arenas
from xdsl_memplan.dialects.memplan import BufferOp, LifetimeAttr
from xdsl_memplan.transforms.bufferize.constants import Globals
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.emit_table import find_emit
from xdsl_memplan.transforms.bufferize.liveness import Liveness, is_tensor
from xdsl_memplan.transforms.bufferize.memref_layout import Tensor, dense_memref
from xdsl_memplan.transforms.bufferize.place_boundary import place_arguments
from xdsl_memplan.transforms.bufferize.placement import Placement
from xdsl_memplan.transforms.bufferize.rules import RULES


def bufferize_module(module: ModuleOp, *, alignment: int, memory: str, in_place: bool) -> None:
    """Bufferize all functions of a module.

    Raises PassFailedException, before anything is changed, for what cannot be bufferized.
    """
    memories = Memories.of(module, memory)
    functions = [op for op in module.walk() if isinstance(op, func.FuncOp)]
    placements: list[Placement] = []
    for function in functions:
        if function.body.blocks:
            placement = Placement(function, Liveness(function), None, in_place)
            place_arguments(placement)
            placement.run(RULES)
            placements.append(placement)
    arena = memories.default
    ensure_arenas(module, [arena])
    globals = Globals(module, alignment)
    for placement in placements:
        emitter = Emitter(placement, globals, arena.name, alignment, find_emit)
        _rewrite(placement.function, emitter)
    globals.insert()
    for lifetimes in lifetimes_of(module).values():
        for op in lifetimes.function.walk():
            if isinstance(op, BufferOp):
                lifetime = lifetimes.lifetime(op.memref)
                op.lifetime = LifetimeAttr.of(lifetime)


def _rewrite(function: func.FuncOp, emitter: Emitter) -> None:
    entry = function.body.blocks[0]
    for argument in list(entry.args):
        if is_tensor(argument):
            type = dense_memref(cast(Tensor, argument.type))
            new = entry.insert_arg(type, argument.index)
            new.name_hint = argument.name_hint
            emitter.memrefs[argument] = new
    for block in list(function.body.blocks):
        emitter.emit_block(block)
    for argument in list(entry.args):
        if is_tensor(argument):
            entry.erase_arg(argument)
    last = entry.last_op
    assert last is not None
    results: list[Attribute] = [value.type for value in last.operands]
    function.function_type = FunctionType.from_lists([a.type for a in entry.args], results)
