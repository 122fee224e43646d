"""Spares the garbage collector the module while passes run."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def resting_collector() -> Generator[None]:
    """Take what exists now out of the collector's sight, and put it back at the end.

    A module is millions of objects that refer to each other and stay alive; every full collection
    walks through all of them and frees none. What the passes drop meanwhile is still collected.
    An embedder who has frozen objects of her own is left alone.
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
