"""All passes in order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.transforms.pipeline_report import PipelineReport
from xdsl_memplan.transforms.resting_collector import resting_collector

_OBJECTIVES = ("fit", "peak", "traffic", "none")


@dataclass(frozen=True)
class MemplanPipelinePass(ModulePass):
    """From linalg on tensors to upstream IR in which every buffer has an address in one arena.

    Before:

    ```mlir
    func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
      %e = tensor.empty() : tensor<16xf32>
      %y = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
      func.return %y : tensor<16xf32>
    }
    ```

    After:

    ```mlir
    "memref.global"() <{sym_name = "memory", type = memref<64xi8>, initial_value, ...}> : () -> ()
    func.func @main(%x: memref<16xf32>) -> memref<16xf32> {
      %0 = memref.get_global @memory : memref<64xi8>
      %c0 = arith.constant 0 : index
      %y = memref.view %0[%c0][] : memref<64xi8> to memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%y : memref<16xf32>)
      func.return %y : memref<16xf32>
    }
    ```

    The same as, one by one, with the options below where they belong:

    ```
    xdsl-opt -p 'memplan-generalize-ops,memplan-trim,
                 memplan-fold-transposes,memplan-fold-reshapes,memplan-fuse-elementwise,
                 memplan-schedule{objective=fit memory=...},
                 memplan-bufferize{memory=...},
                 memplan-assign-offsets{planner=... seed=... effort=... threads=... memory=...},
                 memplan-verify,convert-memplan-to-memref{arena=...}'
    ```

    The IR is verified at the end: after every pass would take as long as all of them.

    Options:

    - `constants` (`globals`): what becomes of constant tensors, which are weights. With `globals`
      they are `memref.global`s, with `arguments` arguments of the function
      (`memplan-constants-to-arguments`).
    - `rewrite` (true): run `memplan-trim`, `memplan-fold-transposes`, `memplan-fold-reshapes`
      and `memplan-fuse-elementwise` first, and before all of them, where operators may be split,
      `memplan-inline-calls`; fuse chains before splitting.
    - `objective` (`fit`): what `memplan-schedule` optimises. `fit` is the order of least peak, and
      spills to the second memory where the first has a capacity that is exceeded; `peak`,
      `traffic`: see there; with `none` the order of the file stays.
    - `split` (`auto`): with `auto` operators are split into tiles
      (`memplan-fuse-elementwise{chains=true}`, `memplan-form-layers`, `memplan-group`,
      `memplan-expand-groups`) where a memory asks for it: where a function does
      not fit the capacity of the first memory, with `objective=traffic` not even with tensors moved
      off chip and back, and with `objective=peak` where that makes the arena smaller. With `never`
      operators stay whole.
    - `strategy` (`auto`): see `memplan-group`. With another than `auto` operators are split by it;
      needs two memories, a capacity, and `objective=fit` or `traffic`.
    - `order` (`optimize`): operations, and layers, may run in another order than that of the file;
      with `keep` they do not; with `thorough` see `memplan-group`: refused where none is split.
    - `stage` (`none`): with `all` the engine reads and writes the first memory only: arguments are
      fetched by tiles and results written back; functions that cannot be split are refused.
      Needs what `strategy` needs. With `none` it reads arguments where they are.
    - `max-recompute` (1.1), `max-code` (2.5): see `memplan-group`.
    - `planner` (default: that of `memplan-assign-offsets`), `seed` (0), `effort` (`medium`): see
      `memplan-assign-offsets`. With `objective=fit` or `traffic` a plan that fits a capacity is
      made smaller for a short time only.
    - `threads` (0): of the search for groups and of the planner; with 0 groups take all there are,
      and the planner one. Never changes the result.
    - `memory` (none): the description of the memories, for all passes that want it.
    - `arena` (`global`): see `convert-memplan-to-memref`.
    - `verify` (true): run `memplan-verify`, and check tiles (`memplan-expand-groups`).
    - `print-ir` (false): write the IR after each pass to standard error.
    - `timing` (false): write the seconds of each pass to standard error.
    - `summary` (false): write arena bytes, load, bound, fragmentation and planner per function, and
      the seconds of each pass, to standard error.

    Requires static shapes and structured control flow.
    """

    name = "memplan-pipeline"

    constants: Literal["globals", "arguments"] = "globals"
    rewrite: bool = True
    objective: str = "fit"
    split: Literal["auto", "never"] = "auto"
    strategy: Literal["auto", "literal", "block-first"] = "auto"
    order: Literal["optimize", "keep", "thorough"] = "optimize"
    stage: Literal["none", "all"] = "none"
    max_recompute: int | float = 1.1
    max_code: int | float = 2.5
    planner: str = ""
    seed: int = 0
    effort: str = "medium"
    threads: int = 0
    memory: str = ""
    arena: Literal["global", "alloc", "argument", "address"] = "global"
    verify: bool = True
    print_ir: bool = False
    timing: bool = False
    summary: bool = False

    def passes(self) -> Iterator[ModulePass]:
        """The passes with their options, in order."""
        # Each is imported when it is due: listing the passes of xdsl-opt must not load them all.
        yield from self._rewrites()
        yield from self._schedules()
        yield from self._plans()
        from xdsl_memplan.transforms.convert_memplan_to_memref import ConvertMemplanToMemrefPass

        yield ConvertMemplanToMemrefPass(arena=self.arena)

    def _rewrites(self) -> Iterator[ModulePass]:
        if self.constants == "arguments":
            from xdsl_memplan.transforms.memplan_constants_to_arguments import (
                MemplanConstantsToArgumentsPass,
            )

            yield MemplanConstantsToArgumentsPass()
        from xdsl_memplan.transforms.memplan_generalize_ops import MemplanGeneralizeOpsPass

        yield MemplanGeneralizeOpsPass()
        if self.rewrite:
            from xdsl_memplan.transforms.memplan_fold_reshapes import MemplanFoldReshapesPass
            from xdsl_memplan.transforms.memplan_fold_transposes import MemplanFoldTransposesPass
            from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
            from xdsl_memplan.transforms.memplan_trim import MemplanTrimPass

            yield MemplanTrimPass()
            yield MemplanFoldTransposesPass()
            yield MemplanFoldReshapesPass()
            yield MemplanFuseElementwisePass()

    def _schedules(self, reserve: int = 0) -> Iterator[ModulePass]:
        if self.objective != "none":
            from xdsl_memplan.transforms.memplan_schedule import MemplanSchedulePass

            yield MemplanSchedulePass(
                objective=self.objective,
                memory=self.memory,
                order="keep" if self.order == "keep" else "optimize",
                reserve=reserve,
            )

    def _plans(self) -> Iterator[ModulePass]:
        from xdsl_memplan.transforms.memplan_assign_offsets import MemplanAssignOffsetsPass
        from xdsl_memplan.transforms.memplan_bufferize import MemplanBufferizePass
        from xdsl_memplan.transforms.memplan_verify import MemplanVerifyPass

        # The lifetimes that offsets are for are those that memplan-assign-offsets finds.
        yield MemplanBufferizePass(memory=self.memory, lifetimes=False)
        yield MemplanAssignOffsetsPass(
            planner=self.planner,
            seed=self.seed,
            effort=self.effort,
            threads=self.threads or 1,
            minimize=self.objective not in ("fit", "traffic"),
            memory=self.memory,
        )
        if self.verify:
            yield MemplanVerifyPass()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run all passes on the module ``op``.

        As with every pass it is the caller that verifies the module: `xdsl-opt` does, after its
        last pass. Raises PassFailedException for an unknown objective, and from any of the passes.
        """
        with resting_collector():
            self._apply(ctx, op)

    def _apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.objective not in _OBJECTIVES:
            raise PassFailedException(
                f"option objective: unknown '{self.objective}'; known are {', '.join(_OBJECTIVES)}"
            )
        for name, value, usual in (
            ("strategy", self.strategy, "auto"),
            ("stage", self.stage, "none"),
        ):
            if value != usual and not (self._splits(op) and self._spills(op)):
                raise PassFailedException(
                    f"option {name}={value} needs objective=fit or traffic, split=auto, and "
                    'two memories, the first with a capacity: memory="L1=256KiB,DDR"'
                )
        if self.order == "thorough" and not self._splits(op):
            raise PassFailedException(
                "option order=thorough needs split=auto, and objective=peak, or objective=fit or "
                'traffic and a capacity: memory="L1=256KiB,DDR"'
            )
        self._check_options(op)
        # Loading the parts takes a moment, and every start of xdsl-opt lists this pass.
        from xdsl_memplan.transforms.bufferize.handover import forget, handing_over

        report = PipelineReport(self.print_ir, self.timing, self.summary)

        def run(module: ModuleOp, stages: Iterable[ModulePass]) -> None:
            for stage in stages:
                if stage.name != "memplan-bufferize":
                    forget()
                report.start()
                stage.apply(ctx, module)
                report.finish(stage.name, module)

        with handing_over():
            *before, last = self.passes()
            splits, spills = self._splits(op), self._spills(op)
            if splits or spills:
                from xdsl_memplan.transforms.less_room import run_for_less_room
                from xdsl_memplan.transforms.split_attempts import run_split
                from xdsl_memplan.transforms.split_passes import SplitOptions
                from xdsl_memplan.transforms.trials import Runs

                def schedules(reserve: int) -> list[ModulePass]:
                    return list(self._schedules(reserve))

                def run_rest(module: ModuleOp, first: list[ModulePass]) -> None:
                    run(module, [*first, *self._plans()])

                if splits and self.rewrite:
                    from xdsl_memplan.transforms.memplan_inline_calls import MemplanInlineCallsPass

                    run(op, [MemplanInlineCallsPass()])
                run(op, self._rewrites())
                if splits:
                    options = SplitOptions(
                        self.objective,
                        self.stage,
                        self.memory,
                        self.max_recompute,
                        self.max_code,
                        self.threads,
                        self.strategy,
                        self.order,
                        self.verify,
                        self.rewrite,
                    )
                    run_split(op, options, schedules, Runs(alone=run, with_plan=run_rest))
                elif failures := run_for_less_room(op, schedules, run_rest, self.memory):
                    raise failures[0]
            else:
                run(op, before)
            report.note_plan(op)
            run(op, [last])
        report.end()

    def _check_options(self, module: ModuleOp) -> None:
        """Refuse at once what a pass refuses that may not run, or whose failure is not the last."""
        from xdsl_memplan.analysis.memories import Memories
        from xdsl_memplan.transforms.arena_address import check_base
        from xdsl_memplan.transforms.memplan_group import MemplanGroupPass
        from xdsl_memplan.transforms.plan_memory import PlannerOptions, check_planner_options

        check_planner_options(
            PlannerOptions(self.planner, self.seed, self.effort, self.threads or 1)
        )
        MemplanGroupPass(
            max_recompute=self.max_recompute, max_code=self.max_code, threads=self.threads
        ).check_numbers()
        first = Memories.of(module, self.memory).default
        try:
            check_base(first.name, first.base, self.arena)
        except PassFailedException as failure:
            raise PassFailedException(f"option arena={self.arena}: {failure}") from None

    def _splits(self, module: ModuleOp) -> bool:
        """Whether operators may be split: a capacity or the objective asks for it."""
        if self.split == "never" or self.objective == "none":
            return False
        return self.objective == "peak" or self._memories(module)[0]

    def _spills(self, module: ModuleOp) -> bool:
        """Whether tensors may be moved off chip: there is a capacity, and another memory."""
        return self.objective in ("fit", "traffic") and all(self._memories(module))

    def _memories(self, module: ModuleOp) -> tuple[bool, bool]:
        """Whether the first memory has a capacity, and whether there is another one."""
        from xdsl_memplan.analysis.memories import Memories

        first, *others = Memories.of(module, self.memory).by_name.values()
        return first.capacity is not None, bool(others)
