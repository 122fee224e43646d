"""Moves of tensors between memories, whole or by regions: copies, as far as values go."""

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.dialects.region_moves import CarryOp, LoadOp, StoreOp
from xdsl_memplan.interpreter.slices import slice_of


@register_impls
class MoveFunctions(InterpreterFunctions):
    """Implementations; every method has the name of its operation."""

    @impl(SpillOp)
    def spill(self, _: Interpreter, op: SpillOp, args: PythonValues) -> PythonValues:
        return args

    @impl(RetrieveOp)
    def retrieve(self, _: Interpreter, op: RetrieveOp, args: PythonValues) -> PythonValues:
        return args

    @impl(LoadOp)
    def load(self, _: Interpreter, op: LoadOp, args: PythonValues) -> PythonValues:
        return (slice_of(op, args).of(args[0]).copy(),)

    @impl(CarryOp)
    def carry(self, _: Interpreter, op: CarryOp, args: PythonValues) -> PythonValues:
        return (slice_of(op, args).of(args[0]).copy(),)

    @impl(StoreOp)
    def store(self, _: Interpreter, op: StoreOp, args: PythonValues) -> PythonValues:
        result = args[1].copy()
        slice_of(op, args).of(result)[...] = args[0]
        return (result,)
