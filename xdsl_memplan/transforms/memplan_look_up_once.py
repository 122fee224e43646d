"""Looks elements up once that are looked up in many iterations of a body."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import linalg, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from xdsl_memplan.analysis.distinct_lookups import FollowedIndices
from xdsl_memplan.analysis.looked_up_near import is_computed
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.purity import only_computes
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.tiling_models.tile_values import static_shape
from xdsl_memplan.dialects.tiling_queries import tiling_rule_of
from xdsl_memplan.transforms.new_generic import add_input, in_parallel

_LEAST_TIMES = 2
"""An element is looked up once where it would be so many times otherwise, at the least."""


@dataclass(frozen=True)
class MemplanLookUpOncePass(ModulePass):
    """Look elements up once that are looked up in many iterations of a body.

    Before, each bag looks up the rows of all places, and adds up those that are its own:

    ```mlir
    %y = linalg.generic {indexing_maps = [affine_map<(b, p, f) -> (p)>,
                                          affine_map<(b, p, f) -> (b, f)>], ...}
        ins(%places : tensor<128xi64>) outs(%z : tensor<32x64xf32>) {
    ^bb0(%i: i64, %o: f32):
      %r = arith.index_cast %i : i64 to index
      %f = linalg.index 2 : index
      %v = tensor.extract %table[%r, %f] : tensor<100000x64xf32>
      ...
    ```

    After, the row of each place is looked up once, as indices do not depend on the bag:

    ```mlir
    %g = linalg.generic {indexing_maps = [affine_map<(p, f) -> (p)>, affine_map<(p, f) -> (p, f)>]}
        ins(%places : tensor<128xi64>) outs(%e : tensor<128x64xf32>) {
    ^bb0(%i: i64, %o: f32):
      %r = arith.index_cast %i : i64 to index
      %f = linalg.index 1 : index
      %v = tensor.extract %table[%r, %f] : tensor<100000x64xf32>
      linalg.yield %v : f32
    } -> tensor<128x64xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(b, p, f) -> (p)>,
                                          affine_map<(b, p, f) -> (p, f)>, ...], ...}
        ins(%places, %g : ...) outs(%z : tensor<32x64xf32>) ...
    ```

    So for tables that the function was given, with more elements than are looked up then. The same
    elements are looked up, so that the result is the same bit for bit. Options: none.

    Requires nothing. What has dynamic sizes is left alone, and so is what is looked up in a branch.
    """

    name = "memplan-look-up-once"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Look up once in the whole module ``op``; linear in its operations."""
        for inner in operations_in(op):
            if isinstance(inner, tensor.ExtractOp) and type(inner.parent_op()) is GenericOp:
                look_up_once(inner)


def look_up_once(extract: tensor.ExtractOp) -> None:
    """Let the body of a lookup read what is looked up before, if that is less."""
    op = extract.parent_op()
    assert isinstance(op, GenericOp)
    table = static_shape(extract.tensor)
    rule = tiling_rule_of(op)
    if table is None or rule is None or op.library_call is not None:
        return
    if op.is_ancestor(extract.tensor.owner) or is_computed(extract.tensor):
        return
    loops = sorted(FollowedIndices(op, len(rule.loops)).loops_of(*extract.indices))
    count = prod(rule.loops[loop] for loop in loops)
    steps = _steps_to(extract)
    if not loops or steps is None:
        return
    if count * _LEAST_TIMES > prod(rule.loops) or prod(table) <= count:
        return
    looked_up = _Lookups(op, extract, steps, loops, [rule.loops[loop] for loop in loops])
    looked_up.read_in_body(looked_up.before())


def _steps_to(extract: tensor.ExtractOp) -> list[Operation] | None:
    """The operations of the body that compute the indices, in order; None if one has an effect."""
    block = extract.parent
    needed = {extract, *_makers(extract, block)}
    steps: list[Operation] = []
    op: Operation | None = extract
    while op is not None:
        if op in needed:
            is_harmless = isinstance(op, tensor.ExtractOp | linalg.ops.IndexOp)
            if op.regions or not (is_harmless or only_computes(op)):
                return None
            steps.append(op)
            needed.update(_makers(op, block))
        op = op.prev_op
    return steps[::-1]


def _makers(op: Operation, block: Block | None) -> Iterator[Operation]:
    """The operations of a block that make what an operation reads."""
    for operand in op.operands:
        if isinstance(operand.owner, Operation) and operand.owner.parent is block:
            yield operand.owner


@dataclass
class _Lookups:
    """What is looked up in a body, for iterations of some of its loops."""

    op: GenericOp
    extract: tensor.ExtractOp
    steps: list[Operation]
    """What computes the indices, and the lookup at the end."""
    loops: Sequence[int]
    extents: Sequence[int]

    def before(self) -> SSAValue:
        """Insert an operation that looks elements up, one for each iteration of the loops."""
        op, element = self.op, self.extract.result.type
        inputs = input_count(op)
        read = sorted(
            {
                operand.index
                for step in self.steps
                for operand in step.operands
                if isinstance(operand, BlockArgument) and operand.block is op.body.block
            }
        )
        assert all(number < inputs for number in read)
        arguments = [op.body.block.args[number] for number in read]
        body = Block(arg_types=[*(argument.type for argument in arguments), element])
        known: dict[SSAValue, SSAValue] = dict(zip(arguments, body.args, strict=False))
        for step in self.steps:
            copy = step.clone(known)
            if isinstance(copy, linalg.ops.IndexOp):
                copy.properties["dim"] = type(copy.dim)(
                    self.loops.index(copy.dim.value.data), copy.dim.type
                )
            body.add_op(copy)
            known |= zip(step.results, copy.results, strict=True)
        body.add_op(linalg.ops.YieldOp(known[self.extract.result]))
        maps = [self._narrowed(op.indexing_maps.data[number].data) for number in read]
        looked_up = in_parallel(
            Builder(InsertPoint.before(op)),
            [op.operands[number] for number in read],
            [*maps, AffineMap.identity(len(self.loops))],
            self.extents,
            element,
            body,
        )
        assert isinstance(looked_up.owner, Operation)
        looked_up.owner.location = self.extract.location
        return looked_up

    def read_in_body(self, looked_up: SSAValue) -> None:
        """Let the body read what was looked up; what only served to look up goes."""
        loops = tuple(AffineExpr.dimension(loop) for loop in self.loops)
        map_ = AffineMap(len(self.op.iterator_types), 0, loops)
        argument = add_input(self.op, looked_up, map_)
        self.extract.result.replace_all_uses_with(argument)
        for step in reversed(self.steps):
            if not any(result.first_use for result in step.results):
                step.detach()
                step.erase()

    def _narrowed(self, map_: AffineMap) -> AffineMap:
        """The same indices, of which the loops are the only ones."""
        new = [AffineExpr.constant(0)] * map_.num_dims
        for position, loop in enumerate(self.loops):
            new[loop] = AffineExpr.dimension(position)
        return map_.replace_dims_and_symbols(new, [], len(self.loops), 0)
