"""Copies that bufferization makes whatever the order is, made operations before anybody counts bytes.

| tensor | read by | why it is copied |
|-|-|-|
| a view that is not dense, a constant, one without contents | `func.return` | memrefs that leave a function have the identity layout and can be written |
| the same scalar everywhere | `func.return`, an operation that wants a memref | it has no bytes until then |
| a slice | a view that needs it to be contiguous | no layout says what the view shows |

`bufferization.alloc_tensor() copy(...)` becomes the same buffer and copy, but has a size and a
lifetime that searches see, can be moved off chip, and is there once for all that one operation reads.
"""  # noqa: E501

from typing import cast

from xdsl.dialects import arith, bufferization, func, tensor
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memref_layout import Memref, Tensor, dense_memref, is_dense
from xdsl_memplan.analysis.sharing import Sharing
from xdsl_memplan.analysis.storage_type import is_static_tensor
from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.dialects.queries import destinations_of
from xdsl_memplan.transforms.bufferize.inlined_scalars import needs_memref
from xdsl_memplan.transforms.bufferize.liveness import Liveness, is_tensor
from xdsl_memplan.transforms.bufferize.place import view_type
from xdsl_memplan.transforms.bufferize.tensor_views import viewed, views_of


def make_copies_explicit(function: func.FuncOp, sharing: Sharing | None = None) -> None:
    """Insert an operation for every copy that bufferization cannot do without.

    Before, with a result that is every second row of an argument:

    ```mlir
    %rows = tensor.extract_slice %x[0, 0] [2, 4] [2, 1] : tensor<4x4xf32> to tensor<2x4xf32>
    func.return %rows : tensor<2x4xf32>
    ```

    After:

    ```mlir
    %rows = tensor.extract_slice %x[0, 0] [2, 4] [2, 1] : tensor<4x4xf32> to tensor<2x4xf32>
    %copy = bufferization.alloc_tensor() copy(%rows) : tensor<2x4xf32>
    func.return %copy : tensor<2x4xf32>
    ```

    A function with several blocks or with slices of unknown size is left as it is, and so are the
    insides of regions. Linear in the operations. ``sharing``: what was asked about these.
    """
    if len(function.body.blocks) != 1:
        return
    try:
        copied = _Finder(function).find()
    except PassFailedException:
        return  # memplan-bufferize says what is wrong.
    if not copied:
        return
    live = Liveness(function, sharing=sharing).live
    for op, operands in copied:
        if op not in live:
            continue
        for value in dict.fromkeys(op.operands[i] for i in operands):
            copy = bufferization.AllocTensorOp(value.type, copy=value)
            assert op.parent is not None
            op.parent.insert_op_before(copy, op)
            for i in operands:
                if op.operands[i] is value:
                    op.operands[i] = copy.tensor


class _Finder:
    """Follows layouts from the first operation of a block to the last."""

    def __init__(self, function: func.FuncOp) -> None:
        self.block = function.body.block
        self.uniforms = Uniforms()
        self.layouts: dict[SSAValue, Memref] = {}
        """Of views: the type they have if what they show is dense."""

    def find(self) -> list[tuple[Operation, list[int]]]:
        """Operations, each with the operands that are copied for it."""
        found: list[tuple[Operation, list[int]]] = []
        for op in self.block.ops:
            if viewed(op) is not None:
                operands = self._of_view(op)
            elif isinstance(op, func.ReturnOp):
                operands = [i for i, v in enumerate(op.operands) if self._leaves_as_copy(v)]
            else:
                operands = self._uniform_inputs(op)
            if operands:
                found.append((op, operands))
        return found

    def _of_view(self, op: Operation) -> list[int]:
        result = op.results[0]
        if self.uniforms.of(result) is not None:
            return []
        if not all(map(is_static_tensor, (op.operands[0], result))):
            return []
        views = views_of(op)
        type = view_type(self._layout(op.operands[0]), views)
        if type is not None:
            self.layouts[result] = type
            return []
        dense = view_type(dense_memref(cast(Tensor, op.operands[0].type)), views)
        if dense is None:
            return []
        self.layouts[result] = dense
        return [0]

    def _leaves_as_copy(self, value: SSAValue) -> bool:
        if not is_tensor(value):
            return False
        owner = value.owner
        return (
            self.uniforms.of(value) is not None
            or isinstance(owner, arith.ConstantOp | tensor.EmptyOp)
            or not is_dense(self._layout(value))
        )

    def _uniform_inputs(self, op: Operation) -> list[int]:
        uniform = [
            i
            for i, value in enumerate(op.operands)
            if is_tensor(value) and self.uniforms.of(value) is not None
        ]
        if not uniform or not any(map(is_tensor, op.results)):
            return []
        if all(self.uniforms.of(result) is not None for result in op.results):
            return []
        outputs = {tie.operand for tie in destinations_of(op)}
        return [i for i in uniform if i not in outputs and needs_memref(op, i, self.uniforms)]

    def _layout(self, value: SSAValue) -> Memref:
        known = self.layouts.get(value)
        return dense_memref(cast(Tensor, value.type)) if known is None else known
