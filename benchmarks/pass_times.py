"""User CPU seconds that xDSL needs to parse a file, and that each pass of memplan-pipeline needs.

For every network, and for generated ones of 10,000, 40,000 and 120,000 operations. The passes
together should take less time than parsing, and time per operation should not grow with size.
IR verification, which xdsl-opt does after each pass too, is timed apart, and so is what a process
needs once to load the passes.

    python benchmarks/pass_times.py [FOLDER or FILES...]     (default: benchmarks/networks)
"""

import argparse
import gc
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.bufferize.handover import handing_over
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.resting_collector import resting_collector

ROOT = Path(__file__).parent.parent
SIZES = (10_000, 40_000, 120_000)


def generated(operations: int) -> str:
    """A network of residual blocks, as torch-mlir writes them, with about that many operations."""
    lines = [
        "#m = affine_map<(d0, d1) -> (d0, d1)>",
        "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {",
        "  %zero = arith.constant 0.0 : f32",
    ]
    skip = value = "%x"
    body = 'indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]'
    # A block makes 10 operations, bodies included, with the hidden ones of the matmul.
    for i in range(operations // 10):
        lines += [
            f"  %e{i} = tensor.empty() : tensor<64x64xf32>",
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : tensor<64x64xf32>)"
            " -> tensor<64x64xf32>",
            f"  %p{i} = linalg.matmul ins({value}, %w : tensor<64x64xf32>, tensor<64x64xf32>)"
            f" outs(%f{i} : tensor<64x64xf32>) -> tensor<64x64xf32>",
            f"  %a{i} = linalg.generic {{{body}}} ins(%p{i}, {skip} : tensor<64x64xf32>,"
            f" tensor<64x64xf32>) outs(%e{i} : tensor<64x64xf32>) {{",
            "  ^bb0(%in: f32, %in_0: f32, %out: f32):",
            "    %s = arith.addf %in, %in_0 : f32",
            "    linalg.yield %s : f32",
            "  } -> tensor<64x64xf32>",
        ]
        value = f"%a{i}"
        skip = value if i % 3 == 2 else skip
    lines += [f"  func.return {value} : tensor<64x64xf32>", "}"]
    return "\n".join(lines)


def measure(text: str, planner: str) -> tuple[int, float, dict[str, float], float]:
    """Operations, seconds to parse, seconds per pass, seconds to verify the IR between passes."""
    context = full_context()
    gc.collect()
    start = process_time()
    module = Parser(context, text).parse_module()
    parse = process_time() - start
    operations = sum(1 for _ in module.walk())
    seconds: dict[str, float] = {}
    verify = 0.0
    # As memplan-pipeline does.
    with resting_collector(), handing_over():
        for stage in MemplanPipelinePass(planner=planner).passes():
            start = process_time()
            stage.apply(context, module)
            end = process_time()
            seconds[stage.name] = end - start
            module.verify()
            verify += process_time() - end
    return operations, parse, seconds, verify


def networks(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Names and texts of the files, then of the generated networks."""
    for path in paths:
        for file in sorted(path.glob("*.mlir")) if path.is_dir() else [path]:
            yield file.stem, file.read_text()
    for size in SIZES:
        yield f"generated {size}", generated(size)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "benchmarks" / "networks"])
    parser.add_argument("--planner", default="", help="default: that of memplan-assign-offsets")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    start = process_time()
    measure(generated(10), arguments.planner)
    print(f"to load everything, once: {process_time() - start:.2f} s\n")
    heading = False
    slow: list[str] = []
    per_operation: list[float] = []
    for name, text in networks(arguments.paths):
        try:
            operations, parse, seconds, verify = measure(text, arguments.planner)
        except DiagnosticException as error:
            print(f"| {name} | refused: {error} |")
            continue
        if not heading:
            columns = " | ".join(stage.removeprefix("memplan-") for stage in seconds)
            heads = f"network | operations | parse | {columns} | passes | of parse | IR verify"
            print(f"| {heads} |")
            print("|-|" + "-:|" * (len(seconds) + 5))
            heading = True
        total = sum(seconds.values())
        cells = " | ".join(f"{s:.3f}" for s in seconds.values())
        print(
            f"| {name} | {operations} | {parse:.2f} | {cells} | {total:.2f} "
            f"| {total / parse:.2f} | {verify:.2f} |",
            flush=True,
        )
        if total >= parse:
            slow.append(name)
        if name.startswith("generated"):
            per_operation.append(total / operations)
    ratio = max(per_operation) / per_operation[0]
    print(f"\ntime per operation at {SIZES[-1]} operations over that at {SIZES[0]}: {ratio:.2f}")
    print(f"passes slower than parsing: {', '.join(slow) or 'nowhere'}")
    return int(bool(slow) or ratio > 1.5)


if __name__ == "__main__":
    sys.exit(main())
