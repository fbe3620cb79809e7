"""Exact gradients of a number of a run: reverse and forward mode on the recorded step."""
