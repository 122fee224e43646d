"""Where in a JSON text an entry of a top-level list stands: `json` forgets that while reading."""

import re
from json.decoder import JSONDecoder

_SPACE = re.compile(r"[ \t\n\r]*")


def line_and_column(text: str, key: str, index: int) -> tuple[int, int]:
    """Return line and column, both from 1, of entry ``index`` of the list ``key`` of an object.

    Where the object has no such entry, of the last place that there is: the list, or the object.
    As in `json.load`, the last of equal keys counts. ``text`` is valid JSON.
    Complexity: O(characters).
    """
    at = _entry(text, key, index)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _entry(text: str, key: str, index: int) -> int:
    begin = at = _skip(text, 0)
    if text[at] != "{":
        return begin
    for name, value in _members(text, at):
        if name == key:
            at = value
    if at == begin or text[at] != "[":
        return at
    begin, at = at, _skip(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return at
        index -= 1
        at = _after(text, at)
    return begin


def _members(text: str, at: int) -> list[tuple[str, int]]:
    """The keys of the object at a position, and where their values stand."""
    found: list[tuple[str, int]] = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, end = JSONDecoder().raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        found.append((name, value))
        at = _after(text, value)
    return found


def _after(text: str, at: int) -> int:
    """Where the next entry stands, or the bracket that closes the list."""
    at = _skip(text, JSONDecoder().raw_decode(text, at)[1])
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
