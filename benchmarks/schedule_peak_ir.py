"""Arena bytes of networks in MLIR: order of the file beside the order of least peak.

    python benchmarks/schedule_peak_ir.py [FILE.mlir ...]

The same passes and planner for both, `memplan-pipeline` with `objective=none` and `objective=peak`.
Ends with an error if the order of least peak ever needs more.
"""

import argparse
import sys
from pathlib import Path

from arena_bytes import plan_network
from upstream_memory import network_files

from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


def main() -> None:
    parser = argparse.ArgumentParser(description="arena bytes: file order, least peak")
    parser.add_argument("files", nargs="*", type=Path)
    files: list[Path] = parser.parse_args().files
    worse: list[str] = []
    print(
        "| network | file order, bytes | least peak, bytes | less | file order, s | least peak, s |"
    )
    print("|---|-:|-:|-:|-:|-:|")
    for path in network_files(files):
        text = path.read_text(encoding="utf-8")
        try:
            before, after = (
                plan_network(text, MemplanPipelinePass(objective=objective))
                for objective in ("none", "peak")
            )
        except ValueError as error:
            print(f"{path.stem}: {error}")
            continue
        less = 1 - after.arena / before.arena if before.arena else 0.0
        if after.arena > before.arena:
            worse.append(path.stem)
        print(
            f"| {path.stem} | {before.arena:,} | {after.arena:,} | {less:.1%}"
            f" | {before.pass_seconds:.2f} | {after.pass_seconds:.2f} |",
            flush=True,
        )
    print("never more" if not worse else "MORE: " + ", ".join(worse))
    sys.exit(bool(worse))


if __name__ == "__main__":
    main()
