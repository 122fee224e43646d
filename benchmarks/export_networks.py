"""The problems of the networks, as the pipeline makes them: writes benchmarks/data/networks/*.csv.

    python benchmarks/export_networks.py [FILE.mlir ...]

Each is what `memplan-assign-offsets` is given by `memplan-pipeline` with its defaults, without ids.
"""

import io
import sys
from pathlib import Path

from rich.progress import track
from upstream_memory import network_files
from xdsl.parser import Parser

from xdsl_memplan.native.context import full_context
from xdsl_memplan.targets.memplan_csv import MemplanCsvTarget
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass
from xdsl_memplan.transforms.resting_collector import resting_collector

FOLDER = Path(__file__).parent / "data" / "networks"


def export(path: Path) -> str:
    """Return the problem of one network as CSV, one buffer a line, numbered."""
    context = full_context()
    module = Parser(context, path.read_text(encoding="utf-8"), path.name).parse_module()
    with resting_collector():
        for stage in MemplanPipelinePass().passes():
            if stage.name == "memplan-assign-offsets":
                break
            stage.apply(context, module)
    text = io.StringIO()
    MemplanCsvTarget().emit(context, module, text)
    head, *rows = text.getvalue().splitlines()
    numbered = (f"{i},{row.partition(',')[2]}" for i, row in enumerate(rows))
    return "\n".join([head, *numbered]) + "\n"


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]] or network_files([])
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in track(files, "exporting"):
        (FOLDER / f"{path.stem}.csv").write_text(export(path), encoding="utf-8")


if __name__ == "__main__":
    main()
