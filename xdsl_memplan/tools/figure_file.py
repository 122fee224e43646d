"""Figures in files."""

from pathlib import Path
from typing import Any


def write_figure(figure: Any, path: Path, **options: Any) -> None:
    """Write a figure of Matplotlib under exactly that name: PNG where it has no ending.

    Matplotlib itself would add an ending.
    """
    figure.savefig(path, format=path.suffix[1:] or "png", **options)
