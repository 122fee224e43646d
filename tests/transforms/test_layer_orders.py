"""Layers run in another order than that of the file where that moves fewer bytes, or takes less."""

from itertools import pairwise
from random import Random
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.transforms.networks import Network, Value
from tests.transforms.test_split_programs import arrays_for, check, in_layers, parse
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.model.split_graph import positions_in_order
from xdsl_memplan.native.context import full_context
from xdsl_memplan.scheduling.splitting import SplitMachine, find_order_and_groups
from xdsl_memplan.transforms.layers_in_order import bring_layers_into_order
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

Order = Literal["keep", "optimize", "thorough"]

ROWS, WIDTH = 128, 16
MEMORY = "L1=6KiB,DDR"


def branches() -> str:
    """Three products and one of the sum of all rows, last, of one tensor, added up."""
    n = Network()
    x = n.argument(ROWS, WIDTH)
    one, two, three = (n.matmul(x, WIDTH) for _ in range(3))
    sums = n.reshape(_sum_of_rows(n, x), "[[0, 1]]", 1, WIDTH)
    sums = n.reshape(n.matmul(sums, WIDTH), "[[0, 1]]", WIDTH)
    both = n.each("addf", n.each("addf", one, two), three)
    return n.text(_with_row(n, both, sums))


def _sum_of_rows(n: Network, x: Value) -> Value:
    out = n._filled((WIDTH,))
    maps = "affine_map<(r, f) -> (r, f)>, affine_map<(r, f) -> (f)>"
    return n._add(
        f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["reduction", "parallel"]}}
        ins({x[0]} : tensor<{ROWS}x{WIDTH}xf32>) outs({out} : tensor<{WIDTH}xf32>) {{
          ^bb0(%p: f32, %o: f32):
            %s = arith.addf %o, %p : f32
            linalg.yield %s : f32
        }} -> tensor<{WIDTH}xf32>""",
        (WIDTH,),
    )


def _with_row(n: Network, x: Value, row: Value) -> Value:
    out = n._filled((ROWS, WIDTH))
    maps = "affine_map<(r, f) -> (r, f)>, affine_map<(r, f) -> (f)>, affine_map<(r, f) -> (r, f)>"
    return n._add(
        f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
        ins({x[0]}, {row[0]} : tensor<{ROWS}x{WIDTH}xf32>, tensor<{WIDTH}xf32>)
        outs({out} : tensor<{ROWS}x{WIDTH}xf32>) {{
          ^bb0(%p: f32, %q: f32, %o: f32):
            %s = arith.addf %p, %q : f32
            linalg.yield %s : f32
        }} -> tensor<{ROWS}x{WIDTH}xf32>""",
        (ROWS, WIDTH),
    )


def queries_first() -> str:
    """Attention without a softmax: queries, keys, values; then sums over all keys, twice."""
    n = Network()
    x = n.argument(ROWS, WIDTH)
    queries, keys = n.relu(n.matmul(x, WIDTH)), n.relu(n.matmul(x, WIDTH))
    values = n.matmul(x, WIDTH)
    both = n.product(queries, _product_over_rows(n, keys, values))
    sums = n.reshape(_sum_of_rows(n, keys), "[[0, 1]]", 1, WIDTH)
    sums = n.reshape(n.matmul(sums, WIDTH), "[[0, 1]]", WIDTH)
    return n.text(_with_row(n, both, sums))


def _product_over_rows(n: Network, x: Value, y: Value) -> Value:
    out = n._filled((WIDTH, WIDTH))
    maps = """affine_map<(f, g, r) -> (r, f)>, affine_map<(f, g, r) -> (r, g)>,
          affine_map<(f, g, r) -> (f, g)>"""
    rows, square = f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>"
    return n._add(
        f"""linalg.generic {{indexing_maps = [{maps}],
          iterator_types = ["parallel", "parallel", "reduction"]}}
        ins({x[0]}, {y[0]} : {rows}, {rows}) outs({out} : {square}) {{
          ^bb0(%p: f32, %q: f32, %o: f32):
            %m = arith.mulf %p, %q : f32
            %s = arith.addf %o, %m : f32
            linalg.yield %s : f32
        }} -> {square}""",
        (WIDTH, WIDTH),
    )


def grouping(order: Order, memory: str = MEMORY) -> MemplanGroupPass:
    return MemplanGroupPass(memory=memory, stage="all", order=order, max_code=0)


def moved(module: ModuleOp) -> int:
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


def grouped(text: str, order: Order) -> ModuleOp:
    module = in_layers(text)
    grouping(order).apply(Context(), module)
    module.verify()
    return module


def test_the_sum_of_all_rows_comes_first():
    kept, best = grouped(branches(), "keep"), grouped(branches(), "optimize")
    # The argument is read by the sum and by the branches, the weights once, the result is stored.
    assert moved(best) == 4 * (3 * ROWS * WIDTH + 4 * WIDTH * WIDTH)
    assert moved(kept) >= 4 * (4 * ROWS * WIDTH + 4 * WIDTH * WIDTH)
    first = next(op for op in best.walk() if isinstance(op, GroupOp))
    assert [op.name for op in first.body.block.ops] == ["linalg.generic", "memplan.group_yield"]


def test_the_sums_of_all_keys_come_before_the_queries():
    text = queries_first()
    kept, best = grouped(text, "keep"), grouped(text, "optimize")
    # Keys and values are made of the argument, then queries: none of them is stored, one sum is.
    assert moved(best) == 4 * (3 * ROWS * WIDTH + (4 + 2) * WIDTH * WIDTH)
    assert moved(kept) >= 4 * (5 * ROWS * WIDTH + 4 * WIDTH * WIDTH)
    orders: tuple[Order, Order] = ("keep", "optimize")
    for order in orders:
        check(text, arrays_for(parse(text)), grouping(order), "auto", MEMORY)


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("order", ["keep", "optimize", "thorough"])
def test_branches_compute_the_same(order: Order, emit: Literal["unroll", "loop"]):
    text = branches()
    check(text, arrays_for(parse(text)), grouping(order), emit, MEMORY)


def random_branches(seed: int) -> str:
    """Layers that read any of those before; what nobody reads is returned."""
    random = Random(seed)
    n = Network()
    made = [n.argument(ROWS, WIDTH)]
    unread = set[Value]()
    for _ in range(random.randint(4, 9)):
        x = random.choice(made)
        match random.randrange(4):
            case 0:
                row = n.reshape(_sum_of_rows(n, x), "[[0, 1]]", 1, WIDTH)
                row = n.reshape(n.matmul(row, WIDTH), "[[0, 1]]", WIDTH)
                other = random.choice(made)
                read, result = {x, other}, _with_row(n, other, row)
            case 1:
                other = random.choice(made)
                read, result = {x, other}, n.each("addf", x, other)
            case _:
                read, result = {x}, n.matmul(x, WIDTH)
        unread = (unread - read) | {result}
        made.append(result)
    return n.text(*(value for value in made if value in unread))


def test_random_branches_in_other_orders():
    """Each computes the same; some orders are others than that of the file, and move less."""
    less = 0
    for seed in range(24):
        text = random_branches(seed)
        memory = "L1=4KiB,DDR"
        layers = in_layers(text)
        module = layers.clone()
        grouping("keep", memory).apply(Context(), layers)
        grouping("thorough", memory).apply(Context(), module)
        assert moved(module) <= moved(layers)
        if moved(module) < moved(layers):
            less += 1
            check(text, arrays_for(parse(text)), grouping("thorough", memory), "auto", memory)
    assert less >= 5


def test_positions_follow_layers():
    module = in_layers(branches())
    [function] = module.body.ops
    split = FunctionSplitGraph.of(function)  # pyright: ignore[reportArgumentType]
    numbers = sorted({op.layer for op in split.graph.ops})
    machine = SplitMachine(6 * 1024, is_staged=True, stages_arguments=True)
    layers, groups, _ = find_order_and_groups(split.graph, machine, "traffic")
    assert sorted(layers) == numbers
    assert layers != numbers
    assert groups[0].first_layer == 0
    for group, other in pairwise(groups):
        assert other.first_layer == group.last_layer + 1
    assert groups[-1].last_layer == len(layers) - 1
    [block] = function.regions[0].blocks
    moved_split = bring_layers_into_order(block, split, layers)
    module.verify()
    assert [op.layer for op in moved_split.graph.ops] == sorted(
        layers.index(op.layer) for op in split.graph.ops
    )
    ops = [op for op in operations_in(function) if op in set(split.operations)]
    assert ops == list(moved_split.operations)
    positions = positions_in_order(split.graph, layers)
    assert list(moved_split.operations) == [split.operations[at] for at in positions]


@pytest.mark.parametrize("order", ["keep", "optimize", "thorough"])
@pytest.mark.parametrize("objective", ["traffic", "peak", "fit"])
def test_the_pipeline_computes_the_same(order: Order, objective: str):
    text = branches()
    module = parse(text)
    arrays = arrays_for(module)
    expected = run(module, arrays, "main")
    memory = "L1" if objective == "peak" else MEMORY
    stage = "none" if objective == "peak" else "all"
    pipeline = MemplanPipelinePass(objective=objective, memory=memory, stage=stage, order=order)
    pipeline.apply(full_context(), module)
    for one, other in zip(run(module, arrays, "main"), expected, strict=True):
        assert (one == other).all()


HEADS, WIDE, NARROW = 3, 64, 4


def heads() -> str:
    """Heads written one after another: products of one matrix, each multiplied by another one."""
    n = Network()
    x, mixing = n.argument(WIDE, WIDE), n.argument(WIDE, WIDE)
    made = [n.relu(n.product(mixing, n.matmul(x, NARROW))) for _ in range(HEADS)]
    return n.text(n.matmul(n.concat(*made), NARROW))


def test_heads_that_are_written_one_after_another_read_both_matrices_once() -> None:
    """Beside these, weights and the result, the first products are stored and fetched."""
    module, narrow = in_layers(heads()), 4 * WIDE * NARROW
    MemplanGroupPass(memory="L1=8KiB,DDR", threads=1).apply(Context(), module)
    once = 2 * 4 * WIDE * WIDE + (HEADS + 1) * narrow + 4 * HEADS * NARROW * NARROW
    assert moved(module) <= once + 2 * HEADS * narrow


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_heads_compute_the_same(emit: Literal["unroll", "loop"]) -> None:
    text, memory = heads(), "L1=8KiB,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 8192
