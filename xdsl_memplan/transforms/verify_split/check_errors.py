"""Why tiles are not taken for proved."""

from xdsl.ir import Operation


class CheckError(Exception):
    """A reason not to take tiles for proved."""

    def __init__(self, reason: str, by: Operation | None = None) -> None:
        super().__init__(reason)
        self.by = by
        """What wrote the elements in question."""
        self.op: Operation | None = None
        """What reads them."""


class MismatchError(CheckError):
    """Tiles that cannot compute what the whole program does."""


class NotFollowedError(CheckError):
    """The checker has no rule for this, or knows no relation: nothing is said about the tiles."""
