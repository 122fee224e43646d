"""Stand-ins for the parts of snax-mlir's dialects that its kernels need to be read and planned.

They have the names, operands and properties of the real ones (snax-mlir, `snaxc/dialects/snax.py`,
`tsl.py`), nothing else: snax-mlir is not on PyPI. What is not here is read as unregistered.
"""

from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, linalg, llvm, memref, scf, test
from xdsl.dialects.builtin import Data, IntegerAttr, MemRefLayoutAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer


@irdl_op_definition
class Alloc(IRDLOperation):
    """Storage as an LLVM struct; size in bytes, then the shape."""

    name = "snax.alloc"
    size = operand_def()
    shapes = var_operand_def()
    result = result_def()
    memory_space = opt_prop_def(Attribute)
    alignment = opt_prop_def(IntegerAttr)


@irdl_op_definition
class LayoutCast(IRDLOperation):
    """Another layout of the same bytes."""

    name = "snax.layout_cast"
    source = operand_def()
    dest = result_def()


@irdl_op_definition
class ClusterSyncOp(IRDLOperation):
    """A barrier."""

    name = "snax.cluster_sync_op"


@irdl_op_definition
class MCycleOp(IRDLOperation):
    """A mark for traces."""

    name = "snax.mcycle"


@irdl_attr_definition
class TiledLayout(MemRefLayoutAttr, Data[str]):
    """A tiled layout, as text."""

    name = "tsl.tsl"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """Take what stands between the brackets, arrows included."""
        text = ""
        with parser.in_angle_brackets():
            while (token := parser._current_token).text != ">":
                text += token.text
                parser._consume_token()
        return text

    def print_parameter(self, printer: Printer) -> None:
        """Write the text."""
        printer.print_string(f"<{self.data}>")

    def get_affine_map(self) -> AffineMap:
        """Nobody asks: sizes are operands of `snax.alloc`."""
        raise NotImplementedError


class Memory(NamedTuple):
    """A memory of snax-mlir: capacity in bytes and address of the first byte."""

    capacity: int
    start: int


MEMORIES = {"L1": Memory(65536, 0x10000000), "L3": Memory(10**9, 0x80000000)}
"""Its defaults."""


def create_memref_struct(alloc: Alloc, pointer: SSAValue) -> tuple[Operation, list[Operation]]:
    """Make the struct of an allocation: here the pointers alone, without shape."""
    ops: list[Operation] = [llvm.UndefOp(alloc.result.type)]
    for i in range(2):
        at = builtin.DenseArrayBase.from_list(builtin.i64, [i])
        ops.append(llvm.InsertValueOp(at, ops[-1].results[0], pointer))
    return ops[-1], ops


def context() -> Context:
    """Return a context that reads the kernels."""
    found = Context(allow_unregistered=True)
    for dialect in (
        *(arith.Arith, builtin.Builtin, func.Func, linalg.Linalg),
        *(llvm.LLVM, memref.MemRef, scf.Scf, test.Test),
        Dialect("snax", [Alloc, LayoutCast, ClusterSyncOp, MCycleOp], []),
        Dialect("tsl", [], [TiledLayout]),
    ):
        found.load_dialect(dialect)
    return found
