"""Ctrl-C and exceptions out of progress end a long plan soon."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from xdsl_memplan.planners.generate import mixed_lifetimes
from xdsl_memplan.planners.plan import plan

# Generous: machines that run tests are busy. benchmarks/cancellation.py measures.
LONGEST_SECONDS = 2.0


@pytest.fixture
def _heeded_ctrl_c() -> Iterator[None]:
    """A shell starts what runs in its background without Ctrl-C, and the plan would not end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heeded_ctrl_c")
@pytest.mark.parametrize("after_seconds", [0.05, 0.7])
def test_ctrl_c_ends_a_long_plan(after_seconds: float) -> None:
    problem = mixed_lifetimes(300_000)
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(after_seconds)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        plan(problem, effort="max")
    assert time.perf_counter() - sent[0] < LONGEST_SECONDS
    thread.join()


def test_exception_of_progress_ends_the_plan_and_is_raised() -> None:
    raised: list[float] = []

    def progress(incumbent: int, bound: int, work: int) -> None:
        if not raised:
            raised.append(time.perf_counter())
            raise LookupError(f"{incumbent} {bound} {work}")

    with pytest.raises(LookupError):
        plan(mixed_lifetimes(300_000), effort="max", progress=progress)
    assert time.perf_counter() - raised[0] < LONGEST_SECONDS
