"""What the search counts on chip: buffers take no more.

Of some hundred random networks one takes a few bytes more; then `memplan-pipeline` forms groups
again. So the examples are always the same.
"""

from typing import Literal

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.networks import Network, t
from tests.transforms.random_networks import random_network
from tests.transforms.random_tensor_programs import random_program
from tests.transforms.test_region_moves import parse
from xdsl_memplan.dialects.groups import GroupOp, ResidencyAttr
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.model.tiling_plan import Residency
from xdsl_memplan.transforms.expand_groups.laid_out_group import laid_out
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

Emit = Literal["auto", "unroll", "loop"]
Stage = Literal["none", "all"]


def group(
    text: str, objective: str, memory: str, stage: Stage, *, chains: bool = False
) -> ModuleOp:
    """Form groups; programs without, or which do not fit, are none of a test's business."""
    module = parse(text)
    if chains:
        MemplanFuseElementwisePass(chains=True).apply(Context(), module)
    MemplanFormLayersPass().apply(Context(), module)
    try:
        MemplanGroupPass(
            objective="peak" if objective == "peak" else "traffic",
            memory=memory,
            stage=stage,
            threads=1,
        ).apply(Context(), module)
    except PassFailedException:
        assume(False)
    return module


def plan(module: ModuleOp, emit: Emit, memory: str) -> int:
    """Expand and plan without a capacity; return the bytes of the first memory."""
    for stage in (
        MemplanExpandGroupsPass(emit=emit),
        MemplanBufferizePass(memory=memory),
        MemplanAssignOffsetsPass(memory=memory),
        MemplanVerifyPass(),
    ):
        stage.apply(Context(), module)
    (size,) = [
        op.size.value.data
        for op in module.walk()
        if isinstance(op, ArenaOp) and op.sym_name.data == "L1" and op.size is not None
    ]
    return size


@given(
    st.integers(0, 2**32),
    st.just("network"),
    st.integers(3, 8),
    st.sampled_from(["peak", "traffic", "traffic"]),
    st.integers(256, 8192),
    st.sampled_from([1, 16, 64]),
    st.sampled_from(["auto", "loop", "unroll"]),
    st.sampled_from(["all", "all", "none"]),
    st.booleans(),
)
@example(
    411, "program", 7, "traffic", 256, 1, "auto", "all", False
)  # A layer that only shows another.
@example(
    20, "network", 8, "traffic", 1024, 1, "auto", "all", False
)  # Of two tensors that end with a layer, one is stored.
@settings(max_examples=30, deadline=None, derandomize=True)
def test_buffers_take_no_more_than_was_counted(
    seed: int,
    kind: str,
    size: int,
    objective: str,
    capacity: int,
    alignment: int,
    emit: Emit,
    stage: Stage,
    chains: bool,
):
    text = random_network(seed, size) if kind == "network" else random_program(seed, size).text
    limit = f"={capacity}" if objective == "traffic" else ""
    module = group(text, objective, f"L1{limit}:align={alignment},DDR", stage, chains=chains)
    groups = [op.cost.cost for op in module.walk() if isinstance(op, GroupOp)]
    assume(groups)
    counted = max(cost.peak for cost in groups)
    if limit:
        assert counted <= capacity
    assert plan(module, emit, f"L1:align={alignment},DDR") <= counted


def scaled_residual() -> str:
    """A product, scaled by columns, and added to a tensor of its size."""
    n = Network()
    x, weight, scale, other = (n.argument(*s) for s in ((8, 256), (256, 64), (64,), (8, 64)))
    product = n._structured("linalg.matmul", [x, weight], (8, 64))
    empty, _ = n._add(f"tensor.empty() : {t((8, 64))}", (8, 64))
    maps = ", ".join(f"affine_map<(i, j) -> ({to})>" for to in ("i, j", "j", "i, j"))
    scaled = n._add(
        f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
        ins({product[0]}, {scale[0]} : {t((8, 64))}, {t((64,))}) outs({empty} : {t((8, 64))}) {{
          ^bb0(%p: f32, %q: f32, %o: f32):
            %z = arith.mulf %p, %q : f32
            linalg.yield %z : f32
        }} -> {t((8, 64))}""",
        (8, 64),
    )
    return n.text(n.relu(n.each("addf", scaled, other)))


@pytest.mark.parametrize("capacity", [600, 1000, 3200])
def test_what_is_added_to_a_whole_sum_comes_slice_by_slice(capacity: int):
    """One operation reads the sum and the other tensor: its slices are written over the sum."""
    module = group(scaled_residual(), "traffic", f"L1={capacity},DDR", "all", chains=True)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1,DDR") <= counted


def scaled_sum() -> str:
    """Two products, the second added up in slices, and what is made of an argument for the end."""
    n = Network()
    x = n.argument(8, 16)
    other = n.relu(n.argument(8, 16))
    hidden = n.relu(n.matmul(x, 64))
    return n.text(n.each("addf", n.matmul(hidden, 16), other))


@pytest.mark.parametrize("capacity", [1344, 1472, 1600, 1792, 1856])
def test_what_is_made_for_after_a_sum_is_made_after_it(capacity: int):
    module = group(scaled_sum(), "traffic", f"L1={capacity},DDR", "all")
    cuts = [str(op.cuts) for op in module.walk() if isinstance(op, GroupOp)]
    assert any('"sum"' in cut for cut in cuts)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1,DDR") <= counted


def two_heads(rows: int, low: int, high: int, classes: int, *, deep: bool) -> str:
    """Two convolutions whose results are added; only the second one's sum is cut."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 3, rows, rows), low))
    upper = n.relu(n.conv(x, high, 1)) if deep else n.relu(n.argument(1, high, rows, rows))
    return n.text(n.each("addf", n.conv(x, classes, 1), n.conv(upper, classes, 1)))


@pytest.mark.parametrize(
    ("network", "deep", "capacity"),
    [
        ((8, 16, 16, 8), True, 1888),
        ((6, 6, 32, 5), True, 2720),
        ((6, 10, 16, 8), False, 1440),
        ((8, 16, 16, 8), False, 1952),
        ((8, 16, 16, 8), True, 1952),
    ],
)
def test_what_a_sum_does_not_need_may_wait_wherever_it_comes_from(
    network: tuple[int, int, int, int], deep: bool, capacity: int
):
    """The tiles did after a sum what the search had counted before, as only they took what other
    groups make for arguments."""
    text = two_heads(*network, deep=deep)
    module = group(text, "traffic", f"L1={capacity},DDR", "all")
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1,DDR") <= counted


def test_slices_are_written_over_what_is_fetched_whole():
    """Of two tensors from outside one comes in slices: there is no room for the other and a sum."""
    n = Network()
    x, other = n.argument(8, 64), n.argument(8, 64)
    module = group(n.text(n.each("addf", x, other)), "traffic", "L1=8192,DDR", "all")
    [made] = [op for op in module.walk() if isinstance(op, GroupOp)]
    made.residencies = ArrayAttr(
        [
            ResidencyAttr.of(Residency(0, "streamed", 4)),
            ResidencyAttr.of(Residency(1, "fetched", 1)),
        ]
    )
    assert laid_out(made).layout.cost.peak == 8 * 64 * 4 + 8 * 16 * 4
    assert plan(module, "auto", "L1,DDR") == 8 * 64 * 4 + 8 * 16 * 4


def windows() -> str:
    """Windows of seven rows each, then all rows one behind the other."""
    n = Network()
    x = n.relu(n.argument(16, 7, 16))
    made = n.relu(n.batch_matmul(x, n.argument(16, 16, 16)))
    rows = n.relu(n.reshape(made, "[[0, 1], [2]]", 112, 16))
    return n.text(n.matmul(n.relu(n.matmul(rows, 64)), 16))


@pytest.mark.parametrize("capacity", [2000, 2500, 4000])
def test_rows_of_windows_are_counted_where_a_tile_is_in_two(capacity: int):
    """Some tiles need two windows, and neither those at the ends nor that in the middle may."""
    module = group(windows(), "traffic", f"L1={capacity}:align=1,DDR", "all")
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert plan(module, "auto", "L1:align=1,DDR") <= counted


def merged_windows(blocks: int, rows: int, columns: int) -> str:
    """Rows that lie apart are put together to an image, of which three are read at a time."""
    n = Network()
    x = n.transpose(n.argument(rows, blocks, columns, 2), 1, 0, 2, 3)
    x = n.reshape(x, "[[0, 1], [2], [3]]", blocks * rows, columns, 2)
    x = n.reshape(n.transpose(x, 2, 0, 1), "[[0, 1], [2], [3]]", 1, 2, blocks * rows, columns)
    return n.text(n.depthwise(n.relu(n.conv(x, 4, 1))))


@pytest.mark.parametrize(
    ("image", "capacity"), [((4, 8, 8), 1048), ((4, 8, 8), 1636), ((6, 8, 8), 1280)]
)
def test_what_is_kept_whole_is_not_copied(image: tuple[int, int, int], capacity: int):
    """All rows of a block are kept for later tiles: the loop had room for a copy of them while the
    next block was made."""
    text = merged_windows(*image)
    module = group(text, "traffic", f"L1={capacity}:align=1,DDR", "all", chains=True)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1:align=1,DDR") <= counted


def shuffled(rows: int, channels: int, features: int) -> str:
    """Channels become twice as many rows and columns, which are padded and convolved."""
    n = Network()
    x = n.argument(1, 4 * channels, rows, rows)
    apart = n.reshape(x, "[[0], [1, 2, 3], [4], [5]]", 1, channels, 2, 2, rows, rows)
    apart = n.transpose(apart, 0, 1, 4, 2, 5, 3)
    image = n.reshape(apart, "[[0], [1], [2, 3], [4, 5]]", 1, channels, 2 * rows, 2 * rows)
    return n.text(n.conv(image, features))


@pytest.mark.parametrize(
    ("network", "capacity"),
    [((6, 2, 3), 1152), ((8, 4, 4), 1632), ((8, 4, 4), 5632), ((12, 4, 2), 672)],
)
def test_what_is_cut_out_of_more_rows_than_are_read_is_copied(
    network: tuple[int, int, int], capacity: int
):
    """An odd number of rows of pairs: the search had what is padded in the room of the pairs."""
    module = group(shuffled(*network), "traffic", f"L1={capacity}:align=1,DDR", "all")
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1:align=1,DDR") <= counted


def added_and_multiplied(rows: int, inner: int) -> str:
    """What is changed of an argument is added to a product, and multiplied with another weight."""
    n = Network()
    other = n.relu(n.argument(rows, rows))
    total = n.each("addf", n.matmul(n.argument(rows, inner), rows), other)
    return n.text(n.each("mulf", n.matmul(total, 8), n.matmul(other, 8)))


@pytest.mark.parametrize(("rows", "capacity"), [(16, 1536), (32, 3072), (64, 2048), (64, 4096)])
def test_what_is_changed_does_not_come_slice_by_slice(rows: int, capacity: int):
    """Slices of the argument would be fetched by what changes it, which makes all of it."""
    text = added_and_multiplied(rows, 64)
    module = group(text, "traffic", f"L1={capacity},DDR", "all", chains=True)
    counted = max(op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp))
    assert counted <= capacity
    assert plan(module, "auto", "L1,DDR") <= counted


INSERTED = """
func.func @main(%d: tensor<40xf32>, %x: tensor<10xf32>) -> tensor<40xf32> {
  %y = tensor.insert_slice %x into %d[3] [10] [3] : tensor<10xf32> into tensor<40xf32>
  func.return %y : tensor<40xf32>
}
"""


def bytes_in(text: str, capacity: int) -> int:
    """Bytes of the first memory where groups were found for so many."""
    module = group(text, "traffic", f"L1={capacity}:align=4,DDR", "all")
    return plan(module, "auto", "L1:align=4,DDR")


@pytest.mark.parametrize("capacity", [40, 80, 160])
def test_what_is_inserted_is_fetched_into_its_place(capacity: int):
    """What it is inserted into has to be there before."""
    assert bytes_in(INSERTED, capacity) <= capacity


READ_BACKWARDS_INTO_ITSELF = """
func.func @main(%x: tensor<9x5xf32>, %y: tensor<2x9x5xf32>) -> tensor<2x9x5xf32> {
  %z = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j, 4 - k)>, affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x, %y : tensor<9x5xf32>, tensor<2x9x5xf32>) outs(%y : tensor<2x9x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.mulf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x9x5xf32>
  func.return %z : tensor<2x9x5xf32>
}
"""


@pytest.mark.parametrize("capacity", [128, 256, 512])
def test_a_destination_that_is_read_otherwise_is_not_written_over(capacity: int):
    assert bytes_in(READ_BACKWARDS_INTO_ITSELF, capacity) <= capacity


MAXIMUM_AND_SUM = """
#all = affine_map<(a, b, c) -> (a, b, c)>
#kept = affine_map<(a, b, c) -> (b, c)>
func.func @main(%x: tensor<4x5x8xi32>, %k: tensor<5x8xi64>) -> tensor<1xi64> {
  %low = arith.constant -100 : i32
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<5x8xi32>
  %f = linalg.fill ins(%low : i32) outs(%e : tensor<5x8xi32>) -> tensor<5x8xi32>
  %d = tensor.empty() : tensor<5x8xi64>
  %g = linalg.fill ins(%zero : i64) outs(%d : tensor<5x8xi64>) -> tensor<5x8xi64>
  %h = tensor.empty() : tensor<1xi64>
  %i = linalg.fill ins(%zero : i64) outs(%h : tensor<1xi64>) -> tensor<1xi64>
  %m, %n = linalg.generic {
    indexing_maps = [#all, #kept, #kept], iterator_types = ["reduction", "parallel", "parallel"]
  } ins(%x : tensor<4x5x8xi32>) outs(%f, %g : tensor<5x8xi32>, tensor<5x8xi64>) {
  ^bb0(%p: i32, %q: i32, %r: i64):
    %t = arith.maxsi %p, %q : i32
    %s = arith.extsi %t : i32 to i64
    %u = arith.addi %s, %r : i64
    linalg.yield %t, %u : i32, i64
  } -> (tensor<5x8xi32>, tensor<5x8xi64>)
  %v = linalg.generic {
    indexing_maps = [
      affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (b, c)>, affine_map<(b, c) -> (0)>
    ], iterator_types = ["reduction", "reduction"]
  } ins(%n, %k : tensor<5x8xi64>, tensor<5x8xi64>) outs(%i : tensor<1xi64>) {
  ^bb0(%p: i64, %q: i64, %r: i64):
    %s = arith.muli %p, %q : i64
    %u = arith.addi %s, %r : i64
    linalg.yield %u : i64
  } -> tensor<1xi64>
  func.return %v : tensor<1xi64>
}
"""


@pytest.mark.parametrize("capacity", [256, 320, 448])
def test_a_result_that_only_another_one_needs_takes_room(capacity: int):
    """The maximum so far, of which the sum is made."""
    module = group(MAXIMUM_AND_SUM, "traffic", f"L1={capacity}:align=64,DDR", "all")
    counted = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert plan(module, "auto", "L1:align=64,DDR") <= max(counted) <= capacity


def _in_another_shape(padding: str, shape: str) -> str:
    return f"""
func.func @main(%x: tensor<2x17x5x4xf32>) -> tensor<{shape}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x17x5x4xf32>
  %a = linalg.exp ins(%x : tensor<2x17x5x4xf32>) outs(%e : tensor<2x17x5x4xf32>)
    -> tensor<2x17x5x4xf32>
  %b = linalg.add ins(%a, %x : tensor<2x17x5x4xf32>, tensor<2x17x5x4xf32>)
    outs(%e : tensor<2x17x5x4xf32>) -> tensor<2x17x5x4xf32>
  %c = tensor.collapse_shape %b [[0, 1, 2], [3]] : tensor<2x17x5x4xf32> into tensor<170x4xf32>
  %d = tensor.expand_shape %c [[0, 1], [2]] output_shape [5, 34, 4]
    : tensor<170x4xf32> into tensor<5x34x4xf32>
  %p = tensor.pad %d {padding} {{
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  }} : tensor<5x34x4xf32> to tensor<{shape}xf32>
  func.return %p : tensor<{shape}xf32>
}}
"""


@pytest.mark.parametrize(
    ("padding", "shape"),
    [("low[0, 0, 0] high[0, 1, 0]", "5x35x4"), ("low[1, 0, 0] high[0, 0, 0]", "6x34x4")],
)
def test_what_cannot_be_made_inside_in_its_shape_is_copied(padding: str, shape: str):
    """What is padded between rows is not 170 rows one behind the other."""
    module = group(_in_another_shape(padding, shape), "peak", "L1:align=16,DDR", "none")
    counted = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert plan(module, "auto", "L1:align=16,DDR") <= max(counted)


TWO_PARTS = """
func.func @main(%x: tensor<7x21xf32>) -> tensor<7x21xf32> {
  %e = tensor.empty() : tensor<7x21xf32>
  %v = linalg.exp ins(%x : tensor<7x21xf32>) outs(%e : tensor<7x21xf32>) -> tensor<7x21xf32>
  %s = tensor.extract_slice %v[4, 0] [3, 21] [1, 1] : tensor<7x21xf32> to tensor<3x21xf32>
  %t = tensor.extract_slice %v[0, 0] [4, 21] [1, 1] : tensor<7x21xf32> to tensor<4x21xf32>
  %r = tensor.concat dim(0) %s, %t : (tensor<3x21xf32>, tensor<4x21xf32>) -> tensor<7x21xf32>
  func.return %r : tensor<7x21xf32>
}
"""


def test_what_is_changed_and_shown_in_parts_takes_room():
    module = group(TWO_PARTS, "peak", "L1:align=4,DDR", "none")
    counted = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert plan(module, "auto", "L1:align=4,DDR") <= max(counted)


LOOKED_AT_TWICE = """
func.func @main(%x: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %e = tensor.empty() : tensor<2x5x4xf32>
  %v = linalg.add ins(%x, %x : tensor<2x5x4xf32>, tensor<2x5x4xf32>)
    outs(%e : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  %c = tensor.collapse_shape %v [[0, 1], [2]] : tensor<2x5x4xf32> into tensor<10x4xf32>
  %d = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, 5, 4]
    : tensor<10x4xf32> into tensor<2x5x4xf32>
  %r = linalg.mul ins(%v, %d : tensor<2x5x4xf32>, tensor<2x5x4xf32>)
    outs(%e : tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  func.return %r : tensor<2x5x4xf32>
}
"""

INTO_AN_ARGUMENT = """
func.func @main(%x: tensor<3x28xf32>, %y: tensor<9x28xf32>) -> tensor<9x28xf32> {
  %e = tensor.empty() : tensor<3x28xf32>
  %a = linalg.add ins(%x, %x : tensor<3x28xf32>, tensor<3x28xf32>)
    outs(%e : tensor<3x28xf32>) -> tensor<3x28xf32>
  %i = tensor.insert_slice %a into %y[0, 0] [3, 28] [3, 1] : tensor<3x28xf32> into tensor<9x28xf32>
  func.return %i : tensor<9x28xf32>
}
"""


@pytest.mark.parametrize("text", [LOOKED_AT_TWICE, INTO_AN_ARGUMENT])
def test_no_place_is_counted_that_bufferization_does_not_take(text: str):
    """Of a tensor that is read in another shape too, or of a part of what is copied over it."""
    module = group(text, "peak", "L1:align=4,DDR", "none")
    counted = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert plan(module, "auto", "L1:align=4,DDR") <= max(counted)


def changed_in_another_shape(rows: int, columns: int) -> str:
    """What has its rows one behind the other is looked at as an image, changed and padded."""
    n = Network()
    x = n.relu(n.argument(2, 4, rows * columns))
    y = n.each("mulf", x, x)
    image = n.reshape(y, "[[0], [1], [2, 3]]", 2, 4, rows, columns)
    return n.text(n.pad(n.relu(image)))


@pytest.mark.parametrize(
    ("objective", "memory", "stage"), [("peak", "L1", "none"), ("traffic", "L1=1024", "all")]
)
def test_what_is_changed_inside_a_pad_is_not_read_in_another_shape(
    objective: str, memory: str, stage: Stage
):
    """The rows of what is padded do not lie one behind the other."""
    text = changed_in_another_shape(6, 6)
    module = group(text, objective, f"{memory}:align=4,DDR", stage)
    counted = [op.cost.cost.peak for op in module.walk() if isinstance(op, GroupOp)]
    assert plan(module, "auto", "L1:align=4,DDR") <= max(counted)


def rows_as_an_image(height: int, width: int) -> str:
    """Features of places become images, which are padded: no place lies in a padded image."""
    n = Network()
    x = n.transpose(n.argument(height * width, 4), 1, 0)
    image = n.reshape(x, "[[0, 1], [2, 3]]", 1, 4, height, width)
    return n.text(n.conv(image, 2, 3, 2))


@pytest.mark.parametrize("capacity", [1792, 1920])
def test_what_is_padded_in_another_shape_lies_elsewhere(capacity: int):
    assert bytes_in(rows_as_an_image(8, 8), capacity) <= capacity
