"""Methods of stock linalg classes that are wrong in xDSL 0.75, replaced by right ones.

| class                | stock xDSL 0.75                                         | here           |
|----------------------|---------------------------------------------------------|----------------|
| generic              | does not read several results, `-> (type, type)`        | reads them     |
| all named operations | prints attributes as `attrs =`, which MLIR does not read | in front       |
| matmul               | does not print its `indexing_maps`: a wrong program     | reads, prints  |
| transpose, broadcast | drop attributes                                         | read, print    |
| reduce               | drops attributes; does not read `{ arith.addf }`        | reads, prints  |
|                      | does not read several operands and results              | reads a generic |
|                      | refuses a sum that is wider than what it adds up        | takes it       |
| conv, matmul         | AssertionError for bf16 inputs and f32 output           | casts          |
| conv, pooling        | refuse an operation without strides or dilations        | they are 1     |
| fill                 | refuses indices and complex numbers                     | reads them     |
| pooling_nchw_max     | body takes the maximum with the window                  | with the output |
| copy                 | body does not cast                                      | casts          |
| index                | in generic only                                         | in map, reduce |
"""

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    ShapedType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops
from xdsl.dialects.linalg.abstract_ops import ConvOperation, NamedOperation, PoolingOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, OpTraits, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import PropertyDef
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from xdsl_memplan.dialects.linalg_additions import bodies
from xdsl_memplan.dialects.linalg_additions.bodies import Body
from xdsl_memplan.dialects.linalg_additions.indexing import iterators_of, map_without
from xdsl_memplan.dialects.linalg_additions.map import MapOp
from xdsl_memplan.dialects.linalg_additions.short_body import parse_short_body
from xdsl_memplan.dialects.linalg_additions.syntax import (
    parse_named,
    parse_operands,
    parse_result_types,
    print_named,
    print_operands,
)


@cache
def correct() -> None:
    """Replace the methods in the stock classes; a second call has no effect."""
    _replace(NamedOperation, "parse", classmethod(parse_named))
    _replace(NamedOperation, "print", print_named)
    for op_class, body in (
        (ConvOperation, bodies.multiply_add),
        (ops.MatmulOp, bodies.multiply_add),
        (ops.PoolingNchwMaxOp, bodies.pooling(bodies.maximum)),
        (ops.CopyOp, bodies.copy),
        (ops.FillOp, bodies.copy),
    ):
        _replace(op_class, "get_hidden_region", _hidden_region(body))
    _replace(ops.FillOp, "verify_", _verify_fill)
    _accept_missing_steps()
    _replace(ops.GenericOp, "parse", classmethod(_parse_generic))
    for on_dimensions in (ops.TransposeOp, ops.BroadcastOp, ops.ReduceOp):
        _replace(on_dimensions, "parse", classmethod(_parse_on_dimensions))
        _replace(on_dimensions, "print", _print_on_dimensions)
    _replace(ops.ReduceOp, "verify_", _verify_reduce)
    traits = OpTraits(lambda: (HasParent(ops.GenericOp, ops.ReduceOp, MapOp),))
    ops.IndexOp.get_irdl_definition().traits = traits
    _replace(ops.IndexOp, "traits", traits)


def _replace(op_class: type, method: str, value: object) -> None:
    setattr(op_class, method, value)


def _accept_missing_steps() -> None:
    """Let strides and dilations be 1 where they are not given, in the stock classes."""
    ones = DenseIntElementsAttr.from_list(TensorType(i64, (2,)), (1, 1))
    for op_class in (*ConvOperation.__subclasses__(), *PoolingOperation.__subclasses__()):
        properties = op_class.get_irdl_definition().properties
        for name in ("strides", "dilations"):
            properties[name] = PropertyDef(properties[name].constr, ones)


def _verify_fill(op: ops.FillOp) -> None:
    if any(isinstance(value.type, ShapedType) for value in op.inputs):
        raise VerifyException("linalg.fill takes a scalar in ins")


def _hidden_region(body: Body) -> object:
    def get_hidden_region(inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return bodies.region_of(body, (*inputs, *outputs))

    return staticmethod(get_hidden_region)


def _parse_generic(cls: type[ops.GenericOp], parser: Parser) -> ops.GenericOp:
    """`linalg.generic {trait} ins(...) outs(...) attrs = {...} {body} -> result types`."""
    position = parser.pos
    trait = dict(parser.parse_optional_attr_dict())
    inputs = parse_operands(parser, "ins")
    outputs = parse_operands(parser, "outs")
    if parser.parse_optional_keyword("attrs") is not None:
        parser.parse_punctuation("=")
        trait |= parser.parse_optional_attr_dict()
    body = parser.parse_region()
    result_types = parse_result_types(parser)
    names = ("indexing_maps", "iterator_types", "doc", "library_call")
    properties = {name: trait.pop(name) for name in names if name in trait}
    iterators = properties.get("iterator_types")
    if not isa(iterators, ArrayAttr[Attribute]) or "indexing_maps" not in properties:
        parser.raise_error("expected indexing_maps and iterator_types", position)
    properties["iterator_types"] = ArrayAttr(_iterator_type(parser, kind) for kind in iterators)
    return cls.build(
        operands=(inputs, outputs),
        result_types=(result_types,),
        properties=properties,
        attributes=trait,
        regions=(body,),
    )


def _iterator_type(parser: Parser, kind: Attribute) -> Attribute:
    if not isinstance(kind, StringAttr):
        return kind
    try:
        return IteratorTypeAttr(IteratorType(kind.data))
    except ValueError:
        parser.raise_error(f"{kind} is no iterator type: parallel, reduction or window")


OnDimensions = ops.TransposeOp | ops.BroadcastOp | ops.ReduceOp


def _parse_on_dimensions(cls: type[OnDimensions], parser: Parser) -> OnDimensions | ops.GenericOp:
    """`ins(...) outs(...) dimensions = [...] {attributes}`, and the body of a reduction.

    The class of a reduction has room for one operand, so that one of several is a generic.
    """
    payload = parse_short_body(parser) if cls is ops.ReduceOp else None
    position = parser.pos
    inputs = parse_operands(parser, "ins")
    outputs = parse_operands(parser, "outs")
    reduces_several = cls is ops.ReduceOp and len(inputs) == len(outputs) > 1 and payload is None
    if (len(inputs), len(outputs)) != (1, 1) and not reduces_several:
        parser.raise_error(f"{cls.name} takes one operand in ins and in outs", position)
    keyword = _dimensions_of(cls)
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")
    dimensions = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    attributes = parser.parse_optional_attr_dict()
    operands = (inputs[0], outputs[0])
    if payload is not None:
        # The operation takes what there is so far first.
        region = bodies.region_of(lambda args: payload(args[::-1], args[1].type), operands)
    elif cls is ops.ReduceOp:
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        region = parser.parse_region(arguments)
    else:
        region = bodies.region_of(bodies.copy, operands)
    types = [value.type for value in outputs if isa(value.type, TensorType)]
    if reduces_several:
        generic = _several_reductions(parser, position, (inputs, outputs), dimensions, region)
        generic.attributes |= attributes
        return generic
    return cls.build(
        operands=[inputs, outputs] if cls is ops.TransposeOp else operands,
        result_types=[types],
        properties={keyword: DenseArrayBase.from_list(i64, dimensions)},
        attributes=attributes,
        regions=[region],
    )


def _verify_reduce(op: ops.ReduceOp) -> None:
    """What is summed up and the sum may have elements of different types, which the body takes."""
    op.get_irdl_definition().verify(op)
    input_, init = op.input.type, op.init.type
    assert isinstance(input_, ShapedType)
    assert isinstance(init, ShapedType)
    shape, dimensions = input_.get_shape(), op.dimensions.get_values()
    if not set(dimensions) <= set(range(len(shape))) or len({*dimensions}) < len(dimensions):
        raise VerifyException(
            f"dimensions must be different ones from 0 to {len(shape) - 1}, not {list(dimensions)}"
        )
    left = tuple(size for d, size in enumerate(shape) if d not in dimensions)
    if left != init.get_shape():
        raise VerifyException(
            f"what is left of {shape} without {list(dimensions)} is {left}, not {init.get_shape()}"
        )
    elements = [get_element_type_or_self(type_) for type_ in (op.input.type, op.init.type)]
    if [argument.type for argument in op.region.block.args] != elements:
        raise VerifyException(f"the body takes {elements[0]} and {elements[1]}")


def _several_reductions(
    parser: Parser,
    position: int,
    operands: tuple[Sequence[SSAValue], Sequence[SSAValue]],
    dimensions: Sequence[int],
    body: Region,
) -> ops.GenericOp:
    """The generic operation that reduces tensors together, such as numbers and their places."""
    inputs, outputs = operands
    shapes = [value.type.get_shape() for value in inputs if isinstance(value.type, ShapedType)]
    if len(set(shapes)) != 1 or len(shapes) != len(inputs):
        parser.raise_error("linalg.reduce takes operands of one shape in ins", position)
    rank = len(shapes[0])
    if not set(dimensions) <= set(range(rank)):
        parser.raise_error(f"linalg.reduce takes dimensions from 0 to {rank - 1}", position)
    written = map_without(rank, dimensions)
    maps = [AffineMap.identity(rank)] * len(inputs) + [written] * len(outputs)
    return ops.GenericOp(
        inputs,
        outputs,
        body,
        [AffineMapAttr(map_) for map_ in maps],
        iterators_of(written).data,
        [value.type for value in outputs if isa(value.type, TensorType)],
    )


def _print_on_dimensions(op: OnDimensions, printer: Printer) -> None:
    """Print what `_parse_on_dimensions` reads."""
    print_operands(printer, "ins", [op.operands[0]])
    print_operands(printer, "outs", [op.operands[1]])
    keyword = _dimensions_of(type(op))
    dimensions = op.properties[keyword]
    assert isinstance(dimensions, DenseArrayBase)
    printer.print_string(f" {keyword} = ")
    with printer.in_square_brackets():
        printer.print_list(dimensions.get_values(), lambda value: printer.print_string(str(value)))
    if op.attributes:
        printer.print_op_attributes(op.attributes)
    if isinstance(op, ops.ReduceOp):
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(op.region.block.args, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(op.region, print_entry_block_args=False)


def _dimensions_of(op_class: type[OnDimensions]) -> str:
    return "permutation" if op_class is ops.TransposeOp else "dimensions"
