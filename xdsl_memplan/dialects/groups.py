"""Groups of layers that are computed tile by tile: `memplan.group` and what describes its tiles."""

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, Block, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_attr_definition,
    irdl_op_definition,
    opt_attr_def,
    param_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from xdsl_memplan.model.tiling_plan import GroupCost, Halo, LoopCut, Residency

SPLIT = "memplan.split"
"""Attribute of a function that was split: its operations stay in their order."""

ON_CHIP = ""
"""Home of a result that stays on chip."""


_HALOS: tuple[Halo, ...] = ("recompute", "cache", "shift")
"""By their number in the IR."""


@lru_cache(maxsize=1024)
def _number(value: int) -> IntegerAttr[I64]:
    return IntegerAttr(value, i64)


@irdl_attr_definition
class CutAttr(ParametrizedAttribute):
    """`#memplan.cut<"result", op, index, size, lead, halo, head, tail>`: a loop cut into tiles.

    `"result"` is dimension `index` of the result of operation `op` of the body; `"sum"` is loop
    `index` of operation `op`, a contraction whose sum is added up tile by tile. A tile has `size`
    iterations; `lead` tiles before the first let earlier operations run ahead; with `halo` = 1 a
    tile keeps what the next one needs again; with 0 that is computed again, and with 2 tiles at
    the ends compute as much as the others besides, further inside. The first `head` of all these
    tiles are one, and the last `tail`. All numbers are i64.
    """

    name = "memplan.cut"

    kind: StringAttr = param_def()
    op: IntegerAttr[I64] = param_def()
    index: IntegerAttr[I64] = param_def()
    size: IntegerAttr[I64] = param_def()
    lead: IntegerAttr[I64] = param_def()
    halo: IntegerAttr[I64] = param_def()
    head: IntegerAttr[I64] = param_def()
    tail: IntegerAttr[I64] = param_def()

    @classmethod
    def of(cls, cut: LoopCut) -> "CutAttr":
        """The attribute that holds a cut."""
        numbers = (cut.op, cut.loop, cut.size, cut.lead, _HALOS.index(cut.halo), cut.head, cut.tail)
        return cls(StringAttr(cut.kind), *map(_number, numbers))

    @property
    def cut(self) -> LoopCut:
        """The cut."""
        return LoopCut(
            "sum" if self.kind.data == "sum" else "result",
            self.op.value.data,
            self.index.value.data,
            self.size.value.data,
            self.lead.value.data,
            _HALOS[self.halo.value.data],
            self.head.value.data,
            self.tail.value.data,
        )

    def verify(self) -> None:
        """Reject what is no cut."""
        if self.kind.data not in ("result", "sum"):
            raise VerifyException(f'a cut is of "result" or of "sum", got "{self.kind.data}"')
        if self.size.value.data < 1 or self.lead.value.data < 0 or self.op.value.data < 0:
            raise VerifyException("a tile has at least one iteration, and numbers are not negative")
        if not 0 <= self.halo.value.data < len(_HALOS):
            raise VerifyException(
                f"no halo {self.halo.value.data}: 0 is computed again, 1 kept, 2 shifted"
            )
        if self.head.value.data < 1 or self.tail.value.data < 1:
            raise VerifyException("at least one tile is the first, and one the last")


@irdl_attr_definition
class ResidencyAttr(ParametrizedAttribute):
    """`#memplan.residency<"kept", slices>`: how an operand of a group comes to the chip.

    `"fetched"` when it changes from tile to tile, `"kept"` throughout, `"streamed"` in `slices` to
    its only reader, `"resident"` where it is.
    """

    name = "memplan.residency"

    kind: StringAttr = param_def()
    slices: IntegerAttr[I64] = param_def()

    @classmethod
    def of(cls, residency: Residency) -> "ResidencyAttr":
        """The attribute that holds a residency."""
        return _residency(residency.kind, residency.slices)

    def residency(self, tensor: int) -> Residency:
        """The residency of a tensor."""
        match self.kind.data:
            case "kept" | "streamed" | "resident" as kind:
                return Residency(tensor, kind, self.slices.value.data)
            case _:
                return Residency(tensor, "fetched", 1)

    def verify(self) -> None:
        """Reject unknown kinds."""
        if self.kind.data not in ("fetched", "kept", "streamed", "resident"):
            raise VerifyException(f'no residency "{self.kind.data}"')
        if self.slices.value.data < 1:
            raise VerifyException("there is at least one slice")


@lru_cache(maxsize=1024)
def _residency(kind: str, slices: int) -> ResidencyAttr:
    return ResidencyAttr(StringAttr(kind), _number(slices))


@irdl_attr_definition
class GroupCostAttr(ParametrizedAttribute):
    """`#memplan.group_cost<traffic, peak, work, transfers, tiles>`: all i64.

    Bytes moved to and from the chip, bytes on chip at the most, multiply-adds, number of moves,
    number of tiles.
    """

    name = "memplan.group_cost"

    traffic: IntegerAttr[I64] = param_def()
    peak: IntegerAttr[I64] = param_def()
    work: IntegerAttr[I64] = param_def()
    transfers: IntegerAttr[I64] = param_def()
    tiles: IntegerAttr[I64] = param_def()

    @classmethod
    def of(cls, cost: GroupCost) -> "GroupCostAttr":
        """The attribute that holds costs."""
        return cls(*map(_number, cost))

    @property
    def cost(self) -> GroupCost:
        """The costs."""
        parameters = (self.traffic, self.peak, self.work, self.transfers, self.tiles)
        return GroupCost(*(parameter.value.data for parameter in parameters))


@irdl_op_definition
class GroupYieldOp(IRDLOperation):
    """Ends a group and names its results."""

    name = "memplan.group_yield"

    values = var_operand_def(TensorType)

    traits = traits_def(IsTerminator(), Pure())

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[values])


@irdl_op_definition
class GroupOp(IRDLOperation):
    """Layers that are computed tile by tile, written as whole operations.

    ```mlir
    %y = memplan.group ins(%x, %w : tensor<8x16xf32>, tensor<16x16xf32>) {
      %0 = linalg.matmul ins(%x, %w : ...) outs(%zero : ...) -> tensor<8x16xf32>
      memplan.group_yield %0 : tensor<8x16xf32>
    } {cuts = [#memplan.cut<"result", 0 : i64, 0 : i64, 2 : i64, 0 : i64, 1 : i64, ...>],
       residencies = [...], homes = ["DDR"], cost = #memplan.group_cost<...>} : tensor<8x16xf32>
    ```
    It means what its body means: the attributes say how `memplan-expand-groups` computes it.
    `cuts` are the loops of the tiles, outermost first; `residencies` how each operand comes to the
    chip; `homes` the memory that each result is stored to, "" for the chip. With `sliced` the sums
    of a layer whose result is narrower exist for a slice of the features only.
    """

    name = "memplan.group"

    inputs = var_operand_def(TensorType)
    cuts = attr_def(ArrayAttr[CutAttr])
    residencies = attr_def(ArrayAttr[ResidencyAttr])
    homes = attr_def(ArrayAttr[StringAttr])
    cost = attr_def(GroupCostAttr)
    sliced = opt_attr_def(UnitAttr)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")

    traits = traits_def(Pure())

    assembly_format = (
        "`ins` `(` ($inputs^ `:` type($inputs))? `)` $body attr-dict (`:` type($outputs)^)?"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[Attribute],
        body: Region | Block,
        *,
        cuts: Sequence[LoopCut],
        residencies: Sequence[Residency],
        homes: Sequence[str],
        cost: GroupCost,
        is_sliced: bool = False,
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[outputs],
            regions=[body if isinstance(body, Region) else Region(body)],
            attributes={
                "cuts": ArrayAttr([CutAttr.of(cut) for cut in cuts]),
                "residencies": ArrayAttr([ResidencyAttr.of(r) for r in residencies]),
                "homes": ArrayAttr([StringAttr(home) for home in homes]),
                "cost": GroupCostAttr.of(cost),
                "sliced": UnitAttr() if is_sliced else None,
            },
        )

    def is_resident(self, number: int) -> bool:
        """Whether an operand is on chip before the group starts."""
        return self.residencies.data[number].kind.data == "resident"

    def add_to_cost(self, *, traffic: int = 0, peak: int = 0, transfers: int = 0) -> None:
        """Change what the group says it costs, in bytes and moves."""
        known = self.cost.cost
        self.cost = GroupCostAttr.of(
            known._replace(
                traffic=known.traffic + traffic,
                peak=known.peak + peak,
                transfers=known.transfers + transfers,
            )
        )

    def verify_(self) -> None:
        """One residency per operand, one home per result, and a body that yields the results."""
        if len(self.residencies) != len(self.inputs):
            raise VerifyException(
                f"{len(self.inputs)} operands, but {len(self.residencies)} residencies"
            )
        if len(self.homes) != len(self.outputs):
            raise VerifyException(f"{len(self.outputs)} results, but {len(self.homes)} homes")
        last = self.body.block.last_op
        if not isinstance(last, GroupYieldOp):
            raise VerifyException("the body ends with memplan.group_yield")
        if [value.type for value in last.values] != [result.type for result in self.outputs]:
            raise VerifyException("the body yields other types than the results")
