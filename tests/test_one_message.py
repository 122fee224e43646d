"""A user's mistake ends the stock xdsl-opt with its message; a traceback is for bugs."""

import os
import subprocess

import pytest

PROGRAM = """
func.func @main(%x: tensor<25xf32>) -> tensor<25xf32> {
  %e = tensor.empty() : tensor<25xf32>
  %y = linalg.exp ins(%x : tensor<25xf32>) outs(%e : tensor<25xf32>) -> tensor<25xf32>
  func.return %y : tensor<25xf32>
}
"""


def xdsl_opt(passes: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["xdsl-opt", "-p", passes],
        input=PROGRAM,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("seed=-1", "option seed: seed is -1, not in 0 .. "),
        ("max-recompute=some", "option max-recompute: 'some' is not a number such as 1.5"),
        ("seed=foo", "memplan-pipeline: option seed: 'foo' is not an integer"),
        ('memory="L1=64KiB:base=,DDR"', "option memory: base of memory 'L1': '' is not a size"),
        ('memory="L1=many"', "option memory: size of memory 'L1': 'many' is not a size"),
        ("arena=foo", "option arena: unknown 'foo'; known are global, alloc, argument, address"),
        ('memory="L1=64KiB:align=3"', "option memory, NAME=SIZE:align=BYTES"),
        ("objective=foo", "option objective: unknown 'foo'; known are fit, peak, traffic, none"),
        ("planner=foo", "option planner: unknown planner 'foo'; known planners: auto,"),
        ("speed=1", "memplan-pipeline has no option speed; its options are arena, "),
    ],
)
def test_one_line_that_names_the_option(options: str, said: str):
    done = xdsl_opt(f"memplan-pipeline{{{options}}}")
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("number", ["1", "2", "1.25"])
def test_a_number_need_not_have_a_point(number: str):
    assert xdsl_opt(f"memplan-pipeline{{max-recompute={number}}}").returncode == 0


def test_a_capacity_report_says_what_is_large_and_what_may_help():
    done = xdsl_opt('memplan-pipeline{memory="L1=32" split=never}')
    lines = done.stderr.splitlines()
    # 25 elements of 4 bytes.
    assert lines[0] == (
        "error: memory 'L1' is too small for @main: required 100 bytes, available 32, excess 68"
    )
    assert lines[2].endswith("1 buffers, each of which begins at a multiple of 64:")
    assert "'%y = memplan.buffer'" in lines[3]
    assert lines[4].startswith("what may help: a second memory to spill to")


def test_what_cannot_be_spilled_is_named():
    done = xdsl_opt('memplan-pipeline{memory="L1=32,DDR" split=never}')
    assert "  100 (128 with its alignment): '%y = linalg.exp' (operation 2 of @main)" in done.stderr
    assert "what may help: 128 bytes or more in 'L1', or operations in tiles" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_traceback_can_be_had():
    done = xdsl_opt("memplan-pipeline{seed=-1}", XDSL_MEMPLAN_TRACEBACK="1")
    assert done.stderr.startswith("Traceback")


def test_what_is_not_ours_is_left_alone():
    assert xdsl_opt("canonicalize{foo=1}").stderr.startswith("Traceback")
