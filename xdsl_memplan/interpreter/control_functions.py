"""Loops and choices of scf that read numbers: xDSL's own read attributes from 0.75 on."""

from xdsl.dialects import scf
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.interpreters.scf import ScfFunctions


@register_impls
class ControlFunctions(ScfFunctions):
    """What asks only whether a number is zero is as in xDSL."""

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        """Run the body for each index, with what the iteration before has yielded."""
        first, end, step, *carried = args
        state: PythonValues = tuple(carried)
        for index in range(first, end, step):
            state = interpreter.run_ssacfg_region(op.body, (index, *state), "scf.for")
        return state

    @impl(scf.IndexSwitchOp)
    def run_index_switch(
        self, interpreter: Interpreter, op: scf.IndexSwitchOp, args: PythonValues
    ) -> PythonValues:
        """Run the region of the case, or the other one where there is no such case."""
        cases = op.cases.get_values()
        region = op.case_regions[cases.index(args[0])] if args[0] in cases else op.default_region
        return interpreter.run_ssacfg_region(region, (), "scf.index_switch")
