"""What the passes know about IR: aliases, logical time, lifetimes, operator graphs."""
