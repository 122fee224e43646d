"""Every trait that an embedder can attach, on odd operations: honoured, or refused."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, llvm, memref, scf, tensor, test
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, OpTrait, OpTraits, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.annotated_buffer import AnnotatedBuffer
from xdsl_memplan.dialects.interface_models import (
    FixedAccess,
    NoAccess,
    NoAlias,
    UnknownAccess,
    ViewOf,
)
from xdsl_memplan.dialects.interfaces import (
    Access,
    AliasingTrait,
    DestinationTrait,
    InPlaceTrait,
    ReadsWritesTrait,
    Tie,
    attach,
)
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

READ, WRITE, BOTH = Access.READ, Access.WRITE, Access.READ_WRITE


@irdl_op_definition
class MakeOp(IRDLOperation):
    name = "odd.make"
    operands_ = var_operand_def()
    results_ = var_result_def()
    regions_ = var_region_def()


@irdl_op_definition
class UseOp(IRDLOperation):
    name = "odd.use"
    operands_ = var_operand_def()
    results_ = var_result_def()
    regions_ = var_region_def()


@dataclass(frozen=True)
class Storage(AnnotatedBuffer):
    """Answers whatever it is told to."""

    size: Any = 64
    align: Any = 64
    space: Any = None
    lifetime: Any = None
    where: Callable[[Operation], Any] | None = None

    def storage(self, op: Operation) -> SSAValue:
        return super().storage(op) if self.where is None else self.where(op)

    def size_bytes(self, op: Operation) -> Any:
        return self.size

    def alignment(self, op: Operation) -> Any:
        return self.align

    def memory_space(self, op: Operation) -> Any:
        return self.space

    def get_lifetime(self, op: Operation) -> Any:
        return self.lifetime


@dataclass(frozen=True)
class Ties(AliasingTrait):
    ties: Any = ()

    def aliases(self, op: Operation) -> Any:
        return self.ties


@dataclass(frozen=True)
class Effect(ReadsWritesTrait):
    said: Any = None

    def effects(self, op: Operation) -> Any:
        return self.said


@dataclass(frozen=True)
class Into(DestinationTrait):
    ties: Any = ()

    def destinations(self, op: Operation) -> Any:
        return self.ties


@dataclass(frozen=True)
class Over(InPlaceTrait):
    ties: Any = ()

    def overwrites(self, op: Operation) -> Any:
        return self.ties


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    def to(op_class: type[Operation], *traits: OpTrait) -> None:
        kept = tuple(op_class.traits)
        monkeypatch.setattr(op_class, "traits", OpTraits(lambda: kept))
        attach(op_class, *traits)

    return to


def parse(text: str) -> builtin.ModuleOp:
    context = Context(allow_unregistered=True)
    for dialect in (builtin.Builtin, func.Func, memref.MemRef, llvm.LLVM, test.Test, scf.Scf):
        context.load_dialect(dialect)
    for dialect in (arith.Arith, tensor.Tensor):
        context.load_dialect(dialect)
    context.load_op(MakeOp)
    context.load_op(UseOp)
    return Parser(context, text).parse_module()


def offsets(text: str) -> list[int]:
    """Plan, verify, and return the offsets in the order of the file."""
    module = parse(text)
    MemplanAssignOffsetsPass().apply(Context(), module)
    MemplanVerifyPass().apply(Context(), module)
    found = (op.attributes.get("memplan.offset") for op in module.walk())
    return [offset.value.data for offset in found if isinstance(offset, IntegerAttr)]


def refused(text: str, message: str) -> None:
    """Check the message, and that nothing is changed."""
    module = parse(text)
    before = str(module)
    with pytest.raises(PassFailedException, match=message):
        MemplanAssignOffsetsPass().apply(Context(), module)
    assert str(module) == before


TWO = """
func.func @f() {{
  {make}
  {make2}
  "test.op"({a}) : ({type}) -> ()
  "test.op"({a}, {b}) : ({type}, {type}) -> ()
  "test.op"({b}) : ({type}) -> ()
  func.return
}}"""
TYPES = ("index", "i32", "i1", "f32", "none", "vector<4xf32>", "tensor<16xf32>", "memref<*xf32>")
MORE_TYPES = ("memref<?xf32>", "!llvm.ptr", "!llvm.struct<(!llvm.ptr)>")


@pytest.mark.parametrize("type_", [*TYPES, *MORE_TYPES])
@pytest.mark.parametrize("traits", [(NoAccess(),), ()], ids=["NoAccess", "nothing said"])
@pytest.mark.parametrize("which", [0, 1], ids=["only result", "second result"])
def test_storage_of_any_type(
    attached: Callable[..., None], type_: str, traits: tuple[OpTrait, ...], which: int
):
    attached(MakeOp, Storage(), *traits)
    if which == 0:
        one, two = (f'%{n} = "odd.make"() : () -> {type_}' for n in "ab")
    else:
        make = f'"odd.make"() : () -> (memref<16xf32>, {type_})'
        one, two = f"%p, %a = {make}", f"%q, %b = {make}"
    text = TWO.format(make=one, make2=two, a="%a", b="%b", type=type_)
    first, second = offsets(text)
    assert abs(first - second) >= 64


MADE = TWO.format(
    make='%a = "odd.make"() : () -> !llvm.ptr',
    make2='%b = "odd.make"() : () -> !llvm.ptr',
    a="%a",
    b="%b",
    type="!llvm.ptr",
)


@pytest.mark.parametrize(
    ("trait", "message"),
    [
        (Storage(size=-1), "size_bytes is -1, not in 0"),
        (Storage(size="64"), "size_bytes is '64', not an integer"),
        (Storage(size=64.0), r"size_bytes is 64\.0, not an integer"),
        (Storage(size=True), "size_bytes is True, not an integer"),
        (Storage(size=2**63), "size_bytes is 9223372036854775808, not in"),
        (Storage(size=None), "size of !llvm.ptr is not known"),
        (Storage(align=-4), "alignment is -4, not in 0"),
        (Storage(align=4.0), r"alignment is 4\.0, not an integer"),
        (Storage(align=2**70), "alignment is 1180591620717411303424, not in"),
        (Storage(space=3), "memory_space is 3, not an attribute"),
        (Storage(lifetime=(0, 3)), r"get_lifetime is \(0, 3\), not a Lifetime"),
        (Storage(where=lambda op: None), "has None as storage, not a value"),
        (Storage(where=lambda op: op.attributes["x"]), "raises KeyError: 'x'"),
    ],
)
def test_numbers_that_are_none(attached: Callable[..., None], trait: Storage, message: str):
    attached(MakeOp, trait, NoAccess())
    refused(MADE, rf"'%a = odd.make' \(operation 1 of @f\): .*{message}")


def test_storage_without_a_result(attached: Callable[..., None]):
    attached(MakeOp, Storage())
    text = 'func.func @f() {\n "odd.make"() : () -> ()\n func.return\n}'
    refused(text, "'odd.make' .*takes a result for storage, and there is none")


def test_storage_that_is_an_argument_of_a_region(attached: Callable[..., None]):
    attached(MakeOp, Storage(where=lambda op: op.regions[0].block.args[0]), NoAccess())
    assert sorted(
        offsets("""
func.func @f() {
  "odd.make"() ({
  ^bb0(%a: memref<16xf32>):
    "odd.make"() ({
    ^bb1(%b: memref<16xf32>):
      "test.op"(%a) : (memref<16xf32>) -> ()
      "test.op"(%b) : (memref<16xf32>) -> ()
      "test.op"(%a) : (memref<16xf32>) -> ()
    }) : () -> ()
  }) : () -> ()
  func.return
}""")
    ) == [0, 64]


@pytest.mark.parametrize("traits", [(NoAccess(),), ()], ids=["NoAccess", "nothing said"])
def test_buffers_used_while_storage_with_a_region_is_made(
    attached: Callable[..., None], traits: tuple[OpTrait, ...]
):
    """What happens in the region is a tick of its own: %a, read there, is not over."""
    attached(MakeOp, Storage(), *traits)
    first, second, third = offsets("""
func.func @f() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  "test.op"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  %p = "odd.make"() ({
    "test.op"(%a) : (memref<16xf32>) -> ()
  }) : () -> !llvm.ptr
  "test.op"(%p, %b) : (!llvm.ptr, memref<16xf32>) -> ()
  func.return
}""")
    assert len({first, second}) == 2
    assert third != second


def test_storage_that_is_made_from_a_buffer_reads_it(attached: Callable[..., None]):
    attached(MakeOp, Storage())
    first, second, third = offsets("""
func.func @f() {
  %a = memref.alloc() : memref<16xf32>
  "test.op"(%a) : (memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  "test.op"(%b) : (memref<16xf32>) -> ()
  %p = "odd.make"(%a) : (memref<16xf32>) -> memref<16xf32>
  "test.op"(%p, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}""")
    assert first != second
    assert third not in (first, second)


FLOW = {
    scf.IfOp: """scf.if %c -> (memref<16xf32>) {
      scf.yield %a : memref<16xf32>
    } else {
      scf.yield %z : memref<16xf32>
    }""",
    scf.ForOp: """scf.for %i = %n to %n step %n iter_args(%q = %a) -> (memref<16xf32>) {
      scf.yield %q : memref<16xf32>
    }""",
    scf.WhileOp: """scf.while (%q = %a) : (memref<16xf32>) -> memref<16xf32> {
      scf.condition(%c) %q : memref<16xf32>
    } do {
    ^bb0(%q: memref<16xf32>):
      scf.yield %q : memref<16xf32>
    }""",
    scf.ExecuteRegionOp: """scf.execute_region -> (memref<16xf32>) {
      scf.yield %a : memref<16xf32>
    }""",
    arith.SelectOp: "arith.select %c, %a, %z : memref<16xf32>",
    func.CallOp: "func.call @h(%a) : (memref<16xf32>) -> memref<16xf32>",
    memref.GetGlobalOp: "memref.get_global @g : memref<16xf32>",
}
FLOW_TEXT = """
"memref.global"() <{{sym_name = "g", type = memref<16xf32>, initial_value}}> : () -> ()
func.func private @h(memref<16xf32>) -> memref<16xf32>
func.func @f(%c: i1, %n: index, %z: memref<16xf32>) {{
  %a = memref.alloc() : memref<16xf32>
  "test.op"(%a) : (memref<16xf32>) -> ()
  %r = {flow}
  %b = memref.alloc() : memref<16xf32>
  "test.op"(%b) : (memref<16xf32>) -> ()
  "test.op"(%r) : (memref<16xf32>) -> ()
  func.return
}}"""


@pytest.mark.parametrize("op_class", FLOW, ids=lambda c: c.name)
@pytest.mark.parametrize(
    "trait", [ViewOf(), NoAlias(), Storage(), UnknownAccess(), FixedAccess((BOTH,))], ids=repr
)
def test_control_flow_is_what_it_is(
    attached: Callable[..., None], op_class: type[Operation], trait: OpTrait
):
    attached(op_class, trait)
    text = FLOW_TEXT.format(flow=FLOW[op_class])
    is_call = op_class is func.CallOp
    if op_class is memref.GetGlobalOp and isinstance(trait, Storage):
        assert len(set(offsets(text)[1:])) == 2
    elif is_call and isinstance(trait, FixedAccess):
        assert len(set(offsets(text))) == 2
    elif is_call and isinstance(trait, UnknownAccess):
        refused(text, r"'%r = func\.call' .*cannot be planned")
    else:
        refused(text, rf"'%r = {op_class.name}' \(operation .* of @f\): its .*Trait is never asked")


VIEWED = """
func.func @f() {{
  %a = memref.alloc() : memref<16xf32>
  %r = "odd.use"(%a) : (memref<16xf32>) -> {type}
  "test.op"(%a) : (memref<16xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  "test.op"(%b) : (memref<16xf32>) -> ()
  "test.op"(%r) : ({type}) -> ()
  func.return
}}"""
ADDRESSES = ("index", "i64", "!llvm.ptr", "memref<4xf32>", "tensor<16xf32>")


@pytest.mark.parametrize("type_", ADDRESSES)
@pytest.mark.parametrize(
    ("traits", "apart"),
    [
        ((), True),
        ((NoAccess(),), True),
        ((ViewOf(), NoAccess()), True),
        ((NoAlias(), NoAccess()), False),
        ((FixedAccess((READ,), (WRITE,)),), False),
    ],
    ids=["nothing said", "NoAccess", "ViewOf", "NoAlias", "made anew"],
)
def test_what_comes_out_may_be_the_address(
    attached: Callable[..., None], type_: str, traits: Sequence[OpTrait], apart: bool
):
    """Unless a trait says otherwise: a number, pointer, memref or tensor that is used later."""
    attached(UseOp, *traits)
    first, second = offsets(VIEWED.format(type=type_))
    assert (first != second) == apart


@pytest.mark.parametrize("ties", [None, ((0, 0),), 3, "xy"], ids=repr)
@pytest.mark.parametrize("trait", [Ties, Into, Over])
def test_ties_that_are_none(attached: Callable[..., None], trait: Any, ties: Any):
    attached(UseOp, trait(ties), NoAccess())
    refused(VIEWED.format(type="memref<4xf32>"), r"'%r = odd.use' \(operation 2 of @f\): its .*")


@pytest.mark.parametrize("said", [3, "xy", ((True,), (False,)), ((READ,), ())], ids=repr)
def test_accesses_that_are_none(attached: Callable[..., None], said: Any):
    attached(UseOp, Effect(said), ViewOf())
    refused(VIEWED.format(type="memref<4xf32>"), r"'%r = odd.use' .* its ReadsWritesTrait")


@pytest.mark.parametrize(
    ("traits", "text", "message"),
    [
        ((NoAccess(), ViewOf(1)), "memref<4xf32>", "ties result 0 to operand 1, which it has not"),
        ((Into((Tie(0, 0),)),), "memref<16xf32>", "names result 0, which is no tensor"),
        ((Over((Tie(0, 0),)),), "memref<4xf32>", "ties result 0 to operand 0 of another type"),
    ],
)
def test_ties_that_cannot_be(
    attached: Callable[..., None], traits: Sequence[OpTrait], text: str, message: str
):
    attached(UseOp, *traits)
    refused(VIEWED.format(type=text), rf"'%r = odd.use' \(operation 2 of @f\): .*{message}")


@pytest.mark.parametrize("trait", [Into((3,)), Over((3,))], ids=repr)
def test_bufferization_asks_too(attached: Callable[..., None], trait: OpTrait):
    attached(UseOp, trait, FixedAccess((READ,), (WRITE,)))
    module = parse("""
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = "odd.use"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}""")
    with pytest.raises(PassFailedException, match=r"odd\.use.*Trait raises AttributeError"):
        MemplanBufferizePass().apply(Context(), module)


def test_ticks_are_the_same_where_nothing_planned_is_touched():
    """Regression: operations on globals alone were no ticks for memplan-verify."""
    module = parse("""
"memref.global"() <{sym_name = "g", type = memref<16xf32>, initial_value}> : () -> ()
func.func @f(%y: memref<16xf32>, %t: tensor<4xf32>) {
  %g = memref.get_global @g : memref<16xf32>
  "memref.copy"(%g, %g) : (memref<16xf32>, memref<16xf32>) -> ()
  %u = arith.addf %t, %t : tensor<4xf32>
  %m = "test.op"() : () -> memref<16xf32>
  %a = memref.alloc() : memref<16xf32>
  "memref.copy"(%g, %a) : (memref<16xf32>, memref<16xf32>) -> ()
  "memref.copy"(%a, %y) : (memref<16xf32>, memref<16xf32>) -> ()
  func.return
}""")
    MemplanAssignOffsetsPass().apply(Context(), module)
    [alloc] = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert "<3 : i64, 5 : i64>" in str(alloc)
    MemplanVerifyPass().apply(Context(), module)
    alloc.attributes["memplan.offset"] = IntegerAttr(64, i64)
    with pytest.raises(PassFailedException, match="outside of"):
        MemplanVerifyPass().apply(Context(), module)
