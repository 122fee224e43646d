"""Which operands of a structured operation tell how often its loops run."""

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir.affine import AffineDimExpr


def told_loops(maps: Iterable[AffineMapAttr]) -> set[int]:
    """The loops whose number of iterations the operands with these maps tell."""
    return {
        expression.position
        for indexing_map in maps
        for expression in indexing_map.data.results
        if isinstance(expression, AffineDimExpr)
    }


def kept_for_lengths(maps: Sequence[AffineMapAttr], kept: Sequence[bool]) -> list[bool]:
    """Which results stay: those that are kept, and those that alone tell the length of a loop.

    ``maps`` are those of all operands, results last. A result that is not kept takes its
    destination with it, and the loops of a window may have their lengths from there.
    """
    inputs = len(maps) - len(kept)
    told = told_loops([*maps[:inputs], *(maps[inputs + i] for i, k in enumerate(kept) if k)])
    found = list(kept)
    for i, is_kept in enumerate(kept):
        loops = told_loops([maps[inputs + i]])
        if not is_kept and not loops <= told:
            found[i] = True
            told |= loops
    return found
