"""Slices of features that operations of their own compute: the same numbers, and fewer bytes."""

import re
from random import Random

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import Conv2DNchwFchwOp, MatmulOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.sliced_products import MOST_RANGES, has_sliced_product
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.tiling_models.tile_values import shape_of
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms import layer_forms
from xdsl_memplan.transforms.memplan_compute_slices import MemplanComputeSlicesPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


def tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


def elementwise(name: str, op: str, values: list[str], shape: tuple[int, ...]) -> str:
    """An operation of one or two tensors of a shape."""
    maps = ", ".join(["#id"] * (len(values) + 1))
    types = ", ".join([tensor(*shape)] * len(values))
    loops = ", ".join(['"parallel"'] * len(shape))
    dims = ", ".join(f"d{d}" for d in range(len(shape)))
    maps = maps.replace("#id", f"affine_map<({dims}) -> ({dims})>")
    inputs = ", ".join(f"%a{k}: f32" for k in range(len(values)))
    read = ", ".join(f"%a{k}" for k in range(len(values)))
    return f"""{name}e = tensor.empty() : {tensor(*shape)}
{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}}
  ins({", ".join(values)} : {types}) outs({name}e : {tensor(*shape)}) {{
^bb0({inputs}, %o: f32):
  %r = {op} {read} : f32
  linalg.yield %r : f32
}} -> {tensor(*shape)}
"""


def gated_convolution(channels: int, features: int, size: int) -> str:
    """Half of the features of a convolution, each times one of the other half, twice."""
    x, w = (1, channels, size + 2, size + 2), (2 * features, channels, 3, 3)
    p, h = (1, 2 * features, size, size), (1, features, size, size)
    return f"""
func.func @main(%x: {tensor(*x)}, %w: {tensor(*w)}) -> {tensor(*h)} {{
%zero = arith.constant 0.0 : f32
%e = tensor.empty() : {tensor(*p)}
%z = linalg.fill ins(%zero : f32) outs(%e : {tensor(*p)}) -> {tensor(*p)}
%p = linalg.conv_2d_nchw_fchw {{dilations = dense<1> : tensor<2xi64>,
  strides = dense<1> : tensor<2xi64>}} ins(%x, %w : {tensor(*x)}, {tensor(*w)})
  outs(%z : {tensor(*p)}) -> {tensor(*p)}
{elementwise("%q", "math.tanh", ["%p"], p)}
%a = tensor.extract_slice %q[0, 0, 0, 0] [1, {features}, {size}, {size}] [1, 1, 1, 1]
  : {tensor(*p)} to {tensor(*h)}
%b = tensor.extract_slice %q[0, {features}, 0, 0] [1, {features}, {size}, {size}] [1, 1, 1, 1]
  : {tensor(*p)} to {tensor(*h)}
{elementwise("%y", "arith.mulf", ["%a", "%b"], h)}
func.return %y : {tensor(*h)}
}}
"""


def moved(text: str, memory: str, *, apart: bool) -> int:
    """Bytes that the groups move."""
    context, module = full_context(), parse(text)
    for step in (
        *([MemplanComputeSlicesPass()] if apart else []),
        MemplanFuseElementwisePass(chains=True),
        MemplanFormLayersPass(),
        MemplanGroupPass(memory=memory, stage="all"),
    ):
        step.apply(context, module)
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


def test_a_convolution_for_each_half():
    module = parse(gated_convolution(4, 6, 5))
    assert has_sliced_product(module)
    MemplanComputeSlicesPass().apply(full_context(), module)
    module.verify()
    products = [op for op in module.walk() if isinstance(op, Conv2DNchwFchwOp)]
    assert [shape_of(op.results[0]) for op in products] == [(1, 6, 5, 5)] * 2
    assert not has_sliced_product(module)


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=8KiB,DDR", "L1=16KiB,DDR", "L1=1MiB,DDR"])
def test_the_better_way_is_taken(memory: str, capsys: pytest.CaptureFixture[str]):
    text = gated_convolution(16, 16, 16)
    module = parse(text)
    MemplanPipelinePass(memory=memory, stage="all", summary=True).apply(full_context(), module)
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    ways = [moved(text, memory, apart=apart) for apart in (False, True)]
    assert int(found) == min(ways)
    assert (ways[1] < ways[0]) == (memory != "L1=1MiB,DDR")
    assert compare_modules(text, str(module)).results == 1


def test_by_peak_the_smaller_arena_is_taken(monkeypatch: pytest.MonkeyPatch):
    def never(_module: ModuleOp) -> bool:
        return False

    text = gated_convolution(8, 64, 8)
    arenas: list[int] = []
    for together in (False, True):
        if together:
            monkeypatch.setattr(layer_forms, "has_sliced_product", never)
        module = parse(text)
        MemplanPipelinePass(objective="peak").apply(full_context(), module)
        [arena] = re.findall(r'sym_name = "memory", type = memref<(\d+)xi8>', str(module))
        arenas.append(int(arena))
    apart, whole = arenas
    assert apart < whole


def slices_of(value: str, shape: tuple[int, ...], ranges: list[tuple[int, int]], dim: int) -> str:
    """Slices %s0, %s1, ... of ranges of a dimension."""
    lines: list[str] = []
    for number, (start, stop) in enumerate(ranges):
        offsets, sizes = [0] * len(shape), list(shape)
        offsets[dim], sizes[dim] = start, stop - start
        lines.append(
            f"%s{number} = tensor.extract_slice {value}{offsets} {sizes} {[1] * len(shape)}"
            f" : {tensor(*shape)} to {tensor(*sizes)}"
        )
    return "\n".join(lines)


def sliced_product(random: Random) -> str:
    """A product, perhaps transposed, reshaped and changed, of which slices are returned."""
    rows, inner, parts, width = (random.randint(least, 4) for least in (1, 2, 2, 1))
    features = parts * width
    product = (rows, features)
    text = f"""%e = tensor.empty() : {tensor(*product)}
%z = linalg.fill ins(%zero : f32) outs(%e : {tensor(*product)}) -> {tensor(*product)}
%p = linalg.matmul ins(%x, %w : {tensor(rows, inner)}, {tensor(inner, features)})
  outs(%z : {tensor(*product)}) -> {tensor(*product)}
"""
    value, shape, dim = "%p", product, 1
    if random.random() < 0.5:
        text += elementwise("%t", "math.absf", [value], shape)
        value = "%t"
    if random.random() < 0.5:
        turned = (features, rows)
        text += f"""%v = tensor.empty() : {tensor(*turned)}
%u = linalg.transpose ins({value} : {tensor(*shape)}) outs(%v : {tensor(*turned)})
  permutation = [1, 0]
"""
        value, shape, dim = "%u", turned, 0
    if random.random() < 0.5:
        apart = (rows, parts, width) if dim else (parts, width, rows)
        groups = "[[0], [1, 2]]" if dim else "[[0, 1], [2]]"
        text += (
            f"%g = tensor.expand_shape {value} {groups} output_shape {list(apart)}"
            f" : {tensor(*shape)} into {tensor(*apart)}\n"
        )
        value, shape, unit = "%g", apart, 1
    else:
        unit = width
    left = sorted(random.sample(range(parts), random.randint(2, parts)))
    ranges = [(part * unit, (part + 1) * unit) for part in left]
    text += slices_of(value, shape, ranges, dim)
    sizes = list(shape)
    sizes[dim] = unit
    results = ", ".join([tensor(*sizes)] * len(ranges))
    names = ", ".join(f"%s{number}" for number in range(len(ranges)))
    return f"""
func.func @main(%x: {tensor(rows, inner)}, %w: {tensor(inner, features)}) -> ({results}) {{
%zero = arith.constant 0.0 : f32
{text}
func.return {names} : {results}
}}
"""


@pytest.mark.needs_mlir
def test_random_products_in_slices_compute_the_same():
    taken_apart = 0
    for seed in range(12):
        text = sliced_product(Random(seed))
        module = parse(text)
        MemplanComputeSlicesPass().apply(full_context(), module)
        module.verify()
        taken_apart += sum(isinstance(op, MatmulOp) for op in module.walk()) > 1
        assert compare_modules(text, str(module)).results >= 2, seed
    assert taken_apart == 12


def test_many_ranges_stay_together():
    rows, features = 4, MOST_RANGES + 1
    shape = (rows, features)
    ranges = [(k, k + 1) for k in range(features)]
    result = tensor(rows, 1)
    text = f"""
func.func @main(%x: {tensor(rows, 3)}, %w: {tensor(3, features)}, %z: {tensor(*shape)})
  -> ({", ".join([result] * features)}) {{
%p = linalg.matmul ins(%x, %w : {tensor(rows, 3)}, {tensor(3, features)})
  outs(%z : {tensor(*shape)}) -> {tensor(*shape)}
{slices_of("%p", shape, ranges, 1)}
func.return {", ".join(f"%s{k}" for k in range(features))} : {", ".join([result] * features)}
}}
"""
    assert not has_sliced_product(parse(text))


def test_nothing_is_looked_for_after_what_moves_each_byte_once(monkeypatch: pytest.MonkeyPatch):
    searches: list[str] = []
    search = MemplanGroupPass.apply

    def noted(group: MemplanGroupPass, ctx: Context, op: ModuleOp) -> None:
        if group.reserve == 0:  # Else the same layers are looked at for less room.
            searches.append(group.memory)
        search(group, ctx, op)

    monkeypatch.setattr(MemplanGroupPass, "apply", noted)
    text = gated_convolution(16, 16, 16)
    for memory, times in [("L1=1MiB,DDR", 1), ("L1=16KiB,DDR", 2)]:
        searches.clear()
        MemplanPipelinePass(memory=memory, stage="all").apply(full_context(), parse(text))
        assert len(searches) == times, memory
