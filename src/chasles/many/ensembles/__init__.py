"""Many runs of one model: initial states and parameters vary from member to member.

members    what varies, arrays of every member, and which of their entries differ
smooth     the same of many members from few, where arrays are polynomials of what varies
observe    quantities that are followed without storing trajectories
lanes      members in the lanes of registers, on all cores
gpu        members as threads of a GPU
finish     members that leave the lanes, by the generic kernel
portable   a model as WebAssembly, for pages that run it
ensemble   the call, and the dataset that it returns
"""
