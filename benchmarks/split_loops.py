"""Programs with loops over tensors, planned for small memories: the bytes that move.

    python benchmarks/split_loops.py [FILES...]

`memplan-pipeline{stage=all}`, which refuses a plan that its verifier does not accept. Without FILES
those in tests/data: a recurrent layer of 256 features with 16 steps, two LSTM layers of 24 features
with 20 steps behind a product, a decoder of 64 features that chooses 8 of 50 words one by one.
"""

import argparse
import io
import re
from contextlib import redirect_stderr
from pathlib import Path

from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

_DATA = Path(__file__).parents[1] / "tests" / "data"
_FILES = [_DATA / f"{name}.mlir" for name in ("recurrent", "lstm_layers", "greedy_decoder")]
_MEMORIES = [f"{2**k}KiB" for k in range(0, 10)]


def bytes_moved(text: str, memory: str, name: str = "<unknown>") -> int | None:
    """What moves between a memory and the next, in bytes; None where nobody knows how often.

    Raises PassFailedException where nothing fits.
    """
    context, report = full_context(), io.StringIO()
    module = Parser(context, text, name).parse_module()
    with redirect_stderr(report):
        MemplanPipelinePass(memory=f"L1={memory},DDR", stage="all", summary=True).apply(
            context, module
        )
    found = re.search(r": (\d+) bytes move between", report.getvalue())
    return int(found[1]) if found is not None else None


def cell(path: Path, memory: str) -> str:
    """What moves; why not, where nothing fits; `?` where nobody knows how often."""
    try:
        moved = bytes_moved(path.read_text(), memory, str(path))
    except PassFailedException:
        return "too small"
    return f"{moved:,}" if moved is not None else "?"


def main() -> None:
    """Print a table, a row for each program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, default=_FILES)
    files: list[Path] = parser.parse_args().files
    print("| program |", *(f"{memory} |" for memory in _MEMORIES))
    print("|-|" + "-:|" * len(_MEMORIES))
    for path in files:
        print(f"| {path.stem} |", *(f"{cell(path, memory)} |" for memory in _MEMORIES))


if __name__ == "__main__":
    main()
