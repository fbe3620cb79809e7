"""The equations of motion laid open: M, J, eta, Q and their solution at any state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from chasles.build.dynamics.solver import LOST, make_solver
from chasles.build.dynamics.tree_problem import TreeProblem, needs_tree, read_on_pairs
from chasles.build.start.free_bodies import MaximalForm, terms_at
from chasles.build.start.redundancy import all_rows, scale_error, singular_error
from chasles.build.start.rows import constraint_rows, mass_matrices, weights
from chasles.build.system.build import Setup, build, is_closed, rotor_places
from chasles.build.system.coordinates import coupled_places, first_integrals
from chasles.build.system.state import State, checked_state
from chasles.build.system.tree_setup import build_counted
from chasles.core.arrays import TWIST, TWIST_COMPONENTS, Floats, System, Workspace
from chasles.core.step_checks import MISSED
from chasles.model import InvalidModel, Model
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces import resolve_spaces
from chasles.spaces.tree import LIGHT


@dataclass(frozen=True)
class Equations:
    r"""The index-1 system at one state, in body twists V = (omega, v) at the centres of mass:

    $$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
       \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
       \begin{pmatrix} Q \\ \eta \end{pmatrix} $$

    omega and v are in body axes. The wrench of the joints on the bodies is -J^T lambda. Rotors
    couple the masses of two bodies, and a frame without mass has a block of zeros in M.

    Attributes
    ----------
    columns
        (body, component) of every velocity: "wx", "wy", "wz" (rad/s) and "ux", "uy", "uz" (m/s).
    rows
        (joint, component) of every constraint.
    mass
        M, (6n, 6n), kg m² and kg.
    jacobian
        J, (rows, 6n).
    eta
        Right-hand side of the acceleration constraints, (rows,), rad/s² and m/s².
    forces
        Q, (6n,): torques, N m, and forces, N, in body axes, with gravity and gyroscopic terms.
    velocity
        V, (6n,), rad/s and m/s, in body axes.
    acceleration
        Time derivative of V, (6n,), rad/s² and m/s², in body axes.
    multipliers
        lambda, (rows,), N m and N.

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
        """The matrix of the whole system, (6n + rows, 6n + rows)."""
        rows = len(self.rows)
        return np.block([[self.mass, self.jacobian.T], [self.jacobian, np.zeros((rows, rows))]])


@checked_keywords
def equations(
    model: Model, state: State | None = None, acceleration: Literal["screw", "space"] = "screw"
) -> Equations:
    """M, J, eta, Q, V' and lambda of a model at its start, or at a state of a result.

    Parameters
    ----------
    model
        The model.
    state
        The state and its time. Its joints may have small constraint violations, which are not
        corrected. Default: the start of the model at t = 0.
    acceleration
        Form of the acceleration constraints: "screw", or "space" as in the paper.

    Returns
    -------
    Equations
        The matrices and vectors, with twists of the bodies in body axes.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))])
    >>> ch.equations(model).jacobian.shape
    (3, 6)
    """
    if state is not None:
        checked_state(state, "state")
    entered = build(checked_model(model), resolve_spaces(model, "SE3"), acceleration)
    if needs_tree(entered):
        found = equations_on_pairs(model, state, acceleration)
    elif state is None:
        solver = make_solver(entered)
        found = equations_at(solver.form, solver.start, 0.0, first_integrals(entered))
    else:
        here = build(model, entered.spaces, acceleration, state)
        # Which joints repeat each other shows where they are closed.
        solver = make_solver(entered if is_closed(entered) else here, check=False)
        found = equations_at(solver.form, here.absolute, state.t, first_integrals(here))
    check_finite("equations", found.acceleration, found.columns)
    return found


def check_finite(asked: str, rates: Floats, columns: Sequence[tuple[str, str]]) -> None:
    """Refuse accelerations that are no finite numbers; `columns` says of what they are."""
    wrong = np.flatnonzero(~np.isfinite(rates))
    if wrong.size:
        name, word = columns[wrong[0]]
        raise InvalidModel(
            f"{asked}: the acceleration of '{name}' ({word}) is not a finite number.",
            "Look for forces, speeds or masses that are far too large or too small, and give frames"
            " without mass a small one.",
        )


def equations_at(
    form: MaximalForm, absolute: Floats, t: float = 0.0, integrals: Floats | None = None
) -> Equations:
    """`equations` of a model whose bodies are in its order."""
    found = form.at(absolute, t, integrals)
    if not found.is_solved:
        raise singular_error(form.setup, found.outcome)
    return equation_terms(
        form.setup, absolute, found.workspace, found.acceleration, found.multipliers[-1]
    )


def equations_of_pairs(
    setup: Setup, problem: TreeProblem, absolute: Floats, t: float, integrals: Floats
) -> Equations:
    """The same for couplings and bodies without mass, on the tree of a problem."""
    states, times = absolute[None], np.array([t])
    rates = read_on_pairs(setup, states, times, integrals[None], problem=problem).rates[0].ravel()
    return equation_terms(setup, absolute, terms_at(setup, absolute, t, integrals), rates)


def equation_terms(
    setup: Setup, absolute: Floats, terms: Workspace, rates: Floats,
    multipliers: Floats | None = None,
) -> Equations:  # fmt: skip
    """M, J, eta and Q where J, eta and Q of joints and forces are known, and V'.

    A coupling has a row on the twists of all bodies that it names.  Without multipliers, the
    minimum-norm solution is taken.
    """
    system, model = setup.system, setup.model
    every = constraint_rows(setup, terms.jacobian, absolute, rotors=True)
    jacobian, eta = every.dense(6 * system.body_count), terms.eta.copy()
    inertia, push = terms_of_rotors(system, jacobian, eta)
    mass, forces = dense_mass(system) + inertia, terms.forces + push
    coupled = coupled_places(setup)
    eta[coupled] = jacobian[coupled] @ rates
    rows = all_rows(setup)
    if multipliers is None:
        found = shortest(setup, jacobian[rows], forces - mass @ rates)
    else:
        found = multipliers[rows]
    return Equations(
        columns=tuple((name, c) for name in model.body_names for c in TWIST_COMPONENTS),
        rows=tuple((name, c) for name, k in setup.joint_index.items() for c in setup.locked(k)),
        mass=mass, jacobian=jacobian[rows], eta=eta[rows], forces=forces,
        velocity=absolute[:, TWIST:].ravel(), acceleration=rates, multipliers=found,
    )  # fmt: skip


def terms_of_rotors(system: System, jacobian: Floats, eta: Floats) -> tuple[Floats, Floats]:
    r"""What rotors add to M and Q, from all rows of J and eta.

    One of inertia $I_r$ on a coordinate of the rate $R V$ asks for the effort
    $-I_r(R\dot V - \eta_r)$:  $M = M_b + R^T I_r R$, $Q = Q_b + R^T I_r\,\eta_r$.
    """
    places, inertia = rotor_places(system)
    rows = jacobian[places]
    return rows.T @ (inertia[:, None] * rows), rows.T @ (inertia * eta[places])


def equations_on_pairs(model: Model, state: State | None, acceleration: str) -> Equations:
    """The same where couplings or frames without mass are in the model: by the recursion."""
    spaces, t = resolve_spaces(model, "subgroups"), 0.0 if state is None else state.t
    problem = TreeProblem.from_setup(build_counted(model, spaces, acceleration, state))
    setup, absolute = problem.setup, problem.absolute(problem.start[None])[0]
    found = equations_of_pairs(setup, problem, absolute, t, first_integrals(setup))
    check_rows(setup, found, LOST if state is None else MISSED)
    return in_models_order(found, setup)


def check_rows(setup: Setup, found: Equations, share: float) -> None:
    """Refuse accelerations that miss a share of what joints ask for: bodies are far too light.

    What the forces would make of the whole model in one piece counts as well: it may be at rest.
    """
    missed = np.abs(found.jacobian @ found.acceleration - found.eta)
    typical = np.abs(found.forces.reshape(-1, 6)[:, 3:]).sum() / setup.system.bodies.mass.sum()
    floor = np.repeat((typical / (setup.longest_lever or 1.0), typical), 3)
    moved = np.abs(found.acceleration) + np.tile(floor, setup.system.body_count)
    sizes = np.abs(found.jacobian) @ moved + np.abs(found.eta)
    if (missed > share * sizes.max(initial=0.0)).any():
        raise scale_error(*found.rows[int(np.argmax(missed))])


def in_models_order(found: Equations, setup: Setup) -> Equations:
    """The same with the bodies as in the model: a setup has parents first."""
    order = np.array(setup.model_order)
    places = (6 * order[:, None] + np.arange(6)).ravel()
    return replace(
        found, mass=found.mass[np.ix_(places, places)], jacobian=found.jacobian[:, places],
        forces=found.forces[places], velocity=found.velocity[places],
        acceleration=found.acceleration[places],
    )  # fmt: skip


def shortest(setup: Setup, jacobian: Floats, wrenches: Floats) -> Floats:
    r"""lambda with $J^T\lambda = $ `wrenches`: of several the shortest.

    Forces and torques are weighed by what they would accelerate.
    """
    lower = np.linalg.cholesky(weights(setup.system, LIGHT))
    columns = jacobian.reshape(len(jacobian), -1, 6).transpose(1, 2, 0)
    scaled = np.linalg.solve(lower, columns).reshape(-1, len(jacobian))
    pushed = np.linalg.solve(lower, wrenches.reshape(-1, 6, 1)).ravel()
    sizes = np.linalg.norm(scaled, axis=0)
    sizes[sizes == 0.0] = 1.0
    found: Floats = np.linalg.lstsq(scaled / sizes, pushed, rcond=1e-11)[0] / sizes
    return found


def dense_mass(system: System) -> Floats:
    """M (6n, 6n)."""
    count = system.body_count
    mass = np.zeros((count, 6, count, 6))
    mass[np.arange(count), :, np.arange(count)] = mass_matrices(system)
    return mass.reshape(6 * count, 6 * count)
