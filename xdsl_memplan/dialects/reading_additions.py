"""What stock xDSL's parser misreads or refuses of what MLIR prints in any file."""

from xdsl.ir import Dialect

from xdsl_memplan.dialects.dense_string_additions import accept_strings_of_all_widths
from xdsl_memplan.dialects.hexadecimal_additions import read_bits_of_floats
from xdsl_memplan.dialects.location_additions import accept_locations_of_mlir


def read_as_mlir(stock: Dialect) -> Dialect:
    """The dialect `stock`: every file has it, so that the parser is corrected by then."""
    accept_locations_of_mlir()
    read_bits_of_floats()
    accept_strings_of_all_widths()
    return stock
