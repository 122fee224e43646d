"""What mlir-opt has bufferized and freed, planned by LLVM's rule and by ours."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NETWORK = """
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.matmul ins(%a, %w : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%b, %w : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
"""


@pytest.mark.needs_mlir
def test_three_products(tmp_path: Path):
    """Three buffers of 16 KiB, two of which live at a time."""
    file = tmp_path / "products.mlir"
    file.write_text(NETWORK)
    script = ROOT / "benchmarks" / "upstream_planner.py"
    result = subprocess.run([sys.executable, script, file], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "| products | 3 | 49152 | 32768 | 32768 | 32768 |"
