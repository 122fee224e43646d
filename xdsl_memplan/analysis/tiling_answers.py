"""Checks what an embedder's `TilingTrait` answers: the rule, and the tiles that it builds."""

from typing import Any, get_args

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.dialects.interfaces import TilingTrait
from xdsl_memplan.dialects.tiling import Tile, TilingRule
from xdsl_memplan.model.integers import checked_integer
from xdsl_memplan.model.split_graph import Affine, Indirect, Iterator, Reshape, Whole


def check_rule(op: Operation, rule: Any) -> None:
    """Raise ValueError for a rule that cannot be one of this operation; None is an answer.

    Linear in loops and dimensions. Whether it is true, such as which elements are read, is checked
    where tiles are made (`transforms/verify_split`).
    """
    if rule is None:
        return
    if not isinstance(rule, TilingRule):
        raise ValueError(f"has {rule!r} as its rule, not a TilingRule")
    if len(rule.iterators) != len(rule.loops):
        raise ValueError(f"has {len(rule.loops)} loops and {len(rule.iterators)} iterators")
    for extent, iterator in zip(rule.loops, rule.iterators, strict=True):
        checked_integer(extent, "says that a loop", least=0)
        if iterator not in get_args(Iterator):
            raise ValueError(f"has an iterator {iterator!r}; known are parallel and reduction")
    checked_integer(rule.work_per_point, "says that work_per_point", least=0)
    for result in op.results:
        if result.first_use is not None:
            _check_result(rule, _shape(result))
    seen = set(values_used(op))
    for number, (value, access) in enumerate(rule.reads):
        if value not in seen:
            raise ValueError(f"reads something else than its operands (read {number})")
        _check_access(rule, access, _shape(value), len(_shape(op.results[0])))
    for part in rule.parts:
        if part not in range(len(rule.reads)):
            raise ValueError(f"has {part} among its parts, and {len(rule.reads)} reads")
    for loops in rule.cuttable:
        if not loops or any(loop not in _reductions(rule) for loop in loops):
            reductions = f"its reductions are {_reductions(rule)}"
            raise ValueError(f"says that {loops} may be cut, and {reductions}")


def check_tile(op: Operation, trait: TilingTrait, tile: Tile, results: Any) -> None:
    """Raise ValueError for a tile that is not one tensor of its shape per result."""
    rule = trait.rule(op)
    assert rule is not None
    if len(results) != len(op.results):
        raise ValueError(f"builds a tile with {len(results)} results, not {len(op.results)}")
    sizes = tuple(1 if loop is None else tile.loops[loop].size for loop in rule.result_access)
    for value, whole in zip(results, op.results, strict=True):
        if whole.first_use is None:
            continue
        assert isa(whole.type, TensorType[Attribute])
        wanted = TensorType(whole.type.get_element_type(), sizes)
        type_ = value.type
        is_tile = isa(type_, TensorType[Attribute]) and (
            (type_.get_shape(), type_.get_element_type()) == (sizes, wanted.get_element_type())
        )
        if not is_tile:
            raise ValueError(f"builds a tile of {type_}, not of {wanted}")


def _check_result(rule: TilingRule, shape: tuple[int, ...]) -> None:
    fits = len(rule.result_access) == len(shape) and all(
        size == 1 if loop is None else loop in range(len(rule.loops)) and rule.loops[loop] == size
        for loop, size in zip(rule.result_access, shape, strict=True)
    )
    if not fits:
        raise ValueError(
            f"computes dimensions of {list(shape)} by loops {list(rule.result_access)} of "
            f"{list(rule.loops)}"
        )


def _check_access(rule: TilingRule, access: Any, shape: tuple[int, ...], rank: int) -> None:
    match access:
        case Affine(indices):
            if len(indices) != len(shape):
                raise ValueError(f"reads {len(shape)} dimensions at {len(indices)} indices")
            for index in indices:
                loops = [loop for loop, _ in index.terms]
                ascends = loops == sorted(set(loops))
                if not ascends or any(loop not in range(len(rule.loops)) for loop in loops):
                    raise ValueError(f"reads at loops {loops} and has {len(rule.loops)}, each once")
                for _, factor in index.terms:
                    checked_integer(factor, "says that a factor of a loop", least=1)
                checked_integer(index.divisor, "says that a divisor", least=1)
                checked_integer(index.reach, "says that a reach", least=0)
        case Reshape(groups):
            for made, read in groups:
                if any(d not in range(rank) for d in made) or any(
                    d not in range(len(shape)) for d in read
                ):
                    raise ValueError(f"reads in another shape dimensions that are not: {groups}")
        case Whole() | Indirect():
            pass
        case _:
            raise ValueError(f"reads by {access!r}, which is no access")


def _reductions(rule: TilingRule) -> list[int]:
    return [loop for loop, kind in enumerate(rule.iterators) if kind == "reduction"]


def _shape(value: SSAValue) -> tuple[int, ...]:
    if not isa(value.type, TensorType[Attribute]):
        raise ValueError(f"has a rule for {value.type}, which is no tensor")
    return value.type.get_shape()
