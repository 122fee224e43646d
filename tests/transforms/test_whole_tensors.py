"""Whether a tensor surely needs more than the memory has: only what no order can avoid."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.parser import Parser

from tests.transforms.networks import Network
from tests.transforms.random_networks import random_network
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass
from xdsl_memplan.transforms.whole_tensors import is_surely_larger

_BYTES = 4 * 64 * 64


def _parsed(text: str):
    return Parser(full_context(), text).parse_module()


def _two_products(returned: str = "%z") -> str:
    return f"""
    func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {{
      %e = tensor.empty() : tensor<64x64xf32>
      %zero = arith.constant 0.0 : f32
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      %y = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
      %z = linalg.matmul ins(%y, %w : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
      func.return {returned} : tensor<64x64xf32>
    }}"""


def test_a_tensor_between_operations_is_larger_from_one_byte_on() -> None:
    module = _parsed(_two_products())
    assert is_surely_larger(module, _BYTES - 1)
    assert not is_surely_larger(module, _BYTES)


def test_what_is_returned_may_be_in_memory_of_the_caller() -> None:
    assert not is_surely_larger(_parsed(_two_products("%y")), 16)


@pytest.mark.parametrize("mark", ["memplan.writable", "bufferization.writable"])
def test_results_may_be_written_over_arguments(mark: str) -> None:
    x = "%x: tensor<64x64xf32>"
    module = _parsed(_two_products().replace(x, f"{x} {{{mark} = true}}"))
    assert not is_surely_larger(module, 16)


def test_a_fill_takes_no_room() -> None:
    module = _parsed(_two_products().replace("ins(%y, %w", "ins(%f, %w"))
    # Nothing reads %y now, and %f is the same everywhere.
    assert not is_surely_larger(module, 16)


def test_parts_may_lie_in_what_is_put_together() -> None:
    network = Network()
    x = network.argument(1, 8, 16, 16)
    both = network.concat(network.relu(x), network.relu(x))
    assert not is_surely_larger(_parsed(network.text(both)), 16)


# A network with operations that nobody reads, and no slices.
@example(seed=156, layers=5)
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), layers=st.integers(1, 8))
def test_what_is_planned_as_a_whole_is_not_larger(seed: int, layers: int) -> None:
    """The arena of whole operations is an oracle: no tensor surely needs more than that."""
    text = random_network(seed, layers)
    trimmed = _parsed(text)
    for rewrite in (
        MemplanGeneralizeOpsPass(),
        MemplanTrimPass(),
        MemplanFoldTransposesPass(),
        MemplanFoldReshapesPass(),
        MemplanFuseElementwisePass(),
    ):
        rewrite.apply(full_context(), trimmed)
    whole = _parsed(text)
    MemplanPipelinePass(objective="peak", split="never").apply(full_context(), whole)
    sizes = re.findall(r'sym_name = "memory", type = memref<(\d+)xi8>', str(whole))
    assert not is_surely_larger(trimmed, int(sizes[0]) if sizes else 0)
