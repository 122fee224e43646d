"""The questions that analyses and passes ask of any operation; each is one pass over its traits.

The answers come from the traits of `interfaces.py`. xDSL's own operations get theirs from
`stock_models.py` when this module is imported.
"""

from collections.abc import Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, OpTrait, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects import stock_models
from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.interfaces import (
    Access,
    AliasingTrait,
    BufferLikeTrait,
    DestinationTrait,
    Effects,
    InPlaceTrait,
    ReadsWritesTrait,
    Tie,
    has_contents,
)

stock_models.attach_all()


_TENSORS = frozenset({TensorType, UnrankedTensorType})
_TraitT = TypeVar("_TraitT", bound=OpTrait)
_known: dict[tuple[type[Operation], type[OpTrait]], tuple[object, OpTrait | None]] = {}
"""What `get_trait` found, with the set of traits in which it did: traits can be added."""


def trait_of(op: Operation, trait: type[_TraitT]) -> _TraitT | None:
    """The trait of that type which an operation has; looked for once for each class."""
    op_class = type(op)
    traits = op_class.traits.traits
    known = _known.get((op_class, trait))
    if known is None or known[0] is not traits:
        known = _known[op_class, trait] = (traits, op.get_trait(trait))
    # In quotes: otherwise every call builds the type anew.
    return cast("_TraitT | None", known[1])


def storage_of(op: Operation) -> BufferLikeTrait | None:
    """How to read and write size, alignment, space, lifetime and offset of the storage `op` makes.

    Returns:
        None if it makes no storage that can be planned (`memref.get_global` makes none).
    """
    return trait_of(op, BufferLikeTrait)


def aliases_of(op: Operation) -> Sequence[Tie]:
    """Results that are (part of) the storage of operands. A result without a tie is not."""
    trait = trait_of(op, AliasingTrait)
    return () if trait is None else trait.aliases(op)


def shown_by(value: SSAValue) -> SSAValue:
    """The value that a view shows, through all views; a value that shows none is returned itself.

    Linear in the views.
    """
    while isinstance(maker := value.owner, Operation):
        ties = (tie for tie in aliases_of(maker) if maker.results[tie.result] is value)
        tie = next(ties, None)
        if tie is None:
            break
        value = maker.operands[tie.operand]
    return value


def destinations_of(op: Operation) -> Sequence[Tie]:
    """Tensor results that can be written into the storage of an operand."""
    trait = trait_of(op, DestinationTrait)
    return () if trait is None else trait.destinations(op)


def overwrites_of(op: Operation) -> Sequence[Tie]:
    """Results that may be written over an operand which is read for the last time.

    Destinations, what `InPlaceTrait` says, and the operands of elementwise arithmetic on tensors.
    """
    trait = trait_of(op, InPlaceTrait)
    ties = destinations_of(op)
    if trait is not None:
        return (*ties, *trait.overwrites(op))
    if is_elementwise(op):
        type_ = op.results[0].type
        return tuple(Tie(0, i) for i, operand in enumerate(op.operands) if operand.type == type_)
    return ties


def effects_of(op: Operation) -> Effects | None:
    """Whose contents `op` itself reads and writes; operations in its regions answer for themselves.

    An operation without the trait is understood if it touches no tensor and no memref, or if it
    is free of side effects, has no region and works on tensors only: then it reads its operands
    and writes its results.

    Returns:
        None if that is not known.

    Raises:
        PassFailedException: a trait that does not speak of every operand and result.
    """
    trait = trait_of(op, ReadsWritesTrait)
    if trait is not None:
        return _complete(trait.effects(op), op)
    operand_types, result_types = op.operand_types, op.result_types
    shaped = [type for type in (*operand_types, *result_types) if has_contents(type)]
    if shaped:
        if op.regions or not all(_is_tensor(type) for type in shaped):
            return None
        if not is_side_effect_free(op):
            return None
    return Effects(
        tuple(Access.READ if has_contents(type) else Access.NONE for type in operand_types),
        tuple(Access.WRITE if has_contents(type) else Access.NONE for type in result_types),
    )


def _complete(effects: Effects | None, op: Operation) -> Effects | None:
    if effects is not None:
        told, has = tuple(map(len, effects)), (len(op.operands), len(op.results))
        if told != has:
            raise PassFailedException(
                f"'{op.name}': its ReadsWritesTrait tells of {told[0]} operands and {told[1]} "
                f"results, it has {has[0]} and {has[1]}"
            )
    return effects


def _is_tensor(type: Attribute) -> bool:
    return type.__class__ in _TENSORS
