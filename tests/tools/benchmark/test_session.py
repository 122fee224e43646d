"""Benchmarks: what is measured is checked, and nothing that a contender does ends the session."""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from xdsl_memplan.model.problem import Int64Array, Pool, Problem
from xdsl_memplan.planners.registry import planners
from xdsl_memplan.tools.benchmark import session as session_module
from xdsl_memplan.tools.benchmark.contenders import Contender, Limits, Task, ours
from xdsl_memplan.tools.benchmark.figure import save_figure
from xdsl_memplan.tools.benchmark.growth import growth
from xdsl_memplan.tools.benchmark.instances import (
    BenchmarkInstance,
    from_files,
    generated,
    load_of,
)
from xdsl_memplan.tools.benchmark.measure import Run, measure
from xdsl_memplan.tools.benchmark.missing import Missing
from xdsl_memplan.tools.benchmark.peers import omnimalloc, peers
from xdsl_memplan.tools.benchmark.peers.executable import executable
from xdsl_memplan.tools.benchmark.report import report
from xdsl_memplan.tools.benchmark.same_rule import SAME_RULE, compare_same_rule
from xdsl_memplan.tools.benchmark.session import Machine, Session, SessionInterrupted, load_runs
from xdsl_memplan.tools.benchmark.summary import summarize
from xdsl_memplan.tools.cli import main

DATA = Path(__file__).parents[2] / "data" / "minimalloc"


def column(*values: int) -> Int64Array:
    return np.array(values, dtype=np.int64)


# Two of 4 bytes at once, one after them: load 8.
PROBLEM = Problem(
    sizes=column(4, 4, 2),
    starts=column(0, 0, 3),
    ends=column(2, 3, 4),
    pools=(Pool(capacity=8),),
)
INSTANCE = BenchmarkInstance("tiny", "test", PROBLEM, 8, 8)
LIMITS = Limits(seconds=2)


def contender(name: str, work: Callable[[], Int64Array], most: int | None = None) -> Contender:
    return Contender(name, "peer", lambda *_: Task(work, lambda offsets: offsets), most)


def fail() -> Int64Array:
    raise RuntimeError("broken")


def sleep() -> Int64Array:
    time.sleep(60)
    return column(0, 4, 0)


def crash() -> Int64Array:
    os._exit(3)


GOOD = contender("good", lambda: column(0, 4, 0))
LOOSE = contender("loose", lambda: column(0, 8, 0))
OVERLAPPING = contender("overlapping", lambda: column(0, 2, 0))
BROKEN = contender("broken", fail)
SLOW = contender("slow", sleep)
CRASHING = contender("crashing", crash)
SMALL = contender("small", lambda: column(0, 4, 0), 2)


@pytest.mark.parametrize(
    ("who", "status", "message"),
    [
        (OVERLAPPING, "invalid", "buffers 0 and 1 conflict and share bytes"),
        (BROKEN, "error", "RuntimeError: broken"),
        (SLOW, "timeout", "ended after 5 s"),
        (CRASHING, "error", "ended with status 3"),
        (SMALL, "left out", "more than 2 buffers"),
    ],
)
def test_what_a_contender_does_wrong_is_a_result(who: Contender, status: str, message: str):
    run = measure(who, INSTANCE, LIMITS)
    assert (run.status, run.message) == (status, message)
    assert run.peak is None


def test_a_run_has_peak_times_and_memory():
    run = measure(LOOSE, INSTANCE, LIMITS)
    # 8 + 4
    assert (run.status, run.peak, run.load, run.capacity) == ("ok", 12, 8, 8)
    assert run.cpu_seconds is not None
    assert 0 <= run.cpu_seconds < 5
    assert run.memory is not None


def test_summary_and_file(tmp_path: Path):
    output = tmp_path / "deep" / "bench.json"
    session = Session([GOOD, LOOSE, BROKEN], [Missing("theirs", "not installed")], LIMITS, 2)
    runs = session.run([INSTANCE], output, lambda _: None)
    # The broken one is not repeated.
    assert [run.contender for run in runs] == ["good", "loose", "broken", "good", "loose"]
    assert load_runs(output) == runs
    assert json.loads(output.read_text())["missing"] == [
        {"name": "theirs", "reason": "not installed"}
    ]
    good, loose, broken = summarize(runs)
    assert (good.contender, good.ratio, good.at_load, good.fits) == ("good", 1.0, 1, 1)
    assert (loose.ratio, loose.at_load, loose.fits) == (pytest.approx(1.5), 0, 0)
    assert (broken.finished, broken.note) == (0, "1 error (RuntimeError: broken)")


def test_a_stopped_session_keeps_what_it_has(tmp_path: Path):
    output = tmp_path / "bench.json"
    seen: list[str] = []

    def stop(text: str) -> None:
        seen.append(text)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(SessionInterrupted) as interrupted:
        Session([GOOD, LOOSE], [], LIMITS, 1).run([INSTANCE], output, stop)
    assert [run.contender for run in interrupted.value.runs] == ["good"]
    assert load_runs(output) == interrupted.value.runs


def test_who_ran_out_of_time_is_left_out_of_larger_instances(tmp_path: Path):
    larger = BenchmarkInstance("larger", "test", generated(10, 2).problem, 1, 1)
    session = Session([SLOW], [], Limits(seconds=0.01), 1)
    runs = session.run([INSTANCE, larger], tmp_path / "bench.json", lambda _: None)
    assert [(run.instance, run.status) for run in runs] == [
        ("tiny", "timeout"),
        ("larger", "left out"),
    ]


def test_files_give_an_instance_at_the_load_and_one_at_the_capacity():
    instances = from_files([DATA])
    assert [one.name for one in instances] == [*"ABCDEFGHIJK"] * 2
    at_load, to_fit = instances[3], instances[14]
    # Both count as fitting below what the file says, but the first one is asked for the least.
    assert (at_load.capacity, at_load.problem.capacity, at_load.load) == (1048576, None, 986112)
    assert (to_fit.capacity, to_fit.problem.capacity, to_fit.load) == (1048576, 1048576, 986112)
    assert (at_load.minimize, to_fit.minimize) == (True, False)
    assert (at_load.group, to_fit.group) == ("minimalloc", "minimalloc, to fit")


def test_load_respects_gaps_and_touching_lifetimes():
    problem = Problem(
        sizes=column(4, 6, 5), starts=column(0, 4, 2), ends=column(4, 8, 3), gaps=[(0, 1, 3)]
    )
    # 4 in [0, 1) and [3, 4), 5 in [2, 3), 6 in [4, 8)
    assert load_of(problem) == 6
    assert load_of(Problem(sizes=column(), starts=column(), ends=column())) == 0


def test_files_are_read_without_what_never_lives(tmp_path: Path):
    path = tmp_path / "small.csv"
    path.write_text("id,lower,upper,size\n0,0,2,8\n1,1,1,8\n2,0,2,0\n")
    (instance,) = from_files([path])
    assert instance.problem.sizes.tolist() == [8]
    assert instance.capacity == instance.load == 8


def test_only_a_number_in_a_name_is_a_capacity(tmp_path: Path):
    for name in ("net.max.csv", "net.min.csv", "net.64.csv", "7.csv"):
        (tmp_path / name).write_text("id,lower,upper,size\n0,0,2,8\n")
    found = [(one.name, one.capacity, one.minimize) for one in from_files([tmp_path])]
    assert found == [
        *(("7", 8, True), ("net", 64, True), ("net.max", 8, True), ("net.min", 8, True)),
        ("net", 64, False),
    ]


def test_files_of_one_name_are_told_apart(tmp_path: Path):
    paths = [tmp_path / above / "nets" / "a.csv" for above in ("x", "y")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text("id,lower,upper,size\n0,0,2,8\n")
    found = from_files([path.parent for path in paths])
    assert [one.name for one in found] == list(map(str, paths))


def test_a_file_with_nothing_to_plan_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "empty.csv"
    path.write_text("id,lower,upper,size\n0,1,1,8\n")
    assert main(["bench", str(path), "-o", str(tmp_path / "out.json")]) == 1
    assert f"{path}: nothing to plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "feature"),
    [
        ({"alignments": column(1, 2, 1)}, "alignment"),
        ({"fixed": [(0, 4)]}, "fixed offsets"),
        ({"gaps": [(0, 0, 1)]}, "gaps in lifetimes"),
        ({"conflict_pairs": np.array([[0, 2]])}, "conflicts besides lifetimes"),
    ],
)
def test_who_does_not_know_a_feature_is_left_out(changes: dict[str, Any], feature: str):
    instance = replace(INSTANCE, problem=replace(PROBLEM, **changes))
    run = measure(GOOD, instance, LIMITS)
    assert (run.status, run.message) == ("left out", f"does not know {feature}")
    knowing = next(one for one in ours() if one.name == "first-fit-by-size")
    assert measure(knowing, instance, LIMITS).status == "ok"


def test_who_did_fewer_instances_is_ranked_below(tmp_path: Path):
    larger = BenchmarkInstance("larger", "test", generated(10, 2).problem, 1, 1)
    naive = next(one for one in ours() if one.name == "naive")
    two = Problem(sizes=column(4, 4), starts=column(0, 0), ends=column(2, 3))
    small = contender("small", lambda: column(0, 4), 2)
    # Small ends at the load of the first, and is left out of the second.
    runs = Session([small, naive], [], LIMITS, 1).run(
        [replace(INSTANCE, problem=two), larger], tmp_path / "bench.json", lambda _: None
    )
    first, second = summarize(runs)
    assert (first.contender, first.finished, second.contender) == ("naive", 2, "small")
    assert second.ratio < first.ratio


def test_the_page_says_what_the_checker_refused():
    runs = [measure(one, INSTANCE, LIMITS) for one in (GOOD, OVERLAPPING)]
    machine = Machine.here()
    page = report(summarize(runs), runs, [], machine, 2.0, None)
    assert "Of 2 layouts the checker refused 1: overlapping on tiny." in page
    assert "All 1 layouts passed the checker." in report(
        summarize(runs[:1]), runs[:1], [], machine, 2.0, None
    )


def test_a_figure_that_cannot_be_drawn_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    figure = tmp_path / "f.png"
    only = ["--only", "naive", "--no-peers", "--repetitions", "1"]
    arguments = [str(DATA / "A.1048576.csv"), "-o", str(tmp_path / "b.json")]
    assert main(["bench", *arguments, *only, "--figure", str(figure)]) == 1
    assert f"{figure} is not written: nobody who planned most" in capsys.readouterr().err


def test_where_nobody_planned_all_those_who_planned_most_are_drawn(tmp_path: Path):
    larger = replace(INSTANCE, name="larger")
    figure = tmp_path / "f.png"
    done = replace(Run.left_out(GOOD, INSTANCE, ""), status="ok", peak=8, cpu_seconds=0.1)
    runs = [done, Run.left_out(GOOD, larger, "no time left")]
    save_figure(summarize(runs), figure)
    assert figure.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="nobody"):
        save_figure(summarize(runs[1:]), figure)


def test_programs_beside_python_need_no_activation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "iree-opt"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "")
    assert executable("iree-opt") == str(program)
    with pytest.raises(FileNotFoundError, match="not on PATH"):
        executable("nothing-of-this-name")


def test_where_it_is_enough_to_fit_only_who_knows_capacities_takes_part(tmp_path: Path):
    instance = replace(INSTANCE, minimize=False)

    def prepare(problem: Problem, limits: Limits) -> Task:
        assert not limits.minimize
        return Task(lambda: column(0, 4, 0), lambda offsets: offsets)

    knowing = Contender("knowing", "peer", prepare, knows_capacity=True)
    runs = Session([GOOD, knowing], [], LIMITS, 1).run([instance], tmp_path / "b", lambda _: None)
    assert [(run.contender, run.status) for run in runs] == [("knowing", "ok")]


def test_no_run_is_started_after_the_time_of_the_session(tmp_path: Path):
    session = Session([GOOD, LOOSE], [], LIMITS, 2, seconds=-1)
    output = tmp_path / "bench.json"
    runs = session.run([INSTANCE], output, lambda _: None)
    assert [(run.contender, run.status, run.message) for run in runs] == [
        ("good", "left out", "no time left"),
        ("loose", "left out", "no time left"),
    ]
    assert load_runs(output) == runs
    assert summarize(runs)[0].note == "1 left out (no time left)"


@pytest.fixture
def run_of_one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that only runs of contenders move: by a second each."""
    now = [0.0]

    def measured(who: Contender, instance: BenchmarkInstance, limits: Limits) -> Run:
        now[0] += 1
        return replace(Run.left_out(who, instance, ""), status="ok", peak=8, wall_seconds=0.9)

    monkeypatch.setattr(session_module, "measure", measured)
    monkeypatch.setattr(session_module, "time", SimpleNamespace(monotonic=lambda: now[0]))


@pytest.mark.usefixtures("run_of_one_second")
def test_every_group_gets_its_share_of_the_time(tmp_path: Path):
    first = [replace(INSTANCE, name=f"{i}", group="first") for i in range(9)]
    second = [replace(INSTANCE, name=f"{i}", group="second") for i in range(2)]
    session = Session([GOOD], [], LIMITS, 1, seconds=7)
    runs = session.run([*first, *second], tmp_path / "bench.json", lambda _: None)
    done = [run.group for run in runs if run.status == "ok"]
    # Runs start up to nine elevenths of 7 s: at 0 to 5 s. The second group has the rest.
    assert done == ["first"] * 6 + ["second"] * 2
    assert len(runs) == 11


@pytest.mark.usefixtures("run_of_one_second")
def test_large_instances_get_more_of_the_time_and_leave_the_rest_to_those_after(tmp_path: Path):
    quick = [replace(INSTANCE, group="quick")]
    large = [replace(INSTANCE, name=f"{i}", group="large", seconds=60.0) for i in range(9)]
    session = Session([GOOD], [], LIMITS, 9, seconds=9)
    runs = session.run([*quick, *large], tmp_path / "bench.json", lambda _: None)
    # Less than a second for the first, which is not repeated. Then 8 s: the instance that is begun
    # is repeated for 4 s, others have one run each.
    assert sum(run.group == "quick" for run in runs) == 1
    done = [run.instance for run in runs if run.group == "large" and run.status == "ok"]
    assert done == ["0"] * 5 + ["1", "2", "3", "4"]


def test_out_of_time_at_one_size_is_out_of_larger_ones(tmp_path: Path):
    small = replace(INSTANCE, group="generated, 3 buffers")
    large = BenchmarkInstance("larger", "generated, 10 buffers", generated(10, 2).problem, 1, 1)
    session = Session([SLOW], [], Limits(seconds=0.01), 1)
    runs = session.run([small, large], tmp_path / "bench.json", lambda _: None)
    assert [(run.status, run.message) for run in runs][1:] == [
        ("left out", "out of time on a smaller one")
    ]


def test_a_session_that_goes_on_knows_the_smallest_at_which_time_was_out(tmp_path: Path):
    sizes = [BenchmarkInstance(str(n), "test", generated(n, 2).problem, 1, 1) for n in (5, 10, 20)]
    output = tmp_path / "bench.json"
    session = Session([SLOW], [], Limits(seconds=0.01), 1)
    timeouts = [session.run([one], output, lambda _: None)[0] for one in (sizes[0], sizes[2])]
    assert {run.status for run in timeouts} == {"timeout"}
    second = Session([SLOW], [], Limits(seconds=0.01), 1, earlier=timeouts)
    last = second.run(sizes, output, lambda _: None)[-1]
    assert (last.instance, last.message) == ("10", "out of time on a smaller one")


def test_same_rule_takes_the_fastest_peer():
    def run(contender: str, seconds: float, alone: float | None = None, timed: str = "") -> Run:
        about = Run("i", "g", 10_000, 1, 1, contender, "ours", False, "ok", cpu_seconds=seconds)
        return replace(about, kernel_seconds=alone, timed=timed)

    runs = [
        *(run("iree", seconds, seconds / 2, "kernel") for seconds in (0.03, 0.02, 0.04)),
        run("omnimalloc best_fit", 0.2, None, "C++ call"),
        # The process takes longer than the other peer, its pass does not.
        run("iree-opt LayoutSlices", 0.3, 0.1, "pass"),
        run("tflm", 0.01),
    ]
    (one,) = compare_same_rule(runs)
    assert (one.planner, one.peer, one.seconds) == ("iree", "iree-opt LayoutSlices", 0.01)
    assert (one.timed, one.speedup) == ("pass", pytest.approx(10))


def test_growth_is_that_of_our_rules_on_generated_problems():
    def run(buffers: int, seconds: float | None, side: str = "ours", searches: bool = False) -> Run:
        status = "ok" if seconds is not None else "left out"
        name, group = f"generated-{buffers}", f"generated, {buffers:,} buffers"
        about = Run(name, group, buffers, 1, 1, "tflm", side, searches, status)
        return replace(about, cpu_seconds=seconds, memory=7)

    runs = [run(10, 0.3), run(10, 0.1), run(10, 0.2), run(20, None)]
    others = [
        run(10, 9.0, "peer"),
        run(10, 9.0, "ours", True),
        replace(run(10, 9.0), group="files"),
    ]
    (one,) = growth([*runs, *others])
    assert one.by_buffers == {10: (0.2, 7), 20: None}


def test_every_rule_with_a_peer_is_a_planner():
    assert set(SAME_RULE) <= {planner.name for planner in planners()}


@pytest.mark.parametrize("peer", peers()[0], ids=lambda peer: peer.name)
def test_installed_peers_give_a_plan_or_a_reason(peer: Contender):
    run = measure(peer, generated(40, 8), Limits(seconds=2))
    assert run.status in ("ok", "timeout"), run.message


def test_missing_peers_are_named_with_the_reason():
    for peer in peers()[1]:
        assert peer.name
        reasons = ("No module named", "not on PATH", "not installed")
        assert any(reason in peer.reason for reason in reasons)


def test_an_allocator_without_its_own_package_is_missing_not_wrong(
    monkeypatch: pytest.MonkeyPatch,
):
    def resolve(name: str) -> SimpleNamespace:
        if name == "genetic":
            raise ImportError("requires 'deap' which is\nnot installed")
        return SimpleNamespace()

    module = SimpleNamespace(
        available_allocators=lambda: ["genetic", "naive", "random"],
        allocators=SimpleNamespace(BaseAllocator=SimpleNamespace(resolve=resolve)),
    )
    monkeypatch.setattr(omnimalloc, "import_module", lambda _: module)
    missing, naive, by_size = omnimalloc.contenders()
    assert missing == Missing("omnimalloc genetic", "requires 'deap' which is not installed")
    assert [naive.name, by_size.name] == ["omnimalloc naive", "omnimalloc best_fit, by size"]


def test_generated_problems_repeat():
    first, second = generated(200, 10), generated(200, 10)
    assert (first.problem.sizes == second.problem.sizes).all()
    assert (first.problem.sizes % 64 == 0).all()


@pytest.mark.parametrize("planner", [one.name for one in ours()])
def test_our_planners_pass_the_check(planner: str):
    who = next(one for one in ours() if one.name == planner)
    run = measure(who, generated(60, 10), Limits(seconds=5, effort="low"))
    assert run.status == "ok", run.message


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output, figure = tmp_path / "bench.json", tmp_path / "bench.png"
    page = tmp_path / "docs" / "bench.md"
    arguments = [str(DATA / "A.1048576.csv"), "-o", str(output), "--figure", str(figure)]
    arguments += ["--report", str(page)]
    only = ["--only", "xla-spatial", "--only", "tflm", "--no-peers", "--repetitions", "1"]
    assert main(["bench", *arguments, *only]) == 0
    text = capsys.readouterr().out
    assert "minimalloc: 1 instance" in text
    assert "xla-spatial" in text
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert len(load_runs(output)) == 2
    text = page.read_text()
    assert "![Quality against time](../bench.png)" in text
    assert "| `xla-spatial` | 1 | 1." in text


def test_command_says_when_nobody_is_left(capsys: pytest.CaptureFixture[str]):
    assert main(["bench", "--only", "nobody", "--no-peers"]) == 1
    assert "no planner has nobody in its name" in capsys.readouterr().err


def test_goes_on_where_an_earlier_session_had_no_time(tmp_path: Path) -> None:
    output = tmp_path / "runs.json"
    first = Session([GOOD, BROKEN], [], LIMITS, repetitions=1, seconds=0)
    assert {run.message for run in first.run([INSTANCE], output, lambda _: None)} == {
        "no time left"
    }
    only_good = Session([GOOD], [], LIMITS, repetitions=1)
    kept = only_good.run([INSTANCE], output, lambda _: None)
    second = Session([GOOD, BROKEN], [], LIMITS, repetitions=1, earlier=load_runs(output))
    runs = second.run([INSTANCE], output, lambda _: None)
    assert runs[0] == kept[0]
    assert [(run.contender, run.status) for run in runs] == [("good", "ok"), ("broken", "error")]
    assert load_runs(output) == runs
    # An instance of the same name in another group is another one.
    third = Session([GOOD], [], LIMITS, repetitions=1, earlier=runs)
    other = replace(INSTANCE, group="another")
    assert len(third.run([INSTANCE, other], output, lambda _: None)) == 3
