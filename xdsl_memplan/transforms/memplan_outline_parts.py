"""Gives what lies between and inside of loops and branches functions of its own."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from xdsl_memplan.analysis.block_order import values_used
from xdsl_memplan.analysis.side_effects import only_asserts
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.parts import PART, PARTS
from xdsl_memplan.dialects.queries import aliases_of
from xdsl_memplan.transforms.unread import erase_unread

_CONTROL_FLOW = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.IndexSwitchOp)


@dataclass(frozen=True)
class MemplanOutlinePartsPass(ModulePass):
    """Give what lies between and inside of loops and branches functions of its own.

    Before:

    ```mlir
    func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
      ...
      %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
        %e = tensor.empty() : tensor<8x64xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : ...) -> tensor<8x64xf32>
        %p = linalg.matmul ins(%s, %w : ...) outs(%f : ...) -> tensor<8x64xf32>
        %r = linalg.exp ins(%p : ...) outs(%e : ...) -> tensor<8x64xf32>
        scf.yield %r : tensor<8x64xf32>
      }
      func.return %y : tensor<8x64xf32>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
      ...
      %y = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %x) -> (tensor<8x64xf32>) {
        %r = func.call @main.part0(%s, %w) : (...) -> tensor<8x64xf32>
        scf.yield %r : tensor<8x64xf32>
      }
      func.return %y : tensor<8x64xf32>
    }
    func.func private @main.part0(%s: ..., %w: ...) -> tensor<8x64xf32> attributes {memplan.part} {
      ...
      %p = linalg.matmul ins(%s, %w : ...) outs(%f : ...) -> tensor<8x64xf32>
      %r = linalg.exp ins(%p : ...) outs(%e : ...) -> tensor<8x64xf32>
      func.return %r : tensor<8x64xf32>
    }
    ```

    Tiles go through operations of one block only. So each part is split like a function, what goes
    from part to part lies off chip, and `memplan-inline-parts` puts the tiles where the parts were.

    Constants, and views of what a part does not make, are in each part that reads them. Slices at
    positions that are known at run time only stay between the parts: they copy nothing, or what is
    inserted. Functions without loops and branches over tensors, those with several blocks, and
    those that do more than compute tensors are left as they are.

    Options: none. Requires tensor IR.
    """

    name = "memplan-outline-parts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Outline the parts of every function of the module ``op``; linear in its operations."""
        names = {
            name.data
            for inner in operations_in(op)
            if isinstance(name := inner.properties.get("sym_name"), StringAttr)
        }
        for function in operations_in(op):
            if isinstance(function, FuncOp) and has_parts(function):
                erase_unread(function)
                _Outliner(function, names).outline(function.body.block)
                function.attributes[PARTS] = UnitAttr()


def has_parts(function: FuncOp) -> bool:
    """Tell whether a function has loops or branches over tensors, and does nothing but compute."""
    if len(function.body.blocks) != 1:
        return False
    ops = list(function.body.block.ops)
    return any(map(_is_over_tensors, ops)) and all(
        op is ops[-1] or (only_asserts(op) and _has_single_blocks(op)) for op in ops
    )


def _is_over_tensors(op: Operation) -> bool:
    """Tell whether an operation is a loop or a branch, and something in it makes tensors."""
    return isinstance(op, _CONTROL_FLOW) and any(
        is_tensor(result.type) for inner in op.walk() for result in inner.results
    )


def _has_single_blocks(op: Operation) -> bool:
    if not isinstance(op, _CONTROL_FLOW):
        return True
    return all(
        len(region.blocks) <= 1 and all(map(_has_single_blocks, region.block.ops))
        for region in op.regions
        if region.blocks
    )


def _is_at_run_time(op: Operation) -> bool:
    """Tell whether an operation is a slice at a position that is known at run time only."""
    return (
        isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp)
        and DYNAMIC_INDEX in op.static_offsets.get_values()
    )


@dataclass
class _Outliner:
    """Makes the parts of one function."""

    function: FuncOp
    names: set[str]
    """Symbols of the module."""
    _last: FuncOp | None = None
    """The part that was made last; the next one stands behind it."""
    _in_parts: set[Operation] = field(default_factory=set[Operation])
    """Operations of all parts of blocks that were looked through."""

    def outline(self, block: Block) -> None:
        """Outline the parts of a block, and of the blocks in its loops and branches."""
        parts = list(self._parts_of(block))
        self._in_parts.update(op for part in parts for op in part)
        for part in parts:
            self._make(list(part))
        _erase_unused(op for op in block.ops if _is_cheap(op))

    def _parts_of(self, block: Block) -> Iterator[dict[Operation, None]]:
        """Operations that follow each other but for scalars and what is made in each part."""
        part: dict[Operation, None] = {}
        for op in block.ops:
            is_over_tensors = _is_over_tensors(op)
            if is_over_tensors:
                for region in op.regions:
                    for inner in region.blocks:
                        self.outline(inner)
            if is_over_tensors or (
                _stays(op) and any(value.owner in part for value in values_used(op))
            ):
                yield part
                part = {}
            elif not _stays(op) and (not _is_cheap(op) or _is_of_part(op, part)):
                part[op] = None

    def _make(self, part: list[Operation]) -> None:
        """Make a function of a part, and call it behind its last operation."""
        inside = {inner for op in part for inner in operations_in(op)}
        readers = {value: self._readers(value, inside) for op in part for value in op.results}
        results = [value for value, uses in readers.items() if uses]
        if not results:
            _erase_unused(part)
            return
        inputs: dict[SSAValue, None] = {}
        cheap: dict[Operation, None] = {}
        for op in part:
            _find_inputs(op, inside, inputs, cheap)
        types = [value.type for value in inputs], [value.type for value in results]
        body = Block(arg_types=types[0])
        values: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
        for value, argument in zip(inputs, body.args, strict=True):
            argument.name_hint = value.name_hint
        for op in (*cheap, *part):
            body.add_op(op.clone(values))
        body.add_op(ReturnOp(*(values[value] for value in results)))
        name = self._new_name()
        function = FuncOp(name, FunctionType.from_lists(*types), Region(body), "private")
        function.attributes[PART] = UnitAttr()
        Rewriter.insert_op(function, InsertPoint.after(self._last or self.function))
        self._last = function
        call = CallOp(name, list(inputs), types[1])
        Rewriter.insert_op(call, InsertPoint.after(part[-1]))
        for value, result in zip(results, call.results, strict=True):
            result.name_hint = value.name_hint
            for use in readers[value]:
                use.operation.operands[use.index] = result
        _erase_unused(part)

    def _readers(self, value: SSAValue, inside: set[Operation]) -> list[Use]:
        """The uses of a value of a part by others, which do not make it themselves."""
        owner = value.owner
        is_made_anew = isinstance(owner, Operation) and _is_cheap(owner) and not aliases_of(owner)
        return [
            use
            for use in value.uses
            if use.operation not in inside
            and not (is_made_anew and use.operation in self._in_parts)
        ]

    def _new_name(self) -> str:
        number = 0
        while (name := f"{self.function.sym_name.data}.part{number}") in self.names:
            number += 1
        self.names.add(name)
        return name


def _find_inputs(
    op: Operation,
    inside: set[Operation],
    inputs: dict[SSAValue, None],
    cheap: dict[Operation, None],
) -> None:
    """Add what an operation reads from outside of its part, and what is made there anew."""
    for value in values_used(op):
        owner = value.owner
        if isinstance(owner, Block):
            if owner.parent_op() not in inside:
                inputs[value] = None
        elif owner not in inside and owner not in cheap:
            if _is_cheap(owner):
                _find_inputs(owner, inside, inputs, cheap)
                cheap[owner] = None
            else:
                inputs[value] = None


def _erase_unused(ops: Iterable[Operation]) -> None:
    for op in reversed(list(ops)):
        if not any(result.first_use for result in op.results):
            Rewriter.erase_op(op)


def _is_of_part(op: Operation, part: Container[Operation | Block]) -> bool:
    """Tell whether something cheap is of a part: a view of what that makes, or what is filled.

    Only what stays between parts needs a filled tensor: parts fill their own.
    """
    if aliases_of(op):
        return any(operand.owner in part for operand in op.operands)
    return isinstance(op, FillOp) and any(
        _is_over_tensors(use.operation)
        or _is_at_run_time(use.operation)
        or use.operation.has_trait(IsTerminator)
        for result in op.results
        for use in result.uses
    )


def _stays(op: Operation) -> bool:
    """Tell whether an operation is of no part: scalars, slices at run time, what ends a block."""
    return not any(is_tensor(result.type) for result in op.results) or _is_at_run_time(op)


def _is_cheap(op: Operation) -> bool:
    """Tell whether an operation is made anew in each part that reads it."""
    if isinstance(op, ConstantOp | tensor.EmptyOp | FillOp):
        return True
    return bool(aliases_of(op)) and not _is_at_run_time(op)
