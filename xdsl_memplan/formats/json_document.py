"""JSON from a file, with the place of what is none."""

import json
from typing import Any, TextIO

from xdsl_memplan.formats.errors import FormatError


def read_json(stream: TextIO, name: str) -> tuple[str, Any]:
    """Read a file: its text, for the places of what is wrong in it, and the document.

    Raises FormatError with line and column of what is no JSON.
    """
    try:
        text = stream.read()
        return text, json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(name, error.lineno, error.colno, f"not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FormatError(name, 1, 1, "lists within lists without end") from error
    except ValueError as error:
        # Bytes that are no text, and integers of thousands of digits.
        raise FormatError(name, 1, 1, f"not JSON: {error}") from error
