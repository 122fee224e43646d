"""The vocabulary of planning: buffers, problems, plans, graphs, schedules, and the independent checker."""
