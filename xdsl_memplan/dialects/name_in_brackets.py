"""Attributes that are one name of several, in angle brackets: `#gpu.block<x>`."""

from typing import Any, ClassVar

from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class NameInBrackets(Data[Any]):
    """To be put before `EnumAttribute`, which reads and prints the name without brackets."""

    enum_type: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        """Read the name in angle brackets."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)

    def print_parameter(self, printer: Printer) -> None:
        """Print the name in angle brackets."""
        with printer.in_angle_brackets():
            printer.print_identifier_or_string_literal(self.data.value)
