"""Hands the places of tensors on from memplan-schedule to memplan-bufferize, which would find the same.

Only `memplan-pipeline` knows that nothing comes between the two, so only inside of `handing_over`
anything is kept; a pass on its own finds places itself.
"""  # noqa: E501

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.func import FuncOp

from xdsl_memplan.transforms.bufferize.placement import Placement

_kept: ContextVar[dict[FuncOp, Placement] | None] = ContextVar("memplan_kept_places", default=None)


@contextmanager
def handing_over() -> Generator[None]:
    """While this lasts, places are kept for the pass that wants them."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def keep(function: FuncOp, placement: Placement | None) -> None:
    """Keep the places of a function's tensors, as it is now; None: those there are hold no more.

    They are for memrefs without a memory space, and for a function that calls nobody.
    """
    kept = _kept.get()
    if kept is None:
        return
    if placement is None:
        kept.pop(function, None)
    else:
        kept[function] = placement


def take(function: FuncOp) -> Placement | None:
    """The places that were kept for a function, once."""
    kept = _kept.get()
    return None if kept is None else kept.pop(function, None)


def forget() -> None:
    """Forget all places: something else is about to change the functions."""
    kept = _kept.get()
    if kept is not None:
        kept.clear()
