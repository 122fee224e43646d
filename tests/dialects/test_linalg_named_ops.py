"""Each row of the table of named operations computes what MLIR's operation of that name computes.

mlir-opt turns named operations into linalg.generic; its indexing maps, loops and body are
compared with ours.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Region, SSAValue
from xdsl.parser import Parser

from xdsl_memplan.dialects.linalg_additions import named_ops
from xdsl_memplan.dialects.linalg_additions.elementwise import ElementwiseKind
from xdsl_memplan.native.context import full_context

pytestmark = pytest.mark.needs_mlir

UNARY_KINDS = {*list(ElementwiseKind)[: list(ElementwiseKind).index(ElementwiseKind.ADD)]}
FLOAT_ONLY = {row.name for row in named_ops.ELEMENTWISE} - {"div", "div_unsigned"}


@pytest.fixture(scope="module")
def context() -> Context:
    return full_context()


def loops_to_text(row: named_ops.Row, element: str, out_element: str) -> str:
    """A use of the operation with memrefs large enough for loops of 3 iterations each."""
    strides = tuple(range(2, 2 + sum(f"s{i}" in row.indexing for i in range(3))))
    maps = named_ops.indexing_of(row.indexing, strides, (2,) * len(strides)).maps
    types: list[str] = []
    for i, map_attr in enumerate(maps):
        ends = map_attr.data.eval([2] * map_attr.data.num_dims, [])
        shape = "x".join(str(end + 1) for end in ends)
        is_out = i == len(maps) - 1
        is_scalar = not ends and not is_out
        kind = out_element if is_out else "i32" if is_scalar else element
        types.append(kind if is_scalar else f"memref<{shape}{'x' if shape else ''}{kind}>")
    attributes = ""
    if strides:
        window = f"tensor<{len(strides)}xi64>"
        attributes = (
            f"{{dilations = dense<2> : {window}, strides = dense<{list(strides)}> : {window}}} "
        )
    return operation_text(row.name, attributes, types)


def operation_text(name: str, attributes: str, types: Sequence[str]) -> str:
    values = [f"%a{i}" for i in range(len(types))]
    declared = ", ".join(f"{value}: {type}" for value, type in zip(values, types, strict=True))
    ins = f"ins({', '.join(values[:-1])} : {', '.join(types[:-1])})"
    outs = f"outs({values[-1]} : {types[-1]})"
    return f"func.func @f({declared}) {{\n linalg.{name} {attributes}{ins} {outs}\n return\n}}"


def samples() -> Iterator[tuple[str, str]]:
    for row in (
        *named_ops.PRODUCTS,
        *named_ops.MAPPED_PRODUCTS,
        *named_ops.PLAIN_CONVOLUTIONS,
        *named_ops.CONVOLUTIONS,
        *named_ops.POOLINGS,
    ):
        floats = [("f32", "f32"), ("bf16", "f32")]
        quantized = row.body is named_ops.QUANTIZED
        unsigned = row.body in (named_ops.MAX_UNSIGNED, named_ops.MIN_UNSIGNED)
        for element, out in [("i8", "i32"), *([] if quantized or unsigned else floats)]:
            yield f"{row.name}-{element}", loops_to_text(row, element, out)
    for row in named_ops.ELEMENTWISE:
        operands = 3 if row.name in ("div", "div_unsigned", "powf") else 2
        for element in ["f32"] if row.name in FLOAT_ONLY else ["f32", "i32"]:
            if row.name == "div_unsigned" and element == "f32":
                continue
            yield (
                f"{row.name}-{element}",
                operation_text(row.name, "", [f"memref<3x4x{element}>"] * operands),
            )
    types = ["memref<3x4xbf16>", "memref<4x5xbf16>", "memref<3x5xf32>"]
    yield "matmul-bf16", operation_text("matmul", "", types)
    yield (
        "matmul-transposed",
        operation_text(
            "matmul",
            "indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>,"
            " affine_map<(i, j, k) -> (i, j)>] ",
            ["memref<4x3xf32>", "memref<5x4xf32>", "memref<3x5xf32>"],
        ),
    )
    yield (
        "contract-bf16",
        operation_text(
            "contract",
            "indexing_maps = [affine_map<(b, i, j, k) -> (k, b, i)>,"
            " affine_map<(b, i, j, k) -> (j, k)>, affine_map<(b, i, j, k) -> (b, j, i)>] ",
            ["memref<4x2x3xbf16>", "memref<5x4xbf16>", "memref<2x5x3xf32>"],
        ),
    )
    for kind in ElementwiseKind:
        inputs = 1 if kind in UNARY_KINDS else 3 if kind is ElementwiseKind.SELECT else 2
        maps = ["(d0, d1) -> (d0, d1)"] * inputs
        if inputs > 1:
            maps[-1] = "(d0, d1) -> (d1)"
        shapes = ["3x4"] * (inputs - 1) + ["3x4" if inputs == 1 else "4"]
        element = "i32" if kind.endswith("unsigned") else "f32"
        types = [f"memref<{shape}x{element}>" for shape in (*shapes, "3x4")]
        if kind is ElementwiseKind.SELECT:
            types[0] = "memref<3x4xi1>"
        listed = ", ".join(f"affine_map<{map}>" for map in (*maps, "(d0, d1) -> (d0, d1)"))
        attributes = f"kind=#linalg.elementwise_kind<{kind}> indexing_maps = [{listed}] "
        yield f"elementwise-{kind}", operation_text("elementwise", attributes, types)
    yield "fill", operation_text("fill", "", ["f32", "memref<3x4xf32>"])
    yield "fill-index", operation_text("fill", "", ["index", "memref<3x4xindex>"])
    number = "complex<f32>"
    yield "fill-complex", operation_text("fill", "", [number, f"memref<3x4x{number}>"])
    yield "copy-i8-f32", operation_text("copy", "", ["memref<3x4xi8>", "memref<3x4xf32>"])
    yield from unsigned_samples()
    window = "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} "
    yield (
        "conv_2d_nchw_fchw-bf16",
        operation_text(
            "conv_2d_nchw_fchw",
            window,
            ["memref<1x3x9x9xbf16>", "memref<4x3x3x3xbf16>", "memref<1x4x4x4xf32>"],
        ),
    )
    yield (
        "pooling_nchw_max-f32",
        operation_text(
            "pooling_nchw_max",
            window,
            ["memref<1x3x9x9xf32>", "memref<3x3xf32>", "memref<1x3x4x4xf32>"],
        ),
    )
    for layout, image, kernel, made in (
        ("conv_2d_nchw_fchw", "1x3x9x9", "4x3x3x3", "1x4x7x7"),
        ("conv_2d_nhwc_hwcf", "1x9x9x3", "3x3x3x4", "1x7x7x4"),
        ("pooling_nchw_max", "1x3x9x9", "3x3", "1x3x7x7"),
        ("pooling_nhwc_max", "1x9x9x3", "3x3", "1x7x7x3"),
    ):
        types = [f"memref<{shape}xf32>" for shape in (image, kernel, made)]
        yield f"{layout}-without-strides", operation_text(layout, "", types)


def unsigned_samples() -> Iterator[tuple[str, str]]:
    """The operations that MLIR can tell to make integers wider as unsigned ones."""
    unsigned = "{cast = #linalg.type_fn<cast_unsigned>} "
    loops = ("(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)", "(i, j, k) -> (i, j)")
    maps = ", ".join(f"affine_map<{map_}>" for map_ in loops)
    matrices = ("3x4xi8", "4x5xi8", "3x5x")
    for name, attributes, shapes in (
        ("copy", unsigned, ("3x4xi8", "3x4x")),
        ("matmul", unsigned, matrices),
        ("batch_matmul", unsigned, [f"2x{shape}" for shape in matrices]),
        ("contract", f"indexing_maps = [{maps}] {unsigned}", matrices),
    ):
        for out in ("i32", "f32"):
            *read, made = shapes
            types = [f"memref<{shape}>" for shape in (*read, made + out)]
            yield f"{name}-unsigned-{out}", operation_text(name, attributes, types)


def structured_op(context: Context, text: str) -> LinalgStructuredOperation:
    module = Parser(context, text).parse_module()
    module.verify()
    [op] = [op for op in module.walk() if isinstance(op, LinalgStructuredOperation)]
    return op


def constant(value: SSAValue) -> str:
    assert isinstance(value.owner, ConstantOp)
    return str(value.owner.value)


def shape_of_body(region: Region) -> list[object]:
    """What the body yields, as expressions of its arguments."""
    block = region.block
    numbers: dict[SSAValue, object] = {arg: f"%{i}" for i, arg in enumerate(block.args)}
    for op in block.ops:
        operands = [numbers.get(operand) or constant(operand) for operand in op.operands]
        if op.name in ("arith.addf", "arith.addi", "arith.mulf", "arith.muli", "arith.maximumf"):
            operands.sort(key=str)
        if op.name == "arith.constant":
            continue
        expression = (op.name, [str(type) for type in op.result_types], operands)
        for result in op.results:
            numbers[result] = expression
    last = block.last_op
    assert last is not None
    return [numbers[operand] for operand in last.operands]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in samples()])
def test_same_as_mlir(context: Context, text: str):
    ours = structured_op(context, text)
    tool = shutil.which("mlir-opt-22")
    assert tool is not None
    printed = str(ours.get_toplevel_object())
    generic = subprocess.run(
        [tool, "--linalg-generalize-named-ops", "--mlir-print-local-scope"],
        input=printed,
        capture_output=True,
        text=True,
    )
    assert generic.returncode == 0, generic.stderr
    theirs = structured_op(context, generic.stdout)
    assert isinstance(theirs, GenericOp)
    assert ours.get_indexing_maps() == theirs.get_indexing_maps()
    assert ours.get_iterator_types() == theirs.get_iterator_types()
    assert shape_of_body(ours.body) == shape_of_body(theirs.body)
