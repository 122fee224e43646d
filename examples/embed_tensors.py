"""A dialect that memplan has never seen goes from tensors to addresses by its traits alone.

    python examples/embed_tensors.py

`npu.scale` and `npu.mix` are operations of an accelerator, in destination-passing style: a result
on tensors, none on memrefs. Three short traits say what planning has to know.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    traits_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.traits import Pure

from xdsl_memplan.dialects.interface_models import WritesInto
from xdsl_memplan.dialects.interfaces import Access, Effects, InPlaceTrait, ReadsWritesTrait, Tie
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

PROGRAM = """
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %a = "npu.mix"(%x, %e) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %b = "npu.scale"(%a, %e) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %c = "npu.mix"(%b, %e) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %d = "npu.mix"(%c, %e) : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  func.return %d : tensor<1024xf32>
}"""


@dataclass(frozen=True)
class ReadsThenWrites(ReadsWritesTrait):
    """The source is read; the target is written, or is the shape of what is."""

    def effects(self, op: Operation) -> Effects:
        target = Access.NONE if op.results else Access.WRITE
        return Effects((Access.READ, target), (Access.WRITE,) * len(op.results))


@dataclass(frozen=True)
class OverItsSource(InPlaceTrait):
    """Every element is read before it is written: the result may lie on the source."""

    def overwrites(self, op: Operation) -> tuple[Tie, ...]:
        return (Tie(0, 0),) if op.results else ()


class Unit(IRDLOperation):
    """What the two have in common."""

    source = operand_def(AnyAttr())
    target = operand_def(AnyAttr())
    result = var_result_def(AnyAttr())


@irdl_op_definition
class ScaleOp(Unit):
    """Elementwise."""

    name = "npu.scale"
    traits = traits_def(Pure(), WritesInto(1), ReadsThenWrites(), OverItsSource())


@irdl_op_definition
class MixOp(Unit):
    """Every element depends on all others: the result needs bytes of its own."""

    name = "npu.mix"
    traits = traits_def(Pure(), WritesInto(1), ReadsThenWrites())


def planned() -> ModuleOp:
    """Plan `PROGRAM` as `memplan-pipeline` does, up to `memplan-verify`."""
    context = full_context()
    context.load_dialect(Dialect("npu", [ScaleOp, MixOp], []))
    module = Parser(context, PROGRAM).parse_module()
    *stages, _ = MemplanPipelinePass().passes()
    for stage in stages:
        stage.apply(context, module)
    return module


if __name__ == "__main__":
    print(planned())
