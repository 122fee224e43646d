"""What stock xDSL's linalg lacks for networks as torch-mlir prints them.

- `named_ops.py`: named operations of MLIR 22, as one table. If xDSL has one, its row is skipped.
- `map.py`, `elementwise.py`, `softmax.py`, `packing.py`: operations with forms of their own.
- `type_fn.py`: elements of some named operations that are made wider as unsigned numbers.
- `filter_layouts.py`: which of these differ in the layout of their filter alone.
- `corrections.py`: methods of stock classes that misread, misprint or misbuild operations.
- `syntax.py`, `bodies.py`, `short_body.py`, `indexing.py`: what these are made of.

`universe.py` puts `extended_linalg` in the place of the stock factory, so all of this is
imported only when a file has linalg in it. When xDSL has caught up, delete the folder and that
line.
"""

from xdsl.ir import Dialect


def extended_linalg(stock: Dialect) -> Dialect:
    """The dialect `stock` with the missing operations; its classes are corrected in place."""
    from xdsl_memplan.dialects.extended_dialect import with_attributes, with_operations
    from xdsl_memplan.dialects.linalg_additions.corrections import correct
    from xdsl_memplan.dialects.linalg_additions.elementwise import (
        ElementwiseKindAttr,
        ElementwiseOp,
    )
    from xdsl_memplan.dialects.linalg_additions.map import MapOp
    from xdsl_memplan.dialects.linalg_additions.named_ops import NAMED_OPS
    from xdsl_memplan.dialects.linalg_additions.packing import PackOp, UnpackOp
    from xdsl_memplan.dialects.linalg_additions.softmax import SoftmaxOp
    from xdsl_memplan.dialects.linalg_additions.type_fn import TypeFnAttr, accept_casts

    correct()
    added = (*NAMED_OPS, ElementwiseOp, MapOp, PackOp, SoftmaxOp, UnpackOp)
    extended = with_operations(stock, added)
    accept_casts(extended.operations)
    return with_attributes(extended, (ElementwiseKindAttr, TypeFnAttr))
