"""Straight-line kernels of small models: a step is recorded once, and becomes machine code.

record     a step, and a look at a state, run in plain Python on traced scalars
simplify   equal operations once, and none that nobody needs
llvm_ir    the node list as LLVM IR, for one system or for several in the lanes of a register
machine    object code from IR, kept on disk by content
stepper    steps of a run, with the generic kernel wherever a guard fails
"""
