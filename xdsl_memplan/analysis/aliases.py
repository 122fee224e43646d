"""Which tensors and memrefs of a function may be the same bytes.

An alias edge leads from a value to the values its bytes may come from: from a view to what it
views, from a result of `scf.if` to what its arms yield, from the argument of a loop body to the
initial value and to what the body hands to the next iteration. Values without edges are *roots*:
they have bytes of their own, or got them from outside the function.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.call_graph import CallGraph
from xdsl_memplan.analysis.location import describe_op
from xdsl_memplan.analysis.op_kinds import INITIAL_VALUES, Kind, kind_of
from xdsl_memplan.analysis.storage_type import is_memref, is_plain_data, is_storage
from xdsl_memplan.dialects.interfaces import ReadsWritesTrait
from xdsl_memplan.dialects.queries import aliases_of


@dataclass(frozen=True)
class CallSummary:
    """What a function returns: per result, the arguments it may be, and whether it is its own."""

    arguments: tuple[tuple[int, ...], ...]
    own: tuple[bool, ...]


@dataclass
class Aliases:
    """The alias edges of one function, built in one walk."""

    function: FuncOp
    sources: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, list[SSAValue]])
    """Edges that lead back in the order of execution; a root has no entry."""
    carried: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, list[SSAValue]])
    """Edges to values of the previous iteration, from arguments of loop bodies."""

    @classmethod
    def of(cls, function: FuncOp, callees: dict[str, CallSummary]) -> "Aliases":
        """Find the edges of ``function``, given the summaries of the functions it calls; linear.

        A callee without a summary (a declaration) may return any of its memref operands.
        Raises PassFailedException for tensors or memrefs in unstructured control flow.
        """
        aliases = cls(function)
        aliases._walk_region(function.body, callees)
        return aliases

    def tracked(self, value: SSAValue) -> bool:
        """Tell whether a value is a tensor or memref, or an address derived from one."""
        return is_storage(value.type) or value in self.sources

    def roots(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """Return all roots whose bytes ``value`` may be, in a fixed order."""
        found: dict[SSAValue, None] = {}
        seen = {value}
        stack = [value]
        while stack:
            current = stack.pop()
            sources = self.sources.get(current)
            if sources is None:
                found[current] = None
                continue
            for source in [*sources, *self.carried.get(current, ())]:
                if source not in seen:
                    seen.add(source)
                    stack.append(source)
        return tuple(found)

    def summary(self) -> CallSummary:
        """Sum up what callers have to know."""
        last = self.function.body.blocks[-1].last_op
        returned = last.operands if last is not None else ()
        entry = self.function.body.blocks[0]
        arguments: list[tuple[int, ...]] = []
        own: list[bool] = []
        for value in returned:
            roots = self.roots(value) if self.tracked(value) else ()
            mine = [r for r in roots if isinstance(r, BlockArgument) and r.block is entry]
            arguments.append(tuple(sorted(r.index for r in mine)))
            own.append(len(mine) < len(roots))
        return CallSummary(tuple(arguments), tuple(own))

    def _walk_region(self, region: Region, callees: dict[str, CallSummary]) -> None:
        for block in region.blocks:
            for op in block.ops:
                for inner in op.regions:
                    self._walk_region(inner, callees)
                self._visit(op, callees)

    def _visit(self, op: Operation, callees: dict[str, CallSummary]) -> None:
        match kind_of(op):
            case Kind.PLAIN:
                self._visit_plain(op)
            case Kind.ADDRESS:
                self._add(op.results[0], list(op.operands))
            case Kind.SELECT:
                if self.tracked(op.operands[1]) or self.tracked(op.operands[2]):
                    self._add(op.results[0], [op.operands[1], op.operands[2]])
            case Kind.CALL:
                assert isinstance(op, CallOp)
                self._visit_call(op, callees.get(op.callee.string_value()))
            case Kind.LOOP:
                self._visit_loop(op)
            case Kind.SEQUENCE:
                yields = [block.last_op for r in op.regions for block in r.blocks]
                for i, result in enumerate(op.results):
                    if is_storage(result.type):
                        self._add(result, [y.operands[i] for y in yields if y is not None])
            case _:
                pass

    def _visit_plain(self, op: Operation) -> None:
        if not op.results or not any(map(self.tracked, op.operands)):
            return
        ties = aliases_of(op)
        for tie in ties:
            source = op.operands[tie.operand]
            if self.tracked(source):
                self._add(op.results[tie.result], [source])
        if ties or op.get_trait(ReadsWritesTrait) is not None:
            return
        # Nobody described the operation. Arithmetic on an address gives an address; a memref, a
        # pointer or token that comes out may be any memref that went in.
        given = [v for v in op.operands if v in self.sources or is_memref(v.type)]
        address = any(not is_storage(v.type) for v in given)
        for result in op.results:
            if given and (address or not is_plain_data(result.type)):
                self._add(result, given)

    def _visit_call(self, op: CallOp, summary: CallSummary | None) -> None:
        for i, result in enumerate(op.results):
            if not is_storage(result.type):
                continue
            if summary is None:
                self._add(
                    result, [v for v in op.operands if is_memref(v.type) and is_memref(result.type)]
                )
            elif not summary.own[i]:
                self._add(result, [op.operands[k] for k in summary.arguments[i]])
            elif summary.arguments[i]:
                raise PassFailedException(
                    f"{describe_op(op)}: result {i} may be an argument or "
                    "memory of the callee; let it return one or the other"
                )

    def _visit_loop(self, op: Operation) -> None:
        bodies = [region.block for region in op.regions]
        if op.name == "scf.while":
            before, after = bodies
            condition, last = before.last_op, after.last_op
            assert condition is not None
            assert last is not None
            self._carry(before.args, op.operands, last.operands)
            forwarded = condition.operands[1:]
            for i, result in enumerate(op.results):
                if is_storage(result.type):
                    self._add(after.args[i], [forwarded[i]])
                    self._add(result, [forwarded[i]])
            return
        [body] = bodies
        last = body.last_op
        if last is None or not op.results:
            return
        count = len(op.results)
        first = INITIAL_VALUES.get(op.name, len(op.operands) - count)
        initial = op.operands[first : first + count]
        self._carry(body.args[-count:], initial, last.operands)
        for i, result in enumerate(op.results):
            if is_storage(result.type):
                self._add(result, [initial[i], last.operands[i]])

    def _carry(
        self,
        arguments: Sequence[BlockArgument],
        initial: Sequence[SSAValue],
        next_: Sequence[SSAValue],
    ) -> None:
        for argument, start, following in zip(arguments, initial, next_, strict=True):
            if is_storage(argument.type):
                self._add(argument, [start])
                self.carried[argument] = [following]

    def _add(self, value: SSAValue, sources: list[SSAValue]) -> None:
        if sources:
            self.sources.setdefault(value, []).extend(sources)


def aliases_of_module(module: ModuleOp) -> dict[FuncOp, Aliases]:
    """Find the alias edges of every function that has a body, callees first; linear.

    Raises PassFailedException for recursion.
    """
    summaries: dict[str, CallSummary] = {}
    result: dict[FuncOp, Aliases] = {}
    for function in CallGraph.of(module).bottom_up:
        result[function] = Aliases.of(function, summaries)
        summaries[function.sym_name.data] = result[function].summary()
    return result


def check_structured(block: Block, op: Operation) -> None:
    """Raise PassFailedException if ``op`` is in a region of several blocks."""
    region = block.parent
    if region is not None and len(region.blocks) > 1:
        raise PassFailedException(
            f"{describe_op(op)}: tensors and memrefs in unstructured "
            "control flow have no order in time; "
            "use scf instead of branches (mlir-opt --lift-cf-to-scf)"
        )
