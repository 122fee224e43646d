"""Tensors that a layer reads in several ways get a view for each of them.

Of what a group reads one box is on chip, and that of `x` in the product of `x` with itself is all
of it: a tile needs rows and columns. Where that does not fit, they are fetched apart:

```mlir
%v = tensor.extract_slice %x[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> to tensor<64x64xf32>
%y = linalg.matmul ins(%v, %x : ...) ...
```

What is computed from arguments element by element is computed again for each of its parts, so of
`r = exp(x)` times itself the arguments of `exp` are fetched apart, and `exp` runs twice.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.split_graph import LAYER, FunctionSplitGraph
from xdsl_memplan.model.split_graph import Access, Affine, SplitOp


class Apart(NamedTuple):
    """What an operation reads instead of a tensor."""

    view: OpResult
    """A view of it, or the same elements computed again."""
    tensor: SSAValue


def read_apart(split: FunctionSplitGraph, layer: int) -> list[Apart]:
    """Put views before operations of a layer that read the same tensor; return those.

    Layers that do the same as this one get theirs, too: networks repeat their blocks. Softmax and
    normalisations get none: each tile would reduce all again. Linear.
    """
    layers = _layers(split)

    def kind(numbers: list[int]) -> tuple[object, ...]:
        return tuple(_kind(split.graph.ops[number]) for number in numbers)

    wanted = kind(layers[layer])
    return _read_apart(split, [numbers for numbers in layers.values() if kind(numbers) == wanted])


def read_all_apart(split: FunctionSplitGraph) -> list[Apart]:
    """Put such views before the operations of all layers; return those. Linear."""
    return _read_apart(split, _layers(split).values())


def put_back(aparts: Sequence[Apart]) -> None:
    """Let operations read the tensors again that they read before `read_apart`."""
    for view, read in reversed(aparts):
        view.replace_all_uses_with(read)
        _erase_with_operands(view.owner)


def _erase_with_operands(op: Operation) -> None:
    """Erase an operation, and the views that only it reads."""
    operands = dict.fromkeys(op.operands)
    Rewriter.erase_op(op)
    for value in operands:
        if isinstance(value.owner, tensor.ExtractSliceOp) and value.first_use is None:
            Rewriter.erase_op(value.owner)


def _layers(split: FunctionSplitGraph) -> dict[int, list[int]]:
    """The positions of the operations of each layer."""
    layers: dict[int, list[int]] = {}
    for number, op in enumerate(split.graph.ops):
        layers.setdefault(op.layer, []).append(number)
    return layers


def _sums_without_products(op: SplitOp) -> bool:
    return "reduction" in op.iterators and op.work_per_point == 0


def _kind(op: SplitOp) -> tuple[object, ...]:
    return (op.name, op.loops, *(operand.access for operand in op.operands))


def _read_apart(split: FunctionSplitGraph, layers: Iterable[list[int]]) -> list[Apart]:
    ops = split.graph.ops
    makers = {
        op.results[0]: number
        for number, op in enumerate(ops)
        if _is_elementwise_of_arguments(split, op)
    }
    return [
        apart
        for numbers in layers
        if not any(_sums_without_products(ops[number]) for number in numbers)
        for apart in _read_layer_apart(split, numbers, makers)
    ]


def _read_layer_apart(
    split: FunctionSplitGraph, numbers: list[int], makers: dict[int, int]
) -> list[Apart]:
    """The last way to read a tensor stays, as that may be a destination."""
    made = {result for number in numbers for result in split.graph.ops[number].results}
    aparts: list[Apart] = []
    seen: set[int] = set()
    for number in reversed(numbers):
        op, data = split.operations[number], split.graph.ops[number]
        for tensor_ in dict.fromkeys(operand.tensor for operand in data.operands):
            value = split.values[tensor_]
            ways = [read.access for read in data.operands if read.tensor == tensor_]
            positions = [i for i, operand in enumerate(op.operands) if operand is value]
            is_plain = all(isinstance(way, Affine) for way in ways) and len(positions) >= len(ways)
            maker = makers.get(tensor_)
            is_fixed = tensor_ in made and maker is None
            if is_fixed or not (data.splittable and is_plain) or data.view:
                continue
            views: dict[Access, SSAValue] = {} if tensor_ in seen else {ways[-1]: value}
            seen.add(tensor_)
            for position, way in zip(positions, ways, strict=False):
                if way not in views:
                    view = _view(value, op) if maker is None else _again(split, maker, op)
                    views[way] = view
                    aparts.append(Apart(view, value))
                op.operands[position] = views[way]
    return aparts


def _is_elementwise_of_arguments(split: FunctionSplitGraph, op: SplitOp) -> bool:
    return (
        op.splittable
        and not op.view
        and "reduction" not in op.iterators
        and len(op.results) == 1
        and all(
            split.graph.tensors[operand.tensor].kind == "argument"
            and isinstance(operand.access, Affine)
            for operand in op.operands
        )
    )


def _again(split: FunctionSplitGraph, maker: int, reader: Operation) -> OpResult:
    """The same elements, computed right before the reader from views of the arguments."""
    copy = split.operations[maker].clone()
    if LAYER in reader.attributes:
        copy.attributes[LAYER] = reader.attributes[LAYER]
    read = dict.fromkeys(split.values[o.tensor] for o in split.graph.ops[maker].operands)
    views = {value: _view(value, reader) for value in read}
    for position, operand in enumerate(copy.operands):
        copy.operands[position] = views.get(operand, operand)
    Rewriter.insert_op(copy, InsertPoint.before(reader))
    return copy.results[0]


def _view(value: SSAValue, op: Operation) -> OpResult:
    shape = cast(TensorType[Attribute], value.type).get_shape()
    view = tensor.ExtractSliceOp.from_static_parameters(value, [0] * len(shape), shape)
    if LAYER in op.attributes:
        view.attributes[LAYER] = op.attributes[LAYER]
    Rewriter.insert_op(view, InsertPoint.before(op))
    return view.result
