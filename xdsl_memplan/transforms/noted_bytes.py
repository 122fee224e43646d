"""What functions in tiles say about the bytes that move."""

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64
from xdsl.dialects.func import FuncOp

from xdsl_memplan.analysis.looked_up_bytes import looked_up_bytes
from xdsl_memplan.analysis.off_chip_bytes import off_chip_bytes
from xdsl_memplan.dialects.off_chip import LOOKUPS, TOTAL, TRAFFIC


def note_bytes(function: FuncOp) -> None:
    """Write down how many bytes move, for `memplan-verify` to count again.

    Functions without `memplan.traffic` are left as they are, and those of which nobody knows how
    many bytes move.
    """
    known = function.attributes.get(TRAFFIC)
    if not isinstance(known, DictionaryAttr):
        return
    moved, looked_up = off_chip_bytes(function), looked_up_bytes(function)
    if moved is None or looked_up is None:
        return
    bytes_ = {TOTAL: moved + looked_up, **({LOOKUPS: looked_up} if looked_up else {})}
    entries = {entry: IntegerAttr(value, i64) for entry, value in bytes_.items()}
    function.attributes[TRAFFIC] = DictionaryAttr({**known.data, **entries})
