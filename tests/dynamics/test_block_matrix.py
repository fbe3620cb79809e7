"""A matrix of blocks on any graph solves what NumPy solves, and counts signs as eigenvalues do."""

import numpy as np
import pytest

from chasles.core.blocks.matrix import BlockMatrix

RNG = np.random.default_rng(5)


def graph(count, extra):
    """A tree of nodes, and some edges more."""
    edges = [(k, int(RNG.integers(0, k))) for k in range(1, count)]
    return edges + [tuple(RNG.integers(0, count, 2)) for _ in range(extra)]


def filled(matrix, edges, diagonal):
    """The matrix with random blocks, and the same as an array."""
    first = matrix.offsets
    dense = np.zeros((matrix.sizes.sum(),) * 2)
    pairs = {tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}
    pairs |= {(k, k) for k in range(len(matrix.sizes))}
    for i, j in pairs:
        for row, column in {(i, j), (j, i)}:
            if matrix.symmetric and (row, column) != (i, j):
                continue
            block = RNG.normal(size=(matrix.sizes[row], matrix.sizes[column]))
            if row == column:
                block = (
                    block + (block.T if matrix.symmetric else 0.0) + diagonal * np.eye(len(block))
                )
            matrix.put_block(row, column, block)
            rows = slice(first[row], first[row] + len(block))
            columns = slice(first[column], first[column] + block.shape[1])
            dense[rows, columns] = block
            if matrix.symmetric:
                dense[columns, rows] = block.T
    return dense


@pytest.mark.parametrize("count, extra", [(1, 0), (2, 0), (9, 0), (9, 12), (40, 30)])
@pytest.mark.parametrize("symmetric", [True, False])
def test_it_solves_what_numpy_solves(symmetric, count, extra):
    edges = graph(count, extra)
    sizes = RNG.choice([3, 6] if symmetric else [1, 2, 3, 5, 6], count)
    matrix = BlockMatrix(sizes, edges, symmetric)
    dense = filled(matrix, edges, diagonal=60.0)
    rhs = RNG.normal(size=len(dense))
    assert matrix.factor()
    expected = np.linalg.solve(dense, rhs)
    assert matrix.solve(rhs) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


def test_the_signs_of_its_pivots_are_those_of_the_eigenvalues():
    edges = graph(12, 8)
    matrix = BlockMatrix(np.full(12, 6), edges)
    dense = filled(matrix, edges, diagonal=0.0)
    assert matrix.factor()
    values = np.linalg.eigvalsh(dense)
    assert matrix.inertia == (int(np.sum(values > 0)), int(np.sum(values < 0)))


def test_blocks_add_up_and_can_be_cleared():
    matrix = BlockMatrix([3, 6], [(0, 1)], symmetric=False)
    for _ in range(2):
        matrix.clear()
        for _ in range(3):
            for node, size in enumerate((3, 6)):
                matrix.put_block(node, node, np.eye(size))
        assert matrix.factor()
        assert matrix.solve(np.ones(9)) == pytest.approx(np.full(9, 1 / 3))


def test_a_singular_pivot_is_told():
    matrix = BlockMatrix([2, 2], [(0, 1)], symmetric=False)
    matrix.put_block(0, 0, np.zeros((2, 2)))
    assert not matrix.factor()
