"""Split graphs as JSON, with the names of the fields of `model.split_graph`."""

import json
from dataclasses import asdict
from typing import Any, cast

from xdsl_memplan.model.split_graph import (
    Access,
    Affine,
    Index,
    Indirect,
    Reshape,
    SplitGraph,
    SplitOp,
    SplitOperand,
    SplitTensor,
    Whole,
)

_NAMES: dict[type[Access], str] = {
    Affine: "affine",
    Reshape: "reshape",
    Whole: "whole",
    Indirect: "indirect",
}


def split_graph_to_json(graph: SplitGraph) -> str:
    """Write a graph; an access has its name in the field ``kind``."""
    document = asdict(graph)
    for op, written in zip(graph.ops, document["ops"], strict=True):
        for operand, entry in zip(op.operands, written["operands"], strict=True):
            entry["access"]["kind"] = _NAMES[type(operand.access)]
    return json.dumps(document)


def split_graph_from_json(text: str) -> SplitGraph:
    """Read what `split_graph_to_json` writes.

    Raises ValueError, KeyError or TypeError for anything else.
    """
    document: dict[str, Any] = json.loads(text)
    return SplitGraph(
        tuple(SplitTensor(**_tuples(tensor)) for tensor in document["tensors"]),
        tuple(_op(op) for op in document["ops"]),
        document["name"],
    )


def _op(entry: dict[str, Any]) -> SplitOp:
    operands = tuple(
        SplitOperand(item["tensor"], tuple(item["shape"]), _access(item["access"]))
        for item in entry["operands"]
    )
    fields = _tuples(entry)
    fields["operands"] = operands
    return SplitOp(**fields)


def _access(entry: dict[str, Any]) -> Access:
    match entry["kind"]:
        case "affine":
            return Affine(tuple(Index(**_tuples(index)) for index in entry["indices"]))
        case "reshape":
            return Reshape(_tuple(entry["groups"]))
        case "whole":
            return Whole()
        case "indirect":
            return Indirect(entry.get("distinct", 0))
        case kind:
            raise ValueError(f"unknown access {kind!r}")


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: _tuple(value) for key, value in entry.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, cast(list[Any], value))) if isinstance(value, list) else value
