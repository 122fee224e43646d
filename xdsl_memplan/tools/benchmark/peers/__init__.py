"""The planners of others, as far as they are installed: one file per peer.

`pip install xdsl-memplan[bench]` brings those that are small, `[bench-heavy]` those that come with
PyTorch. Each adapter says a problem in the peer's terms outside of the timed part. Vela and MLIR
are told alignments; none of them is given gaps, fixed offsets or listed conflicts, and is left out
where a problem has them.
"""

from collections.abc import Callable, Iterator

from xdsl_memplan.tools.benchmark.contenders import Contender
from xdsl_memplan.tools.benchmark.missing import Missing
from xdsl_memplan.tools.benchmark.peers import (
    cp_sat,
    executorch,
    inductor,
    iree,
    minimalloc,
    omnimalloc,
    triton,
    vela,
)

_FAMILIES: dict[str, Callable[[], Iterator[Contender | Missing]]] = {
    "omnimalloc": omnimalloc.contenders,
    "ethos-u-vela": vela.contenders,
    "ortools": cp_sat.contenders,
    "iree-base-compiler": iree.contenders,
    "minimalloc": minimalloc.contenders,
    "executorch": executorch.contenders,
    "triton": triton.contenders,
    "torch inductor": inductor.contenders,
}


def peers() -> tuple[list[Contender], list[Missing]]:
    """Return the peers that are installed, and those that are not."""
    found: list[Contender] = []
    missing: list[Missing] = []
    for name, family in _FAMILIES.items():
        try:
            for peer in family():
                if isinstance(peer, Missing):
                    missing.append(peer)
                else:
                    found.append(peer)
        except (ImportError, FileNotFoundError, AttributeError) as error:
            missing.append(Missing(name, str(error)))
    return found, missing
