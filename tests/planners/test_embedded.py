"""An embedder's own function as a planner: for `plan`, passes, commands and the benchmark."""

from collections.abc import Iterator

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import builtin, func, memref, test
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Buffer, Problem
from xdsl_memplan.planners.embedded import register_planner, unregister_planner
from xdsl_memplan.planners.errors import (
    InvalidOptionError,
    InvalidPlanError,
    UnknownPlannerError,
    UnsupportedError,
)
from xdsl_memplan.planners.plan import plan
from xdsl_memplan.planners.registry import planners
from xdsl_memplan.tools.benchmark.contenders import Limits, ours
from xdsl_memplan.tools.cli import main
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass

THREE = Problem.from_buffers(
    [
        Buffer("a", 4, Lifetime(0, 2)),
        Buffer("b", 8, Lifetime(1, 3)),
        Buffer("c", 4, Lifetime(2, 4)),
    ]
)


def bump(problem: Problem) -> list[int]:
    """One buffer behind the other."""
    return [0, *np.cumsum(problem.sizes)[:-1].tolist()]


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_planner("bump", summary="one behind the other", alignment=False, fixed_offsets=False)(
        bump
    )
    register_planner("all-at-zero")(lambda problem: [0] * len(problem))
    register_planner("too-few")(lambda problem: [0])
    register_planner("no-numbers")(lambda problem: [0.5] * len(problem))  # pyright: ignore[reportArgumentType]
    yield
    for name in ("bump", "all-at-zero", "too-few", "no-numbers"):
        unregister_planner(name)


def test_its_plan_is_bounded_by_the_core():
    result = plan(THREE, planner="bump")
    assert result.offsets.tolist() == [0, 4, 12]
    assert (result.planner, result.peak, result.load, result.bound) == ("bump", 16, 12, 12)
    assert not result.optimal


@pytest.mark.parametrize(
    ("planner", "message"),
    [
        ("all-at-zero", "a.*b"),
        ("too-few", "planner too-few: 1 offsets for 3 buffers"),
        ("no-numbers", "planner no-numbers: offsets"),
    ],
)
def test_a_wrong_plan_is_refused(planner: str, message: str):
    with pytest.raises(InvalidPlanError, match=message):
        plan(THREE, planner=planner)


def test_what_it_does_not_know_is_not_asked_of_it():
    aligned = Problem.from_buffers([Buffer("a", 4, Lifetime(0, 2), alignment=4)])
    with pytest.raises(UnsupportedError, match="planner bump does not know alignments"):
        plan(aligned, planner="bump")


@pytest.mark.parametrize("name", ["auto", "bump", ""])
def test_a_name_is_given_once(name: str):
    with pytest.raises(InvalidOptionError, match="already"):
        register_planner(name)(bump)


def test_it_is_listed_and_forgotten():
    assert planners()[-4].name == "bump"
    unregister_planner("bump")
    assert "bump" not in [planner.name for planner in planners()]
    with pytest.raises(UnknownPlannerError, match="bump"):
        plan(THREE, planner="bump")


def test_the_command(tmp_path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "three.csv"
    file.write_text("id,lower,upper,size\na,0,2,4\nb,1,3,8\nc,2,4,4\n")
    assert main(["plan", str(file), "--planner", "bump", "-q"]) == 0
    assert [line.rpartition(",")[2] for line in capsys.readouterr().out.split()[1:]] == [
        *("0", "4", "12"),
    ]
    assert main(["plan", str(file), "--planner", "all-at-zero", "-q"]) == 1
    assert "conflict" in capsys.readouterr().err


def test_the_benchmark():
    [contender] = [contender for contender in ours() if contender.name == "bump"]
    task = contender.prepare(THREE, Limits(1.0))
    assert task.offsets(task.work()).tolist() == [0, 4, 12]
    assert task.kernel_seconds is None
    assert contender.honours == frozenset()


IR = """
func.func @main(%x: memref<16xi8>) {
  %a = memref.alloc() : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  "memref.copy"(%x, %a) : (memref<16xi8>, memref<16xi8>) -> ()
  "memref.copy"(%a, %b) : (memref<16xi8>, memref<16xi8>) -> ()
  "memref.copy"(%b, %x) : (memref<16xi8>, memref<16xi8>) -> ()
  func.return
}"""


def test_the_pass():
    context = Context()
    for dialect in (builtin.Builtin, func.Func, memref.MemRef, test.Test):
        context.load_dialect(dialect)
    module = Parser(context, IR).parse_module()
    MemplanAssignOffsetsPass(planner="bump", memory="L1=64:align=1").apply(context, module)
    text = str(module)
    assert "memplan.offset = 0 : i64" in text
    assert "memplan.offset = 16 : i64" in text
    assert '#memplan.plan<"bump", 32 : i64, 32 : i64, 32 : i64>' in text
    before = str(module := Parser(context, IR).parse_module())
    with pytest.raises(PassFailedException, match=r"@main, memory 'memory'.*b0.*b1"):
        MemplanAssignOffsetsPass(planner="all-at-zero").apply(context, module)
    assert str(module) == before
