"""Splits loops whose position is divided, so that indexing maps are sums of loops."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.known_numbers import KnownNumbers
from xdsl_memplan.analysis.looked_up_near import loops_to_split
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.tiling_models.looked_up import tables
from xdsl_memplan.transforms.loop_parts import Loops, extents_of, split_loops, sums_over


@dataclass(frozen=True)
class MemplanSplitLoopsPass(ModulePass):
    """Split loops whose position is divided, so that indexing maps are sums of loops.

    Upsampling by the nearest neighbour reads each element several times:

    ```mlir
    %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>, #identity], ...}
        ins(%x : tensor<8x5xf32>) outs(%o : tensor<16x5xf32>) ...
    ```

    Which rows a tile of such a result needs is no sum of loops, so it had no rule for tiles. The
    loop becomes two, and the result is shown in its old shape:

    ```mlir
    %v = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, j)>, #identity], ...}
        ins(%x : tensor<8x5xf32>) outs(%o2 : tensor<8x2x5xf32>) ...
    %u = tensor.collapse_shape %v [[0, 1], [2]] : tensor<8x2x5xf32> into tensor<16x5xf32>
    ```

    So for any `floordiv` and `mod` by a number in maps of a `linalg.generic` without a library
    call, where the number divides the loop; and for a loop of which several iterations look up
    (`tensor.extract`) the same indices of a tensor, as far as these do not depend on inputs.
    Other operands are read through a `tensor.expand_shape`, a view. The same scalars are computed
    in the same order, so that the result is the same bit for bit. Options: none.

    Requires nothing; what has dynamic sizes, or cannot be split so, is left alone.
    """

    name = "memplan-split-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Split in the whole module ``op``; linear in its operations."""
        known = (KnownNumbers(), KnownNumbers(wide=True))
        for inner in operations_in(op):
            if type(inner) is GenericOp and inner.library_call is None:
                looks_up = any(True for _ in tables(inner))
                if looks_up or _divides(inner):
                    _split_loops_of(inner, known if looks_up else ())


_DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.Mod)


def _divides(op: GenericOp) -> bool:
    return any(
        isinstance(inner, AffineBinaryOpExpr) and inner.kind in _DIVISIONS
        for map_ in op.indexing_maps
        for expression in map_.data.results
        for inner in expression.dfs()
    )


def _split_loops_of(op: GenericOp, known: Sequence[KnownNumbers]) -> None:
    extents = extents_of(op)
    if extents is None:
        return
    loops = Loops.of(extents)
    for loop, inner in loops_to_split(op, extents, known).items() if known else ():
        loops.split(loop, inner)
    sums = sums_over(op, loops)
    if sums is not None and (len(loops.extents) > len(extents) or _divides(op)):
        split_loops(op, loops, sums)
