"""Ends `xdsl-opt` with one message where a user's mistake would end it with a traceback.

xDSL lets the exception of a pass, and that of a wrong option, leave the program. What is at fault
then stands under dozens of lines of Python. In the program `xdsl-opt`, and nowhere else, such an
exception that comes from our passes is written as its message. `XDSL_MEMPLAN_TRACEBACK=1` brings
the traceback back; other exceptions, which are somebody's bug, always have it.
"""

import os
import sys
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

_PACKAGE = "xdsl_memplan."
_SPEC_METHODS = ("from_spec", "from_pass_spec")


def install() -> None:
    """Write messages instead of tracebacks; for the program xdsl-opt only."""
    if os.environ.get("XDSL_MEMPLAN_TRACEBACK"):
        return
    otherwise = sys.excepthook

    def report(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        message = _message(error, traceback)
        if message is None:
            otherwise(kind, error, traceback)
        else:
            sys.stderr.write(f"error: {message}\n")

    sys.excepthook = report


def _message(error: BaseException, traceback: TracebackType | None) -> str | None:
    """What to say about an exception; None if it is not for us to say."""
    from xdsl.utils.exceptions import DiagnosticException

    for frame in _frames(traceback):
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(_PACKAGE) and isinstance(error, DiagnosticException):
            # What xDSL verifies shows the IR in notes.
            return "\n".join([str(error), *getattr(error, "__notes__", ())])
        owner = frame.f_locals.get("cls")
        ours = str(getattr(owner, "__module__", "")).startswith(_PACKAGE)
        if ours and frame.f_code.co_name in _SPEC_METHODS and isinstance(error, ValueError):
            return _wrong_option(owner, frame.f_locals.get("spec")) or str(error)
    return None


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _wrong_option(owner: Any, spec: Any) -> str | None:
    """Name the option of a pass or target that cannot be, and what would do."""
    from dataclasses import fields
    from typing import get_args, get_type_hints

    from xdsl.utils.hints import isa

    hints = get_type_hints(owner)
    known = [field.name for field in fields(owner) if field.name != "name"]
    for option, values in getattr(spec, "parameters", {}).items():
        name = option.replace("-", "_")
        if name not in known:
            listed = ", ".join(sorted(n.replace("_", "-") for n in known)) or "none"
            return f"{owner.name} has no option {option}; its options are {listed}"
        expected = hints[name]
        if isa(values, expected) or (len(values) == 1 and isa(values[0], expected)):
            continue
        where = f"{owner.name}: option {option.replace('_', '-')}"
        given = ",".join(map(str, values))
        choices = [str(choice) for choice in get_args(expected) if isinstance(choice, str)]
        if choices:
            return f"{where}: unknown '{given}'; known are {', '.join(choices)}"
        return f"{where}: '{given}' is not {_in_words(expected)}"
    return None


def _in_words(expected: Any) -> str:
    words: dict[Any, str] = {
        int: "an integer",
        int | float: "a number such as 1.5",
        bool: "true or false",
    }
    return words.get(expected, str(expected))
