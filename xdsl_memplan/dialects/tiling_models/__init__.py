"""How xDSL's own operations are tiled: one file per family, one table, attached by `attach_all`."""

from xdsl.dialects import linalg, tensor
from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

from xdsl_memplan.dialects.interfaces import TilingTrait, attach
from xdsl_memplan.dialects.linalg_additions import extended_linalg
from xdsl_memplan.dialects.tiling_models.concat import ConcatTiling
from xdsl_memplan.dialects.tiling_models.on_dimensions import BroadcastTiling, ReduceTiling
from xdsl_memplan.dialects.tiling_models.pad import PadTiling
from xdsl_memplan.dialects.tiling_models.reshapes import CastTiling, ReshapeTiling
from xdsl_memplan.dialects.tiling_models.slices import ExtractSliceTiling, InsertSliceTiling
from xdsl_memplan.dialects.tiling_models.structured import StructuredTiling

_MODELS: dict[type[Operation], TilingTrait] = {
    linalg_ops.BroadcastOp: BroadcastTiling(),
    linalg_ops.ReduceOp: ReduceTiling(),
    tensor.CastOp: CastTiling(),
    tensor.CollapseShapeOp: ReshapeTiling(),
    tensor.ConcatOp: ConcatTiling(),
    tensor.ExpandShapeOp: ReshapeTiling(),
    tensor.ExtractSliceOp: ExtractSliceTiling(),
    tensor.InsertSliceOp: InsertSliceTiling(),
    tensor.PadOp: PadTiling(),
}


def attach_all() -> None:
    """Attach the models; one that somebody attached before is left alone."""
    for op_class, model in _MODELS.items():
        attach(op_class, model, replace=False)
    for op_class in extended_linalg(linalg.Linalg).operations:
        if issubclass(op_class, LinalgStructuredOperation):
            attach(op_class, StructuredTiling(), replace=False)
