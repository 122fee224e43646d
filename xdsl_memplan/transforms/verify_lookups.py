"""The bytes that are looked up off chip, counted in buffer IR for `memplan-verify`.

Nothing is shared with what wrote the record.
"""

from math import prod

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.memplan import BufferOp
from xdsl_memplan.dialects.memref_size import element_size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.xdsl_versions import LinalgStructuredOperation
from xdsl_memplan.transforms.verify_loops import iterations_of


def lookups_off_chip(function: FuncOp, module: ModuleOp, on_chip: str | None) -> int:
    """Count the elements that are loaded from arguments, constants and other memories; linear.

    What is not known to run so and so often is left out, as are constants with one value
    everywhere: the record may say more, but not less.
    """
    return sum(
        _bytes_loaded(op)
        for op in operations_in(function)
        if isinstance(op, memref.LoadOp) and _lies_off_chip(op.memref, module, on_chip)
    )


def _bytes_loaded(load: memref.LoadOp) -> int:
    assert isa(load.memref.type, MemRefType[Attribute])
    count = element_size_bytes(load.memref.type.element_type) or 0
    parent = load.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        if isinstance(parent, LinalgStructuredOperation):
            count *= _points(parent)
        elif isinstance(parent, scf.ForOp):
            count *= len(iterations_of(parent) or ())
        parent = parent.parent_op()
    return count


def _points(op: LinalgStructuredOperation) -> int:
    """The product of the extents of the loops; 0 if one is not known."""
    extents: dict[int, int] = {}
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    for operand, map_ in zip(op.operands, maps, strict=True):
        if isa(operand.type, MemRefType[Attribute]):
            for expression, extent in zip(map_.results, operand.type.get_shape(), strict=True):
                if isinstance(expression, AffineDimExpr):
                    extents[expression.position] = max(extent, 0)
    return prod(extents.get(loop, 0) for loop in range(maps[0].num_dims))


def _lies_off_chip(value: SSAValue, module: ModuleOp, on_chip: str | None) -> bool:
    while isinstance(value, OpResult):
        op: Operation = value.op
        match op:
            case BufferOp():
                return op.arena.string_value() != on_chip
            case memref.GetGlobalOp():
                return not _is_splat(op.name_.string_value(), module)
            case _ if op.operands:
                value = op.operands[0]
            case _:
                return False
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FuncOp)


def _is_splat(name: str, module: ModuleOp) -> bool:
    for op in module.body.ops:
        if isinstance(op, memref.GlobalOp) and op.sym_name.data == name:
            value = op.initial_value
            return isinstance(value, DenseIntOrFPElementsAttr) and value.is_splat()
    return False
