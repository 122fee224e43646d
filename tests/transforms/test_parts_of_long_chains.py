"""Long chains of which only a part is read at the end, as the last step of a causal network."""

import pytest
from xdsl.parser import Parser

from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

COLUMNS, FEATURES = 512, 4
LAYERS = 12
KEPT = 1 + 2 * LAYERS
"""Columns of the input that the last column of the result depends on."""


def chain() -> str:
    """Convolutions one after another; of the last one a single column is kept."""
    weights = f"tensor<{FEATURES}x{FEATURES}x3xf32>"
    lines: list[str] = []
    for layer in range(LAYERS):
        shape = f"tensor<1x{FEATURES}x{COLUMNS - 2 * layer - 2}xf32>"
        old = f"tensor<1x{FEATURES}x{COLUMNS - 2 * layer}xf32>"
        lines.append(
            f"%e{layer} = tensor.empty() : {shape}\n"
            f"%f{layer} = linalg.fill ins(%zero : f32) outs(%e{layer} : {shape}) -> {shape}\n"
            f"%x{layer + 1} = linalg.conv_1d_ncw_fcw ins(%x{layer}, %w{layer} : {old}, {weights}) "
            f"outs(%f{layer} : {shape}) -> {shape}"
        )
    last = COLUMNS - 2 * LAYERS
    arguments = ", ".join(f"%w{layer}: {weights}" for layer in range(LAYERS))
    body = "\n".join(lines)
    return f"""
func.func @main(%x0: tensor<1x{FEATURES}x{COLUMNS}xf32>, {arguments})
  -> tensor<1x{FEATURES}x1xf32> {{
%zero = arith.constant 0.0 : f32
{body}
%y = tensor.extract_slice %x{LAYERS}[0, 0, {last - 1}] [1, {FEATURES}, 1] [1, 1, 1]
  : tensor<1x{FEATURES}x{last}xf32> to tensor<1x{FEATURES}x1xf32>
%o = tensor.empty() : tensor<1x{FEATURES}x1xf32>
%r = linalg.exp ins(%y : tensor<1x{FEATURES}x1xf32>) outs(%o : tensor<1x{FEATURES}x1xf32>)
  -> tensor<1x{FEATURES}x1xf32>
return %r : tensor<1x{FEATURES}x1xf32>
}}
"""


@pytest.mark.parametrize("capacity", ["8KiB", "16KiB", "64KiB", "1MiB"])
def test_only_what_the_end_needs_is_fetched(capacity: str):
    context = full_context()
    module = Parser(context, chain()).parse_module()
    MemplanFormLayersPass().apply(context, module)
    MemplanGroupPass(memory=f"L1={capacity},DDR", stage="all").apply(context, module)
    moved = sum(op.cost.cost.traffic for op in module.walk() if isinstance(op, GroupOp))
    weights = LAYERS * FEATURES * FEATURES * 3
    assert moved == 4 * (FEATURES * KEPT + weights + FEATURES)
