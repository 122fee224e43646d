"""Tiles that are right are proved, and those that are not are not."""

import pytest
from xdsl.parser import Parser

from tests.transforms.test_region_moves import parse
from tests.transforms.test_verify_split import function_of
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split


def verdict(whole: str, tiled: str) -> Verdict:
    found = check_split(function_of(parse(whole)), function_of(parse(tiled)))
    return found.verdict


def function(arguments: str, results: str, body: str) -> str:
    return f"func.func @main({arguments}) -> {results} {{\n{ZERO}{body}\n}}"


ZERO = "%zero = arith.constant 0.0 : f32\n"
SAME = "affine_map<(i) -> (i)>"
PLACE = """^bb0(%o: f32):
  %i = linalg.index 0 : index
  %n = arith.index_cast %i : index to i64
  %f = arith.sitofp %n : i64 to f32
  linalg.yield %f : f32
}"""


def numbers(name: str, extent: int) -> str:
    """0, 1, 2, ..."""
    type_ = f"tensor<{extent}xf32>"
    return (
        f"{name}_e = tensor.empty() : {type_}\n"
        f'{name} = linalg.generic {{indexing_maps = [{SAME}], iterator_types = ["parallel"]}} '
        f"outs({name}_e : {type_}) {{\n{PLACE} -> {type_}\n"
    )


def sum_of(name: str, one: str, other: str, extent: int) -> str:
    type_ = f"tensor<{extent}xf32>"
    return (
        f"{name}_e = tensor.empty() : {type_}\n"
        f"{name} = linalg.generic {{indexing_maps = [{SAME}, {SAME}, {SAME}], "
        f'iterator_types = ["parallel"]}} ins({one}, {other} : {type_}, {type_}) '
        f"outs({name}_e : {type_}) {{\n^bb0(%p: f32, %q: f32, %o: f32):\n"
        f" %z = arith.addf %p, %q : f32\n linalg.yield %z : f32\n}} -> {type_}\n"
    )


def test_numbers_that_begin_alike_are_told_apart_by_who_reads_them():
    """Three of 0, 1, 2 are those of 0, ..., 4 too."""
    text = function(
        "%x: tensor<5xf32>, %y: tensor<3xf32>",
        "(tensor<5xf32>, tensor<3xf32>)",
        numbers("%long", 5)
        + numbers("%short", 3)
        + sum_of("%a", "%long", "%x", 5)
        + sum_of("%b", "%short", "%y", 3)
        + "return %a, %b : tensor<5xf32>, tensor<3xf32>",
    )
    assert verdict(text, text) is Verdict.PROVED


TWICE = function(
    "%x: tensor<3xf32>",
    "tensor<12xf32>",
    "%t = tensor.concat dim(0) %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>\n"
    + sum_of("%a", "%t", "%t", 6)
    + "%r = tensor.concat dim(0) %a, %a : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>\n"
    + "return %r : tensor<12xf32>",
)


def test_a_tile_may_lie_in_several_places():
    """What is computed of the first and of the second `%x` is the same."""
    tiled = function(
        "%x: tensor<3xf32>",
        "tensor<12xf32>",
        sum_of("%a", "%x", "%x", 3)
        + "%r = tensor.concat dim(0) %a, %a, %a, %a : (tensor<3xf32>, tensor<3xf32>, "
        "tensor<3xf32>, tensor<3xf32>) -> tensor<12xf32>\n"
        "return %r : tensor<12xf32>",
    )
    assert verdict(TWICE, tiled) is Verdict.PROVED


def test_a_tile_of_a_tile_may_lie_in_several_places():
    """Only the second reader tells which of the two it is."""
    arguments, results = "%x: tensor<3xf32>, %y: tensor<6xf32>", "tensor<6xf32>"
    parts = "(tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>\n"
    whole = function(
        arguments,
        results,
        f"%t = tensor.concat dim(0) %x, %x : {parts}"
        + sum_of("%a", "%t", "%t", 6)
        + sum_of("%b", "%a", "%t", 6)
        + sum_of("%r", "%b", "%y", 6)
        + "return %r : tensor<6xf32>",
    )
    tiles = "".join(
        f"%y{n} = tensor.extract_slice %y[{3 * n}] [3] [1] : tensor<6xf32> to tensor<3xf32>\n"
        + sum_of(f"%a{n}", "%x", "%x", 3)
        + sum_of(f"%b{n}", f"%a{n}", "%x", 3)
        + sum_of(f"%r{n}", f"%b{n}", f"%y{n}", 3)
        for n in range(2)
    )
    for order, expected in (("%r0, %r1", Verdict.PROVED), ("%r1, %r0", Verdict.REFUTED)):
        tiled = function(
            arguments,
            results,
            f"{tiles}%r = tensor.concat dim(0) {order} : {parts}return %r : tensor<6xf32>",
        )
        assert verdict(whole, tiled) is expected


PADDED = function(
    "%x: tensor<4x6xf32>",
    "tensor<2x2x8xf32>",
    "%p = tensor.pad %x low[0, 2] high[0, 0] {\n^bb0(%i: index, %j: index):\n"
    "tensor.yield %zero : f32\n} : tensor<4x6xf32> to tensor<4x8xf32>\n"
    "%e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 2, 8] "
    ": tensor<4x8xf32> into tensor<2x2x8xf32>\n"
    "return %e : tensor<2x2x8xf32>",
)


@pytest.mark.parametrize(
    ("order", "expected"), [("%e0, %e1", Verdict.PROVED), ("%e1, %e0", Verdict.REFUTED)]
)
def test_padding_alone_stays_padding_in_another_shape(order: str, expected: Verdict):
    types = {"%e0": "tensor<2x2x2xf32>", "%e1": "tensor<2x2x6xf32>"}
    tiled = function(
        "%x: tensor<4x6xf32>",
        "tensor<2x2x8xf32>",
        "%n = tensor.empty() : tensor<4x2xf32>\n"
        "%p0 = linalg.fill ins(%zero : f32) outs(%n : tensor<4x2xf32>) -> tensor<4x2xf32>\n"
        "%e0 = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [2, 2, 2] "
        ": tensor<4x2xf32> into tensor<2x2x2xf32>\n"
        "%e1 = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 2, 6] "
        ": tensor<4x6xf32> into tensor<2x2x6xf32>\n"
        f"%r = tensor.concat dim(2) {order} : "
        f"({', '.join(types[name] for name in order.split(', '))}) -> tensor<2x2x8xf32>\n"
        "return %r : tensor<2x2x8xf32>",
    )
    assert verdict(PADDED, tiled) is expected


def apart(name: str, source: str, count: int, offset: int, extent: int) -> str:
    """Put `count` elements two apart into zeros."""
    type_ = f"tensor<{extent}xf32>"
    return (
        f"{name}_e = tensor.empty() : {type_}\n"
        f"{name}_z = linalg.fill ins(%zero : f32) outs({name}_e : {type_}) -> {type_}\n"
        f"{name} = tensor.insert_slice {source} into {name}_z[{offset}] [{count}] [2] "
        f": tensor<{count}xf32> into {type_}\n"
    )


def slice_of(name: str, start: int, count: int) -> str:
    return (
        f"{name} = tensor.extract_slice %x[{start}] [{count}] [1] "
        f": tensor<4xf32> to tensor<{count}xf32>\n"
    )


APART = function(
    "%x: tensor<4xf32>", "tensor<9xf32>", apart("%r", "%x", 4, 1, 9) + "return %r : tensor<9xf32>"
)


@pytest.mark.parametrize(
    ("start", "count", "offset", "expected"),
    [
        (2, 2, 0, True),
        # Another element, one place later, and the last one forgotten.
        (1, 2, 0, False),
        (2, 2, 1, False),
        (2, 1, 0, False),
    ],
)
def test_elements_set_apart_in_tiles(start: int, count: int, offset: int, expected: bool):
    """0 a 0 b 0 | c 0 d 0"""
    tiled = function(
        "%x: tensor<4xf32>",
        "tensor<9xf32>",
        slice_of("%x0", 0, 2)
        + apart("%r0", "%x0", 2, 1, 5)
        + slice_of("%x1", start, count)
        + apart("%r1", "%x1", count, offset, 4)
        + "%r = tensor.concat dim(0) %r0, %r1 : (tensor<5xf32>, tensor<4xf32>) -> tensor<9xf32>\n"
        "return %r : tensor<9xf32>",
    )
    assert (verdict(APART, tiled) is Verdict.PROVED) == expected
    assert verdict(APART, APART) is Verdict.PROVED


@pytest.mark.parametrize(
    ("first", "start", "offset", "expected"),
    [
        (2, 1, 0, True),
        # One place later, where `b` should be.
        (3, 2, 1, False),
    ],
)
def test_a_tile_of_nothing_but_what_is_between(first: int, start: int, offset: int, expected: bool):
    """0 a | 0 | b 0 c 0 d 0"""
    count, extent = 4 - start, 8 - first
    tiled = function(
        "%x: tensor<4xf32>",
        "tensor<9xf32>",
        slice_of("%x0", 0, 1)
        + apart("%r0", "%x0", 1, 1, first)
        + "%e = tensor.empty() : tensor<1xf32>\n"
        "%z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>\n"
        + slice_of("%x1", start, count)
        + apart("%r1", "%x1", count, offset, extent)
        + f"%r = tensor.concat dim(0) %r0, %z, %r1 : (tensor<{first}xf32>, tensor<1xf32>, "
        f"tensor<{extent}xf32>) -> tensor<9xf32>\nreturn %r : tensor<9xf32>",
    )
    assert (verdict(APART, tiled) is Verdict.PROVED) == expected


def doubled(name: str, op: str, one: str, other: str) -> str:
    """`%x` + `%x`, or the same value by another operation."""
    return sum_of(name, one, other, 4).replace("arith.addf", f"arith.{op}")


@pytest.mark.parametrize(
    ("tile", "expected", "reason"),
    [
        (slice_of("%a", 0, 4) + doubled("%r", "addf", "%a", "%x"), Verdict.PROVED, ""),
        # Another operation may make the same numbers.
        (
            doubled("%r", "subf", "%x", "%x"),
            Verdict.UNKNOWN,
            "'%r = linalg.generic' (operation 3 of @main): computes nothing that the whole program "
            "computes of its operands",
        ),
        # Another argument does not.
        (
            doubled("%r", "addf", "%x", "%y"),
            Verdict.REFUTED,
            "'%r = linalg.generic' (operation 3 of @main): reads other tensors than the whole "
            "program",
        ),
    ],
)
def test_three_verdicts(tile: str, expected: Verdict, reason: str):
    arguments, results = "%x: tensor<4xf32>, %y: tensor<4xf32>", "tensor<4xf32>"
    whole = function(
        arguments, results, doubled("%r", "addf", "%x", "%x") + "return %r : tensor<4xf32>"
    )
    tiled = function(arguments, results, tile + "return %r : tensor<4xf32>")
    found = check_split(function_of(parse(whole)), function_of(parse(tiled)))
    assert found.verdict is expected, found
    assert found.reason == reason


def test_minus_zero_is_another_constant():
    text = function(
        "",
        "tensor<4xf32>",
        "%e = tensor.empty() : tensor<4xf32>\n"
        "%r = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
        "return %r : tensor<4xf32>",
    )
    assert verdict(text, text) is Verdict.PROVED
    assert verdict(text, text.replace("constant 0.0", "constant -0.0")) is Verdict.REFUTED


def rounded(type_: str) -> str:
    """An argument and a scalar, rounded to another type and back."""
    body = "^bb0(%p: f32, %o: f32):\n%h = arith.truncf %p : f32 to T\n%g = arith.extf %h : T to f32"
    return (
        function(
            "%x: tensor<4xf32>, %s: f32",
            "(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)",
            "%e = tensor.empty() : tensor<4xf32>\n"
            f"%a = linalg.generic {{indexing_maps = [{SAME}, {SAME}], "
            'iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) '
            f"{{\n{body}\nlinalg.yield %g : f32\n}} -> tensor<4xf32>\n"
            "%t = arith.truncf %x : tensor<4xf32> to tensor<4xT>\n"
            "%b = arith.extf %t : tensor<4xT> to tensor<4xf32>\n"
            "%u = arith.truncf %s : f32 to T\n%v = arith.extf %u : T to f32\n"
            "%c = linalg.fill ins(%v : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
            "return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>",
        )
        .replace("T\n", f"{type_}\n")
        .replace("T to", f"{type_} to")
        .replace("xT>", f"x{type_}>")
    )


@pytest.mark.parametrize("line", ["%a = ", "%t = ", "%u = "])
def test_the_type_that_numbers_are_rounded_to_matters(line: str):
    right = rounded("bf16")
    assert verdict(right, right) is Verdict.PROVED
    # One of the three is rounded to the wrong type.
    start = right.index(line)
    end = right.index("%t = " if line == "%a = " else "return" if line == "%u = " else "%u = ")
    spoiled = right[:start] + right[start:end].replace("bf16", "f16") + right[end:]
    assert verdict(right, spoiled) is Verdict.UNKNOWN


SCALARS = function(
    "%x: tensor<4xf32>, %a: f32, %b: f32",
    "(tensor<4xf32>, f32)",
    "%s = arith.addf %a, %b : f32\nreturn %x, %s : tensor<4xf32>, f32",
)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("arith.addf", "arith.subf"), ("%a, %b", "%b, %b"), ("%x, %s", "%x, %a")],
)
def test_another_scalar_that_is_returned_is_not_proved(right: str, wrong: str):
    assert verdict(SCALARS, SCALARS) is Verdict.PROVED
    assert verdict(SCALARS, SCALARS.replace(right, wrong)) is Verdict.UNKNOWN


ASSERTED = function(
    "%x: tensor<4xf32>, %a: i1",
    "tensor<4xf32>",
    'cf.assert %a, "a"\nreturn %x : tensor<4xf32>',
)


@pytest.mark.parametrize(("right", "wrong"), [('cf.assert %a, "a"\n', ""), ('%a, "a"', '%a, "b"')])
def test_what_is_asserted_of_scalars_must_stay(right: str, wrong: str):
    assert verdict(ASSERTED, ASSERTED) is Verdict.PROVED
    assert verdict(ASSERTED, ASSERTED.replace(right, wrong)) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "effect",
    [
        "memref.store %zero, %m[%i] : memref<4xf32>",
        "%v = memref.load %m[%i] : memref<4xf32>",
        '"foo.bar"(%x) : (tensor<4xf32>) -> ()',
        '%v = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>',
    ],
)
def test_nothing_is_proved_of_programs_with_effects(effect: str):
    text = function(
        "%x: tensor<4xf32>, %m: memref<4xf32>, %i: index",
        "tensor<4xf32>",
        f"{effect}\nreturn %x : tensor<4xf32>",
    )
    context = full_context(allow_unregistered=True)
    whole, tiled = (Parser(context, text).parse_module() for _ in range(2))
    found = check_split(function_of(whole), function_of(tiled))
    assert found.verdict is Verdict.UNKNOWN
    assert "may have effects" in found.reason


@pytest.mark.parametrize(
    ("first", "end", "step", "expected"),
    [
        (0, 4, 1, Verdict.PROVED),
        (0, 3, 1, Verdict.REFUTED),
        # MLIR's loops only count upwards.
        (3, -1, -1, Verdict.UNKNOWN),
        (0, 4, 0, Verdict.UNKNOWN),
    ],
)
def test_loops_count_upwards(first: int, end: int, step: int, expected: Verdict):
    whole = function("%x: tensor<4xf32>", "tensor<4xf32>", "return %x : tensor<4xf32>")
    tiled = function(
        "%x: tensor<4xf32>",
        "tensor<4xf32>",
        f"%l = arith.constant {first} : index\n%u = arith.constant {end} : index\n"
        f"%s = arith.constant {step} : index\n%e = tensor.empty() : tensor<4xf32>\n"
        "%r = scf.for %i = %l to %u step %s iter_args(%o = %e) -> (tensor<4xf32>) {\n"
        "%p = memplan.load %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>\n"
        "%q = memplan.store %p into %o[%i] [1] [1] to @DDR "
        ": tensor<1xf32> into tensor<4xf32>\nscf.yield %q : tensor<4xf32>\n}\n"
        "return %r : tensor<4xf32>",
    )
    assert verdict(whole, tiled) is expected


@pytest.mark.parametrize("spoiled", ["whole", "tiled"])
def test_what_reads_a_tensor_that_is_computed_after_it_is_refuted(spoiled):
    right = function(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        sum_of("%a", "%x", "%x", 3)
        + sum_of("%b", "%a", "%x", 3)
        + "func.return %b : tensor<3xf32>",
    )
    wrong = function_of(parse(right))
    *_, first, _, second, _ = wrong.body.block.ops
    first.detach()
    wrong.body.block.insert_op_after(first, second)
    whole, tiled = function_of(parse(right)), wrong
    found = check_split(tiled, whole) if spoiled == "whole" else check_split(whole, tiled)
    assert found.verdict is Verdict.REFUTED
    assert "reads what is computed after it" in found.reason


@pytest.mark.parametrize(("count", "expected"), [(100, Verdict.PROVED), (600, Verdict.UNKNOWN)])
def test_of_a_tensor_no_more_parts_are_known_than_can_be_followed(count: int, expected: Verdict):
    """Elements the other way round. Before, 81 shifts of an image over itself took 40 seconds."""
    type_ = f"tensor<{count}xf32>"
    elements = [f"%x{i}" for i in reversed(range(count))]
    text = function(
        f"%x: {type_}",
        type_,
        "".join(
            f"%x{i} = tensor.extract_slice %x[{i}] [1] [1] : {type_} to tensor<1xf32>\n"
            for i in range(count)
        )
        + f"%r = tensor.concat dim(0) {', '.join(elements)} : "
        + f"({', '.join(['tensor<1xf32>'] * count)}) -> {type_}\nreturn %r : {type_}",
    )
    assert verdict(text, text) is expected


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [(1, 3, Verdict.PROVED), (4, 6, Verdict.PROVED), (2, 3, Verdict.REFUTED)],
)
def test_a_sum_along_two_loops_is_cut_within_single_rows(
    rows: int, columns: int, expected: Verdict
):
    """Of two rows side by side, the second part of the first row would be added too late."""
    maps = "affine_map<(r, c, k) -> (r, c)>, affine_map<(r, c, k) -> (k)>"
    start = "%e = tensor.empty() : tensor<1xf32>\n%s = arith.constant 2.0 : f32\n" + (
        "%s0 = linalg.fill ins(%s : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>\n"
    )

    def added(read: str, type_: str, so_far: str, name: str) -> str:
        return (
            f"{name} = linalg.generic {{indexing_maps = [{maps}], "
            'iterator_types = ["reduction", "reduction", "parallel"]} '
            f"ins({read} : {type_}) outs({so_far} : tensor<1xf32>) {{\n^bb0(%p: f32, %o: f32):\n"
            " %z = arith.addf %o, %p : f32\n linalg.yield %z : f32\n} -> tensor<1xf32>\n"
        )

    tiles, last = start, "%s0"
    for row in range(0, 4, rows):
        for column in range(0, 6, columns):
            part, type_ = f"%p{row}_{column}", f"tensor<{rows}x{columns}xf32>"
            tiles += (
                f"{part} = tensor.extract_slice %x[{row}, {column}] [{rows}, {columns}] [1, 1] "
                f": tensor<4x6xf32> to {type_}\n"
            )
            tiles += added(part, type_, last, f"%a{row}_{column}")
            last = f"%a{row}_{column}"
    arguments, results = "%x: tensor<4x6xf32>", "tensor<1xf32>"
    whole = start + added("%x", "tensor<4x6xf32>", "%s0", "%a") + "return %a : tensor<1xf32>"
    tiled = f"{tiles}return {last} : tensor<1xf32>"
    found = verdict(function(arguments, results, whole), function(arguments, results, tiled))
    assert found is expected


def test_what_is_repeated_along_a_dimension_that_a_slice_drops():
    """Which column a tile computes is not known, nor does it matter."""

    def column(shape: str) -> str:
        return (
            f"%e = tensor.empty() : tensor<{shape}xf32>\n"
            f"%b = linalg.broadcast ins(%p : tensor<{shape[0]}xf32>) "
            f"outs(%e : tensor<{shape}xf32>) dimensions = [1]\n"
            "%c = tensor.extract_slice %b[0, 0] [3, 1] [2, 1] "
            f": tensor<{shape}xf32> to tensor<3xf32>\n"
        )

    arguments, results = "%x: tensor<8xf32>", "tensor<3xf32>"
    part = "[0] [5] [1] : tensor<8xf32> to tensor<5xf32>\n"
    whole = "%p = tensor.cast %x : tensor<8xf32> to tensor<8xf32>\n" + column("8x5")
    tiled = f"%p = memplan.load %x{part}{column('5x1')}%o = tensor.empty() : tensor<3xf32>\n" + (
        "%r = memplan.store %c into %o[0] [3] [1] to @DDR : tensor<3xf32> into tensor<3xf32>\n"
    )
    found = verdict(
        function(arguments, results, f"{whole}return %c : tensor<3xf32>"),
        function(arguments, results, f"{tiled}return %r : tensor<3xf32>"),
    )
    assert found is Verdict.PROVED
