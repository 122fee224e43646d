"""Networks for four images in small memories: no more should move than four times for one.

    python benchmarks/split_batches.py [--random COUNT]

`memplan-pipeline{stage=all}` of blocks with squeeze and excitation, of Transformers with attention
in windows and over all places, and of a ConvNeXt; then of COUNT (30) random networks, of which
those are listed that move more. *As a whole* is without `memplan-loop-over-batch`.
"""

import argparse
from collections.abc import Callable
from functools import partial
from random import Random
from unittest.mock import patch

from split_loops import bytes_moved

from tests.transforms.batch_networks import scaled, squeeze_and_excitation
from tests.transforms.image_programs import attention_in_windows, products_of_pixels
from xdsl_memplan.transforms import planned_in_tiles

_NETWORKS: dict[str, Callable[[int], str]] = {
    "squeeze and excitation": partial(squeeze_and_excitation, blocks=4),
    "attention": lambda batch: attention_in_windows((batch, 8, 8, 32), 2, 8),
    "attention in windows": lambda batch: attention_in_windows((batch, 12, 12, 24), 2, 4),
    "ConvNeXt": lambda batch: products_of_pixels((batch, 24, 14, 14)),
}
_KIB = (16, 32, 64, 128)
_IMAGES = 4


def row(name: str, network: Callable[[int], str], memory: int) -> tuple[str, bool, bool]:
    """A row of the table, and whether several images move more than each alone: as a whole, now."""
    one, now = (bytes_moved(network(batch), str(memory)) for batch in (1, _IMAGES))
    with patch.object(planned_in_tiles, "batch_of", return_value=0):
        whole = bytes_moved(network(_IMAGES), str(memory))
    assert one is not None
    assert whole is not None
    assert now is not None
    alone = _IMAGES * one
    text = f"| {name} | {memory:,} | {one:,} | {whole:,} | {now:,} | {now / alone:.3f} |"
    return text, whole > alone, now > alone


def main() -> None:
    """Print a table, a row for each network and memory, and the random networks that move more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--random", type=int, default=30, help="networks: %(default)s")
    count: int = parser.parse_args().random
    print(
        f"| network | memory | one image | {_IMAGES} as a whole | {_IMAGES} images "
        f"| of {_IMAGES} times one |"
    )
    print("|-|-:|-:|-:|-:|-:|")
    for name, network in _NETWORKS.items():
        for kib in _KIB:
            print(row(name, network, 1024 * kib)[0], flush=True)
    were, are = 0, 0
    for seed in range(count):
        random = Random(seed)
        layers, scale = random.randint(3, 8), random.choice([1, 2, 3])
        memory = random.choice([2048, 4096, 8192, 16384, 32768])
        network = partial(_random, seed, layers, scale)
        text, was_more, is_more = row(f"random {seed}", network, memory)
        were, are = were + was_more, are + is_more
        if was_more or is_more:
            print(text, flush=True)
    print(f"\nOf {count} random networks {are} move more than {_IMAGES} times one image.")
    print(f"As a whole batch {were} do.")


def _random(seed: int, layers: int, scale: int, batch: int) -> str:
    return scaled(seed, layers, batch, scale)


if __name__ == "__main__":
    main()
