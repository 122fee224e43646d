"""Run planners and peers side by side, measure them, report.

- `instances`: what is planned; `contenders`: who plans, ours; `peers`: who plans, theirs;
- `measure`: one run in a process of its own; `session`: all runs, interleaved, kept as they come;
- `summary`, `same_rule`, `growth`, `table`, `report`, `figure`: what came out.
"""
