"""The passes that split a module, in three steps: rewriting, forming layers, grouping."""

from dataclasses import dataclass
from typing import Literal

from xdsl.passes import ModulePass


@dataclass(frozen=True)
class SplitOptions:
    """The options of `memplan-pipeline` that say how to split."""

    objective: str
    stage: str
    memory: str
    max_recompute: float
    max_code: float
    threads: int
    strategy: Literal["auto", "literal", "block-first"] = "auto"
    """With another than `auto` groups are those of the strategy, whatever else would do."""
    order: Literal["optimize", "keep", "thorough"] = "optimize"
    """Which orders of layers are tried."""
    check: bool = True
    """Whether tiles are checked when they are made."""
    rewrite: bool = True
    """Whether chains of elementwise operations become one each before they are cut."""


def rewriting(
    options: SplitOptions,
    slices_apart: bool = False,
    again: bool = False,
    places_apart: bool = False,
) -> list[ModulePass]:
    """The passes before layers are formed.

    With ``slices_apart`` slices of features are computed by operations of their own, with ``again``
    cheap products for each reader, with ``places_apart`` places of an image in dimensions of their
    own.
    """
    from xdsl_memplan.transforms.memplan_compute_again import MemplanComputeAgainPass
    from xdsl_memplan.transforms.memplan_compute_slices import MemplanComputeSlicesPass
    from xdsl_memplan.transforms.memplan_fuse_elementwise import MemplanFuseElementwisePass
    from xdsl_memplan.transforms.memplan_look_up_once import MemplanLookUpOncePass
    from xdsl_memplan.transforms.memplan_split_loops import MemplanSplitLoopsPass
    from xdsl_memplan.transforms.memplan_unmerge_places import MemplanUnmergePlacesPass

    if not options.rewrite:
        return []
    return [
        *([MemplanUnmergePlacesPass()] if places_apart else []),
        *([MemplanComputeSlicesPass()] if slices_apart else []),
        MemplanFuseElementwisePass(chains=True),
        MemplanSplitLoopsPass(),
        *([MemplanLookUpOncePass()] if options.stage == "all" else []),
        *([MemplanComputeAgainPass()] if again else []),
    ]


def forming(
    longest_norm: int = 0,
    turned_apart: bool = False,
    store_parts: bool = False,
    largest_concat: int = 0,
) -> list[ModulePass]:
    """The pass that forms layers, one of several ways."""
    from xdsl_memplan.transforms.memplan_form_layers import MemplanFormLayersPass

    return [MemplanFormLayersPass(longest_norm, turned_apart, store_parts, largest_concat)]


def searching(options: SplitOptions, objective: str, reserve: int = 0) -> list[ModulePass]:
    """The pass that finds groups of layers, with so many bytes left free."""
    from xdsl_memplan.transforms.memplan_group import MemplanGroupPass

    return [
        MemplanGroupPass(
            objective="peak" if objective == "peak" else "traffic",
            strategy=options.strategy,
            order=options.order,
            memory=options.memory,
            stage="all" if options.stage == "all" else "none",
            max_recompute=options.max_recompute,
            max_code=options.max_code,
            reserve=reserve,
            threads=options.threads,
        )
    ]


def keeping(options: SplitOptions, reserve: int = 0) -> list[ModulePass]:
    """The pass that keeps tensors on chip between groups, with so many bytes left free."""
    from xdsl_memplan.transforms.memplan_keep_on_chip import MemplanKeepOnChipPass

    return [MemplanKeepOnChipPass(options.memory, reserve)]


def expanding(options: SplitOptions, check: bool = True) -> list[ModulePass]:
    """The pass that makes tiles of groups; they are checked unless that is left for later."""
    from xdsl_memplan.transforms.memplan_expand_groups import MemplanExpandGroupsPass

    check = check and options.check
    return [MemplanExpandGroupsPass(check=check, max_recompute=options.max_recompute)]
