"""Moves of tensors between on-chip and off-chip memory: `memplan.spill` and `memplan.retrieve`."""

from typing import ClassVar

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, SymbolRefAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    attr_def,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from xdsl_memplan.dialects.interface_models import FixedAccess
from xdsl_memplan.dialects.interfaces import Access

TRAFFIC = "memplan.traffic"
"""Attribute of a function: a dictionary of i64, all bytes.

`bytes` move off chip and back beyond the compulsory, `bound` is proved for that and the operations
of the function: split into others they may need less. Where everything that an operation reads is
brought on chip first, `total` are all the bytes that move, and `floor` is proved for that.
"""

TOTAL = "total"
"""Entry of `memplan.traffic`: the bytes of all loads, stores, spills and retrieves, and of what is
looked up off chip."""

LOOKUPS = "looked_up"
"""Entry of `memplan.traffic`: the bytes of `total` that are elements which bodies look up off chip,
or the function to return them, with `tensor.extract`; none where nothing is."""

FLOOR = "floor"
"""Entry of `memplan.traffic`: no schedule has a smaller `total`."""

CAPACITY_FLOOR = "capacity_floor"
"""Entry of `memplan.traffic`, there if it is more than `floor`: no schedule that does as many
multiply-adds or fewer, and ends each sum that it begins, has a smaller `total` with as much memory
on chip."""

HOME = "memplan.home"
"""Attribute of an operation on tensors: the name of the memory that its results are in, and, of a
loop, what it hands on; of a loop or a branch also a list, with a name for each result."""

MOVE = "memplan.move"
"""Attribute of a `memref.copy`: it moves a tensor between memories, it computes nothing."""

_COPIES = FixedAccess(operands=(Access.READ,), results=(Access.WRITE,))


class _MoveOperation(IRDLOperation):
    """A copy of a tensor, laid in the memory whose arena is named."""

    T: ClassVar = VarConstraint("T", base(TensorType))

    arena = attr_def(FlatSymbolRefAttrConstr)
    source = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), _COPIES)

    assembly_format = "$source `to` $arena attr-dict `:` type($source)"

    def __init__(self, source: SSAValue, arena: str) -> None:
        super().__init__(
            operands=[source],
            attributes={"arena": SymbolRefAttr(arena)},
            result_types=[source.type],
        )


@irdl_op_definition
class SpillOp(_MoveOperation):
    """Copy a tensor to the off-chip memory `arena`, so that its room on chip can be used.

    ```mlir
    %1 = memplan.spill %0 to @DDR : tensor<64x56x56xi8>
    ```
    The result is only good for `memplan.retrieve` and for being returned.
    """

    name = "memplan.spill"


@irdl_op_definition
class RetrieveOp(_MoveOperation):
    """Copy a spilled tensor back to the on-chip memory `arena`, perhaps to another address.

    ```mlir
    %2 = memplan.retrieve %1 to @L1 : tensor<64x56x56xi8>
    ```
    """

    name = "memplan.retrieve"
