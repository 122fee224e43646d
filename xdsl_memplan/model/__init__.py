"""The vocabulary of planning: buffers, problems, plans, graphs, schedules, the checker."""
