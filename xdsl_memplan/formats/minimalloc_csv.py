"""minimalloc's CSV: one buffer a line, ``id,lower,upper,size``.

``lower`` and ``upper`` are the half-open lifetime in ticks, ``size`` is bytes. Optional columns, as
in minimalloc's own reader (github.com/google/minimalloc, src/converter.cc): ``alignment`` in bytes;
``gaps`` (``3-5 7-9``: ticks at which the buffer is idle, half-open); ``offset`` (a place that the
plan must keep; an empty cell leaves it open). Columns come in any order. Older files say ``start``
and an *inclusive* ``end``.
"""

import csv
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TextIO

import numpy as np

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.model.plan import Plan
from xdsl_memplan.model.problem import Int64Array, Pool, Problem

_REQUIRED = ("id", "lower", "upper", "size")
_OPTIONAL = ("alignment", "gaps", "offset")
_OLD_NAMES = {"buffer": "id", "buffer_id": "id", "start": "lower", "end": "upper"}
_INT64 = np.iinfo(np.int64)


def read_problem(
    stream: TextIO, name: str = "<input>", *, capacity: int | None = None, base_address: int = 0
) -> Problem:
    """Read a problem for one memory of ``capacity`` bytes (None: no limit).

    Raises FormatError with the line and column of the first thing that is wrong.
    """
    table = _Table(stream, name)
    sizes = table.integers("size", least=0)
    starts = table.integers("lower")
    ends = table.integers("upper")
    if table.has_inclusive_end:
        ends = ends + 1
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


class _Table:
    """The cells of a CSV file by column, which know where in the file they stand."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._name = name
        reader = csv.reader(stream)
        try:
            header = next(reader, None)
            if header is None:
                raise FormatError(name, 1, 1, f"the file is empty; expected {','.join(_REQUIRED)}")
            self._header = [cell.strip().removeprefix("\ufeff") for cell in header]
            self._rows: list[list[str]] = []
            self._lines: list[int] = []
            for row in reader:
                if row:
                    self._rows.append(row)
                    self._lines.append(reader.line_num)
        except (csv.Error, UnicodeDecodeError) as error:
            raise FormatError(name, reader.line_num + 1, 1, f"not a CSV file: {error}") from error
        self.has_inclusive_end = "end" in self._header
        self.columns = self._index_columns()
        width = len(self._header)
        for i, row in enumerate(self._rows):
            if len(row) != width:
                raise FormatError(
                    name, self._lines[i], 1, f"{len(row)} cells, the header has {width}"
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
        return FormatError(self._name, self._lines[row], column, reason)

    def ids(self) -> list[str]:
        position = self.columns["id"]
        ids = [row[position] for row in self._rows]
        if len(set(ids)) != len(ids):
            seen: dict[str, int] = {}
            for i, buffer_id in enumerate(ids):
                if buffer_id in seen:
                    first = self._lines[seen[buffer_id]]
                    raise self.error(i, "id", f"buffer id '{buffer_id}' is also in line {first}")
                seen[buffer_id] = i
        return ids

    def integers(self, title: str, least: int = _INT64.min) -> Int64Array:
        position = self.columns[title]
        parse = self._parser(title, least)
        return np.fromiter(
            (parse(i, row[position]) for i, row in enumerate(self._rows)), np.int64, len(self._rows)
        )

    def _parser(self, title: str, least: int) -> Callable[[int, str], int]:
        most = int(_INT64.max)

        def parse(row: int, cell: str) -> int:
            try:
                value = int(cell)
            except ValueError:
                raise self.error(row, title, f"{title} '{cell}' is not an integer") from None
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
        for part in cell.split():
            start, dash, end = part.partition("-")
            if not dash or not start.isdecimal() or not end.isdecimal():
                reason = f"gap '{part}' is not of the form 3-5"
                if "@" in part:
                    reason += "; windows (@) inside a gap are not supported"
                raise self.error(row, "gaps", reason)
            yield row, int(start), int(end)
