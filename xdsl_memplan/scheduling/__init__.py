"""Operator order and replacement: from a Graph to a Schedule."""
