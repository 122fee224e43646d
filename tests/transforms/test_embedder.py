"""Operations of somebody else's dialect take part through the traits of `dialects.interfaces`."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import Builtin, IntegerAttr, MemRefType, ModuleOp, StringAttr, f32, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.interface_models import NoAccess
from xdsl_memplan.dialects.interfaces import AliasingTrait, BufferLikeTrait, Tie
from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.transforms.convert_memplan_to_memref import ConvertMemplanToMemrefPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

BLOCK = StringAttr("a block of 24 bytes")


@dataclass(frozen=True)
class BlockStorage(BufferLikeTrait):
    """24 bytes, aligned to 8, with attributes of the embedder's own."""

    def size_bytes(self, op: Operation) -> int:
        return 24

    def alignment(self, op: Operation) -> int:
        return 8

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


@dataclass(frozen=True)
class TileIsView(AliasingTrait):
    """The tile is part of the block."""

    def aliases(self, op: Operation) -> tuple[Tie, ...]:
        return (Tie(0, 0),)


@irdl_op_definition
class AllocateOp(IRDLOperation):
    name = "acc.allocate"
    block = result_def(MemRefType)
    traits = traits_def(BlockStorage())


@irdl_op_definition
class TileOp(IRDLOperation):
    name = "acc.tile"
    block = operand_def(MemRefType)
    tile = result_def(MemRefType)
    traits = traits_def(TileIsView(), NoAccess())


@irdl_op_definition
class RunOp(IRDLOperation):
    name = "acc.run"
    source = operand_def(MemRefType)
    target = operand_def(MemRefType)


TYPE: ClassVar = MemRefType(f32, [6])


def program() -> tuple[ModuleOp, list[AllocateOp]]:
    """Three blocks; the first is used at the end through a tile."""
    a, b, c = (AllocateOp.build(result_types=[TYPE]) for _ in range(3))
    tile = TileOp.build(operands=[a.block], result_types=[TYPE])
    runs = [
        RunOp.build(operands=[source, target])
        for source, target in ((a.block, b.block), (b.block, b.block), (tile.tile, c.block))
    ]
    function = func.FuncOp("main", ((), ()))
    function.body.block.add_ops([a, b, c, tile, *runs, func.ReturnOp()])
    return ModuleOp([function]), [a, b, c]


def test_offsets_are_written_as_the_embedder_wants_them():
    module, (a, b, c) = program()
    MemplanAssignOffsetsPass().apply(Context(), module)
    assert [op.attributes["lives"].data for op in (a, b, c)] == ["0-3", "0-2", "2-3"]
    places = [op.attributes["at"].value.data for op in (a, b, c)]
    assert abs(places[0] - places[1]) >= 24
    assert places[1] == places[2], "b is dead when c is written"
    MemplanVerifyPass().apply(Context(), module)


def test_verify_follows_the_embedder_s_views():
    module, (a, _, c) = program()
    MemplanAssignOffsetsPass().apply(Context(), module)
    c.attributes["at"] = a.attributes["at"]
    with pytest.raises(PassFailedException, match="share bytes"):
        MemplanVerifyPass().apply(Context(), module)


def test_conversion_takes_memrefs_of_any_dialect():
    module, _ = program()
    MemplanAssignOffsetsPass().apply(Context(), module)
    ConvertMemplanToMemrefPass().apply(Context(), module)
    context = Context()
    context.load_dialect(Builtin)
    assert "acc.allocate" not in str(module)
    assert str(module).count("memref.view") == 3
