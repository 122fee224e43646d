"""Bufferization: tensors become buffers and memrefs."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xdsl_memplan.transforms.bufferize.module import bufferize_module


@dataclass(frozen=True)
class MemplanBufferizePass(ModulePass):
    """TODO."""

    name = "memplan-bufferize"

    alignment: int = 64
    memory: str = ""
    in_place: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Bufferize."""
        bufferize_module(op, alignment=self.alignment, memory=self.memory, in_place=self.in_place)
