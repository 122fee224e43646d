"""Compile a module to a shared object with mlir-opt, mlir-translate, opt, llc and a C compiler."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from xdsl_memplan.native.exponents import with_short_exponents
from xdsl_memplan.native.outline import outline_passes

# Tensors are bufferized as users do today, arithmetic on whole tensors too; memrefs pass through.
BUFFERIZE = (
    "builtin.module(func.func(convert-elementwise-to-linalg),"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},"
    "canonicalize)"
)

# MLIR 22 takes two results of one call for different memory, even where the callee returns the same
# tensor twice, and writes to one of them while the other is still read. So calls of functions on
# tensors go first. Calls in what is planned already stay.
_INLINE = "builtin.module(inline{default-pipeline=})"
_CALL_ON_TENSORS = re.compile(r"\bcall\b[^\n]*tensor<")

# MLIR has no pass for linalg.softmax, linalg.pack and linalg.unpack; a transform script can ask for
# the operations that they stand for.
_TAKE_APART = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %all = transform.structured.match ops{["linalg.softmax"]} in %module
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %all : !transform.any_op {
    ^bb0(%softmax: !transform.any_op):
      %parts = transform.structured.decompose_interface %softmax
        : (!transform.any_op) -> !transform.any_op
    }
    %packs = transform.structured.match ops{["linalg.pack"]} in %module
      : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.foreach %packs : !transform.op<"linalg.pack"> {
    ^bb0(%pack: !transform.op<"linalg.pack">):
      %parts:3 = transform.structured.lower_pack %pack : (!transform.op<"linalg.pack">)
        -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
            !transform.op<"linalg.transpose">)
    }
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %module
      : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.foreach %unpacks : !transform.op<"linalg.unpack"> {
    ^bb0(%unpack: !transform.op<"linalg.unpack">):
      %parts:4 = transform.structured.lower_unpack %unpack : (!transform.op<"linalg.unpack">)
        -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
            !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    }
    transform.yield
  }
}
"""

_TO_LOOPS = "func.func(linalg-generalize-named-ops),convert-linalg-to-loops,canonicalize"

_TO_LLVM = (
    "expand-realloc,func.func(lower-affine),convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-complex-to-standard,convert-complex-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts"
)

# What makes loops fast, function by function; the passes of -O2 on whole modules, and those on
# chains of calls, take minutes where a function calls thousands of others.
# Named alone, instcombine ends the process where a second round would find more to do.
_COMBINE = "instcombine<no-verify-fixpoint>"
OPTIMIZE = (
    f"function(sroa,early-cse,simplifycfg,{_COMBINE},loop-mssa(loop-rotate,licm),loop(indvars),"
    f"{_COMBINE},loop-vectorize,{_COMBINE},simplifycfg)"
)


# What llc calls to round to bf16; the libraries of C compilers before GCC 13 lack it. To nearest,
# ties to even; a NaN stays one.
_ROUND_TO_BF16 = """
define weak hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %half = add i32 %odd, 32767
  %up = add i32 %bits, %half
  %rounded = lshr i32 %up, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, %x
  %kept = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %kept to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}
"""


class NativeToolError(ValueError):
    """A tool is missing or refused its input; the message holds what it said."""


def find_tool(name: str) -> str:
    """Return the command for an LLVM 22 tool; `XDSL_MLIR_OPT` names another mlir-opt.

    Raises NativeToolError that says how to get it.
    """
    given = os.environ.get("XDSL_MLIR_OPT") if name == "mlir-opt" else None
    for candidate in (given, f"{name}-22", name):
        if candidate and shutil.which(candidate):
            return candidate
    raise NativeToolError(f"{name} of LLVM 22 is not here (Debian: mlir-22-tools and llvm-22)")


def run_tool(command: Sequence[str | Path], text: str | None = None) -> str:
    """Run a command with `text` as its input and return its output.

    Raises NativeToolError with the first lines of what the tool said.
    """
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join(done.stderr.splitlines()[:6])
        raise NativeToolError(f"{Path(command[0]).name} failed:\n{said}")
    return done.stdout


def upstream_bufferize(text: str, pipeline: str = BUFFERIZE) -> str:
    """Return tensor IR as memref IR, by MLIR's own passes, in generic form.

    Raises NativeToolError.
    """
    command = [find_tool("mlir-opt"), "--mlir-print-op-generic"]
    return run_tool([*command, f"--pass-pipeline={pipeline}"], text)


def without_calls(text: str) -> str:
    """Return a module in which functions on tensors are where they were called.

    Raises NativeToolError.
    """
    if _CALL_ON_TENSORS.search(text) is None:
        return text
    return run_tool([find_tool("mlir-opt"), f"--pass-pipeline={_INLINE}"], text)


def taken_apart(text: str, folder: Path) -> str:
    """Return a module in which softmax and packing are what MLIR takes them apart into.

    Raises NativeToolError.
    """
    if not any(name in text for name in ("linalg.softmax", "linalg.pack", "linalg.unpack")):
        return text
    script = folder / "take_apart.mlir"
    script.write_text(_TAKE_APART)
    passes = f"transform-preload-library{{transform-library-paths={script}}},transform-interpreter"
    return run_tool([find_tool("mlir-opt"), f"--pass-pipeline=builtin.module({passes})"], text)


def compile_module(text: str, folder: Path, function: str = "main") -> Path:
    """Compile memref or tensor IR into a shared object inside `folder` and return its path.

    `function` gets a C interface `_mlir_ciface_NAME`. The time is in proportion to the length of
    the module, however long its functions are. Raises NativeToolError.
    """
    passes = ",".join((_TO_LOOPS, outline_passes(function, folder), _TO_LLVM))
    lowered = run_tool(
        [find_tool("mlir-opt"), f"--pass-pipeline=builtin.module({passes})"],
        upstream_bufferize(taken_apart(without_calls(text), folder)),
    )
    llvm_ir = with_short_exponents(
        run_tool([find_tool("mlir-translate"), "--mlir-to-llvmir"], lowered)
    )
    if "bfloat" in llvm_ir:
        llvm_ir += _ROUND_TO_BF16
    bitcode, machine_code, library = (folder / f"module.{end}" for end in ("bc", "o", "so"))
    run_tool([find_tool("opt"), f"-passes={OPTIMIZE}", "-", "-o", bitcode], llvm_ir)
    object_options = ("-O2", "-relocation-model=pic", "-filetype=obj")
    run_tool([find_tool("llc"), *object_options, bitcode, "-o", machine_code])
    # memref.copy of strided memrefs calls MLIR's small runtime.
    runtime = _runtime_library()
    link_options = (f"-Wl,-rpath,{runtime.parent}", "-lm")
    compiler = os.environ.get("CC", "cc")
    run_tool([compiler, "-shared", "-o", library, machine_code, runtime, *link_options])
    return library


def _runtime_library() -> Path:
    tool = Path(shutil.which(find_tool("mlir-opt")) or "").resolve()
    folders = (tool.parent.parent / "lib", Path("/usr/lib/llvm-22/lib"))
    for folder in folders:
        found = sorted(folder.glob("libmlir_c_runner_utils.so*"))
        if found:
            return found[0]
    raise NativeToolError("libmlir_c_runner_utils.so is not beside mlir-opt")
