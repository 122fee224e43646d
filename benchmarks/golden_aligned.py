"""What installed originals give where alignment matters: writes tests/data/golden_aligned.json.

    python benchmarks/golden_aligned.py

Small random problems, half of them with few different sizes. Vela and MLIR are told an alignment
for each buffer; IREE packs at multiples of 64 bytes and Triton at multiples of 16, whatever the
sizes. The file holds the problems and all offsets. Needs `pip install xdsl-memplan[bench]`, and
Triton.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version

import numpy as np
from golden_vela import DATA
from same_offsets import by_operation

from xdsl_memplan.model.problem import Problem
from xdsl_memplan.tools.benchmark.contenders import Limits
from xdsl_memplan.tools.benchmark.peers import peers

PACKAGES = {"vela": "ethos-u-vela", "iree": "iree-base-compiler", "triton": "triton"}
ORIGINALS = {
    "vela greedy": "vela-greedy",
    "vela hill climb": "vela-hill-climb",
    "iree-opt MLIR best-fit": "mlir-best-fit",
    "iree-opt LayoutSlices": "iree",
    "triton allocation": "triton",
}
ALWAYS = {"iree": 64, "triton": 16}
"""Planners whose originals align everything so."""


def problems(count: int) -> Iterator[Problem]:
    random = np.random.default_rng(5)
    for number in range(count):
        n = int(random.integers(5, 40))
        starts = random.integers(0, n, n, dtype=np.int64)
        yield Problem(
            sizes=random.integers(1, 12 if number % 2 else 500, n),
            starts=starts,
            ends=starts + random.integers(1, 2 + n // 3, n),
            alignments=2 ** random.integers(0, 7, n),
        )


def main() -> None:
    found = {peer.name: peer for peer in peers()[0]}
    cases: list[dict[str, object]] = []
    for peer, planner in ORIGINALS.items():
        for given in problems(5 if planner == "vela-hill-climb" else 20):
            # IREE has no order of its own: as the list has it.
            problem = given if planner == "iree" else by_operation(given)
            if planner in ALWAYS:
                aligned = np.full(len(problem), ALWAYS[planner], dtype=np.int64)
                problem = replace(problem, alignments=aligned)
                told = replace(problem, alignments=None)
            else:
                told = problem
            task = found[peer].prepare(told, Limits(seconds=600))
            cases.append(
                {
                    "planner": planner,
                    "sizes": problem.sizes.tolist(),
                    "starts": problem.starts.tolist(),
                    "ends": problem.ends.tolist(),
                    "alignments": problem.alignments.tolist(),
                    "offsets": task.offsets(task.work()).tolist(),
                }
            )
    versions = {name: version(package) for name, package in PACKAGES.items()}
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"versions": {json.dumps(versions)},\n"cases": [\n{lines}\n]}}\n'
    (DATA / "golden_aligned.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
