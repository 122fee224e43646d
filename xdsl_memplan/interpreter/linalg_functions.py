"""Structured operations, element by element in the order of their loops, or as if they were."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.linalg_additions import extended_linalg
from xdsl_memplan.dialects.linalg_additions.map import MapOp
from xdsl_memplan.dialects.linalg_additions.packing import PackOp, UnpackOp
from xdsl_memplan.dialects.linalg_additions.softmax import SoftmaxOp, decomposed
from xdsl_memplan.interpreter.arrays import Array, is_array
from xdsl_memplan.interpreter.whole_arrays import run_whole

_INDEX = "index of the loops"


class LinalgFunctions(InterpreterFunctions):
    """All structured operations of stock xDSL and of our additions."""

    def _loop(self, interpreter: Interpreter) -> list[tuple[int, ...]]:
        """The loops' indices, innermost operation last."""
        return interpreter.get_data(LinalgFunctions, _INDEX, list[tuple[int, ...]])

    def structured(
        self, interpreter: Interpreter, op: LinalgStructuredOperation, args: PythonValues
    ) -> PythonValues:
        """Run the body for every index; on tensors the results are new arrays."""
        first_output = len(op.inputs)
        arrays = list(args)
        if op.results:
            arrays[first_output:] = [array.copy() for array in args[first_output:]]
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        shapes = [size for a in arrays if is_array(a) for size in a.shape]
        loops = op.get_shapes_to_loops_map().eval(shapes, []) if shapes else ()
        self._run_nest(interpreter, op.body, arrays, maps, tuple(loops))
        return tuple(arrays[first_output:]) if op.results else ()

    def _run_nest(
        self,
        interpreter: Interpreter,
        body: Region,
        arrays: list[Any],
        maps: Sequence[AffineMap],
        loops: tuple[int, ...],
    ) -> None:
        """Run a body for every index; the last arrays are written, one for each that it yields."""
        last = body.block.last_op
        assert last is not None
        first_output = len(arrays) - len(last.operands)
        if run_whole(interpreter, body.block, arrays, maps, loops, first_output):
            return
        nest = self._loop(interpreter)
        for index in np.ndindex(loops):
            where = [map.eval(index, ()) for map in maps]
            elements = tuple(
                array[at].item() if is_array(array) else array
                for array, at in zip(arrays, where, strict=True)
            )
            nest.append(index)
            new = interpreter.run_ssacfg_region(body, elements, "linalg")
            nest.pop()
            outputs = zip(arrays[first_output:], where[first_output:], new, strict=True)
            for array, at, value in outputs:
                array[at] = value

    @impl(MapOp)
    def map(self, interpreter: Interpreter, op: MapOp, args: PythonValues) -> PythonValues:
        """Run the body for every element."""
        *inputs, init = args
        out: Array = init.copy() if op.results else init
        maps = [AffineMap.identity(out.ndim)] * len(args)
        self._run_nest(interpreter, op.mapper, [*inputs, out], maps, out.shape)
        return (out,) if op.results else ()

    @impl(SoftmaxOp)
    def softmax(self, interpreter: Interpreter, op: SoftmaxOp, args: PythonValues) -> PythonValues:
        """Run what it stands for, on tensors."""
        type_ = op.input.type
        assert isa(type_, TensorType[Attribute] | MemRefType)
        on_tensors = TensorType(type_.element_type, type_.get_shape())
        block = Block(arg_types=[on_tensors, on_tensors])
        apart = SoftmaxOp.build(
            operands=[*block.args], result_types=[[on_tensors]], properties=op.properties
        )
        result = decomposed(apart, Builder(InsertPoint.at_end(block)))
        apart.erase()
        block.add_op(linalg_ops.YieldOp(result))
        (computed,) = interpreter.run_ssacfg_region(Region(block), args, op.name)
        if op.results:
            return (computed,)
        args[1][...] = computed
        return ()

    @impl(PackOp)
    def pack(self, _: Interpreter, op: PackOp, args: PythonValues) -> PythonValues:
        """Pad, cut, and move the dimensions of the tiles to the end."""
        source, dest = args[0], args[1]
        tiles = op.tiles()
        high = [-size % tiles.get(d, 1) for d, size in enumerate(source.shape)]
        padding = args[-1] if op.padding_value is not None else 0
        padded = np.pad(source, [(0, more) for more in high], constant_values=padding)
        cut = [
            part
            for d, size in enumerate(padded.shape)
            for part in ((size // tiles[d], tiles[d]) if d in tiles else (size,))
        ]
        moved = padded.reshape(cut).transpose(_axes(op))
        return (moved.reshape(dest.shape).copy(),)

    @impl(UnpackOp)
    def unpack(self, _: Interpreter, op: UnpackOp, args: PythonValues) -> PythonValues:
        """Move the dimensions of the tiles back, merge, and leave the padding out."""
        source, dest = args[0], args[1]
        tiles = op.tiles()
        cut = source.transpose(np.argsort(_axes(op)))
        outer = dict(zip(op.order(), source.shape, strict=False))
        merged = cut.reshape([outer[d] * tiles.get(d, 1) for d in range(dest.ndim)])
        return (merged[tuple(slice(0, size) for size in dest.shape)].copy(),)

    @impl(linalg_ops.IndexOp)
    def index(
        self, interpreter: Interpreter, op: linalg_ops.IndexOp, args: PythonValues
    ) -> PythonValues:
        """The index of the innermost structured operation."""
        return (self._loop(interpreter)[-1][op.dim.value.data],)

    @impl_terminator(linalg_ops.YieldOp)
    def yield_(self, _: Interpreter, op: linalg_ops.YieldOp, args: PythonValues) -> Any:
        """Hand the new elements to the operation."""
        return ReturnedValues(args), ()

    @impl(linalg_ops.BroadcastOp)
    def broadcast(
        self, _: Interpreter, op: linalg_ops.BroadcastOp, args: PythonValues
    ) -> PythonValues:
        """Repeat the input along the dimensions."""
        source, init = args
        out: Array = init.copy() if op.results else init
        out[...] = np.expand_dims(source, tuple(op.dimensions.get_values()))
        return (out,) if op.results else ()

    @impl(linalg_ops.ReduceOp)
    def reduce(
        self, interpreter: Interpreter, op: linalg_ops.ReduceOp, args: PythonValues
    ) -> PythonValues:
        """Combine the elements along the dimensions with the init, in order."""
        source, init = args
        out: Array = init.copy() if op.results else init
        dimensions = set(op.dimensions.get_values())
        body: Region = op.region
        for index in np.ndindex(source.shape):
            at = tuple(i for d, i in enumerate(index) if d not in dimensions)
            elements = (source[index].item(), out[at].item())
            (out[at],) = interpreter.run_ssacfg_region(body, elements, op.name)
        return (out,) if op.results else ()


def _axes(op: PackOp | UnpackOp) -> list[int]:
    """For each dimension with tiles its position where the tile is behind what it cuts."""
    tiles = op.tiles()
    at = [d + sum(1 for cut in tiles if cut < d) for d in range(len(op.shapes()[0]))]
    return [*(at[d] for d in op.order()), *(at[d] + 1 for d in tiles)]


for _op_class in extended_linalg(Linalg).operations:
    if issubclass(_op_class, LinalgStructuredOperation):

        def _run(
            self: LinalgFunctions,
            interpreter: Interpreter,
            op: LinalgStructuredOperation,
            args: PythonValues,
        ) -> PythonValues:
            return self.structured(interpreter, op, args)

        setattr(LinalgFunctions, f"run_{_op_class.__name__}", impl(_op_class)(_run))
register_impls(LinalgFunctions)
