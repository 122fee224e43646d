"""All operations in a piece of IR, in the order of the file."""

from xdsl.ir import Operation


def operations_in(op: Operation) -> list[Operation]:
    """List ``op`` and all operations inside of it, each before those in its regions; linear.

    As `Operation.walk`, whose nested generators take several times as long, but a list: what is
    inserted meanwhile is not in it.
    """
    found: list[Operation] = []
    waiting = [op]
    while waiting:
        current = waiting.pop()
        found.append(current)
        for region in reversed(current.regions):
            for block in reversed(region.blocks):
                inner = block.last_op
                while inner is not None:
                    waiting.append(inner)
                    inner = inner.prev_op
    return found
