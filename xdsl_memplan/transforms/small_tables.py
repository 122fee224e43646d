"""Small tables are brought on chip; larger ones are looked up where they lie."""

from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp

from xdsl_memplan.analysis.looked_up_near import accesses_in_room
from xdsl_memplan.dialects.tiling_models.looked_up import (
    note_table_accesses,
    table_accesses,
    tables,
)
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.model.split_graph import Affine, Indirect

_SHARE_OF_MEMORY = 4
"""The tables of an operation are brought in that take no more than this part of the memory."""


@dataclass
class SmallTables:
    """Operations whose small tables are brought in, and how they read them before."""

    accesses_before: dict[GenericOp, list[Affine | Indirect]] = field(
        default_factory=dict[GenericOp, list[Affine | Indirect]]
    )

    def look_up_again(self) -> None:
        """Let the operations look up where the tables lie, as they did before."""
        for op, accesses in self.accesses_before.items():
            note_table_accesses(op, accesses)


def bring_in_small_tables(function: FuncOp, capacity_bytes: int) -> SmallTables:
    """Note that all of a table is read where it is small, and more is looked up than it has.

    Which elements these are depends on what the function is given. Linear.
    """
    found = SmallTables()
    for op in function.body.block.ops:
        if type(op) is GenericOp and any(True for _ in tables(op)):
            rule = tiling_rule_of(op)
            most_bytes = capacity_bytes // _SHARE_OF_MEMORY
            accesses = None if rule is None else accesses_in_room(op, rule.loops, most_bytes)
            if accesses is not None:
                found.accesses_before[op] = table_accesses(op)
                note_table_accesses(op, accesses)
    return found
