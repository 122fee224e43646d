"""Checks what an embedder's traits answer, and that they are asked: nothing is ignored silently.

What we attach to xDSL's own operations is not checked again.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.ir import Attribute, Operation, OpTrait, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.op_kinds import Kind, kind_of
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.tiling_answers import check_rule, check_tile
from xdsl_memplan.dialects.interface_models import NoAccess
from xdsl_memplan.dialects.interfaces import (
    INTERFACES,
    Access,
    AliasingTrait,
    BufferLikeTrait,
    DestinationTrait,
    InPlaceTrait,
    ReadsWritesTrait,
    TilingTrait,
)
from xdsl_memplan.dialects.stock_models import STOCK
from xdsl_memplan.dialects.tiling import Tile
from xdsl_memplan.model.integers import checked_integer
from xdsl_memplan.model.lifetime import Lifetime

_MISTAKES = (
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RuntimeError,
)
"""What is raised where somebody else's code is wrong."""

_OUR_MODELS = "xdsl_memplan.dialects.tiling_models"
"""Where tiling of xDSL's own operations is; only newer versions of xDSL can load it."""

_foreign: dict[type[Operation], tuple[object, Sequence[OpTrait]]] = {}
"""Of each class the traits that somebody else attached, with the set of traits they are from."""


class WrongAnswerError(PassFailedException):
    """A trait says what cannot be: a mistake in its code, whatever else could be done."""


def check_answers(op: Operation) -> None:
    """Check all that the traits of an operation say, if they are somebody else's.

    Raises WrongAnswerError with the operation and the trait: for storage that is no value, for
    numbers and accesses that are none, for ties of operands or results that it has not, and for
    traits of control flow and calls, which are followed by what they are.
    """
    for trait in _foreign_traits(type(op)):
        _check_kind(op, trait)
        with _asking(op, trait):
            match trait:
                case BufferLikeTrait():
                    _check_storage(op, trait)
                case AliasingTrait():
                    _check_ties(op, trait.aliases(op))
                case ReadsWritesTrait():
                    _check_effects(op, trait.effects(op))
                case DestinationTrait():
                    for result, operand in _check_ties(op, trait.destinations(op)):
                        _check_tensors(op, result, operand)
                case InPlaceTrait():
                    for result, operand in _check_ties(op, trait.overwrites(op)):
                        if op.results[result].type != op.operands[operand].type:
                            raise ValueError(
                                f"ties result {result} to operand {operand} of another type"
                            )
                case TilingTrait():
                    if any(is_tensor(result.type) for result in op.results):
                        check_rule(op, trait.rule(op))
                case _:
                    pass


def checked_tile(op: Operation, tile: Tile, builder: Builder) -> Sequence[SSAValue]:
    """Insert a tile of an operation by `tile_operation`; check it if its trait is somebody else's.

    Raises WrongAnswerError with the operation and the trait.
    """
    # With older versions of xDSL there are no tiles, and this cannot be loaded.
    from xdsl_memplan.dialects.tiling_queries import tile_operation

    foreign = [trait for trait in _foreign_traits(type(op)) if isinstance(trait, TilingTrait)]
    if not foreign:
        return tile_operation(op, tile, builder)
    [trait] = foreign
    with _asking(op, trait):
        results = tile_operation(op, tile, builder)
        check_tile(op, trait, tile, results)
    return results


@contextmanager
def _asking(op: Operation, trait: OpTrait) -> Generator[None]:
    """Make a WrongAnswerError of what a trait raises, and of what its answer is refused for."""
    try:
        yield
    except ValueError as error:
        raise _wrong(op, trait, str(error)) from error
    except _MISTAKES as error:
        raise _wrong(op, trait, f"raises {type(error).__name__}: {error}") from error


def _wrong(op: Operation, trait: OpTrait, what: str) -> WrongAnswerError:
    return WrongAnswerError(f"{describe_op(op)}: its {_interface_of(trait).__name__} {what}")


def _foreign_traits(op_class: type[Operation]) -> Sequence[OpTrait]:
    known = _foreign.get(op_class)
    if known is None or known[0] is not op_class.traits:
        ours = STOCK.get(op_class, ())
        traits = [
            trait
            for trait in op_class.traits
            if isinstance(trait, INTERFACES)
            and trait not in ours
            and not op_class.__module__.startswith("xdsl_memplan.")
            and not type(trait).__module__.startswith(_OUR_MODELS)
        ]
        known = _foreign[op_class] = (op_class.traits, traits)
    return known[1]


def _interface_of(trait: OpTrait) -> type[OpTrait]:
    return next(interface for interface in INTERFACES if isinstance(trait, interface))


def _check_kind(op: Operation, trait: OpTrait) -> None:
    kind = kind_of(op)
    if kind is Kind.PLAIN or (isinstance(trait, BufferLikeTrait) and kind is Kind.CONSTANT):
        return
    if isinstance(trait, NoAccess) or (isinstance(trait, ReadsWritesTrait) and kind is Kind.CALL):
        return
    raise PassFailedException(
        f"{describe_op(op)}: its {_interface_of(trait).__name__} is never asked: control flow, "
        "calls, constants and selections are followed by what they are; use another operation"
    )


def _check_storage(op: Operation, trait: BufferLikeTrait) -> None:
    try:
        storage = cast(Any, trait.storage(op))
    except IndexError:
        if op.results:
            raise
        said = "takes a result for storage, and there is none; say another value in storage(op)"
        raise ValueError(said) from None
    if not isinstance(storage, SSAValue):
        raise ValueError(f"has {storage!r} as storage, not a value")
    size = cast(Any, trait.size_bytes(op))
    if size is not None:
        checked_integer(size, "size_bytes", least=0)
    alignment = cast(Any, trait.alignment(op))
    if alignment is not None:
        checked_integer(alignment, "alignment", least=0)
    space = cast(Any, trait.memory_space(op))
    if not isinstance(space, Attribute | str | None):
        raise ValueError(f"memory_space is {space!r}, not an attribute")
    lifetime = cast(Any, trait.get_lifetime(op))
    if not isinstance(lifetime, Lifetime | None):
        raise ValueError(f"get_lifetime is {lifetime!r}, not a Lifetime")
    offset = cast(Any, trait.get_offset(op))
    if offset is not None:
        checked_integer(offset, "get_offset", least=0)


def _check_ties(op: Operation, ties: Any) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for tie in ties:
        result, operand = tie.result, tie.operand
        if not (0 <= result < len(op.results) and 0 <= operand < len(op.operands)):
            raise ValueError(f"ties result {result} to operand {operand}, which it has not")
        found.append((result, operand))
    return found


def _check_tensors(op: Operation, result: int, operand: int) -> None:
    for what, value in (("result", op.results[result]), ("operand", op.operands[operand])):
        if not is_tensor(value.type):
            at = result if what == "result" else operand
            raise ValueError(f"names {what} {at}, which is no tensor: {value.type}")


def _check_effects(op: Operation, effects: Any) -> None:
    if effects is None:
        return
    operands, results = effects
    told, has = (len(operands), len(results)), (len(op.operands), len(op.results))
    if told != has:
        raise ValueError(
            f"tells of {told[0]} operands and {told[1]} results, it has {has[0]} and {has[1]}"
        )
    for access in (*operands, *results):
        if not isinstance(access, Access):
            raise ValueError(f"says {access!r}, which is no Access")
