"""Programs on PATH."""

import shutil


def executable(name: str) -> str:
    """Return the path of a program. Raises FileNotFoundError if it is not on PATH."""
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not on PATH")
    return found
