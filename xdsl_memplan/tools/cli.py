"""The command `memplan`: subcommands live in modules of their own, imported when asked for."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

_COMMANDS = {
    "plan": "offsets for the buffers of a CSV file",
    "check": "is a plan or a schedule sound, whoever made it?",
    "planners": "the planners there are",
    "bench": "every planner and every installed peer on your buffers",
    "plot": "a picture of a plan",
    "schedule": "order, spills and addresses for an operator graph",
    "compare": "do two modules compute the same, bit for bit?",
}
"""Name of each subcommand, which is that of its module, and its line of help.

The module has `configure(parser)` and `run(arguments) -> int`.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0: done, 1: the user can mend it, 130: Ctrl-C."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="memplan", description="Static memory planning: offsets, orders, spills."
    )
    subparsers = parser.add_subparsers(title="commands", dest="command", required=True)
    for name, summary in _COMMANDS.items():
        command = subparsers.add_parser(name, help=summary, description=summary)
        if name in given[:1]:
            try:
                module = import_module(f"xdsl_memplan.tools.{name}")
            except ModuleNotFoundError as error:
                if error.name not in ("rich", "xdsl"):
                    raise
                print(
                    f"memplan {name} needs {error.name}: pip install 'xdsl-memplan[all]'",
                    file=sys.stderr,
                )
                return 1
            module.configure(command)
            command.set_defaults(run=module.run)
    parsed = parser.parse_args(given)
    try:
        status = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read our output has seen enough, as in `memplan plan FILE | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # What fails while it is written, as on a full disk, does not say its name.
        print(f"memplan: {error.filename or 'what is written'}: {error.strerror}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"memplan: {error.args[0] if error.args else error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("memplan: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
