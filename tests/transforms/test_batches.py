"""A batch moves no more than its images one after another, and computes the same."""

import pytest
from xdsl.context import Context

from tests.transforms.networks import Network
from tests.transforms.test_split_programs import arrays_for, bytes_moved, check, in_layers, parse
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass


def stack(images: int, features: int = 6, rows: int = 40, layers: int = 5) -> str:
    """Convolutions of 3 x 3 over rows of 6."""
    n = Network()
    x = n.argument(images, features, rows, 6)
    for _ in range(layers):
        x = n.relu(n.conv(x, features))
    return n.text(x)


@pytest.mark.parametrize("images", [3, 8])
@pytest.mark.parametrize("capacity", [6144, 8192, 12288, 16384, 24576])
def test_a_batch_moves_no_more_than_its_images_alone(images: int, capacity: int):
    memory = f"L1={capacity},DDR"
    assert bytes_moved(stack(images), memory) <= images * bytes_moved(stack(1), memory)


def structured(op: str, ins: dict[str, str], result: str, attributes: str) -> str:
    """A function of one structured operation."""
    names = [f"%a{i}" for i in range(len(ins))]
    types = [f"tensor<{shape}xf32>" for shape in ins.values()]
    arguments = ", ".join(
        f"{name}: {type_}"
        for name, type_, kind in zip(names, types, ins, strict=True)
        if kind != "window"
    )
    windows = "".join(
        f"\n  {name} = tensor.empty() : {type_}"
        for name, type_, kind in zip(names, types, ins, strict=True)
        if kind == "window"
    )
    return f"""
func.func @main({arguments}) -> tensor<{result}xf32> {{
  %zero = arith.constant 0.0 : f32{windows}
  %e = tensor.empty() : tensor<{result}xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<{result}xf32>) -> tensor<{result}xf32>
  %y = {op} {{{attributes}}} ins({", ".join(names)} : {", ".join(types)})
      outs(%f : tensor<{result}xf32>) -> tensor<{result}xf32>
  func.return %y : tensor<{result}xf32>
}}
"""


PLAIN = "dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>"
PLAIN_3D = PLAIN.replace("2xi64", "3xi64")


def merged_groups(n: int) -> str:
    """As torch-mlir prints groups: what follows sees their features as one dimension."""
    merged, apart = f"tensor<{n}x32x12x12xf32>", f"tensor<{n}x8x4x12x12xf32>"
    return f"""
func.func @main(%x: tensor<{n}x32x14x14xf32>, %w: tensor<8x4x4x3x3xf32>) -> {merged} {{
  %zero = arith.constant 0.0 : f32
  %i = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [{n}, 8, 4, 14, 14]
    : tensor<{n}x32x14x14xf32> into tensor<{n}x8x4x14x14xf32>
  %e = tensor.empty() : {apart}
  %f = linalg.fill ins(%zero : f32) outs(%e : {apart}) -> {apart}
  %y = linalg.conv_2d_ngchw_gfchw {{{PLAIN}}}
    ins(%i, %w : tensor<{n}x8x4x14x14xf32>, tensor<8x4x4x3x3xf32>) outs(%f : {apart}) -> {apart}
  %m = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : {apart} into {merged}
  %o = tensor.empty() : {merged}
  %z = linalg.exp ins(%m : {merged}) outs(%o : {merged}) -> {merged}
  func.return %z : {merged}
}}
"""


def layer(kind: str, n: int) -> str:
    match kind:
        case "merged groups":
            return merged_groups(n)
        case "large windows":
            ins = {"x": f"{n}x3x22x22", "w": "8x3x7x7"}
            return structured("linalg.conv_2d_nchw_fchw", ins, f"{n}x8x16x16", PLAIN)
        case "features last":
            ins = {"x": f"{n}x14x14x16", "w": "3x3x16x16"}
            return structured("linalg.conv_2d_nhwc_hwcf", ins, f"{n}x12x12x16", PLAIN)
        case "groups":
            ins = {"x": f"{n}x8x4x14x14", "w": "8x4x4x3x3"}
            return structured("linalg.conv_2d_ngchw_gfchw", ins, f"{n}x8x4x12x12", PLAIN)
        case "volumes":
            ins = {"x": f"{n}x4x10x10x10", "w": "8x4x3x3x3"}
            return structured("linalg.conv_3d_ncdhw_fcdhw", ins, f"{n}x8x8x8x8", PLAIN_3D)
        case _:
            ins = {"x": f"{n}x24x22x22", "window": "5x5"}
            return structured("linalg.pooling_nchw_max", ins, f"{n}x24x18x18", PLAIN)


LAYERS = ["large windows", "features last", "groups", "merged groups", "volumes", "pooling"]


@pytest.mark.parametrize("capacity", [2560, 4096, 8192])
@pytest.mark.parametrize("kind", LAYERS)
def test_images_of_one_layer_move_no_more_than_each_alone(kind: str, capacity: int):
    def least(images: int) -> int:
        return bytes_moved(layer(kind, images), f"L1={capacity},DDR", max_code=0)

    assert least(6) <= 6 * least(1)


@pytest.mark.parametrize("emit", ["unroll", "loop"])
@pytest.mark.parametrize("kind", LAYERS)
def test_images_of_one_layer_compute_the_same(kind: str, emit):
    text, memory = layer(kind, 3), "L1=4096,DDR"
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 4096


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_images_one_by_one_compute_the_same(emit):
    text, memory = stack(3, features=2, rows=16, layers=2), "L1=2048,DDR"
    module = in_layers(text)
    MemplanGroupPass(memory=memory, threads=1).apply(Context(), module)
    cuts = [[cut.cut for cut in op.cuts] for op in module.walk() if isinstance(op, GroupOp)]
    assert any(
        [(c.loop, c.halo) for c in group] == [(0, "recompute"), (2, "cache")] for group in cuts
    )
    group = MemplanGroupPass(memory=memory, threads=1)
    assert check(text, arrays_for(parse(text)), group, emit, memory) <= 2048


STRIDED = structured(
    "linalg.conv_2d_nhwc_hwcf",
    {"x": "8x18x18x16", "w": "3x3x16x32"},
    "8x8x8x32",
    PLAIN.replace("strides = dense<1>", "strides = dense<2>"),
)


def test_weights_of_some_features_stay_while_all_images_come():
    """With each image, or with images together in smaller tiles, 508,416 bytes are moved."""
    assert bytes_moved(STRIDED, "L1=16576,DDR", max_code=0) <= 432_128


@pytest.mark.parametrize("emit", ["unroll", "loop"])
def test_images_within_features_compute_the_same(emit):
    memory = "L1=16576,DDR"
    group = MemplanGroupPass(memory=memory, max_code=0, threads=1)
    assert check(STRIDED, arrays_for(parse(STRIDED)), group, emit, memory) <= 16576
