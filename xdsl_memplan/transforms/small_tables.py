"""Small tables are brought on chip; larger ones are looked up where they lie."""

from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp

from xdsl_memplan.analysis.looked_up_near import accesses_in_room
from xdsl_memplan.dialects.tiling_models.looked_up import note_table_accesses, tables
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of

_SHARE_OF_MEMORY = 4
"""A table is brought in that takes no more than this part of the memory."""


def bring_in_small_tables(function: FuncOp, capacity_bytes: int) -> None:
    """Note that all of a table is read where it is small, and more is looked up than it has.

    Which elements these are depends on what the function is given. Linear.
    """
    for op in function.body.block.ops:
        if type(op) is GenericOp and any(True for _ in tables(op)):
            rule = tiling_rule_of(op)
            most_bytes = capacity_bytes // _SHARE_OF_MEMORY
            accesses = None if rule is None else accesses_in_room(op, rule.loops, most_bytes)
            if accesses is not None:
                note_table_accesses(op, accesses)
