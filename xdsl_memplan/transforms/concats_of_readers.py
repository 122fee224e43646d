"""Concatenations that each layer which reads them puts together of its own."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.tensor import ConcatOp
from xdsl.ir import Block, Operation, Use
from xdsl.traits import IsTerminator

from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.layer_number import layer_of


def give_each_reader_its_own(block: Block, largest_bytes: int) -> list[list[ConcatOp]]:
    """Give each operation that reads a concatenation of more bytes one of its own; linear.

    Those that were one are returned together. What is returned stays one, and so does what has no
    size that is known.
    """
    return [
        _copies_of(op, block)
        for op in list(block.ops)
        if isinstance(op, ConcatOp) and _is_large(op, largest_bytes)
    ]


def has_large_concat(module: ModuleOp, largest_bytes: int) -> bool:
    """Tell whether several operations read a concatenation of more bytes; linear."""
    return any(
        isinstance(op, ConcatOp)
        and _is_large(op, largest_bytes)
        and op.result.has_more_than_one_use()
        for op in operations_in(module)
    )


def _is_large(concat: ConcatOp, largest_bytes: int) -> bool:
    return (size_bytes(concat.result.type) or 0) > largest_bytes and not any(
        use.operation.has_trait(IsTerminator, value_if_unregistered=False)
        for use in concat.result.uses
    )


def share_in_layers(copies: list[list[ConcatOp]]) -> set[Operation]:
    """Let all readers in one layer share one of the concatenations that were one.

    Return those that are erased, as nobody reads them any more.
    """
    erased: set[Operation] = set()
    for concats in copies:
        first: dict[int, ConcatOp] = {}
        for concat in concats:
            kept = first.setdefault(layer_of(concat), concat)
            if kept is not concat:
                concat.result.replace_all_uses_with(kept.result)
                concat.detach()
                concat.erase()
                erased.add(concat)
    return erased


def _copies_of(concat: ConcatOp, block: Block) -> list[ConcatOp]:
    readers: dict[Operation | None, list[Use]] = {}
    for use in concat.result.uses:
        readers.setdefault(block.find_ancestor_op_in_block(use.operation), []).append(use)
    copies = [concat]
    for uses in [*readers.values()][1:]:
        copy = concat.clone()
        block.insert_op_after(copy, copies[-1])
        copies.append(copy)
        for use in uses:
            use.operation.operands[use.index] = copy.result
    return copies
