"""Operations of the `index` dialect as those of `arith`, which everything else knows."""

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter

from xdsl_memplan.dialects.arith_additions import IndexCastUIOp
from xdsl_memplan.dialects.index import (
    BINARY,
    BoolConstantOp,
    CastSOp,
    CastUOp,
    CmpOp,
    ConstantOp,
)

IN_INDEX = frozenset({*BINARY, BoolConstantOp, CastSOp, CastUOp, CmpOp, ConstantOp})
"""The classes of what `index_as_arith` takes."""

_BINARY: Mapping[str, type[IRDLOperation]] = {
    "index.add": arith.AddiOp,
    "index.sub": arith.SubiOp,
    "index.mul": arith.MuliOp,
    "index.divs": arith.DivSIOp,
    "index.divu": arith.DivUIOp,
    "index.ceildivs": arith.CeilDivSIOp,
    "index.ceildivu": arith.CeilDivUIOp,
    "index.floordivs": arith.FloorDivSIOp,
    "index.rems": arith.RemSIOp,
    "index.remu": arith.RemUIOp,
    "index.maxs": arith.MaxSIOp,
    "index.maxu": arith.MaxUIOp,
    "index.mins": arith.MinSIOp,
    "index.minu": arith.MinUIOp,
    "index.shl": arith.ShLIOp,
    "index.shrs": arith.ShRSIOp,
    "index.shru": arith.ShRUIOp,
    "index.and": arith.AndIOp,
    "index.or": arith.OrIOp,
    "index.xor": arith.XOrIOp,
}
assert _BINARY.keys() == {op_class.name for op_class in BINARY}


def index_as_arith(op: Operation) -> None:
    """Replace an operation by one of `arith` that gives the same number."""
    match op:
        case ConstantOp() | BoolConstantOp():
            new = arith.ConstantOp(op.value)
        case CmpOp():
            new = arith.CmpiOp(op.lhs, op.rhs, op.pred.data.value)
        case CastSOp():
            new = arith.IndexCastOp(op.input, op.output.type)
        case CastUOp():
            new = IndexCastUIOp.build(operands=[op.input], result_types=[op.output.type])
        case _:
            new = _BINARY[op.name].build(operands=[*op.operands], result_types=[*op.result_types])
    new.attributes |= op.attributes
    new.location = op.location
    Rewriter.replace_op(op, new)
