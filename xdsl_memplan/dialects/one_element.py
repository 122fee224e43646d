"""Dense constants whose elements are all the same, bit for bit."""

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr


def one_element(dense: DenseIntOrFPElementsAttr) -> bytes | None:
    """Return the bytes of the element that all others equal; None if they do not, or are none.

    Bytes, not numbers: 0.0 and -0.0 are different elements, and each NaN is equal to itself.
    """
    data = dense.data.data
    width = dense.get_element_type().compile_time_size
    return data[:width] if data and data[width:] == data[:-width] else None
