"""Functions that hold parts of another one while tiles are made."""

PART = "memplan.part"
"""Attribute of a function that `memplan-outline-parts` has made; its one call is gone after
`memplan-inline-parts`."""

PARTS = "memplan.parts"
"""Attribute of a function that computes in parts only."""
