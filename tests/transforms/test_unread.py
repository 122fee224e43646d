"""What nobody reads takes no room and moves no bytes."""

import pytest
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from tests.transforms.tangled_programs import tangled_program
from tests.transforms.test_tangled_programs import check_computes_the_same
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.bufferize.unread import drop_unread
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

# One buffer is enough for each, as the last operation reads arguments only.
UNREAD_DESTINATION = """
func.func @main(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.add ins(%x, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    -> tensor<4xf32>
  %y = linalg.sub ins(%s, %x : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>)
    -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
WHOLE_INSERTION = """
func.func @main(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = tensor.insert_slice %a into %x[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  %y = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
UNUSED_CHAIN = """
func.func @main(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.negf ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.sub ins(%a, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    -> tensor<4xf32>
  %c = bufferization.alloc_tensor() copy(%b) : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
UNUSED_COPY = """
func.func @main(%n: index, %x: tensor<4xf32>, %w: tensor<16xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %c = bufferization.alloc_tensor() copy(%w) : tensor<16xf32>
  %y = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
READ_DESTINATION = """
func.func @main(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %r = arith.subf %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
# xDSL does not say of arith.extsi that it has no effect.
UNUSED_WINDOW = """
func.func @main(%n: index, %x: tensor<4xf32>, %z: tensor<9xi8>) -> tensor<4xf32> {
  %i = tensor.empty() : tensor<3xi8>
  %c = arith.constant 0 : i32
  %s = tensor.empty() : tensor<7xi32>
  %f = linalg.fill ins(%c : i32) outs(%s : tensor<7xi32>) -> tensor<7xi32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>,
    affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%z, %i : tensor<9xi8>, tensor<3xi8>) outs(%f : tensor<7xi32>) {
  ^bb0(%p: i8, %q: i8, %r: i32):
    %w = arith.extsi %p : i8 to i32
    %m = arith.addi %r, %w : i32
    linalg.yield %m : i32
  } -> tensor<7xi32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.negf ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
# Nothing but the result that nobody reads tells that the window has three elements.
WINDOW_OF_AN_UNREAD_RESULT = """
func.func @main(%n: index, %x: tensor<4x9xf32>, %u: tensor<4x3x3xf32>, %z: tensor<4x3xf32>)
    -> tensor<4x3xf32> {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(n, i, k) -> (n, i * 3 + k)>,
    affine_map<(n, i, k) -> (n, i, k)>, affine_map<(n, i, k) -> (n, i)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<4x9xf32>) outs(%u, %z : tensor<4x3x3xf32>, tensor<4x3xf32>) {
  ^bb0(%a: f32, %o: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %a, %t : f32, f32
  } -> (tensor<4x3x3xf32>, tensor<4x3xf32>)
  func.return %y#1 : tensor<4x3xf32>
}
"""
# The window has the shape of %a, and none of its elements is read.
ONLY_A_SHAPE = """
func.func @main(%n: index, %x: tensor<32x4xf32>, %z: tensor<32x4xf32>, %s: tensor<4xf32>)
    -> tensor<4xf32> {
  %e = tensor.empty() : tensor<32x4xf32>
  %a = linalg.abs ins(%x : tensor<32x4xf32>) outs(%e : tensor<32x4xf32>) -> tensor<32x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k, i)>,
    affine_map<(k, i) -> (k, i)>, affine_map<(k, i) -> (i)>],
    iterator_types = ["reduction", "parallel"]}
    ins(%z, %a : tensor<32x4xf32>, tensor<32x4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %t = arith.addf %r, %p : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
# The last operation uses elements of %a, for a scalar that it does not hand on.
USED_IN_VAIN = """
func.func @main(%n: index, %x: tensor<17xf32>, %z: tensor<17x3xf32>, %s: tensor<3xf32>)
    -> tensor<3xf32> {
  %e = tensor.empty() : tensor<17xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>],
    iterator_types = ["parallel"]} ins(%x : tensor<17xf32>) outs(%e : tensor<17xf32>) {
  ^bb0(%p: f32, %q: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %m = arith.mulf %p, %f : f32
    linalg.yield %m : f32
  } -> tensor<17xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k)>,
    affine_map<(k, i) -> (k, i)>, affine_map<(k, i) -> (i)>],
    iterator_types = ["reduction", "parallel"]}
    ins(%a, %z : tensor<17xf32>, tensor<17x3xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %v = arith.addf %p, %q : f32
    %t = arith.addf %r, %q : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
"""
UNUSED_CALL = """
func.func private @log(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @main(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @log(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %x : tensor<4xf32>
}
"""


def _parsed(text: str) -> tuple[ModuleOp, FuncOp]:
    module = Parser(full_context(), text).parse_module()
    function = module.body.block.last_op
    assert isinstance(function, FuncOp)
    return module, function


@pytest.mark.parametrize(
    "text", [UNREAD_DESTINATION, WHOLE_INSERTION, UNUSED_CHAIN, UNUSED_COPY, UNUSED_WINDOW]
)
@pytest.mark.parametrize("objective", ["fit", "traffic"])
def test_it_takes_no_room(text: str, objective: str):
    stage = MemplanPipelinePass(
        objective=objective, split="never", memory="L1=16:align=4,DDR:align=4", arena="alloc"
    )
    check_computes_the_same(text, stages=[stage])


@pytest.mark.parametrize("text", [READ_DESTINATION, UNUSED_CALL])
def test_what_is_needed_stays(text: str):
    module, function = _parsed(text)
    before = str(module)
    drop_unread(function)
    assert str(module) == before


@pytest.mark.parametrize("rewrite", [True, False])
def test_a_result_stays_that_alone_tells_the_length_of_a_loop(rewrite: bool):
    stage = MemplanPipelinePass(rewrite=rewrite, arena="alloc")
    check_computes_the_same(WINDOW_OF_AN_UNREAD_RESULT, stages=[stage])


@pytest.mark.parametrize("rewrite", [True, False])
def test_what_gives_only_its_shape_is_not_computed(rewrite: bool):
    _, function = _parsed(ONLY_A_SHAPE)
    drop_unread(function)
    assert not any(op.name == "linalg.abs" for op in function.body.block.ops)
    memory = "L1=64:align=4,DDR:align=4"
    stage = MemplanPipelinePass(stage="all", rewrite=rewrite, memory=memory, arena="alloc")
    check_computes_the_same(ONLY_A_SHAPE, stages=[stage])


@pytest.mark.parametrize("rewrite", [True, False])
def test_what_is_used_in_vain_is_not_computed(rewrite: bool):
    memory = "L1=32:align=4,DDR:align=4"
    stage = MemplanPipelinePass(stage="all", rewrite=rewrite, memory=memory, arena="alloc")
    check_computes_the_same(USED_IN_VAIN, stages=[stage])


def test_what_is_dropped_is_all_that_is_not_needed():
    _, function = _parsed(UNUSED_CHAIN)
    drop_unread(function)
    names = [op.name for op in function.body.block.ops]
    assert names == ["tensor.empty", "linalg.abs", "linalg.negf", "func.return"]
    _, function = _parsed(UNREAD_DESTINATION)
    drop_unread(function)
    sub = next(op for op in function.body.block.ops if op.name == "linalg.sub")
    assert isinstance(sub.operands[2].owner, tensor.EmptyOp)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_compute_the_same(seed: int):
    text = tangled_program(seed, control_flow=False)
    module, function = _parsed(text)
    drop_unread(function)
    module.verify()
    unlimited = [MemplanPipelinePass(split="never", rewrite=False, arena="alloc")]
    one = check_computes_the_same(text, seed, unlimited)
    assert str(check_computes_the_same(str(module), seed, unlimited)) == str(one)
