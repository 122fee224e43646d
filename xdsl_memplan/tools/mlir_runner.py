"""Compiles a module with upstream MLIR and LLVM and runs it on numpy arrays.

To compare what IR computes before and after planning: `compile_module(text).run(arrays)`. A module
on tensors is bufferized by upstream first. Needs mlir-opt-22, mlir-translate-22 (Debian's
mlir-22-tools), opt-22, llc-22 (llvm-22) and gcc.
"""

import ctypes
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, FunctionType, MemRefType, TensorType
from xdsl.ir import Attribute
from xdsl.parser import Parser

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

UPSTREAM_BUFFERIZATION = (
    "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},canonicalize)"
)
"""What users do today, before memory is planned."""

_TO_LLVM = (
    "builtin.module(func.func(linalg-generalize-named-ops),convert-linalg-to-loops,"
    "func.func(lower-affine),convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "func.func(llvm-request-c-wrappers),convert-math-to-llvm,convert-math-to-libm,"
    "finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)

_DTYPES: dict[str, type[np.generic]] = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.uint16,
    "index": np.int64,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i1": np.bool_,
}
_RUNTIME = "libmlir_c_runner_utils.so*"
"""Has `memrefCopy`, which copies of strided memrefs call."""


@dataclass(frozen=True)
class ArrayType:
    """Shape and element type of an argument or a result."""

    shape: tuple[int, ...]
    element: str

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The numpy type; bf16 is shown as its bits."""
        return np.dtype(_DTYPES[self.element])


@dataclass
class CompiledModule:
    """A function in a shared library; `run` may be called again and again."""

    library: ctypes.CDLL
    arguments: list[ArrayType]
    results: list[ArrayType]
    directory: "TemporaryDirectory[str]"

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """Call the function; results are copies. Arguments are passed as they are, by reference."""
        descriptors = [_descriptor(array) for array in arrays]
        result_types = [_descriptor_type(len(r.shape)) for r in self.results]
        fields = [(f"r{i}", type) for i, type in enumerate(result_types)]
        returned = type("Returned", (ctypes.Structure,), {"_fields_": fields})()
        pointers = [ctypes.byref(returned)] if self.results else []
        self.library["_mlir_ciface_main"](*pointers, *map(ctypes.byref, descriptors))
        values = [getattr(returned, name) for name, _ in fields]
        return [_array(value, type) for value, type in zip(values, self.results, strict=True)]


def compile_module(text: str) -> CompiledModule:
    """Compile a module with a function @main on ranked tensors or memrefs of static size.

    Raises ValueError with what the tool said if one of them refuses, and for other types.
    """
    if "tensor<" in text:
        text = _run(["mlir-opt-22", f"--pass-pipeline={UPSTREAM_BUFFERIZATION}"], text)
    arguments, results = _signature(text)
    llvm = _run(["mlir-opt-22", f"--pass-pipeline={_TO_LLVM}"], text)
    directory = TemporaryDirectory()
    base = Path(directory.name)
    (base / "main.ll").write_text(_run(["mlir-translate-22", "--mlir-to-llvmir"], llvm))
    _run(["opt-22", "-O2", str(base / "main.ll"), "-o", str(base / "main.bc")])
    llc = ["llc-22", "-O2", "-relocation-model=pic", "-filetype=obj"]
    _run([*llc, str(base / "main.bc"), "-o", str(base / "main.o")])
    _run(["gcc", "-shared", "-o", str(base / "main.so"), str(base / "main.o"), "-lm"])
    for runtime in sorted(Path("/usr/lib").rglob(_RUNTIME))[:1]:
        ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(base / "main.so"))
    return CompiledModule(library, arguments, results, directory)


def random_arrays(types: Sequence[ArrayType], seed: int) -> list[Array]:
    """Make arguments for a network: data first, then weights scaled by fan-in, positive vectors.

    Integers are 0 or 1, which every table of an embedding has.
    """
    random = np.random.default_rng(seed)
    arrays: list[Array] = []
    for type in types:
        if not type.element.startswith(("f", "bf")):
            array = random.integers(0, 2, type.shape).astype(type.dtype)
        else:
            values = random.standard_normal(type.shape)
            if len(type.shape) == 1:
                values = np.abs(values) + 0.5
            elif arrays and len(type.shape) > 1:
                values = values * 1.2 / np.sqrt(prod(type.shape[1:]))
            if type.element == "bf16":
                bits = values.astype(np.float32).view(np.uint32)
                array = (bits >> 16).astype(np.uint16)
            else:
                array = values.astype(type.dtype)
        arrays.append(np.ascontiguousarray(array))
    return arrays


def _run(command: list[str], text: str | None = None) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ValueError(
            f"{command[0]} is missing (Debian: mlir-22-tools, llvm-22, gcc)"
        ) from error
    if done.returncode:
        raise ValueError(f"{command[0]} failed: {done.stderr[:2000]}")
    return done.stdout


def _signature(text: str) -> tuple[list[ArrayType], list[ArrayType]]:
    # Only the type of the function is parsed: bodies may hold what xDSL does not know.
    generic = _run(["mlir-opt-22", "--mlir-print-op-generic", "--mlir-print-local-scope"], text)
    key = "function_type = "
    for line in generic.splitlines():
        if '"func.func"' in line and 'sym_name = "main"' in line:
            context = Context()
            context.load_dialect(Builtin)
            type = Parser(context, line[line.index(key) + len(key) :]).parse_attribute()
            assert isinstance(type, FunctionType)
            inputs, outputs = type.inputs.data, type.outputs.data
            return [_array_type(t) for t in inputs], [_array_type(t) for t in outputs]
    raise ValueError("the module has no function @main")


def _array_type(type: Attribute) -> ArrayType:
    if not isinstance(type, MemRefType | TensorType):
        raise ValueError(f"@main has an argument or result of type {type}; only tensors work")
    typed = cast("MemRefType[Attribute]", type)
    return ArrayType(tuple(typed.get_shape()), str(typed.get_element_type()))


def _descriptor_type(rank: int) -> type[ctypes.Structure]:
    fields: list[tuple[str, Any]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})


def _descriptor(array: Array) -> ctypes.Structure:
    descriptor = cast(Any, _descriptor_type(array.ndim)())
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    descriptor.offset = 0
    for axis in range(array.ndim):
        descriptor.sizes[axis] = array.shape[axis]
        descriptor.strides[axis] = array.strides[axis] // array.itemsize
    return descriptor


def _array(descriptor: Any, type: ArrayType) -> Array:
    size = type.dtype.itemsize
    if 0 in type.shape:
        return np.zeros(type.shape, type.dtype)
    strides = [descriptor.strides[axis] * size for axis in range(len(type.shape))]
    span = sum((n - 1) * s for n, s in zip(type.shape, strides, strict=True)) + size
    address = descriptor.aligned + descriptor.offset * size
    raw = bytes((ctypes.c_char * span).from_address(address))
    view = np.ndarray(type.shape, type.dtype, raw, 0, strides)
    return view.copy()
