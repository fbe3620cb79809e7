"""Studies: the same model run many ways, and what the runs say about each other."""
