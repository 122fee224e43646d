"""Tables that are looked up at indices known beforehand: what tiles need, and compute."""

import random
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, i64
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_region_moves import parse
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.tiling_models.looked_up import LOOKED_UP
from xdsl_memplan.model.split_graph import Affine, Indirect, operand_box
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_split_loops import MemplanSplitLoopsPass
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles


class Lookup(NamedTuple):
    """Rows of a table at an index of the row of the result."""

    rows: int
    results: int
    body: str
    """Computes `%i` of `%h`."""
    index: Callable[[int], int]
    inner: int = 1
    """Rows of the result that are taken together."""
    most: int | None = None
    """Rows that a block of them needs in the middle, if that is worth saying."""


f32 = np.float32

LOOKUPS = {
    "nearest, floating point": Lookup(
        9,
        27,
        """%k = arith.index_cast %h : index to i64
           %f = arith.sitofp %k : i64 to f32
           %s = arith.constant 0.333333343 : f32
           %p = arith.mulf %f, %s : f32
           %g = math.floor %p : f32
           %j = arith.fptosi %g : f32 to i64
           %i = arith.index_cast %j : i64 to index""",
        lambda h: int(np.floor(f32(h) * f32(0.333333343))),
        inner=3,
    ),
    "half pixels": Lookup(
        8,
        64,
        """%k = arith.index_cast %h : index to i32
           %f = arith.uitofp %k : i32 to f32
           %half = arith.constant 0.5 : f32
           %eight = arith.constant 8.0 : f32
           %none = arith.constant 0.0 : f32
           %a = arith.addf %f, %half : f32
           %b = arith.divf %a, %eight : f32
           %c = arith.subf %b, %half : f32
           %d = arith.maximumf %c, %none : f32
           %j = arith.fptosi %d : f32 to i32
           %i = arith.index_cast %j : i32 to index""",
        lambda h: int(max((h + 0.5) / 8 - 0.5, 0)),
        inner=8,
        most=2,
    ),
    "corners aligned": Lookup(
        5,
        10,
        """%k = arith.index_cast %h : index to i64
           %f = arith.sitofp %k : i64 to f32
           %four = arith.constant 4.0 : f32
           %nine = arith.constant 9.0 : f32
           %a = arith.mulf %f, %four : f32
           %b = arith.divf %a, %nine : f32
           %j = arith.fptosi %b : f32 to i64
           %i = arith.index_cast %j : i64 to index""",
        lambda h: int(f32(h * 4) / f32(9)),
        inner=2,
    ),
    "integers, clamped": Lookup(
        6,
        12,
        """%one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %zero = arith.constant 0 : index
           %a = arith.subi %h, %one : index
           %b = arith.floordivsi %a, %two : index
           %i = arith.maxsi %b, %zero : index""",
        lambda h: max((h - 1) // 2, 0),
        inner=2,
        most=2,
    ),
    "steps": Lookup(
        23,
        11,
        """%two = arith.constant 2 : index
           %one = arith.constant 1 : index
           %a = arith.muli %h, %two : index
           %i = arith.addi %a, %one : index""",
        lambda h: 2 * h + 1,
        most=1,
    ),
    "chosen": Lookup(
        12,
        12,
        """%five = arith.constant 5 : index
           %one = arith.constant 1 : index
           %b = arith.cmpi slt, %h, %five : index
           %n = arith.addi %h, %one : index
           %i = arith.select %b, %n, %h : index""",
        lambda h: h + 1 if h < 5 else h,
        most=2,
    ),
    "sizes that have nothing in common": Lookup(
        7,
        12,
        """%seven = arith.constant 7 : index
           %twelve = arith.constant 12 : index
           %a = arith.muli %h, %seven : index
           %i = arith.divsi %a, %twelve : index""",
        lambda h: h * 7 // 12,
    ),
    "backwards": Lookup(
        10,
        10,
        """%nine = arith.constant 9 : index
           %i = arith.subi %nine, %h : index""",
        lambda h: 9 - h,
    ),
    "rest": Lookup(
        4,
        12,
        """%four = arith.constant 4 : index
           %i = arith.remsi %h, %four : index""",
        lambda h: h % 4,
    ),
}
every_lookup = pytest.mark.parametrize("name", LOOKUPS)


def program(lookup: Lookup, stored: bool = False) -> str:
    """Look up rows of what is computed; with `stored` indices are kept in a tensor."""
    rows, results, body, *_ = lookup
    table, made = f"tensor<{rows}x6xf32>", f"tensor<{results}x6xf32>"
    column = f"tensor<{results}xindex>"
    before, read, ask = "", "", f"%h = linalg.index 0 : index\n{body}"
    maps = "affine_map<(h, w) -> (h, w)>"
    if stored:
        before = f"""%r = tensor.empty() : {column}
          %s = linalg.generic {{indexing_maps = [affine_map<(h) -> (h)>],
              iterator_types = ["parallel"]}} outs(%r : {column}) {{
          ^bb0(%o: index):
            {ask}
            linalg.yield %i : index
          }} -> {column}"""
        read, ask = f"ins(%s : {column})", ""
        maps = f"affine_map<(h, w) -> (h)>, {maps}"
    return f"""func.func @main(%x: {table}) -> {made} {{
      %e = tensor.empty() : {table}
      %t = linalg.exp ins(%x : {table}) outs(%e : {table}) -> {table}
      {before}
      %q = tensor.empty() : {made}
      %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
          {read} outs(%q : {made}) {{
      ^bb0({"%i: index, " if stored else ""}%o: f32):
        {ask}
        %w = linalg.index 1 : index
        %v = tensor.extract %t[%i, %w] : {table}
        linalg.yield %v : f32
      }} -> {made}
      func.return %y : {made}
    }}"""


def in_layers(text: str) -> ModuleOp:
    module = parse(text)
    MemplanSplitLoopsPass().apply(Context(), module)
    MemplanFormLayersPass().apply(Context(), module)
    return module


@pytest.mark.parametrize("stored", [False, True])
@every_lookup
def test_all_that_a_tile_looks_up_is_in_its_box(name: str, stored: bool):
    lookup = LOOKUPS[name]
    (function,) = in_layers(program(lookup, stored)).body.block.ops
    graph = FunctionSplitGraph.of(function).graph
    op = next(op for op in reversed(graph.ops) if not op.view)
    position = len(op.operands) - 1
    assert isinstance(op.operands[position].access, Affine)
    *rows, _ = op.loops
    assert rows == ([lookup.results // lookup.inner, lookup.inner] if lookup.inner > 1 else rows)
    choose = random.Random(name)
    for _ in range(40):
        box = []
        for extent in op.loops:
            start = choose.randrange(extent)
            box.append((start, choose.randint(start + 1, extent)))
        found = operand_box(op, position, tuple(box))
        assert found is not None
        points = product(*(range(*r) for r in box[:-1]))
        used = {lookup.index(p[0] if len(p) == 1 else p[0] * lookup.inner + p[1]) for p in points}
        assert found[0][0] <= min(used)
        assert max(used) < found[0][1]
        assert found[1] == box[-1]
    if lookup.most is not None:
        middle = op.loops[0] // 2
        box = ((middle, middle + 1), *((0, extent) for extent in op.loops[1:]))
        (start, stop), _ = operand_box(op, position, box) or ()
        assert stop - start <= lookup.most + 1


@pytest.mark.parametrize("stored", [False, True])
@every_lookup
def test_tiles_are_proved(name: str, stored: bool):
    """`memplan-expand-groups` raises an error for tiles that are refuted."""
    module = in_layers(program(LOOKUPS[name], stored))
    memory = "L1=1KiB,DDR" if stored else "L1=192,DDR"
    MemplanGroupPass(memory=memory, stage="all").apply(Context(), module)
    MemplanExpandGroupsPass().apply(Context(), module)
    module.verify()


def test_too_little_is_refuted():
    module = in_layers(program(LOOKUPS["half pixels"]))
    MemplanGroupPass(memory="L1=192,DDR", stage="all").apply(Context(), module)
    (looked_up,) = [op for op in module.walk() if LOOKED_UP in op.attributes]
    assert isinstance(looked_up.parent_op(), GroupOp)
    # Rows up to the one before what is interpolated.
    wrong = DenseArrayBase.from_list(i64, [0, 1, -1, 1, 0, 2, 1, 0, 1, 0])
    looked_up.attributes[LOOKED_UP] = ArrayAttr([wrong])
    with pytest.raises(RefutedTiles, match="looks up index"):
        MemplanExpandGroupsPass().apply(Context(), module)


def test_what_inputs_choose_is_looked_up_in_all_rows():
    text = program(LOOKUPS["steps"], stored=True)
    text = text.replace("%x: tensor<23x6xf32>", "%x: tensor<23x6xf32>, %g: tensor<11xindex>")
    text = text.replace("ins(%s :", "ins(%g :")
    (function,) = in_layers(text).body.block.ops
    *_, table = FunctionSplitGraph.of(function).graph.ops[-1].operands
    assert isinstance(table.access, Affine)
    assert [(index.terms, index.reach) for index in table.access.indices] == [
        ((), 22),
        (((1, 1),), 0),
    ]


def test_an_argument_is_looked_up_where_it_lies():
    text = program(LOOKUPS["steps"]).replace("tensor.extract %t", "tensor.extract %x")
    (function,) = in_layers(text).body.block.ops
    *_, table = FunctionSplitGraph.of(function).graph.ops[-1].operands
    assert isinstance(table.access, Indirect)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("stored", [False, True])
@every_lookup
def test_same_numbers_in_tiles(name: str, stored: bool):
    text, context = program(LOOKUPS[name], stored), full_context()
    for memory in ("L1=1KiB,DDR", "L1=768,DDR") if stored else ("L1=192,DDR", "L1=512,DDR"):
        module = parse(text)
        MemplanPipelinePass(memory=memory, stage="all").apply(context, module)
        compare_modules(text, str(module))


def looked_up(made: str, looked: str, indices: str) -> str:
    return f"""
func.func @main(%x: tensor<1x7x2xf32>) -> tensor<7x4xf32> {{
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<1x7x2xf32>
  %v = linalg.exp ins(%x : tensor<1x7x2xf32>) outs(%e : tensor<1x7x2xf32>) -> tensor<1x7x2xf32>
  {made}
  %d = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {{
    indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]
  }} outs(%d : tensor<7x4xf32>) {{
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %h = arith.divui %j, %two : index
    {looked}
    %c = tensor.extract %s[{indices}
    linalg.yield %c : f32
  }} -> tensor<7x4xf32>
  func.return %r : tensor<7x4xf32>
}}
"""


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["", "L1=128:align=4,DDR"])
def test_a_table_that_is_transposed_is_shown_outside_of_the_body(memory: str):
    """Before, it was shown in another shape inside, where nothing can be bufferized."""
    transposed = """%t = tensor.empty() : tensor<7x1x2xf32>
  %s = linalg.transpose ins(%v : tensor<1x7x2xf32>) outs(%t : tensor<7x1x2xf32>)
    permutation = [1, 0, 2]"""
    text = looked_up(transposed, "", "%i, %zero, %h] : tensor<7x1x2xf32>")
    module = parse(text)
    MemplanPipelinePass(objective="fit" if memory else "peak", memory=memory).apply(
        full_context(), module
    )
    compare_modules(text, str(module))


def test_a_table_that_the_body_shows_in_another_shape_is_refused():
    """Before, the search for loops, and the check of tiles, ended with errors of numpy and zip."""
    shown = """%s = tensor.collapse_shape %v [[0, 1], [2]]
      : tensor<1x7x2xf32> into tensor<7x2xf32>"""
    module = parse(looked_up("", shown, "%i, %h] : tensor<7x2xf32>"))
    with pytest.raises(PassFailedException, match=r"no rule for this operation inside linalg"):
        MemplanPipelinePass(objective="peak").apply(full_context(), module)
