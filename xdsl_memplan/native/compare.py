"""Check that two modules compute the same, bit for bit."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from xdsl_memplan.native.compile import compile_module
from xdsl_memplan.native.context import full_context
from xdsl_memplan.native.run import INTEGERS_BELOW, ArrayType, call, random_inputs, signature


class DifferenceError(ValueError):
    """Two modules do not compute the same; the message says which result differs."""


@dataclass(frozen=True)
class Agreement:
    """What was compared: how many results, and the spread of each, to show that it varies."""

    results: int
    standard_deviations: tuple[float, ...]


def compare_modules(
    before: str,
    after: str,
    *,
    function: str = "main",
    seed: int = 0,
    integers_below: int = INTEGERS_BELOW,
) -> Agreement:
    """Compile both modules, run them on the same random inputs and compare the results bit for bit.

    Both are linalg on tensors or memref IR, with the same shapes at the boundary of `function`.

    Raises DifferenceError if a result differs or the second module writes to an argument,
    NativeToolError where a module does not compile, ValueError for a boundary that cannot be called
    from here.
    """
    types = _boundary(before, function)
    if types != _boundary(after, function):
        raise DifferenceError(f"the signatures of @{function} differ")
    argument_types, result_types = types
    inputs = random_inputs(argument_types, seed, integers_below)
    untouched = [array.copy() for array in inputs]
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        expected = call(
            compile_module(before, Path(first), function), function, inputs, result_types
        )
        inputs = [array.copy() for array in untouched]
        found = call(compile_module(after, Path(second), function), function, inputs, result_types)
    for i, (array, original) in enumerate(zip(inputs, untouched, strict=True)):
        if array.tobytes() != original.tobytes():
            raise DifferenceError(f"the second module writes to argument {i}")
    for i, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one.tobytes() != other.tobytes():
            apart = np.flatnonzero(one.ravel() != other.ravel()).size
            raise DifferenceError(f"result {i} differs in {apart} of {one.size} elements")
    spread = tuple(float(np.std(array.astype(np.float64))) for array in expected)
    return Agreement(len(expected), spread)


def _boundary(text: str, name: str) -> tuple[list[ArrayType], list[ArrayType]]:
    context = full_context(allow_unregistered=True)
    try:
        module: ModuleOp = Parser(context, text).parse_module()
    except ParseError as error:
        raise ValueError(f"not a module: {error}") from error
    for operation in module.walk():
        if isinstance(operation, FuncOp) and operation.sym_name.data == name:
            return signature(operation)
    raise ValueError(f"the module has no function @{name}")
