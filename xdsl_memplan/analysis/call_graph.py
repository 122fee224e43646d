"""Functions of a module, callees first."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.dialects.operations_in import operations_in


@dataclass(frozen=True)
class CallGraph:
    """Who calls whom among the functions of a module."""

    functions: dict[str, FuncOp]
    """All functions by symbol name, declarations included, in the order of the file."""
    bottom_up: tuple[FuncOp, ...]
    """Functions with a body, every callee before its callers."""

    @classmethod
    def of(cls, module: ModuleOp) -> "CallGraph":
        """Order the functions of ``module``; linear in its size.

        Raises PassFailedException at a call that closes a cycle.
        """
        functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
        calls = {
            name: [op for op in operations_in(function) if type(op) is CallOp]
            for name, function in functions.items()
        }
        order: list[FuncOp] = []
        done: set[str] = set()
        for root in functions:
            # Depth first with a stack of our own; `path` holds the functions being visited.
            path: dict[str, int] = {}
            stack = [root] if root not in done else []
            while stack:
                name = stack[-1]
                path.setdefault(name, 0)
                following = calls[name][path[name] :]
                path[name] += 1
                if not following:
                    stack.pop()
                    del path[name]
                    done.add(name)
                    if functions[name].body.blocks:
                        order.append(functions[name])
                    continue
                call = following[0]
                callee = call.callee.string_value()
                if callee in path:
                    cycle = " -> ".join(
                        f"@{n}" for n in [*list(path)[list(path).index(callee) :], callee]
                    )
                    raise PassFailedException(
                        f"{describe_op(call)}: recursion between functions cannot be "
                        f"planned: {cycle}"
                    )
                if callee in functions and callee not in done:
                    stack.append(callee)
        return cls(functions, tuple(order))
