"""Whole numbers on the command line."""

import argparse
import math
from collections.abc import Callable


def whole_number(least: int, most: float = math.inf) -> Callable[[str], int]:
    """Return what reads a number from `least` to `most`; else it raises ArgumentTypeError."""
    limits = f"at least {least}" + ("" if math.isinf(most) else f" and at most {most}")

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of {limits}")
        return int(text)

    return read
