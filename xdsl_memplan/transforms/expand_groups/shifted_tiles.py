"""What operations of a group do alike in all tiles of shifted cuts."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl_memplan.transforms.expand_groups.shifted_pads import ShiftedPad
from xdsl_memplan.transforms.expand_groups.shifted_reshapes import ShiftedReshape


@dataclass(frozen=True)
class ShiftedTiles:
    """By operation, the dimensions in which all tiles of a shifted cut pad or reshape as much."""

    pads: Mapping[int, Mapping[int, ShiftedPad]]
    reshapes: Mapping[int, Mapping[int, ShiftedReshape]]

    def padded(self, number: int, cut: int) -> set[int]:
        """Dimensions of an operation's operand of which all tiles of a cut pad as much."""
        return _of_cut(self.pads.get(number, {}), cut)

    def reshaped(self, number: int, cut: int) -> set[int]:
        """Dimensions of an operation's result for which all tiles of a cut reshape as much."""
        return _of_cut(self.reshapes.get(number, {}), cut)


def _of_cut(dimensions: Mapping[int, ShiftedPad | ShiftedReshape], cut: int) -> set[int]:
    return {dimension for dimension, shifted in dimensions.items() if shifted.cut == cut}
