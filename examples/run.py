"""Plans a network with the stock xdsl-opt and says what that is worth.

python examples/run.py examples/resnet50.mlir
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from xdsl_memplan.formats.byte_size import format_byte_size
from xdsl_memplan.tools.benchmark.peers.executable import executable

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "benchmarks" / "upstream_memory.json"
PIPELINE = "memplan-pipeline{summary=true}"


def main() -> int:
    parser = argparse.ArgumentParser(description="plan a network with the stock xdsl-opt")
    parser.add_argument("network", type=Path, help="linalg on tensors, as torch-mlir prints it")
    parser.add_argument("-o", "--output", type=Path, help="default: build/NAME.planned.mlir")
    arguments = parser.parse_args()
    network: Path = arguments.network
    output: Path = arguments.output or ROOT / "build" / f"{network.stem}.planned.mlir"
    output.parent.mkdir(parents=True, exist_ok=True)
    command = [executable("xdsl-opt"), str(network), "-p", PIPELINE, "-o", str(output)]
    print(" ".join(command[:2]), "-p", f"'{PIPELINE}'", "-o", output, flush=True)
    done = subprocess.run(command, check=False)
    if done.returncode:
        return done.returncode
    upstream = json.loads(MEASURED.read_text(encoding="utf-8")).get(network.stem)
    if upstream:
        freed = format_byte_size(upstream["stock"])
        kept = format_byte_size(upstream["deallocated"])
        print(
            f"MLIR's own one-shot bufferization needs {kept} for the same network, {freed} if every"
        )
        print("allocation is freed right after its last use (benchmarks/upstream_memory.py).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
