"""`cast = #linalg.type_fn<cast_unsigned>`: elements are made wider as unsigned numbers.

MLIR 22 reads it on four operations. On others it is an attribute of somebody else and says nothing.
"""

from collections.abc import Iterable
from enum import auto

from xdsl.dialects import arith
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import BaseAttr, OptPropertyDef, irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from xdsl_memplan.dialects.name_in_brackets import NameInBrackets

CAST = "cast"

OPERATIONS = ("linalg.batch_matmul", "linalg.contract", "linalg.copy", "linalg.matmul")
"""The operations that have the property."""

_UNSIGNED: dict[type[Operation], type[Operation]] = {
    arith.ExtSIOp: arith.ExtUIOp,
    arith.SIToFPOp: arith.UIToFPOp,
    arith.FPToSIOp: arith.FPToUIOp,
}


class TypeFn(StrEnum):
    """How an element becomes one of another type."""

    CAST_SIGNED = auto()
    CAST_UNSIGNED = auto()


@irdl_attr_definition
class TypeFnAttr(NameInBrackets, EnumAttribute[TypeFn]):
    """`#linalg.type_fn<cast_unsigned>`."""

    name = "linalg.type_fn"


def accept_casts(op_classes: Iterable[type[Operation]]) -> None:
    """Give the property to those of the classes that have it in MLIR."""
    for op_class in op_classes:
        if op_class.name in OPERATIONS and issubclass(op_class, LinalgStructuredOperation):
            properties = op_class.get_irdl_definition().properties
            properties.setdefault(CAST, OptPropertyDef(BaseAttr(TypeFnAttr)))


def with_casts(region: Region, cast: Attribute | None) -> Region:
    """The body of an operation with this property; ``region`` is the body without it."""
    if cast == TypeFnAttr(TypeFn.CAST_UNSIGNED):
        for op in list(region.block.ops):
            if (unsigned := _UNSIGNED.get(type(op))) is not None:
                new = unsigned.create(operands=op.operands, result_types=op.result_types)
                region.block.insert_op_before(new, op)
                op.results[0].replace_all_uses_with(new.results[0])
                op.detach()
                op.erase()
    return region
