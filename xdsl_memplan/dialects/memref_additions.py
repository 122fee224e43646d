"""What stock xDSL's memref lacks: a global whose value is a resource; `memref_syntax.py`."""

from functools import cache

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, UnitAttr
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Dialect
from xdsl.irdl import AnyAttr, AnyOf, BaseAttr, ParamAttrConstraint, PropertyDef

from xdsl_memplan.dialects.memref_syntax import read_memrefs_as_mlir

_INITIAL_VALUE = "initial_value"


@cache
def accept_resources() -> None:
    """Have the verifier of `memref.global` accept `dense_resource`; a second call has no effect.

    A resource is a name: its bytes are kept by the context and printed in hexadecimal at the end of
    the file, so that weights of any size are never elements of an attribute.
    """
    properties = GlobalOp.get_irdl_definition().properties
    resource = ParamAttrConstraint(DenseResourceAttr, (AnyAttr(), AnyAttr()))
    properties[_INITIAL_VALUE] = PropertyDef(
        AnyOf((BaseAttr(UnitAttr), BaseAttr(DenseIntOrFPElementsAttr), resource))
    )


def extended_memref(stock: Dialect) -> Dialect:
    """The dialect `stock`, with its classes corrected in place."""
    accept_resources()
    read_memrefs_as_mlir()
    return stock
