"""What the networks need today: memory and copies after MLIR's own bufferization.

    python benchmarks/upstream_memory.py [FILE.mlir ...] [--json OUT]

Four ways, all with mlir-opt 22 and identity layouts at function boundaries:

- `deallocated`: one-shot bufferization and the deallocation pipeline, what a user gets by default;
  every allocation is freed at the end of the block, so the memory is the sum of all.
- `stock`: one-shot bufferization, allocations live from the first to the last operation that
  touches them (what `--optimize-allocation-liveness` gives).
- `best`: canonicalization, elementwise fusion and elimination of empty tensors before that.
- `split`: as `stock`, after every `tensor.empty` and `linalg.fill` was cloned per use.

Bytes are the sum (`deallocated`) or the most that is live at once (the others) of `memref.alloc`.
Arguments and constants do not count. Copies are `memref.copy` operations.
"""

import argparse
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from xdsl_memplan.native.compile import find_tool, run_tool

ROOT = Path(__file__).parent.parent
FOLDERS = (ROOT / "examples", ROOT / "benchmarks" / "networks")
# Not networks of their own: another element type, a dynamic batch, weights as constants.
LEFT_OUT = ("resnet18_bf16", "resnet18_dynbatch", "squeezenet1_1_frozen_limit")

ONE_SHOT = (
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map}"
)
BEST = (
    "canonicalize,cse,linalg-fuse-elementwise-ops,canonicalize,cse,eliminate-empty-tensors,"
    f"empty-tensor-to-alloc-tensor,{ONE_SHOT},canonicalize,cse"
)

_OPERATION = re.compile(r'^\s*(?:((?:%[\w#]+(?::\d+)?(?:, )?)+) = )?"([\w.]+)"\(')
_NAME = re.compile(r"%[\w]+")
_MEMREF = re.compile(r"memref<((?:\d+x)*)(\w+)")
_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1}
_VIEWS = ("subview", "collapse_shape", "expand_shape", "cast", "reinterpret_cast", "view")


@dataclass(frozen=True)
class UpstreamMemory:
    """Bytes and copies of one network."""

    deallocated: int
    stock: int
    best: int
    split: int
    stock_copies: int
    best_copies: int
    split_copies: int

    @property
    def smallest(self) -> int:
        """The best that upstream reaches in the order of the file."""
        return min(self.stock, self.best, self.split)


def network_files(given: list[Path]) -> list[Path]:
    files = given or sorted(file for folder in FOLDERS for file in folder.glob("*.mlir"))
    return [file for file in files if file.stem not in LEFT_OUT]


def measure(text: str) -> UpstreamMemory:
    stock = _bufferized(text, ONE_SHOT)
    best = _bufferized(text, BEST)
    split = _bufferized("\n".join(_clone_per_use(text)), ONE_SHOT)
    total, stock_peak, stock_copies = _memory(stock)
    _, best_peak, best_copies = _memory(best)
    _, split_peak, split_copies = _memory(split)
    return UpstreamMemory(
        total, stock_peak, best_peak, split_peak, stock_copies, best_copies, split_copies
    )


def _bufferized(text: str, passes: str) -> str:
    options = ["--mlir-print-op-generic", "--mlir-print-local-scope"]
    return run_tool(
        [find_tool("mlir-opt"), *options, f"--pass-pipeline=builtin.module({passes})"], text
    )


def _memory(generic_ir: str) -> tuple[int, int, int]:
    """Return total bytes, most bytes live and number of copies of memref IR in generic form."""
    size: dict[str, int] = {}
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    storage: dict[str, str] = {}
    copies = 0
    for line_number, line in enumerate(generic_ir.splitlines()):
        match = _OPERATION.match(line)
        if match is None:
            continue
        results, name = match[1], match[2]
        operands = _NAME.findall(line[match.end() :].split(")", 1)[0])
        if name in ("memref.dealloc", "bufferization.dealloc"):
            continue
        if name == "memref.alloc":
            storage[results] = results
            size[results] = _bytes(line)
            continue
        if name == "memref.copy":
            copies += 1
        if name.startswith("memref.") and name.removeprefix("memref.") in _VIEWS:
            if operands[0] in storage:
                storage[results] = storage[operands[0]]
            continue
        for operand in operands:
            if operand in storage:
                root = storage[operand]
                first.setdefault(root, line_number)
                last[root] = line_number
    events: list[tuple[int, int]] = []
    for root in first:
        events += [(first[root], size[root]), (last[root] + 1, -size[root])]
    live = peak = 0
    for _, change in sorted(events):
        live += change
        peak = max(peak, live)
    return sum(size.values()), peak, copies


def _bytes(line: str) -> int:
    matches = _MEMREF.findall(line)
    dimensions, element = matches[-1]
    count = 1
    for dimension in dimensions.split("x")[:-1]:
        count *= int(dimension)
    return count * _BYTES[element]


def _clone_per_use(text: str) -> Iterator[str]:
    """Repeat every tensor.empty and linalg.fill right before each use."""
    definition: dict[str, str] = {}
    fresh = (f"%clone{i}" for i in itertools.count())

    def with_own_operands(line: str) -> Iterator[str]:
        """Yield what the operands of a line need, then the line with the new names."""
        result, equals, _ = line.strip().partition(" = ")
        renamed: dict[str, str] = {}
        for operand in dict.fromkeys(_NAME.findall(line)):
            if operand in definition and not (equals and operand == result):
                renamed[operand] = next(fresh)
                clone = _rename(definition[operand], {operand: renamed[operand]})
                yield from with_own_operands(clone)
        yield _rename(line, renamed)

    for line in text.splitlines():
        name, equals, _ = line.strip().partition(" = ")
        if equals and ("tensor.empty()" in line or " linalg.fill " in line):
            definition[name] = line
        else:
            yield from with_own_operands(line)


def _rename(line: str, renamed: dict[str, str]) -> str:
    return _NAME.sub(lambda match: renamed.get(match[0], match[0]), line)


def main() -> None:
    parser = argparse.ArgumentParser(description="memory after MLIR's own bufferization")
    parser.add_argument("files", nargs="*", type=Path, help="default: all networks here")
    parser.add_argument("--json", type=Path, help="where the numbers go as well")
    arguments = parser.parse_args()
    console = Console()
    table = Table("network", "deallocated", "stock", "best", "split", "copies stock/best/split")
    measured: dict[str, dict[str, int]] = {}
    for file in track(network_files(arguments.files), console=console, transient=True):
        memory = measure(file.read_text(encoding="utf-8"))
        measured[file.stem] = asdict(memory)
        sizes = (memory.deallocated, memory.stock, memory.best, memory.split)
        copies = f"{memory.stock_copies}/{memory.best_copies}/{memory.split_copies}"
        table.add_row(file.stem, *(f"{size / 1e6:.2f}" for size in sizes), copies)
    console.print(table)
    console.print("MB (10^6 bytes)")
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
