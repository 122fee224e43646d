"""The memplan dialect, and additions to stock dialects."""
