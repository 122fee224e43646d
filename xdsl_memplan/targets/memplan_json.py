"""`xdsl-opt -t memplan-json`: every problem of a module with all that is known."""

import json
from dataclasses import dataclass
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from xdsl_memplan.analysis.function_problems import FunctionProblem, function_problems
from xdsl_memplan.analysis.location import op_name


@dataclass(frozen=True)
class MemplanJsonTarget(Target):
    """Write ``{"problems": [{"function", "memory", "capacity", "base", "buffers": [...]}]}``.

    A buffer has ``id, lower, upper, size, alignment``, the ``operation`` that makes it and, after
    planning, ``offset``. Sizes and offsets are bytes, lifetimes half-open ticks. `memory` describes
    memories as in the passes.
    """

    name = "memplan-json"

    memory: str = ""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write all problems.

        Raises PassFailedException for sizes that are not known at compile time.
        """
        problems = [_problem(p) for p in function_problems(module, self.memory)]
        json.dump({"problems": problems}, output, indent=1)
        output.write("\n")


def _problem(problem: FunctionProblem) -> dict[str, Any]:
    return {
        "function": problem.function,
        "memory": problem.memory.name,
        "capacity": problem.memory.capacity,
        "base": problem.memory.base,
        "buffers": [_buffer(problem, i) for i in range(len(problem.buffers))],
    }


def _buffer(problem: FunctionProblem, index: int) -> dict[str, Any]:
    buffer = problem.buffers[index]
    entry: dict[str, Any] = {
        "id": problem.id_of(index),
        "lower": buffer.lifetime.start,
        "upper": buffer.lifetime.end,
        "size": buffer.size,
        "alignment": buffer.alignment,
        "operation": op_name(buffer.op),
    }
    offset = buffer.trait.get_offset(buffer.op)
    return entry if offset is None else {**entry, "offset": offset}
