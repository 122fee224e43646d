"""What only repeats small tensors is computed again by each reader, not kept for the last."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp

from tests.transforms.test_region_moves import parse
from xdsl_memplan.interpreter.run import run
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass

MASK = """
%m = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (b)>,
    affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
    ins(%r, %c : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64x64xi32>) {
^bb0(%p: i32, %q: i32, %o: i32):
  %s = arith.cmpi sgt, %p, %q : i32
  %t = arith.select %s, %p, %q : i32
  linalg.yield %t : i32
} -> tensor<64x64xi32>
"""

READER = """
%y{number} = linalg.generic {{indexing_maps = [affine_map<{loops} -> {read}>,
    affine_map<{loops} -> {also}>, affine_map<{loops} -> {loops}>],
    iterator_types = ["parallel", "parallel", "parallel"]}}
    ins(%m, {second} : tensor<64x64xi32>, tensor<{type}xi32>) outs(%f : tensor<2x64x64xi32>) {{
^bb0(%p: i32, %q: i32, %o: i32):
  %t = arith.subi %p, %q : i32
  linalg.yield %t : i32
}} -> tensor<2x64x64xi32>
"""


def reader(number: int, read: str, also: str | None = None) -> str:
    """A reader of the mask through one map, and of what was made before or of it once more."""
    loops = "(h, a, b)"
    if also is None:
        second, also, type_ = f"%y{number - 1}", loops, "2x64x64"
    else:
        second, type_ = "%m", "64x64"
    return READER.format(
        number=number, loops=loops, read=read, also=also, second=second, type=type_
    )


def program(*readers: str, mask: str = MASK, rest: str = "") -> str:
    last = f"%y{len(readers)}"
    return f"""
    func.func @main(%r: tensor<64xi32>, %c: tensor<64xi32>, %y0: tensor<2x64x64xi32>)
        -> tensor<2x64x64xi32> {{
    %e = tensor.empty() : tensor<64x64xi32>
    %f = tensor.empty() : tensor<2x64x64xi32>
    {mask}{"".join(readers)}{rest}
    func.return {last} : tensor<2x64x64xi32>
    }}"""


def fused(text: str, *, chains: bool = True) -> ModuleOp:
    module = parse(text)
    MemplanFuseElementwisePass(chains=chains).apply(Context(), module)
    module.verify()
    return module


def masks(module: ModuleOp) -> int:
    """Operations that make the mask and nothing else."""
    return sum(
        isinstance(op, GenericOp) and str(op.results[0].type) == "tensor<64x64xi32>"
        for op in module.walk()
    )


def results(module: ModuleOp) -> np.ndarray:
    random = np.random.default_rng(7)
    shapes = ((64,), (64,), (2, 64, 64))
    arrays = [random.integers(-1000, 1000, shape).astype(np.int32) for shape in shapes]
    [result] = run(module, arrays)
    return result


READERS = {
    "one, for each head": [reader(1, "(a, b)")],
    "two": [reader(1, "(a, b)"), reader(2, "(a, b)")],
    "transposed": [reader(1, "(b, a)"), reader(2, "(a, b)")],
    "through two maps": [reader(1, "(a, b)", "(b, a)")],
    "twice the same": [reader(1, "(a, b)", "(a, b)")],
    "a row of it": [reader(1, "(0, b)"), reader(2, "(a, 0)")],
    "its diagonal": [reader(1, "(a, a)")],
}


@pytest.mark.parametrize("readers", READERS.values(), ids=READERS)
def test_each_reader_computes_it_again(readers: list[str]):
    text = program(*readers)
    module = fused(text)
    assert masks(module) == 0
    assert results(module).tobytes() == results(parse(text)).tobytes()


def test_it_is_kept_without_chains():
    assert masks(fused(program(*READERS["two"]), chains=False)) == 1


LARGE = MASK.replace("(a, b) -> (a)>", "(a, b) -> (a, b)>").replace(
    "%r, %c : tensor<64xi32>", "%e, %c : tensor<64x64xi32>"
)
DIVIDES = MASK.replace("arith.select %s, %p, %q", "arith.divsi %p, %q")
LONG = MASK.replace(
    "%t = arith.select",
    "\n".join(f"%t{i} = arith.addi %p, %q : i32" for i in range(4)) + "\n%t = arith.select",
)
SUM = """
%g = tensor.empty() : tensor<64xi32>
%k = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%m : tensor<64x64xi32>) outs(%g : tensor<64xi32>) {
^bb0(%p: i32, %o: i32):
  %t = arith.addi %p, %o : i32
  linalg.yield %t : i32
} -> tensor<64xi32>
"""


@pytest.mark.parametrize(
    "text",
    [
        program(*READERS["two"], mask=LARGE),
        program(*READERS["two"], mask=DIVIDES),
        program(*READERS["two"], mask=LONG),
        program(*READERS["two"], rest=SUM),
    ],
    ids=["reads a large tensor", "divides", "long", "is read by a sum"],
)
def test_it_is_kept(text: str):
    assert masks(fused(text)) == 1
