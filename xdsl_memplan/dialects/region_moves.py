"""Moves of parts of tensors: `memplan.load`, `memplan.store` and `memplan.carry`.

A region is what `tensor.extract_slice` calls a slice: offsets, sizes and strides, one per
dimension, in elements. Offsets are numbers or index values, sizes and strides are numbers.
"""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IndexType,
    SymbolRefAttr,
    TensorType,
    i64,
)
from xdsl.dialects.utils import (
    DynamicIndexList,
    print_dynamic_index_list,
    split_dynamic_index_list,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    attr_def,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xdsl_memplan.dialects.interface_models import FixedAccess, WritesInto
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.dialects.number_arrays import numbers
from xdsl_memplan.dialects.operations_in import operations_in

_COPIES = FixedAccess(operands=(Access.READ,), results=(Access.WRITE,))
_REPLACES = FixedAccess(operands=(Access.READ, Access.READ), results=(Access.WRITE,))


@irdl_custom_directive
class StaticIndexList(CustomDirective):
    """Numbers in square brackets, held as `array<i64>`."""

    numbers: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        """Parse `[1, 2, 3]`."""
        numbers = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        self.numbers.set(state, DenseArrayBase.from_list(i64, numbers))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        """Print `[1, 2, 3]`."""
        state.print_whitespace(printer)
        numbers = self.numbers.get(op)
        assert isa(numbers, DenseArrayBase[I64])
        print_dynamic_index_list(printer, DYNAMIC_INDEX, (), numbers.get_values())


class _RegionOperation(IRDLOperation):
    """An operation on a region of a tensor, the *whole*, with another tensor that has its shape."""

    static_offsets = attr_def(DenseArrayBase.constr(i64))
    static_sizes = attr_def(DenseArrayBase.constr(i64))
    static_strides = attr_def(DenseArrayBase.constr(i64))

    custom_directives = (DynamicIndexList, StaticIndexList)

    def _verify_region(self, whole_type: Attribute, part_type: Attribute, offsets: int) -> None:
        # Verified already; `isa` with a type in brackets takes as long as all else here.
        whole = cast("TensorType[Attribute]", whole_type)
        part = cast("TensorType[Attribute]", part_type)
        starts = self.static_offsets.get_values()
        sizes = self.static_sizes.get_values()
        strides = self.static_strides.get_values()
        rank = whole.get_num_dims()
        for name, found in (("offset", starts), ("size", sizes), ("stride", strides)):
            if len(found) != rank:
                raise VerifyException(
                    f"expected one {name} per dimension of {whole}, got {len(found)}"
                )
        if starts.count(DYNAMIC_INDEX) != offsets:
            raise VerifyException(
                f"{starts.count(DYNAMIC_INDEX)} offsets are values, {offsets} values are given"
            )
        if part.element_type != whole.element_type or part.get_shape() != sizes:
            raise VerifyException(f"the region is {list(sizes)} of {whole}, the part is {part}")
        for dimension, (start, size, stride) in enumerate(zip(starts, sizes, strides, strict=True)):
            extent = whole.get_shape()[dimension]
            if size < 1 or stride < 1:
                raise VerifyException(
                    f"dimension {dimension}: size {size} and stride {stride} must be positive"
                )
            first = 0 if start == DYNAMIC_INDEX else start
            end = first + (size - 1) * stride + 1
            if first < 0 or (extent != DYNAMIC_INDEX and end > extent):
                raise VerifyException(
                    f"dimension {dimension}: the region [{first}, {end}) is outside of {extent}"
                )


def _region(
    offsets: Sequence[int | SSAValue], sizes: Sequence[int], strides: Sequence[int] | None
) -> tuple[list[SSAValue], dict[str, Attribute]]:
    static, dynamic = split_dynamic_index_list(offsets, DYNAMIC_INDEX)
    steps = (1,) * len(sizes) if strides is None else strides
    return dynamic, {
        "static_offsets": numbers(static),
        "static_sizes": numbers(sizes),
        "static_strides": numbers(steps),
    }


class _CopyOperation(_RegionOperation):
    """A region of a tensor as a new tensor on chip."""

    source = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    result = result_def(TensorType)

    traits = traits_def(Pure(), _COPIES)

    assembly_format = (
        "$source `` custom<DynamicIndexList>($offsets, $static_offsets) "
        "custom<StaticIndexList>($static_sizes) custom<StaticIndexList>($static_strides) "
        "attr-dict `:` type($source) `to` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        offsets: Sequence[int | SSAValue],
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
    ) -> None:
        """Copy the region of `source`; without strides they are 1. All numbers are elements."""
        whole = cast("TensorType[Attribute]", source.type)
        dynamic, attributes = _region(offsets, sizes, strides)
        # One operand besides a list that may have any length: nothing for IRDL to work out.
        Operation.__init__(
            self,
            operands=[source, *dynamic],
            attributes=attributes,
            result_types=[TensorType(whole.element_type, sizes)],
        )

    def verify_(self) -> None:
        """The region lies in the source and has the shape of the result."""
        self._verify_region(self.source.type, self.result.type, len(self.offsets))


@irdl_op_definition
class LoadOp(_CopyOperation):
    """Copy a region of a tensor that is off chip to the on-chip memory, which is the first one.

    ```mlir
    %1 = memplan.load %0[0, 0, 5, %i] [1, 3, 4, 224] [1, 1, 1, 1]
        : tensor<1x3x224x448xf32> to tensor<1x3x4x224xf32>
    ```
    The source is an argument of the function, a constant, or what `memplan.store` and
    `memplan.spill` made. Only the region is moved.
    """

    name = "memplan.load"


@irdl_op_definition
class CarryOp(_CopyOperation):
    """Copy a region of a tensor on chip to room of its own there, right away.

    ```mlir
    %1 = memplan.carry %0[0, 0, 4, 0] [1, 32, 2, 114] [1, 1, 1, 1]
        : tensor<1x32x6x114xf32> to tensor<1x32x2x114xf32>
    ```
    What is kept for later is small beside the tensor that it was a part of, whose room can be used
    again. A view (`tensor.extract_slice`) would keep all of it.

    Tiles of a loop hand on what they keep in the same bytes, those of the loop's argument. `over`
    names what was kept before, for a tile in the middle of the body:

    ```mlir
    %2 = memplan.carry %1[0, 0, 4, 0] [1, 32, 2, 114] [1, 1, 1, 1] over %0
        : tensor<1x32x6x114xf32> to tensor<1x32x2x114xf32>
    ```
    Its contents are not read. Its room is taken where it is of no more use, and else not.
    """

    name = "memplan.carry"

    T: ClassVar = VarConstraint("T", base(TensorType))

    # In the order of the operands: an inherited one would come after those defined here.
    source = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    over = opt_operand_def(T)
    result = result_def(T)

    irdl_options = (AttrSizedOperandSegments(),)

    assembly_format = (
        "$source `` custom<DynamicIndexList>($offsets, $static_offsets) "
        "custom<StaticIndexList>($static_sizes) custom<StaticIndexList>($static_strides) "
        "(`over` $over^)? attr-dict `:` type($source) `to` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        offsets: Sequence[int | SSAValue],
        sizes: Sequence[int],
        over: SSAValue | None = None,
    ) -> None:
        """Copy the region of `source`, with strides of 1. All numbers are elements."""
        whole = cast("TensorType[Attribute]", source.type)
        dynamic, attributes = _region(offsets, sizes, None)
        IRDLOperation.__init__(
            self,
            operands=[source, dynamic, over],
            attributes=attributes,
            result_types=[TensorType(whole.element_type, sizes)],
        )


@irdl_op_definition
class StoreOp(_RegionOperation):
    """The tensor `destination`, which is in the off-chip memory `arena`, with a region replaced.

    ```mlir
    %2 = memplan.store %1 into %0[0, 0, %i, 0] [1, 16, 4, 112] [1, 1, 1, 1] to @DDR
        : tensor<1x16x4x112xf32> into tensor<1x16x112x112xf32>
    ```
    A chain of stores has one buffer in that memory. It begins with `tensor.empty`, or with a fill,
    and may go through `scf.for`. The result is good for more stores, for `memplan.load`, and for
    being returned.
    """

    name = "memplan.store"

    T: ClassVar = VarConstraint("T", base(TensorType))

    arena = attr_def(FlatSymbolRefAttrConstr)
    source = operand_def(TensorType)
    destination = operand_def(T)
    offsets = var_operand_def(IndexType)
    result = result_def(T)

    traits = traits_def(Pure(), WritesInto(1), _REPLACES)

    assembly_format = (
        "$source `into` $destination `` custom<DynamicIndexList>($offsets, $static_offsets) "
        "custom<StaticIndexList>($static_sizes) custom<StaticIndexList>($static_strides) "
        "`to` $arena attr-dict `:` type($source) `into` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        arena: str,
        offsets: Sequence[int | SSAValue],
        strides: Sequence[int] | None = None,
    ) -> None:
        """Replace the region that has the shape of `source`; without strides they are 1."""
        part = cast("TensorType[Attribute]", source.type)
        dynamic, attributes = _region(offsets, part.get_shape(), strides)
        Operation.__init__(
            self,
            operands=[source, destination, *dynamic],
            attributes={"arena": SymbolRefAttr(arena), **attributes},
            result_types=[destination.type],
        )

    def verify_(self) -> None:
        """The region lies in the destination and has the shape of the source."""
        self._verify_region(self.result.type, self.source.type, len(self.offsets))


def has_region_moves(op: Operation) -> bool:
    """Tell whether anything inside of `op` is one of these operations; linear."""
    return any(type(inner) in _MOVES for inner in operations_in(op))


_MOVES = frozenset({LoadOp, StoreOp, CarryOp})
