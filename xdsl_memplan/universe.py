"""The `xdsl.universe` entry point: names and lazy factories only.

Every start of `xdsl-opt` imports this module, so it imports nothing heavy and must not fail, on
any version of xDSL. What differs between those that we know is in `dialects/xdsl_versions.py`.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING, Any
from warnings import warn

from xdsl.universe import XDSL_UNIVERSE, Universe

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.utils.target import Target

OLDEST, ALL_PASSES, NEWEST = (0, 57), (0, 72), (0, 75)
"""Versions of xDSL: the first that some passes run on, the first for all of them, the last."""

_ON_BUFFERS = (
    "memplan-annotate-lifetimes",
    "memplan-assign-offsets",
    "memplan-insert-deallocs",
    "memplan-read-schedule",
    "memplan-verify",
)
"""Passes on buffer IR, which run from `OLDEST` on."""

_PASSES: dict[str, str] = {
    "memplan-schedule": "MemplanSchedulePass",
    "memplan-constants-to-arguments": "MemplanConstantsToArgumentsPass",
    "memplan-inline-calls": "MemplanInlineCallsPass",
    "memplan-outline-parts": "MemplanOutlinePartsPass",
    "memplan-inline-parts": "MemplanInlinePartsPass",
    "memplan-keep-handed-on": "MemplanKeepHandedOnPass",
    "memplan-hoist-loads": "MemplanHoistLoadsPass",
    "memplan-hoist-tiles": "MemplanHoistTilesPass",
    "memplan-generalize-ops": "MemplanGeneralizeOpsPass",
    "memplan-trim": "MemplanTrimPass",
    "memplan-fold-transposes": "MemplanFoldTransposesPass",
    "memplan-fold-reshapes": "MemplanFoldReshapesPass",
    "memplan-fuse-elementwise": "MemplanFuseElementwisePass",
    "memplan-compute-again": "MemplanComputeAgainPass",
    "memplan-look-up-once": "MemplanLookUpOncePass",
    "memplan-compute-slices": "MemplanComputeSlicesPass",
    "memplan-split-loops": "MemplanSplitLoopsPass",
    "memplan-loop-over-batch": "MemplanLoopOverBatchPass",
    "memplan-unmerge-places": "MemplanUnmergePlacesPass",
    "memplan-form-layers": "MemplanFormLayersPass",
    "memplan-group": "MemplanGroupPass",
    "memplan-keep-on-chip": "MemplanKeepOnChipPass",
    "memplan-expand-groups": "MemplanExpandGroupsPass",
    "memplan-annotate-lifetimes": "MemplanAnnotateLifetimesPass",
    "memplan-read-schedule": "MemplanReadSchedulePass",
    "memplan-bufferize": "MemplanBufferizePass",
    "memplan-assign-offsets": "MemplanAssignOffsetsPass",
    "memplan-insert-deallocs": "MemplanInsertDeallocsPass",
    "memplan-verify": "MemplanVerifyPass",
    "memplan-pipeline": "MemplanPipelinePass",
    "convert-memplan-to-memref": "ConvertMemplanToMemrefPass",
}
"""Pass name to class name; the file is named after the pass."""


_TARGETS: dict[str, str] = {
    "memplan-csv": "MemplanCsvTarget",
    "memplan-json": "MemplanJsonTarget",
}
"""Target name to class name; the file is named after the target."""


def _pass_factory(name: str, class_name: str) -> Callable[[], "type[ModulePass]"]:
    module = f"xdsl_memplan.transforms.{name.replace('-', '_')}"

    def load() -> Any:
        if name not in _ON_BUFFERS:
            _need_all_passes(name)
        return getattr(import_module(module), class_name)

    return load


def _target_factory(name: str, class_name: str) -> Callable[[], "type[Target]"]:
    module = f"xdsl_memplan.targets.{name.replace('-', '_')}"

    def load() -> Any:
        return getattr(import_module(module), class_name)

    return load


def _memplan() -> "Dialect":
    from xdsl_memplan.dialects.memplan import Memplan

    return Memplan


def _index() -> "Dialect":
    from xdsl_memplan.dialects.index import Index

    return Index


_EXTENSIONS: dict[str, tuple[str, str]] = {
    "affine": ("xdsl_memplan.dialects.affine_additions", "extended_affine"),
    "arith": ("xdsl_memplan.dialects.arith_additions", "extended_arith"),
    "builtin": ("xdsl_memplan.dialects.reading_additions", "read_as_mlir"),
    "func": ("xdsl_memplan.dialects.reading_additions", "read_as_mlir"),
    "gpu": ("xdsl_memplan.dialects.gpu_additions", "extended_gpu"),
    "linalg": ("xdsl_memplan.dialects.linalg_additions", "extended_linalg"),
    "math": ("xdsl_memplan.dialects.math_additions", "extended_math"),
    "memref": ("xdsl_memplan.dialects.memref_additions", "extended_memref"),
    "scf": ("xdsl_memplan.dialects.scf_additions", "extended_scf"),
    "tensor": ("xdsl_memplan.dialects.tensor_additions", "extended_tensor"),
}
"""Stock dialects that lack something: the module and the function that add it."""

_IN_ALL_FILES = ("builtin", "func")
"""Dialects of users who have nothing to do with us, too: they hear nothing of what fails."""


def _extend_stock(name: str) -> None:
    """Have a stock dialect made with our additions, if and when it is needed.

    A second dialect of that name is refused, but all universes are imported before any is read,
    so the stock factory can be wrapped. If the additions fail, users get the stock dialect.
    """
    stock = XDSL_UNIVERSE.all_dialects.get(name)
    if stock is None:
        return

    def extended() -> "Dialect":
        dialect = stock()
        module, function = _EXTENSIONS[name]
        try:
            return getattr(import_module(module), function)(dialect)
        except Exception as error:  # whatever it is, it must not break other users
            if name not in _IN_ALL_FILES:
                text = f"xdsl_memplan does not extend {name}: {error!r}"
                warn(text, RuntimeWarning, stacklevel=2)
            return dialect

    XDSL_UNIVERSE.all_dialects[name] = extended


def _xdsl_version() -> tuple[int, ...]:
    """The first two numbers of the installed version; the newest we know if it cannot be told."""
    try:
        # `version` would load the parser of e-mails for this one line.
        _, _, rest = (distribution("xdsl").read_text("METADATA") or "").partition("\nVersion: ")
        return tuple(int(part) for part in rest.partition("\n")[0].split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return NEWEST


def _text(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def _need_all_passes(name: str) -> None:
    if (has := _xdsl_version()) < ALL_PASSES:
        raise ImportError(
            f"{name} needs xDSL {_text(ALL_PASSES)} to {_text(NEWEST)}, this is {_text(has)}; "
            f"what runs here: {', '.join(_ON_BUFFERS)}"
        )


def _universe() -> Universe:
    """What the installed xDSL can have of ours."""
    has = _xdsl_version()
    if not OLDEST <= has <= NEWEST:
        warn(
            f"xdsl_memplan knows xDSL {_text(OLDEST)} to {_text(NEWEST)}, this is {_text(has)}: "
            + ("its passes are left out" if has < OLDEST else "its passes may fail"),
            RuntimeWarning,
            stacklevel=2,
        )
    if has < OLDEST:
        return Universe()
    passes = {name: _pass_factory(name, class_name) for name, class_name in _PASSES.items()}
    if has < ALL_PASSES:
        return Universe(all_dialects={"memplan": _memplan}, all_passes=passes)
    for name in _EXTENSIONS:
        _extend_stock(name)
    dialects: dict[str, Callable[[], Dialect]] = {"memplan": _memplan}
    if "index" not in XDSL_UNIVERSE.all_dialects:
        dialects["index"] = _index
    return Universe(
        all_dialects=dialects,
        all_passes=passes,
        all_targets={name: _target_factory(name, cls) for name, cls in _TARGETS.items()},
    )


MEMPLAN_UNIVERSE = _universe()

if sys.argv and sys.argv[0].rpartition("/")[2] in ("xdsl-opt", "xdsl_opt.py", "xdsl-opt.exe"):
    from xdsl_memplan.one_message import install

    install()
