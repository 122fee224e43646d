"""What stock xDSL's linalg lacks for networks as torch-mlir prints them.

- `named_ops.py`: named operations of MLIR 22, as one table. If xDSL has one, its row is skipped.
- `corrections.py`: methods of stock classes that misread, misprint or misbuild operations.
- `syntax.py`, `bodies.py`, `indexing.py`: what these are made of.

`universe.py` puts `extended_linalg` in the place of the stock factory, so all of this is
imported only when a file has linalg in it. When xDSL has caught up, delete the folder and that
line.
"""

from xdsl.ir import Dialect


def extended_linalg(stock: Dialect) -> Dialect:
    """The dialect `stock` with the missing operations; its classes are corrected in place."""
    from xdsl_memplan.dialects.linalg_additions.corrections import correct
    from xdsl_memplan.dialects.linalg_additions.named_ops import NAMED_OPS

    correct()
    operations = list(stock.operations)
    known = {op_class.name for op_class in operations}
    missing = [op_class for op_class in NAMED_OPS if op_class.name not in known]
    return Dialect(stock.name, [*operations, *missing], list(stock.attributes))
