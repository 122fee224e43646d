"""All operations in a piece of IR, in the order of the file."""

from xdsl.ir import Operation


def operations_in(op: Operation) -> list[Operation]:
    """List ``op`` and all operations inside of it, each before those in its regions; linear.

    As `Operation.walk`, whose nested generators take several times as long, but a list: what is
    inserted meanwhile is not in it.
    """
    found = [op]
    # Where to go on; most operations have no regions and are never in it.
    waiting = _first_operations(op)
    while waiting:
        inner: Operation | None = waiting.pop()
        while inner is not None:
            found.append(inner)
            following = inner.next_op
            if inner.regions:
                if following is not None:
                    waiting.append(following)
                waiting += _first_operations(inner)
                break
            inner = following
    return found


def _first_operations(op: Operation) -> list[Operation]:
    """The first operation of each block of ``op`` that has any, last block first."""
    found: list[Operation] = []
    # From block to block by hand: xDSL's sequence of blocks takes several times as long.
    for region in op.regions[::-1]:
        block = region.last_block
        while block is not None:
            first = block.first_op
            if first is not None:
                found.append(first)
            block = block.prev_block
    return found
