"""Random straight-line programs on tensors, and by brute force the fewest bytes they must move.

Tensors are rows of four floats, 16 bytes each. The oracle knows nothing of the passes: it tries all
orders, all times at which tensors are away, and all ways in which what is on chip may share a
buffer: a result over an operand of the same size that is not needed any more, and a tensor inside
the concatenation or pad that it is a part of.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

ROW_BYTES = 16
W = "tensor<4x4xf32>"
NEVER = 1 << 30


@dataclass(frozen=True)
class Op:
    """One operation; its result has its number."""

    kind: str
    reads: tuple[int, ...]
    """Numbers of operations; -1 for the argument."""
    whole: tuple[bool, ...]
    """Whether all rows of a tensor are read, and not a slice of it."""
    rows: int


@dataclass(frozen=True)
class Program:
    """Operations, the numbers of those whose results are returned, and the text."""

    ops: tuple[Op, ...]
    returned: tuple[int, ...]
    text: str


KINDS = ("product", "product", "unary", "binary", "contract", "pad", "concat")
NESTED_KINDS = ("product", "unary", "binary", "contract", "pad", "concat", "concat", "concat")
"""With these, tensors lie in tensors that lie in others more often."""


def random_program(seed: int, most_ops: int = 7, kinds: tuple[str, ...] = KINDS) -> Program:
    """Grow a program of 2 to `most_ops` operations; every result is used or returned."""
    random = Random(seed)
    ops: list[Op] = []
    lines: list[str] = []
    for number in range(random.randint(2, most_ops)):
        ops.append(_random_op(random, random.choice(kinds), ops, lines, number))
    used = {read for op in ops for read in op.reads}
    returned = tuple(i for i in range(len(ops)) if i not in used or random.random() < 0.05)
    types = ", ".join(_type(ops[i].rows) for i in returned)
    names = ", ".join(f"%t{i}" for i in returned)
    body = "".join(f"  {line}\n" for line in lines)
    text = (
        f"#a = affine_map<(i, j, k) -> (i, j)>\n#b = affine_map<(i, j, k) -> (k, j)>\n"
        f"func.func @main(%x: {_type(1)}, %w: {W}) -> ({types}) {{\n"
        f"  %zero = arith.constant 0.5 : f32\n{body}  func.return {names} : {types}\n}}\n"
    )
    return Program(tuple(ops), returned, text)


def _type(rows: int) -> str:
    return f"tensor<{rows}x4xf32>"


def _random_op(random: Random, kind: str, ops: list[Op], lines: list[str], number: int) -> Op:
    def pick(rows: int | None = None) -> int:
        fit = [i for i, op in enumerate(ops) if rows is None or op.rows == rows]
        if rows in (None, 1) and (not fit or random.random() < 0.1):
            fit.append(-1)
        # What was made lately is read more often.
        return random.choice(fit[-4:])

    def rows_of(read: int) -> int:
        return 1 if read < 0 else ops[read].rows

    def name(read: int) -> str:
        return "%x" if read < 0 else f"%t{read}"

    first = pick()
    rows, reads, whole = rows_of(first), (first,), (True,)
    result = f"%t{number}"
    empty = f"{result}_e = tensor.empty() : "
    if kind == "product":
        source, taken = name(first), rows
        if rows > 1 and random.random() < 0.3:
            taken, start = 1, random.randrange(rows)
            lines.append(
                f"{result}_s = tensor.extract_slice {source}[{start}, 0] [1, 4] [1, 1] : "
                f"{_type(rows)} to {_type(1)}"
            )
            source, whole = f"{result}_s", (False,)
        t = _type(taken)
        made = random.choice([taken, 1, 2, 3]) if whole[0] else taken
        if made == taken:
            lines += [
                f"{empty}{t}",
                f"{result}_z = linalg.fill ins(%zero : f32) outs({result}_e : {t}) -> {t}",
                f"{result} = linalg.matmul ins({source}, %w : {t}, {W}) outs({result}_z : {t})"
                f" -> {t}",
            ]
            return Op(kind, reads, whole, taken)
        # Every row of the result is the sum of the rows that are read.
        lines += _contraction(result, empty, "%x", source, 1, rows, made)
        return Op("contract", reads, whole, made)
    if kind == "unary":
        t = _type(rows)
        lines += [
            f"{empty}{t}",
            f"{result} = linalg.negf ins({name(first)} : {t}) outs({result}_e : {t}) -> {t}",
        ]
        return Op("elementwise", reads, whole, rows)
    if kind == "binary":
        second = pick(rows) if any(op.rows == rows for op in ops) or rows == 1 else first
        t = _type(rows)
        lines += [
            f"{empty}{t}",
            f"{result} = linalg.add ins({name(first)}, {name(second)} : {t}, {t})"
            f" outs({result}_e : {t}) -> {t}",
        ]
        return Op("elementwise", (first, second), (True, True), rows)
    if kind == "contract":
        second = pick()
        lines += _contraction(result, empty, name(first), name(second), rows, rows_of(second), rows)
        return Op("contract", (first, second), (True, True), rows)
    if kind == "pad":
        low, high = random.choice([(0, 1), (1, 0), (1, 1)])
        lines.append(
            f"{result} = tensor.pad {name(first)} low[{low}, 0] high[{high}, 0] {{\n"
            f"  ^bb0(%t{number}_i: index, %t{number}_j: index):\n    tensor.yield %zero : f32\n"
            f"  }} : {_type(rows)} to {_type(rows + low + high)}"
        )
        return Op("pad", reads, whole, rows + low + high)
    parts = [first, *(pick() for _ in range(random.randint(1, 2)))]
    total = sum(map(rows_of, parts))
    types = ", ".join(_type(rows_of(part)) for part in parts)
    lines.append(
        f"{result} = tensor.concat dim(0) {', '.join(map(name, parts))} : ({types})"
        f" -> {_type(total)}"
    )
    return Op("concat", tuple(parts), (True,) * len(parts), total)


def _contraction(
    result: str, empty: str, left: str, right: str, rows: int, terms: int, made: int
) -> list[str]:
    t = _type(made)
    map_of_left = "#a" if rows == made else "affine_map<(i, j, k) -> (0, j)>"
    return [
        f"{empty}{t}",
        f"{result}_z = linalg.fill ins(%zero : f32) outs({result}_e : {t}) -> {t}",
        f"{result} = linalg.generic {{indexing_maps = [{map_of_left}, #b, #a], iterator_types = "
        '["parallel", "parallel", "reduction"]} '
        f"ins({left}, {right} : {_type(rows)}, {_type(terms)}) outs({result}_z : {t}) {{\n"
        "  ^bb0(%l: f32, %r: f32, %acc: f32):\n    %m = arith.mulf %l, %r : f32\n"
        f"    %s = arith.addf %m, %acc : f32\n    linalg.yield %s : f32\n  }} -> {t}",
    ]


def least_capacity(program: Program) -> int:
    """Bytes that some operation needs by itself, whatever else is away."""
    return ROW_BYTES * max(_need(program, op) for op in program.ops)


def _need(program: Program, op: Op) -> int:
    reads = {
        read: all(w for r, w in zip(op.reads, op.whole, strict=True) if r == read)
        for read in op.reads
        if read >= 0
    }
    rows = sum(program.ops[read].rows for read in reads)
    if op.kind == "elementwise":
        return rows if any(reads.values()) else rows + op.rows
    if op.kind in ("pad", "concat"):
        return op.rows + sum(program.ops[read].rows for read, whole in reads.items() if not whole)
    return rows + op.rows


@dataclass(frozen=True)
class _Stay:
    """A tensor on chip between two positions, both inclusive."""

    tensor: int
    start: int
    end: int
    is_made: bool


def least_moved(program: Program, capacity: int, below: int) -> int | None:
    """The fewest bytes moved under a capacity in bytes, if they are fewer than `below`."""
    best: int | None = None
    for order in _orders(program):
        limit = below if best is None else best
        for moved, stays in sorted(_away(program, order, limit), key=lambda pair: pair[0]):
            if best is not None and moved >= best:
                break
            if _fits(program, order, stays, capacity // ROW_BYTES):
                best = moved
                break
        if best == 0:
            break
    return best


def _orders(program: Program) -> Iterator[list[int]]:
    def extend(order: list[int], left: set[int]) -> Iterator[list[int]]:
        if not left:
            yield list(order)
        for number in sorted(left):
            if not left.intersection(program.ops[number].reads):
                yield from extend([*order, number], left - {number})

    yield from extend([], set(range(len(program.ops))))


def _away(program: Program, order: list[int], below: int) -> Iterator[tuple[int, list[_Stay]]]:
    """All choices of when tensors are away that move fewer bytes than `below`."""
    uses: list[list[int]] = [[] for _ in order]
    for position, number in enumerate(order):
        for tensor in {*program.ops[number].reads, number}:
            if tensor >= 0:
                uses[tensor].append(position)

    def choose(tensor: int, moved: int, stays: list[_Stay]) -> Iterator[tuple[int, list[_Stay]]]:
        if tensor == len(uses):
            yield moved, stays
            return
        gaps = list(pairwise(uses[tensor]))
        size = program.ops[tensor].rows * ROW_BYTES
        for choice in range(1 << len(gaps)):
            times = choice.bit_count()
            write = size if times and tensor not in program.returned else 0
            cost = moved + write + times * size
            if cost >= below:
                continue
            mine = [[uses[tensor][0]]]
            for i, (_, later) in enumerate(gaps):
                if choice >> i & 1:
                    mine.append([later])
                else:
                    mine[-1].append(later)
            made = [_Stay(tensor, run[0], run[-1], i == 0) for i, run in enumerate(mine)]
            yield from choose(tensor + 1, cost, [*stays, *made])

    yield from choose(0, 0, [])


def _fits(program: Program, order: list[int], stays: list[_Stay], rows: int) -> bool:
    """Whether in some way of sharing no more rows are on chip at any position."""
    made = {stay.tensor: i for i, stay in enumerate(stays) if stay.is_made}
    options: list[list[tuple[int, bool] | None]] = []
    for stay in stays:
        mine: list[tuple[int, bool] | None] = []
        for position in range(stay.start, stay.end + 1):
            op = program.ops[order[position]]
            places = [w for r, w in zip(op.reads, op.whole, strict=True) if r == stay.tensor]
            if not places or order[position] == stay.tensor or not all(places):
                continue
            if op.kind in ("pad", "concat"):
                mine.append((made[order[position]], False))
            elif op.kind == "elementwise" and position == stay.end:
                mine.append((made[order[position]], True))
        options.append([*mine, None])

    links: list[tuple[int, bool] | None] = [None] * len(stays)
    taken: set[int] = set()

    def choose(i: int) -> bool:
        if i == len(stays):
            return _is_sound(stays, links) and _rows(program, stays, links, len(order)) <= rows
        for option in options[i]:
            if option is not None and option[1] and option[0] in taken:
                continue
            links[i] = option
            if option is not None and option[1]:
                taken.add(option[0])
            if choose(i + 1):
                return True
            if option is not None and option[1]:
                taken.discard(option[0])
        links[i] = None
        return False

    return choose(0)


def _is_sound(stays: list[_Stay], links: list[tuple[int, bool] | None]) -> bool:
    """Whether nothing is read inside of a larger tensor that was written over before."""

    def overwritten_at(i: int) -> int:
        link = links[i]
        if link is None:
            return NEVER
        return stays[i].end if link[1] else overwritten_at(link[0])

    return all(
        link is None or link[1] or stays[i].end < overwritten_at(link[0])
        for i, link in enumerate(links)
    )


def _rows(
    program: Program, stays: list[_Stay], links: list[tuple[int, bool] | None], positions: int
) -> int:
    def storage(i: int) -> int:
        link = links[i]
        return i if link is None else storage(link[0])

    spans: dict[int, list[int]] = {}
    for i, stay in enumerate(stays):
        span = spans.setdefault(storage(i), [NEVER, 0, 0])
        span[0], span[1] = min(span[0], stay.start), max(span[1], stay.end)
        span[2] = max(span[2], program.ops[stay.tensor].rows)
    held = [0] * positions
    for start, end, rows in spans.values():
        for position in range(start, end + 1):
            held[position] += rows
    return max(held)
