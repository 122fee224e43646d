"""The list of operations is that of `Operation.walk`."""

import pytest
from xdsl.parser import Parser

from tests.transforms.tangled_programs import tangled_program
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.native.context import full_context

BLOCKS = """
func.func @f(%c: i1) -> i1 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %a = arith.constant true
  func.return %a : i1
^bb2:
  func.return %c : i1
}
"""


@pytest.mark.parametrize("text", [BLOCKS, *map(tangled_program, range(5))])
def test_as_walk(text: str):
    module = Parser(full_context(), text).parse_module()
    assert operations_in(module) == list(module.walk())
