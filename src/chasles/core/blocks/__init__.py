"""Small blocks written out (`small`), and sparse matrices of blocks on a graph.

A node of the graph is a few rows (a body's six, a joint's), an edge a block that need not vanish.
`general` lays the factor of any matrix with a symmetric pattern out and factors it in machine
code, for the whole Newton matrix of implicit steps.
"""
