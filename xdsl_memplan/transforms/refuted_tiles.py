"""Tiles that do not compute what the whole function does: a mistake of what made them."""

from xdsl.utils.exceptions import PassFailedException


class RefutedTiles(PassFailedException):
    """Tiles are wrong. Nothing else is tried instead: who made them has to know."""
