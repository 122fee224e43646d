"""Copies of operations with their regions, in one walk."""

from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

_Op = TypeVar("_Op", bound=Operation)


def copied_operation(op: _Op) -> _Op:
    """Copy an operation and what is in it, as ``op.clone()``; names and places are kept.

    That walks once more for the operands, by nested generators, and takes twice as long.
    """
    copy = _Copy()
    found = copy.operation(op)
    copy.mend()
    return found


def copied_region(region: Region) -> Region:
    """Copy a region, as ``region.clone()``."""
    copy = _Copy()
    found = copy.region(region)
    copy.mend()
    return found


class _Copy:
    def __init__(self) -> None:
        self.values: dict[SSAValue, SSAValue] = {}
        self.blocks: dict[Block, Block] = {}
        self.early: list[tuple[Operation, int, SSAValue]] = []
        """Operands that are from outside, or made further down."""

    def operation(self, op: _Op) -> _Op:
        values, results = self.values, op.results
        operands = list(op.operands)
        mine = [values.get(operand, operand) for operand in operands]
        regions, successors = op.regions, op.successors
        copy = type(op).create(
            operands=mine,
            result_types=[result.type for result in results],
            properties=op.properties,
            attributes=op.attributes,
            location=op.location,
            successors=[self.blocks.get(b, b) for b in successors] if successors else (),
            regions=[self.region(region) for region in regions] if regions else (),
        )
        for position, operand in enumerate(operands):
            if mine[position] is operand:
                self.early.append((copy, position, operand))
        for old, result in zip(results, copy.results, strict=True):
            values[old] = result
            if old.name_hint is not None:
                result.name_hint = old.name_hint
        return copy

    def region(self, region: Region) -> Region:
        # Operations may branch to blocks further down.
        blocks = [(old, Block(arg_types=[arg.type for arg in old.args])) for old in region.blocks]
        self.blocks.update(blocks)
        for block, new in blocks:
            for old, argument in zip(block.args, new.args, strict=True):
                self.values[old] = argument
                argument.location = old.location
                if old.name_hint is not None:
                    argument.name_hint = old.name_hint
            for op in block.ops:
                new.add_op(self.operation(op))
        return Region([new for _, new in blocks])

    def mend(self) -> None:
        """Let operands be the copies of what is made further down."""
        for op, position, operand in self.early:
            made = self.values.get(operand)
            if made is not None:
                op.operands[position] = made
