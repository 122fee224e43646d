"""Who cannot take part in a benchmark."""

from typing import NamedTuple


class Missing(NamedTuple):
    """A peer that cannot take part, and why."""

    name: str
    reason: str
