"""What mlir-opt has bufferized and freed, planned by LLVM's rule and by ours."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CHAIN = """
func.func @main(%x: memref<64x64xf32>) {
  %a = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%a : memref<64x64xf32>)
  %b = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%a : memref<64x64xf32>) outs(%b : memref<64x64xf32>)
  %c = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%b : memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  linalg.exp ins(%c : memref<64x64xf32>) outs(%x : memref<64x64xf32>)
  return
}
"""


@pytest.mark.needs_mlir
def test_a_chain_of_three(tmp_path: Path):
    """Three buffers of 16 KiB, two of which live at a time."""
    file = tmp_path / "chain.mlir"
    file.write_text(CHAIN)
    script = ROOT / "benchmarks" / "upstream_planner.py"
    result = subprocess.run([sys.executable, script, file], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "| chain | 3 | 49152 | 32768 | 32768 | 32768 |"
