"""Rows of joints and drivers that repeat others, counted for `Model.degrees_of_freedom`."""

from chasles.build.dynamics.solver import make_solver
from chasles.build.system.build import build
from chasles.model import Model
from chasles.spaces import resolve_spaces


def repeated_rows(model: Model) -> int:
    """Rows less their rank, at the poses entered; joints may be open there."""
    setup = build(model, resolve_spaces(model, "SE3"))
    redundancy = make_solver(setup, check=False).redundancy
    return 0 if redundancy is None else redundancy.rows - redundancy.rank
