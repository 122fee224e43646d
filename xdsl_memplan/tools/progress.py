"""A line of progress for long runs of a planner."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

_QUIET_SECONDS = 0.5
"""Shorter runs show nothing."""


class SearchProgress:
    """Shows incumbent, bound, gap and work; use as context manager and as callback of a search."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        """Start the clock."""
        self._began = time.monotonic()
        return self

    def __call__(self, incumbent_bytes: int, bound_bytes: int, work: int) -> None:
        """Update the line; called by the planner about fifty times a second."""
        seconds = time.monotonic() - self._began
        if seconds < _QUIET_SECONDS or not self._console.is_terminal:
            return
        if self._live is None:
            self._live = Live(console=self._console, transient=True)
            self._live.start()
        gap = (
            f"{100 * (incumbent_bytes / bound_bytes - 1):.3f} %"
            if incumbent_bytes and bound_bytes
            else "?"
        )
        line = (
            f"{seconds:6.1f} s  best {incumbent_bytes}  bound {bound_bytes}  gap {gap}  work {work}"
        )
        self._live.update(Text(line))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
