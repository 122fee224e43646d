import pytest

from xdsl_memplan.formats.byte_size import format_byte_size, parse_byte_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("131072", 131072), ("128KiB", 131072), ("1.5MiB", 1572864), ("2 GB", 2 * 10**9),
     ("0x1000", 4096), ("7B", 7)],
)  # fmt: skip
def test_parse(text: str, size: int):
    assert parse_byte_size(text) == size


@pytest.mark.parametrize("text", ["", "KiB", "-1", "1e6", "3 cows", "0.3B", "8589934592GiB"])
def test_refused(text: str):
    with pytest.raises(ValueError, match="byte"):
        parse_byte_size(text)


def test_format():
    assert format_byte_size(1023) == "1023 B"
    assert format_byte_size(9633792) == "9.188 MiB"
    assert format_byte_size(2**41) == "2 TiB"
