"""The parts of `memplan-bufferize`.

A function is bufferized in three steps; the first two do not touch the IR.

1. `liveness` finds what is used, where, and until when; it numbers operations.
2. `placement` decides in one backward walk, results before operands, at which *place* (a storage
   and views of it) every tensor is. An operation offers the place of its result to what it reads.
   The rules for groups of operations are in `place_*.py`.
3. `emission` replaces the operations, in one forward walk. The groups are in `emit_*.py`.
"""
