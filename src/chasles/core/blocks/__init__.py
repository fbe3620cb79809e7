"""A sparse matrix of small blocks on a graph, and what owns it.

A node of the graph is a few rows (a body's six, a joint's three or six), an edge a block that need
not vanish.  The graph alone decides the order of elimination (`elimination`) and where every block
of the factor lies (`layout`); then the matrix is loaded and factored as often as one likes:
`symmetric` for the KKT matrix of a step, written out for blocks of three and six, `general` for any
matrix whose pattern is symmetric.  `matrix.BlockMatrix` is the owner for callers in Python.
"""
