"""A schedule from outside: where tensors live and when, in ticks of whoever made it."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl_memplan.model.lifetime import Lifetime
from xdsl_memplan.model.problem import Buffer, Pool, Problem


@dataclass(frozen=True)
class GivenTensor:
    """One tensor in one memory; sizes and offsets in bytes."""

    name: str
    memory: str
    lifetime: Lifetime
    size: int | None = None
    """Of one copy; None where the IR knows it."""
    offset: int | None = None
    """None: to be found."""
    copies: int = 1
    """How many of it are in flight at once, one behind the other."""
    alignment: int = 1
    function: str = ""
    """Which function it is in; empty: the only one that has such a tensor."""


@dataclass(frozen=True)
class GivenSchedule:
    """Tensors with their memories and lifetimes. Ticks are the author's, of any number of cores."""

    tensors: Sequence[GivenTensor]
    memories: Sequence[Pool] = ()
    ticks: int | None = None
    """One past the last tick, if it is known."""

    def problem(self, memory: str) -> Problem:
        """Return the problem of what goes to ``memory``, in the order of the tensors.

        Raises ValueError where a size is not known.
        """
        mine = [tensor for tensor in self.tensors if tensor.memory == memory]
        buffers: list[Buffer] = []
        for tensor in mine:
            if tensor.size is None:
                raise ValueError(f"tensor '{tensor.name}' has no size")
            stride = -(-tensor.size // tensor.alignment) * tensor.alignment
            size = (tensor.copies - 1) * stride + tensor.size
            buffers.append(
                Buffer(tensor.name, size, tensor.lifetime, tensor.alignment, tensor.offset)
            )
        pool = next((pool for pool in self.memories if pool.name == memory), Pool(memory))
        problem = Problem.from_buffers(
            buffers, capacity=pool.capacity, base_address=pool.base_address
        )
        return problem
