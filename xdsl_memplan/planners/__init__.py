"""Offset assignment: one registry of planners, each turning a Problem into a Plan."""
