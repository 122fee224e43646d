"""Whether tiles compute what the whole program does; no code is shared with what makes them."""
