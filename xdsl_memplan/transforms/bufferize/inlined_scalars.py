"""Operands that are one scalar everywhere: who computes with the scalar, and who needs bytes."""

from collections.abc import Iterable

from xdsl.dialects.linalg import ops as linalg_ops
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.elementwise import is_elementwise
from xdsl_memplan.dialects.loop_lengths import told_loops
from xdsl_memplan.transforms.bufferize.liveness import is_tensor
from xdsl_memplan.transforms.bufferize.records import registered


def needs_memref(op: Operation, operand: int, uniforms: Uniforms) -> bool:
    """Tell whether an operand that is uniform, and no destination, is filled into a buffer."""
    if isinstance(op, linalg_ops.GenericOp):
        outputs = range(len(op.inputs), len(op.operands))
        return operand < len(op.inputs) and operand not in inlined_inputs(op, outputs, uniforms)
    if registered(op) is not None:
        return False  # It writes the scalar where it is wanted.
    return not is_elementwise(op)


def inlined_inputs(
    op: LinalgStructuredOperation, outputs: Iterable[int], uniforms: Uniforms
) -> frozenset[int]:
    """Find the inputs of which the body gets the scalar: what others have tells the loops' sizes.

    Args:
        op: the operation; only a generic one can have its inputs inlined.
        outputs: its destination operands that are kept.
        uniforms: the uniform tensors.
    """
    uniform = {i for i, v in enumerate(op.inputs) if is_tensor(v) and uniforms.of(v) is not None}
    if not uniform:
        return frozenset()
    maps = op.get_indexing_maps().data
    sized = told_loops(maps[i] for i in outputs)
    sized |= told_loops(maps[i] for i in range(len(op.inputs)) if i not in uniform)
    found: set[int] = set()
    for i in sorted(uniform):
        used = told_loops([maps[i]])
        if used <= sized:
            found.add(i)
        else:
            sized |= used
    return frozenset(found)
