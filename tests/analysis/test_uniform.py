"""Which constants are the same scalar everywhere, by their bits."""

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.parser import Parser
from xdsl.universe import Universe

from xdsl_memplan.analysis.uniform import Uniforms
from xdsl_memplan.native.context import full_context


def constant(text: str) -> ConstantOp:
    module = Parser(full_context(), f"%c = arith.constant {text}").parse_module()
    op = module.body.block.first_op
    assert isinstance(op, ConstantOp)
    return op


@pytest.mark.parametrize(
    ("text", "scalar"),
    [
        ("dense<1.5> : tensor<4xf32>", "1.500000e+00 : f32"),
        ("dense<[-0.0, -0.0]> : tensor<2xf32>", "-0.000000e+00 : f32"),
        ("dense<[7, 7, 7]> : tensor<3xi8>", "7 : i8"),
        ("dense<true> : tensor<2xi1>", "true"),
    ],
)
def test_one_element(text: str, scalar: str):
    found = Uniforms().of(constant(text).result)
    assert found is not None
    assert f"{found.scalar}" == scalar


@pytest.mark.parametrize(
    "text",
    [
        "dense<[0.0, -0.0]> : tensor<2xf32>",
        "dense<[1, 2]> : tensor<2xi8>",
        "dense<> : tensor<0xf32>",
        "dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>",
    ],
)
def test_none(text: str):
    assert Uniforms().of(constant(text).result) is None


@pytest.mark.parametrize("type_", ["tensor<0xf32>", "tensor<4xcomplex<f32>>"])
def test_constants_that_are_no_scalar_go_through_all_passes(type_: str):
    value = "dense<>" if "0x" in type_ else "dense<(1.0, 2.0)>"
    text = f"""func.func @main() -> {type_} {{
      %c = arith.constant {value} : {type_}
      func.return %c : {type_}
    }}"""
    context = full_context()
    module = Parser(context, text).parse_module()
    Universe.get_multiverse().all_passes["memplan-pipeline"]()().apply(context, module)
    assert "memref.global" in f"{module}"
