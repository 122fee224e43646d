"""Keeps what parts of a function hand on to each other on chip."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.handed_on import (
    VIEWS,
    HandedOn,
    HandedOnTensors,
    is_given,
    is_made_anywhere,
)
from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.dialects.number_arrays import insertion_segments, slice_segments
from xdsl_memplan.dialects.off_chip import HOME
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp
from xdsl_memplan.dialects.slice_offsets import offsets_of
from xdsl_memplan.dialects.whole_moves import whole_load, whole_store
from xdsl_memplan.transforms.noted_bytes import note_bytes
from xdsl_memplan.transforms.unit_dimensions import unit_reshape
from xdsl_memplan.transforms.unread import erase_unread


@dataclass(frozen=True)
class MemplanKeepHandedOnPass(ModulePass):
    """Keep what parts of a function hand on to each other on chip.

    Before:

    ```mlir
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
      %t = memplan.load %s[0, 0] [8, 64] [1, 1] : tensor<8x64xf32> to tensor<8x64xf32>
      %p = linalg.exp ins(%t : tensor<8x64xf32>) outs(%e : ...) -> tensor<8x64xf32>
      %r = memplan.store %p into %d[0, 0] [8, 64] [1, 1] to @DDR : ...
      scf.yield %r : tensor<8x64xf32>
    } {memplan.home = "DDR"}
    func.return %y : tensor<8x64xf32>
    ```

    After:

    ```mlir
    %s0 = memplan.load %x[0, 0] [8, 64] [1, 1] : tensor<8x64xf32> to tensor<8x64xf32>
    %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %s0) -> (tensor<8x64xf32>) {
      %p = linalg.exp ins(%s : tensor<8x64xf32>) outs(%e : ...) -> tensor<8x64xf32>
      scf.yield %p : tensor<8x64xf32>
    } {memplan.home = ["L1"]}
    %r = memplan.store %y into %d[0, 0] [8, 64] [1, 1] to @DDR : ...
    func.return %r : tensor<8x64xf32>
    ```

    A tensor is all that has its storage, one value after another: what is stored into it, the
    results of loops and branches that hand it on. It takes room on chip from where it is made to
    where it is read last, is loaded once if it is an argument or a constant, and stored once if it
    is returned. Those are counted that save bytes and are no larger than the first memory. What is
    read or handed on by others than `memplan.load`, `scf.for`, `scf.if`, slices and reshapes stays
    off chip.

    Options:

    - `which` (all): numbers of the tensors that are kept, counted from those that save most bytes
      for their room.
    - `memory` (none): `"L1=256KiB,DDR"`; wins over the module's description. Without a second one
      nothing changes.

    Requires `memplan-inline-parts`.
    """

    name = "memplan-keep-handed-on"

    which: tuple[int, ...] | None = None
    memory: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Keep tensors in every function of the module ``op``; n log n in its operations.

        Raises PassFailedException for a number that no tensor has.
        """
        on_chip, *off_chip = Memories.of(op, self.memory).by_name
        if not off_chip:
            return
        found = tensors_to_keep(op, self.memory)
        which = range(len(found)) if self.which is None else self.which
        if wrong := [number for number in which if not 0 <= number < len(found)]:
            raise PassFailedException(
                f"memplan-keep-handed-on: option which={wrong[0]}: there are {len(found)} tensors "
                "to keep, counted from 0"
            )
        kept = dict.fromkeys(
            item for number in which for item in (found[number], *found[number].inserted)
        )
        for tensors in dict.fromkeys(found[number].among for number in which):
            of_function = [item for item in kept if item.among is tensors]
            _Keeper(tensors, of_function, on_chip, off_chip[0]).keep()
            erase_unread(tensors.function)
            note_bytes(tensors.function)


def tensors_to_keep(module: ModuleOp, memory: str) -> list[HandedOn]:
    """List tensors that save bytes on chip, those first that save most for their room.

    Those that are larger than the first memory are left out.
    """
    capacity = next(iter(Memories.of(module, memory).by_name.values())).capacity
    found = [
        tensor_
        for function in module.body.ops
        if isinstance(function, FuncOp) and len(function.body.blocks) == 1
        for tensor_ in HandedOnTensors(function).that_may_stay()
        if capacity is None or tensor_.size_bytes <= capacity
    ]
    return sorted(found, key=lambda tensor_: tensor_.worth, reverse=True)


@dataclass
class _Keeper:
    """Keeps tensors of one function on chip."""

    tensors: HandedOnTensors
    kept: Sequence[HandedOn]
    on_chip: str
    off_chip: str

    def __post_init__(self) -> None:
        self._stay = {value for item in self.kept for value in item.values}
        self._function = self.tensors.function

    def keep(self) -> None:
        """Rewrite what makes and reads the tensors."""
        # What changes is found out first, as values are replaced meanwhile.
        changes = [self._change(op) for op in operations_in(self._function)]
        given = [value for item in self.kept for value in item.values if is_given(value)]
        for change in changes:
            if change is not None:
                change()
        for value in given:
            self._load_once(value)

    def _change(self, op: Operation) -> Callable[[], None] | None:
        stay = self._stay
        match op:
            case LoadOp() if op.source in stay:
                return lambda: _read_on_chip(op)
            case StoreOp() if op.result in stay:
                return lambda: self._write_on_chip(op)
            case tensor.InsertSliceOp() if op.result in stay:
                return lambda: self._insert_on_chip(op)
            case tensor.InsertSliceOp() if op.source in stay:
                return lambda: self._store_part(op)
            case scf.ForOp() | scf.IfOp() if not stay.isdisjoint(op.results):
                which = [number for number, value in enumerate(op.results) if value in stay]
                return lambda: self._hand_on(op, which)
            case ReturnOp() if not stay.isdisjoint(op.operands):
                which = [number for number, value in enumerate(op.operands) if value in stay]
                return lambda: self._store_to_return(op, which)
            case _ if isinstance(op, VIEWS) and op.results[0] in stay:
                return lambda: _forget_home(op)
            case _:
                return None

    def _brought(self, value: SSAValue, op: Operation) -> SSAValue:
        """What is on chip in the place of a value that ``op`` reads."""
        if is_made_anywhere(value):
            return _made_again(value, op)
        known = self.tensors.of(value)
        if value in self._stay or known is None or not known.is_off_chip:
            return value
        load = whole_load(value)
        Rewriter.insert_op(load, InsertPoint.before(op))
        return load.result

    def _hand_on(self, op: scf.ForOp | scf.IfOp, which: Sequence[int]) -> None:
        lasts = [region.block.last_op for region in op.regions]
        for number in which:
            if isinstance(op, scf.ForOp):
                index = len(op.operands) - len(op.results) + number
                op.operands[index] = self._brought(op.operands[index], op)
            for last in lasts:
                assert last is not None
                last.operands[number] = self._brought(last.operands[number], last)
        if HOME in op.attributes:
            homes = (
                self.on_chip if number in which else self.off_chip
                for number in range(len(op.results))
            )
            op.attributes[HOME] = ArrayAttr(map(StringAttr, homes))

    def _write_on_chip(self, op: StoreOp) -> None:
        if op.source.type == op.result.type:
            Rewriter.replace_op(op, [], [op.source])
            return
        insert = tensor.InsertSliceOp.create(
            operands=[op.source, self._brought(op.destination, op), *op.offsets],
            result_types=[op.result.type],
            properties={
                **_region(op),
                "operandSegmentSizes": insertion_segments(len(op.offsets)),
            },
        )
        Rewriter.replace_op(op, insert)

    def _insert_on_chip(self, op: tensor.InsertSliceOp) -> None:
        _forget_home(op)
        for number in range(2):
            op.operands[number] = self._brought(op.operands[number], op)

    def _store_part(self, op: tensor.InsertSliceOp) -> None:
        """Store a slice right where it is inserted into a tensor off chip."""
        views, part = unit_reshape(op.source, op.static_sizes.get_values())
        strides = op.static_strides.get_values()
        store = StoreOp(part, op.dest, self.off_chip, offsets_of(op), strides)
        Rewriter.replace_op(op, [*views, store])

    def _store_to_return(self, op: ReturnOp, which: Sequence[int]) -> None:
        for number in which:
            room, store = whole_store(op.operands[number], self.off_chip)
            Rewriter.insert_op([room, store], InsertPoint.before(op))
            op.operands[number] = store.result

    def _load_once(self, value: SSAValue) -> None:
        """Load an argument or a constant before it is read first."""
        readers = {use.operation for use in value.uses}
        load = whole_load(value)
        value.replace_all_uses_with(load.result)
        load.operands[0] = value
        for op in self._function.body.block.ops:
            if any(op.is_ancestor(reader) for reader in readers):
                Rewriter.insert_op(load, InsertPoint.before(op))
                break


def _read_on_chip(op: LoadOp) -> None:
    if op.source.type == op.result.type:
        Rewriter.replace_op(op, [], [op.source])
        return
    slice_ = tensor.ExtractSliceOp.create(
        operands=[op.source, *op.offsets],
        result_types=[op.result.type],
        properties={**_region(op), "operandSegmentSizes": slice_segments(len(op.offsets))},
    )
    Rewriter.replace_op(op, slice_)


def _region(op: LoadOp | StoreOp) -> dict[str, Attribute]:
    return {
        "static_offsets": op.static_offsets,
        "static_sizes": op.static_sizes,
        "static_strides": op.static_strides,
    }


def _forget_home(op: Operation) -> None:
    op.attributes.pop(HOME, None)


def _made_again(value: SSAValue, op: Operation) -> SSAValue:
    """A copy on chip of a tensor that is filled or has no contents."""
    maker = value.owner
    assert isinstance(maker, Operation)
    copy = maker.clone()
    _forget_home(copy)
    if not isinstance(maker, tensor.EmptyOp):
        copy.operands[-1] = _made_again(copy.operands[-1], op)
    Rewriter.insert_op(copy, InsertPoint.before(op))
    return copy.results[0]
