"""Implicit steps: the equations at the end of a step solved for accelerations and multipliers."""
