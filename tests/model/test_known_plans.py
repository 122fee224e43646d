"""Plans that took long to find, kept as proof that their peak can be reached."""

from pathlib import Path

import numpy as np

from xdsl_memplan.formats.minimalloc_csv import read_problem
from xdsl_memplan.model.check import check_plan
from xdsl_memplan.model.problem import Problem

DATA = Path(__file__).parent.parent / "data"


def read(path: Path) -> Problem:
    with path.open(encoding="utf-8") as stream:
        return read_problem(stream)


def test_the_load_of_instance_j_can_be_reached():
    """No smaller peak is possible, so this settles what the best peak of J is."""
    given = read(DATA / "minimalloc" / "J.1048576.csv")
    known = read(DATA / "known_plans" / "J.989184.csv")
    for column in ("sizes", "starts", "ends"):
        assert np.array_equal(getattr(given, column), getattr(known, column))
    offsets = np.array([offset for _, offset in known.fixed], dtype=np.int64)
    assert check_plan(given, offsets) == 989_184
    # What lives at the fullest tick needs as much.
    live = [given.sizes[(given.starts <= t) & (t < given.ends)].sum() for t in given.starts]
    assert max(live) == 989_184
