"""Networks for four images in small memories: no more should move than four times for one.

    python benchmarks/split_batches.py [--random COUNT]

`memplan-pipeline{stage=all}` of blocks with squeeze and excitation, of Transformers with attention
in windows and over all places, and of a ConvNeXt; then of COUNT (30) random networks, of which
those are listed that move more.
"""

import argparse
import io
import re
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from random import Random

from xdsl.parser import Parser

from tests.transforms.batch_networks import scaled, squeeze_and_excitation
from tests.transforms.image_programs import attention_in_windows, products_of_pixels
from xdsl_memplan.native.context import full_context
from xdsl_memplan.transforms.memplan_pipeline import MemplanPipelinePass

_NETWORKS: dict[str, Callable[[int], str]] = {
    "squeeze and excitation": partial(squeeze_and_excitation, blocks=4),
    "attention": lambda batch: attention_in_windows((batch, 8, 8, 32), 2, 8),
    "attention in windows": lambda batch: attention_in_windows((batch, 12, 12, 24), 2, 4),
    "ConvNeXt": lambda batch: products_of_pixels((batch, 24, 14, 14)),
}
_KIB = (16, 32, 64, 128)
_IMAGES = 4


def bytes_moved(text: str, memory: int) -> int:
    """What moves between a memory of so many bytes and the next, in bytes."""
    context, report = full_context(), io.StringIO()
    module = Parser(context, text).parse_module()
    with redirect_stderr(report):
        MemplanPipelinePass(memory=f"L1={memory},DDR", stage="all", summary=True).apply(
            context, module
        )
    found = re.search(r": (\d+) bytes move between", report.getvalue())
    assert found is not None, report.getvalue()
    return int(found[1])


def row(name: str, network: Callable[[int], str], memory: int) -> tuple[str, bool]:
    """A row of the table, and whether four images move more than four times one."""
    one, several = (bytes_moved(network(batch), memory) for batch in (1, _IMAGES))
    ratio = several / (_IMAGES * one)
    return f"| {name} | {memory:,} | {one:,} | {several:,} | {ratio:.3f} |", ratio > 1


def main() -> None:
    """Print a table, a row for each network and memory, and the random networks that move more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--random", type=int, default=30, help="networks: %(default)s")
    count: int = parser.parse_args().random
    print(f"| network | memory | one image | {_IMAGES} images | of {_IMAGES} times one |")
    print("|-|-:|-:|-:|-:|")
    for name, network in _NETWORKS.items():
        for kib in _KIB:
            print(row(name, network, 1024 * kib)[0], flush=True)
    more = 0
    for seed in range(count):
        random = Random(seed)
        layers, scale = random.randint(3, 8), random.choice([1, 2, 3])
        memory = random.choice([2048, 4096, 8192, 16384, 32768])
        text, is_more = row(f"random {seed}", partial(_random, seed, layers, scale), memory)
        more += is_more
        if is_more:
            print(text, flush=True)
    print(f"\nOf {count} random networks {more} move more than {_IMAGES} times one image.")


def _random(seed: int, layers: int, scale: int, batch: int) -> str:
    return scaled(seed, layers, batch, scale)


if __name__ == "__main__":
    main()
