"""Check that two modules compute the same, bit for bit."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.native.compile import compile_module
from xdsl_memplan.native.context import full_context
from xdsl_memplan.native.inputs import INTEGERS_BELOW, random_inputs
from xdsl_memplan.native.left_out import fill_in, left_out
from xdsl_memplan.native.run import call
from xdsl_memplan.native.values import Array, signature
from xdsl_memplan.transforms.bufferize.place_boundary import writable_arguments


class DifferenceError(ValueError):
    """Two modules do not compute the same; the message says which result differs."""


@dataclass(frozen=True)
class Agreement:
    """What was compared: results and memory that was written, and how much the numbers vary."""

    results: int
    arguments: int
    """Memrefs among the arguments that both modules write."""
    standard_deviations: tuple[float, ...]
    """Of the finite elements of each, results first; 0 for one constant, or without any."""
    left_out: int = 0
    """Weights whose bytes the first module has not: they were random."""

    @property
    def informative(self) -> bool:
        """Tell whether something varies: constants are equal whatever was computed."""
        return any(deviation > 0 for deviation in self.standard_deviations)


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
    Tensors that are arguments of the first module must be left alone by the second, unless they
    have the attribute `memplan.writable` or `bufferization.writable`; memrefs must hold the same
    when both are done. Weights whose bytes were left out are random, by their names.

    Raises DifferenceError if a result differs or the second module writes to an argument,
    NativeToolError where a module does not compile, ValueError for a boundary that cannot be called
    from here.
    """
    main = _function(before, function, "before")
    other_main = _function(after, function, "after")
    types = signature(main)
    if types != signature(other_main):
        raise DifferenceError(f"the signatures of @{function} differ")
    argument_types, result_types = types
    untouched = random_inputs(argument_types, seed, integers_below)
    missing = left_out(before)
    before, after = fill_in(before, missing, seed), fill_in(after, left_out(after), seed)

    def outcome(text: str) -> tuple[list[Array], list[Array]]:
        inputs = [array.copy() for array in untouched]
        with tempfile.TemporaryDirectory() as folder:
            library = compile_module(text, Path(folder), function)
            return call(library, function, inputs, result_types, argument_types), inputs

    expected, left = outcome(before)
    found, inputs = outcome(after)
    # Where a tensor is written is decided when it is bufferized here, not by who wrote the module.
    tensors = {i for i, type_ in enumerate(other_main.function_type.inputs) if is_tensor(type_)}
    writable = {*writable_arguments(main), *tensors}
    compared = list(zip(expected, result_types, strict=True))
    for i, (array, original, reference) in enumerate(zip(inputs, untouched, left, strict=True)):
        in_memory = isinstance(main.function_type.inputs.data[i], MemRefType)
        if in_memory and reference.tobytes() != original.tobytes():
            if array.tobytes() != reference.tobytes():
                raise DifferenceError(f"argument {i} holds something else when both are done")
            compared.append((reference, argument_types[i]))
        elif i not in writable and array.tobytes() != original.tobytes():
            raise DifferenceError(f"the second module writes to argument {i}")
    for i, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one.tobytes() != other.tobytes():
            apart = np.flatnonzero(_bytes_of(one) != _bytes_of(other)).size
            raise DifferenceError(f"result {i} differs in {apart} of {one.size} elements")
    spreads = tuple(_spread(kind.numbers(array)) for array, kind in compared)
    return Agreement(len(expected), len(compared) - len(expected), spreads, len(missing))


def _bytes_of(array: Array) -> Array:
    """Elements as unsigned integers: a NaN is equal to itself, and 0 is not -0."""
    return np.ascontiguousarray(array).ravel().view(f"u{array.itemsize}")


def _spread(numbers: Array) -> float:
    finite = numbers[np.isfinite(numbers)]
    return float(np.std(finite)) if finite.size else 0.0


def _function(text: str, name: str, which: str) -> FuncOp:
    context = full_context(allow_unregistered=True)
    try:
        module: ModuleOp = Parser(context, text).parse_module()
    except ParseError as error:
        raise ValueError(f"the text {which} is not a module: {error}") from error
    for operation in module.walk():
        if isinstance(operation, FuncOp) and operation.sym_name.data == name:
            return operation
    raise ValueError(f"the module {which} has no function @{name}")
