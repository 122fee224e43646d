"""Rotary embeddings: made for each tile that reads them, or once, as layers of their own."""

import re

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from xdsl_memplan.analysis.ways_to_form_layers import has_turned_operand
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

ROWS, WIDTH, HALF = 96, 16, 8
X, W, H, S = (f"tensor<{shape}xf32>" for shape in ("96x16", "16x16", "96x8", "96x96"))
MAPS = "#id = affine_map<(i, j) -> (i, j)>\n"


def both(name: str, op: str, a: str, b: str) -> str:
    return f"""{name} = linalg.generic {{indexing_maps = [#id, #id, #id],
  iterator_types = ["parallel", "parallel"]}} ins({a}, {b} : {X}, {X}) outs(%e : {X}) {{
^bb0(%p: f32, %u: f32, %o: f32):
  %r = arith.{op} %p, %u : f32
  linalg.yield %r : f32
}} -> {X}
"""


def rotary(name: str, value: str) -> str:
    """`name = value * cos + (its halves, exchanged, the first one negated) * sin`."""
    return (
        f"{name}a = tensor.extract_slice {value}[0, 0] [{ROWS}, {HALF}] [1, 1] : {X} to {H}\n"
        f"{name}b = tensor.extract_slice {value}[0, {HALF}] [{ROWS}, {HALF}] [1, 1] : {X} to {H}\n"
        f"{name}n = linalg.negf ins({name}b : {H}) outs(%h : {H}) -> {H}\n"
        f"{name}c = tensor.concat dim(1) {name}n, {name}a : ({H}, {H}) -> {X}\n"
        + both(f"{name}s", "mulf", f"{name}c", "%sin")
        + both(f"{name}t", "mulf", value, "%cos")
        + both(name, "addf", f"{name}t", f"{name}s")
    )


SCORES = f"""{MAPS}
func.func @main(%x: {X}, %wq: {W}, %wk: {W}, %sin: {X}, %cos: {X}) -> {S} {{
%zero = arith.constant 0.0 : f32
%e = tensor.empty() : {X}
%h = tensor.empty() : {H}
%f = linalg.fill ins(%zero : f32) outs(%e : {X}) -> {X}
%q = linalg.matmul ins(%x, %wq : {X}, {W}) outs(%f : {X}) -> {X}
%k = linalg.matmul ins(%x, %wk : {X}, {W}) outs(%f : {X}) -> {X}
{rotary("%qr", "%q")}{rotary("%kr", "%k")}
%g = tensor.empty() : {S}
%z = linalg.fill ins(%zero : f32) outs(%g : {S}) -> {S}
%s = linalg.generic {{indexing_maps = [affine_map<(i, j, d) -> (i, d)>,
  affine_map<(i, j, d) -> (j, d)>, affine_map<(i, j, d) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]}}
  ins(%qr, %kr : {X}, {X}) outs(%z : {S}) {{
^bb0(%p: f32, %r: f32, %o: f32):
  %m = arith.mulf %p, %r : f32
  %a = arith.addf %o, %m : f32
  linalg.yield %a : f32
}} -> {S}
func.return %s : {S}
}}
"""


def parse(text: str) -> ModuleOp:
    return Parser(full_context(), text).parse_module()


def layers(*, apart: bool) -> dict[str | None, int]:
    module = parse(SCORES)
    MemplanFormLayersPass(turned_apart=apart).apply(full_context(), module)
    return {op.results[0].name_hint: layer_of(op) for op in module.walk() if op.results}


def moved(memory: str, *, apart: bool) -> int:
    """Bytes that the groups move."""
    context, module = full_context(), parse(SCORES)
    for step in (
        MemplanFuseElementwisePass(chains=True),
        MemplanFormLayersPass(turned_apart=apart),
        MemplanGroupPass(memory=memory, stage="all"),
    ):
        step.apply(context, module)
    return sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))


def test_layers():
    assert has_turned_operand(parse(SCORES))
    together, apart = layers(apart=False), layers(apart=True)
    assert together["qr"] == together["kr"] == together["s"]
    assert len({apart[name] for name in ("q", "k", "qr", "kr", "s")}) == 5
    assert apart["qrc"] == apart["qrs"] == apart["qr"]


@pytest.mark.needs_mlir
@pytest.mark.parametrize("memory", ["L1=2KiB,DDR", "L1=4KiB,DDR", "L1=64KiB,DDR"])
def test_the_better_way_is_taken(memory: str, capsys: pytest.CaptureFixture[str]):
    module = parse(SCORES)
    MemplanPipelinePass(memory=memory, stage="all", summary=True).apply(full_context(), module)
    [found] = re.findall(r"@main: (\d+) bytes move", capsys.readouterr().err)
    ways = [moved(memory, apart=apart) for apart in (False, True)]
    assert int(found) == min(ways)
    assert (ways[1] < ways[0]) == (memory != "L1=64KiB,DDR")
    assert compare_modules(SCORES, str(module)).results == 1
