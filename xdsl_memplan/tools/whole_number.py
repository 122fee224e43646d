"""Whole numbers on the command line."""

import argparse
from collections.abc import Callable


def whole_number(least: int) -> Callable[[str], int]:
    """Return what reads a number of things; it raises ArgumentTypeError for less than `least`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)

    return read
