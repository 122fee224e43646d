"""Networks turned into native code with MLIR's and LLVM's tools, run, and compared.

Only for tests and for people who want to see that a planned network computes the same.
"""
