"""Functions that call others are split, and compute the same."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.interpreter.run import run
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_inline_calls import MemplanInlineCallsPass

BLOCK = """
func.func private @block(%x: tensor<16x8xf32>, %w: tensor<8x64xf32>, %v: tensor<64x8xf32>)
    -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %h = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x64xf32>)
      outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = func.call @relu(%h) : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %e2 = tensor.empty() : tensor<16x8xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul ins(%r, %v : tensor<16x64xf32>, tensor<64x8xf32>)
      outs(%g : tensor<16x8xf32>) -> tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}
func.func private @relu(%a: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = linalg.max ins(%a, %zero : tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%zero : tensor<16x64xf32>) -> tensor<16x64xf32>
  func.return %r : tensor<16x64xf32>
}
"""

TWO_BLOCKS = (
    """
func.func @main(%x: tensor<16x8xf32>, %w: tensor<8x64xf32>, %v: tensor<64x8xf32>)
    -> tensor<16x8xf32> {
  %y = func.call @block(%x, %w, %v)
      : (tensor<16x8xf32>, tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
  %z = func.call @block(%y, %w, %v)
      : (tensor<16x8xf32>, tensor<8x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
  func.return %z : tensor<16x8xf32>
}
"""
    + BLOCK
)


def parse(text: str) -> ModuleOp:
    module = Parser(full_context(), text).parse_module()
    module.verify()
    return module


def after(text: str, passes: str) -> ModuleOp:
    module = parse(text)
    PassPipeline.parse_spec(Universe.get_multiverse().all_passes, passes).apply(
        full_context(), module
    )
    module.verify()
    return module


def names(module: ModuleOp) -> list[str]:
    return [op.sym_name.data for op in module.walk() if isinstance(op, FuncOp)]


@pytest.mark.parametrize("options", ["stage=all", "objective=traffic", "objective=fit"])
def test_functions_with_calls_are_split(options: str):
    """Before, `stage=all` refused them, and with other options so much room was too little."""
    planned = after(TWO_BLOCKS, f'memplan-pipeline{{memory="L1=2KiB,DDR" arena=alloc {options}}}')
    assert names(planned) == ["main"]
    random = np.random.default_rng(1)
    arguments: list[object] = [
        random.standard_normal(shape).astype(np.float32) for shape in ((16, 8), (8, 64), (64, 8))
    ]
    (expected,) = run(parse(TWO_BLOCKS), arguments, "main")
    (found,) = run(planned, arguments, "main")
    np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize("options", ["", "split=never", "rewrite=false objective=peak"])
def test_calls_stay_where_nothing_is_split_or_rewritten(options: str):
    planned = after(TWO_BLOCKS, f"memplan-pipeline{{{options}}}")
    assert names(planned) == ["main", "block", "relu"]


def test_calls_without_a_body_are_named():
    text = """
    func.func private @external(tensor<64x64xf32>) -> tensor<64x64xf32>
    func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %y = func.call @external(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
      func.return %y : tensor<64x64xf32>
    }
    """
    inlined = after(text, "memplan-inline-calls")
    assert str(inlined) == str(parse(text))


def test_bodies_of_bodies_do_not_grow_without_end():
    """Each of 30 functions calls the next one twice: a thousand million operations in all."""
    text = "func.func @f0(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    for number in range(30):
        name = f"@f{number + 1}"
        text += f"""
          %a = func.call {name}(%x) : (tensor<4xf32>) -> tensor<4xf32>
          %b = func.call {name}(%a) : (tensor<4xf32>) -> tensor<4xf32>
          func.return %b : tensor<4xf32>
        }}
        func.func private {name}(%x: tensor<4xf32>) -> tensor<4xf32> {{
        """
    text += """
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }"""
    module = parse(text)
    MemplanInlineCallsPass().apply(full_context(), module)
    assert any(isinstance(op, CallOp) for op in module.walk())
    assert sum(1 for _ in module.walk()) < 200_000


def test_recursion_is_refused():
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }
    """
    with pytest.raises(PassFailedException, match="recursion between functions"):
        after(text, "memplan-inline-calls")
