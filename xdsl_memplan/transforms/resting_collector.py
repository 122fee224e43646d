"""Spares the garbage collector the module while passes run."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000
"""So many objects more than there were start a collection. Python's 700 are looked through again
and again while a pass makes hundreds of thousands that stay."""


@contextmanager
def resting_collector() -> Generator[None]:
    """Take what exists now out of the collector's sight, and put it back at the end.

    A module is millions of objects that refer to each other and stay alive; every full collection
    walks through all of them and frees none. What the passes drop meanwhile is still collected,
    less often. An embedder who has frozen objects of her own is left alone.
    """
    if gc.get_freeze_count():
        yield
        return
    before, *others = gc.get_threshold()
    gc.freeze()
    if before:  # With 0 nothing is collected.
        gc.set_threshold(max(before, _NEW_OBJECTS), *others)
    try:
        yield
    finally:
        gc.set_threshold(before, *others)
        gc.unfreeze()
