"""A tensor that went off chip comes back at another address where the plan needs that."""

import re
import subprocess

import pytest

from xdsl_memplan.model.check_schedule import check_schedule
from xdsl_memplan.model.graph import Graph, Operator, Tensor
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.scheduling.traffic import schedule_for_traffic

# There is one order. t0, t2 and t3 fill the memory while op3 runs, and t1 is on chip together with
# each of them, at one time or another: with t0 at op1, with t2 at op2, with t3 at op4. With one
# address for each tensor t0, t2 and t3 leave no byte where t1 could be, whatever is moved when.
SIZES = (2, 1, 3, 3, 1)
READS = ((), (0,), (1,), (0, 2), (1, 3))
CAPACITY = 8

UNIT = 16
"""Floats of 64 bytes, which is the alignment."""


def vector(size: int) -> str:
    return f"tensor<{UNIT * size}xf32>"


def combine(result: str, reads: list[tuple[str, int]], size: int) -> str:
    """The sum of products of the vectors read, and of %x, into each element of a new vector."""
    dims = ", ".join(f"d{i}" for i in range(len(reads) + 2))
    maps = ", ".join(f"affine_map<({dims}) -> (d{i + 1})>" for i in range(len(reads) + 1))
    kinds = ", ".join(['"parallel"'] + ['"reduction"'] * (len(reads) + 1))
    names = ", ".join(["%x", *(name for name, _ in reads)])
    types = ", ".join(["tensor<4xf32>", *(vector(size) for _, size in reads)])
    arguments = "".join(f"%p{i}: f32, " for i in range(len(reads) + 1))
    body = "".join(
        f"    %m{i + 1} = arith.mulf %{'m' if i else 'p'}{i}, %p{i + 1} : f32\n"
        for i in range(len(reads))
    )
    product = f"%{'m' if reads else 'p'}{len(reads)}"
    return (
        f"  %e_{result} = tensor.empty() : {vector(size)}\n"
        f"  %z_{result} = linalg.fill ins(%c : f32) outs(%e_{result} : {vector(size)})"
        f" -> {vector(size)}\n"
        f"  %{result} = linalg.generic {{indexing_maps = [{maps}, affine_map<({dims}) -> (d0)>],"
        f" iterator_types = [{kinds}]}} ins({names} : {types})"
        f" outs(%z_{result} : {vector(size)}) {{\n"
        f"  ^bb0({arguments}%o: f32):\n{body}"
        f"    %s = arith.addf %o, {product} : f32\n"
        f"    linalg.yield %s : f32\n  }} -> {vector(size)}\n"
    )


PROGRAM = (
    f"func.func @main(%x: tensor<4xf32>) -> {vector(SIZES[-1])} {{\n"
    "  %c = arith.constant 0.0 : f32\n"
    + "".join(
        combine(f"t{i}", [(f"%t{read}", SIZES[read]) for read in reads], SIZES[i])
        for i, reads in enumerate(READS)
    )
    + f"  func.return %t{len(SIZES) - 1} : {vector(SIZES[-1])}\n}}\n"
)
MEMORY = f'"L1={64 * CAPACITY},DDR"'


def run_passes(passes: str) -> str:
    done = subprocess.run(
        ["xdsl-opt", "-p", passes], input=PROGRAM, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_model_moves_it():
    last = len(SIZES) - 1
    graph = Graph(
        [Operator(f"op{i}", reads, (i,)) for i, reads in enumerate(READS)],
        [Tensor(f"t{i}", s, "output" if i == last else "activation") for i, s in enumerate(SIZES)],
    )
    assert graph.largest_footprint == SIZES[0] + SIZES[2] + SIZES[3] == CAPACITY
    found = schedule_for_traffic(graph, CAPACITY)
    check_schedule(graph, found, CAPACITY)
    assert (found.traffic, found.bound) == (2, 2)
    before, after = (stay.offset for stay in found.stays if stay.tensor == 1)
    assert before != after


def test_the_offsets_in_ir_differ():
    stages = (
        f"memplan-schedule{{objective=traffic memory={MEMORY}}}",
        "memplan-annotate-lifetimes",
        f"memplan-bufferize{{memory={MEMORY}}}",
        f"memplan-assign-offsets{{memory={MEMORY}}}",
        "memplan-verify",
    )
    planned = run_passes(",".join(stages))
    assert "memplan.traffic = {bytes = 128 : i64, bound = 128 : i64}" in planned
    # t1 is the only tensor of 16 floats but the result, which is made last.
    lines = [line for line in planned.splitlines() if "memplan.buffer" in line and "@L1" in line]
    found = [re.search(r"offset (\d+).*memref<16xf32", line) for line in lines]
    before, after, _ = (int(match[1]) for match in found if match)
    assert before != after, planned


@pytest.mark.needs_mlir
def test_the_moved_program_computes_the_same():
    passes = f"memplan-pipeline{{objective=traffic memory={MEMORY} rewrite=false}}"
    compare_modules(PROGRAM, run_passes(passes))
