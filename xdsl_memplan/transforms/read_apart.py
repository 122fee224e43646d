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

from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_memplan.analysis.split_graph import LAYER, FunctionSplitGraph
from xdsl_memplan.model.split_graph import Access, Affine, SplitOp


def read_apart(split: FunctionSplitGraph, layer: int) -> bool:
    """Put views before operations of a layer that read the same tensor; tell whether there are any.

    Layers that do the same as this one get theirs, too: networks repeat their blocks. Softmax and
    normalisations get none: each tile would reduce all again. Linear.
    """
    layers: dict[int, list[int]] = {}
    makers: dict[int, int] = {}
    for number, op in enumerate(split.graph.ops):
        layers.setdefault(op.layer, []).append(number)
        if _is_elementwise_of_arguments(split, op):
            makers[op.results[0]] = number

    if any(_sums_without_products(split.graph.ops[number]) for number in layers[layer]):
        return False

    def kind(numbers: list[int]) -> tuple[object, ...]:
        return tuple(_kind(split.graph.ops[number]) for number in numbers)

    wanted = kind(layers[layer])
    alike = [numbers for numbers in layers.values() if kind(numbers) == wanted]
    return any([_read_apart(split, numbers, makers) for numbers in alike])


def _sums_without_products(op: SplitOp) -> bool:
    return "reduction" in op.iterators and op.work_per_point == 0


def _kind(op: SplitOp) -> tuple[object, ...]:
    return (op.name, op.loops, *(operand.access for operand in op.operands))


def _read_apart(split: FunctionSplitGraph, numbers: list[int], makers: dict[int, int]) -> bool:
    """The last way to read a tensor stays, as that may be a destination."""
    made = {result for number in numbers for result in split.graph.ops[number].results}
    found = False
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
                    views[way] = _view(value, op) if maker is None else _again(split, maker, op)
                    found = True
                op.operands[position] = views[way]
    return found


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


def _again(split: FunctionSplitGraph, maker: int, reader: Operation) -> SSAValue:
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


def _view(value: SSAValue, op: Operation) -> SSAValue:
    shape = cast(TensorType[Attribute], value.type).get_shape()
    view = tensor.ExtractSliceOp.from_static_parameters(value, [0] * len(shape), shape)
    if LAYER in op.attributes:
        view.attributes[LAYER] = op.attributes[LAYER]
    Rewriter.insert_op(view, InsertPoint.before(op))
    return view.result
