"""What each reduction of the search for least traffic is worth: states and CPU seconds without it.

    python benchmarks/schedule_ablation.py [--corpus DIR] [--states 300000] [NETWORK ...]

Activations only, capacity M_R. A run that uses its states up shows the bound that it reached.
"""

import argparse
import time
from pathlib import Path
from typing import get_args

from xdsl_memplan.formats.graph_json import read_graph
from xdsl_memplan.scheduling.core import Reduction, SearchSettings
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

GRAPHS = Path(__file__).parent.parent / "tests" / "data" / "graphs"
REDUCTIONS: tuple[Reduction, ...] = get_args(Reduction)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--corpus", type=Path, default=GRAPHS, help="folder of graphs")
    parser.add_argument("--states", type=int, default=300_000, help="most states of a run")
    arguments = parser.parse_args()
    names = arguments.networks or sorted(path.stem for path in arguments.corpus.glob("*.json"))
    switches: list[tuple[Reduction, ...]] = [(), *((name,) for name in REDUCTIONS), REDUCTIONS]
    for name in names:
        with (arguments.corpus / f"{name}.json").open(encoding="utf-8") as stream:
            graph = read_graph(stream, name).without_parameters()
        for without in switches:
            settings = SearchSettings(max_states=arguments.states, without=without)
            start = time.process_time()
            found = schedule_for_traffic(graph, graph.largest_footprint, settings)
            seconds = time.process_time() - start
            off = "everything" if without == REDUCTIONS else ", ".join(without) or "nothing"
            print(
                f"{name} without {off}: {found.statistics['states']} states, {seconds:.2f} s,"
                f" {found.traffic}, bound {found.bound}, {found.stop}",
                flush=True,
            )


if __name__ == "__main__":
    main()
