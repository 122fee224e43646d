"""`dialects/memplan.irdl.mlir` states the dialect of `xdsl_memplan/dialects/memplan.py`."""

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.irdl import (
    IRDL,
    AttributeOp,
    AttributesOp,
    DialectOp,
    OperandsOp,
    OperationOp,
    ParametersOp,
    RegionsOp,
    ResultsOp,
)
from xdsl.ir import Operation, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, OptAttributeDef
from xdsl.parser import Parser

from xdsl_memplan.dialects.memplan import Memplan

PATH = Path(__file__).parent.parent.parent / "dialects" / "memplan.irdl.mlir"
TEXT = PATH.read_text()


def parse() -> DialectOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(IRDL)
    [dialect] = Parser(context, TEXT, str(PATH)).parse_module().body.ops
    assert isinstance(dialect, DialectOp)
    return dialect


DIALECT = parse()


def children(parent: Operation, kind: type[Operation]) -> list[Operation]:
    return [op for op in parent.regions[0].block.ops if isinstance(op, kind)]


def named(kind: type[OperationOp] | type[AttributeOp], name: str) -> Operation:
    [found] = [op for op in children(DIALECT, kind) if op.sym_name.data == name]
    return found


def value_names(op: Operation, *clauses: type[Operation]) -> list[str]:
    """Names of the operands, results, parameters or attributes that the clauses list."""
    names: list[str] = []
    for kind in clauses:
        for clause in children(op, kind):
            attribute = clause.get_attr_or_prop(
                "attribute_value_names" if isinstance(clause, AttributesOp) else "names"
            )
            names += [name.data for name in attribute]
    return names


def test_dialect_name():
    assert DIALECT.sym_name.data == Memplan.name


def test_same_operations():
    ours = {op.name.removeprefix("memplan.") for op in Memplan.operations}
    assert {op.sym_name.data for op in children(DIALECT, OperationOp)} == ours


def test_same_attributes():
    ours = {attribute.name.removeprefix("memplan.") for attribute in Memplan.attributes}
    assert {op.sym_name.data for op in children(DIALECT, AttributeOp)} == ours


@pytest.mark.parametrize("attribute", list(Memplan.attributes), ids=lambda a: a.name)
def test_same_parameters(attribute: type[ParametrizedAttribute]):
    ours = attribute.get_irdl_definition().parameters
    op = named(AttributeOp, attribute.name.removeprefix("memplan."))
    assert value_names(op, ParametersOp) == [name for name, _ in ours]
    for value, (name, parameter) in zip(children(op, ParametersOp)[0].operands, ours, strict=True):
        [base] = parameter.constr.get_bases() or {None}
        assert base is not None, name
        assert value.owner.base_name.data == f"#builtin.{base.name.removeprefix('builtin.')}", name


@pytest.mark.parametrize("operation", list(Memplan.operations), ids=lambda op: op.name)
def test_same_operation(operation: type[IRDLOperation]):
    ours = operation.get_irdl_definition()
    op = named(OperationOp, operation.name.removeprefix("memplan."))
    assert value_names(op, OperandsOp) == [name for name, _ in ours.operands]
    assert value_names(op, ResultsOp) == [name for name, _ in ours.results]
    assert value_names(op, RegionsOp) == [name for name, _ in ours.regions]
    assert not ours.properties, "IRDL has no properties"
    required = {name for name, a in ours.attributes.items() if not isinstance(a, OptAttributeDef)}
    # mlir-opt asks by itself for the sizes of operands of which there may be none or several.
    assert set(value_names(op, AttributesOp)) == required - {"operandSegmentSizes"}
    # IRDL cannot say that an attribute is optional; a comment in front of the operation does.
    comment = re.search(rf"// Optional: (.*)\n  irdl.operation @{op.sym_name.data} ", TEXT)
    optional = ours.attributes.keys() - required
    assert (comment is not None) == bool(optional)
    for name in optional:
        assert comment is not None
        assert re.search(rf"\b{name}\b", comment[1]), name
