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
from xdsl.ir import Attribute

# Asked of every value of a program, and isinstance is slow where a class has an ABC.
_STORAGE = frozenset({TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType})


def is_tensor(type_: Attribute) -> bool:
    """Tell whether values of this type are tensors."""
    return isinstance(type_, TensorType | UnrankedTensorType)


def is_memref(type_: Attribute) -> bool:
    """Tell whether values of this type point at bytes."""
    return isinstance(type_, MemRefType | UnrankedMemRefType)


def is_storage(type_: Attribute) -> bool:
    """Tell whether values of this type are tensors or memrefs."""
    return type(type_) in _STORAGE


def is_plain_data(type_: Attribute) -> bool:
    """Tell whether values of this type hold numbers and can point at nothing."""
    return isinstance(type_, AnyFloat | IntegerType | IndexType | VectorType | ComplexType) or (
        is_tensor(type_)
    )
