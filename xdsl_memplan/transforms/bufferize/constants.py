"""Constants with several different elements: `memref.global`s, one per value."""

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation

from xdsl_memplan.analysis.memref_layout import Memref, Tensor, dense_memref
from xdsl_memplan.dialects.memref_additions import accept_resources
from xdsl_memplan.transforms.bufferize.errors import cannot_bufferize


@dataclass
class Globals:
    """The `memref.global`s of a module; equal constants share one."""

    module: ModuleOp
    alignment: int
    _names: dict[tuple[Attribute, Attribute], str] = field(
        default_factory=dict[tuple[Attribute, Attribute], str]
    )
    _new: list[Operation] = field(default_factory=list[Operation])

    def get(self, op: arith.ConstantOp) -> memref.GetGlobalOp:
        """A new operation that gives the memref of a constant, which must not be written."""
        type = dense_memref(cast(Tensor, op.result.type))
        key = (op.value, type)
        if key not in self._names:
            self._names[key] = self._add(op.value, type)
        result = memref.GetGlobalOp(self._names[key], type)
        result.memref.name_hint = op.result.name_hint
        return result

    def insert(self) -> None:
        """Put the new globals at the top of the module."""
        first = self.module.body.block.first_op
        if first is not None and self._new:
            self.module.body.block.insert_ops_before(self._new, first)
        self._new.clear()

    def _add(self, value: Attribute, type: Memref) -> str:
        taken = {
            name.data
            for op in self.module.body.ops
            if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
        }
        name = f"memplan_constant_{len(self._names)}"
        while name in taken:
            name += "_"
        accept_resources()
        # Upstream wants a power of two; a global is not planned, so its alignment is its own.
        alignment = self.alignment & -self.alignment
        self._new.append(
            memref.GlobalOp.create(
                properties={
                    "sym_name": StringAttr(name),
                    "sym_visibility": StringAttr("private"),
                    "type": type,
                    "initial_value": value,
                    "constant": UnitAttr(),
                    "alignment": IntegerAttr(alignment, i64),
                }
            )
        )
        return name


def check_constant(op: arith.ConstantOp) -> None:
    """Raise PassFailedException for a constant tensor that cannot become a global."""
    if not isinstance(op.value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        raise cannot_bufferize(op, f"a constant tensor given by {op.value.name}")
