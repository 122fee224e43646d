"""What xDSL's own operations mean to memory planning: one table, attached by `attach_all`.

An operation that is not listed and touches tensors or memrefs is handled by the default of
`queries.effects_of`. A trait that somebody attached before is left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import (
    affine,
    arith,
    bufferization,
    builtin,
    cf,
    func,
    linalg,
    memref,
    scf,
    tensor,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap
from xdsl.traits import OpTrait

from xdsl_memplan.dialects.interface_models import (
    FixedAccess,
    MayAccessAll,
    MayAliasAny,
    NoAccess,
    NoAlias,
    UnknownAccess,
    ViewOf,
    WritesInto,
)
from xdsl_memplan.dialects.interfaces import (
    Access,
    DestinationTrait,
    Effects,
    InPlaceTrait,
    ReadsWritesTrait,
    Tie,
    attach,
    has_contents,
)
from xdsl_memplan.dialects.linalg_additions import extended_linalg
from xdsl_memplan.dialects.memref_alloc_model import MemrefAllocModel
from xdsl_memplan.dialects.structured_inputs import input_count
from xdsl_memplan.dialects.xdsl_versions import (
    AssumeAlignmentOp,
    IteratorType,
    LinalgStructuredOperation,
    NamedOperation,
    PadOp,
    TensorYieldOp,
    ViewOp,
    has_structured_operations,
    linalg_ops,
)

_READ, _WRITE, _NONE = Access.READ, Access.WRITE, Access.NONE
_OUTPUT_ACCESS = {
    (reads, writes): (_READ if reads else _NONE) | (_WRITE if writes else _NONE)
    for reads in (False, True)
    for writes in (False, True)
}


@dataclass(frozen=True)
class StructuredDestinations(DestinationTrait):
    """A structured operation on tensors writes result number i into output number i."""

    def destinations(self, op: Operation) -> Sequence[Tie]:
        """One tie per result."""
        first = input_count(op)
        return tuple(Tie(i, first + i) for i in range(len(op.results)))


@dataclass(frozen=True)
class StructuredEffects(ReadsWritesTrait):
    """A structured operation reads its inputs and writes its outputs.

    An input is read if the body uses its element. Old contents of an output are read if the body
    uses them, or if its indexing map leaves elements unwritten, so that old ones stay. A named
    operation that visits an output element several times accumulates, whatever xDSL's hidden
    region says (that of `linalg.pooling_nchw_max` does not).
    """

    def effects(self, op: Operation) -> Effects:
        """One access per operand and result."""
        # Everything by number: named accessors of xDSL take several times as long.
        structured = cast("LinalgStructuredOperation", op)
        args = op.regions[0].block.args
        operands: list[Access] = []
        first_output = input_count(op)
        maps: Sequence[builtin.AffineMapAttr] | None = None
        for index, operand in enumerate(op.operands):
            type_ = operand.type
            if not has_contents(type_):
                operands.append(_NONE)
                continue
            reads = args[index].first_use is not None
            if index < first_output:
                operands.append(_READ if reads else _NONE)
                continue
            if not reads:
                if maps is None:
                    maps = structured.get_indexing_maps().data
                indexing_map = maps[index].data
                accumulates = isinstance(op, NamedOperation) and _repeats(indexing_map)
                shape = cast("builtin.TensorType[Attribute]", type_).get_shape()
                reads = accumulates or not _covers(indexing_map, shape)
            writes = type(type_) is builtin.MemRefType
            operands.append(_OUTPUT_ACCESS[reads, writes])
        return Effects(tuple(operands), (_WRITE,) * len(op.results))


@dataclass(frozen=True)
class FillEffects(ReadsWritesTrait):
    """`linalg.fill` overwrites its output."""

    def effects(self, op: Operation) -> Effects:
        """One access per operand and result; a tensor is not touched, the result is."""
        is_memref = type(op.operands[1].type) is builtin.MemRefType
        return Effects((_NONE, _WRITE if is_memref else _NONE), (_WRITE,) * len(op.results))


@dataclass(frozen=True)
class StructuredOverwrites(InPlaceTrait):
    """A structured operation may write a result over an input that it reads with the same map.

    In a nest of parallel loops that reaches no element twice, an element is read in the iteration
    that writes it and in no other.
    """

    def overwrites(self, op: Operation) -> Sequence[Tie]:
        """Inputs of the type of a result, each with that result."""
        if not op.results:
            return ()
        structured = cast("LinalgStructuredOperation", op)
        first = input_count(op)
        inputs = [operand.type for operand in op.operands[:first]]
        ties = [
            (result, operand)
            for result, value in enumerate(op.results)
            for operand, type_ in enumerate(inputs)
            if _are_equal(type_, value.type)
        ]
        if not ties or any(
            t.data is not IteratorType.PARALLEL for t in structured.get_iterator_types()
        ):
            return ()
        maps = structured.get_indexing_maps().data
        return tuple(
            Tie(result, operand)
            for result, operand in ties
            if maps[operand].data == maps[first + result].data
            and _reaches_once(structured, maps[first + result].data)
        )


@dataclass(frozen=True)
class LoopOverwrites(InPlaceTrait):
    """`scf.for` may leave a result where its initial value was."""

    def overwrites(self, op: Operation) -> Sequence[Tie]:
        """Each result with the operand that is its initial value."""
        return tuple(Tie(i, i + 3) for i in range(len(op.results)))


@dataclass(frozen=True)
class OutEffects(ReadsWritesTrait):
    """`linalg.broadcast` overwrites its init, `linalg.reduce` accumulates into it."""

    accumulates: bool

    def effects(self, op: Operation) -> Effects:
        """One access per operand and result."""
        init = _READ if self.accumulates else _NONE
        if isinstance(op.operand_types[1], builtin.MemRefType):
            init |= _WRITE
        return Effects((_READ, init), (_WRITE,) * len(op.results))


@dataclass(frozen=True)
class MapModel(ReadsWritesTrait, DestinationTrait, InPlaceTrait):
    """`linalg.map` reads what its body uses, and writes every element of its init once."""

    def effects(self, op: Operation) -> Effects:
        """One access per operand and result."""
        args = op.regions[0].block.args
        operands = [
            _READ if has_contents(operand.type) and arg.first_use is not None else _NONE
            for operand, arg in zip(op.operands, args, strict=True)
        ]
        if isinstance(op.operands[-1].type, builtin.MemRefType):
            operands[-1] |= _WRITE
        return Effects(tuple(operands), (_WRITE,) * len(op.results))

    def destinations(self, op: Operation) -> Sequence[Tie]:
        """The last operand; none on memrefs, where there is no result."""
        return (Tie(0, len(op.operands) - 1),) if op.results else ()

    def overwrites(self, op: Operation) -> Sequence[Tie]:
        """Inputs of the type of the result."""
        inputs = enumerate(op.operands[:-1] if op.results else ())
        return tuple(
            Tie(0, i) for i, operand in inputs if _are_equal(operand.type, op.results[0].type)
        )


@dataclass(frozen=True)
class MaterializeEffects(ReadsWritesTrait):
    """`bufferization.materialize_in_destination`: all of the destination is overwritten."""

    def effects(self, op: Operation) -> Effects:
        """Read, write; a tensor destination is not touched, the result is."""
        is_memref = isinstance(op.operand_types[1], builtin.MemRefType)
        return Effects((_READ, _WRITE if is_memref else _NONE), (_WRITE,) * len(op.results))


_MODELS: dict[type[Operation], tuple[OpTrait, ...]] = {
    # Storage.
    memref.AllocOp: (MemrefAllocModel(), NoAccess()),
    memref.AllocaOp: (MemrefAllocModel(), NoAccess()),
    memref.DeallocOp: (NoAccess(),),
    memref.GetGlobalOp: (NoAccess(),),
    tensor.EmptyOp: (NoAccess(),),
    arith.ConstantOp: (NoAccess(),),
    bufferization.AllocTensorOp: (FixedAccess((_READ,), (_WRITE,)),),
    # Views and casts of memrefs.
    memref.SubviewOp: (ViewOf(), NoAccess()),
    memref.CastOp: (ViewOf(), NoAccess()),
    memref.ReinterpretCastOp: (ViewOf(), NoAccess()),
    memref.CollapseShapeOp: (ViewOf(), NoAccess()),
    memref.ExpandShapeOp: (ViewOf(), NoAccess()),
    ViewOp: (ViewOf(), NoAccess()),
    memref.MemorySpaceCastOp: (ViewOf(), NoAccess()),
    AssumeAlignmentOp: (ViewOf(), NoAccess()),
    memref.ExtractStridedMetaDataOp: (ViewOf(), NoAccess()),
    memref.DimOp: (NoAlias(), NoAccess()),
    memref.RankOp: (NoAlias(), NoAccess()),
    # A raw address leaves, or a transfer outlasts the operation.
    memref.ExtractAlignedPointerAsIndexOp: (UnknownAccess(),),
    memref.DmaStartOp: (UnknownAccess(),),
    memref.DmaWaitOp: (UnknownAccess(),),
    # Views of tensors.
    tensor.CastOp: (ViewOf(), NoAccess()),
    tensor.CollapseShapeOp: (ViewOf(), NoAccess()),
    tensor.ExpandShapeOp: (ViewOf(), NoAccess()),
    tensor.ReshapeOp: (ViewOf(), FixedAccess((_NONE, _READ))),
    tensor.ExtractSliceOp: (ViewOf(), NoAccess()),
    tensor.DimOp: (NoAccess(),),
    # From one kind to the other.
    builtin.UnrealizedConversionCastOp: (MayAliasAny(of_any_type=True), NoAccess()),
    bufferization.ToTensorOp: (ViewOf(), NoAccess()),
    bufferization.ToBufferOp: (ViewOf(), NoAccess()),
    # Accesses to memrefs.
    memref.LoadOp: (FixedAccess((_READ,)),),
    memref.StoreOp: (FixedAccess((_NONE, _WRITE)),),
    memref.CopyOp: (FixedAccess((_READ, _WRITE)),),
    memref.AtomicRMWOp: (FixedAccess((_NONE, Access.READ_WRITE)),),
    affine.LoadOp: (FixedAccess((_READ,)),),
    affine.StoreOp: (FixedAccess((_NONE, _WRITE)),),
    bufferization.CloneOp: (FixedAccess((_READ,), (_WRITE,)),),
    bufferization.MaterializeInDestinationOp: (WritesInto(1), MaterializeEffects()),
    # Operations on tensors; those that are pure and without a region have the default.
    tensor.InsertSliceOp: (WritesInto(1), FixedAccess((_READ, _READ), (_WRITE,))),
    tensor.InsertOp: (WritesInto(1), FixedAccess((_NONE, _READ), (_WRITE,))),
    PadOp: (FixedAccess((_READ,), (_WRITE,)),),
    linalg_ops.BroadcastOp: (WritesInto(1), OutEffects(accumulates=False)),
    linalg_ops.ReduceOp: (WritesInto(1), OutEffects(accumulates=True)),
    # Calls and control flow. What a region returns is followed by the analysis, not here.
    func.CallOp: (MayAliasAny(), MayAccessAll()),
    func.FuncOp: (NoAccess(),),
    func.ReturnOp: (NoAccess(),),
    cf.BranchOp: (NoAccess(),),
    cf.ConditionalBranchOp: (NoAccess(),),
    cf.SwitchOp: (NoAccess(),),
    scf.ForOp: (NoAccess(), LoopOverwrites()),
    scf.WhileOp: (NoAccess(),),
    scf.IfOp: (NoAccess(),),
    scf.IndexSwitchOp: (NoAccess(),),
    scf.ExecuteRegionOp: (NoAccess(),),
    scf.ParallelOp: (NoAccess(),),
    scf.ReduceOp: (NoAccess(),),
    scf.ReduceReturnOp: (NoAccess(),),
    scf.ConditionOp: (NoAccess(),),
    scf.YieldOp: (NoAccess(),),
    linalg_ops.YieldOp: (NoAccess(),),
    TensorYieldOp: (NoAccess(),),
}


STOCK: dict[type[Operation], tuple[OpTrait, ...]] = dict(_MODELS)
"""What is attached to which class, structured operations included."""


def attach_all() -> None:
    """Attach the table and the models of structured operations; a second time has no effect."""
    for op_class, traits in _MODELS.items():
        attach(op_class, *traits, replace=False)
    if not has_structured_operations():
        return
    for op_class in extended_linalg(linalg.Linalg).operations:
        if issubclass(op_class, LinalgStructuredOperation):
            is_fill = op_class is linalg_ops.FillOp
            effects = FillEffects() if is_fill else StructuredEffects()
            models = (StructuredDestinations(), effects, StructuredOverwrites())
            attach(op_class, *models, replace=False)
            STOCK[op_class] = models
    from xdsl_memplan.dialects.linalg_additions.map import MapOp
    from xdsl_memplan.dialects.linalg_additions.softmax import SoftmaxOp

    own_form: dict[type[Operation], tuple[OpTrait, ...]] = {
        MapOp: (MapModel(),),
        SoftmaxOp: (WritesInto(1), OutEffects(accumulates=False)),
    }
    for op_class, models in own_form.items():
        attach(op_class, *models, replace=False)
        STOCK[op_class] = models


def _are_equal(one: Attribute, other: Attribute) -> bool:
    """Tell whether two types are equal; most are the same object or of another shape."""
    return one is other or (type(one) is type(other) and one == other)


def _repeats(indexing_map: AffineMap) -> bool:
    """Tell whether several iterations reach the same element: a reduction."""
    return len(indexing_map.used_dims()) < indexing_map.num_dims


def _reaches_once(op: LinalgStructuredOperation, written: AffineMap) -> bool:
    """Tell whether the loops that `written` does not use have one iteration."""
    used = written.used_dims()
    missing = [d for d in range(written.num_dims) if d not in used]
    if any(not isinstance(e, AffineDimExpr | AffineConstantExpr) for e in written.results):
        return False
    if not missing:
        return True
    sizes: dict[int, int] = {}
    for type_, indexing_map in zip(op.operand_types, op.get_indexing_maps().data, strict=True):
        if isinstance(type_, builtin.TensorType):
            shape = cast(builtin.TensorType[Attribute], type_).get_shape()
            for expression, size in zip(indexing_map.data.results, shape, strict=True):
                if isinstance(expression, AffineDimExpr):
                    sizes[expression.position] = size
    return all(sizes.get(dimension) == 1 for dimension in missing)


def _covers(indexing_map: AffineMap, shape: Sequence[int]) -> bool:
    """Tell whether the loops reach every element: a permutation, zeros allowed where the size is 1.

    The verifier of structured operations sees to it that a plain loop index spans its dimension.
    """
    seen: set[int] = set()
    for expression, size in zip(indexing_map.results, shape, strict=True):
        match expression:
            case AffineDimExpr() if expression.position not in seen:
                seen.add(expression.position)
            case AffineConstantExpr(value=0) if size == 1:
                pass
            case _:
                return False
    return True
