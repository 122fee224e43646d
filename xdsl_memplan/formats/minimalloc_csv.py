"""minimalloc's CSV: one buffer a line, ``id,lower,upper,size``.

``lower`` and ``upper`` are the half-open lifetime in ticks, ``size`` is bytes. Optional columns, as
in minimalloc's own reader (github.com/google/minimalloc, src/converter.cc): ``alignment`` in bytes;
``gaps`` (``3-5 7-9``: ticks at which the buffer is idle, half-open); ``offset`` (a place that the
plan must keep; an empty cell leaves it open). Columns come in any order; others are not read. Older
files say ``start`` or ``begin``, and ``end`` instead of ``upper``: then the last tick of lifetimes
and of gaps is *inclusive*, there as here.
"""

import csv
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TextIO

import numpy as np

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.model.integers import Int64Array
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Pool, Problem, Source

_REQUIRED = ("id", "lower", "upper", "size")
_OPTIONAL = ("alignment", "gaps", "offset")
_OLD_NAMES = {
    "buffer": "id",
    "buffer_id": "id",
    "start": "lower",
    "begin": "lower",
    "end": "upper",
}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_GAP = re.compile(r"(-?[0-9]+)-(-?[0-9]+)")
_LEAST, _MOST = -(2**63), 2**63 - 1


def read_problem(
    stream: TextIO, name: str = "<input>", *, capacity: int | None = None, base_address: int = 0
) -> Problem:
    """Read a problem for one memory of ``capacity`` bytes (None: no limit).

    Raises FormatError with the line and column of the first thing that is wrong.
    """
    table = _Table(stream, name)
    sizes = table.integers("size", least=0)
    starts = table.integers("lower")
    ends = table.integers("upper", most=_MOST - table.inclusive) + table.inclusive
    for row in np.flatnonzero(ends < starts)[:1]:
        raise table.error(int(row), "upper", f"the lifetime ends before it starts at {starts[row]}")
    return Problem(
        sizes=sizes,
        starts=starts,
        ends=ends,
        alignments=table.integers("alignment", least=1) if "alignment" in table.columns else None,
        ids=table.ids(),
        fixed=table.offsets(),
        gaps=table.gaps(),
        pools=(Pool(capacity=capacity, base_address=base_address),),
        source=Source(name, table.lines),
    )


def write_problem(problem: Problem, stream: TextIO) -> None:
    """Write the buffers of a problem, without offsets other than those it fixes."""
    fixed = dict(problem.fixed)
    column = [str(fixed.get(i, "")) for i in range(len(problem))] if fixed else None
    _write(problem, column, stream)


def write_plan(problem: Problem, plan: Plan, stream: TextIO) -> None:
    """Write the buffers with the offset of each, as minimalloc does."""
    _write(problem, map(str, plan.offsets.tolist()), stream)


def _write(problem: Problem, offsets: Iterable[str] | None, stream: TextIO) -> None:
    columns: dict[str, Iterable[str]] = {
        "id": problem.ids or map(str, range(len(problem))),
        "lower": map(str, problem.starts.tolist()),
        "upper": map(str, problem.ends.tolist()),
        "size": map(str, problem.sizes.tolist()),
    }
    if problem.alignments is not None and (problem.alignments != 1).any():
        columns["alignment"] = map(str, problem.alignments.tolist())
    if problem.gaps:
        listed: list[list[str]] = [[] for _ in range(len(problem))]
        for buffer, start, end in problem.gaps:
            listed[buffer].append(f"{start}-{end}")
        columns["gaps"] = map(" ".join, listed)
    if offsets is not None:
        columns["offset"] = offsets
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _unmarked(cell: str) -> str:
    """Leave out a byte order mark, after which quotes are part of the cell."""
    return cell[1:].strip('"') if cell.startswith("\ufeff") else cell


class _Table:
    """The cells of a CSV file by column, which know where in the file they stand."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._name = name
        reader = csv.reader(stream)
        try:
            header = next(reader, None)
            if header is None:
                raise FormatError(name, 1, 1, f"the file is empty; expected {','.join(_REQUIRED)}")
            self._header = [_unmarked(cell.strip()) for cell in header]
            self._rows: list[list[str]] = []
            self.lines: list[int] = []
            for row in reader:
                if len(row) > 1 or (row and row[0].strip()):
                    self._rows.append(row)
                    self.lines.append(reader.line_num)
        except (csv.Error, UnicodeDecodeError) as error:
            raise FormatError(name, reader.line_num + 1, 1, f"not a CSV file: {error}") from error
        self.inclusive = int("end" in self._header)
        self.columns = self._index_columns()
        width = len(self._header)
        for i, row in enumerate(self._rows):
            if len(row) != width:
                raise FormatError(
                    name, self.lines[i], 1, f"{len(row)} cells, the header has {width}"
                )

    def _index_columns(self) -> dict[str, int]:
        columns: dict[str, int] = {}
        for position, cell in enumerate(self._header):
            title = _OLD_NAMES.get(cell, cell)
            if title in columns:
                reason = f"column '{cell}' comes twice"
                raise FormatError(self._name, 1, self._character(self._header, position), reason)
            columns[title] = position
        missing = [title for title in _REQUIRED if title not in columns]
        if missing:
            reason = f"no column '{missing[0]}'; expected {','.join(_REQUIRED)}"
            reason += f" and perhaps {', '.join(_OPTIONAL)}"
            raise FormatError(self._name, 1, 1, reason)
        return columns

    @staticmethod
    def _character(row: list[str], position: int) -> int:
        return sum(len(cell) + 1 for cell in row[:position]) + 1

    def error(self, row: int, title: str, reason: str) -> FormatError:
        """Make the error for one cell."""
        column = self._character(self._rows[row], self.columns[title])
        return FormatError(self._name, self.lines[row], column, reason)

    def ids(self) -> list[str]:
        position = self.columns["id"]
        ids = [row[position] for row in self._rows]
        if len(set(ids)) != len(ids):
            seen: dict[str, int] = {}
            for i, buffer_id in enumerate(ids):
                if buffer_id in seen:
                    first = self.lines[seen[buffer_id]]
                    raise self.error(i, "id", f"buffer id '{buffer_id}' is also in line {first}")
                seen[buffer_id] = i
        return ids

    def integers(self, title: str, least: int = _LEAST, most: int = _MOST) -> Int64Array:
        position = self.columns[title]
        parse = self._parser(title, least, most)
        return np.fromiter(
            (parse(i, row[position]) for i, row in enumerate(self._rows)), np.int64, len(self._rows)
        )

    def _parser(
        self, title: str, least: int = _LEAST, most: int = _MOST
    ) -> Callable[[int, str], int]:
        def parse(row: int, cell: str) -> int:
            try:
                # Python's own integers may have underscores and digits of any script.
                value = int(cell) if _INTEGER.fullmatch(cell.strip()) else None
            except ValueError:
                value = None  # of more digits than Python reads
            if value is None:
                raise self.error(row, title, f"{title} '{cell}' is not an integer")
            if not least <= value <= most:
                raise self.error(row, title, f"{title} {value} is not in {least} .. {most}")
            return value

        return parse

    def offsets(self) -> list[tuple[int, int]]:
        if "offset" not in self.columns:
            return []
        position = self.columns["offset"]
        parse = self._parser("offset", 0)
        return [(i, parse(i, r[position])) for i, r in enumerate(self._rows) if r[position].strip()]

    def gaps(self) -> list[tuple[int, int, int]]:
        if "gaps" not in self.columns:
            return []
        position = self.columns["gaps"]
        return list(
            chain.from_iterable(self._gaps(i, r[position]) for i, r in enumerate(self._rows))
        )

    def _gaps(self, row: int, cell: str) -> Iterable[tuple[int, int, int]]:
        parse = self._parser("gaps", most=_MOST - self.inclusive)
        for part in cell.split():
            ends = _GAP.fullmatch(part)
            if ends is None:
                reason = f"gap '{part}' is not of the form 3-5"
                if "@" in part:
                    reason += "; windows (@) inside a gap are not supported"
                raise self.error(row, "gaps", reason)
            yield row, parse(row, ends[1]), parse(row, ends[2]) + self.inclusive
