"""The error of a file that cannot be read."""


class FormatError(ValueError):
    """Says what is wrong in a file and where: ``FILE:LINE:COLUMN: reason``, both from 1."""

    def __init__(self, file: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}")
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
