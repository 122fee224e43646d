"""Which tiles of a cut look alike, so that one loop body can compute them."""

from collections.abc import Collection, Iterable, Sequence

from xdsl_memplan.model.split_graph import Box, SplitGraph, operand_ranges, tile_signature
from xdsl_memplan.model.tiling_plan import GroupLayout, Span
from xdsl_memplan.transforms.expand_groups.axes import Position
from xdsl_memplan.transforms.expand_groups.tile_runs import Run, runs_of_tiles


def span_range(layout: GroupLayout, span: Span, position: Position) -> tuple[int, int]:
    """The range of a dimension or loop in a tile."""
    if not span.driven:
        return span.first, span.second
    return layout.tracks[span.first][span.second].new[position[span.first]]


def box_in(layout: GroupLayout, spans: Iterable[Span], position: Position) -> Box:
    """The box of a tensor, or of loops, in a tile; it may be empty."""
    return tuple(span_range(layout, span, position) for span in spans)


def is_empty(box: Box) -> bool:
    """Tell whether a box has no element."""
    return any(start >= stop for start, stop in box)


def repeating_cuts(layout: GroupLayout, tensor: int) -> list[int]:
    """The cuts of which every tile computes the same of a tensor: others inside of them cut it."""
    driving = {span.first for span in layout.tensors[tensor] if span.driven}
    return [cut for cut in range(max(driving, default=0)) if cut not in driving]


def runs_of_cut(
    graph: SplitGraph, layout: GroupLayout, cut: int, outputs: Collection[int]
) -> list[Run]:
    """Runs of tiles of a cut that look alike.

    In a run all boxes keep their sizes and advance by the same step, those that operations read,
    those that are kept, and what is new of `outputs` (tensors) among them. O(tiles * operands) at
    most.
    """
    tiles = layout.tiles(cut)
    lengths: list[list[object]] = [[] for _ in range(tiles)]
    starts: list[list[int]] = [[] for _ in range(tiles)]
    used = {
        span.second
        for spans in (*layout.loops.values(), *layout.tensors.values())
        for span in spans
        if span.driven and span.first == cut
    }
    written = {
        span.second
        for tensor in outputs
        for span in layout.tensors[tensor]
        if span.driven and span.first == cut
    }
    if any(cut in repeating_cuts(layout, tensor) for tensor in outputs):
        for tile in range(tiles):
            lengths[tile].append(tile == 0)  # Only the first one writes.
    for number in sorted(used):
        track = layout.tracks[cut][number]
        done = 0
        for tile in range(tiles):
            ranges = [track.new[tile], track.overlap(tile), track.overlap(tile + 1)]
            if number in written:
                start, stop = track.new[tile]
                ranges.append((min(max(start, done), stop), stop))
            done = max(done, track.new[tile][1])
            for start, stop in ranges:
                lengths[tile].append(stop - start)
                starts[tile].append(start if stop > start else 0)
    seen: set[object] = set()
    for number, spans in layout.loops.items():
        if not any(span.driven and span.first == cut for span in spans):
            continue
        op = graph.ops[number]
        key = (spans, tuple((operand.access, operand.shape) for operand in op.operands))
        if key in seen:
            continue
        seen.add(key)
        elsewhere = _tiles_with_work(layout, spans)
        for tile in range(tiles):
            elsewhere[cut] = tile
            loops = box_in(layout, spans, tuple(elsewhere))
            if is_empty(loops):
                lengths[tile].append(None)
                continue
            lengths[tile].append(tile_signature(op, loops) if op.splittable else None)
            for index in range(len(op.operands)):
                ranges = operand_ranges(op, index, loops)
                starts[tile] += [start if stop > start else 0 for start, stop in ranges]
    return runs_of_tiles([tuple(sizes) for sizes in lengths], [tuple(at) for at in starts])


def _tiles_with_work(layout: GroupLayout, spans: Sequence[Span]) -> list[int]:
    """For each cut a tile that computes something of an operation: the middle one if it does."""
    found: list[int] = []
    for cut, tracks in enumerate(layout.tracks):
        used = [tracks[span.second] for span in spans if span.driven and span.first == cut]
        middle = layout.tiles(cut) // 2
        nonempty = (
            tile
            for tile in (middle, *range(layout.tiles(cut)))
            if all(start < stop for start, stop in (track.new[tile] for track in used))
        )
        found.append(next(nonempty, middle))
    return found
