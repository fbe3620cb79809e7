"""The equations of motion laid open: M, J, eta, Q and their solution at any state."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from chasles.build.dynamics.evaluation import Solvable, evaluate
from chasles.build.dynamics.joint_dynamics import twists_of_rates
from chasles.build.dynamics.maximal import terms_at
from chasles.build.dynamics.solver import make_solver, singular_error
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.dynamics.tree_readout import needs_tree
from chasles.build.start.kkt import mass_matrices, weights
from chasles.build.start.redundancy import all_rows
from chasles.build.system.build import Setup, build, is_closed
from chasles.build.system.coupled import coupled_matrix, coupled_places
from chasles.build.system.state import State, checked_state
from chasles.build.system.turns import first_integrals
from chasles.core.arrays import (
    POSE_R,
    POSE_X,
    TWIST,
    TWIST_COMPONENTS,
    Floats,
    Integers,
    System,
    row_span,
)
from chasles.core.recursion.tree import DOF
from chasles.model import Model
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces import resolve_spaces


@dataclass(frozen=True)
class Equations:
    r"""The index-1 system at one state, in body twists V = (omega, v) at the centres of mass:

    $$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
       \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
       \begin{pmatrix} Q \\ \eta \end{pmatrix} $$

    `columns` names the velocities, (body, "wx" ... "uz"), `rows` the constraints,
    (joint, component).
    The wrench of the joints on the bodies is -J^T lambda.  Rotors tie the masses of two bodies, and
    a frame without mass has a block of zeros in M.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> found = ch.equations(model)
    >>> found.mass.shape, found.acceleration.round(2).tolist()
    ((6, 6), [0.0, 0.0, 0.0, 0.0, 0.0, -9.81])
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str], ...]
    mass: Floats  # M (6n, 6n)
    jacobian: Floats  # J (rows, 6n)
    eta: Floats  # (rows,)
    forces: Floats  # Q (6n,)
    velocity: Floats  # V (6n,)
    acceleration: Floats  # V' (6n,)
    multipliers: Floats  # lambda (rows,)

    @property
    def kkt(self) -> Floats:
        """The whole matrix, (6n + rows) square."""
        rows = len(self.rows)
        return np.block([[self.mass, self.jacobian.T], [self.jacobian, np.zeros((rows, rows))]])


@checked_keywords
def equations(
    model: Model, state: State | None = None, acceleration: Literal["screw", "space"] = "screw"
) -> Equations:
    """M, J, eta, Q, V' and lambda of a model at its start, or at a state of a result.

    A state is taken as it is, at its own time: its joints may be a little open.

    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))])
    >>> ch.equations(model).jacobian.shape
    (3, 6)
    """
    if state is not None:
        checked_state(state, "state")
    if needs_tree(checked_model(model)):
        return equations_on_pairs(model, state, acceleration)
    spaces = resolve_spaces(model, "SE3")
    entered = build(model, spaces, acceleration)
    if state is None:
        solver = make_solver(entered)
        return equations_at(solver, solver.start, 0.0, first_integrals(entered))
    here = build(model, spaces, acceleration, state)
    # Which joints repeat each other shows where they are closed.
    solver = make_solver(entered if is_closed(entered) else here, check=False)
    return equations_at(solver, here.absolute, state.t, first_integrals(here))


def equations_at(
    problem: Solvable, absolute: Floats, t: float = 0.0, integrals: Floats | None = None
) -> Equations:
    """`equations` of a problem or solver whose bodies are in the model's order."""
    setup, system, model = problem.setup, problem.setup.system, problem.setup.model
    found = evaluate(problem, absolute, t, integrals)
    if not found.is_solved:
        raise singular_error(setup, found.outcome)
    return Equations(
        columns=tuple((name, c) for name in model.body_names for c in TWIST_COMPONENTS),
        rows=tuple((name, c) for name, k in setup.joint_index.items() for c in setup.locked(k)),
        mass=dense_mass(system),
        jacobian=dense_jacobian(system, found.jacobian)[found.rows],
        eta=found.eta[found.rows],
        forces=found.forces,
        velocity=absolute[:, TWIST:].ravel(),
        acceleration=found.acceleration,
        multipliers=found.multipliers[found.rows],
    )


def equations_on_pairs(model: Model, state: State | None, acceleration: str) -> Equations:
    r"""The same where rotors, couplings or frames without mass are in the model.

    The recursion finds $\dot V$ and the rates v' of the pairs.  A rotor of inertia $I_r$ on a
    coordinate, whose rate is $v = R V$ (see `rotor_rows`), asks for the effort $-I_r\dot v$, with
    $\dot v = R\dot V - \eta_r$:

    $$ M = M_b + R^T I_r R, \qquad Q = Q_b + R^T I_r\,\eta_r . $$

    A coupling has a row on the twists of all bodies that it names.
    """
    problem, t = TreeProblem.from_model(model, start=state), 0.0 if state is None else state.t
    problem.work.quadratures[:] = first_integrals(problem.setup)
    order = [problem.setup.body_index[name] for name in model.body_names]
    rates = problem.twist_rates(problem.start, t)[order].ravel()
    setup = build(model, resolve_spaces(model, "SE3"), acceleration, state)
    absolute = problem.absolute(problem.start[None])[0][order]
    terms = terms_at(setup, absolute, t, first_integrals(setup))
    geared, rows = rotor_rows(problem)
    rows = rows[:, order].reshape(len(geared), 6 * len(order))
    inertia, own = problem.tree.armature[geared], problem.reactions(problem.start, t).rates[geared]
    mass = dense_mass(setup.system) + rows.T @ (inertia[:, None] * rows)
    forces = terms.forces + rows.T @ (inertia * (rows @ rates - own))
    jacobian, eta = dense_jacobian(setup.system, terms.jacobian), terms.eta
    coupled = coupled_places(setup)
    jacobian[coupled] = coupled_matrix(setup, absolute)
    eta[coupled] = jacobian[coupled] @ rates
    chosen = all_rows(setup)
    return Equations(
        columns=tuple((name, c) for name in model.body_names for c in TWIST_COMPONENTS),
        rows=tuple((name, c) for name, k in setup.joint_index.items() for c in setup.locked(k)),
        mass=mass,
        jacobian=jacobian[chosen],
        eta=eta[chosen],
        forces=forces,
        velocity=absolute[:, TWIST:].ravel(),
        acceleration=rates,
        multipliers=shortest(setup, jacobian[chosen], forces - mass @ rates),
    )


def rotor_rows(problem: TreeProblem) -> tuple[Integers, Floats]:
    r"""Coordinates with rotors (r,), and the rows R (r, n, 6) that their rates are of body twists.

    Relative twists are $S v = V_b - \mathrm{Ad}\,V_p$, so
    $R = S^+ (1, -\mathrm{Ad})$ on a body b and its parent p.
    """
    tree, geared, rows = problem.tree, list[int](), list[Floats]()
    absolute, twists = problem.absolute(problem.start[None])[0], twists_of_rates(problem)
    for body in range(tree.body_count):
        first, parent = int(tree.rate_at[body]), int(tree.parent[body])
        span = slice(first, first + DOF[tree.pair[body]])
        if not tree.armature[span].any():
            continue
        relative, row = twists[body, :, span], np.zeros((span.stop - first, tree.body_count, 6))
        if parent >= 0:
            carried = twist_seen_from(absolute[body], absolute[parent])
            relative = relative - carried @ twists[parent, :, span]
            row[:, parent] = -np.linalg.pinv(relative) @ carried
        row[:, body] = np.linalg.pinv(relative)
        geared += range(first, span.stop)
        rows += list(row)
    return np.array(geared, np.int64), np.array(rows).reshape(-1, tree.body_count, 6)


def twist_seen_from(body: Floats, parent: Floats) -> Floats:
    """Ad (6, 6): the twist that a body on a parent has by the parent's own, each at its COM."""
    own, base = (row[POSE_R : POSE_R + 9].reshape(3, 3) for row in (body, parent))
    arm = base.T @ (body[POSE_X : POSE_X + 3] - parent[POSE_X : POSE_X + 3])
    turn, carried = own.T @ base, np.zeros((6, 6))
    carried[:3, :3] = carried[3:, 3:] = turn
    carried[3:, :3] = turn @ np.cross(np.eye(3), arm).T  # omega x arm
    return carried


def shortest(setup: Setup, jacobian: Floats, wrenches: Floats) -> Floats:
    r"""lambda with $J^T\lambda = $ `wrenches`: of several the shortest.

    Forces and torques are weighed by what they would accelerate.
    """
    lower = np.linalg.cholesky(weights(setup.system))
    columns = jacobian.reshape(len(jacobian), -1, 6).transpose(1, 2, 0)
    scaled = np.linalg.solve(lower, columns).reshape(-1, len(jacobian))
    pushed = np.linalg.solve(lower, wrenches.reshape(-1, 6, 1)).ravel()
    sizes = np.linalg.norm(scaled, axis=0)
    sizes[sizes == 0.0] = 1.0
    found: Floats = np.linalg.lstsq(scaled / sizes, pushed, rcond=1e-11)[0] / sizes
    return found


def dense_mass(system: System) -> Floats:
    """M (6n, 6n)."""
    count = 6 * system.body_count
    mass = np.zeros((count, count))
    for body, block in enumerate(mass_matrices(system)):
        mass[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = block
    return mass


def dense_jacobian(system: System, entries: Floats) -> Floats:
    """J (rows, 6n), padding included, from the entries (rows, 12) on the bodies of every joint."""
    jacobian = np.zeros((system.row_count, 6 * system.body_count))
    for joint in range(system.joint_count):
        span = row_span(system, joint)
        for side, body in enumerate((system.joints.a[joint], system.joints.b[joint])):
            if body >= 0:
                jacobian[span, 6 * body : 6 * body + 6] = entries[span, 6 * side : 6 * side + 6]
    return jacobian
