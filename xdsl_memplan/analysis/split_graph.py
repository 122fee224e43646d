"""The split graph of a function: its operations with the rules by which they can be tiled."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.dialects.tensor import EmptyOp, InsertSliceOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.distinct_lookups import distinct_lookups
from xdsl_memplan.analysis.handed_out import is_handed_out
from xdsl_memplan.analysis.needed_results import needed_results
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.analysis.slots import fits_its_slot
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.analysis.trait_answers import check_answers
from xdsl_memplan.dialects.groups import GroupOp, GroupYieldOp
from xdsl_memplan.dialects.interfaces import Access
from xdsl_memplan.dialects.memref_size import element_size_bytes, size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import aliases_of, effects_of, shown_by
from xdsl_memplan.dialects.tiling import Read, TilingRule
from xdsl_memplan.dialects.tiling_models.tile_values import is_remade
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.model.split_graph import (
    Affine,
    Indirect,
    Reshape,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
    TensorKind,
    Whole,
    box_elements,
    operand_box,
    whole,
)

LAYER = "memplan.layer"
"""Attribute of an operation: the number of its layer."""


@dataclass(frozen=True)
class FunctionSplitGraph:
    """A split graph, and the IR that it stands for: `operations` and `values` by position."""

    graph: SplitGraph
    operations: tuple[Operation, ...]
    values: tuple[SSAValue, ...]

    @classmethod
    def of(cls, function: FuncOp, put_together: Collection[Operation] = ()) -> "FunctionSplitGraph":
        """Analyse a function with one block. Linear in its operations.

        Operations that touch no tensor, and those that only make a tensor with one element
        everywhere (fill, splat, empty, constants), are no operations of the graph. Nor are those of
        ``put_together``, and those that take a scalar out to be returned: for these their operands
        are returned.

        Raises ValueError for several blocks, or for a tensor whose size is not known.
        """
        if len(function.body.blocks) != 1:
            raise ValueError(f"@{function.sym_name.data} has more than one block; use scf")
        return cls._of_block(function.body.block, function.sym_name.data, put_together)

    @classmethod
    def of_group(cls, group: GroupOp) -> "FunctionSplitGraph":
        """Analyse the body of a group; what it reads from outside are arguments."""
        return cls._of_block(group.body.block, group.name)

    @classmethod
    def _of_block(
        cls, block: Block, name: str, put_together: Collection[Operation] = ()
    ) -> "FunctionSplitGraph":
        builder = _Builder(block, name)
        handed_out: list[Operation] = []
        for op in block.ops:
            if is_handed_out(op):
                handed_out.append(op)
            elif op is not block.last_op and op not in put_together:
                builder.add(op)
        return builder.finish((*put_together, *handed_out))


class _Builder:
    def __init__(self, block: Block, name: str) -> None:
        self.block = block
        self.name = name
        self.values: dict[SSAValue, int] = {}
        self.tensors: list[SplitTensor] = []
        self.ops: list[SplitOp] = []
        self.operations: list[Operation] = []
        self.with_gaps: set[int] = set()
        """Views whose elements do not lie one behind the other."""
        for argument in block.args:
            if is_tensor(argument.type):
                self.tensor(argument)

    def tensor(self, value: SSAValue) -> int:
        """Return the position of a tensor; a new one if it was not seen yet."""
        known = self.values.get(value)
        if known is not None:
            return known
        if size_bytes(value.type) is None:
            raise ValueError(f"the size of {value.type} is not known")
        type_ = cast(TensorType[Attribute], value.type)
        position = len(self.values)
        self.values[value] = position
        self.tensors.append(
            SplitTensor(
                value.name_hint or f"t{position}",
                tuple(type_.get_shape()),
                element_size_bytes(type_.get_element_type()) or 0,
                _kind(value, self.block),
            )
        )
        return position

    def add(self, op: Operation) -> None:
        results = [result for result in op.results if is_tensor(result.type)]
        if results and (is_remade(results[0]) or op.name == "arith.constant"):
            return
        if op.name == "tensor.dim":
            return
        check_answers(op)
        rule = tiling_rule_of(op)
        reads = self._all_of_outside(op) if rule is None else rule.reads
        if not results and not reads:
            return
        loops = () if rule is None else rule.loops
        operands = tuple(self._operand(read, op, loops) for read in reads)
        used = _with_room(op) or results[:1]
        if rule is None or rule.cuttable:
            # Computed whole it makes all of them, and parts of a sum hand all of them on: one may
            # depend on the others.
            used = results
        made = tuple(self.tensor(result) for result in used)
        layer = op.attributes.get(LAYER)
        split = SplitOp(
            op.name,
            made,
            operands,
            in_place=_in_place(op, used[:1], reads),
            view=rule.view if rule is not None else bool(aliases_of(op)),
            operations=_operations(op),
            rooms=_rooms(op),
            layer=layer.value.data if isinstance(layer, IntegerAttr) else -1,
        )
        split = split if rule is None else _with_rule(split, rule, op)
        self.ops.append(self._without_copies(split, used) if split.view else split)
        self.operations.append(op)

    def _all_of_outside(self, op: Operation) -> Sequence[Read]:
        """Return what an operation reads that has no rule for tiles: all of the tensors it sees.

        Of a generic one not those of which its body reads nothing, such as what it overwrites.
        """
        used = values_used(op)
        if isinstance(op, GenericOp):
            effects = effects_of(op)
            assert effects is not None
            accesses = zip(op.operands, effects.operands, strict=True)
            read = [operand for operand, access in accesses if Access.READ in access]
            used = [*read, *used[len(op.operands) :]]
        seen = dict.fromkeys(used)
        # Not what the regions of the operation make themselves.
        outside = (v for v in seen if is_tensor(v.type) and not op.is_ancestor(v.owner))
        return [Read(value, Whole()) for value in outside]

    def _without_copies(self, view: SplitOp, results: Sequence[SSAValue]) -> SplitOp:
        """Say that a view is none if bufferization copies it.

        No memref can show dimensions with gaps as one, and what is returned is no part of an
        argument.
        """
        view = self._without_gathering(view)
        is_copied = any(map(is_returned, results)) and _shows_argument(results[0])
        return replace(view, view=False) if is_copied and view.splittable else view

    def _without_gathering(self, view: SplitOp) -> SplitOp:
        [source, *_], [result, *_] = view.operands, view.results
        has_gaps = source.tensor in self.with_gaps
        match source.access:
            case Reshape(groups) if has_gaps and any(
                sum(source.shape[dimension] > 1 for dimension in merged) > 1 for _, merged in groups
            ):
                return replace(view, view=False)
            case Affine() if has_gaps or not _is_one_piece(view):
                self.with_gaps.add(result)
            case _ if has_gaps:
                self.with_gaps.add(result)
            case _:
                pass
        return view

    def finish(self, put_together: Collection[Operation]) -> FunctionSplitGraph:
        terminator = self.block.last_op
        made = {result for op in put_together for result in op.results}
        for value in terminator.operands if terminator is not None else ():
            if is_tensor(value.type) and value not in made:
                self._note_returned(value)
        if isinstance(terminator, ReturnOp):
            self._return_what_is_shown()
        # A part has the shape that it is put together in, whatever it shows.
        for op in put_together:
            for value in op.operands:
                self._note_returned(value)
        graph = SplitGraph(tuple(self.tensors), tuple(self.ops), self.name)
        return FunctionSplitGraph(graph, tuple(self.operations), tuple(self.values))

    def _note_returned(self, value: SSAValue) -> None:
        position = self.tensor(value)
        self.tensors[position] = replace(self.tensors[position], returned=True)

    def _return_what_is_shown(self) -> None:
        """Where a reshape only serves to return a tensor, that tensor is what is returned.

        So its maker is cut, not the reshape, whose dimensions may say less about it.
        """
        read: set[int] = set()
        made: set[int] = {tensor for op in self.ops for tensor in op.results}
        for op in reversed(self.ops):
            if op.view and isinstance(op.operands[0].access, Reshape):
                [source, *_], [result, *_] = op.operands, op.results
                if self.tensors[result].returned and result not in read and source.tensor in made:
                    self.tensors[result] = replace(self.tensors[result], returned=False)
                    shown = replace(self.tensors[source.tensor], returned=True)
                    self.tensors[source.tensor] = shown
                    continue  # A reshape of a reshape only serves to return it, too.
            read.update(operand.tensor for operand in op.operands)

    def _operand(self, read: Read, op: Operation, loops: Sequence[int]) -> SplitOperand:
        position, access = self.tensor(read.tensor), read.access
        if isinstance(access, Indirect):
            access = Indirect(distinct_lookups(op, read.tensor, loops))
        return SplitOperand(position, self.tensors[position].shape, access)


def _with_room(op: Operation) -> list[OpResult]:
    """The results that take room: those that are read, and of a `linalg.generic` what these need.

    Of what they need it is what has their shape by the same map.
    """
    used = [result.first_use is not None for result in op.results]
    if isinstance(op, GenericOp):
        maps = op.indexing_maps.data[len(op.inputs) :]
        read_by = {map_ for map_, is_read in zip(maps, used, strict=True) if is_read}
        needed = needed_results(op, used)
        used = [n and map_ in read_by for n, map_ in zip(needed, maps, strict=True)]
    return [r for r, u in zip(op.results, used, strict=True) if u and is_tensor(r.type)]


def is_returned(value: SSAValue) -> bool:
    """Tell whether a function returns a value, or its group hands it to one that is returned."""
    for use in value.uses:
        if isinstance(use.operation, ReturnOp):
            return True
        if isinstance(use.operation, GroupYieldOp):
            group = use.operation.parent_op()
            if group is not None and is_returned(group.results[use.index]):
                return True
    return False


def _shows_argument(value: SSAValue) -> bool:
    """Tell whether a value is an argument of a function, or a view of one."""
    owner = shown_by(value).owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), FuncOp)


def _operations(op: Operation) -> int:
    """Count what a tile of an operation is written down in.

    That is the operation, what is in its bodies, and what fills its destinations.
    """
    count = len(operations_in(op))
    for operand in dict.fromkeys(op.operands):
        if isinstance(operand.owner, FillOp):
            count += len(operations_in(operand.owner))
    return count


def _rooms(op: Operation) -> int:
    """Count what tiles of one shape share.

    That is constants of their size, and room for results unless there is room of that type already,
    for an operand.
    """
    count = 0
    for operand in dict.fromkeys(op.operands):
        owner = operand.owner
        if isinstance(owner, FillOp | EmptyOp):
            count += all(other is operand or other.type != operand.type for other in op.operands)
        elif isinstance(owner, ConstantOp) and isinstance(operand.type, TensorType):
            count += 1
    return count


def _with_rule(split: SplitOp, rule: TilingRule, op: Operation) -> SplitOp:
    return replace(
        split,
        splittable=True,
        loops=rule.loops,
        iterators=rule.iterators,
        result_access=rule.result_access,
        parts=rule.parts,
        copied_parts=tuple(p for p in rule.parts if _copies_over(op) or not fits_its_slot(op, p)),
        cuttable=rule.cuttable,
        work_per_point=rule.work_per_point,
    )


def _copies_over(op: Operation) -> bool:
    """Tell whether an insertion copies what it inserts into, over what lies there already."""
    if not isinstance(op, InsertSliceOp) or is_remade(op.dest):
        return False
    return isinstance(op.dest.owner, ConstantOp) or _shows_argument(op.dest)


def _is_one_piece(view: SplitOp) -> bool:
    """Tell whether what is seen of an operand lies there in one piece."""
    box = operand_box(view, 0, whole(view.loops))
    if box is None or box_elements(box) != box_elements(whole(view.loops)):
        return False
    outer = next((i for i, (start, stop) in enumerate(box) if stop - start > 1), len(box))
    return box[outer + 1 :] == whole(view.operands[0].shape)[outer + 1 :]


def _in_place(op: Operation, first: Sequence[OpResult], reads: Sequence[Read]) -> tuple[int, ...]:
    """List the reads over which the first result that takes room, if any does, may be written.

    A destination whose old contents do not count may be read by another operand, in any order.
    """
    over = (operand for made in first for operand in Sharing().overwritable(op, made.index))
    operands = {op.operands[operand] for operand in over}
    return tuple(
        i
        for i, read in enumerate(reads)
        if read.tensor in operands
        and all(
            read == other for other in reads if other is not read and other.tensor is read.tensor
        )
    )


def _kind(value: SSAValue, block: Block) -> TensorKind:
    owner = value.owner
    if not isinstance(owner, Operation):
        return "argument"
    if is_remade(value):
        return "fill"
    if owner.name == "arith.constant":
        return "constant"
    return "value" if owner.parent is block else "argument"
