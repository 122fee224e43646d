"""The problems of a module: one per function and memory."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import lifetimes_of
from xdsl_memplan.analysis.memories import Memories, Memory
from xdsl_memplan.analysis.planned_buffers import PlannedBuffer, planned_buffers


@dataclass(frozen=True)
class FunctionProblem:
    """The buffers of one function that go to one memory."""

    function: str
    memory: Memory
    buffers: list[PlannedBuffer]

    def id_of(self, index: int) -> str:
        """Name a buffer: its SSA name with its number, or the number alone; unique per function."""
        buffer = self.buffers[index]
        hint = buffer.trait.storage(buffer.op).name_hint
        return f"{hint}.{index}" if hint else f"b{index}"


def function_problems(module: ModuleOp, memory: str = "") -> Iterator[FunctionProblem]:
    """Yield the problems in the order of the functions.

    ``memory`` describes memories as the passes' option does. Calls are not part of these problems.
    Raises PassFailedException as `memplan-assign-offsets` does.
    """
    memories = Memories.of(module, memory)
    analysed = lifetimes_of(module)
    for function in module.body.ops:
        if not isinstance(function, FuncOp) or function not in analysed:
            continue
        buffers = planned_buffers(analysed[function], memories, keep_lifetimes=True)
        for described in memories.by_name.values():
            mine = [buffer for buffer in buffers if buffer.memory is described]
            if mine:
                yield FunctionProblem(function.sym_name.data, described, mine)


def the_problem(module: ModuleOp, function: str, memory: str, only: str) -> FunctionProblem:
    """Return the one problem that matches; empty text matches all.

    Raises PassFailedException that lists the choices if there is not exactly one.
    """
    found = list(function_problems(module, memory))
    matching = [p for p in found if function in ("", p.function) and only in ("", p.memory.name)]
    if len(matching) != 1:
        choices = ", ".join(f"function={p.function} only={p.memory.name}" for p in found)
        raise PassFailedException(
            f"{len(matching)} problems match, one is wanted; choose from: {choices or 'none'}"
        )
    return matching[0]
