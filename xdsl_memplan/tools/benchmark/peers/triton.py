"""Triton's allocation of shared memory: https://github.com/triton-lang/triton, MIT.

The pass runs on TritonGPU IR in which each buffer is a `ttg.local_alloc` of bytes. It rounds
offsets up to 16 bytes, and they have to stay below 2 GiB. What is timed is the pass alone.
"""

import re
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from xdsl_memplan.model.problem import Int64Array, Problem
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task

_HEAD = """\
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, ttg.target = "cuda:80",
                   "ttg.threads-per-warp" = 32 : i32} {
tt.func public @f() {
"""
_OFFSET = re.compile(r"ttg\.local_alloc \{allocation\.offset = (\d+)")
_CAPABILITY = 80
_PTX_VERSION = 80


def contenders() -> Iterator[Contender]:
    """Yield the pass of the NVIDIA backend. Raises ImportError, AttributeError."""
    library: Any = import_module("triton._C.libtriton")
    add_pass = library.nvidia.passes.ttgpuir.add_allocate_shared_memory_nv

    def prepare(problem: Problem, limits: Limits) -> Task:
        context = library.ir.context()
        library.ir.load_dialects(context)
        library.nvidia.load_dialects(context)
        text, order = _module(problem)
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            path = Path(folder) / "problem.ttgir"
            path.write_text(text, encoding="utf-8")
            module = library.ir.parse_mlir_module(str(path), context)

        def work() -> Any:
            manager = library.ir.pass_manager(context)
            add_pass(manager, _CAPABILITY, _PTX_VERSION)
            manager.run(module, "memplan-bench")
            # Whoever has the module has to have its context.
            return module, context

        def offsets(planned: Any) -> Int64Array:
            by_buffer = np.empty(len(problem), dtype=np.int64)
            # Allocations come in order of start.
            by_buffer[order] = [int(offset) for offset in _OFFSET.findall(str(planned[0]))]
            return by_buffer

        return Task(work, offsets)

    yield Contender("triton allocation", "peer", prepare, 3_000)


def _module(problem: Problem) -> tuple[str, list[int]]:
    """Return the IR, and the buffers in the order in which they are allocated there."""
    events: list[tuple[int, int, int, str]] = []
    columns = (problem.sizes.tolist(), problem.starts.tolist(), problem.ends.tolist())
    for i, (size, start, end) in enumerate(zip(*columns, strict=True)):
        # The first of three dimensions counts buffers, so that it need not be a power of two.
        kind = f"!ttg.memdesc<{size}x1x1xi8, #shared, #smem, mutable>"
        events.append((start, 1, i, f"  %b{i} = ttg.local_alloc : () -> {kind}"))
        events.append((end, 0, i, f"  ttg.local_dealloc %b{i} : {kind}"))
    events.sort()
    lines = "\n".join(line for *_, line in events)
    return f"{_HEAD}{lines}\n  tt.return\n}}\n}}\n", [i for _, starts, i, _ in events if starts]
