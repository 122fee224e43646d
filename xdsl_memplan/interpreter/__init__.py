"""Runs small programs before and after the passes, with memory that really aliases.

xDSL's interpreter, with numpy arrays as tensors and memrefs: a view of a memref shares its
bytes, and a `memplan.buffer` lies at its offset in the bytes of its arena, so a wrong plan gives
wrong numbers. Storage that nobody has written holds NaN (or -1), so reading it shows.
"""
