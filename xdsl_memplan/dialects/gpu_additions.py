"""What stock xDSL's gpu lacks: the processors that a `scf.forall` names in its `mapping`."""

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from xdsl_memplan.dialects.extended_dialect import with_attributes
from xdsl_memplan.dialects.name_in_brackets import NameInBrackets


class MappingId(StrEnum):
    """A dimension of processors, or one of all of them counted through."""

    X = "x"
    Y = "y"
    Z = "z"
    LINEAR_DIM_0 = "linear_dim_0"
    LINEAR_DIM_1 = "linear_dim_1"
    LINEAR_DIM_2 = "linear_dim_2"
    LINEAR_DIM_3 = "linear_dim_3"
    LINEAR_DIM_4 = "linear_dim_4"
    LINEAR_DIM_5 = "linear_dim_5"
    LINEAR_DIM_6 = "linear_dim_6"
    LINEAR_DIM_7 = "linear_dim_7"
    LINEAR_DIM_8 = "linear_dim_8"
    LINEAR_DIM_9 = "linear_dim_9"


@irdl_attr_definition
class BlockMappingAttr(NameInBrackets, EnumAttribute[MappingId]):
    """`#gpu.block<x>`: blocks of threads."""

    name = "gpu.block"


@irdl_attr_definition
class WarpgroupMappingAttr(NameInBrackets, EnumAttribute[MappingId]):
    """`#gpu.warpgroup<x>`: groups of warps."""

    name = "gpu.warpgroup"


@irdl_attr_definition
class WarpMappingAttr(NameInBrackets, EnumAttribute[MappingId]):
    """`#gpu.warp<x>`: warps."""

    name = "gpu.warp"


@irdl_attr_definition
class ThreadMappingAttr(NameInBrackets, EnumAttribute[MappingId]):
    """`#gpu.thread<x>`: threads."""

    name = "gpu.thread"


@irdl_attr_definition
class LaneMappingAttr(NameInBrackets, EnumAttribute[MappingId]):
    """`#gpu.lane<x>`: the threads of a warp."""

    name = "gpu.lane"


_ADDED = (
    BlockMappingAttr,
    LaneMappingAttr,
    ThreadMappingAttr,
    WarpMappingAttr,
    WarpgroupMappingAttr,
)


def extended_gpu(stock: Dialect) -> Dialect:
    """The dialect `stock` with the attributes that it lacks."""
    return with_attributes(stock, _ADDED)
