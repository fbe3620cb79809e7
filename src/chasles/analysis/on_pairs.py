r"""Small vibrations of models with rotors, couplings or frames without mass, about a state at rest.

In the velocities v of the pairs that carry the bodies, the recursion gives $\dot v = a(q, v)$ with
all rows met.  It runs here on numbers that carry their derivatives (`scalars.dual`): along
displacements $\delta$ of the pairs, $q\exp\delta$, and along velocities $\nu$,

$$ \dot\delta = \nu, \qquad \dot\nu = \partial_\delta a\,\delta + \partial_\nu a\,\nu,
   \qquad J\delta = 0, \quad J\nu = 0. $$

With B a basis of the motions that rows and drivers leave free, orthonormal in the mass matrix M of
the pairs, $\delta = B p$ and $\nu = B w$: $\dot p = w$ and
$\dot w = B^T M (\partial_\delta a\,B p + \partial_\nu a\,B w)$.

About a motion $\dot\delta$ has further terms and B turns; that is not done here.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.build.dynamics.joint_dynamics import twists_of_rates
from chasles.build.dynamics.tree_problem import TreeProblem, no_pivot
from chasles.build.start.kkt import mass_matrices
from chasles.build.start.redundancy import DEPENDENT
from chasles.build.system.state import State
from chasles.build.system.turns import first_integrals
from chasles.core.arrays import ROW_WIDTH, TWIST, Floats
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.motion import retract
from chasles.core.recursion.stage import accelerate_at
from chasles.model import CustomCoupling, CustomForce, CustomJoint, InvalidOption, JointLaw, Model
from chasles.scalars.dual import Dual, value_of
from chasles.scalars.traced import unboxed

#: Speeds below this fraction of those of a pendulum of the mechanism's size are rest.
AT_REST = 1e-9


class Slopes(NamedTuple):
    """Accelerations of the pairs at a state at rest, and their derivatives."""

    rates: Floats  # v' (v,)
    by_pose: Floats  # (v, v)
    by_rate: Floats  # (v, v)
    rows: Floats  # J (m, v)


class Vibrations(NamedTuple):
    """The reduced equations, in a basis that is orthonormal in the mass matrix."""

    matrix: Floats  # A (2 d, 2 d)
    positions: Floats  # Y (6 n, d) twists of the bodies, in the model's order
    noise: Floats  # (d, d) what was added up in the stiffness, without signs
    acceleration: Floats  # V' (6 n,)


def vibrations(model: Model, state: State, signals: Floats) -> Vibrations:
    """Of a model at a state, where functions of time have these values."""
    check_formulas(model)
    problem = TreeProblem.from_model(model, start=state)
    problem.work.quadratures[:] = first_integrals(problem.setup)
    check_rest(problem)
    found = slopes_at(problem, signals)
    twists, tree = twists_of_rates(problem), problem.tree
    inertia = mass_matrices(problem.setup.system)
    mass = np.einsum("nkv,nkl,nlw->vw", twists, inertia, twists) + np.diag(tree.armature)
    basis = free_basis(found.rows, mass, tree.driven < 0)
    back, count = basis.T @ mass, basis.shape[1]
    matrix = np.zeros((2 * count, 2 * count))
    matrix[:count, count:] = np.eye(count)
    matrix[count:, :count] = back @ found.by_pose @ basis
    matrix[count:, count:] = back @ found.by_rate @ basis
    size, whole = np.abs(basis), np.abs(mass) @ np.abs(found.by_pose)
    order = [problem.setup.body_index[name] for name in model.body_names]
    motions = twists[order].reshape(-1, tree.rate_count)
    return Vibrations(matrix, motions @ basis, size.T @ whole @ size, motions @ found.rates)


def check_formulas(model: Model) -> None:
    """Refuse users' formulas, whose derivatives are not taken here."""
    users = (CustomForce, CustomJoint, JointLaw, CustomCoupling)
    for part in (*model.forces, *model.joints, *model.drivers):
        if isinstance(part, users):
            raise InvalidOption(
                f"linearise: '{part.name}' is a formula of your own, beside rotors, couplings or"
                " frames without mass: its derivatives are not taken there.",
                "Leave it out, or give the bodies mass and leave rotors and couplings out.",
            )


def check_rest(problem: TreeProblem) -> None:
    """Refuse a state in motion."""
    setup, rates = problem.setup, problem.start[problem.tree.stored_count :]
    slow = np.sqrt(np.linalg.norm(setup.model.gravity) * (setup.longest_lever or 1.0))
    if np.abs(rates).max(initial=0.0) > AT_REST * max(slow, 1e-3):
        raise InvalidOption(
            "linearise: the model moves, and has rotors, couplings or frames without mass: it is"
            " linearised about states at rest only.",
            "Take an equilibrium, or a start without velocities.",
        )


def slopes_at(problem: TreeProblem, signals: Floats) -> Slopes:
    """The recursion on numbers with derivatives along all displacements and velocities."""
    setup, tree = problem.setup, problem.tree
    count, every = tree.rate_count, np.eye(2 * tree.rate_count)
    problem.work.signals[:] = signals
    flat, system = unboxed(tree), unboxed(setup.system)
    work, loops, room = map(unboxed, (problem.work, problem.loops, problem.room))
    memory = unboxed(problem.memory)._replace(signals=work.signals)
    point = problem.start.tolist()
    retract(flat, point, [Dual(0.0, row) for row in every], point)
    rates = [0.0] * count
    outcome = accelerate_at(flat, memory, system, work, loops, room, point, rates, 0)
    if outcome != SOLVED:
        raise no_pivot(outcome)
    speeds = [row_speed(loops, work, row) for row in range(loops.row_count)]
    for k in range(loops.coupled_count):
        speeds[loops.coupled[k]] = room.speeds[k]
    slopes = np.array([slope_of(x, 2 * count) for x in rates]).reshape(-1, 2 * count)
    rows = np.array([slope_of(x, 2 * count) for x in speeds]).reshape(-1, 2 * count)
    values = np.array([float(value_of(x)) for x in rates])
    return Slopes(values, slopes[:, :count], slopes[:, count:], rows[:, count:])


def row_speed(loops: Any, work: Any, row: int) -> Any:
    """J V of a row that acts on two bodies: at rest its derivatives along velocities are J."""
    total: Any = 0.0
    for side in range(2):
        body = loops.bodies[2 * row + side]
        if body >= 0:
            entry = loops.source[row] * ROW_WIDTH + 6 * side
            for c in range(6):
                speed = work.absolute[18 * body + TWIST + c]
                total = total + work.jacobian[entry + c] * speed
    return total


def slope_of(x: Any, count: int) -> Floats:
    return x.slope if isinstance(x, Dual) else np.zeros(count)


def free_basis(rows: Floats, mass: Floats, free: NDArray[np.bool_]) -> Floats:
    """B (v, d): what rows and drivers leave free, orthonormal in the mass matrix."""
    inverse = np.linalg.inv(np.linalg.cholesky(mass)).T
    locked = np.vstack((rows, np.eye(len(mass))[~free]))
    weighted = locked @ inverse
    sizes = np.linalg.norm(weighted, axis=1)
    weighted = weighted / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    _, s, vt = np.linalg.svd(weighted)
    rank = int(np.sum(s > DEPENDENT * s.max(initial=0.0)))
    return np.asarray(inverse @ vt[rank:].T)
