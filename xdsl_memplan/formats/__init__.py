"""Files: minimalloc CSV, JSON."""
