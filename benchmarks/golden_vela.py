"""What the installed Vela gives on minimalloc's A..K: writes tests/data/golden_vela.json.

As in tests/data/golden.json: times are mapped to event ranks; the peak in bytes and the first 16
hex digits of the SHA-256 of the comma-separated offsets. Needs `pip install xdsl-memplan[bench]`.
"""

import hashlib
import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.problem import Problem
from xdsl_memplan.tools.benchmark.contenders import Limits
from xdsl_memplan.tools.benchmark.peers import peers

DATA = Path(__file__).parent.parent / "tests" / "data"


def ranked(path: Path) -> Problem:
    with path.open(encoding="utf-8") as stream:
        problem = read_problem(stream, str(path))
    times = np.unique(np.concatenate([problem.starts, problem.ends]))
    starts, ends = np.searchsorted(times, problem.starts), np.searchsorted(times, problem.ends)
    return replace(problem, starts=starts, ends=ends)


def main() -> None:
    found = {peer.name: peer for peer in peers()[0]}
    planners: dict[str, dict[str, dict[str, int | str]]] = {}
    for name in ("vela greedy", "vela hill climb"):
        results = planners.setdefault(name.replace(" ", "_"), {})
        for path in sorted((DATA / "minimalloc").glob("*.csv")):
            problem = ranked(path)
            task = found[name].prepare(problem, Limits(seconds=600))
            offsets = task.offsets(task.work())
            text = ",".join(map(str, offsets.tolist()))
            results[path.name[0]] = {
                "peak": int((offsets + problem.sizes).max()),
                "offsets_sha256": hashlib.sha256(text.encode()).hexdigest()[:16],
            }
    content = {"vela": version("ethos-u-vela"), "planners": planners}
    text = json.dumps(content, indent=1) + "\n"
    (DATA / "golden_vela.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
