"""Straight-line kernels of small models: a step is recorded once, and becomes machine code.

record     a step, and a look at a state, run in plain Python on traced scalars
simplify   equal operations once, and none that nobody needs
schedule   operations in an order that keeps several units of a processor busy
llvm_ir    the node list as LLVM IR, for one system or for several in the lanes of a register
loop_ir    the time loop around it, and the one back along its adjoint
running    the machine code of both, as Python calls it; recordings of the last calls
adjoint    reverse mode on the node list
wasm       the machine code for a page
cuda       both as CUDA C
machine    object code from IR, kept on disk by content
stepping   steps of a run, with the generic kernel wherever a guard fails
choosing   when that pays
"""
