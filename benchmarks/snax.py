"""L1 bytes and planning time of snax-mlir's kernels, through the adapter `compat.snax`.

    python benchmarks/snax.py

The kernels are in `data/snax`, as snax-mlir has them before it allocates. What its own modes need
was measured with snax-mlir 81c8837: `static` puts one buffer behind the other, `minimalloc` plans.
"""

import sys
from pathlib import Path
from time import process_time

import snax_stand_in
from snax_stand_in import MEMORIES, context
from xdsl.parser import Parser

from xdsl_memplan.compat.snax import plan_allocations

KERNELS = Path(__file__).parent / "data" / "snax"

STATIC_AND_MINIMALLOC = {
    "add": (1536, 1536),
    "func": (40, 40),
    "gemm": (2560, 2560),
    "gemm_rescale": (1792, 1792),
    "matmul_i8_out": (768, 768),
    "mlp": (2176, 896),
    "quantized_matmul": (1536, 1536),
    "streamer_add_stream": (1312, 1312),
    "tiled": (3072, 3072),
    "tiled_quantized_matmul": (1024, 1024),
    "untiled": (3072, 3072),
}
"""Bytes of L1."""

REPEATS = 5


def planned(kernel: str) -> tuple[int, int, float]:
    """Plan a kernel; return bytes and bound of L1, and CPU milliseconds, the best of `REPEATS`."""
    module = Parser(context(), (KERNELS / f"{kernel}.mlir").read_text()).parse_module()
    times: list[float] = []
    for _ in range(REPEATS):
        start = process_time()
        plan = plan_allocations(module, snax_stand_in, MEMORIES.__getitem__)
        times.append(process_time() - start)
    bound = max(f.plans["L1"].bound for f in plan.functions if "L1" in f.plans)
    return plan.peaks["L1"], bound, min(times) * 1000


def main() -> int:
    """Print a table; returns 1 if a kernel needs more than minimalloc, or over 20 ms of CPU."""
    failed = 0
    print("| kernel | static | minimalloc | memplan | bound | ms |\n|-|-|-|-|-|-|")
    for kernel, (static, minimalloc) in STATIC_AND_MINIMALLOC.items():
        size, bound, milliseconds = planned(kernel)
        print(f"| {kernel} | {static} | {minimalloc} | {size} | {bound} | {milliseconds:.1f} |")
        failed |= size > minimalloc or milliseconds > 20
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
