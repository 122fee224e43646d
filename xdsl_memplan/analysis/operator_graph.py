"""The operator graph of a function on tensors, as bufferization will see it.

The operators are the operations of the function's block that take time; regions move whole. Views,
constants, empty tensors, fills and scalar arithmetic take no part: they follow whoever uses them.

The tensors of the graph are *storages*, not values. A value shares the storage of an operand where
bufferization lets it: views, destinations, elementwise operations in place, producers that write
straight into a padded tensor or a slice of a concatenation. An operator that only changes a storage
makes a token of no bytes, which its readers wait for; so order is kept and nothing counts twice.

Operators whose inputs are always there (arguments, constants) and whose only reader is one other
operator are folded into it as workspace: there is never a reason to run them earlier. Operators
that only change what one other made are appended to it: there is no reason to run them later.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xdsl_memplan.analysis.block_operations import DYNAMIC_SIZE, BlockOperations
from xdsl_memplan.analysis.block_order import arrange, values_used
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.queries import destinations_of

_SMALL = 64
"""How many times smaller a tensor must be to be held a little longer without a thought."""


@dataclass
class Operator:
    """One operation that takes time, with those folded into it; numbers are indices of storages."""

    operations: list[Operation]
    """In the order in which they run."""
    inputs: list[int] = field(default_factory=list[int])
    outputs: list[int] = field(default_factory=list[int])
    workspace_bytes: int = 0
    keeps_order: bool = False
    """Whether it must stay in order with the other operators that say so."""


@dataclass
class OperatorGraph:
    """Operators in the order of the function, and the bytes of each storage they make."""

    function: FuncOp
    operators: list[Operator]
    storage_bytes: list[int]
    """Bytes of each storage; 0 for a token that only says what comes before what."""
    returned: list[int]
    """Storages that the function returns."""
    holders: dict[SSAValue, list[int]]
    """Storages that the contents of a tensor lie in; none for arguments, constants and views."""
    roots: dict[SSAValue, SSAValue]
    """The tensor that a view shows."""
    sharing: Sharing
    """What was asked about the operations, for whoever asks again."""
    edges: list[tuple[int, int]]
    """Operators of which the second needs a number, such as an element, that the first makes."""

    @classmethod
    def of(
        cls, function: FuncOp, keep_order: bool = False, sharing: Sharing | None = None
    ) -> "OperatorGraph":
        """Analyse a function with one block. Linear in its operations.

        With ``keep_order`` only operations that stand next to each other become one operator, so
        that the order of the operators can be written back without moving any of them. `sharing`:
        what was asked about the operations before.

        Raises ValueError for several blocks, or for a tensor whose size is not known.
        """
        return _Builder(function, keep_order, sharing or Sharing()).build()

    def root(self, value: SSAValue) -> SSAValue:
        """Return the tensor that ``value`` shows, which is itself if it is no view."""
        return self.roots.get(value, value)

    def is_in_file_order(self) -> bool:
        """Tell whether the operators, one after another, run as the function does; linear.

        They do not where operations were moved to those that they became one operator with.
        """
        position = {op: i for i, op in enumerate(self.function.body.block.ops)}
        positions = [position[op] for operator in self.operators for op in operator.operations]
        return positions == sorted(positions)

    def reorder(self, order: Iterable[int]) -> None:
        """Bring the operations of the function into the given order of operators; linear.

        Followers stand right before the first who uses them.
        """
        arrange(
            self.function.body.block,
            (op for index in order for op in self.operators[index].operations),
        )


class _Builder:
    """Builds the graph in one walk over the block."""

    def __init__(self, function: FuncOp, keep_order: bool, sharing: Sharing) -> None:
        self.function = function
        self.keep_order = keep_order
        self.sharing = sharing
        self.block = BlockOperations(function, _is_fill_of_nothing, self.sharing)
        self.root = self.block.roots
        self.readers = self.block.readers
        self.operators: list[Operator] = []
        self.storage_bytes: list[int] = []
        self.holders: dict[SSAValue, list[int]] = {}

    def build(self) -> OperatorGraph:
        for op in self.block.operations:
            self._add(op)
        self._fold()
        self._append_in_place()
        terminator = self.block.last
        operands = terminator.operands if terminator is not None else ()
        returned = {s for value in operands for s in self.holders.get(self._root(value), ())}
        operators = self._in_order()
        return OperatorGraph(
            self.function,
            operators,
            self.storage_bytes,
            sorted(returned),
            self.holders,
            self.root,
            self.sharing,
            self.block.edges_of_numbers([operator.operations for operator in operators]),
        )

    def _root(self, value: SSAValue) -> SSAValue:
        return self.block.root(value)

    def _add(self, op: Operation) -> None:
        operator = Operator([op], keeps_order=self.block.keeps_order(op))
        self.operators.append(operator)
        inputs: dict[int, None] = {}
        for value in values_used(op):
            inputs.update(dict.fromkeys(self.holders.get(self._root(value), ())))
        operator.inputs = list(inputs)
        for result in op.results:
            if not is_tensor(result.type):
                continue
            size = size_bytes(result.type)
            if size is None:
                raise ValueError(f"{describe_op(op)}: {DYNAMIC_SIZE}")
            shared = self._shared_storages(op, result.index, size)
            needs_room = not shared and result.first_use is not None
            made = self._make(size if needs_room else 0)
            operator.outputs.append(made)
            self.holders[result] = [*shared, made]

    def _make(self, size: int) -> int:
        self.storage_bytes.append(size)
        return len(self.storage_bytes) - 1

    def _shared_storages(self, op: Operation, result: int, size: int) -> list[int]:
        """Find storages that the result takes over, as their last reader is `op`."""
        if op.name == "tensor.concat":
            parts = [self._only_read_by(op, operand) for operand in op.operands]
            return [s for part in parts for s in part] if all(parts) else []
        if op.name == "tensor.pad":
            held = self._only_read_by(op, op.operands[0])
            if held:
                largest = max(held, key=lambda storage: self.storage_bytes[storage])
                # The producer writes into the middle of the padded tensor.
                self.storage_bytes[largest] = max(self.storage_bytes[largest], size)
            return held
        for operand in self.sharing.overwritable(op, result):
            held = self._only_read_by(op, op.operands[operand])
            if held:
                return held
        return []

    def _only_read_by(self, op: Operation, value: SSAValue) -> list[int]:
        root = self._root(value)
        return self.holders.get(root, []) if self.readers.get(root) == [op] else []

    def _fold(self) -> None:
        """Fold operators that need nothing into their only reader, where it has the room they need.

        Waiting for the reader then costs nothing: while they run no more is held than while it
        does.
        """
        position = {operator.operations[-1]: i for i, operator in enumerate(self.operators)}
        steps = [[(o.inputs, o.outputs)] for o in self.operators]
        """What each operation of an operator reads and makes."""
        for i, operator in enumerate(self.operators):
            if len(steps[i]) > 1:
                self._summarise(operator, steps[i])
            reader = self._only_reader(operator)
            if operator.inputs or operator.keeps_order or reader is None or reader not in position:
                continue
            if any(map(self.block.makes_numbers, operator.operations)):
                continue
            target = self.operators[position[reader]]
            if not self._may_meet(i, position[reader]) or operator.workspace_bytes > self._room(
                target
            ):
                continue
            target.operations[-1:-1] = operator.operations
            steps[position[reader]][-1:-1] = steps[i]
            operator.operations = []

    def _summarise(self, operator: Operator, steps: list[tuple[list[int], list[int]]]) -> None:
        """Set inputs, outputs and workspace of an operator that others were folded into."""
        made = {storage for _, outputs in steps for storage in outputs}
        results = operator.operations[-1].results
        held = {storage for result in results for storage in self.holders.get(result, ())}
        # What is made here and changed in place lives on under its old number.
        lasting = held & made | set(steps[-1][1])
        last_step: dict[int, int] = {}
        for i, (inputs, outputs) in enumerate(steps):
            last_step |= dict.fromkeys((*inputs, *outputs), i)
        dying: list[list[int]] = [[] for _ in steps]
        for storage in made - lasting:
            dying[last_step[storage]].append(storage)
        live = most = 0
        for (_, outputs), dead in zip(steps, dying, strict=True):
            live += self._sum(outputs)
            most = max(most, live)
            live -= self._sum(dead)
        operator.inputs = [storage for storage in operator.inputs if storage not in made]
        operator.outputs = sorted(lasting)
        operator.workspace_bytes = max(0, most - self._sum(lasting))

    def _room(self, operator: Operator) -> int:
        """Bytes that an operator holds besides what it reads."""
        return operator.workspace_bytes + self._sum(
            storage for storage in operator.outputs if storage not in operator.inputs
        )

    def _sum(self, storages: Iterable[int]) -> int:
        return sum(self.storage_bytes[storage] for storage in storages)

    def _may_meet(self, first: int, second: int) -> bool:
        """Tell whether two operators may become one: in a kept order only if nothing is between."""
        between = range(first + 1, second)
        return not self.keep_order or not any(self.operators[i].operations for i in between)

    def _append_in_place(self) -> None:
        """Append to an operator those that only change what it made: they never need to wait.

        What else they read must be small beside it, and can be there before it.
        """
        maker: dict[int, int] = {}
        early = self._can_run_first()
        for i, operator in enumerate(self.operators):
            first = self._appendable_to(operator, maker, early)
            if first is not None and not self._may_meet(first, i):
                first = None
            if first is not None:
                target = self.operators[first]
                others = [s for s in operator.inputs if maker[s] != first]
                target.inputs += [s for s in others if s not in target.inputs]
                target.operations += operator.operations
                target.outputs += operator.outputs
                operator.operations = []
            for storage in operator.outputs:
                maker[storage] = i if first is None else first

    def _in_order(self) -> list[Operator]:
        """List the operators in the order of the function, those that others now need earlier."""
        kept = [operator for operator in self.operators if operator.operations]
        maker = {storage: i for i, o in enumerate(kept) for storage in o.outputs}
        needed: list[list[int]] = [[maker[storage] for storage in o.inputs] for o in kept]
        for before, after in self.block.edges_of_numbers([o.operations for o in kept]):
            needed[after].append(before)
        ordered_before: dict[int, int] = {}
        previous = -1
        for i, operator in enumerate(kept):
            if operator.keeps_order:
                ordered_before[i], previous = previous, i
        placed: dict[int, None] = {}
        for i in range(len(kept)):
            pending = [(i, False)]
            while pending:
                current, ready = pending.pop()
                if current in placed or current < 0:
                    continue
                if ready:
                    placed[current] = None
                    continue
                pending.append((current, True))
                first = (*needed[current], ordered_before.get(current, -1))
                pending += [(j, False) for j in first]
        return [kept[i] for i in placed]

    def _can_run_first(self) -> list[bool]:
        """Tell for each operator whether it could run before all that are not so."""
        result: list[bool] = []
        ordered_ones_can = True
        for operator in self.operators:
            can = not operator.inputs and (ordered_ones_can or not operator.keeps_order)
            can = can and not any(op in self.block.numbers_from for op in operator.operations)
            if operator.keeps_order and operator.operations:
                ordered_ones_can = can
            result.append(can)
        return result

    def _appendable_to(
        self, operator: Operator, maker: dict[int, int], early: list[bool]
    ) -> int | None:
        only_changes = not operator.workspace_bytes and not self._sum(operator.outputs)
        if not operator.inputs or not only_changes or operator.keeps_order:
            return None
        if any(op in self.block.numbers_from for op in operator.operations):
            return None
        first = maker[max(operator.inputs, key=lambda storage: self.storage_bytes[storage])]
        others = [storage for storage in operator.inputs if maker[storage] != first]
        own_bytes = self._sum(s for s in operator.inputs if maker[s] == first)
        there_before = all(maker[s] < first or early[maker[s]] for s in others)
        if self.operators[first].keeps_order or not there_before:
            return None
        return first if self._sum(others) * _SMALL <= own_bytes else None

    def _only_reader(self, operator: Operator) -> Operation | None:
        readers = {
            reader
            for result in operator.operations[-1].results
            for reader in self.readers.get(result, ())
        }
        return readers.pop() if len(readers) == 1 else None


def _is_fill_of_nothing(op: Operation) -> bool:
    """Tell whether `op` is a fill that each reader repeats for itself as its destination."""
    if op.name != "linalg.fill":
        return False
    destination = op.operands[-1].owner
    if isinstance(destination, Block) or destination.operands:
        return False
    return all(
        any(tie.operand == use.index for tie in destinations_of(use.operation))
        for use in op.results[0].uses
    )
