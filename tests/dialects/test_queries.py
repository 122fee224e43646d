"""What xDSL's own operations, and those of an embedder, answer to memory planning."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import MemRefType, TensorType, f32
from xdsl.ir import Attribute, Operation, OpTraits
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.traits import Pure

from xdsl_memplan.dialects.interface_models import FixedAccess, NoAccess, ViewOf
from xdsl_memplan.dialects.interfaces import Access, AliasingTrait, Tie, attach
from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.queries import aliases_of, destinations_of, effects_of, storage_of
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.native.context import full_context

N, R, W, RW = Access.NONE, Access.READ, Access.WRITE, Access.READ_WRITE

SHORT_TYPES = {
    "!t": "tensor<4x4xf32>",
    "!v": "tensor<4xf32>",
    "!m": "memref<4x4xf32>",
    "!o": "memref<4xf32>",
}

PRELUDE = """
%i = arith.constant 0 : index
%f = arith.constant 0.0 : f32
%t, %u, %v = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>)
%m, %n, %o = "test.op"() : () -> (memref<4x4xf32>, memref<4x4xf32>, memref<4xf32>)
%bytes = "test.op"() : () -> memref<64xi8>
"""

GENERIC = """
linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> MAP>],
    iterator_types = ["parallel", "parallel"]} ins(%t : !t) outs(%u : !t) {
^bb0(%in: f32, %out: f32):
  %r = arith.addf IN, OUT : f32
  linalg.yield %r : f32
} -> !t
"""


def generic(element_in: str = "%in", element_out: str = "%out", map: str = "(i, j)") -> str:
    text = GENERIC.replace("IN", element_in).replace("OUT", element_out)
    return text.replace("MAP", map).strip()


@pytest.fixture(scope="module")
def context() -> Context:
    return full_context()


def last_op(context: Context, text: str) -> Operation:
    for short, type in SHORT_TYPES.items():
        text = text.replace(short, type)
    module = Parser(context, PRELUDE + text).parse_module()
    op = module.body.block.last_op
    assert op is not None
    return op


@pytest.mark.parametrize(
    ("text", "operands", "results"),
    [
        ("tensor.empty() : !v", [], [N]),
        ("arith.constant dense<1.0> : !v", [], [N]),
        ("arith.addf %t, %u : !t", [R, R], [W]),
        ("arith.addi %i, %i : index", [N, N], [N]),
        ("tensor.splat %f : !v", [N], [W]),
        ("tensor.extract %t[%i, %i] : !t", [R, N, N], [N]),
        ("tensor.insert %f into %t[%i, %i] : !t", [N, R, N, N], [W]),
        ("tensor.dim %t, %i : !t", [N, N], [N]),
        ("tensor.concat dim(0) %t, %u : (!t, !t) -> tensor<8x4xf32>", [R, R], [W]),
        ("tensor.collapse_shape %t [[0, 1]] : !t into tensor<16xf32>", [N], [N]),
        ("memref.load %m[%i, %i] : !m", [R, N, N], [N]),
        ("memref.store %f, %m[%i, %i] : !m", [N, W, N, N], []),
        ('"memref.copy"(%m, %n) : (!m, !m) -> ()', [R, W], []),
        ("memref.dealloc %m : !m", [N], []),
        ("memref.alloc() : !o", [], [N]),
        ("linalg.fill ins(%f : f32) outs(%t : !t) -> !t", [N, N], [W]),
        ("linalg.fill ins(%f : f32) outs(%m : !m)", [N, W], []),
        ("linalg.matmul ins(%t, %u : !t, !t) outs(%t : !t) -> !t", [R, R, R], [W]),
        ("linalg.matmul ins(%m, %n : !m, !m) outs(%m : !m)", [R, R, RW], []),
        ("linalg.transpose ins(%t : !t) outs(%u : !t) permutation = [1, 0]", [R, N], [W]),
        ("linalg.broadcast ins(%v : !v) outs(%u : !t) dimensions = [0]", [R, N], [W]),
        ("linalg.reduce { arith.addf } ins(%t : !t) outs(%v : !v) dimensions = [0]", [R, R], [W]),
        ("linalg.reduce { arith.addf } ins(%m : !m) outs(%o : !o) dimensions = [0]", [R, RW], []),
        # The body uses both elements, only the input, only the output.
        (generic(), [R, R], [W]),
        (generic(element_out="%in"), [R, N], [W]),
        (generic(element_in="%out"), [N, R], [W]),
        # Only the diagonal is written: the rest of the old contents shows in the result.
        (generic(element_out="%in", map="(i, i)"), [R, R], [W]),
        ("func.call @f(%t, %m, %i) : (!t, !m, index) -> !v", [R, RW, N], [W]),
    ],
)  # fmt: skip
def test_effects(context: Context, text: str, operands: list[Access], results: list[Access]):
    effects = effects_of(last_op(context, text))
    assert effects is not None
    assert list(effects.operands) == operands
    assert list(effects.results) == results
    assert effects.takes_time == (R in operands or W in [*operands, *results] or RW in operands)


@pytest.mark.parametrize(
    "text",
    [
        '"test.op"(%t) : (!t) -> ()',
        '"test.op"(%m) : (!m) -> ()',
        '"test.pureop"(%m) : (!m) -> ()',
        '"memref.extract_aligned_pointer_as_index"(%m) : (!m) -> index',
    ],
)
def test_unknown_effects(context: Context, text: str):
    assert effects_of(last_op(context, text)) is None


def test_pure_operations_on_tensors_are_understood(context: Context):
    effects = effects_of(last_op(context, '"test.pureop"(%t, %i) : (!t, index) -> !v'))
    assert effects == ((R, N), (W,))


@pytest.mark.parametrize(
    ("text", "ties"),
    [
        ("memref.subview %m[0, 0] [4, 4] [1, 1] : !m to !m", [(0, 0)]),
        ("memref.collapse_shape %m [[0, 1]] : !m into memref<16xf32>", [(0, 0)]),
        ("memref.view %bytes[%i][] : memref<64xi8> to !m", [(0, 0)]),
        ('"memref.cast"(%m) : (!m) -> memref<?x4xf32>', [(0, 0)]),
        ("tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : !t to tensor<2x2xf32>", [(0, 0)]),
        ("bufferization.to_tensor %m : !m to !t", [(0, 0)]),
        ("builtin.unrealized_conversion_cast %i, %m : index, !m to !o", [(0, 0), (0, 1)]),
        ("func.call @f(%t, %m) : (!t, !m) -> (!v, !o)", [(1, 1)]),
        ("arith.addf %t, %u : !t", []),
    ],
)  # fmt: skip
def test_aliases(context: Context, text: str, ties: list[tuple[int, int]]):
    assert list(aliases_of(last_op(context, text))) == ties


@pytest.mark.parametrize(
    ("text", "ties"),
    [
        ("linalg.fill ins(%f : f32) outs(%t : !t) -> !t", [(0, 1)]),
        ("linalg.fill ins(%f : f32) outs(%m : !m)", []),
        ("linalg.tanh ins(%t : !t) outs(%u : !t) -> !t", [(0, 1)]),
        ("linalg.broadcast ins(%v : !v) outs(%u : !t) dimensions = [0]", [(0, 1)]),
        ("tensor.insert %f into %t[%i, %i] : !t", [(0, 1)]),
        ("tensor.insert_slice %v into %t[0, 0] [1, 4] [1, 1] : !v into !t", [(0, 1)]),
        ("arith.addf %t, %u : !t", []),
    ],
)  # fmt: skip
def test_destinations(context: Context, text: str, ties: list[tuple[int, int]]):
    assert list(destinations_of(last_op(context, text))) == ties


def test_memref_alloc_is_storage(context: Context):
    op = last_op(context, 'memref.alloc() {alignment = 32 : i64} : memref<4x4xf32, "L1">')
    storage = storage_of(op)
    assert storage is not None
    assert storage.size_bytes(op) == 64
    assert storage.alignment(op) == 32
    assert str(storage.memory_space(op)) == '"L1"'
    assert storage.get_lifetime(op) is None
    assert storage.get_offset(op) is None
    storage.set_lifetime(op, Lifetime(2, 5))
    storage.set_offset(op, 96)
    assert storage.get_lifetime(op) == (2, 5)
    assert storage.get_offset(op) == 96
    assert "#memplan.lifetime<2 : i64, 5 : i64>" in str(op)


def test_memref_alloc_of_dynamic_size(context: Context):
    op = last_op(context, "memref.alloc(%i) : memref<?xf32>")
    storage = storage_of(op)
    assert storage is not None
    assert storage.size_bytes(op) is None
    assert storage.alignment(op) is None
    assert storage.memory_space(op) is None


def test_memplan_buffer_is_storage():
    op = BufferOp("L2", MemRefType(f32, [16]), size=64, alignment=32)
    storage = storage_of(op)
    assert storage is not None
    assert storage.storage(op) is op.memref
    assert (storage.size_bytes(op), storage.alignment(op)) == (64, 32)
    storage.set_lifetime(op, Lifetime(2, 5))
    storage.set_offset(op, 96)
    assert storage.get_lifetime(op) == (2, 5)
    assert storage.get_offset(op) == 96
    assert effects_of(op) == ((), (N,))


class FromOneParent(IRDLOperation):
    source = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(Pure())


@irdl_op_definition
class FirstOp(FromOneParent):
    name = "embedder.first"


@irdl_op_definition
class SecondOp(FromOneParent):
    name = "embedder.second"


def test_attach_leaves_siblings_alone():
    """Two classes that inherit their traits share one set in xDSL."""
    assert FirstOp.traits is SecondOp.traits
    attach(FirstOp, ViewOf(), NoAccess())
    type = MemRefType(f32, [4])
    source = test_dialect.TestOp(result_types=[type]).results[0]
    first = FirstOp(operands=[source], result_types=[type])
    second = SecondOp(operands=[source], result_types=[type])
    assert list(aliases_of(first)) == [(0, 0)]
    assert effects_of(first) == ((N,), (N,))
    assert first.has_trait(Pure)
    assert list(aliases_of(second)) == []
    assert effects_of(second) is None


@dataclass(frozen=True)
class AliasesNothing(AliasingTrait):
    def aliases(self, op: Operation) -> Sequence[Tie]:
        return ()


def test_attach_replaces_the_model_of_a_stock_operation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memref.CastOp, "traits", OpTraits(lambda t=tuple(memref.CastOp.traits): t))
    type: Attribute = MemRefType(f32, [4])
    cast = memref.CastOp.get(
        test_dialect.TestOp(result_types=[type]).results[0], MemRefType(f32, [-1])
    )
    attach(memref.CastOp, AliasesNothing(), replace=False)
    assert list(aliases_of(cast)) == [(0, 0)]
    attach(memref.CastOp, AliasesNothing())
    assert list(aliases_of(cast)) == []
    attach(memref.CastOp, FixedAccess((R,)))
    assert effects_of(cast) == ((R,), (N,))


def test_add_trait_of_xdsl_works_too():
    @irdl_op_definition
    class OwnOp(IRDLOperation):
        name = "embedder.own"
        source = operand_def(TensorType)
        result = result_def(TensorType)

    OwnOp.traits.add_trait(ViewOf())
    type = TensorType(f32, [4])
    op = OwnOp(operands=[test_dialect.TestOp(result_types=[type]).results[0]], result_types=[type])
    assert list(aliases_of(op)) == [(0, 0)]
