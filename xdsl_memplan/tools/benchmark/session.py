"""All runs of a benchmark: interleaved, and written down as they come."""

import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, cast

from xdsl_memplan.formats.json_document import read_json
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance
from xdsl_memplan.tools.benchmark.measure import Run, Status, measure
from xdsl_memplan.tools.benchmark.missing import Missing

_SAVE_SECONDS = 5.0
_SHORT_SECONDS = 1.0
"""Runs below this are repeated."""
_SECONDS_LIKE_A_SHORT_RUN = 5.0
"""Where runs may take so long they take about a short one more: few of them do take so long, and to
start a process takes most of a short one."""
_NO_TIME = "no time left"


@dataclass(frozen=True)
class Machine:
    """What a benchmark ran on."""

    processor: str
    cores: int | None
    python: str

    @classmethod
    def here(cls) -> "Machine":
        """Describe this one."""
        return cls(_processor(), os.cpu_count(), platform.python_version())


class SessionInterrupted(KeyboardInterrupt):
    """Ctrl-C came before all runs were done; `runs` are those that were."""

    def __init__(self, runs: list[Run]) -> None:
        super().__init__()
        self.runs = runs


@dataclass(frozen=True)
class Session:
    """What is run: every contender on every instance, short runs several times."""

    contenders: Sequence[Contender]
    missing: Sequence[Missing]
    limits: Limits
    repetitions: int = 3
    seconds: float = math.inf
    """After this nothing new is started; groups of instances share it."""
    earlier: Sequence[Run] = ()
    """Runs of a session that this one goes on with: only what had no time left is run."""

    def run(
        self,
        instances: Iterable[BenchmarkInstance],
        output: Path,
        progress: Callable[[str], None],
    ) -> list[Run]:
        """Run everything; `output` is a JSON file that holds all runs so far at any time.

        Contenders take turns on an instance, and the whole round is repeated, so that whatever else
        the machine does hits all alike. One that ran out of time on an instance is left out of
        larger ones of its family. Every group of instances gets its share of the session's time, by
        how much there is to run, and what is left of those before; when half of it is over nothing
        is repeated any more, and when all of it is, the rest of the group is left out. Whatever
        happens, what there is is written.

        Raises SessionInterrupted, on Ctrl-C.
        """
        runs = _Runs(self, output, progress)
        open_ones: list[BenchmarkInstance] = []
        for instance in instances:
            runs.recall_timeouts(instance)
            if self._entering(instance, runs):
                open_ones.append(instance)
        groups = [list(group) for _, group in groupby(open_ones, key=lambda one: one.group)]
        end = time.monotonic() + self.seconds
        try:
            for at, group in enumerate(groups):
                now = time.monotonic()
                weights = [self._weight(other, runs) for other in groups[at:]]
                share = weights[0] / sum(weights)
                hours = _Hours(now + (end - now) / 2 * share, now + (end - now) * share)
                for instance in group:
                    self._run_on(instance, runs, hours)
        except KeyboardInterrupt as interrupt:
            raise SessionInterrupted(runs.all) from interrupt
        finally:
            runs.save()
        return runs.all

    def _run_on(self, instance: BenchmarkInstance, runs: "_Runs", hours: "_Hours") -> None:
        entering = self._entering(instance, runs)
        for repetition in range(self.repetitions):
            if repetition and time.monotonic() > hours.last_repetition:
                return
            staying: list[Contender] = []
            for contender in entering:
                if repetition and time.monotonic() > hours.end:
                    return
                if time.monotonic() > hours.end:
                    runs.leave_out(contender, instance, _NO_TIME)
                    continue
                run = runs.add(contender, instance, repetition)
                if run.status == "ok" and (run.wall_seconds or 0) < _SHORT_SECONDS:
                    staying.append(contender)
            entering = staying

    def _entering(self, instance: BenchmarkInstance, runs: "_Runs") -> list[Contender]:
        """Where it is enough to fit, only who knows capacities does anything new."""
        entering = [one for one in self.contenders if instance.minimize or one.knows_capacity]
        return [one for one in entering if not runs.has(one, instance)]

    def _weight(self, group: Sequence[BenchmarkInstance], runs: "_Runs") -> float:
        """About how long a group takes, in units of a short run."""
        return sum(
            len(self._entering(instance, runs)) * (1 + instance.seconds / _SECONDS_LIKE_A_SHORT_RUN)
            for instance in group
        )

    def description(self) -> dict[str, Any]:
        """Return where and how this is run, for the file."""
        return {
            "machine": asdict(Machine.here()),
            "limits": {"seconds": self.limits.seconds, "effort": self.limits.effort},
            "missing": [peer._asdict() for peer in self.missing],
        }


@dataclass(frozen=True)
class _Hours:
    """Until when a group of instances may do what, in seconds of the monotonic clock."""

    last_repetition: float
    end: float


class _Runs:
    """The runs so far, written down now and then."""

    def __init__(self, session: Session, output: Path, progress: Callable[[str], None]) -> None:
        self.all = [run for run in session.earlier if run.message != _NO_TIME]
        self._statuses: dict[tuple[str, str, str], Status] = {
            (run.contender, run.group, run.instance): run.status for run in self.all
        }
        self._session = session
        self._output = output
        self._progress = progress
        self._saved = time.monotonic()
        self._exhausted: dict[tuple[str, str], int] = {}

    def has(self, contender: Contender, instance: BenchmarkInstance) -> bool:
        """Tell whether an earlier session ran a contender on an instance."""
        return self._earlier_status(contender, instance) is not None

    def recall_timeouts(self, instance: BenchmarkInstance) -> None:
        """Note who ran out of time on an instance in an earlier session."""
        for contender in self._session.contenders:
            if self._earlier_status(contender, instance) == "timeout":
                self._exhaust(contender, instance)

    def _exhaust(self, contender: Contender, instance: BenchmarkInstance) -> None:
        key, buffers = (contender.name, instance.family), len(instance.problem)
        self._exhausted[key] = min(buffers, self._exhausted.get(key, buffers))

    def _earlier_status(self, contender: Contender, instance: BenchmarkInstance) -> Status | None:
        return self._statuses.get((contender.name, instance.group, instance.name))

    def add(self, contender: Contender, instance: BenchmarkInstance, repetition: int) -> Run:
        """Run a contender on an instance, unless it took too long on a smaller one."""
        key, buffers = (contender.name, instance.family), len(instance.problem)
        if buffers > self._exhausted.get(key, buffers):
            return self.leave_out(contender, instance, "out of time on a smaller one")
        self._progress(f"{instance.name}  {contender.name}  {repetition + 1}")
        run = measure(contender, instance, self._session.limits)
        self.all.append(run)
        if run.status == "timeout":
            self._exhaust(contender, instance)
        if time.monotonic() - self._saved > _SAVE_SECONDS:
            self.save()
            self._saved = time.monotonic()
        return run

    def leave_out(self, contender: Contender, instance: BenchmarkInstance, reason: str) -> Run:
        """Say why there is no run."""
        run = Run.left_out(contender, instance, reason)
        self.all.append(run)
        return run

    def save(self) -> None:
        """Replace the file at once."""
        content = self._session.description() | {"runs": [asdict(run) for run in self.all]}
        self._output.parent.mkdir(parents=True, exist_ok=True)
        partial = self._output.with_suffix(".partial")
        partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        partial.replace(self._output)


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def load_runs(path: Path) -> list[Run]:
    """Read the runs of an earlier session. Raises OSError, ValueError that names the file."""
    with path.open(encoding="utf-8") as stream:
        _, content = read_json(stream, str(path))
    runs: Any = cast(dict[str, Any], content).get("runs") if isinstance(content, dict) else None
    if not isinstance(runs, list):
        raise ValueError(f"{path}: it holds no runs of a benchmark")
    try:
        return [Run.from_json(run, f"run {i}") for i, run in enumerate(cast(list[Any], runs))]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
