"""Networks split into tiles: the arena before and after, and the bytes moved for small memories.

    python benchmarks/split_networks.py [FOLDER or FILES...] [--only NAME ...]
        [--peak] [--traffic 256KiB 1MiB ...] [--order ORDER] [--limit SECONDS] [--json FILE]
        [--tables FILE]

Every row is one network with one objective and one memory: `memplan-generalize-ops`,
`memplan-trim`, `memplan-fold-transposes`, `memplan-fold-reshapes`, `memplan-fuse-elementwise`,
the same with `chains=true`, `memplan-form-layers`, `memplan-group`, `memplan-expand-groups`,
`memplan-annotate-lifetimes`, `memplan-bufferize`, `memplan-assign-offsets`, `memplan-verify`. A row
counts only if the verifier accepts the plan, the arena fits the memory, and the bytes written down
are those that the moves in the IR add up to. Where buffers take more than the search counted,
groups are formed again for less room, as `memplan-pipeline` does; and where
`memplan-compute-again`, `memplan-compute-slices` or an option of `memplan-form-layers` changes
anything both are searched, and the better row counts. `--order` is
that of `memplan-group`. Without `--peak` and `--traffic`
both are measured, from 128 KiB to 8 MiB. A row that needs more than `--limit` CPU seconds is given
up.

`--json` adds the rows to those already in FILE, `--tables` prints FILE as markdown and runs
nothing.
Sizes are bytes; MB are 10^6 bytes, KiB 1024.
"""

import argparse
import json
import math
import multiprocessing
import resource
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.looked_up_bytes import looked_up_bytes
from xdsl_memplan.analysis.memories import Memories
from xdsl_memplan.analysis.merged_places import has_merged_places
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.analysis.returned_concats import has_returned_concat
from xdsl_memplan.analysis.sliced_products import has_sliced_product
from xdsl_memplan.analysis.split_graph import FunctionSplitGraph
from xdsl_memplan.analysis.ways_to_form_layers import has_cheap_maker
from xdsl_memplan.dialects.groups import GroupOp
from xdsl_memplan.dialects.memplan import ArenaOp
from xdsl_memplan.dialects.off_chip import CAPACITY_FLOOR, FLOOR, TRAFFIC
from xdsl_memplan.model.needed_work import needed_work
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.capacity_report import CapacityExceeded
from xdsl_memplan.transforms.layer_forms import Form, forms_of
from xdsl_memplan.transforms.less_room import MOST_TRIES, more_to_reserve
from xdsl_memplan.transforms.memplan_annotate_lifetimes import MemplanAnnotateLifetimesPass
from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
from xdsl_memplan.transforms.memplan_compute_again import MemplanComputeAgainPass
from xdsl_memplan.transforms.memplan_compute_slices import MemplanComputeSlicesPass
from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass
from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass
from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
from xdsl_memplan.transforms.memplan_look_up_once import MemplanLookUpOncePass
from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass
from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass
from xdsl_memplan.transforms.memplan_unmerge_places import MemplanUnmergePlacesPass
from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass
from xdsl_memplan.transforms.resting_collector import resting_collector

ROOT = Path(__file__).parent.parent
CAPACITIES = ("128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB")


@dataclass
class Row:
    """One network, one objective, one memory. Sizes in bytes, seconds are CPU seconds."""

    network: str
    objective: str
    memory: str
    """Capacity; empty for none."""
    order: str = "optimize"
    """Which orders of the layers are tried."""
    error: str = ""
    """Why there is no plan; empty where there is a checked one."""
    arena_before: int = 0
    """Without splitting; only with objective=peak."""
    arena: int = 0
    model_peak: int = 0
    """What the search counted."""
    traffic: int = 0
    floor: int = 0
    """Distinct bytes of arguments that are read, and of results."""
    capacity_floor: int = 0
    """What must move with so much room and so many multiply-adds; 0 if that is no more."""
    work_ratio: float = 1.0
    """Multiply-adds done for each that is needed."""
    groups: int = 0
    tiles: int = 0
    transfers: int = 0
    operations_before: int = 0
    operations: int = 0
    tries: int = 1
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """CPU seconds per pass, of the last try; the search is in `memplan-group`."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a row is replaced by when it is measured again."""
        return self.network, self.objective, self.memory, self.order


def measure(path: Path, row: Row) -> Row:
    """Fill in a row.

    Raises PassFailedException where a pass fails, ValueError where a result does not check.
    """
    module = Parser(full_context(), path.read_text(encoding="utf-8"), str(path)).parse_module()
    with resting_collector():
        _run(
            module,
            [
                MemplanGeneralizeOpsPass(),
                MemplanTrimPass(),
                MemplanFoldTransposesPass(),
                MemplanFoldReshapesPass(),
                MemplanFuseElementwisePass(),
            ],
            row,
        )
        row.operations_before = _operations(module)
        if row.objective == "peak":
            whole = module.clone()
            _run(whole, [MemplanSchedulePass(objective="fit"), *_planning("")], Row("", "", ""))
            row.arena_before = _arena_bytes(whole, "")
        is_peak = row.objective == "peak"
        found: list[tuple[Row, Form]] = []
        errors: list[PassFailedException] = []

        def split(module: ModuleOp, form: Form) -> None:
            trial = replace(row, seconds=dict(row.seconds))
            try:
                if is_peak:
                    _split(module.clone(), trial, "", 0, form)
                else:
                    _split_to_fit(module, trial, memory, form)
                found.append((trial, form))
            except PassFailedException as error:
                errors.append(error)

        def best() -> tuple[Row, Form]:
            if not found:
                raise errors[-1]
            return min(found, key=lambda of: of[0].arena if is_peak else of[0].traffic)

        memory = f"L1={row.memory},DDR"
        for form in [Form()] if is_peak else forms_of(module, _capacity(module, memory)):
            split(module, form)
        if has_merged_places(module):
            _run(module, [MemplanUnmergePlacesPass()], row)
            split(module, best()[1])
        if not is_peak and _puts_together(module):
            split(module, replace(best()[1], store_parts=True))
        if has_cheap_maker(module):
            split(module, replace(best()[1], again=True))
        if has_sliced_product(module):
            _run(module, [MemplanComputeSlicesPass()], row)
            split(module, best()[1])
    least, _ = best()
    least.seconds["memplan-group"] = sum(search_seconds(row) for row, _ in found)
    return least


def _capacity(module: ModuleOp, memory: str) -> int:
    """Bytes of the first memory."""
    capacity = next(iter(Memories.of(module, memory).by_name.values())).capacity
    assert capacity is not None
    return capacity


def _puts_together(module: ModuleOp) -> bool:
    """Tell whether something is only put together to be returned, once chains are fused."""
    fused = module.clone()
    MemplanFuseElementwisePass(chains=True).apply(full_context(), fused)
    return has_returned_concat(fused)


def _split_to_fit(module: ModuleOp, row: Row, memory: str, form: Form) -> None:
    reserve = 0
    capacity = _capacity(module, memory)
    for row.tries in range(1, MOST_TRIES + 1):
        try:
            trial = module.clone()
            _split(trial, row, memory, reserve, form)
            return
        except CapacityExceeded as error:
            if row.tries == MOST_TRIES:
                raise
            reserve += more_to_reserve(error, capacity, row.tries)


def _split(module: ModuleOp, row: Row, memory: str, reserve: int, form: Form) -> None:
    objective = "peak" if row.objective == "peak" else "traffic"
    grouping = MemplanGroupPass(
        objective=objective,
        memory=memory,
        stage="none" if objective == "peak" else "all",
        order="thorough" if row.order == "thorough" else "optimize",
        reserve=reserve,
    )
    computing = [] if objective == "peak" else [MemplanLookUpOncePass()]
    computing += [MemplanComputeAgainPass()] if form.again else []
    _run(module, [MemplanFuseElementwisePass(chains=True), *computing, *form.forming()], row)
    graphs = [FunctionSplitGraph.of(f).graph for f in module.walk() if isinstance(f, FuncOp)]
    needed = sum(map(needed_work, graphs))
    _run(module, [grouping], row)
    costs = [group.cost.cost for group in module.walk() if isinstance(group, GroupOp)]
    row.groups = len(costs)
    row.tiles = sum(cost.tiles for cost in costs)
    row.transfers = sum(cost.transfers for cost in costs)
    row.model_peak = max((cost.peak for cost in costs), default=0)
    row.work_ratio = sum(cost.work for cost in costs) / needed if needed else 1.0
    _run(module, [MemplanExpandGroupsPass()], row)
    row.traffic, row.floor, row.capacity_floor = _traffic(module)
    _run(module, _planning(memory), row)
    row.operations = _operations(module)
    row.arena = _arena_bytes(module, memory)
    capacity = next(iter(Memories.of(module, memory).by_name.values())).capacity
    if capacity is not None and row.arena > capacity:
        raise ValueError(f"the arena has {row.arena} bytes, the memory {capacity}")
    least = max(row.floor, row.capacity_floor)
    if row.traffic < least:
        raise ValueError(f"{row.traffic} bytes moved are fewer than {least}, the least")


def _planning(memory: str) -> list[ModulePass]:
    return [
        MemplanAnnotateLifetimesPass(),
        MemplanBufferizePass(memory=memory),
        MemplanAssignOffsetsPass(memory=memory),
        MemplanVerifyPass(),
    ]


def _run(module: ModuleOp, stages: Iterable[ModulePass], row: Row) -> None:
    context = full_context()
    for stage in stages:
        began = time.process_time()
        stage.apply(context, module)
        row.seconds[stage.name] = round(time.process_time() - began, 3)
        if not isinstance(stage, MemplanVerifyPass):  # It leaves the IR as it is.
            module.verify()


def _traffic(module: ModuleOp) -> tuple[int, int, int]:
    """Bytes moved, counted in the expanded IR, and both floors; 0 where arguments stay."""
    total = floor = capacity_floor = 0
    for function in module.walk():
        if isinstance(function, FuncOp) and TRAFFIC in function.attributes:
            noted = function.attributes[TRAFFIC]
            assert isinstance(noted, DictionaryAttr)
            least, with_so_much_room = noted.data.get(FLOOR), noted.data.get(CAPACITY_FLOOR)
            moved, looked_up = off_chip_bytes(function), looked_up_bytes(function)
            if moved is None or looked_up is None or not isinstance(least, IntegerAttr):
                raise ValueError("bytes that move cannot be counted")
            total += moved + looked_up
            floor += least.value.data
            if isinstance(with_so_much_room, IntegerAttr):
                capacity_floor += with_so_much_room.value.data
    return total, floor, capacity_floor


def _operations(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def _arena_bytes(module: ModuleOp, memory: str) -> int:
    first = next(iter(Memories.of(module, memory).by_name))
    for op in module.walk():
        if isinstance(op, ArenaOp) and op.sym_name.data == first and op.size is not None:
            return op.size.value.data
    return 0


def _child(path: Path, row: Row, limit: int, end: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    try:
        row = measure(path, row)
    except (PassFailedException, ValueError) as error:
        row.error = str(error).strip() or type(error).__name__
    except Exception as error:
        row.error = f"{type(error).__name__}: {error}".strip()
    end.send(row)


def measure_alone(path: Path, row: Row, limit: int) -> Row:
    """Measure in a process of its own, which is ended after ``limit`` CPU seconds."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_child, args=(path, row, limit, there)
    )
    process.start()
    there.close()
    try:
        row = here.recv()
    except EOFError:
        row.error = "the process ended"
    process.join()
    if process.exitcode == -signal.SIGXCPU:
        row.error = f"more than {limit} CPU seconds"
    return row


def describe(row: Row) -> str:
    """One line for the terminal."""
    name = f"{row.network:22} {row.memory or row.objective:7}"
    if row.error:
        return f"{name} no plan: {' | '.join(row.error.splitlines())[:400]}"
    parts = [f"arena {row.arena:>10,}"]
    if row.arena_before:
        parts.append(f"before {row.arena_before:>11,} ({row.arena / row.arena_before:.3f})")
    if row.floor:
        least = max(row.floor, row.capacity_floor)
        parts.append(f"moved {row.traffic / 1e6:.2f} MB (at least {least / 1e6:.2f})")
    parts += [
        f"model {row.model_peak:,}",
        f"work {row.work_ratio:.4f}",
        f"groups {row.groups}, tiles {row.tiles}, moves {row.transfers}",
        f"operations {row.operations_before} -> {row.operations}",
        f"search {search_seconds(row):.2f} s, passes {pass_seconds(row):.2f} s",
    ]
    return f"{name} " + "; ".join(parts + ([f"tries {row.tries}"] if row.tries > 1 else []))


def search_seconds(row: Row) -> float:
    """CPU seconds of the pass that searches, over all threads."""
    return row.seconds.get("memplan-group", 0.0)


def pass_seconds(row: Row) -> float:
    """CPU seconds of all the other passes."""
    return sum(row.seconds.values()) - search_seconds(row)


def read_rows(file: Path) -> dict[tuple[str, str, str, str], Row]:
    """Rows of a file, by their key; none if there is no file."""
    if not file.exists():
        return {}
    rows = [Row(**data) for data in json.loads(file.read_text(encoding="utf-8"))]
    return {row.key: row for row in rows}


def tables(rows: Iterable[Row]) -> str:
    """The tables as markdown; empty cells were not run."""
    rows = list(rows)
    peak = sorted((r for r in rows if r.objective == "peak"), key=lambda r: r.network)
    lines = [
        "| network | arena before | after | of before | multiply-adds | groups | tiles "
        "| operations | search, passes (CPU s) |",
        "|---|-:|-:|-:|-:|-:|-:|-:|-:|",
    ]
    ratios: list[float] = []
    for row in peak:
        if row.error:
            lines.append(f"| {row.network} | {row.arena_before:,} | {_short(row)} |" + " |" * 6)
            continue
        ratios.append(row.arena / row.arena_before)
        lines.append(
            f"| {row.network} | {row.arena_before:,} | **{row.arena:,}** | {ratios[-1]:.3f} "
            f"| {row.work_ratio:.3f} | {row.groups} | {row.tiles} "
            f"| {row.operations_before:,} → {row.operations:,} "
            f"| {search_seconds(row):.1f}, {pass_seconds(row):.1f} |"
        )
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines += ["", f"Geometric mean of {len(ratios)}: {mean:.3f} of before."]
    moved = [row for row in rows if row.objective == "traffic"]
    usual = {(row.network, row.memory): row for row in moved if row.order == "optimize"}
    thorough = {(row.network, row.memory): row for row in moved if row.order == "thorough"}
    lines += _moved_table(usual) + _capacity_floors(usual) + _moved_table(thorough)
    return "\n".join(lines)


def _moved_table(moved: Mapping[tuple[str, str], Row]) -> list[str]:
    columns = [c for c in CAPACITIES if any(memory == c for _, memory in moved)]
    lines = [
        "",
        f"| network | {' | '.join(columns)} | floor |",
        "|---|" + "-:|" * (len(columns) + 1),
    ]
    for network in sorted({network for network, _ in moved}):
        mine = [moved.get((network, c)) for c in columns]
        floor = max(row.floor for row in mine if row is not None)
        cells = " | ".join(_moved_cell(row) for row in mine)
        lines.append(f"| {network} | {cells} | {floor / 1e6:.2f} |")
    return lines if columns else []


def _capacity_floors(moved: Mapping[tuple[str, str], Row]) -> list[str]:
    """What must move with so much room, and how many times as much does."""
    above = {key: row for key, row in moved.items() if row.capacity_floor and not row.error}
    columns = [c for c in CAPACITIES if any(memory == c for _, memory in above)]
    lines = ["", f"| network | {' | '.join(columns)} |", "|---|" + "-:|" * len(columns)]
    for network in sorted({network for network, _ in above}):
        rows = [above.get((network, c)) for c in columns]
        cells = [
            f"{row.capacity_floor / 1e6:.0f} ({row.traffic / row.capacity_floor:.2f})"
            if row
            else ""
            for row in rows
        ]
        lines.append(f"| {network} | {' | '.join(cells)} |")
    return lines if columns else []


def _moved_cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row.error:
        return _short(row)
    text = f"{row.traffic / 1e6:.2f}"
    return f"**{text}**" if row.traffic == row.floor else text


def _short(row: Row) -> str:
    return "too slow" if "CPU seconds" in row.error else "no plan"


def main() -> int:
    parser = argparse.ArgumentParser(description="networks split into tiles")
    add = parser.add_argument
    add("paths", nargs="*", type=Path, default=[ROOT / "examples"])
    add("--only", nargs="+", default=[], help="names of networks, in the order in which they run")
    add("--peak", action="store_true", help="measure the arena")
    add("--traffic", nargs="*", metavar="CAPACITY", help=f"measure moves; {' '.join(CAPACITIES)}")
    add("--order", choices=("optimize", "thorough"), default="optimize", help="see memplan-group")
    add("--limit", type=int, default=600, help="CPU seconds of a row: %(default)s")
    add("--json", type=Path, help="file to which rows are added")
    add("--tables", type=Path, help="print the rows of this file as markdown and stop")
    arguments = parser.parse_args()
    if arguments.tables is not None:
        print(tables(read_rows(arguments.tables).values()))
        return 0
    found = [f for p in arguments.paths for f in (sorted(p.glob("*.mlir")) if p.is_dir() else [p])]
    by_name = {file.stem: file for file in found}
    unknown = [name for name in arguments.only if name not in by_name]
    if unknown:
        parser.error(f"no network {', '.join(unknown)}; there are {', '.join(by_name)}")
    both = not arguments.peak and arguments.traffic is None
    capacities = CAPACITIES if both else ()
    if arguments.traffic is not None:
        capacities = arguments.traffic or CAPACITIES
    wanted = [("traffic", capacity) for capacity in capacities]
    if arguments.peak or both:
        wanted.insert(0, ("peak", ""))
    sys.setrecursionlimit(10_000)
    failures = 0
    for name in arguments.only or by_name:
        for objective, memory in wanted:
            row = Row(name, objective, memory, arguments.order)
            row = measure_alone(by_name[name], row, arguments.limit)
            failures += bool(row.error)
            print(describe(row), flush=True)
            if arguments.json is not None:
                rows = read_rows(arguments.json) | {row.key: row}
                text = json.dumps([asdict(rows[key]) for key in sorted(rows)], indent=1)
                arguments.json.write_text(text + "\n", encoding="utf-8")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
