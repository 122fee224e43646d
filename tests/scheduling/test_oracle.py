import subprocess
import sys

import pytest

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.scheduling.errors import InvalidGraphError
from xdsl_memplan.scheduling.generate import random_graph
from xdsl_memplan.scheduling.oracle import OracleSettings, solve_exactly
from xdsl_memplan.scheduling.peak import schedule_for_peak
from xdsl_memplan.scheduling.traffic import schedule_for_traffic


@pytest.mark.parametrize("seed", range(12))
def test_cosmas_program_and_the_search_agree(seed: int):
    graph = random_graph(seed, 5)
    peak = schedule_for_peak(graph)
    capacity = (graph.largest_footprint + peak.bound) // 2
    found = schedule_for_traffic(graph, capacity)
    check_schedule(graph, found, capacity)
    without = solve_exactly(graph, capacity, OracleSettings(addresses=False))
    assert without.optimal
    assert without.traffic == found.bound
    answer = solve_exactly(graph, capacity)
    assert answer.schedule is not None
    check_schedule(graph, answer.schedule, capacity)
    assert found.bound <= answer.bound <= found.traffic


def test_ctrl_c_still_raises_after_the_oracle():
    program = """
import os, signal
from xdsl_memplan.scheduling.generate import random_graph
from xdsl_memplan.scheduling.oracle import solve_exactly
graph = random_graph(3, 5)
solve_exactly(graph, graph.largest_footprint)
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("raised")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("raised\n", 0), done.stderr


def test_a_given_order_is_kept():
    graph = random_graph(3, 5)
    order = list(range(5))
    answer = solve_exactly(graph, graph.largest_footprint, OracleSettings(order=order))
    assert answer.schedule is not None
    assert answer.schedule.order == order


def test_an_operator_that_does_not_fit():
    graph = Graph([Operator("f", (0,), (1,))], [Tensor("x", 4, "input"), Tensor("y", 5, "output")])
    with pytest.raises(InvalidGraphError, match="needs 9 bytes"):
        solve_exactly(graph, 8)
