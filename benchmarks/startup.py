"""What this package adds to a start of xdsl-opt: CPU milliseconds, median of fresh processes.

    python benchmarks/startup.py [--repeat 20]

The first line is what everybody pays who has the package installed; the target is below 20 ms. The
second is paid once by a run whose input has linalg operations.
"""

import argparse
import statistics
import subprocess
import sys

MEASURE = """
import time, importlib.metadata
import xdsl.universe
{before}
start = time.process_time_ns()
{measured}
print((time.process_time_ns() - start) / 1e6)
"""

CASES = {
    "importing the universe module": ("", "import xdsl_memplan.universe"),
    "stock linalg alone": ("", "xdsl.universe.XDSL_UNIVERSE.all_dialects['linalg']()"),
    "linalg with our additions": (
        "import xdsl_memplan.universe",
        "xdsl.universe.XDSL_UNIVERSE.all_dialects['linalg']()",
    ),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    for name, (before, measured) in CASES.items():
        script = MEASURE.format(before=before, measured=measured)
        times = [
            float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(repeat)
        ]
        print(f"{name:32} {statistics.median(times):7.2f} ms")


if __name__ == "__main__":
    main()
