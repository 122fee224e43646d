"""Operator graphs as JSON.

```json
{"name": "...",
 "tensors": [{"id": "x", "bytes": 64, "kind": "input"}, ...],
 "ops": [{"name": "conv", "op": "aten.conv2d", "inputs": ["x"], "outputs": ["y"]}, ...],
 "outputs": ["y"]}
```

``kind`` is ``input``, ``parameter``, ``activation`` (as is what has none) or ``output``; an
activation that is listed in ``outputs`` is an output. The order of ``ops`` is the given order.
"""

from collections.abc import Iterator
from typing import Any, TextIO, cast

from xdsl_memplan.formats.errors import FormatError
from xdsl_memplan.formats.json_document import read_json
from xdsl_memplan.formats.json_position import line_and_column
from xdsl_memplan.model.graph import Graph, Operator, Tensor

_KINDS = ("input", "parameter", "activation", "output")


def read_graph(stream: TextIO, name: str = "<input>") -> Graph:
    """Read a graph.

    Raises FormatError with line and column, which names the operator or tensor.
    """
    text, document = read_json(stream, name)
    reader = _Reader(name, text)
    document = reader.mapping(document, "the document")
    reader.at = ("outputs", 0)
    listed_outputs = reader.strings(document, "outputs", "the document")
    outputs = set(listed_outputs)
    position: dict[str, int] = {}
    tensors: list[Tensor] = []
    for item in reader.items(document, "tensors"):
        tensor = reader.tensor(item, outputs)
        if tensor.id in position:
            raise reader.error(f"tensor id '{tensor.id}' comes twice")
        position[tensor.id] = len(tensors)
        tensors.append(tensor)
    for i, output in enumerate(listed_outputs):
        reader.at = ("outputs", i)
        if output not in position:
            raise reader.error(f"output '{output}' is no tensor")
    operators: list[Operator] = []
    seen: set[str] = set()
    for item in reader.items(document, "ops"):
        operator = reader.operator(item, position)
        for made in (tensors[t] for t in operator.outputs if tensors[t].is_source):
            where = f"operator '{operator.id}' makes '{made.id}'"
            raise reader.error(f"{where}, which is there from the start: its kind is {made.kind}")
        if operator.id in seen:
            raise reader.error(f"operator name '{operator.id}' comes twice")
        seen.add(operator.id)
        operators.append(operator)
    title = document.get("name", "")
    return Graph(operators, tensors, name=title if isinstance(title, str) else "")


class _Reader:
    """Takes a document apart and says where it is not as it should be."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self.at: tuple[str, int] = ("", 0)
        """The list and the entry of it that is being read."""

    def error(self, reason: str) -> FormatError:
        line, column = line_and_column(self._text, *self.at)
        return FormatError(self._name, line, column, reason)

    def mapping(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(f"{where} is not a JSON object")
        return cast(dict[str, Any], value)

    def items(self, document: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
        value = document.get(key)
        self.at = (key, 0)
        if not isinstance(value, list):
            raise self.error(f"the document has no list '{key}'")
        for i, item in enumerate(cast(list[Any], value)):
            self.at = (key, i)
            yield self.mapping(item, f"entry {i} of '{key}'")

    def strings(self, item: dict[str, Any], key: str, where: str) -> list[str]:
        value = item.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(entry, str) for entry in cast(list[Any], value)
        ):
            raise self.error(f"{where}: '{key}' is not a list of names")
        return cast(list[str], value)

    def text(self, item: dict[str, Any], key: str, where: str) -> str:
        value = item.get(key)
        if not isinstance(value, str):
            raise self.error(f"{where} has no '{key}'")
        return value

    def tensor(self, item: dict[str, Any], outputs: set[str]) -> Tensor:
        identifier = self.text(item, "id", "a tensor")
        size = item.get("bytes")
        if not isinstance(size, int) or isinstance(size, bool):
            raise self.error(f"tensor '{identifier}': bytes {size!r} is not an integer")
        if not 0 <= size < 2**63:
            raise self.error(f"tensor '{identifier}': {size} bytes is not in 0 .. 2^63 - 1")
        kind = item.get("kind", "activation")
        if kind not in _KINDS:
            known = ", ".join(_KINDS)
            raise self.error(f"tensor '{identifier}': unknown kind {kind!r}; known: {known}")
        is_result = identifier in outputs and kind == "activation"
        return Tensor(identifier, size, "output" if is_result else kind)

    def operator(self, item: dict[str, Any], position: dict[str, int]) -> Operator:
        name = self.text(item, "name", "an operator")
        where = f"operator '{name}'"

        def tensors(key: str) -> tuple[int, ...]:
            names = self.strings(item, key, where)
            for unknown in (n for n in names if n not in position):
                raise self.error(f"{where}: there is no tensor '{unknown}'")
            return tuple(position[n] for n in names)

        kind = item.get("op", "")
        return Operator(name, tensors("inputs"), tensors("outputs"), str(kind))
