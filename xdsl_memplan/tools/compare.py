"""`memplan compare BEFORE.mlir AFTER.mlir`: two modules compute the same, bit for bit, or not."""

import argparse
from pathlib import Path

from xdsl_memplan.native.compare import Agreement, compare_modules
from xdsl_memplan.native.inputs import INTEGERS_BELOW
from xdsl_memplan.tools.console import plain_console
from xdsl_memplan.tools.whole_number import whole_number


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("before", type=Path, help="linalg on tensors, or memref IR")
    add("after", type=Path, help="the same function after planning")
    add("--function", default="main", help="default: %(default)s")
    add(
        "--seed", type=whole_number(0), default=0, help="of the random inputs; default: %(default)s"
    )
    add(
        "--integers-below",
        type=whole_number(1),
        default=INTEGERS_BELOW,
        help="bound of random integers, which may be indices into tables; default: %(default)s",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compile and run both.

    Raises DifferenceError where they differ, NativeToolError without LLVM 22, OSError, and
    ValueError for a file that is no module, or has no such function.
    """
    agreement = compare_modules(
        _text(arguments.before),
        _text(arguments.after),
        function=arguments.function,
        seed=arguments.seed,
        integers_below=arguments.integers_below,
    )
    # As one line, however narrow the terminal.
    plain_console(stderr=True, soft_wrap=True).print(_sentence(agreement))
    return 0


def _text(path: Path) -> str:
    """Read a file. Raises OSError, ValueError if it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not a text file: {error}") from error


_SHOWN = 4


def _sentence(agreement: Agreement) -> str:
    """Say what was compared, and whether that says anything."""
    counts = ((agreement.results, "result"), (agreement.arguments, "written argument"))
    found = [f"{n} {name}{'s' * (n > 1)}" for n, name in counts if n]
    what = " and ".join(found)
    if not found:
        return "equal, but this says nothing: there are no results"
    if not agreement.informative:
        return (
            f"equal, bit for bit: {what}, but this says nothing: none has two different finite "
            "numbers; another --seed or --integers-below may help"
        )
    deviations = agreement.standard_deviations
    spread = ", ".join(f"{value:.4g}" for value in deviations[:_SHOWN])
    more = f" and {len(deviations) - _SHOWN} more" if len(deviations) > _SHOWN else ""
    weights = f"; {agreement.left_out} weights left out of the file were random"
    return (
        f"equal, bit for bit: {what}, standard deviation {spread}{more}"
        f"{weights if agreement.left_out else ''}"
    )
