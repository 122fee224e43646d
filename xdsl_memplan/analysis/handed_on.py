"""Tensors that parts of a function hand on off chip, and what is saved if they stay on chip."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects import scf, tensor
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation, OpResult, SSAValue, Use

from xdsl_memplan.analysis.executions import guessed_executions
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.off_chip import HOME
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.region_moves import LoadOp, StoreOp

VIEWS = (tensor.ExtractSliceOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp, tensor.CastOp)
"""What looks at a tensor, wherever that is."""


def is_made_anywhere(value: SSAValue) -> bool:
    """Tell whether a tensor has no contents, or is filled: it is made anew where it is needed."""
    return isinstance(value.owner, tensor.EmptyOp | FillOp)


@dataclass(eq=False)
class HandedOn:
    """A tensor off chip: all values that are its storage, one after another, or views of it."""

    among: "HandedOnTensors"
    values: list[SSAValue] = field(default_factory=list[SSAValue])

    @cached_property
    def uses(self) -> list[Use]:
        """All uses of the values."""
        return [use for value in self.values for use in value.uses]

    @cached_property
    def is_given(self) -> bool:
        """Whether the function was given it, or it is a constant."""
        return any(map(is_given, self.values))

    @cached_property
    def is_off_chip(self) -> bool:
        """Whether it is off chip before anything is kept."""
        is_moved = next(self._movers(), None) is not None
        return self.is_given or is_moved or any(map(_has_home, self.values))

    @cached_property
    def size_bytes(self) -> int:
        """Bytes of the largest of its values."""
        return max(size_bytes(value.type) or 0 for value in self.values)

    @cached_property
    def may_stay(self) -> bool:
        """Whether all that is done with it can be done on chip as well."""
        return all(size_bytes(value.type) is not None for value in self.values) and (
            all(map(self._has_known_maker, self.values)) and all(map(self._is_known, self.uses))
        )

    @cached_property
    def saved_bytes(self) -> int:
        """How many bytes fewer are moved if it alone stays on chip, as far as that can be told."""
        before = sum(self._moved(op) for op in self._movers())
        before += sum(self._moved(op) for op, _ in self._inserted())
        after = self.size_bytes if self.is_given else 0
        for value in self.values:
            if isinstance(value, OpResult) and isinstance(value.op, scf.ForOp):
                first = value.op.iter_args[value.index]
                after += self._moved_by(value.op, first) if is_given(first) else 0
        for use in self.uses:
            match use.operation:
                case ReturnOp():
                    after += size_bytes(use.operation.operands[use.index].type) or 0
                case tensor.InsertSliceOp() as op if use.index == 0:
                    after += self._moved(op)
                case _:
                    pass
        return before - after

    @cached_property
    def inserted(self) -> "tuple[HandedOn, ...]":
        """What is put into it slice by slice: on chip as well, if it is itself."""
        return tuple(dict.fromkeys(part for _, part in self._inserted()))

    def _inserted(self) -> "Iterator[tuple[Operation, HandedOn]]":
        for value in self.values:
            if isinstance(op := value.owner, tensor.InsertSliceOp):
                part = self.among.of(op.source)
                if part is not None and part.is_off_chip and part.may_stay:
                    yield op, part

    @property
    def worth(self) -> float:
        """Bytes saved for each byte of room."""
        return self.saved_bytes / max(1, self.size_bytes)

    def _movers(self) -> Iterator[Operation]:
        for value in self.values:
            if isinstance(value.owner, StoreOp):
                yield value.owner
        for use in self.uses:
            if isinstance(use.operation, LoadOp):
                yield use.operation

    def _moved(self, op: Operation) -> int:
        return self._moved_by(op, op.results[0] if isinstance(op, LoadOp) else op.operands[0])

    def _moved_by(self, op: Operation, part: SSAValue) -> int:
        return guessed_executions(op, self.among.function) * (size_bytes(part.type) or 0)

    def _has_known_maker(self, value: SSAValue) -> bool:
        if is_given(value):
            return True
        maker = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        return isinstance(maker, _MAKERS)

    def _is_known(self, use: Use) -> bool:
        match use.operation:
            case LoadOp():
                return True
            case scf.ForOp():
                return not self.is_given
            case StoreOp():
                return use.index == 1
            case tensor.InsertSliceOp() as op:
                return not self.is_given and DYNAMIC_INDEX not in op.static_sizes.get_values()
            case scf.YieldOp():
                parent = use.operation.parent_op()
                return not self.is_given and isinstance(parent, scf.ForOp | scf.IfOp)
            case ReturnOp():
                return not self.is_given
            case _:
                return isinstance(use.operation, VIEWS)


_MAKERS = (StoreOp, tensor.InsertSliceOp, scf.ForOp, scf.IfOp, *VIEWS)


def is_given(value: SSAValue) -> bool:
    """Tell whether a tensor is an argument of the function or a constant."""
    owner = value.owner
    if isinstance(owner, Block):
        return isinstance(owner.parent_op(), FuncOp)
    return isinstance(owner, ConstantOp)


def _has_home(value: SSAValue) -> bool:
    maker = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    return maker is not None and HOME in maker.attributes


@dataclass(eq=False)
class HandedOnTensors:
    """The tensors of a function that are off chip."""

    function: FuncOp
    _of: dict[SSAValue, HandedOn] = field(default_factory=dict[SSAValue, HandedOn])

    def __post_init__(self) -> None:
        ops = operations_in(self.function)
        for op in ops:
            match op:
                case StoreOp():
                    self._join(op.result, op.destination)
                case tensor.InsertSliceOp():
                    self._join(op.result, op.dest)
                case LoadOp():
                    self._find(op.source)
                case _ if isinstance(op, VIEWS):
                    self._join(op.results[0], op.operands[0])
                case _:
                    pass
        # What the function was given stays as it is where a loop begins with it.
        for op in ops:
            match op:
                case scf.ForOp():
                    last = op.body.block.last_op
                    assert last is not None
                    for values in zip(
                        op.res, op.iter_args, op.body.block.args[1:], last.operands, strict=True
                    ):
                        self._join_carried(values)
                case scf.IfOp():
                    branches = [region.block.last_op for region in op.regions if region.blocks]
                    yielded = [last.operands for last in branches if last is not None]
                    for values in zip(op.results, *yielded, strict=bool(op.results)):
                        self._join_carried(values)
                case _:
                    pass

    def of(self, value: SSAValue) -> HandedOn | None:
        """The tensor that a value is, or shows; None for one that is made anew anywhere."""
        return self._of.get(value)

    def that_may_stay(self) -> list[HandedOn]:
        """Those that may stay on chip and save bytes there."""
        return [
            item
            for item in dict.fromkeys(self._of.values())
            if item.is_off_chip and item.may_stay and item.saved_bytes > 0
        ]

    def _find(self, value: SSAValue) -> HandedOn | None:
        if is_made_anywhere(value):
            return None
        if value not in self._of:
            self._of[value] = HandedOn(self, [value])
        return self._of[value]

    def _join(self, *values: SSAValue) -> None:
        found = [item for value in values if (item := self._find(value)) is not None]
        if not found:
            return
        largest = max(found, key=lambda item: len(item.values))
        for item in dict.fromkeys(found):
            if item is not largest:
                largest.values += item.values
                self._of.update(dict.fromkeys(item.values, largest))

    def _join_carried(self, values: tuple[SSAValue, ...]) -> None:
        if is_tensor(values[0].type):
            self._join(*(value for value in values if not self._is_given(value)))

    def _is_given(self, value: SSAValue) -> bool:
        # What is given is so before anything is carried, and is never joined with what is.
        found = self._find(value)
        return found is not None and found.is_given
