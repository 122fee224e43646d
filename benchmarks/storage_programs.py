"""Random programs on tensors: each is planned, and its bound held against brute force.

    python benchmarks/storage_programs.py [--programs 20000] [--from 0]

Programs of up to seven operations (elementwise, products, contractions, pads, concatenations,
slices), each at one capacity between what its largest operation needs and four rows more. The
oracle of `tests/transforms/storage_programs.py` tries all orders, all times away and all ways to
share a buffer. Prints how many plans are proved, are the best, and are worse; stops at the first
bound that brute force beats and at the first program that is refused.
"""

import argparse
from collections import Counter

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from tests.transforms.storage_programs import (
    ROW_BYTES,
    least_capacity,
    least_moved,
    random_program,
)
from xdsl_memplan.dialects.off_chip import TRAFFIC
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass


def moved_and_bound(text: str, capacity: int) -> tuple[int, int]:
    """Plan a program, verified; return the bytes moved and proved."""
    module = Parser(full_context(), text).parse_module()
    memory = f"L1={capacity}:align={ROW_BYTES},DDR"
    *stages, _ = MemplanPipelinePass(split="never", rewrite=False, memory=memory).passes()
    for stage in stages:
        stage.apply(Context(), module)
    function = next(op for op in module.body.ops if isinstance(op, FuncOp))
    traffic = function.attributes.get(TRAFFIC)
    if not isinstance(traffic, DictionaryAttr):
        return 0, 0
    moved, bound = (traffic.data[name] for name in ("bytes", "bound"))
    assert isinstance(moved, IntegerAttr)
    assert isinstance(bound, IntegerAttr)
    return moved.value.data, bound.value.data


def judged(seed: int) -> str:
    """Plan one program; say how good the plan is."""
    program = random_program(seed)
    capacity = least_capacity(program) + seed % 5 * ROW_BYTES
    moved, bound = moved_and_bound(program.text, capacity)
    if moved == 0:
        return "nothing moves"
    least = least_moved(program, capacity, moved)
    if least is not None and least < bound:
        raise SystemExit(f"seed {seed}, {capacity} bytes: bound {bound}, but {least} is enough")
    if moved == bound:
        return "proved"
    return "best, not proved" if least is None else "worse than the best"


def main() -> None:
    """Run the programs and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--from", type=int, default=0, dest="first")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.programs):
        counts[judged(seed)] += 1
    for name, count in counts.most_common():
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
