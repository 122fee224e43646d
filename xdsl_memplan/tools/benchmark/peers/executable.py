"""Programs that come with packages, or are on PATH."""

import os
import shutil
import sys
from pathlib import Path


def executable(name: str) -> str:
    """Return the path of a program, first of those beside this Python, activated or not.

    Raises FileNotFoundError if it is nowhere there, nor on PATH.
    """
    beside = str(Path(sys.executable).parent)
    found = shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if found is None:
        raise FileNotFoundError(f"{name} is not on PATH")
    return found
