"""Exact gradients of a number of a run: reverse and forward mode on the recorded step.

trajectory  what the function of a run sees: numbers that record what is done to them
setup       how the arrays of a mechanism depend on what is asked for
listing     a node list as tables
reader_ir   the loops that read them, in LLVM IR
branches    a recorded step forwards and back: compiled, or read
tape        the run of recorded steps, and the way back along them
reverse_pass  a run, the value of the function, what kept states weigh; derivatives carried along
gradient    the call
"""
