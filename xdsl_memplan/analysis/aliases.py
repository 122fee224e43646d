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
from xdsl_memplan.analysis.storage_type import is_storage, is_tensor, may_be_address, may_point
from xdsl_memplan.analysis.trait_answers import check_answers
from xdsl_memplan.dialects.interfaces import Access, AliasingTrait, ReadsWritesTrait
from xdsl_memplan.dialects.queries import aliases_of, effects_of, storage_of, trait_of


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
    origins: set[SSAValue] = field(default_factory=set[SSAValue])
    """Roots whose type is neither tensor nor memref: storage as a pointer, a struct, a number."""
    _has_addresses: bool = False
    """Whether a value that is neither tensor nor memref stands for storage; mostly none does."""

    @classmethod
    def of(cls, function: FuncOp, callees: dict[str, CallSummary]) -> "Aliases":
        """Find the edges of ``function``, given the summaries of the functions it calls; linear.

        A callee without a summary (a declaration) may return any of its memref operands.
        Raises PassFailedException for tensors or memrefs in unstructured control flow.
        """
        aliases = cls(function)
        for argument in function.args:
            if may_point(argument.type):
                aliases._add_origin(argument)
        aliases._walk_region(function.body, callees)
        return aliases

    def tracked(self, value: SSAValue) -> bool:
        """Tell whether a value is a tensor or memref, other storage, or an address of any."""
        return is_storage(value.type) or self.is_address(value)

    def tracks_any(self, op: Operation) -> bool:
        """Tell whether an operand or a result of ``op`` is tracked."""
        for value in (*op.operands, *op.results):
            if is_storage(value.type):
                return True
        return self._has_addresses and any(map(self.is_address, (*op.operands, *op.results)))

    def is_address(self, value: SSAValue) -> bool:
        """Tell whether a value stands for storage, but is neither tensor nor memref."""
        return (
            self._has_addresses
            and not is_storage(value.type)
            and (value in self.sources or value in self.origins)
        )

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
                self._walk_operation(op, callees)

    def _walk_operation(self, op: Operation, callees: dict[str, CallSummary]) -> None:
        check_answers(op)
        while True:
            for inner in op.regions:
                self._walk_region(inner, callees)
            before = self._addresses_inside(op)
            self._visit(op, callees)
            # An argument of a body turned out to be an address: the body is read again with that.
            if self._addresses_inside(op) == before:
                return

    def _addresses_inside(self, op: Operation) -> int:
        if not op.regions or not self._has_addresses:
            return 0
        blocks = (block for region in op.regions for block in region.blocks)
        return sum(self.is_address(argument) for block in blocks for argument in block.args)

    def _visit(self, op: Operation, callees: dict[str, CallSummary]) -> None:
        match kind_of(op):
            case Kind.PLAIN:
                self._visit_plain(op)
            case Kind.CONSTANT:
                self._note_storage(op)
            case Kind.ADDRESS:
                self._add(op.results[0], list(op.operands))
            case Kind.SELECT:
                self._follow(op.results[0], [op.operands[1], op.operands[2]])
            case Kind.CALL:
                assert isinstance(op, CallOp)
                self._visit_call(op, callees.get(op.callee.string_value()))
            case Kind.LOOP:
                self._visit_loop(op)
            case Kind.SEQUENCE:
                yields = [block.last_op for r in op.regions for block in r.blocks]
                for i, result in enumerate(op.results):
                    self._follow(result, [y.operands[i] for y in yields if y is not None])
            case _:
                pass

    def _note_storage(self, op: Operation) -> bool:
        """Note what stands for storage that ``op`` makes, of any type; say if it makes any."""
        trait = storage_of(op)
        if trait is None:
            return False
        storage = trait.storage(op)
        self._add_origin(storage)
        for result in op.results:
            if result is storage:
                continue
            # Another result may be the address, whatever its type.
            self._add_origin(result)
            if storage.owner is op:
                self._add(result, [storage])
        return True

    def _visit_plain(self, op: Operation) -> None:
        makes_storage = self._note_storage(op)
        given = [v for v in op.operands if self.tracked(v)]
        if op.regions:
            ends = [block.last_op for region in op.regions for block in region.blocks]
            given += [v for end in ends if end is not None for v in end.operands if self.tracked(v)]
        if not given:
            return
        for tie in aliases_of(op):
            if self.tracked(op.operands[tie.operand]):
                self._add(op.results[tie.result], [op.operands[tie.operand]])
        # What nobody described: arithmetic on an address gives an address; a memref, a pointer or
        # token that comes out, or goes into a region, may be any memref that went in. So may a
        # tensor, and a number that is not read from the contents.
        pointers = [v for v in given if not is_tensor(v.type)]
        if not pointers:
            return
        inner = [block for region in op.regions for block in region.blocks]
        for block in [*inner, *op.successors]:
            for argument in block.args:
                if may_point(argument.type):
                    self._add(argument, pointers)
        if not op.results or makes_storage or trait_of(op, AliasingTrait) is not None:
            return
        said = effects_of(op) if trait_of(op, ReadsWritesTrait) is not None else None
        reads = said is not None and said.takes_time
        address = any(map(self.is_address, pointers)) and not reads
        for i, result in enumerate(op.results):
            fresh = said is not None and Access.WRITE in said.results[i]
            type_ = result.type
            number = not reads and may_be_address(type_)
            if not fresh and (address or may_point(type_) or is_tensor(type_) or number):
                self._add(result, pointers)

    def _visit_call(self, op: CallOp, summary: CallSummary | None) -> None:
        for i, result in enumerate(op.results):
            if summary is None:
                pointers = [v for v in op.operands if self.tracked(v) and not is_tensor(v.type)]
                addresses = [v for v in pointers if self.is_address(v)]
                anything = may_point(result.type) or may_be_address(result.type)
                self._add(result, pointers if anything else addresses)
            elif not summary.own[i]:
                self._follow(result, [op.operands[k] for k in summary.arguments[i]])
            elif summary.arguments[i] and not is_tensor(result.type):
                raise PassFailedException(
                    f"{describe_op(op)}: result {i} may be an argument or "
                    "memory of the callee; let it return one or the other"
                )
            elif not is_storage(result.type):
                self._add_origin(result)

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
                self._follow(after.args[i], [forwarded[i]])
                self._follow(result, [forwarded[i]])
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
            self._follow(result, [initial[i], last.operands[i]])

    def _carry(
        self,
        arguments: Sequence[BlockArgument],
        initial: Sequence[SSAValue],
        next_: Sequence[SSAValue],
    ) -> None:
        for argument, start, following in zip(arguments, initial, next_, strict=True):
            if is_storage(argument.type) or self.tracked(start) or self.tracked(following):
                self._add(argument, [start])
                self.carried[argument] = [following]

    def _follow(self, value: SSAValue, sources: list[SSAValue]) -> None:
        """Add edges if ``value`` is storage by its type or one of the sources is."""
        if is_storage(value.type) or any(map(self.tracked, sources)):
            self._add(value, sources)

    def _add_origin(self, value: SSAValue) -> None:
        self._has_addresses = self._has_addresses or not is_storage(value.type)
        self.origins.add(value)

    def _add(self, value: SSAValue, sources: list[SSAValue]) -> None:
        if sources:
            self._has_addresses = self._has_addresses or not is_storage(value.type)
            known = self.sources.setdefault(value, [])
            known += [source for source in sources if source not in known]


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
