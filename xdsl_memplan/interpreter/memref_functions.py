"""Operations of the dialects memref and memplan. Views share the bytes of what they view."""

from typing import Any

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, NoneAttr, ShapedType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.memplan import ArenaOp, BufferOp
from xdsl_memplan.interpreter.arrays import (
    UNWRITTEN,
    Array,
    constant,
    dtype_of,
    shape_of,
    unwritten,
    view_bytes,
)
from xdsl_memplan.interpreter.slices import reshaped, slice_of


@register_impls
class MemRefFunctions(InterpreterFunctions):
    """Implementations; every method has the name of its operation."""

    def _kept(self, interpreter: Interpreter, key: str, make: Any) -> Array:
        """An array that lives as long as the interpreter."""
        return interpreter.get_data(MemRefFunctions, key, make)

    @impl(BufferOp)
    def buffer(self, interpreter: Interpreter, op: BufferOp, args: PythonValues) -> PythonValues:
        type = op.memref.type
        if op.offset is None:
            # One storage, also for an operation in the body of a loop.
            return (self._kept(interpreter, f"buffer {id(op)}", lambda: unwritten(type)),)
        name = op.arena.root_reference.data
        arena = self._kept(interpreter, f"arena {name}", lambda: _arena_bytes(op))
        start = op.offset.value.data
        return (view_bytes(arena[start:], shape_of(type), dtype_of(type)),)

    @impl(memref.AllocOp)
    def alloc(self, _: Interpreter, op: memref.AllocOp, args: PythonValues) -> PythonValues:
        return (unwritten(op.memref.type, args),)

    @impl(memref.AllocaOp)
    def alloca(self, _: Interpreter, op: memref.AllocaOp, args: PythonValues) -> PythonValues:
        return (unwritten(op.memref.type, args),)

    @impl(memref.DeallocOp)
    def dealloc(self, _: Interpreter, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(memref.GetGlobalOp)
    def get_global(
        self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues
    ) -> PythonValues:
        found = SymbolTable.lookup_symbol(op, op.name_)
        if not isinstance(found, memref.GlobalOp):
            raise InterpretationError(f"{op.name_} is no memref.global")
        value, type = found.initial_value, found.type

        def make() -> Array:
            return constant(value) if isa(value, DenseIntOrFPElementsAttr) else unwritten(type)

        return (self._kept(interpreter, f"global {found.sym_name.data}", make),)

    @impl(memref.LoadOp)
    def load(self, _: Interpreter, op: memref.LoadOp, args: PythonValues) -> PythonValues:
        return (args[0][args[1:]].item(),)

    @impl(memref.StoreOp)
    def store(self, _: Interpreter, op: memref.StoreOp, args: PythonValues) -> PythonValues:
        args[1][args[2:]] = args[0]
        return ()

    @impl(memref.CopyOp)
    def copy(self, _: Interpreter, op: memref.CopyOp, args: PythonValues) -> PythonValues:
        source, target = args
        overlap = np.shares_memory(source, target)
        if overlap and source.__array_interface__ != target.__array_interface__:
            raise InterpretationError("memref.copy between parts that overlap")
        target[...] = source
        return ()

    @impl(memref.DimOp)
    def dim(self, _: Interpreter, op: memref.DimOp, args: PythonValues) -> PythonValues:
        return (args[0].shape[args[1]],)

    @impl(memref.CastOp)
    def cast(self, _: Interpreter, op: memref.CastOp, args: PythonValues) -> PythonValues:
        return args

    @impl(memref.MemorySpaceCastOp)
    def memory_space_cast(
        self, _: Interpreter, op: memref.MemorySpaceCastOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.AssumeAlignmentOp)
    def assume_alignment(
        self, _: Interpreter, op: memref.AssumeAlignmentOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.SubviewOp)
    def subview(self, _: Interpreter, op: memref.SubviewOp, args: PythonValues) -> PythonValues:
        return (reshaped(slice_of(op, args).of(args[0]), _shaped(op.result.type)),)

    @impl(memref.CollapseShapeOp)
    def collapse_shape(
        self, _: Interpreter, op: memref.CollapseShapeOp, args: PythonValues
    ) -> PythonValues:
        return (reshaped(args[0], _shaped(op.result.type)),)

    @impl(memref.ExpandShapeOp)
    def expand_shape(
        self, _: Interpreter, op: memref.ExpandShapeOp, args: PythonValues
    ) -> PythonValues:
        return (reshaped(args[0], _shaped(op.result.type)),)

    @impl(memref.ViewOp)
    def view(self, _: Interpreter, op: memref.ViewOp, args: PythonValues) -> PythonValues:
        source, shift, *sizes = args
        type = op.result.type
        return (view_bytes(source[shift:], shape_of(type, sizes), dtype_of(type)),)

    @impl(memref.ReinterpretCastOp)
    def reinterpret_cast(
        self, _: Interpreter, op: memref.ReinterpretCastOp, args: PythonValues
    ) -> PythonValues:
        source: Array = args[0]
        source_type = op.source.type
        assert isa(source_type, MemRefType)
        if not isinstance(source_type.layout, NoneAttr):
            # The offset counts from the start of the storage, which an array does not know.
            raise InterpretationError("reinterpret_cast of a memref with a layout")
        where = slice_of(op, args)
        [offset] = where.offsets
        last = offset + sum((n - 1) * s for n, s in zip(where.sizes, where.strides, strict=True))
        if 0 not in where.sizes and not 0 <= last < source.size:
            raise InterpretationError(f"element {last} of a memref of {source.size}")
        flat = source.reshape(-1)
        return (
            np.lib.stride_tricks.as_strided(
                flat[offset:], where.sizes, [s * source.itemsize for s in where.strides]
            ),
        )


def _arena_bytes(op: BufferOp) -> Array:
    """Memory for all planned buffers of the arena that a buffer lies in."""
    arena = SymbolTable.lookup_symbol(op, op.arena)
    if not isinstance(arena, ArenaOp):
        raise InterpretationError(f"{op.arena} is no memplan.arena")
    ends = [
        buffer.offset.value.data + buffer.size.value.data
        for buffer in arena.buffers()
        if buffer.offset is not None
    ]
    return np.full(max(ends, default=0), UNWRITTEN, np.uint8)


def _shaped(type: Attribute) -> ShapedType:
    assert isinstance(type, ShapedType)
    return type
