"""What passes over buffers say to IR that has none yet."""

from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op


def refuse_tensor_ir(module: ModuleOp, name: str) -> None:
    """Refuse a module in which the pass ``name`` found no buffer, but tensors are computed.

    Nothing to do and all in order look alike to whoever forgot `memplan-bufferize`; a module
    without tensors is passed. Complexity: O(operations).

    Raises PassFailedException that names the first operation that makes a tensor.
    """
    for op in module.walk():
        if any(isinstance(result.type, TensorType | UnrankedTensorType) for result in op.results):
            raise PassFailedException(
                f"{describe_op(op)}: {name} works on buffers, and here are tensors and no buffer: "
                "run memplan-bufferize first"
            )
