"""Consoles that show names of files, graphs and buffers as they are."""

from typing import Any

from rich.console import Console


def plain_console(**options: Any) -> Console:
    """Return a console to which brackets and colons in a text are nothing but these."""
    return Console(markup=False, emoji=False, **options)
