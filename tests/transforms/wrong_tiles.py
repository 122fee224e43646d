"""Programs in tiles, written by hand, and one mistake after another in them."""

from typing import NamedTuple

ZERO = "%zero = arith.constant 0.0 : f32\n"
NUMBERS = ZERO + "".join(f"%c{n} = arith.constant {n} : index\n" for n in range(9))


class Tiled(NamedTuple):
    """A program as a whole, in tiles, and what to replace by what to spoil the tiles."""

    whole: str
    tiled: str
    mistakes: dict[str, tuple[str, str]]

    def spoiled(self, mistake: str) -> str:
        """The tiles with a mistake."""
        right, wrong = self.mistakes[mistake]
        assert self.tiled.count(right) == 1, mistake
        return self.tiled.replace(right, wrong)


def _generic(ins: str, types: str, out: str, maps: str, body: str, kinds: str = "parallel") -> str:
    """A `linalg.generic`; `maps` and `kinds` are separated by semicolons and spaces."""
    named = ", ".join(f"affine_map<{map_}>" for map_ in maps.split("; "))
    iterators = ", ".join(f'"{kind}"' for kind in kinds.split())
    target, _, type_ = out.partition(" : ")
    return (
        f"linalg.generic {{indexing_maps = [{named}], iterator_types = [{iterators}]}} "
        f"ins({ins} : {types}) outs({target} : {type_}) {{\n{body}\n}} -> {type_}\n"
    )


_ADD = (
    "^bb0(%pn: f32, %qn: f32, %on: f32):\n%sn = arith.addf %pn, %qn : f32\nlinalg.yield %sn : f32"
)
_MAPS = "(i, j) -> (i, j); (i, j) -> (j); (i, j) -> (i, j)"


def product() -> Tiled:
    """Two rows at a time; of the sum two terms at a time; a bias is added at the end."""
    arguments = "%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>"
    whole = (
        f"func.func @main({arguments}) -> tensor<6x4xf32> {{\n{NUMBERS}"
        "%e = tensor.empty() : tensor<6x4xf32>\n"
        "%f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>\n"
        "%m = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x4xf32>) "
        "outs(%f : tensor<6x4xf32>) -> tensor<6x4xf32>\n%r = "
        + _generic(
            "%m, %b",
            "tensor<6x4xf32>, tensor<4xf32>",
            "%e : tensor<6x4xf32>",
            _MAPS,
            _ADD,
            "parallel parallel",
        )
        + "return %r : tensor<6x4xf32>\n}"
    )
    tiled = (
        f"func.func @main({arguments}) -> tensor<6x4xf32> {{\n{NUMBERS}"
        "%one = arith.constant 1.0 : f32\n"
        "%d = tensor.empty() : tensor<6x4xf32>\n"
        "%t = tensor.empty() : tensor<2x4xf32>\n"
        "%f0 = linalg.fill ins(%zero : f32) outs(%t : tensor<2x4xf32>) -> tensor<2x4xf32>\n"
        "%y, %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%out = %d, %before = %f0) "
        "-> (tensor<6x4xf32>, tensor<2x4xf32>) {\n"
        "%row = arith.muli %i, %c2 : index\n"
        "%f = linalg.fill ins(%zero : f32) outs(%t : tensor<2x4xf32>) -> tensor<2x4xf32>\n"
        "%s = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %f) -> (tensor<2x4xf32>) {\n"
        "%col = arith.muli %k, %c2 : index\n"
        "%xt = memplan.load %x[%row, %col] [2, 2] [1, 1] : tensor<6x8xf32> to tensor<2x2xf32>\n"
        "%wt = memplan.load %w[%col, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>\n"
        "%m = linalg.matmul ins(%xt, %wt : tensor<2x2xf32>, tensor<2x4xf32>) "
        "outs(%sum : tensor<2x4xf32>) -> tensor<2x4xf32>\n"
        "scf.yield %m : tensor<2x4xf32>\n}\n%a = "
        + _generic(
            "%s, %b",
            "tensor<2x4xf32>, tensor<4xf32>",
            "%t : tensor<2x4xf32>",
            _MAPS,
            _ADD,
            "parallel parallel",
        )
        + "%o = memplan.store %a into %out[%row, 0] [2, 4] [1, 1] to @DDR "
        ": tensor<2x4xf32> into tensor<6x4xf32>\n"
        "scf.yield %o, %s : tensor<6x4xf32>, tensor<2x4xf32>\n}\n"
        "return %y : tensor<6x4xf32>\n}"
    )
    x_load = "%x[%row, %col] [2, 2] [1, 1]"
    mistakes = {
        "the last part of a sum is lost": ("%k = %c0 to %c4", "%k = %c0 to %c3"),
        "a part of a sum is added twice": (
            "%col = arith.muli %k, %c2",
            "%half = arith.divui %k, %c2 : index\n%col = arith.muli %half, %c4",
        ),
        "the first part is added all the time": ("%w[%col, 0]", "%w[0, 0]"),
        "columns one tile ahead": (x_load, "%x[%row, 2] [2, 2] [1, 1]"),
        "rows of the tile before": (x_load, "%x[0, %col] [2, 2] [1, 1]"),
        "rows one apart": ("%row = arith.muli %i, %c2", "%row = arith.muli %i, %c1"),
        "a load with a step": (x_load, "%x[%i, %col] [2, 2] [2, 1]"),
        "row and column in each other's place": (x_load, "%x[%col, %row] [2, 2] [1, 1]"),
        "from the last part to the first": (
            "%col = arith.muli %k, %c2 : index",
            "%up = arith.muli %k, %c2 : index\n%col = arith.subi %c6, %up : index",
        ),
        "a sum begins anew in each part": ("outs(%sum :", "outs(%f :"),
        "a sum begins with that of the tile before": (
            "iter_args(%sum = %f)",
            "iter_args(%sum = %before)",
        ),
        "a sum begins with ones": ("%f = linalg.fill ins(%zero", "%f = linalg.fill ins(%one"),
        "the sum of the tile before": ("ins(%s, %b :", "ins(%before, %b :"),
        "without its sum": ("ins(%s, %b :", "ins(%f, %b :"),
        "one tile too few": ("%i = %c0 to %c3", "%i = %c0 to %c2"),
        "the first tile left out": ("%i = %c0 to %c3", "%i = %c1 to %c3"),
        "all tiles to the same place": ("%out[%row, 0]", "%out[2, 0]"),
        "tiles one place further": ("%out[%row, 0]", "%out[%i, 0]"),
        "a store to what the loop began with": ("%a into %out", "%a into %d"),
        "hands on what came": ("scf.yield %o, %s", "scf.yield %out, %s"),
        "counts backwards": ("%i = %c0 to %c3", "%i = %c3 to %c0"),
    }
    return Tiled(whole, tiled, mistakes)


def windows() -> Tiled:
    """Sums of three elements, padded, four at a time; two elements are carried over."""
    maps = "(i, j) -> (i + j); (i, j) -> (j); (i, j) -> (i)"
    kinds = "parallel reduction"
    body = (
        "^bb0(%pn: f32, %qn: f32, %on: f32):\n%mn = arith.mulf %pn, %qn : f32\n"
        "%sn = arith.addf %on, %mn : f32\nlinalg.yield %sn : f32"
    )
    pad = (
        "tensor.pad {} low[{}] high[{}] {{\n^bb0(%at: index):\ntensor.yield {} : f32\n}} "
        ": {} to {}\n"
    )
    types = "tensor<4xf32> into tensor<12xf32>"
    arguments = "%x: tensor<12xf32>, %w: tensor<3xf32>"
    whole = (
        f"func.func @main({arguments}) -> tensor<12xf32> {{\n{NUMBERS}%p = "
        + pad.format("%x", 1, 1, "%zero", "tensor<12xf32>", "tensor<14xf32>")
        + "%e = tensor.empty() : tensor<12xf32>\n"
        "%f = linalg.fill ins(%zero : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>\n%r = "
        + _generic(
            "%p, %w", "tensor<14xf32>, tensor<3xf32>", "%f : tensor<12xf32>", maps, body, kinds
        )
        + "return %r : tensor<12xf32>\n}"
    )

    def tile(name: str, window: str) -> str:
        return (
            f"%f{name} = linalg.fill ins(%zero : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>\n"
            f"%r{name} = "
            + _generic(
                f"{window}, %w",
                "tensor<6xf32>, tensor<3xf32>",
                f"%f{name} : tensor<4xf32>",
                maps,
                body,
                kinds,
            )
        )

    concat = (
        "%w{0} = tensor.concat dim(0) %k{0}, %x{0} : (tensor<2xf32>, tensor<4xf32>) "
        "-> tensor<6xf32>\n"
    )
    carry = "%k{} = memplan.carry {}[{}] [2] [1] : tensor<6xf32> to tensor<2xf32>\n"
    tiled = (
        f"func.func @main({arguments}) -> tensor<12xf32> {{\n{NUMBERS}"
        "%one = arith.constant 1.0 : f32\n%d = tensor.empty() : tensor<12xf32>\n"
        "%t = tensor.empty() : tensor<4xf32>\n"
        "%x0 = memplan.load %x[0] [5] [1] : tensor<12xf32> to tensor<5xf32>\n%w0 = "
        + pad.format("%x0", 1, 0, "%zero", "tensor<5xf32>", "tensor<6xf32>")
        + tile("0", "%w0")
        + f"%d0 = memplan.store %r0 into %d[0] [4] [1] to @DDR : {types}\n"
        + carry.format(1, "%w0", 4)
        + "%x1 = memplan.load %x[5] [4] [1] : tensor<12xf32> to tensor<4xf32>\n"
        + concat.format(1)
        + tile("1", "%w1")
        + f"%d1 = memplan.store %r1 into %d0[4] [4] [1] to @DDR : {types}\n"
        + carry.format(2, "%w1", 4)
        + "%l2 = memplan.load %x[9] [3] [1] : tensor<12xf32> to tensor<3xf32>\n%x2 = "
        + pad.format("%l2", 0, 1, "%zero", "tensor<3xf32>", "tensor<4xf32>")
        + concat.format(2)
        + tile("2", "%w2")
        + f"%d2 = memplan.store %r2 into %d1[8] [4] [1] to @DDR : {types}\n"
        "return %d2 : tensor<12xf32>\n}"
    )
    mistakes = {
        "carries the first elements": ("%k2 = memplan.carry %w1[4]", "%k2 = memplan.carry %w1[0]"),
        "carries of the tile before": ("%k2 = memplan.carry %w1[4]", "%k2 = memplan.carry %w0[4]"),
        "an overlap too short by one": ("%k1 = memplan.carry %w0[4]", "%k1 = memplan.carry %w0[3]"),
        "new before old": (
            "dim(0) %k1, %x1 : (tensor<2xf32>, tensor<4xf32>)",
            "dim(0) %x1, %k1 : (tensor<4xf32>, tensor<2xf32>)",
        ),
        "padding of ones": (
            "tensor.yield %zero : f32\n} : tensor<3xf32>",
            "tensor.yield %one : f32\n} : tensor<3xf32>",
        ),
        "padding on the other side": ("%l2 low[0] high[1]", "%l2 low[1] high[0]"),
        "loads what it has": ("%x1 = memplan.load %x[5]", "%x1 = memplan.load %x[4]"),
        "stores over the last tile": ("into %d1[8]", "into %d1[7]"),
        "forgets the middle": ("into %d1[8]", "into %d0[8]"),
        "swaps two tiles": ("memplan.store %r2 into", "memplan.store %r1 into"),
        "the window before": ("ins(%w2, %w :", "ins(%w1, %w :"),
    }
    return Tiled(whole, tiled, mistakes)


def heads() -> Tiled:
    """Rows less their greatest, turned, and how far they are: two results, two rows at a time."""
    rows = "(i, j) -> (i, j); (i, j) -> (i)"
    most = "^bb0(%pn: f32, %on: f32):\n%sn = arith.maximumf %pn, %on : f32\nlinalg.yield %sn : f32"
    less = _ADD.replace("arith.addf", "arith.subf")
    place = (
        "^bb0(%pn: f32, %on: f32):\n%nn = linalg.index 0 : index\n"
        "%ln = arith.index_cast %nn : index to i32\n%fn = arith.sitofp %ln : i32 to f32\n"
        "%hn = arith.truncf %pn : f32 to f16\n%gn = arith.extf %hn : f16 to f32\n"
        "%sn = arith.addf %gn, %fn : f32\nlinalg.yield %sn : f32"
    )

    def computed(n: str, extent: int, x: str, index: str) -> str:
        type_, row, turned = (
            f"tensor<{s}xf32>" for s in (f"{extent}x4", f"{extent}", f"4x{extent}")
        )
        return (
            f"%e{n} = tensor.empty() : {type_}\n%v{n} = tensor.empty() : {row}\n"
            f"%f{n} = linalg.fill ins(%low : f32) outs(%v{n} : {row}) -> {row}\n%m{n} = "
            + _generic(x, type_, f"%f{n} : {row}", rows, most, "parallel reduction")
            + f"%d{n} = "
            + _generic(
                f"{x}, %m{n}",
                f"{type_}, {row}",
                f"%e{n} : {type_}",
                f"{rows}; (i, j) -> (i, j)",
                less,
                "parallel parallel",
            )
            + f"%p{n} = "
            + _generic(
                f"%d{n}",
                type_,
                f"%e{n} : {type_}",
                "(i, j) -> (i, j); (i, j) -> (i, j)",
                place.replace("linalg.index 0 : index\n", f"linalg.index 0 : index\n{index}"),
                "parallel parallel",
            ).replace("index_cast %nn", "index_cast %at" if index else "index_cast %nn")
            + f"%u{n} = tensor.empty() : {turned}\n"
            f"%t{n} = linalg.transpose ins(%d{n} : {type_}) outs(%u{n} : {turned}) "
            "permutation = [1, 0]\n"
        )

    head = (
        "func.func @main(%x: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {\n"
        f"{NUMBERS}%low = arith.constant -30.0 : f32\n"
    )
    whole = f"{head}{computed('', 6, '%x', '')}return %t, %p : tensor<4x6xf32>, tensor<6x4xf32>\n}}"
    tiled = (
        f"{head}%y = tensor.empty() : tensor<4x6xf32>\n%z = tensor.empty() : tensor<6x4xf32>\n"
        "%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y, %b = %z) "
        "-> (tensor<4x6xf32>, tensor<6x4xf32>) {\n%row = arith.muli %i, %c2 : index\n"
        "%xt = memplan.load %x[%row, 0] [2, 4] [1, 1] : tensor<6x4xf32> to tensor<2x4xf32>\n"
        + computed("0", 2, "%xt", "%at = arith.addi %nn, %row : index\n")
        + "%a0 = memplan.store %t0 into %a[0, %row] [4, 2] [1, 1] to @DDR "
        ": tensor<4x2xf32> into tensor<4x6xf32>\n"
        "%b0 = memplan.store %p0 into %b[%row, 0] [2, 4] [1, 1] to @DDR "
        ": tensor<2x4xf32> into tensor<6x4xf32>\n"
        "scf.yield %a0, %b0 : tensor<4x6xf32>, tensor<6x4xf32>\n}\n"
        "return %r#0, %r#1 : tensor<4x6xf32>, tensor<6x4xf32>\n}"
    )
    mistakes = {
        "numbers rows from the start of the tile": ("arith.addi %nn, %row", "arith.addi %nn, %c0"),
        "numbers rows by tile": ("arith.addi %nn, %row", "arith.addi %nn, %i"),
        "rounds to another type": (
            "%hn = arith.truncf %pn : f32 to f16\n%gn = arith.extf %hn : f16 to f32",
            "%hn = arith.truncf %pn : f32 to bf16\n%gn = arith.extf %hn : bf16 to f32",
        ),
        "subtracts the other way round": ("arith.subf %pn, %qn", "arith.subf %qn, %pn"),
        "the least for the greatest": ("arith.maximumf", "arith.minimumf"),
        "the greatest of nothing": ("%low : f32) outs(%v0", "%zero : f32) outs(%v0"),
        "numbers what is not less": (
            "ins(%d0 : tensor<2x4xf32>) outs(%e0",
            "ins(%xt : tensor<2x4xf32>) outs(%e0",
        ),
        "turns what it was": (
            "ins(%d0 : tensor<2x4xf32>) outs(%u0",
            "ins(%p0 : tensor<2x4xf32>) outs(%u0",
        ),
        "turned rows in the wrong columns": ("%a[0, %row]", "%a[0, %i]"),
        "one result for the other": ("memplan.store %p0 into", "memplan.store %d0 into"),
    }
    return Tiled(whole, tiled, mistakes)


PROGRAMS = {"product": product(), "windows": windows(), "heads": heads()}
