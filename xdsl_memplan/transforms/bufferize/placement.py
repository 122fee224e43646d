"""The backward walk that gives every tensor a place.

An operation is visited when all uses of its results are known. The place of a result is the one
that a later operation offered, or a new storage. The operation then offers its place, or parts of
it, to the tensors that it reads. A tensor accepts if

- it is made in the same block, by an operation that can write anywhere, and has no place yet;
- what was in the place before is not read after the tensor is written;
- the tensor is not read after something else is written there;
- views of it can still be formed, and a layout that leaves the function is the identity.

A tensor that does not accept is copied. So a place holds one tensor at a time, or several that
are equal, and bytes of different tensors never mix: the walk never needs to undo a decision.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from operator import is_
from typing import cast

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from xdsl_memplan.analysis.memref_layout import Tensor, dense_memref
from xdsl_memplan.analysis.storage_type import has_no_element
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.region_moves import CarryOp
from xdsl_memplan.transforms.bufferize.homes import Homes
from xdsl_memplan.transforms.bufferize.in_place import Overwrite
from xdsl_memplan.transforms.bufferize.liveness import Heir, Liveness
from xdsl_memplan.transforms.bufferize.place import Place, Storage, fresh_place
from xdsl_memplan.transforms.bufferize.records import OperationRecord, writes_nothing
from xdsl_memplan.transforms.bufferize.records import Place as PlaceOne
from xdsl_memplan.transforms.bufferize.tensor_views import inverse, viewed, views_of


@dataclass
class Placement:
    """Places of all tensors of one function."""

    function: func.FuncOp
    liveness: Liveness
    spaces: Mapping[str | None, Attribute] = field(default_factory=dict[str | None, Attribute])
    """Memory spaces of the arenas that have one; that of the default arena under None."""
    in_place: bool = True
    keep_apart: frozenset[tuple[Operation, int]] = frozenset()
    """Operands that are not to be put straight into a slice."""
    homes: Homes = field(default_factory=Homes)
    uniforms: Uniforms = field(default_factory=Uniforms)
    places: dict[SSAValue, Place] = field(default_factory=dict[SSAValue, Place])
    storages: list[Storage] = field(default_factory=list[Storage])
    slices_taken: dict[tuple[Operation, int], tuple[SSAValue, Place]] = field(
        default_factory=dict[tuple[Operation, int], tuple[SSAValue, Place]]
    )
    """Operands that were put straight into a slice."""

    def run(self, rules: "Rules") -> None:
        """Place everything; raises PassFailedException for what cannot be bufferized."""
        self.rules = rules
        for block in self.function.body.blocks:
            self.visit_block(block)

    def visit_block(self, block: Block) -> None:
        """Visit the operations of a block, last first."""
        for op, place in self._steps(block):
            place(self, op)

    def _steps(self, block: Block) -> "list[tuple[Operation, PlaceOne]]":
        """The operations that have something to place, last first; the same in every round."""
        known = self.liveness.steps.get(block)
        if known is None:
            known = self.liveness.steps[block] = []
            live = self.liveness.live
            op = block.last_op
            while op is not None:
                record = self.rules.find(op) if op in live else None
                if record is not None and record.place is not writes_nothing:
                    known.append((op, record.place))
                op = op.prev_op
        return known

    def result_place(self, result: SSAValue) -> Place:
        """The place that was offered to a result, or a new one."""
        place = self.places.get(result)
        if place is None:
            owner = result.owner
            assert isinstance(owner, Operation)
            place = self.places[result] = self.new_place(result, owner)
        return place

    def new_place(self, tensor: SSAValue, op: Operation) -> Place:
        """A storage of its own for a tensor, at its home, made in the block of `op`."""
        assert op.parent is not None
        home = self.homes.of(tensor)
        space = self.spaces.get(home)
        place = fresh_place(cast(Tensor, tensor.type), op.parent, space, home)
        self.storages.append(place.storage)
        return place

    @property
    def space(self) -> Attribute | None:
        """The memory space of buffers in the default arena."""
        return self.spaces.get(None)

    def root(self, value: SSAValue) -> SSAValue:
        """The tensor that `value` is, or is a view of."""
        while isinstance(value, OpResult) and (source := viewed(value.op)) is not None:
            value = source
        return value

    def heirs(self, op: Operation, result: int, values: Iterable[SSAValue]) -> list[Heir]:
        """Those of the operands ``values`` that may lie where a result of ``op`` does.

        They die there, and ``op`` reads each element of them before it writes it. That is the same
        in every round; whether a place suits them is not.
        """
        if not self.in_place:
            return []
        found: list[Heir] = []
        position = self.liveness.position[op]
        for value in values:
            root = self.root(value)
            content = self.liveness.content(root)
            if content.end > position or self.uniforms.of(root) is not None:
                continue
            last = (use for use in content.uses if use.position == position)
            overwrite = Overwrite(op, result, last, self.liveness.sharing)
            if overwrite.is_safe(partial(is_, value)):
                found.append(Heir(value, root, self._can_move(root, op)))
        return found

    def offer_in_place(self, heirs: Iterable[Heir], place: Place, op: Operation) -> None:
        """Offer the place of a result of `op` to the first of its heirs that accepts."""
        position = self.liveness.position[op]
        for value, root, can_move in heirs:
            if root in self.places:
                if self._bind(root, self.places[root], place.until(position), root is value):
                    return
            elif can_move and self._move(value, cast(OpResult, root), place, position):
                return

    def offer_slice(self, value: SSAValue, place: Place, op: Operation, index: int) -> bool:
        """Offer a part of the place of the result of `op` to the operand that it holds there."""
        if (op, index) in self.keep_apart or has_no_element(value):
            # A part without an element may lie behind the end, where MLIR allows no memref.
            return False
        root = self.root(value)
        if isinstance(root.owner, CarryOp):
            return False  # It has room of its own, so that what it goes into need not be there yet.
        if self.liveness.content(root).end >= place.holds_until():
            return False
        if not self._accept(value, root, place, op):
            return False
        self.slices_taken[op, index] = (root, place)
        return True

    def note_early(self, root: SSAValue, part: Place) -> None:
        """Note that something else comes into a part of a tensor's place before the tensor ends."""
        place = self.places[root]
        self.places[root] = replace(place, early=(*place.early, (part, part.free_from)))

    def offer_storage(self, value: SSAValue, place: Place, op: Operation) -> bool:
        """Offer a place to a tensor that is handed to it at `op` and of no use afterwards."""
        root = self.root(value)
        content = self.liveness.content(root)
        position = self.liveness.position[op]
        if content.end > position or sum(use.position == position for use in content.uses) > 1:
            return False
        return self._accept(value, root, place.until(position), op)

    def offer_dead(self, value: SSAValue, place: Place, op: Operation) -> None:
        """Offer a place to a tensor that is of no more use when `op` writes there."""
        root = self.root(value)
        position = self.liveness.position[op]
        if root not in self.places and self.liveness.content(root).end < position:
            self._accept(value, root, place.until(position), op)

    def offer_to_branches(self, value: SSAValue, place: Place, op: Operation) -> bool:
        """Offer the place of a result of `op` to a tensor that some of its branches hand on."""
        root = self.root(value)
        position = self.liveness.position[op]
        if self.liveness.content(root).end > position:
            return False
        return self._accept(value, root, place.until(position), op)

    def _accept(self, value: SSAValue, root: SSAValue, place: Place, op: Operation) -> bool:
        if self.uniforms.of(root) is not None:
            return False
        if root in self.places:
            return self._bind(root, self.places[root], place, root is value)
        if not self._can_move(root, op):
            return False
        return self._move(value, cast(OpResult, root), place, place.overwritten_at)

    def _can_move(self, root: SSAValue, op: Operation) -> bool:
        """Tell whether a tensor is made beside ``op``, by what can write it to any place."""
        return (
            isinstance(root, OpResult)
            and root.op.parent is op.parent
            and self.rules.writes_anywhere(root.op)
        )

    def _move(self, value: SSAValue, root: OpResult, place: Place, overwritten_at: int) -> bool:
        """Let a tensor without a place lie where ``value``, which shows it, is to lie."""
        if place.storage.resolve().arena != self.homes.of(root):
            return False
        back = self._place_of_root(value, place)
        if back is None:
            return False
        position = self.liveness.position[root.op]
        free_from = back.free_from
        if position < free_from:
            return False
        if position == free_from and not self._writes_over(root, back):
            return False
        content = self.liveness.content(root)
        if content.views or content.dense:
            usual = dense_memref(cast(Tensor, root.type), self.space)
            if not content.allows(usual, back.type):
                return False
        self.places[root] = back.until(overwritten_at)
        return True

    def _bind(self, root: SSAValue, old: Place, place: Place, whole: bool) -> bool:
        """Let a new storage be one that is there already, such as a writable argument."""
        storage = place.storage.resolve()
        target = old.storage.resolve()
        if (
            not whole
            or target.external is None
            or not target.writable
            or storage.external is not None
            or storage.block is not target.block
            or place.views
            or old.views
            or place.free_from >= 0
            or storage.type != target.type
            or old.overwritten_at <= place.overwritten_at
        ):
            return False
        storage.bound = target
        self.places[root] = old.until(place.overwritten_at)
        return True

    def _place_of_root(self, value: SSAValue, place: Place) -> Place | None:
        found: Place | None = place
        while isinstance(value, OpResult) and (source := viewed(value.op)) is not None:
            shapes = [cast(Tensor, source.type).get_shape()]
            views = views_of(value.op)
            if len(views) > 1 or found is None:
                return None
            for view in views:
                back = inverse(view, shapes[0])
                found = None if back is None or found is None else found.view(back)
            value = source
        return found

    def _writes_over(self, root: OpResult, place: Place) -> bool:
        """Tell whether the operation that makes `root` may overwrite what it reads in `place`."""
        block, position = root.op.parent, self.liveness.position[root.op]
        assert block is not None

        def exactly(value: SSAValue) -> bool:
            found = self.place_of(value)
            return found is not None and found.same_bytes(place)

        for tensor, last_access in place.occupants:
            if last_access < position:
                continue
            if tensor.owner is root.op:
                return False  # Another result, which is written at the same time.
            uses = (u for u in self.liveness.uses_in(tensor, block) if u.position == position)
            if not Overwrite(root.op, root.index, uses, self.liveness.sharing).is_safe(exactly):
                return False
        return True

    def place_of(self, value: SSAValue) -> Place | None:
        """The place of a tensor or a view of one, if it is known and can be formed."""
        views: list[SSAValue] = []
        while isinstance(value, OpResult) and (source := viewed(value.op)) is not None:
            views.append(value)
            value = source
        place = self.places.get(value)
        for view in reversed(views):
            if place is None:
                return None
            place = place.view(*views_of(cast(OpResult, view).op))
        return place


@dataclass(frozen=True)
class Rules:
    """What is done with an operation; see `stock_records.py`."""

    find: Callable[[Operation], OperationRecord | None]
    """The record of an operation, None for one that has nothing to do with tensors."""
    writes_anywhere: Callable[[Operation], bool]
    """Tell whether results of an operation can be written to any place."""
