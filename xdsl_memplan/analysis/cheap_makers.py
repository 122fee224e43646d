"""What costs little to compute again, and whose readers wait for a long sum of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from xdsl_memplan.model.split_graph import SplitGraph, SplitOp

SHORTEST_SUM = 1024
"""Elements that a sum adds up for one of its result, at the least. What has so many times the bytes
of a tensor does not lead to that being computed again."""

_SHARE = 20
"""All that is computed again is no more than this part of the multiply-adds of the graph."""

_MOST_OPERATIONS = 16
"""Operations that are computed again for one reader, at most."""


@dataclass(frozen=True)
class CheapMaker:
    """An operation whose result each of its readers may compute again."""

    op: int
    """Its number in the graph: a product, or an elementwise operation."""
    again: frozenset[int]
    """It, and the operations that lead to it."""
    views: frozenset[int]
    """Views of its result."""
    readers: tuple[int, ...]
    """The operations that read its result, or a view of it, in their order."""


def cheap_makers(graph: SplitGraph) -> list[CheapMaker]:
    """List the operations of which each reader may compute the result again, the last first.

    They are products, and what follows these, of arguments that have fewer bytes together, and of
    what sums come to, or elementwise operations on tensors that are stored in any case and have no
    more bytes; one reader adds up at least 1024 elements, and another needs what that makes. So no
    tile has the result and the sum, and it would be stored and fetched. A twentieth of the graph's
    multiply-adds more is done at most. Linear, but for 16 operations before each, and those between
    the readers of what is cheap and of what is stored.
    """
    return list(_Makers(graph).cheap())


class _Makers:
    def __init__(self, graph: SplitGraph) -> None:
        self.graph = graph
        self.maker = {result: i for i, op in enumerate(graph.ops) for result in op.results}
        self.readers: dict[int, list[int]] = {}
        for i, op in enumerate(graph.ops):
            for tensor in dict.fromkeys(operand.tensor for operand in op.operands):
                self.readers.setdefault(tensor, []).append(i)
        self.stored: dict[int, bool] = {}
        """What `_is_stored` has told."""

    def cheap(self) -> Iterator[CheapMaker]:
        left = sum(map(_work, self.graph.ops)) // _SHARE
        for i, op in reversed([*enumerate(self.graph.ops)]):
            if op.view or any(self.graph.tensors[tensor].returned for tensor in op.results):
                continue
            again = self._leading_to(i)
            views, readers = self._behind_views(op.results)
            more = (len(readers) - 1) * sum(_work(self.graph.ops[j]) for j in again)
            if not more and self._is_made_of_stored(op):
                again = frozenset({i})
            elif not 0 < more <= left:
                continue
            if self._waits_for_long_sum(readers):
                left -= more
                yield CheapMaker(i, again, views, tuple(readers))

    def _leading_to(self, index: int) -> frozenset[int]:
        """The operations that lead to a result; none if they are many, or read too much."""
        made = sum(
            self.graph.tensors[tensor].size_bytes for tensor in self.graph.ops[index].results
        )
        found, pending, read = {index}, [index], set[int]()
        while pending:
            op = self.graph.ops[pending.pop()]
            if not op.splittable or len(found) > _MOST_OPERATIONS:
                return frozenset()
            for tensor in dict.fromkeys(operand.tensor for operand in op.operands):
                before = self.maker.get(tensor)
                size_bytes = self.graph.tensors[tensor].size_bytes
                if before is None or size_bytes * SHORTEST_SUM <= made:
                    read.add(tensor)
                elif before not in found:
                    found.add(before)
                    pending.append(before)
        of_value = (tensor for tensor in read if self.graph.tensors[tensor].kind != "fill")
        read_bytes = sum(self.graph.tensors[tensor].size_bytes for tensor in of_value)
        return frozenset(found) if read_bytes < made else frozenset()

    def _is_made_of_stored(self, op: SplitOp) -> bool:
        """Tell whether an elementwise operation reads what is stored whoever computes it again.

        That is what it reads but for what sums come to: no more bytes than it makes, each an
        argument or with a reader that waits for a long sum of it.
        """
        if not op.splittable or _work(op) or "reduction" in op.iterators:
            return False
        made = sum(self.graph.tensors[tensor].size_bytes for tensor in op.results)
        sizes = {
            operand.tensor: self.graph.tensors[operand.tensor].size_bytes for operand in op.operands
        }
        large = [tensor for tensor, size in sizes.items() if size * SHORTEST_SUM > made]
        return sum(sizes[tensor] for tensor in large) <= made and all(map(self._is_stored, large))

    def _is_stored(self, tensor: int) -> bool:
        """Tell whether a tensor is an argument, or no tile has it and all that is made of it."""
        while (maker := self.maker.get(tensor)) is not None and self.graph.ops[maker].view:
            [tensor] = {operand.tensor for operand in self.graph.ops[maker].operands}
        if tensor not in self.stored:
            readers = self._behind_views([tensor])[1]
            self.stored[tensor] = maker is None or self._waits_for_long_sum(readers)
        return self.stored[tensor]

    def _behind_views(self, tensors: Iterable[int]) -> tuple[frozenset[int], list[int]]:
        """The views of tensors, and the operations that read these or one of them."""
        pending, views, found = [*tensors], set[int](), set[int]()
        while pending:
            for reader in self.readers.get(pending.pop(), ()):
                if self.graph.ops[reader].view:
                    views.add(reader)
                    pending += self.graph.ops[reader].results
                else:
                    found.add(reader)
        return frozenset(views), sorted(found)

    def _waits_for_long_sum(self, readers: list[int]) -> bool:
        """Tell whether one reader needs what a long sum of the result comes to."""
        following: set[int] = set()
        """Tensors that are made of the result without such a sum."""
        behind: set[int] = set()
        """Tensors that come of a long sum."""
        for i in range(readers[0], readers[-1] + 1) if readers else ():
            op = self.graph.ops[i]
            read = {operand.tensor for operand in op.operands}
            is_behind = not behind.isdisjoint(read)
            if is_behind and i in readers:
                return True
            if is_behind:
                behind.update(op.results)
            elif i in readers or not following.isdisjoint(read):
                (behind if _is_long_sum(op) else following).update(op.results)
        return False


def _work(op: SplitOp) -> int:
    return prod(op.loops) * op.work_per_point


def _is_long_sum(op: SplitOp) -> bool:
    summed = (n for n, kind in zip(op.loops, op.iterators, strict=True) if kind == "reduction")
    return not op.work_per_point and prod(summed) >= SHORTEST_SUM
