"""Types whose values stand for bytes in memory."""

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue

# Asked of every value of a program, and isinstance is slow where a class has an ABC.
_TENSORS = frozenset({TensorType, UnrankedTensorType})
_STORAGE = _TENSORS | {MemRefType, UnrankedMemRefType}
LEAST_ADDRESS_BITS = 16
_MAY_POINT: dict[type[Attribute], bool] = {}


def is_tensor(type_: Attribute) -> bool:
    """Tell whether values of this type are tensors."""
    return type(type_) in _TENSORS


def is_storage(type_: Attribute) -> bool:
    """Tell whether values of this type are tensors or memrefs."""
    return type(type_) in _STORAGE


def may_point(type_: Attribute) -> bool:
    """Tell whether values of this type may lead to bytes of somebody: no number and no tensor."""
    kind = type(type_)
    known = _MAY_POINT.get(kind)
    if known is None:
        known = _MAY_POINT[kind] = not issubclass(
            kind, AnyFloat | IntegerType | IndexType | VectorType | ComplexType
        ) and not issubclass(kind, TensorType | UnrankedTensorType)
    return known


def may_be_address(type_: Attribute) -> bool:
    """Tell whether values of this type are numbers that an address has room in."""
    if isinstance(type_, IntegerType):
        return type_.bitwidth >= LEAST_ADDRESS_BITS
    return isinstance(type_, IndexType)


def is_static_tensor(value: SSAValue) -> bool:
    """Tell whether a value is a tensor of which every size is known."""
    return type(value.type) is TensorType and value.type.has_static_shape()


def has_no_element(value: SSAValue) -> bool:
    """Tell whether a value is a tensor that is known to have no element."""
    return type(value.type) is TensorType and 0 in value.type.get_shape()
