"""Byte sizes as people write them: ``131072``, ``128KiB``, ``1.5MiB``."""

import re

_BINARY_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_DECIMAL_UNITS = {"kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS = {"": 1, "B": 1} | _BINARY_UNITS | _DECIMAL_UNITS
_NUMBER_AND_UNIT = re.compile(r"(0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)\s*([A-Za-z]*)")

MAX_BYTES = 2**63 - 1


def parse_byte_size(text: str) -> int:
    """Read a size in bytes; KiB, MiB, GiB, TiB are powers of 1024, kB, MB, GB, TB of 1000.

    Raises ValueError that shows the text and what would work.
    """
    match = _NUMBER_AND_UNIT.fullmatch(text.strip())
    if match is None or match[2] not in _UNITS:
        raise ValueError(f"'{text}' is not a size in bytes; write for example 131072 or 128KiB")
    digits, unit = match[1], _UNITS[match[2]]
    if "." in digits:
        whole, _, fraction = digits.partition(".")
        scaled = int(whole + fraction) * unit
        size, rest = divmod(scaled, 10 ** len(fraction))
        if rest:
            raise ValueError(f"'{text}' is not a whole number of bytes")
    else:
        size = int(digits, 0 if digits[:2] in ("0x", "0X") else 10) * unit
    if size > MAX_BYTES:
        raise ValueError(f"'{text}' is above 2^63 - 1 bytes")
    return size


def format_byte_size(size_bytes: int) -> str:
    """Write a size for people: three significant digits and a binary unit, exact below 1 KiB."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    value = float(size_bytes)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1024:
            return f"{value:.4g} {unit}"
    return f"{value / 1024:.4g} TiB"
