"""Rows of joints and drivers that repeat others, counted for `Model.degrees_of_freedom`."""

import numpy as np

from chasles.build.dynamics.solver import Solver, make_solver
from chasles.build.start.closure import gaps_and_rows
from chasles.build.start.redundancy import DEPENDENT, equilibrated
from chasles.build.system.build import Setup, build, real_rows
from chasles.build.system.coupled import coupled_matrix
from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.spaces import resolve_spaces


def repeated_rows(model: Model) -> int:
    """Rows less their rank, at the poses entered; joints may be open there."""
    setup = build(model, resolve_spaces(model, "SE3"))
    solver = make_solver(setup, check=False)
    redundancy = solver.redundancy
    repeated = 0 if redundancy is None else redundancy.rows - redundancy.rank
    if model.couplings and not setup.system.bodies.mass.all():  # frames have no equations there
        return repeated + repeated_couplings(setup, solver)
    return repeated


def repeated_couplings(setup: Setup, solver: Solver) -> int:
    """How many couplings follow from joints, drivers and other couplings, at the poses entered."""
    jacobian = gaps_and_jacobian(setup, solver)
    joints = equilibrated(setup, jacobian)[real_rows(setup.system)]
    couplings = coupled_matrix(setup, setup.absolute)
    largest = np.abs(couplings).max(axis=1, initial=0.0)
    couplings = couplings / np.where(largest > 0.0, largest, 1.0)[:, None]
    together = rank_of(np.vstack((joints, couplings)))
    return len(couplings) - (together - rank_of(joints))


def gaps_and_jacobian(setup: Setup, solver: Solver) -> Floats:
    """J at the poses entered."""
    gaps_and_rows(setup.system, solver.work, setup.absolute)
    return solver.work.jacobian


def rank_of(matrix: Floats) -> int:
    s = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(s > DEPENDENT * s.max(initial=0.0)))
