"""Copies of the regions of operations."""

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue


def copied_region(region: Region, values: dict[SSAValue, SSAValue] | None = None) -> Region:
    """Copy a region whose values are defined before they are used, in one walk.

    `values` gets the copy of each value; others are those of the original. As ``region.clone()``,
    which walks a second time for the operands, and is used where blocks branch. Names are kept.
    """
    if len(region.blocks) != 1:
        copy = Region()
        region.clone_into(copy, value_mapper=values)
        return copy
    values = {} if values is None else values
    [block] = region.blocks
    types: list[Attribute] = [argument.type for argument in block.args]
    new = Block(arg_types=types)
    for old, argument in zip(block.args, new.args, strict=True):
        values[old] = argument
        argument.location = old.location
        if old.name_hint is not None:
            argument.name_hint = old.name_hint
    for op in block.ops:
        new.add_op(_copied(op, values))
    return Region(new)


def _copied(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    copy = type(op).create(
        operands=[values.get(operand, operand) for operand in op.operands],
        result_types=[result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        successors=list(op.successors),
        regions=[copied_region(region, values) for region in op.regions],
    )
    for old, result in zip(op.results, copy.results, strict=True):
        values[old] = result
        if old.name_hint is not None:
            result.name_hint = old.name_hint
    return copy
