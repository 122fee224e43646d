"""The `xdsl.universe` entry point: names and lazy factories only.

Every start of `xdsl-opt` imports this module, so it imports nothing heavy and must not fail.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.universe import Universe

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

_PASSES: dict[str, str] = {
    "memplan-schedule": "MemplanSchedulePass",
    "memplan-annotate-lifetimes": "MemplanAnnotateLifetimesPass",
    "memplan-bufferize": "MemplanBufferizePass",
    "memplan-assign-offsets": "MemplanAssignOffsetsPass",
    "memplan-verify": "MemplanVerifyPass",
    "memplan-pipeline": "MemplanPipelinePass",
    "convert-memplan-to-memref": "ConvertMemplanToMemrefPass",
}
"""Pass name to class name; the file is named after the pass."""


def _pass_factory(name: str, class_name: str) -> Callable[[], "type[ModulePass]"]:
    module = f"xdsl_memplan.transforms.{name.replace('-', '_')}"

    def load() -> Any:
        return getattr(import_module(module), class_name)

    return load


def _memplan() -> "Dialect":
    from xdsl_memplan.dialects.memplan import Memplan

    return Memplan


MEMPLAN_UNIVERSE = Universe(
    all_dialects={"memplan": _memplan},
    all_passes={name: _pass_factory(name, class_name) for name, class_name in _PASSES.items()},
    all_targets={},
)
