"""Writes the lifetime of every tensor and buffer into the IR."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.buffer_lifetime import buffer_lifetime, checked_wishes
from xdsl_memplan.analysis.lifetimes import FunctionLifetimes, lifetimes_of
from xdsl_memplan.analysis.storage_type import is_storage
from xdsl_memplan.dialects.memplan import LIFETIME, LIFETIMES, LifetimeAttr
from xdsl_memplan.dialects.queries import storage_of


@dataclass(frozen=True)
class MemplanAnnotateLifetimesPass(ModulePass):
    """Write the lifetime of every tensor and buffer into the IR.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    ```

    After, `%y` is written at tick 0 and read at tick 1:

    ```mlir
    func.func @main(%x: ... {memplan.lifetime = #memplan.lifetime<0 : i64, 1 : i64>}) ... {
      %e = tensor.empty() {memplan.lifetimes = [#memplan.lifetime<0 : i64, 0 : i64>]} : ...
      %y = linalg.exp {memplan.lifetimes = [#memplan.lifetime<0 : i64, 2 : i64>]} ...
      %z = linalg.exp {memplan.lifetimes = [#memplan.lifetime<1 : i64, 2 : i64>]} ...
      return %z : tensor<4xf32>
    }
    ```

    The attribute has one entry per result: a half-open lifetime in ticks, or `unit` for what is no
    tensor and no memref. A `memplan.buffer` has its own `lifetime`. Views and the results of
    control flow show the lifetime of the bytes they stand for. Options: none.

    Works on tensor IR and on buffer IR. Requires structured control flow and no recursion.
    """

    name = "memplan-annotate-lifetimes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Annotate every function of the module ``op``.

        Raises PassFailedException for recursion and for tensors in unstructured control flow.
        """
        for lifetimes in lifetimes_of(op).values():
            _annotate_arguments(lifetimes)
            for inner in lifetimes.function.walk():
                if inner is not lifetimes.function and inner.results:
                    _annotate(inner, lifetimes)


def _annotate(op: Operation, lifetimes: FunctionLifetimes) -> None:
    trait = storage_of(op)
    if trait is not None:
        trait.set_lifetime(op, buffer_lifetime(op, trait, lifetimes, checked_wishes(op)))
        return
    entries: list[Attribute] = [
        LifetimeAttr.of(lifetimes.lifetime(result)) if is_storage(result.type) else UnitAttr()
        for result in op.results
    ]
    if any(isinstance(entry, LifetimeAttr) for entry in entries):
        op.attributes[LIFETIMES] = ArrayAttr(entries)


def _annotate_arguments(lifetimes: FunctionLifetimes) -> None:
    function = lifetimes.function
    arguments = function.args
    if not any(is_storage(argument.type) for argument in arguments):
        return
    old = function.arg_attrs.data if function.arg_attrs else [DictionaryAttr({})] * len(arguments)
    function.arg_attrs = ArrayAttr(
        DictionaryAttr({**attributes.data, LIFETIME: LifetimeAttr.of(lifetimes.lifetime(argument))})
        if is_storage(argument.type)
        else attributes
        for argument, attributes in zip(arguments, old, strict=True)
    )
