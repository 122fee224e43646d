import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from tests.transforms.random_tensor_programs import random_program
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import RetrieveOp, SpillOp
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

V, W = "tensor<128xf32>", "tensor<128x128xf32>"


def product(result: str, left: str) -> str:
    return f"  {result} = linalg.vecmat ins({left}, %w : {V}, {W}) outs(%z : {V}) -> {V}\n"


def difference(result: str, left: str, right: str) -> str:
    return f"  {result} = linalg.sub ins({left}, {right} : {V}, {V}) outs(%e : {V}) -> {V}\n"


# Three vectors have room; %p, %q and %r, or %s, %t and %u in their places, take it, and %o waits.
TEXT = (
    f"func.func @main(%x: {V}, %w: {W}) -> {V} {{\n  %e = tensor.empty() : {V}\n"
    f"  %c = arith.constant 0.0 : f32\n"
    f"  %z = linalg.fill ins(%c : f32) outs(%e : {V}) -> {V}\n"
    + product("%o", "%x")
    + product("%p", "%o")
    + product("%q", "%p")
    + product("%r", "%q")
    + difference("%s", "%q", "%r")
    + product("%t", "%s")
    + difference("%u", "%p", "%t")
    + difference("%v", "%o", "%u")
    + f"  func.return %v : {V}\n}}\n"
)
MEMORY = "L1=1536,DDR"


def parse(text: str) -> tuple[Context, ModuleOp]:
    context = full_context()
    return context, Parser(context, text).parse_module()


def count(module: ModuleOp, kind: type[SpillOp | RetrieveOp]) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def test_one_tensor_goes_out_and_comes_back():
    context, module = parse(TEXT)
    MemplanSchedulePass(objective="traffic", memory=MEMORY).apply(context, module)
    module.verify()
    # %o goes out, and the result; %o comes back.
    assert (count(module, SpillOp), count(module, RetrieveOp)) == (2, 1)


def test_nothing_moves_where_all_fits():
    context, module = parse(TEXT)
    MemplanSchedulePass(objective="traffic", memory="L1=1MiB,DDR").apply(context, module)
    assert count(module, RetrieveOp) == 0


@pytest.mark.needs_mlir
@pytest.mark.parametrize("objective", ["peak", "traffic", "fit"])
def test_the_planned_program_computes_the_same(objective: str):
    context, module = parse(TEXT)
    memory = "" if objective == "peak" else MEMORY
    MemplanPipelinePass(objective=objective, memory=memory).apply(context, module)
    compare_modules(TEXT, str(module))


@pytest.mark.parametrize("seed", range(40))
def test_the_order_of_a_file_is_never_better(seed: int):
    needed: list[int] = []
    for objective in ("none", "fit"):
        context, module = parse(random_program(seed).text)
        *stages, _ = MemplanPipelinePass(objective=objective, rewrite=False).passes()
        for stage in stages:
            stage.apply(context, module)
        needed.append(sum(op.size.value.data for op in module.ops if isinstance(op, ArenaOp)))
    assert needed[1] <= needed[0]


@pytest.mark.parametrize(
    ("argument", "whole"),
    [
        ("%rest: tensor<128xf32>", ""),
        ("%n: index", "%rest = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>"),
    ],
)
def test_what_goes_into_a_copy_is_beside_it(argument: str, whole: str):
    """An argument or a constant is copied where something is inserted, and is no place before."""
    size = 2 if whole else 128
    half, full = f"tensor<{size // 2}xf32>", f"tensor<{size}xf32>"
    text = f"""
    func.func @main(%x: {half}, {argument}) -> {full} {{
      {whole}
      %e = tensor.empty() : {half}
      %y = linalg.exp ins(%x : {half}) outs(%e : {half}) -> {half}
      %r = tensor.insert_slice %y into %rest[0] [{size // 2}] [1] : {half} into {full}
      %f = tensor.empty() : {full}
      %z = linalg.exp ins(%r : {full}) outs(%f : {full}) -> {full}
      func.return %z : {full}
    }}"""
    context, module = parse(text)
    memory = f"L1={6 * size - 1}:align=1,DDR"
    with pytest.raises(PassFailedException, match=rf"reads and makes {6 * size} bytes \(M_R\)"):
        MemplanSchedulePass(objective="traffic", memory=memory).apply(context, module)
    memory = f"L1={6 * size}:align=1,DDR"
    MemplanSchedulePass(objective="traffic", memory=memory).apply(context, module)
