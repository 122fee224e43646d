"""Check that stock xdsl-opt, with this package installed, reads and writes networks.

For every file: parse, verify and print with xdsl-opt; have mlir-opt read source and print, and
compare what it understood; parse the print again and compare. Prints a table; exits with 1 if a
file fails.

    python benchmarks/read_networks.py [FOLDER or FILES...]     (default: examples/)
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BINARIES = Path(sys.executable).parent


def run(command: list[str], source: str) -> tuple[str, str, float]:
    """Output, last line of the error (empty: success) and user CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = subprocess.run(command, input=source, capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    error = (result.stderr.strip().splitlines() or ["failed"])[-1] if result.returncode else ""
    return result.stdout, error, seconds


def check(path: Path, mlir_opt: str | None) -> tuple[str, float]:
    """First failure (or "ok") and the CPU seconds of the first xdsl-opt."""
    xdsl_opt = str(BINARIES / "xdsl-opt")
    printed, error, seconds = run([xdsl_opt], path.read_text())
    if error:
        return f"xdsl-opt: {error}", seconds
    if mlir_opt is not None:
        understood, error, _ = run([mlir_opt], printed)
        if error:
            return f"mlir-opt: {error}", seconds
        if understood != run([mlir_opt], path.read_text())[0]:
            return "mlir-opt understands something else", seconds
    again, error, _ = run([xdsl_opt], printed)
    if error:
        return f"xdsl-opt, second time: {error}", seconds
    if again != printed:
        return "xdsl-opt prints something else the second time", seconds
    return "ok", seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "examples"])
    arguments = parser.parse_args()
    mlir_opt = os.environ.get("XDSL_MLIR_OPT") or shutil.which("mlir-opt-22")
    if mlir_opt is None:
        print("mlir-opt-22 is not here: whether it accepts what is printed is not checked")
    files = [f for p in arguments.paths for f in (sorted(p.glob("*.mlir")) if p.is_dir() else [p])]
    failures = 0
    for path in files:
        verdict, seconds = check(path, mlir_opt)
        failures += verdict != "ok"
        print(f"{path.stem:32} {seconds:6.2f} s  {verdict}", flush=True)
    print(f"{len(files) - failures} of {len(files)} files")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
