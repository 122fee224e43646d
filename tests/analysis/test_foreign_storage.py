"""Storage that is no memref, and addresses on all ways that IR knows: nothing is overlooked.

Regression: an operation with `BufferLikeTrait` whose result is a pointer had an empty lifetime, and
every buffer got offset 0.
"""

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, cf, func, llvm, memref, scf, test
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation, OpTraits
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.interface_models import FixedAccess, NoAccess, ViewOf
from xdsl_memplan.dialects.interfaces import (
    Access,
    AliasingTrait,
    BufferLikeTrait,
    Effects,
    ReadsWritesTrait,
    Tie,
    attach,
)
from xdsl_memplan.dialects.memplan import ARENA
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass


@dataclass(frozen=True)
class Allocates(BufferLikeTrait):
    """64 bytes, whatever the type of the result."""

    def size_bytes(self, op: Operation) -> int:
        return 64

    def alignment(self, op: Operation) -> int:
        return 64

    def memory_space(self, op: Operation) -> Attribute | None:
        return None

    def get_lifetime(self, op: Operation) -> Lifetime | None:
        return None

    def set_lifetime(self, op: Operation, lifetime: Lifetime) -> None:
        op.attributes["lives"] = StringAttr(f"{lifetime.start}-{lifetime.end}")

    def get_offset(self, op: Operation) -> int | None:
        at = op.attributes.get("at")
        return at.value.data if isinstance(at, IntegerAttr) else None

    def set_offset(self, op: Operation, offset: int) -> None:
        op.attributes["at"] = IntegerAttr(offset, i64)


@irdl_op_definition
class ForeignView(IRDLOperation):
    name = "foreign.view"
    source = operand_def()
    result = result_def()


@pytest.fixture(autouse=True)
def context(monkeypatch: pytest.MonkeyPatch) -> Context:
    for op_class in (test.TestPureOp, ForeignView):
        kept = tuple(op_class.traits)
        monkeypatch.setattr(op_class, "traits", OpTraits(lambda t=kept: t))
    attach(test.TestPureOp, Allocates(), NoAccess())
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, func.Func, memref.MemRef, llvm.LLVM, test.Test, scf.Scf):
        context.load_dialect(dialect)
    for dialect in (arith.Arith, cf.Cf):
        context.load_dialect(dialect)
    context.load_op(ForeignView)
    return context


def planned(context: Context, text: str) -> list[tuple[str, int]]:
    """Plan, verify, and give lifetime and offset of each storage in the order of the file."""
    module = Parser(context, text).parse_module()
    MemplanAssignOffsetsPass().apply(context, module)
    for op in module.walk():
        if isinstance(op, test.TestPureOp):
            assert ARENA in op.attributes
    MemplanVerifyPass().apply(context, module)
    return [
        (op.attributes["lives"].data, op.attributes["at"].value.data)
        for op in module.walk()
        if isinstance(op, test.TestPureOp)
    ]


ALLOC = '"test.pureop"() : () -> !llvm.ptr'
USES = {
    "cast to memref": """
  %a = builtin.unrealized_conversion_cast %0 : !llvm.ptr to memref<16xi32>
  %b = builtin.unrealized_conversion_cast %1 : !llvm.ptr to memref<16xi32>
  "memref.copy"(%a, %b) : (memref<16xi32>, memref<16xi32>) -> ()""",
    "used as it is": """
  "test.op"(%0, %1) : (!llvm.ptr, !llvm.ptr) -> ()""",
    "conditional": """
  %p = scf.if %c -> (!llvm.ptr) {
    scf.yield %0 : !llvm.ptr
  } else {
    scf.yield %1 : !llvm.ptr
  }
  "test.op"(%p) : (!llvm.ptr) -> ()""",
    "loop": """
  %p, %q = scf.for %i = %i0 to %i0 step %i0 iter_args(%x = %0, %y = %1) -> (!llvm.ptr, !llvm.ptr) {
    "test.op"(%x) : (!llvm.ptr) -> ()
    scf.yield %y, %x : !llvm.ptr, !llvm.ptr
  }""",
    "loop that carries a number": """
  %p = scf.for %i = %i0 to %i0 step %i0 iter_args(%x = %i0) -> (index) {
    %d = "memref.load"(%t, %x) : (memref<?xi32>, index) -> i32
    "test.op"(%x) : (index) -> ()
    %m = builtin.unrealized_conversion_cast %0 : !llvm.ptr to index
    scf.yield %m : index
  }
  "test.op"(%p, %1) : (index, !llvm.ptr) -> ()
  "test.op"(%p, %1) : (index, !llvm.ptr) -> ()""",
    "number": """
  %a = builtin.unrealized_conversion_cast %0 : !llvm.ptr to index
  %b = builtin.unrealized_conversion_cast %1 : !llvm.ptr to index
  %s = arith.addi %a, %i0 : index
  func.call @transfer(%s, %b) : (index, index) -> ()""",
    "call of a function": """
  %a = func.call @same(%0) : (!llvm.ptr) -> !llvm.ptr
  "test.op"(%a, %1) : (!llvm.ptr, !llvm.ptr) -> ()""",
    "call of a declaration": """
  %a = func.call @somewhere(%0) : (!llvm.ptr) -> !llvm.ptr
  "test.op"(%a, %1) : (!llvm.ptr, !llvm.ptr) -> ()""",
    "region": """
  "test.op"(%0) ({
  ^bb0(%x: !llvm.ptr):
    "test.op"(%x, %1) : (!llvm.ptr, !llvm.ptr) -> ()
  }) : (!llvm.ptr) -> ()""",
    "branches in a region": """
  "test.op"() ({
    cf.br ^bb1(%0 : !llvm.ptr)
  ^bb1(%p: !llvm.ptr):
    "test.op"(%p, %1) : (!llvm.ptr, !llvm.ptr) -> ()
  }) : () -> ()""",
    "described without an AliasingTrait": """
  %a = "foreign.view"(%0) : (!llvm.ptr) -> !llvm.ptr
  "test.op"(%1) : (!llvm.ptr) -> ()
  "test.op"(%a, %1) : (!llvm.ptr, !llvm.ptr) -> ()""",
}


@pytest.mark.parametrize("use", USES)
def test_storage_that_is_no_memref_is_tracked(context: Context, use: str):
    attach(ForeignView, NoAccess())
    text = f"""
func.func @f(%c: i1, %i0: index, %t: memref<?xi32>) {{
  %0 = {ALLOC}
  %1 = {ALLOC}{USES[use]}
  func.return
}}
func.func @same(%p: !llvm.ptr) -> !llvm.ptr {{
  func.return %p : !llvm.ptr
}}
func.func private @somewhere(!llvm.ptr) -> !llvm.ptr
func.func private @transfer(index, index)
"""
    (life0, at0), (life1, at1) = planned(context, text)
    for life in (life0, life1):
        start, _, end = life.partition("-")
        assert int(start) < int(end), f"lifetimes {life0} and {life1}"
    assert abs(at0 - at1) >= 64


def test_disjoint_pointers_share(context: Context):
    text = f"""
func.func @f() {{
  %0 = {ALLOC}
  "test.op"(%0) : (!llvm.ptr) -> ()
  %1 = {ALLOC}
  "test.op"(%1) : (!llvm.ptr) -> ()
  func.return
}}"""
    assert planned(context, text) == [("0-1", 0), ("1-2", 0)]


def test_address_that_a_callee_returns_of_its_own_buffer(context: Context):
    text = f"""
func.func @make() -> !llvm.ptr {{
  %0 = {ALLOC}
  "test.op"(%0) : (!llvm.ptr) -> ()
  func.return %0 : !llvm.ptr
}}
func.func @f() {{
  %p = func.call @make() : () -> !llvm.ptr
  %1 = {ALLOC}
  "test.op"(%1, %p) : (!llvm.ptr, !llvm.ptr) -> ()
  func.return
}}"""
    (_, made), (_, other) = planned(context, text)
    assert abs(made - other) >= 64


@dataclass(frozen=True)
class TiesNothing(AliasingTrait):
    def aliases(self, op: Operation) -> tuple[Tie, ...]:
        return ()


@dataclass(frozen=True)
class TiesTooMuch(AliasingTrait):
    def aliases(self, op: Operation) -> tuple[Tie, ...]:
        return (Tie(0, 3),)


@dataclass(frozen=True)
class TellsTooLittle(ReadsWritesTrait):
    def effects(self, op: Operation) -> Effects:
        return Effects((), ())


VIEWED = f"""
func.func @f() {{
  %0 = {ALLOC}
  %a = "foreign.view"(%0) : (!llvm.ptr) -> !llvm.ptr
  "test.op"(%a) : (!llvm.ptr) -> ()
  func.return
}}"""


@pytest.mark.parametrize(
    ("traits", "message"),
    [
        ((TiesNothing(), NoAccess()), r"operation 1 of @f\): is used by 'test.op'.*AliasingTrait"),
        ((TiesTooMuch(), NoAccess()), r"'%a = foreign.view' .*ties result 0 to operand 3"),
        ((ViewOf(), TellsTooLittle()), r"'%a = foreign.view' .*tells of 0 operands and 0 results"),
    ],
)
def test_a_trait_that_cannot_be_true_is_refused(
    context: Context, traits: tuple[AliasingTrait, ReadsWritesTrait], message: str
):
    attach(ForeignView, *traits)
    with pytest.raises(PassFailedException, match=message):
        planned(context, VIEWED)


def test_storage_that_is_only_looked_at_needs_no_time(context: Context):
    attach(ForeignView, FixedAccess((Access.NONE,)), TiesNothing())
    text = f"""
func.func @f() {{
  %0 = {ALLOC}
  %a = "foreign.view"(%0) : (!llvm.ptr) -> index
  "test.op"(%a) : (index) -> ()
  func.return
}}"""
    assert planned(context, text) == [("0-0", 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"""
builtin.module {{
  builtin.module {{
    func.func @f() {{
      %0 = {ALLOC}
      func.return
    }}
  }}
}}""", "is in no function that is planned"),
        (f"""
"foreign.func"() <{{sym_name = "f"}}> ({{
  %0 = {ALLOC}
}}) : () -> ()""", "is in no function that is planned"),
        (f"""
func.func @f() {{
  %0 = {ALLOC}
  "test.op"(%0) : (!llvm.ptr) -> ()
  func.return
}}
func.func @g() {{
  %0 = {ALLOC}
  "foreign.call"(%0) {{callee = @f}} : (!llvm.ptr) -> ()
  func.return
}}""", r"'foreign.call' \(operation 2 of @g\): refers to @f, which has buffers"),
        (f"""
func.func @f() {{
  %0 = {ALLOC}
  scf.execute_region -> () {{
    cf.br ^bb1(%0 : !llvm.ptr)
  ^bb1(%p: !llvm.ptr):
    "scf.yield"() : () -> ()
  }}
  func.return
}}""", "unstructured control flow"),
    ],
)  # fmt: skip
def test_what_would_be_overlooked_is_refused(context: Context, text: str, message: str):
    with pytest.raises(PassFailedException, match=message):
        planned(context, text)


def test_returned_memory_that_the_caller_is_the_first_to_write(context: Context):
    text = f"""
func.func @make() -> (!llvm.ptr, !llvm.ptr) {{
  %0 = {ALLOC}
  %1 = {ALLOC}
  func.return %0, %1 : !llvm.ptr, !llvm.ptr
}}
func.func @f() {{
  %p, %q = func.call @make() : () -> (!llvm.ptr, !llvm.ptr)
  "test.op"(%p, %q) : (!llvm.ptr, !llvm.ptr) -> ()
  func.return
}}"""
    (_, first), (_, second) = planned(context, text)
    assert abs(first - second) >= 64
