"""Bufferization of a module: plan every function first, then rewrite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation

from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.lifetimes import lifetimes_of
from xdsl_memplan.analysis.memories import Memories, arena_ops, ensure_arenas
from xdsl_memplan.analysis.memref_layout import Tensor, dense_memref
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.memplan import BufferOp, LifetimeAttr
from xdsl_memplan.dialects.off_chip import HOME, RetrieveOp, SpillOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.bufferize.buffer_attributes import buffer_attributes
from xdsl_memplan.transforms.bufferize.check import check_function
from xdsl_memplan.transforms.bufferize.constants import Globals
from xdsl_memplan.transforms.bufferize.copies_off_chip import note_copies_off_chip
from xdsl_memplan.transforms.bufferize.emission import Emitter
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize
from xdsl_memplan.transforms.bufferize.handed_back import handed_back
from xdsl_memplan.transforms.bufferize.handover import take
from xdsl_memplan.transforms.bufferize.homes import Homes
from xdsl_memplan.transforms.bufferize.liveness import NOTHING, Liveness, is_tensor
from xdsl_memplan.transforms.bufferize.peak import Peak
from xdsl_memplan.transforms.bufferize.place_boundary import place_arguments, writable_arguments
from xdsl_memplan.transforms.bufferize.placement import Placement, Rules
from xdsl_memplan.transforms.bufferize.stock_records import record_of, writes_anywhere


@dataclass(frozen=True)
class Options:
    """How to bufferize; the options of the pass."""

    alignment: int | None = None
    """Of each buffer; that of its memory if it is None."""
    memory: str = ""
    in_place: bool = True
    lifetimes: bool = True


def bufferize_module(module: ModuleOp, options: Options) -> None:
    """Bufferize all functions of a module.

    Raises PassFailedException, before anything is changed, for what cannot be bufferized.
    """
    memories = Memories.of(module, options.memory)
    functions = [op for op in operations_in(module) if isinstance(op, func.FuncOp)]
    for function in functions:
        if function.parent_op() is not module and _has_tensors(function):
            raise cannot_bufferize(
                function, "only functions at the top of the module can have buffers of its arenas"
            )
    found = {function: take(function) for function in functions}
    for function in functions:
        if found[function] is None:
            check_function(function)
            _check_moves(function, memories)
    spaces: dict[str | None, Attribute] = {
        name: arena.space for name, arena in arena_ops(module).items() if arena.space is not None
    }
    if memories.default.name in spaces:
        spaces[None] = spaces[memories.default.name]
    arena = memories.default
    alignment = options.alignment or arena.alignment
    known: dict[str, tuple[frozenset[int], ...]] = {}
    placements: list[Placement] = []
    for function in _callees_first(module, functions):
        placement = found[function]
        if placement is None or spaces or not options.in_place:
            placement = place_function(
                function, spaces, options.in_place, arena.name, known, alignment=alignment
            )
        known[function.sym_name.data] = handed_back(placement)
        placements.append(placement)
    written = {f.sym_name.data: writable_arguments(f) for f in functions}
    if any(map(_has_tensors, functions)):
        ensure_arenas(module, memories.by_name.values())
    globals = Globals(module, alignment)
    attributes = buffer_attributes(memories, options.alignment, spaces)
    with_homes = [f for f in functions if _has_homes(f)]
    for placement in placements:
        emitter = Emitter(placement, globals, arena.name, attributes, record_of, written)
        _rewrite(placement.function, emitter)
    for function in functions:
        if not function.body.blocks:
            _rewrite_declaration(function, spaces.get(None))
    globals.insert()
    for function in with_homes:
        note_copies_off_chip(function, arena.name)
    for lifetimes in lifetimes_of(module).values() if options.lifetimes else ():
        for op in lifetimes.function.walk():
            if isinstance(op, BufferOp):
                lifetime = lifetimes.lifetime(op.memref)
                op.lifetime = LifetimeAttr.of(lifetime)


def _has_homes(function: func.FuncOp) -> bool:
    """Tell whether loops or branches say where they hand tensors on."""
    return any(HOME in op.attributes for block in function.body.blocks for op in block.ops)


def _has_tensors(function: func.FuncOp) -> bool:
    values = (value for op in operations_in(function) for value in (*op.operands, *op.results))
    return any(map(is_tensor, values))


def _callees_first(module: ModuleOp, functions: list[func.FuncOp]) -> list[func.FuncOp]:
    """Functions with a body, every callee before its callers; those of nested modules come last."""
    ordered = list(CallGraph.of(module).bottom_up)
    known = set(ordered)
    return ordered + [f for f in functions if f.body.blocks and f not in known]


def _check_moves(function: func.FuncOp, memories: Memories) -> None:
    for op in operations_in(function):
        if (
            isinstance(op, SpillOp | RetrieveOp | StoreOp)
            and op.arena.string_value() not in memories.by_name
        ):
            name, known = op.arena.string_value(), ", ".join(memories.by_name)
            raise cannot_bufferize(
                op,
                f"there is no memory '{name}', known is {known}; "
                "give the option memory that memplan-schedule had",
            )


def place_function(
    function: func.FuncOp,
    spaces: dict[str | None, Attribute],
    in_place: bool,
    default_arena: str | None = None,
    handed_back: Mapping[str, tuple[frozenset[int], ...]] = NOTHING,
    sharing: Sharing | None = None,
    alignment: int = 1,
) -> Placement:
    """Find the places of all tensors of a function, in a few rounds that lower the peak.

    Storages count as multiples of `alignment`.

    `handed_back` is as for `Liveness`; `sharing` is what was asked about the operations before.
    """
    liveness = Liveness(function, handed_back, sharing)
    homes = Homes(default_arena)
    uniforms = Uniforms()

    def place(keep_apart: frozenset[tuple[Operation, int]]) -> Placement:
        placement = Placement(function, liveness, spaces, in_place, keep_apart, homes, uniforms)
        place_arguments(placement)
        placement.run(Rules(record_of, writes_anywhere))
        return placement

    best = place(frozenset())
    peak = Peak(best, alignment)
    least = peak.bytes
    for _ in range(_MOST_ROUNDS):
        entries = peak.relieve()
        if not entries:
            break
        # Taken out of one slice, a tensor may end up in another one: that helps or it does not.
        for apart in (entries, peak.with_other_slices(entries)):
            placement = place(best.keep_apart | apart)
            found = Peak(placement, alignment)
            if found.bytes < least:
                break
        else:
            break
        best, peak, least = placement, found, found.bytes
    return best


_MOST_ROUNDS = 3
"""More rounds have not been seen to help, and each takes as long as the first."""


def _rewrite_declaration(function: func.FuncOp, space: Attribute | None) -> None:
    """A function of somebody else gets memrefs as well; see `emit_call` for what it may do."""
    types = function.function_type
    function.function_type = FunctionType.from_lists(
        [dense_memref(cast(Tensor, t)) if isinstance(t, TensorType) else t for t in types.inputs],
        [
            dense_memref(cast(Tensor, t), space) if isinstance(t, TensorType) else t
            for t in types.outputs
        ],
    )


def _rewrite(function: func.FuncOp, emitter: Emitter) -> None:
    entry = function.body.blocks[0]
    # Replaced all at once: to insert or erase one argument takes as long as there are others.
    types = [dense_memref(cast(Tensor, a.type)) if is_tensor(a) else a.type for a in entry.args]
    new = Block(arg_types=types)
    for argument, replacement in zip(entry.args, new.args, strict=True):
        replacement.name_hint = argument.name_hint
        if is_tensor(argument):
            emitter.memrefs[argument] = replacement
        else:
            emitter.replace(argument, replacement)
    for block in list(function.body.blocks):
        emitter.emit_block(block)
    for op in list(entry.ops):
        op.detach()
        new.add_op(op)
    function.body.insert_block_before(new, entry)
    function.body.erase_block(entry)
    last = function.body.blocks[-1].last_op
    results: list[Attribute] = [value.type for value in last.operands] if last else []
    function.function_type = FunctionType.from_lists(types, results)
