"""Run a function of a module on numpy arrays."""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.interpreters import cf, func
from xdsl.utils.exceptions import InterpretationError

from xdsl_memplan.interpreter.arithmetic_functions import ArithmeticFunctions
from xdsl_memplan.interpreter.arrays import is_array
from xdsl_memplan.interpreter.control_functions import ControlFunctions
from xdsl_memplan.interpreter.linalg_functions import LinalgFunctions
from xdsl_memplan.interpreter.memref_functions import MemRefFunctions
from xdsl_memplan.interpreter.move_functions import MoveFunctions
from xdsl_memplan.interpreter.scalar_functions import ScalarFunctions
from xdsl_memplan.interpreter.tensor_functions import TensorFunctions


def run(module: ModuleOp, arguments: Sequence[Any], function: str | None = None) -> list[Any]:
    """Run a function and return its results.

    About 50 microseconds per element of a structured operation: for micro-kernels.

    Args:
        module: tensor IR, buffer IR, or both.
        arguments: one array (tensors and memrefs) or number per argument; they are not changed.
        function: its name; without one, the only public function with a body.

    Raises:
        InterpretationError: for an unknown function, an operation without an implementation, a
        view outside of
            its storage.
    """
    interpreter = Interpreter(module)
    for functions in (
        cf.CfFunctions(),
        func.FuncFunctions(),
        ControlFunctions(),
        ScalarFunctions(),
        ArithmeticFunctions(),
        TensorFunctions(),
        MoveFunctions(),
        MemRefFunctions(),
        LinalgFunctions(),
    ):
        interpreter.register_implementations(functions, override=True)
    name = _the_function(module) if function is None else function
    results = interpreter.call_op(name, tuple(_copied(argument) for argument in arguments))
    return [_copied(result) for result in results]


def _copied(value: Any) -> Any:
    return value.copy() if is_array(value) else value


def _the_function(module: ModuleOp) -> str:
    names = [
        op.sym_name.data
        for op in module.body.ops
        if isinstance(op, FuncOp) and op.body.blocks and _is_public(op)
    ]
    if len(names) != 1:
        raise InterpretationError(
            f"say which function to run: {', '.join(names) or 'there is none'}"
        )
    return names[0]


def _is_public(op: FuncOp) -> bool:
    return op.sym_visibility is None or op.sym_visibility.data != "private"
