"""Stand-ins for the interfaces of other planners, so that a compiler can switch with one import."""
