"""The example of a foreign dialect on tensors does what it says."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "embed_tensors.py"


def test_it_is_planned_and_works_in_place():
    result = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    # Of four operations `scale` works in place, so two buffers at a time are enough.
    assert "size 8192" in result.stdout
    assert result.stdout.count("npu.mix") == 3
    assert "tensor<" not in result.stdout
