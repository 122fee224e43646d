"""What is looked up in tables that the function was given: counted, or brought on chip."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, TensorType, f32, i64
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.test_region_moves import parse
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.dialects.region_moves import LoadOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.verify_split.check_split import check_split

NODES, EDGES, FEATURES = 64, 256, 8
TABLE, INDICES, RESULT = 4 * NODES * FEATURES, 4 * EDGES, 4 * EDGES * FEATURES


def gathered(index: str = "%given", table: str = "%x") -> str:
    """Rows of `%x` at the indices of `%idx`, doubled."""
    rows = f"tensor<{EDGES}x{FEATURES}xf32>"
    kinds = 'iterator_types = ["parallel", "parallel"]'
    return f"""
    #edge = affine_map<(e, f) -> (e)>
    #all = affine_map<(e, f) -> (e, f)>
    func.func @main(%x: tensor<{NODES}x{FEATURES}xf32>, %idx: tensor<{EDGES}xi32>) -> {rows} {{
      %most = arith.constant {NODES} : index
      %empty = tensor.empty() : {rows}
      %own = arith.constant dense<1.0> : tensor<{NODES}x{FEATURES}xf32>
      %g = linalg.generic {{indexing_maps = [#edge, #all], {kinds}}}
        ins(%idx : tensor<{EDGES}xi32>) outs(%empty : {rows}) {{
      ^bb0(%i: i32, %o: f32):
        %e = linalg.index 0 : index
        %f = linalg.index 1 : index
        %cast = arith.index_cast %i : i32 to index
        %given = arith.remui %cast, %most : index
        %turned = arith.remui %e, %most : index
        %v = tensor.extract {table}[{index}, %f] : tensor<{NODES}x{FEATURES}xf32>
        linalg.yield %v : f32
      }} -> {rows}
      %y = linalg.generic {{indexing_maps = [#all, #all], {kinds}}}
        ins(%g : {rows}) outs(%empty : {rows}) {{
      ^bb0(%p: f32, %o: f32):
        %z = arith.addf %p, %p : f32
        linalg.yield %z : f32
      }} -> {rows}
      func.return %y : {rows}
    }}"""


def in_tiles(text: str, capacity: int) -> ModuleOp:
    module = parse(text)
    for stage in (
        MemplanFormLayersPass(),
        MemplanGroupPass(objective="traffic", memory=f"L1={capacity},DDR"),
        MemplanExpandGroupsPass(),
    ):
        stage.apply(Context(), module)
    return module


def function_of(module: ModuleOp) -> FuncOp:
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    return function


def traffic(module: ModuleOp) -> dict[str, int]:
    noted = function_of(module).attributes[TRAFFIC]
    assert isinstance(noted, DictionaryAttr)
    return {name: entry.value.data for name, entry in noted.data.items()}  # pyright: ignore


def test_elements_count_that_are_looked_up_where_they_lie():
    found = traffic(in_tiles(gathered(), 4 * TABLE - 1))
    assert found == {
        # The table has fewer elements than are looked up.
        "floor": TABLE + INDICES + RESULT,
        "looked_up": RESULT,
        "total": RESULT + INDICES + RESULT,
    }


def test_a_small_table_is_brought_on_chip():
    module = in_tiles(gathered(), 4 * TABLE)
    assert traffic(module) == {name: TABLE + INDICES + RESULT for name in ("floor", "total")}
    loaded = [op.result.type for op in module.walk() if isinstance(op, LoadOp)]
    assert TensorType(f32, [NODES, FEATURES]) in loaded


def test_tables_of_one_operation_are_brought_in_as_long_as_there_is_room():
    """Of two tables, each of a fourth of the memory, the second is looked up where it lies."""
    one = f"%x: tensor<{NODES}x{FEATURES}xf32>"
    text = gathered().replace(one, f"{one}, {one.replace('%x', '%u')}")
    text = text.replace("linalg.yield %v", "%both = arith.addf %v, %w : f32\n linalg.yield %both")
    lookup = f"tensor.extract %x[%given, %f] : tensor<{NODES}x{FEATURES}xf32>"
    text = text.replace(f"%v = {lookup}", f"%v = {lookup}\n %w = {lookup.replace('%x', '%u')}")
    assert traffic(in_tiles(text, 4 * TABLE))["looked_up"] == RESULT
    assert "looked_up" not in traffic(in_tiles(text, 8 * TABLE))


def test_a_small_table_is_no_reason_to_refuse():
    """What is read backwards is there as a whole: with it there is no room for a table."""
    numbers, rows = 800, 200
    x = f"tensor<{numbers}xf32>"
    text = f"""
    #back = affine_map<(i) -> ({numbers - 1} - i)>
    #here = affine_map<(i) -> (i)>
    func.func @main(%x: {x}, %t: tensor<{rows}xf32>, %at: tensor<{numbers}xi32>) -> {x} {{
      %e = tensor.empty() : {x}
      %y = linalg.generic {{indexing_maps = [#back, #here, #here], iterator_types = ["parallel"]}}
        ins(%x, %at : {x}, tensor<{numbers}xi32>) outs(%e : {x}) {{
      ^bb0(%a: f32, %i: i32, %o: f32):
        %most = arith.constant {rows} : index
        %cast = arith.index_cast %i : i32 to index
        %r = arith.remui %cast, %most : index
        %v = tensor.extract %t[%r] : tensor<{rows}xf32>
        %s = arith.addf %a, %v : f32
        linalg.yield %s : f32
      }} -> {x}
      func.return %y : {x}
    }}"""
    smallest = next(c for c in range(64, 8192, 64) if _fits(text, c))
    assert 4 * numbers < smallest < 4 * (numbers + rows)
    assert all(_fits(text, c) for c in range(smallest, 8192, 64))


def _fits(text: str, capacity: int) -> bool:
    try:
        in_tiles(text, capacity)
    except PassFailedException:
        return False
    return True


def test_a_table_that_is_larger_than_what_is_looked_up_stays_where_it_is():
    small, large = (f"tensor<{rows}x{FEATURES}xf32>" for rows in (NODES, 2 * EDGES))
    found = traffic(in_tiles(gathered().replace(small, large), 64 * TABLE))
    assert found["looked_up"] == RESULT
    assert found["total"] == found["floor"] == RESULT + INDICES + RESULT


def test_known_indices_are_read_by_tiles():
    """Whoever knows the index knows what to bring in: nothing is looked up off chip."""
    found = traffic(in_tiles(gathered("%turned"), 4 * TABLE - 1))
    assert "looked_up" not in found


def test_a_table_that_is_the_same_everywhere_costs_nothing():
    found = traffic(in_tiles(gathered(table="%own"), 4 * TABLE - 1))
    assert "looked_up" not in found


@pytest.mark.parametrize("index", ["%given", "%turned"])
@pytest.mark.parametrize("capacity", [1024, 4 * TABLE - 1, 4 * TABLE, 1 << 20])
def test_the_same_is_computed(index: str, capacity: int):
    text = gathered(index)
    module = parse(text)
    memory = f"L1={capacity},DDR"
    MemplanPipelinePass(objective="traffic", stage="all", memory=memory).apply(
        full_context(), module
    )
    assert compare_modules(text, str(module)).results == 1


def test_each_iteration_of_a_sum_looks_up():
    """Bags are sums over all places: the row of a place is looked up for every bag."""
    bags, places, rows = 16, 32, 1024
    text = f"""
    #place = affine_map<(b, p, f) -> (p)>
    #bag = affine_map<(b, p, f) -> (b, f)>
    func.func @main(%x: tensor<{rows}x{FEATURES}xf32>, %idx: tensor<{places}xi32>)
        -> tensor<{bags}x{FEATURES}xf32> {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<{bags}x{FEATURES}xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{bags}x{FEATURES}xf32>)
        -> tensor<{bags}x{FEATURES}xf32>
      %y = linalg.generic {{indexing_maps = [#place, #bag],
          iterator_types = ["parallel", "reduction", "parallel"]}}
        ins(%idx : tensor<{places}xi32>) outs(%init : tensor<{bags}x{FEATURES}xf32>) {{
      ^bb0(%i: i32, %o: f32):
        %most = arith.constant {rows} : index
        %cast = arith.index_cast %i : i32 to index
        %r = arith.remui %cast, %most : index
        %f = linalg.index 2 : index
        %v = tensor.extract %x[%r, %f] : tensor<{rows}x{FEATURES}xf32>
        %z = arith.addf %o, %v : f32
        linalg.yield %z : f32
      }} -> tensor<{bags}x{FEATURES}xf32>
      func.return %y : tensor<{bags}x{FEATURES}xf32>
    }}"""
    element_bytes = 4
    row_bytes, other_bytes = element_bytes * FEATURES, element_bytes * places
    found = traffic(in_tiles(text, 4096))
    assert found["looked_up"] == bags * places * row_bytes
    assert found["floor"] == places * row_bytes + other_bytes + bags * row_bytes
    assert found["total"] >= found["looked_up"] + other_bytes + bags * row_bytes


def test_the_check_counts_what_tiles_look_up():
    whole, tiled = parse(gathered()), parse(gathered())
    for module in whole, tiled:
        MemplanFormLayersPass().apply(Context(), module)
        memory = f"L1={4 * TABLE - 1},DDR"
        MemplanGroupPass(objective="traffic", memory=memory).apply(Context(), module)
    MemplanExpandGroupsPass().apply(Context(), tiled)
    [count] = check_split(function_of(whole), function_of(tiled)).groups
    assert count.moved_bytes == RESULT + INDICES + RESULT


def test_a_record_of_fewer_lookups_is_refused():
    module = in_tiles(gathered(), 4 * TABLE - 1)
    function = function_of(module)
    MemplanBufferizePass(memory="L1,DDR").apply(Context(), module)
    MemplanAssignOffsetsPass().apply(Context(), module)
    MemplanVerifyPass().apply(Context(), module)
    found = traffic(module)
    less = found | {"looked_up": found["looked_up"] - 4, "total": found["total"] - 4, "floor": 0}
    entries = {name: IntegerAttr(value, i64) for name, value in less.items()}
    function.attributes[TRAFFIC] = DictionaryAttr(entries)
    with pytest.raises(PassFailedException, match=f"its operations look up {RESULT}"):
        MemplanVerifyPass().apply(Context(), module)
