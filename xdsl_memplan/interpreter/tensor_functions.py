"""Operations of the dialects tensor and bufferization; a tensor is never written, but copied."""

from typing import Any

import numpy as np
from xdsl.dialects import bufferization, tensor
from xdsl.dialects.builtin import ShapedType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)

from xdsl_memplan.dialects.tensor_additions import GenerateOp
from xdsl_memplan.interpreter.arrays import dtype_of, shape_of, unwritten
from xdsl_memplan.interpreter.slices import merged, reshaped, slice_of


def _shaped(type: Any) -> ShapedType:
    assert isinstance(type, ShapedType)
    return type


@register_impls
class TensorFunctions(InterpreterFunctions):
    """Implementations; every method has the name of its operation."""

    @impl(tensor.EmptyOp)
    def empty(self, _: Interpreter, op: tensor.EmptyOp, args: PythonValues) -> PythonValues:
        return (unwritten(op.tensor.type, args),)

    @impl(tensor.CastOp)
    def cast(self, _: Interpreter, op: tensor.CastOp, args: PythonValues) -> PythonValues:
        return args

    @impl(tensor.DimOp)
    def dim(self, _: Interpreter, op: tensor.DimOp, args: PythonValues) -> PythonValues:
        return (args[0].shape[args[1]],)

    @impl(tensor.SplatOp)
    def splat(self, _: Interpreter, op: tensor.SplatOp, args: PythonValues) -> PythonValues:
        type = op.result.type
        return (np.full(shape_of(type, args[1:]), args[0], dtype_of(type)),)

    @impl(tensor.FromElementsOp)
    def from_elements(
        self, _: Interpreter, op: tensor.FromElementsOp, args: PythonValues
    ) -> PythonValues:
        type = op.result.type
        return (np.array(args, dtype_of(type)).reshape(shape_of(type)),)

    @impl(GenerateOp)
    def generate(
        self, interpreter: Interpreter, op: GenerateOp, args: PythonValues
    ) -> PythonValues:
        type = op.result.type
        result = np.empty(shape_of(type, args), dtype_of(type))
        for index in np.ndindex(result.shape):
            (result[index],) = interpreter.run_ssacfg_region(op.body, index, "tensor.generate")
        return (result,)

    @impl(tensor.ExtractOp)
    def extract(self, _: Interpreter, op: tensor.ExtractOp, args: PythonValues) -> PythonValues:
        return (args[0][args[1:]].item(),)

    @impl(tensor.InsertOp)
    def insert(self, _: Interpreter, op: tensor.InsertOp, args: PythonValues) -> PythonValues:
        result = args[1].copy()
        result[args[2:]] = args[0]
        return (result,)

    @impl(tensor.CollapseShapeOp)
    def collapse_shape(
        self, _: Interpreter, op: tensor.CollapseShapeOp, args: PythonValues
    ) -> PythonValues:
        return (args[0].reshape(shape_of(op.result.type)),)

    @impl(tensor.ExpandShapeOp)
    def expand_shape(
        self, _: Interpreter, op: tensor.ExpandShapeOp, args: PythonValues
    ) -> PythonValues:
        return (args[0].reshape(shape_of(op.result.type)),)

    @impl(tensor.ReshapeOp)
    def reshape(self, _: Interpreter, op: tensor.ReshapeOp, args: PythonValues) -> PythonValues:
        return (args[0].reshape(tuple(int(size) for size in args[1])),)

    @impl(tensor.ExtractSliceOp)
    def extract_slice(
        self, _: Interpreter, op: tensor.ExtractSliceOp, args: PythonValues
    ) -> PythonValues:
        part = slice_of(op, args).of(args[0]).copy()
        return (reshaped(part, _shaped(op.result.type)),)

    @impl(tensor.InsertSliceOp)
    def insert_slice(
        self, _: Interpreter, op: tensor.InsertSliceOp, args: PythonValues
    ) -> PythonValues:
        result = args[1].copy()
        part = slice_of(op, args).of(result)
        part[...] = args[0].reshape(part.shape)
        return (result,)

    @impl(tensor.ConcatOp)
    def concat(self, _: Interpreter, op: tensor.ConcatOp, args: PythonValues) -> PythonValues:
        return (np.concatenate(args, axis=op.dim.value.data),)

    @impl(tensor.PadOp)
    def pad(self, interpreter: Interpreter, op: tensor.PadOp, args: PythonValues) -> PythonValues:
        dynamic = iter(args[1:])
        low, high = merged(op.static_low, dynamic), merged(op.static_high, dynamic)
        source = args[0]
        shape = tuple(a + b + c for a, b, c in zip(low, source.shape, high, strict=True))
        result = np.empty(shape, source.dtype)
        for index in np.ndindex(shape):
            (result[index],) = interpreter.run_ssacfg_region(op.region, index, "tensor.pad")
        inner = tuple(slice(a, a + b) for a, b in zip(low, source.shape, strict=True))
        result[inner] = source
        return (result,)

    @impl_terminator(tensor.YieldOp)
    def yield_(self, _: Interpreter, op: tensor.YieldOp, args: PythonValues) -> Any:
        return ReturnedValues(args), ()

    @impl(bufferization.AllocTensorOp)
    def alloc_tensor(
        self, _: Interpreter, op: bufferization.AllocTensorOp, args: PythonValues
    ) -> PythonValues:
        if op.copy is not None:
            return (args[len(op.dynamic_sizes)].copy(),)
        return (unwritten(op.tensor.type, args),)

    @impl(bufferization.ToTensorOp)
    def to_tensor(
        self, _: Interpreter, op: bufferization.ToTensorOp, args: PythonValues
    ) -> PythonValues:
        return (args[0].copy(),)

    @impl(bufferization.ToBufferOp)
    def to_buffer(
        self, _: Interpreter, op: bufferization.ToBufferOp, args: PythonValues
    ) -> PythonValues:
        return (args[0].copy(),)

    @impl(bufferization.CloneOp)
    def clone(self, _: Interpreter, op: bufferization.CloneOp, args: PythonValues) -> PythonValues:
        return (args[0].copy(),)

    @impl(bufferization.MaterializeInDestinationOp)
    def materialize_in_destination(
        self, _: Interpreter, op: bufferization.MaterializeInDestinationOp, args: PythonValues
    ) -> PythonValues:
        if op.result is not None:
            return (args[0],)
        args[1][...] = args[0]
        return ()
