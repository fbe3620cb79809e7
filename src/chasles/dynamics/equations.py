"""The equations of motion laid open: M, J, eta, Q and their solution at any state."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from chasles.core.arrays import TWIST, TWIST_COMPONENTS, Floats, System, row_span
from chasles.dynamics.evaluation import Solvable, evaluate
from chasles.dynamics.solver import make_solver, singular_error
from chasles.model import Model
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.spaces import resolve_spaces
from chasles.spaces.on_subgroups import check_charted
from chasles.start.kkt import mass_matrices
from chasles.system.build import build, is_closed
from chasles.system.state import State, checked_state
from chasles.system.turns import first_integrals


@dataclass(frozen=True)
class Equations:
    r"""The index-1 system at one state, in body twists V = (omega, v) at the centres of mass:

    $$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
       \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
       \begin{pmatrix} Q \\ \eta \end{pmatrix} $$

    `columns` names the velocities, (body, "wx" ... "uz"), `rows` the constraints,
    (joint, component).
    The wrench of the joints on the bodies is -J^T lambda.
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
    check_charted(checked_model(model), "equations")
    spaces = resolve_spaces(model, "SE3")
    entered = build(model, spaces, acceleration)
    if state is None:
        solver = make_solver(entered)
        return equations_at(solver, solver.start, 0.0, first_integrals(entered))
    here = build(model, spaces, acceleration, checked_state(state, "state"))
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
