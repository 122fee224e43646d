"""Turns groups into tiles."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.dialects.copies import copied_operation
from xdsl_memplan.dialects.groups import SPLIT, GroupOp
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import StoreOp
from xdsl_memplan.transforms.expand_groups.bundles import Bundles
from xdsl_memplan.transforms.expand_groups.emit_group import GroupToEmit, emit_group
from xdsl_memplan.transforms.expand_groups.group_facts import ShortestLoops
from xdsl_memplan.transforms.expand_groups.laid_out_group import laid_out
from xdsl_memplan.transforms.expand_groups.last_reads import inputs_read_last
from xdsl_memplan.transforms.expand_groups.merged_parts import merge_parts
from xdsl_memplan.transforms.expand_groups.shared_values import share_values
from xdsl_memplan.transforms.noted_bytes import note_bytes
from xdsl_memplan.transforms.refuted_tiles import RefutedTiles
from xdsl_memplan.transforms.unread import erase_unread
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split

_NEVER = 1 << 60
SHORTEST_LOOPS = {
    "auto": ShortestLoops(3, 2),
    "loop": ShortestLoops(2, 2),
    "unroll": ShortestLoops(_NEVER, _NEVER),
}
"""By what `emit` says."""


@dataclass(frozen=True)
class MemplanExpandGroupsPass(ModulePass):
    """Replace each group by code that computes it tile by tile.

    Before:

    ```mlir
    %y = memplan.group ins(%x, %w : tensor<8x16xf32>, tensor<16x16xf32>) {
      %0 = linalg.matmul ins(%x, %w : ...) outs(%zero : ...) -> tensor<8x16xf32>
      memplan.group_yield %0 : tensor<8x16xf32>
    } {cuts = [#memplan.cut<"result", 0 : i64, 0 : i64, 4 : i64, 0 : i64, 1 : i64, ...>], ...}
    ```

    After, with `emit=unroll`:

    ```mlir
    %w0 = memplan.load %w[0, 0] [16, 16] [1, 1] : ...
    %x0 = memplan.load %x[0, 0] [4, 16] [1, 1] : ...
    %y0 = linalg.matmul ins(%x0, %w0 : ...) outs(%zero0 : ...) -> tensor<4x16xf32>
    %d0 = memplan.store %y0 into %e[0, 0] [4, 16] [1, 1] to @DDR : ...
    %x1 = memplan.load %x[4, 0] [4, 16] [1, 1] : ...
    ...
    ```

    Tiles that look alike become one `scf.for`; the first and the last, whose padding differs, stand
    beside it. What a tile keeps for the next one is copied by `memplan.carry` right after its last
    reader. Every element is computed by the same operations in the same order as before.

    Options:

    - `emit` (`auto`): `unroll` makes no loops; `loop` makes one of two tiles already; `auto` of
      three, and of two that have tiles within.
    - `check` (true): check the tiles against the groups by other means than they are made, and
      fail where they are refuted. Tiles that are proved and those of which nothing is known go on.
    - `max-recompute` (0): with more than 0 the check refuses a group whose tiles do more than so
      many times its multiply-adds.

    Requires nothing. Modules without groups are left as they are.
    """

    name = "memplan-expand-groups"

    emit: Literal["auto", "unroll", "loop"] = "auto"
    check: bool = True
    max_recompute: int | float = 0.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand every group of the module ``op``.

        Raises PassFailedException for a group whose cuts do not fit its body and for an option that
        cannot be, RefutedTiles with the operation for tiles that do not compute what the groups do.
        """
        if self.max_recompute != 0 and not self.max_recompute >= 1:
            raise PassFailedException(
                f"memplan-expand-groups: option max-recompute={self.max_recompute} is neither 0 "
                "(any) nor at least 1"
            )
        for function in operations_in(op):
            if isinstance(function, FuncOp):
                all_ = operations_in(function)
                groups = [inner for inner in all_ if isinstance(inner, GroupOp)]
                if not groups:
                    continue
                whole = copied_operation(function) if self.check else None
                bundles = Bundles.of(function.body.block, groups)
                last_reads = dict(zip(groups, inputs_read_last(groups), strict=True))
                for inner in all_:
                    if isinstance(inner, GroupOp):
                        lengths, last = SHORTEST_LOOPS[self.emit], last_reads[inner]
                        expand_group(inner, lengths, bundles, last)
                    elif isinstance(inner, StoreOp):
                        bundles.store(inner)
                bundles.take_for_concats()
                # A tile may write all that another operation of the tile has made.
                erase_unread(function)
                share_values(function)
                note_bytes(function)
                if whole is not None:
                    _refuse_refuted(whole, function, self.max_recompute or None)


def refuse_refuted_tiles(groups: ModuleOp, tiled: ModuleOp, max_recompute: float) -> None:
    """Check tiles that this pass made, without `check`, of a module with groups.

    Raises RefutedTiles with the operation.
    """
    for whole, function in zip(_functions(groups), _functions(tiled), strict=True):
        if any(isinstance(op, GroupOp) for op in operations_in(whole)):
            _refuse_refuted(whole, function, max_recompute or None)


def _functions(module: ModuleOp) -> list[FuncOp]:
    return [op for op in operations_in(module) if isinstance(op, FuncOp)]


def _refuse_refuted(whole: FuncOp, tiled: FuncOp, max_recompute: float | None) -> None:
    found = check_split(whole, tiled, max_recompute)
    if found.verdict is Verdict.REFUTED:
        raise RefutedTiles(
            f"memplan-expand-groups: tiles do not compute what the groups do: {found.reason}"
        )


def expand_group(
    group: GroupOp,
    shortest_loops: ShortestLoops,
    bundles: Bundles | None = None,
    read_last: Container[int] = (),
) -> None:
    """Replace a group by its tiles; runs of tiles that look alike become loops.

    Groups are expanded in their order: each writes to `bundles`, and reads what is there by then.
    Results may be written over inputs whose numbers are in ``read_last``.

    Raises PassFailedException for cuts that do not fit.
    """
    bundles = Bundles() if bundles is None else bundles
    found = laid_out(group)
    split, layout = found.split, found.layout
    position, yielded = found.position, found.yielded
    builder = Builder(InsertPoint.before(group))
    outside = [(value, position[value]) for value in group.inputs if value in position]
    places = {
        tensor: bundles.places[value]
        for value, tensor in (*outside, *zip(group.outputs, yielded, strict=True))
        if value in bundles.places
    }
    merged = merge_parts(split.graph, layout, split.operations, split.values, places)
    results = emit_group(
        GroupToEmit(
            merged.graph,
            split.operations,
            split.values,
            merged.layout,
            found.cuts,
            found.homes,
            shortest_loops,
            {**places, **merged.places},
            {
                position[value]
                for number, value in enumerate(group.inputs)
                if number in read_last and value in position and group.is_resident(number)
            },
        ),
        builder,
    )
    for result, tensor in zip(group.outputs, yielded, strict=True):
        is_bundled = result in bundles.places
        result.replace_all_uses_with(
            bundles.hand_on(result, builder) if is_bundled else results[tensor]
        )
    function = group.parent_op()
    if function is not None:
        function.attributes[SPLIT] = UnitAttr()
    group.detach()
    group.erase(safe_erase=False)
