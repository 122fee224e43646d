"""Sums that a group makes beside its last result are added up tile by tile."""

from collections.abc import Callable, Sequence
from functools import cache
from string import ascii_lowercase

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tests.transforms.test_region_moves import arena_bytes, parse
from tests.transforms.test_split_programs import Emit
from xdsl_memplan.analysis.storage_type import is_tensor
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.memref_size import size_bytes
from xdsl_memplan.native.compare import compare_modules
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.convert_memplan_to_memref import ConvertMemplanToMemrefPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.verify_split.check_split import Verdict, check_split


class Training:
    """Writes a function @main of products, sums, and operations element by element."""

    def __init__(self, of: str = "f32", sums: str = "f32") -> None:
        self.of, self.sums = of, sums
        self.arguments: list[str] = []
        self.lines: list[str] = []
        self.types: dict[str, str] = {}

    def _type(self, shape: tuple[int, ...], of: str) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{of}>"

    def _named(self, type_: str, line: str) -> str:
        name = f"%v{len(self.types)}"
        self.types[name] = type_
        self.lines.append(f"{name} = {line}")
        return name

    def argument(self, *shape: int) -> str:
        name = f"%a{len(self.types)}"
        self.types[name] = self._type(shape, self.of)
        self.arguments.append(name)
        return name

    def sum(self, to: str, shape: tuple[int, ...], *reads: tuple[str, str], init: str = "") -> str:
        """What is read at these indices, multiplied and added up: to zero, or to `init`.

        Loops are letters, in the order of the alphabet; those that are not in `to` are summed.
        """
        type_ = self._type(shape, self.sums)
        if not init:
            empty = self._named(type_, f"tensor.empty() : {type_}")
            fill = f"linalg.fill ins(%zero : {self.sums}) outs({empty} : {type_}) -> {type_}"
            init = self._named(type_, fill)
        indices = [*(at for _, at in reads), to]
        loops = sorted(set("".join(indices)) & set(ascii_lowercase))
        kinds = ["parallel" if loop in to else "reduction" for loop in loops]
        body = [
            f"%w{k} = arith.extsi %i{k} : {self.of} to {self.sums}"
            for k in range(len(reads))
            if self.of != self.sums
        ]
        factors = [f"%{'i' if self.of == self.sums else 'w'}{k}" for k in range(len(reads))]
        kind = "f" if self.sums.startswith("f") else "i"
        term = factors[0]
        if len(factors) == 2:
            body.append(f"%m = arith.mul{kind} {', '.join(factors)} : {self.sums}")
            term = "%m"
        body.append(f"%r = arith.add{kind} %o, {term} : {self.sums}")
        return self._generic([name for name, _ in reads], init, indices, loops, kinds, body)

    def each(self, op: str, *xs: str) -> str:
        """An operation of two tensors of one shape, or of one and zero, element by element."""
        type_ = self.types[xs[0]]
        loops = list(ascii_lowercase[: type_.count("x")])
        empty = self._named(type_, f"tensor.empty() : {type_}")
        second = "%i1" if len(xs) == 2 else "%zero"
        body = [f"%r = arith.{op} %i0, {second} : {self.sums}"]
        indices, kinds = [",".join(loops)] * (len(xs) + 1), ["parallel"] * len(loops)
        return self._generic(xs, empty, indices, loops, kinds, body)

    def _generic(
        self,
        reads: Sequence[str],
        out: str,
        indices: list[str],
        loops: list[str],
        kinds: list[str],
        body: list[str],
    ) -> str:
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({at})>" for at in indices)
        types = [self.types[name] for name in reads]
        block = [f"%i{k}: {type_.split('x')[-1][:-1]}" for k, type_ in enumerate(types)]
        lines = "\n".join([*body, f"linalg.yield %r : {self.sums}"])
        iterators = ", ".join(f'"{kind}"' for kind in kinds)
        return self._named(
            self.types[out],
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins({', '.join(reads)} : {', '.join(types)}) outs({out} : {self.types[out]}) {{\n"
            f"^bb0({', '.join([*block, f'%o: {self.sums}'])}):\n{lines}\n}} -> {self.types[out]}",
        )

    def text(self, *results: str) -> str:
        arguments = ", ".join(f"{a}: {self.types[a]}" for a in self.arguments)
        types = ", ".join(self.types[r] for r in results)
        zero = "0.0" if self.sums.startswith("f") else "0"
        body = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n"
            f"%zero = arith.constant {zero} : {self.sums}\n{body}\n"
            f"func.return {', '.join(results)} : {types}\n}}"
        )


ROWS, WIDE, NARROW = 32, 12, 8


def weight_gradient(of: str = "f32", sums: str = "f32") -> str:
    """The gradient of a weight beside that of the input."""
    n = Training(of, sums)
    x, w, dy = n.argument(ROWS, WIDE), n.argument(WIDE, NARROW), n.argument(ROWS, NARROW)
    dw = n.sum("j,k", (WIDE, NARROW), (x, "i,j"), (dy, "i,k"))
    return n.text(n.sum("i,j", (ROWS, WIDE), (dy, "i,k"), (w, "j,k")), dw)


def integers() -> str:
    """The same of bytes, in 32-bit sums."""
    return weight_gradient("i8", "i32")


def column_sums() -> str:
    """Two sums of columns, one of a product of two tensors, beside a product."""
    n = Training()
    x, w, dy = n.argument(ROWS, NARROW), n.argument(WIDE, NARROW), n.argument(ROWS, NARROW)
    dg = n.sum("k", (NARROW,), (x, "i,k"), (dy, "i,k"))
    db = n.sum("k", (NARROW,), (dy, "i,k"))
    return n.text(n.sum("i,j", (ROWS, WIDE), (dy, "i,k"), (w, "j,k")), db, dg)


def new_weights() -> str:
    """What is added up is subtracted from the weights when it is complete."""
    n = Training()
    x, w, dy = n.argument(ROWS, WIDE), n.argument(WIDE, NARROW), n.argument(ROWS, NARROW)
    b = n.argument(NARROW)
    new_b = n.each("subf", b, n.sum("k", (NARROW,), (dy, "i,k")))
    new_w = n.each("subf", w, n.sum("j,k", (WIDE, NARROW), (x, "i,j"), (dy, "i,k")))
    return n.text(n.sum("i,j", (ROWS, WIDE), (dy, "i,k"), (w, "j,k")), new_w, new_b)


def accumulated_gradient() -> str:
    """The sum goes on from what was there before."""
    n = Training()
    x, w, dy = n.argument(ROWS, WIDE), n.argument(WIDE, NARROW), n.argument(ROWS, NARROW)
    before = n.argument(WIDE, NARROW)
    dw = n.sum("j,k", (WIDE, NARROW), (x, "i,j"), (dy, "i,k"), init=before)
    return n.text(n.sum("i,j", (ROWS, WIDE), (dy, "i,k"), (w, "j,k")), dw)


def bias_of_images() -> str:
    """A sum over the images and their rows, in this order, beside a product of each row."""
    n = Training()
    dy, w = n.argument(4, 16, NARROW), n.argument(WIDE, NARROW)
    db = n.sum("k", (NARROW,), (dy, "b,i,k"))
    return n.text(n.sum("b,i,j", (4, 16, WIDE), (dy, "b,i,k"), (w, "j,k")), db)


def pooled() -> str:
    """All of each channel added up beside windows that move over it."""
    n = Training()
    x = n.each("maximumf", n.argument(4, 26, 8))
    total = n.sum("c", (4,), (x, "c,i,j"))
    return n.text(
        n.sum("c,i,j", (4, 24, 6), (x, "c,i+p,j+q"), (n.argument(4, 3, 3), "c,p,q")), total
    )


def heads() -> str:
    """Gradients of keys and values, sums over the queries of a head, beside that of queries."""
    n = Training()
    q, k, v, do = (n.argument(2, 2, 16, 4) for _ in range(4))
    square, rows = (2, 2, 16, 16), (2, 2, 16, 4)
    scores = n.each("maximumf", n.sum("b,h,i,j", square, (q, "b,h,i,m"), (k, "b,h,j,m")))
    dv = n.sum("b,h,j,m", rows, (scores, "b,h,i,j"), (do, "b,h,i,m"))
    of_scores = n.sum("b,h,i,j", square, (do, "b,h,i,m"), (v, "b,h,j,m"))
    dp = n.each("mulf", scores, of_scores)
    dk = n.sum("b,h,j,m", rows, (dp, "b,h,i,j"), (q, "b,h,i,m"))
    return n.text(n.sum("b,h,i,m", rows, (dp, "b,h,i,j"), (k, "b,h,j,m")), dk, dv)


PROGRAMS = [
    weight_gradient,
    integers,
    column_sums,
    new_weights,
    accumulated_gradient,
    bias_of_images,
    pooled,
    heads,
]


def grouped(text: str, group: MemplanGroupPass) -> ModuleOp:
    module = parse(text)
    MemplanFormLayersPass().apply(full_context(), module)
    group.apply(full_context(), module)
    return module


def expanded(text: str, group: MemplanGroupPass, emit: Emit) -> ModuleOp:
    """The tiles, which are proved to compute what groups do."""
    module = grouped(text, group)
    [whole] = [op for op in module.clone().walk() if isinstance(op, FuncOp)]
    MemplanExpandGroupsPass(emit=emit, check=False).apply(full_context(), module)
    [tiled] = [op for op in module.walk() if isinstance(op, FuncOp)]
    found = check_split(whole, tiled)
    assert found.verdict is Verdict.PROVED, found.reason
    assert not found.more_bytes
    return module


def computes_the_same(text: str, group: MemplanGroupPass, emit: Emit) -> int:
    """Run both, bit for bit; returns bytes of the first memory."""
    module = expanded(text, group, emit)
    for stage in (
        MemplanBufferizePass(memory="L1:align=4,DDR"),
        MemplanAssignOffsetsPass(),
        MemplanVerifyPass(),
        ConvertMemplanToMemrefPass(),
    ):
        stage.apply(full_context(), module)
    assert varies_and_is_the_same(text, str(module))
    return arena_bytes(module).get("L1", 0)


@cache
def varies_and_is_the_same(before: str, after: str) -> bool:
    """Compiled and run once for groups of which all ways to expand them give the same program."""
    return compare_modules(before, after).informative


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("capacity", [1024, 1536, 2560])
@pytest.mark.parametrize("program", PROGRAMS)
def test_they_compute_the_same(program: Callable[[], str], capacity: int, emit: Emit):
    group = MemplanGroupPass(memory=f"L1={capacity}:align=4,DDR", threads=1)
    assert computes_the_same(program(), group, emit) <= capacity


@pytest.mark.parametrize("emit", ["unroll", "auto", "loop"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_least_peak_computes_the_same(program: Callable[[], str], emit: Emit):
    group = MemplanGroupPass(objective="peak", memory="L1:align=4,DDR", threads=1)
    groups = [op for op in grouped(program(), group).walk() if isinstance(op, GroupOp)]
    counted = max(op.cost.cost.peak for op in groups)
    assert computes_the_same(program(), group, emit) <= counted


# On chip throughout: a weight and its gradient, of 384 bytes each; sums of 32, 32 and 16 bytes;
# keys and values of a head and their gradients, of 256 bytes each. With sums that are whole all
# that is added up would be there, too, or fetched twice.
@pytest.mark.parametrize(
    ("program", "capacity"),
    [
        (weight_gradient, 1280),
        (column_sums, 768),
        (new_weights, 1280),
        (accumulated_gradient, 1280),
        (bias_of_images, 512),
        (pooled, 384),
        (heads, 1024),
    ],
)
def test_everything_is_read_and_written_once(program: Callable[[], str], capacity: int):
    group = MemplanGroupPass(memory=f"L1={capacity}:align=4,DDR", threads=1)
    module = grouped(program(), group)
    [function] = [op for op in module.walk() if isinstance(op, FuncOp)]
    groups = [op for op in module.walk() if isinstance(op, GroupOp)]
    types = [*function.function_type.inputs, *function.function_type.outputs]
    floor = sum(size_bytes(type_) or 0 for type_ in types if is_tensor(type_))
    assert sum(group.cost.cost.traffic for group in groups) == floor


def test_what_needs_nothing_large_is_done_before_the_rest():
    """Sums of 1024 and 512 bytes: as 1024 more are added to the first, the second is stored."""
    n = Training()
    x, w, v = n.argument(16, 64), n.argument(64, 16), n.argument(64, 8)
    first = n.each("addf", n.sum("i,j", (16, 16), (x, "i,k"), (w, "k,j")), n.argument(16, 16))
    second = n.each("maximumf", n.sum("i,j", (16, 8), (x, "i,k"), (v, "k,j")))
    group = MemplanGroupPass(memory="L1=2304:align=4,DDR", threads=1)
    text = n.text(first, second)
    [one] = [op for op in grouped(text, group).walk() if isinstance(op, GroupOp)]
    assert computes_the_same(text, group, "auto") <= one.cost.cost.peak
