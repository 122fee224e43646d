"""Networks as mlir-opt bufferizes and frees them: LLVM's static memory planner against ours.

    python benchmarks/upstream_planner.py [FILE.mlir ...]

LLVM's planner (trunk since June 2026, not in LLVM 22) needs `memref.alloc` and `memref.dealloc` in
pairs; a lifetime goes from the one to the other. Its rules are restated here: `sequential` puts
one buffer behind the other, `best-fit` is our planner `mlir-best-fit`. Ours are lifetimes from the
first touch to the last. What is returned is not freed: LLVM's planner leaves it out, here it lives
to the end for all, so that all place the same buffers. They are aligned to 64 bytes. mlir-opt 22
frees with its deallocation pipeline and moves deallocations up to the last use
(`optimize-allocation-liveness`).
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import AllocOp, DeallocOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.memories import Memory
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.native.compile import find_tool, run_tool
from xdsl_memplan.native.context import full_context
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.transforms.plan_module import plan_module

ROOT = Path(__file__).parent.parent
ALIGNMENT = 64
NETWORKS = ("squeezenet1_1", "mobilenet_v2", "resnet50")
PASSES = (
    "builtin.module(canonicalize,cse,linalg-fuse-elementwise-ops,canonicalize,cse,"
    "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},canonicalize,cse,"
    "buffer-deallocation-pipeline,"
    "func.func(optimize-allocation-liveness,linalg-generalize-named-ops),canonicalize)"
)


def bufferized(text: str) -> ModuleOp:
    """Have mlir-opt bufferize and free."""
    options = ["--mlir-print-op-generic", "--mlir-print-local-scope"]
    command = [find_tool("mlir-opt"), *options, f"--pass-pipeline={PASSES}"]
    return Parser(full_context(), run_tool(command, text)).parse_module()


def upstream_problem(module: ModuleOp) -> Problem:
    """Lifetimes as LLVM's planner counts them: operations from allocation to deallocation."""
    sizes: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for function in (op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks):
        at = {op: i for i, op in enumerate(function.body.block.ops)}
        for op in at:
            if not isinstance(op, AllocOp):
                continue
            frees = [u.operation for u in op.memref.uses if isinstance(u.operation, DeallocOp)]
            size = size_bytes(op.memref.type)
            if len(frees) > 1 or size is None or any(free not in at for free in frees):
                raise ValueError("an allocation that is not freed once in its block")
            sizes.append(size)
            starts.append(at[op])
            ends.append(at[frees[0]] if frees else len(at))
    return Problem(
        np.array(sizes), np.array(starts), np.array(ends), np.full(len(sizes), ALIGNMENT)
    )


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args().files
    files = given or [ROOT / "examples" / f"{name}.mlir" for name in NETWORKS]
    print("| network | buffers | sequential | best-fit | memplan | bound |\n|-|-|-|-|-|-|")
    worse = False
    for file in files:
        module = bufferized(file.read_text())
        problem = upstream_problem(module)
        sequential = int((-(-problem.sizes // ALIGNMENT) * ALIGNMENT).sum())
        best_fit = plan(problem, planner="mlir-best-fit").peak
        ours = plan_module(module, [Memory("memory", alignment=ALIGNMENT)])
        peak = ours.peaks["memory"]
        bound = max(p.bound for f in ours.functions for p in f.plans.values())
        worse |= peak > best_fit
        print(f"| {file.stem} | {len(problem)} | {sequential} | {best_fit} | {peak} | {bound} |")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
