"""Where an operation is, in words a person can follow.

xDSL keeps a source location only where the text has `loc(...)`, so the place is told by function
and position too.
"""

from xdsl.dialects.builtin import FileLineColLoc, StringAttr, UnknownLoc, UnregisteredOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xdsl_memplan.dialects.xdsl_versions import location_of


def op_name(op: Operation) -> str:
    """Return the full name of an operation, that of an unregistered one included."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def enclosing_function(op: Operation) -> Operation | None:
    """Return the outermost operation with a symbol name around ``op``, but no module."""
    found = None
    current: Operation | None = op
    while current is not None:
        if current.name != "builtin.module" and symbol_name(current) is not None:
            found = current
        current = current.parent_op()
    return found


def symbol_name(op: Operation) -> str | None:
    """Return what ``sym_name`` says, or None."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def describe_op(op: Operation) -> str:
    """Name an operation and its place: ``'%a = memref.alloc' (operation 3 of @main)``.

    The source location is given where the IR has one. Linear in the size of the function: for
    messages only.
    """
    return f"{_quoted(op)} ({_place(op)})"


def describe_value(value: SSAValue) -> str:
    """Name a value by what makes it; linear, for messages only."""
    hint = f"%{value.name_hint} " if value.name_hint else ""
    if not isinstance(value, BlockArgument):
        owner = value.owner
        assert isinstance(owner, Operation)
        count = len(owner.results)
        which = f"result {owner.results.index(value)} of " if count > 1 else ""
        return f"{which}{describe_op(owner)}"
    parent = value.block.parent_op()
    if parent is None:
        return f"{hint}block argument {value.index}: {value.type}"
    of = f"@{name}" if (name := symbol_name(parent)) is not None else describe_op(parent)
    return f"{hint}argument {value.index} of {of}: {value.type}".replace(
        " argument", ", argument", 1
    )


def _quoted(op: Operation) -> str:
    hints = [f"%{r.name_hint}" for r in op.results if r.name_hint]
    if len(hints) > 1 and len(set(hints)) == 1:
        hints = [f"{hints[0]}:{len(hints)}"]  # As the file says it.
    equals = f"{', '.join(hints)} = " if hints else ""
    return f"'{equals}{op_name(op)}'"


def _place(op: Operation) -> str:
    function = enclosing_function(op)
    parts: list[str] = []
    if function is op:
        parts.append(f"@{symbol_name(op)}")
    elif function is not None:
        position = _position(op, function)
        parts.append(f"operation {position} of @{symbol_name(function)}")
    if not isinstance(location_of(op), UnknownLoc):
        parts.append(_location(op))
    return ", ".join(parts) or "not in a function"


def _position(op: Operation, function: Operation) -> int:
    """Count the operations before ``op``, without the bodies of linalg operations."""
    position = 0
    stack = [function]
    while stack:
        current = stack.pop()
        if current is op:
            return position
        position += 1
        if not current.name.startswith("linalg."):
            blocks = [block for region in current.regions for block in region.blocks]
            stack += reversed([inner for block in blocks for inner in block.ops])
    return _position(op.parent_op() or function, function)


def _location(op: Operation) -> str:
    location = location_of(op)
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    return str(location)
