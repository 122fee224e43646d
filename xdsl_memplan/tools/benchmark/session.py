"""All runs of a benchmark: interleaved, and written down as they come."""

import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from xdsl_memplan.tools.benchmark.contenders import Contender, Limits
from xdsl_memplan.tools.benchmark.instances import BenchmarkInstance
from xdsl_memplan.tools.benchmark.measure import Run, measure
from xdsl_memplan.tools.benchmark.peers import Missing

_SAVE_SECONDS = 5.0
_SHORT_SECONDS = 1.0
"""Runs below this are repeated."""


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


@dataclass(frozen=True)
class Session:
    """What is run: every contender on every instance, short runs several times."""

    contenders: Sequence[Contender]
    missing: Sequence[Missing]
    limits: Limits
    repetitions: int = 3
    seconds: float = math.inf
    """After this nothing new is started."""

    def run(
        self,
        instances: Iterable[BenchmarkInstance],
        output: Path,
        progress: Callable[[str], None],
    ) -> list[Run]:
        """Run everything; `output` is a JSON file that holds all runs so far at any time.

        Contenders take turns on an instance, and the whole round is repeated, so that whatever else
        the machine does hits all alike. One that ran out of time on an instance is left out of
        larger ones of its group. On Ctrl-C what there is is written and returned.
        """
        runs: list[Run] = []
        exhausted: dict[tuple[str, str], int] = {}
        started = saved = time.monotonic()
        try:
            for instance in instances:
                entering = self._entering(instance)
                for repetition in range(self.repetitions):
                    staying: list[Contender] = []
                    for contender in entering:
                        key, buffers = (contender.name, instance.group), len(instance.problem)
                        if time.monotonic() - started > self.seconds:
                            raise TimeoutError
                        if buffers > exhausted.get(key, buffers):
                            late = "out of time on a smaller one"
                            runs.append(Run.left_out(contender, instance, late))
                            continue
                        progress(f"{instance.name}  {contender.name}  {repetition + 1}")
                        run = measure(contender, instance, self.limits)
                        runs.append(run)
                        if run.status == "ok" and (run.wall_seconds or 0) < _SHORT_SECONDS:
                            staying.append(contender)
                        if run.status == "timeout":
                            exhausted[key] = buffers
                        if time.monotonic() - saved > _SAVE_SECONDS:
                            self._save(runs, output)
                            saved = time.monotonic()
                    entering = staying
        except (KeyboardInterrupt, TimeoutError):
            progress("stopped")
        finally:
            self._save(runs, output)
        return runs

    def _entering(self, instance: BenchmarkInstance) -> list[Contender]:
        """Where it is enough to fit, only who knows capacities does anything new."""
        return [one for one in self.contenders if instance.minimize or one.knows_capacity]

    def _save(self, runs: Sequence[Run], output: Path) -> None:
        content: dict[str, Any] = {
            "machine": asdict(Machine.here()),
            "limits": {"seconds": self.limits.seconds, "effort": self.limits.effort},
            "missing": [peer._asdict() for peer in self.missing],
            "runs": [asdict(run) for run in runs],
        }
        output.parent.mkdir(parents=True, exist_ok=True)
        partial = output.with_suffix(".partial")
        partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        partial.replace(output)


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def load_runs(path: Path) -> list[Run]:
    """Read the runs of an earlier session. Raises OSError, ValueError."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Run(**run) for run in content["runs"]]
