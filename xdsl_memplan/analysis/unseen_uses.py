"""Storage that planning would overlook: refused, as the alternative is two buffers at one address.

What is checked here is not what the analyses find, but whether they could have missed something:
somebody's trait may say less than is true, and operations of other dialects may hold functions or
call them in ways that nobody told us of.
"""

from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.lifetimes import FunctionLifetimes
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.op_kinds import INITIAL_VALUES, Kind, kind_of
from xdsl_memplan.analysis.referred_symbols import referred_symbols
from xdsl_memplan.analysis.storage_type import may_point
from xdsl_memplan.dialects.interfaces import ReadsWritesTrait
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.dialects.queries import storage_of


def check_all_is_seen(module: ModuleOp, planned: Collection[FuncOp]) -> None:
    """Check that all storage is in a planned function, and that only calls lead to such functions.

    Linear in the size of ``module``. Raises PassFailedException with the operation.
    """
    holders = {
        function.sym_name.data: function
        for function in planned
        if any(storage_of(op) is not None for op in operations_in(function))
    }
    for outer in module.body.ops:
        inside = outer in holders.values() or (isinstance(outer, FuncOp) and outer in planned)
        for op in operations_in(outer):
            if not inside and storage_of(op) is not None:
                raise PassFailedException(
                    f"{describe_op(op)}: is in no function that is planned; only functions "
                    "'func.func' at the top of the module are"
                )
            if holders and not isinstance(op, CallOp):
                _check_no_hidden_call(op, holders)


def check_uses(op: Operation, storage: SSAValue, lifetimes: FunctionLifetimes) -> None:
    """Check that storage with an empty lifetime reaches no operation that may access it.

    Linear in what is made of ``storage``. Raises PassFailedException with that operation.
    """
    work = [*op.results, storage]
    seen = set(work)
    while work:
        for use in work.pop().uses:
            user = use.operation
            if _is_access(use, lifetimes):
                raise PassFailedException(
                    f"{describe_op(op)}: is used by {describe_op(user)}, but the traits of the "
                    "operations between them leave it an empty lifetime; attach an AliasingTrait "
                    "that ties their results to what they are views of"
                )
            for value in _made_of(use):
                if may_point(value.type) and value not in seen:
                    seen.add(value)
                    work.append(value)


def _made_of(use: Use) -> list[SSAValue]:
    """Results, arguments of regions and blocks; for a terminator what it hands on."""
    op, index = use.operation, use.index
    if kind_of(op) is Kind.LOOP:
        carried = index - INITIAL_VALUES.get(op.name, len(op.operands) - len(op.results))
        if op.name == "scf.while":
            return [op.regions[0].block.args[carried]]
        arguments = op.regions[0].block.args
        first = len(arguments) - len(op.results)
        return [arguments[first + carried], op.results[carried]] if carried >= 0 else []
    if kind_of(op) is not Kind.FORWARD:
        blocks = [block for region in op.regions for block in region.blocks]
        return [*op.results, *(a for block in [*blocks, *op.successors] for a in block.args)]
    holder = op.parent_op()
    if holder is None:
        return []
    if holder.name == "scf.while":
        before, after = (region.block for region in holder.regions)
        if op.parent is after:
            return [before.args[index]]
        return [after.args[index - 1], holder.results[index - 1]] if index else []
    made: list[SSAValue] = list(holder.results[index : index + 1])
    if kind_of(holder) is Kind.LOOP:
        made += holder.regions[0].block.args[-len(holder.results) :][index : index + 1]
    return made


def _is_access(use: Use, lifetimes: FunctionLifetimes) -> bool:
    op = use.operation
    if op in lifetimes.time.ticks:
        effects = lifetimes.time.effects.get(op)
        return effects is None or bool(effects.operands[use.index])
    match kind_of(op):
        case Kind.PLAIN:
            return op.get_trait(ReadsWritesTrait) is None and not is_side_effect_free(op)
        case Kind.CALL:
            return True
        case _:
            return False


def _check_no_hidden_call(op: Operation, holders: dict[str, FuncOp]) -> None:
    for name in referred_symbols(op):
        if name in holders:
            raise PassFailedException(
                f"{describe_op(op)}: refers to @{name}, which has buffers, and is no "
                "'func.call'; it is not known when they are in use"
            )
