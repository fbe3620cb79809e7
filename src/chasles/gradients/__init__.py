"""Exact gradients of a number of a run: reverse mode on the recorded step.

trajectory  what the function of a run sees: numbers that record what is done to them
setup       how the arrays of a mechanism depend on what is asked for
back        the run, and the way back along its steps
gradient    the call
"""
