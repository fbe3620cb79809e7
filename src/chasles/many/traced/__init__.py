"""Straight-line kernels of small models: a step is recorded once, and becomes machine code."""
