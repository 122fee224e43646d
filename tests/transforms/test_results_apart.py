"""Operations whose results have different maps: one for each map, which has tiles."""

from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp

from tests.transforms.test_split_programs import Emit, arrays_for, bytes_moved, check, parse, same
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.results_apart import take_results_apart

ROWS, COLUMNS = 24, 40
SHAPES = {"ij": f"{ROWS}x{COLUMNS}", "ji": f"{COLUMNS}x{ROWS}", "i": f"{ROWS}", "j": f"{COLUMNS}"}


def map_of(indices: str) -> str:
    return f"affine_map<(i, j) -> ({', '.join(indices)})>"


def program(outputs: list[str], kinds: str, body: str, yielded: str, more: str = "") -> str:
    """Results of which each has these indices, made of one argument by loops of these kinds."""
    types = [f"tensor<{SHAPES[indices]}xf32>" for indices in outputs]
    results = ", ".join(types)
    elements = ", ".join(f"%o{n}: f32" for n in range(len(outputs)))
    arguments = ", ".join(f"%y{n}: {type_}" for n, type_ in enumerate(types))
    maps = ", ".join(map(map_of, ["ij", *outputs]))
    return f"""
func.func @main(%x: tensor<{SHAPES["ij"]}xf32>, {arguments}) -> ({results}) {{
  %two = arith.constant 2.0 : f32
  %r:{len(outputs)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]{more}}}
    ins(%x : tensor<{SHAPES["ij"]}xf32>)
    outs({", ".join(f"%y{n}" for n in range(len(outputs)))} : {results}) {{
  ^bb0(%in: f32, {elements}):
{body}
    linalg.yield {yielded} : {", ".join("f32" for _ in outputs)}
  }} -> ({results})
  func.return {", ".join(f"%r#{n}" for n in range(len(outputs)))} : {results}
}}
"""


BOTH = '"reduction", "reduction"'
ROWWISE = '"parallel", "reduction"'
DOUBLED = "    %p = arith.mulf %in, %two : f32"
SUM = "    %s = arith.addf %o1, %p : f32"

PROGRAMS = {
    "a sum of what is stored": program(["ij", "i"], ROWWISE, f"{DOUBLED}\n{SUM}", "%p, %s"),
    "the sum first": program(
        ["i", "ij"],
        ROWWISE,
        f"{DOUBLED}\n    %s = arith.addf %o0, %p : f32",
        "%s, %p",
    ),
    "stored turned, and added to": program(
        ["ji", "i", "j"],
        BOTH,
        f"""    %q = arith.addf %in, %o0 : f32
    %p = arith.mulf %q, %two : f32
{SUM}
    %m = arith.maximumf %p, %o2 : f32""",
        "%p, %s, %m",
    ),
    "two sums that read each other": program(
        ["i", "j", "i"],
        BOTH,
        f"""    %p = arith.addf %in, %two : f32
{SUM}
    %c = arith.cmpf ogt, %in, %o0 : f32
    %a = arith.select %c, %in, %o0 : f32
    %b = arith.select %c, %two, %o2 : f32""",
        "%a, %s, %b",
    ),
    "one value twice, as it is read": program(
        ["ij", "i", "ji"],
        BOTH,
        f"{DOUBLED}\n{SUM}",
        "%in, %s, %p",
    ),
    "places": program(
        ["ij", "i"],
        ROWWISE,
        f"""    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %j, %i : index
    %l = arith.index_cast %k : index to i32
    %f = arith.sitofp %l : i32 to f32
    %p = arith.mulf %in, %f : f32
{SUM}""",
        "%p, %s",
    ),
}

WHOLE = {
    "a result of another's output": program(
        ["ij", "i"],
        ROWWISE,
        "    %s = arith.addf %in, %o1 : f32",
        "%s, %s",
    ),
    "a loop that nothing else tells": program(
        ["i", "j"],
        BOTH,
        "    %s = arith.addf %in, %o0 : f32\n    %p = arith.addf %o1, %two : f32",
        "%s, %p",
    ),
    "the last of a row": program(["ij", "i"], '"parallel", "parallel"', DOUBLED, "%p, %p"),
    "a call": program(
        ["ij", "i"], ROWWISE, f"{DOUBLED}\n{SUM}", "%p, %s", ', library_call = "kernel"'
    ),
}


def taken_apart(text: str) -> ModuleOp:
    module = parse(text)
    for op in module.ops:
        if isinstance(op, FuncOp):
            take_results_apart(op.body.block)
    module.verify()
    return module


def has_one_map_each(module: ModuleOp) -> bool:
    generics = [op for op in module.walk() if isinstance(op, GenericOp)]
    return all(len(set(op.indexing_maps.data[len(op.inputs) :])) == 1 for op in generics)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_map_has_an_operation(name: str):
    assert not has_one_map_each(parse(PROGRAMS[name]))
    assert has_one_map_each(taken_apart(PROGRAMS[name]))


@pytest.mark.parametrize("name", WHOLE)
def test_what_cannot_be_taken_apart_stays(name: str):
    assert str(taken_apart(WHOLE[name])) == str(parse(WHOLE[name]))


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tiles_compute_the_same(name: str, emit: Emit):
    text, memory = PROGRAMS[name], "L1=1024,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 1024


def test_a_sum_of_what_is_stored_reads_it_on_chip():
    """It is fetched once and stored once, and so is the sum; what is overwritten is not fetched."""
    elements = 2 * ROWS * COLUMNS + 2 * ROWS
    assert bytes_moved(PROGRAMS["a sum of what is stored"], "L1=1024,DDR") == 4 * elements


@pytest.mark.parametrize("name", [name for name in WHOLE if name != "the last of a row"])
def test_what_is_computed_whole_moves_what_is_counted(name: str):
    """Before, outputs that are overwritten counted as fetched, and the plan was refused."""
    module = parse(WHOLE[name])
    MemplanPipelinePass(memory="L1=64KiB,DDR", stage="all").apply(Context(), module)
    arrays = arrays_for(parse(WHOLE[name]))
    same(run(parse(WHOLE[name]), arrays), run(module, arrays))


def random_program(seed: int) -> str:
    """Two to four results of random indices: stored elements, sums, maxima of what came before."""
    random = Random(seed)
    outputs = [random.choice([*SHAPES]) for _ in range(random.randint(2, 4))]
    kinds = ['"parallel"' if all(d in o for o in outputs) else '"reduction"' for d in "ij"]
    values, body, yielded = ["%in"], list[str](), list[str]()
    for number in range(random.randint(1, 3)):
        old = ["%two", *values] + [f"%o{random.randrange(len(outputs))}"] * (random.random() < 0.2)
        kind = random.choice(["addf", "mulf", "maximumf", "subf"])
        one, other = random.choice(values), random.choice(old)
        body.append(f"    %v{number} = arith.{kind} {one}, {other} : f32")
        values.append(f"%v{number}")
    for number, indices in enumerate(outputs):
        if len(indices) == 2 and random.random() < 0.7:
            yielded.append(random.choice(values[1:]))
            continue
        kind, value = random.choice(["addf", "maximumf"]), random.choice(values)
        body.append(f"    %s{number} = arith.{kind} %o{number}, {value} : f32")
        yielded.append(f"%s{number}")
    return program(outputs, ", ".join(kinds), "\n".join(body), ", ".join(yielded))


@pytest.mark.parametrize("seed", range(24))
def test_random_results_are_the_same(seed: int):
    """Those that stay whole need all of the room."""
    text = random_program(seed)
    arrays = arrays_for(parse(text))
    module = parse(text)
    memory = "L1=1KiB,DDR" if has_one_map_each(taken_apart(text)) else "L1=64KiB,DDR"
    MemplanPipelinePass(memory=memory, stage="all").apply(Context(), module)
    same(run(parse(text), arrays), run(module, arrays))
