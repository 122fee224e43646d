"""Operator graphs: what is to be put in order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

TensorKind = Literal["input", "parameter", "activation", "output"]


@dataclass(frozen=True)
class Tensor:
    """A tensor; inputs and parameters are off chip at first, outputs must get there."""

    id: str
    size: int
    """Bytes."""
    kind: TensorKind = "activation"

    @property
    def is_source(self) -> bool:
        """Whether it is there before anything runs."""
        return self.kind in ("input", "parameter")


@dataclass(frozen=True)
class Operator:
    """An operator; everything it reads and makes is on chip while it runs."""

    id: str
    inputs: tuple[int, ...]
    """Positions of the tensors it reads; one that it reads twice counts once."""
    outputs: tuple[int, ...]
    """Positions of the tensors it makes."""
    kind: str = ""
    """What it computes, for people."""
    overwrites: tuple[tuple[int, int], ...] = ()
    """(result, input): a result that may be written over an input which is needed on chip no more.
    All such results share the room of all such inputs."""
    reloads: bool = False
    """Whether only what comes back for this operator can be written over: it is put where it will
    be a part of a result, and takes no room of its own."""

    @property
    def overwriting(self) -> set[int]:
        """The results that may be written over an input."""
        return {result for result, _ in self.overwrites}

    @property
    def overwritten(self) -> set[int]:
        """The inputs that may be written over."""
        return {read for _, read in self.overwrites}


@dataclass(frozen=True)
class Graph:
    """Operators in the order in which they were given, and the tensors between them.

    What is wrong with a graph (cycles, tensors without producer, sizes) is said when it is planned.
    """

    operators: Sequence[Operator]
    tensors: Sequence[Tensor]
    edges: Sequence[tuple[int, int]] = ()
    """(before, after): operators that must keep this order whatever they read and make."""
    name: str = ""

    def footprint(self, operator: int) -> int:
        """Return the bytes that an operator reads and makes."""
        op = self.operators[operator]
        return sum(self.tensors[t].size for t in {*op.inputs, *op.outputs})

    def least_footprint(self, operator: int) -> int:
        """Return the footprint where all that may be written over is."""
        op = self.operators[operator]
        gone = sum(self.tensors[t].size for t in op.overwritten)
        room = sum(self.tensors[t].size for t in op.overwriting)
        return self.footprint(operator) - (gone if op.reloads else min(gone, room))

    @property
    def largest_footprint(self) -> int:
        """Bytes of the largest operator: COSMA's M_R, the least capacity that can work."""
        return max((self.least_footprint(i) for i in range(len(self.operators))), default=0)

    def load_in_order(self, order: Sequence[int]) -> int:
        """Return the most bytes on chip at once if nothing is moved or written over; O(uses).

        A tensor is on chip from the first operator of ``order`` that uses it to the last.
        """
        last: dict[int, int] = {}
        for position, index in enumerate(order):
            op = self.operators[index]
            last |= dict.fromkeys((*op.inputs, *op.outputs), position)
        live: set[int] = set()
        held = most = 0
        for position, index in enumerate(order):
            used = {*self.operators[index].inputs, *self.operators[index].outputs}
            held += sum(self.tensors[t].size for t in used - live)
            most = max(most, held)
            dying = {t for t in used if last[t] == position}
            held -= sum(self.tensors[t].size for t in dying)
            live = (live | used) - dying
        return most

    def without_parameters(self) -> "Graph":
        """Leave out the parameters: COSMA's setting in which only activations are on chip.

        Raises ValueError for an operator that makes one.
        """
        for op in self.operators:
            for t in op.outputs:
                if self.tensors[t].kind == "parameter":
                    name = self.tensors[t].id
                    raise ValueError(f"operator '{op.id}' makes '{name}', which is a parameter")
        kept = [i for i, tensor in enumerate(self.tensors) if tensor.kind != "parameter"]
        position = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            tensors=[self.tensors[i] for i in kept],
            operators=[
                replace(
                    op,
                    inputs=tuple(position[t] for t in op.inputs if t in position),
                    outputs=tuple(position[t] for t in op.outputs),
                    overwrites=tuple(
                        (position[made], position[read])
                        for made, read in op.overwrites
                        if read in position
                    ),
                )
                for op in self.operators
            ],
        )
