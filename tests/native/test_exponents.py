"""Powers with integer exponents of any width are compiled."""

from pathlib import Path

import numpy as np
import pytest

from xdsl_memplan.native.compile import compile_module
from xdsl_memplan.native.run import call
from xdsl_memplan.native.values import ArrayType


@pytest.mark.needs_mlir
def test_powers(tmp_path: Path):
    text = """
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>, %n: tensor<4xi64>, %m: tensor<4xi8>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
      %three = arith.constant dense<3> : tensor<4xi64>
      %k = arith.extsi %m : tensor<4xi8> to tensor<4xi32>
      %0 = math.fpowi %x, %three : tensor<4xf32>, tensor<4xi64>
      %1 = math.fpowi %x, %m : tensor<4xf32>, tensor<4xi8>
      %2 = math.fpowi %x, %k : tensor<4xf32>, tensor<4xi32>
      %3 = math.fpowi %y, %n : tensor<4xf64>, tensor<4xi64>
      return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
    }"""
    x, y = np.array([1.5, -2, 3, 0.5], np.float32), np.array([1.5, -2, 3, 0.5])
    n, m = np.array([0, 1, -2, 5]), np.array([2, 3, -1, 0], np.int8)
    expected = (x**3, x**m, x**m, y**n)
    types = [ArrayType((4,), type_) for type_ in ("f32", "f32", "f32", "f64")]
    # Arguments may be written over.
    found = call(compile_module(text, tmp_path), "main", [x, y, n, m], types)
    for made, power in zip(found, expected, strict=True):
        np.testing.assert_allclose(made, power, rtol=1e-6)
