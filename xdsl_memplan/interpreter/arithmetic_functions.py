"""Arithmetic on scalars, and on whole tensors: there it is what it is on scalars, element by element."""  # noqa: E501

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.arith_additions import ADDED_TO_ARITH
from xdsl_memplan.dialects.math_additions import ADDED_TO_MATH
from xdsl_memplan.interpreter.arrays import dtype_of, is_array
from xdsl_memplan.interpreter.integer_functions import IntegerFunctions
from xdsl_memplan.interpreter.scalar_functions import ScalarFunctions


class ArithmeticFunctions(InterpreterFunctions):
    """The operations of arith and math."""

    def __init__(self) -> None:
        """Have an interpreter for scalars alone."""
        self._scalars = Interpreter(ModuleOp([]))
        for functions in (ScalarFunctions(), IntegerFunctions()):
            self._scalars.register_implementations(functions, override=True)

    def compute(self, _: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        """Run an operation on scalars, or on each element of tensors."""
        if not any(map(is_array, args)):
            return self._scalars.run_op(op, args)
        one = _on_elements(op)
        arrays = np.broadcast_arrays(*args)
        results = [np.empty(arrays[0].shape, dtype_of(result.type)) for result in op.results]
        for at in np.ndindex(arrays[0].shape):
            new = self._scalars.run_op(one, tuple(array[at].item() for array in arrays))
            for result, value in zip(results, new, strict=True):
                result[at] = value
        return tuple(results)


def _on_elements(op: Operation) -> Operation:
    """The same operation on elements of what `op` is given."""
    block = Block(arg_types=[_element(operand.type) for operand in op.operands])
    return type(op).create(
        operands=block.args,
        result_types=[_element(result.type) for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )


def _element(type_: Attribute) -> Attribute:
    return type_.get_element_type() if isa(type_, TensorType[Attribute]) else type_


_ADDED = (*ADDED_TO_ARITH, *ADDED_TO_MATH)
for _op_class in (*arith.Arith.operations, *math.Math.operations, *_ADDED):

    def _run(
        self: ArithmeticFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        return self.compute(interpreter, op, args)

    setattr(ArithmeticFunctions, f"run_{_op_class.__name__}", impl(_op_class)(_run))
register_impls(ArithmeticFunctions)
