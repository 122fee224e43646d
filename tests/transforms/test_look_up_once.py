"""Elements are looked up once, and the same is computed."""

import random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp

from tests.transforms.test_region_moves import parse
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_look_up_once import MemplanLookUpOncePass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

BAGS, PLACES, FEATURES, ROWS = 6, 10, 4, 300
DIMS = ("b", "p", "f")
EXTENTS = {"b": BAGS, "p": PLACES, "f": FEATURES}


def looked_up(text: str) -> ModuleOp:
    module = parse(text)
    MemplanLookUpOncePass().apply(Context(), module)
    module.verify()
    return module


def program(body: str, inputs: dict[str, str], seen_by_sum: str = "%v") -> str:
    """A sum over places of what a body makes; `inputs` are tensors of indices and their loops."""

    def type_of(loops: str) -> str:
        return f"tensor<{'x'.join(str(EXTENTS[loop]) for loop in loops)}xi32>"

    given = [f"%{name}: {type_of(loops)}" for name, loops in inputs.items()]
    maps = [f"affine_map<(b, p, f) -> ({', '.join(loops)})>" for loops in inputs.values()]
    maps.append("affine_map<(b, p, f) -> (b, f)>")
    names = ", ".join(f"%{name}" for name in inputs)
    types = ", ".join(map(type_of, inputs.values()))
    result = f"tensor<{BAGS}x{FEATURES}xf32>"
    return f"""
    func.func @main(%t: tensor<{ROWS}x{FEATURES}xf32>, %u: tensor<{ROWS}xi32>, %z: {result}
        {"".join(", " + one for one in given)}) -> {result} {{
      %rows = arith.constant {ROWS} : index
      %y = linalg.generic {{indexing_maps = [{", ".join(maps)}],
          iterator_types = ["parallel", "reduction", "parallel"]}}
        {f"ins({names} : {types})" if inputs else ""} outs(%z : {result}) {{
      ^bb0({"".join(f"%{name}_in: i32, " for name in inputs)}%o: f32):
        {body}
        %s = arith.addf %o, {seen_by_sum} : f32
        linalg.yield %s : f32
      }} -> {result}
      func.return %y : {result}
    }}"""


def row(name: str, of: str) -> str:
    return f"""%{name}_cast = arith.index_cast {of} : i32 to index
        %{name} = arith.remui %{name}_cast, %rows : index"""


FEATURE = "%f = linalg.index 2 : index"
TABLE = f"tensor<{ROWS}x{FEATURES}xf32>"
BODIES = {
    "a row of a place": (
        f"""{row("r", "%i_in")}
        {FEATURE}
        %v = tensor.extract %t[%r, %f] : {TABLE}""",
        {"i": "p"},
        2,
    ),
    "the index is looked up as well": (
        f"""{row("r", "%i_in")}
        %w = tensor.extract %u[%r] : tensor<{ROWS}xi32>
        {row("q", "%w")}
        {FEATURE}
        %v = tensor.extract %t[%q, %f] : {TABLE}""",
        {"i": "p"},
        3,
    ),
    "of two inputs": (
        f"""%both = arith.addi %i_in, %j_in : i32
        {row("r", "%both")}
        %zero = arith.constant 0 : index
        %v = tensor.extract %t[%r, %zero] : {TABLE}""",
        {"i": "p", "j": "b"},
        2,
    ),
    "the index goes on": (
        f"""{row("r", "%i_in")}
        {FEATURE}
        %w = tensor.extract %t[%r, %f] : {TABLE}
        %at = arith.index_cast %r : index to i32
        %as = arith.sitofp %at : i32 to f32
        %v = arith.mulf %w, %as : f32""",
        {"i": "p"},
        2,
    ),
    "by all loops": (
        f"""{row("r", "%i_in")}
        {FEATURE}
        %v = tensor.extract %t[%r, %f] : {TABLE}""",
        {"i": "bp"},
        1,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_same_is_computed(name: str):
    body, inputs, operations = BODIES[name]
    text = program(body, inputs)
    module = looked_up(text)
    assert sum(isinstance(op, GenericOp) for op in module.walk()) == operations
    assert compare_modules(text, str(module)).results == 1


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("kib", [1, 4])
def test_the_pipeline_computes_the_same(name: str, kib: int):
    body, inputs, _ = BODIES[name]
    text = program(body, inputs)
    module = parse(text)
    memory = f"L1={kib}KiB,DDR"
    MemplanPipelinePass(objective="traffic", stage="all", memory=memory).apply(
        full_context(), module
    )
    assert compare_modules(text, str(module)).results == 1


@pytest.mark.parametrize("seed", range(8))
def test_random_bodies(seed: int):
    """Indices are sums of inputs and positions; several lookups, of which some read others."""
    draw = random.Random(seed)
    # The loop over places has its extent of the first input.
    inputs = {
        name: "".join(d for d in DIMS if draw.random() < 0.5 or (name, d) == ("i", "p")) or "b"
        for name in ("i", "j")[: draw.randint(1, 2)]
    }
    numbers, lines = [f"%{name}_in" for name in inputs], list[str]()
    for position, loop in enumerate(DIMS):
        if draw.random() < 0.5:
            lines.append(f"%at{loop} = linalg.index {position} : index")
            lines.append(f"%n{loop} = arith.index_cast %at{loop} : index to i32")
            numbers.append(f"%n{loop}")
    values: list[str] = []
    for k in range(draw.randint(1, 3)):
        left, right = draw.choice(numbers), draw.choice(numbers)
        lines += [f"%sum{k} = arith.addi {left}, {right} : i32", row(f"r{k}", f"%sum{k}")]
        if draw.random() < 0.4:
            lines.append(f"%n{k} = tensor.extract %u[%r{k}] : tensor<{ROWS}xi32>")
            numbers.append(f"%n{k}")
        else:
            lines.append(f"%c{k} = arith.constant {draw.randrange(FEATURES)} : index")
            lines.append(f"%v{k} = tensor.extract %t[%r{k}, %c{k}] : {TABLE}")
            values.append(f"%v{k}")
    lines.append(f"%last = arith.sitofp {draw.choice(numbers)} : i32 to f32")
    total = "%last"
    for value in values:
        lines.append(f"{total}_{value[1:]} = arith.addf {total}, {value} : f32")
        total = f"{total}_{value[1:]}"
    text = program("\n".join(lines), inputs, total)
    assert compare_modules(text, str(looked_up(text))).results == 1
