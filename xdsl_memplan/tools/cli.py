"""The command `memplan`: subcommands live in modules of their own, imported when they are asked for."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

_COMMANDS = {
    "plan": "offsets for the buffers of a CSV file",
}
"""Name of each subcommand and its line of help; its module has `configure(parser)` and `run(arguments) -> int`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status (0: done, 1: the user can mend it, 130: Ctrl-C)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="memplan", description="Static memory planning: offsets, orders, spills."
    )
    subparsers = parser.add_subparsers(title="commands", dest="command", required=True)
    for name, summary in _COMMANDS.items():
        command = subparsers.add_parser(name, help=summary, description=summary)
        if name in given[:1]:
            module = import_module(f"xdsl_memplan.tools.{name}")
            module.configure(command)
            command.set_defaults(run=module.run)
    parsed = parser.parse_args(given)
    try:
        return parsed.run(parsed)
    except (ValueError, OSError) as error:
        message = error.args[0] if isinstance(error, ValueError) and error.args else error
        print(f"memplan: {message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("memplan: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
