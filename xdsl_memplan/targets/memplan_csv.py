"""`xdsl-opt -t memplan-csv`: a problem in minimalloc's columns, for other planners."""

from dataclasses import dataclass, replace
from typing import IO, TextIO, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from xdsl_memplan.analysis.function_problems import the_problem
from xdsl_memplan.analysis.planned_buffers import problem_of
from xdsl_memplan.formats.minimalloc_csv import write_problem


@dataclass(frozen=True)
class MemplanCsvTarget(Target):
    """Write ``id,lower,upper,size`` and, where needed, ``alignment`` and ``offset``.

    Sizes are bytes, lifetimes half-open ticks. A file holds one problem: `function` and `only` (a
    memory) choose it where there are several; `memory` describes memories as in the passes.
    Offsets are written once every buffer has one.
    """

    name = "memplan-csv"

    function: str = ""
    only: str = ""
    memory: str = ""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the problem.

        Raises PassFailedException for sizes that are not known, and unless one problem matches.
        """
        chosen = the_problem(module, self.function, self.memory, self.only)
        problem = problem_of(chosen.buffers, chosen.memory)
        offsets = [buffer.trait.get_offset(buffer.op) for buffer in chosen.buffers]
        placed = [(i, offset) for i, offset in enumerate(offsets) if offset is not None]
        write_problem(
            replace(
                problem,
                ids=[chosen.id_of(i) for i in range(len(chosen.buffers))],
                fixed=placed if len(placed) == len(offsets) else [],
            ),
            cast(TextIO, output),
        )
