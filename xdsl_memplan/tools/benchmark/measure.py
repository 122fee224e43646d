"""One run of one contender on one instance, in a process of its own."""

import gc
import multiprocessing
import resource
import sys
import time
from dataclasses import MISSING, dataclass, fields, replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import numpy as np

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.planners.check import check_with_core
from xdsl_memplan.planners.errors import TimeLimitError
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task, unknown_feature
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance

_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024

Status = Literal["ok", "timeout", "error", "invalid", "left out"]

_GRACE = 2.0
"""A run is ended after this many times its limit, plus a second: not everybody keeps limits."""

_CALLS = 5
_BRIEF = 0.1
"""A rule is called up to so many times in its process while that takes less seconds than this."""


_KERNEL_CALLS = 3
_KERNEL_SECONDS = 10.0
"""Rules that take longer are not run again by themselves."""


@dataclass(frozen=True)
class Run:
    """What one run gave. Sizes are bytes, times seconds; those of the planning alone.

    Times are medians over the calls, memory is that of the first.
    """

    instance: str
    group: str
    buffers: int
    load: int
    capacity: int
    contender: str
    side: str
    searches: bool
    status: Status
    peak: int | None = None
    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    memory: int | None = None
    """Growth of the process while it planned, or all of another process that it started."""
    message: str = ""
    kernel_seconds: float | None = None
    """CPU seconds of the rule alone, the least of a few, where the contender can tell."""
    timed: str = "call"
    """What that is, or the call where it cannot."""

    @classmethod
    def left_out(cls, contender: Contender, instance: BenchmarkInstance, reason: str) -> "Run":
        """Return a run that did not take place."""
        return cls(**_about(contender, instance), status="left out", message=reason)

    @classmethod
    def from_json(cls, content: object, name: str) -> "Run":
        """Return the run that `dataclasses.asdict` made an object of.

        Raises ValueError, with `name` and the field that cannot be.
        """
        if not isinstance(content, dict):
            raise ValueError(f"{name} is no object")
        values = cast(dict[str, Any], content)
        known = {field.name: field for field in fields(cls)}
        for key in values:
            if key not in known:
                raise ValueError(f"{name} has {key!r}, which no run has")
        types = get_type_hints(cls)
        for key, field in known.items():
            if key not in values:
                if field.default is MISSING:
                    raise ValueError(f"{name} has no {key!r}")
            elif not _is_of(values[key], types[key]):
                raise ValueError(f"{name} has a {key!r} that cannot be: {values[key]!r}")
        return cls(**values)


def _is_of(value: object, wanted: Any) -> bool:
    """Tell whether a value of JSON is of the type of a field; a whole number is a float, too."""
    if get_origin(wanted) is Literal:
        return value in get_args(wanted)
    allowed = get_args(wanted) or (wanted,)
    return type(value) in allowed or (type(value) is int and float in allowed)


def _about(contender: Contender, instance: BenchmarkInstance) -> dict[str, Any]:
    return {
        "instance": instance.name,
        "group": instance.group,
        "buffers": len(instance.problem),
        "load": instance.load,
        "capacity": instance.capacity,
        "contender": contender.name,
        "side": contender.side,
        "searches": contender.searches,
        "timed": contender.timed,
    }


def measure(contender: Contender, instance: BenchmarkInstance, limits: Limits) -> Run:
    """Run a contender in a fork of this process, so that it can be timed, ended and cleaned up.

    The offsets are checked there against every rule of the problem but its capacity. Never raises
    for what a contender does: that is a run with another status than ok.
    """
    most = contender.most_buffers
    if most is not None and len(instance.problem) > most:
        return Run.left_out(contender, instance, f"more than {most} buffers")
    feature = unknown_feature(contender, instance.problem)
    if feature is not None:
        return Run.left_out(contender, instance, f"does not know {feature}")
    about = _about(contender, instance)
    allowed = max(_GRACE * limits.seconds + 1, instance.seconds)
    seconds = limits.seconds if contender.searches else allowed
    target = instance.load if instance.minimize else instance.capacity
    limits = replace(limits, minimize=instance.minimize, seconds=seconds, target=target)
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, contender, instance.problem, limits))
    process.start()
    theirs.close()
    try:
        if not ours.poll(allowed):
            return Run(**about, status="timeout", message=f"ended after {allowed:.3g} s")
        return Run(**about, **ours.recv())
    except EOFError:
        process.join()
        return Run(**about, status="error", message=f"ended with status {process.exitcode}")
    finally:
        process.kill()
        process.join()
        ours.close()


def _work(pipe: Connection, contender: Contender, problem: Problem, limits: Limits) -> None:
    try:
        task = contender.prepare(problem, limits)
        gc.collect()
        before = _start_peak_memory()
        times = [_timed(task)]
        memory = max(0, _peak_memory() - before, _peak_memory_of_children())
        while not contender.searches and len(times) < _CALLS and sum(t[1] for t in times) < _BRIEF:
            times.append(_timed(task))
        offsets = np.asarray(task.offsets(times[-1][2]), dtype=np.int64)
    except (TimeoutError, TimeLimitError) as error:
        pipe.send({"status": "timeout", "message": str(error)})
        return
    except Exception as error:
        pipe.send({"status": "error", "message": f"{type(error).__name__}: {error}"[:500]})
        return
    try:
        peak = check_with_core(problem.with_capacity(None), offsets)
    except ValueError as error:
        pipe.send({"status": "invalid", "message": str(error)})
        return
    cpu, wall = (median(t[k] for t in times) for k in (0, 1))
    measured = {"cpu_seconds": cpu, "wall_seconds": wall, "memory": memory}
    if task.kernel_seconds is not None and not contender.searches and wall < _KERNEL_SECONDS:
        measured["kernel_seconds"] = min(task.kernel_seconds() for _ in range(_KERNEL_CALLS))
    pipe.send({"status": "ok", "peak": peak, **measured})


def _timed(task: Task) -> tuple[float, float, Any]:
    """Return CPU seconds, wall seconds and result of one call."""
    wall, cpu = time.perf_counter(), _cpu_seconds()
    result = task.work()
    return _cpu_seconds() - cpu, time.perf_counter() - wall, result


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _start_peak_memory() -> int:
    """Forget the peak so far where the kernel can, and return the memory in use, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _memory_of("VmRSS")
    except OSError:
        return _peak_memory()


def _peak_memory() -> int:
    """Return the peak of this process in bytes."""
    try:
        return _memory_of("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def _peak_memory_of_children() -> int:
    """Return the peak of the largest process that this one started, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _MAXRSS_UNIT


def _memory_of(field: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {field}")
