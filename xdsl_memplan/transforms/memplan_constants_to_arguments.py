"""Turns constant tensors, which are weights, into arguments of the functions that read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, SSAValue, TypedAttribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.memplan import CONSTANT
from xdsl_memplan.dialects.memref_size import size_bytes


@dataclass(frozen=True)
class MemplanConstantsToArgumentsPass(ModulePass):
    """Turn constant tensors into function arguments, which whoever runs the network passes.

    Before:

    ```mlir
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %w = arith.constant dense_resource<weights> : tensor<2xf32>
      %e = tensor.empty() : tensor<2xf32>
      %y = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {memplan.constant = dense_resource<weights> : tensor<2xf32>}) -> tensor<2xf32> {
      %e = tensor.empty() : tensor<2xf32>
      %y = linalg.add ins(%x, %w : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    ```

    The new arguments come after those that the function has, in the order of the constants, equal
    constants share one. The attribute `memplan.constant` of an argument says what has to be passed.
    A constant of a callee becomes an argument of all that call it. Constants whose elements are all
    the same stay: they are filled where they are needed, and are no weights.

    Options:

    - `least-bytes` (1): smaller constants stay.
    - `keep-values` (true): with `false` the attribute is no more than the name of the resource, or
      `constant_N` without one, and the values are gone from the module.

    Requires constants given by `dense` or `dense_resource`; others are left alone.
    """  # noqa: E501

    name = "memplan-constants-to-arguments"

    least_bytes: int = 1
    keep_values: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite all functions of the module ``op``, callees first.

        Raises PassFailedException for recursion and for a size that is not positive.
        """
        if self.least_bytes < 1:
            raise PassFailedException(f"option least-bytes: {self.least_bytes} is not positive")
        calls: dict[str, list[CallOp]] = {}
        for inner in op.walk():
            if isinstance(inner, CallOp):
                calls.setdefault(inner.callee.string_value(), []).append(inner)
        names: dict[Attribute, str] = {}
        for function in CallGraph.of(op).bottom_up:
            constants = list(self._constants(function))
            if not constants:
                continue
            values: dict[Attribute, str | None] = {}
            for constant in constants:
                values.setdefault(constant.value, constant.result.name_hint)
            for call in calls.get(function.sym_name.data, ()):
                _pass_to(call, values)
            for value in values:
                names.setdefault(value, _name(value, len(names)))
            notes = [value if self.keep_values else StringAttr(names[value]) for value in values]
            _add_arguments(function, constants, notes)

    def _constants(self, function: FuncOp) -> Iterator[arith.ConstantOp]:
        for op in function.walk():
            if not isinstance(op, arith.ConstantOp) or not is_tensor(op.result.type):
                continue
            dense = isinstance(op.value, DenseIntOrFPElementsAttr) and not op.value.is_splat()
            size = size_bytes(op.result.type) or 0
            if (dense or isinstance(op.value, DenseResourceAttr)) and size >= self.least_bytes:
                yield op


def _name(value: Attribute, number: int) -> str:
    if isinstance(value, DenseResourceAttr):
        return value.resource_handle.data
    return f"constant_{number}"


def _pass_to(call: CallOp, values: Mapping[Attribute, str | None]) -> None:
    """Make constants where a function is called, and pass them."""
    block = call.parent
    assert block is not None
    for value, hint in values.items():
        assert isinstance(value, TypedAttribute)
        constant = arith.ConstantOp.create(
            properties={"value": value}, result_types=[value.get_type()]
        )
        constant.result.name_hint = hint
        block.insert_op_before(constant, call)
        call.operands = [*call.operands, constant.result]


def _add_arguments(
    function: FuncOp, constants: Sequence[arith.ConstantOp], notes: Sequence[Attribute]
) -> None:
    entry = function.body.blocks[0]
    before = len(entry.args)
    arguments: dict[Attribute, SSAValue] = {}
    for constant in constants:
        if constant.value not in arguments:
            argument = entry.insert_arg(constant.result.type, len(entry.args))
            argument.name_hint = constant.result.name_hint
            arguments[constant.value] = argument
        constant.result.replace_all_uses_with(arguments[constant.value])
        constant.detach()
        constant.erase()
    types = function.function_type
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in entry.args], list(types.outputs)
    )
    known = function.arg_attrs.data if function.arg_attrs is not None else ()
    empty = DictionaryAttr({})
    function.arg_attrs = ArrayAttr(
        [
            *(known or (empty,) * before),
            *(DictionaryAttr({CONSTANT: note}) for note in notes),
        ]
    )
