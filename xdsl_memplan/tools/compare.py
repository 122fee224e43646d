"""`memplan compare BEFORE.mlir AFTER.mlir`: two modules compute the same, bit for bit, or not."""

import argparse
from pathlib import Path

from rich.console import Console

from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.inputs import INTEGERS_BELOW


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("before", type=Path, help="linalg on tensors, or memref IR")
    add("after", type=Path, help="the same function after planning")
    add("--function", default="main", help="default: %(default)s")
    add("--seed", type=int, default=0, help="of the random inputs; default: %(default)s")
    add(
        "--integers-below",
        type=positive,
        default=INTEGERS_BELOW,
        help="bound of random integers, which may be indices into tables; default: %(default)s",
    )


def positive(text: str) -> int:
    """Read a positive integer; raises ArgumentTypeError for anything else."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive integer")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Compile and run both.

    Raises DifferenceError where they differ, NativeToolError without LLVM 22, OSError.
    """
    agreement = compare_modules(
        arguments.before.read_text(encoding="utf-8"),
        arguments.after.read_text(encoding="utf-8"),
        function=arguments.function,
        seed=arguments.seed,
        integers_below=arguments.integers_below,
    )
    console = Console(stderr=True)
    if not agreement.informative:
        console.print(
            f"equal, but this says nothing: each of the {agreement.results} results is one "
            "constant; another --seed or --integers-below may help"
            if agreement.results
            else "equal, but this says nothing: there are no results"
        )
        return 0
    spread = ", ".join(f"{value:.4g}" for value in agreement.standard_deviations[:4])
    console.print(f"equal, bit for bit: {agreement.results} results, standard deviation {spread}")
    return 0
