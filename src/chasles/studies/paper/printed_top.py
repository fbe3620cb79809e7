r"""The heavy top by other means: a reference, and the paper's equations exactly as it prints them.

**Reference**: Euler's equations about the pivot, in quaternions,

$$ \Theta_p\dot\omega = -\omega\times\Theta_p\omega + r_0\times R^T m g, \qquad
   \dot q = \tfrac12 q\circ\omega . $$

The paper integrates them with variable steps at rtol 1e-6 and atol 1e-9; the tight one is what
that is measured against.  Nothing of this package takes part, so agreement means something.

**As printed**, in every combination: the rest of the package has one right way to write a
constraint; the paper has several, and mixes them.  A small integrator of its own (RK4,
Munthe-Kaas, plain Python) takes the pieces apart:

$$ (\Theta - m\hat l\hat l)\,\dot\omega = -\omega\times\Theta\omega
   - m\,l\times(\omega\times v + \eta), \qquad \dot v = \eta - l\times\dot\omega $$

is the paper's index-1 system for one body with $J = (\hat l\ \ I)$, the multiplier eliminated.
`l` is $r_0$ or $R^T r$; $\eta$ is the body-fixed right-hand side
$-\omega\times(\omega\times l') + \omega\times v$ with $l'$ again $r_0$ or $R^T r$, or that of the
hybrid equations, which in body axes is its negative with $r_0$.

**Counted**: how many operations a group's update takes, by formulas on numbers that are recorded.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from chasles.core.arrays import Floats
from chasles.groups.se3 import se3_compose, se3_dexp_inv, se3_exp
from chasles.groups.so3 import so3_inverse, so3_normalise, so3_rotate
from chasles.groups.so3xr3 import so3xr3_compose, so3xr3_dexp_inv, so3xr3_exp
from chasles.groups.vectors import add, axpy, cross, neg, sub
from chasles.model import Model
from chasles.scalars.traced import Tape, Traced
from chasles.spaces.subalgebras import hat

UPDATES = {
    "SE3": (se3_dexp_inv, se3_exp, se3_compose),
    "SO3xR3": (so3xr3_dexp_inv, so3xr3_exp, so3xr3_compose),
}


def inputs(tape: Tape, *values: float) -> tuple[Traced, ...]:
    return tuple(tape.input(value) for value in values)


def operations_of(tape: Tape) -> int:
    return sum(node.name in ("add", "subtract", "multiply", "divide") for node in tape.nodes)


def operations_of_a_stage(group: str) -> int:
    """Additions, subtractions, multiplications and divisions in dexp^-1, exp and composition."""
    dexp_inv, exp, compose = UPDATES[group]
    tape = Tape()
    psi = inputs(tape, 0.04, -0.06, 0.07), inputs(tape, 0.1, 0.2, 0.3)
    velocity = inputs(tape, 10.0, 20.0, -30.0), inputs(tape, 1.0, 2.0, 3.0)
    pose = inputs(tape, 0.5, -0.5, 0.5, 0.5), inputs(tape, 1.0, 2.0, 3.0)
    dexp_inv(psi, velocity)
    compose(pose, exp(psi))
    return operations_of(tape)


@dataclass(frozen=True)
class Reference:
    """A trajectory of the top: centre of mass (T, 3) in m, kinetic energy (T,) in J."""

    position: Floats
    kinetic: Floats


#: As the paper says, and as tight as doubles allow.
PAPER_TOLERANCES = {"method": "RK45", "rtol": 1e-6, "atol": 1e-9}
TIGHT_TOLERANCES = {"method": "DOP853", "rtol": 3e-14, "atol": 1e-15}


def quaternion_reference(model: Model, t: Floats, tolerances: dict) -> Reference:
    """The top's motion at the times t."""
    body = model.bodies[0]
    r0 = np.array(body.position)
    pivot_inertia = np.array(body.inertia) + body.mass * (r0 @ r0 * np.eye(3) - np.outer(r0, r0))
    inverse = np.linalg.inv(pivot_inertia)
    weight = body.mass * np.array(model.gravity)

    def rate(_: float, y: Floats) -> Floats:
        q, omega = y[:4] / np.linalg.norm(y[:4]), y[4:]
        w, v = q[0], q[1:]
        q_rate = 0.5 * np.concatenate(([-v @ omega], w * omega + np.cross(v, omega)))
        torque = -np.cross(omega, pivot_inertia @ omega)
        if weight.any():
            torque = torque + np.cross(r0, rotation_of(q).T @ weight)
        return np.concatenate((q_rate, inverse @ torque))

    start = np.concatenate(([1.0, 0, 0, 0], body.angular_velocity or (0.0, 0.0, 0.0)))
    solution = solve_ivp(rate, (t[0], t[-1]), start, t_eval=t, **tolerances)
    omega = solution.y[4:].T
    kinetic = 0.5 * np.einsum("ti,ij,tj->t", omega, pivot_inertia, omega)
    return Reference(rotation_of(solution.y[:4].T) @ r0, kinetic)


def rotation_of(q: Floats) -> Floats:
    return Rotation.from_quat(np.roll(q, -1, axis=-1)).as_matrix()


Vector = tuple[float, float, float]
#: Of the classical Runge-Kutta method.
NODES = (0.0, 0.5, 0.5, 1.0)
WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


@dataclass(frozen=True)
class Equations:
    """Which of the paper's equations: `group`, the lever in J, and the lever and form of eta."""

    group: str = "SE3"
    jacobian: str = "r0"  # or "R^T r"
    eta: str = "body r0"  # "body R^T r", "hybrid r0"
    dexp_inv: str = "at -Psi"  # "at +Psi", "left out": mistakes that are easy to make


#: The body-fixed right-hand side with the hybrid velocities: a possible mistake.
MIXED = Equations("SO3xR3", jacobian="r0", eta="body r0")


@dataclass(frozen=True)
class Trajectory:
    t: Floats
    gap: Floats  # (T,) |r - R r0|, m
    kinetic: Floats  # (T,) J
    position: Vector  # at the end, m


def integrate(model: Model, equations: Equations, until: float, step: float) -> Trajectory:
    """RK4 in the Munthe-Kaas form on the chosen group."""
    top = Top(model, equations)
    steps = round(until / step)
    gap, kinetic = np.zeros(steps + 1), np.zeros(steps + 1)
    pose, velocity = top.start()
    for index in range(steps + 1):
        gap[index], kinetic[index] = top.observe(pose, velocity)
        if index < steps:
            pose, velocity = top.step(pose, velocity, step)
    return Trajectory(np.linspace(0.0, step * steps, steps + 1), gap, kinetic, pose[1])


class Top:
    """One body on a pivot at the origin."""

    def __init__(self, model: Model, equations: Equations) -> None:
        body = model.bodies[0]
        self.body, self.mass = body, body.mass
        self.inertia: Vector = tuple(float(body.inertia[k][k]) for k in range(3))  # type: ignore[assignment]
        self.r0: Vector = body.position  # R(0) = I: from the pivot to the centre of mass
        self.equations = equations
        self.proper = equations.group == "SE3"
        self.dexp_inv, self.exp, self.compose = UPDATES[equations.group]

    def start(self) -> tuple[Any, Floats]:
        omega = self.body.angular_velocity
        return ((1.0, 0.0, 0.0, 0.0), self.r0), np.ravel(np.array((omega, cross(omega, self.r0))))

    def step(self, pose: Any, velocity: Floats, step: float) -> tuple[Any, Floats]:
        """Pose and velocity after a step of the classical method.

        A pose is (quaternion, place), velocities and phi, which moves the pose, are arrays (6,).
        """
        shift, change, all_shift, all_change = np.zeros((4, 6))
        for node, weight in zip(NODES, WEIGHTS):
            phi, now = node * step * shift, velocity + node * step * change
            shift = self.pull_back(phi, now)
            change = np.ravel(self.rate(self.moved(pose, phi), pair(now)))
            all_shift, all_change = all_shift + weight * shift, all_change + weight * change
        quaternion, place = self.moved(pose, step * all_shift)
        return (so3_normalise(quaternion), place), velocity + step * all_change

    def moved(self, pose: Any, phi: Floats) -> Any:
        return self.compose(pose, self.exp(pair(phi)))

    def pull_back(self, psi: Floats, velocity: Floats) -> Floats:
        if self.equations.dexp_inv == "left out":
            return velocity
        sign = -1.0 if self.equations.dexp_inv == "at -Psi" else 1.0
        return np.ravel(self.dexp_inv(pair(sign * psi), pair(velocity)))

    def body_twist(self, quaternion: Any, velocity: Any) -> Any:
        omega, v = velocity
        return omega, v if self.proper else so3_rotate(so3_inverse(quaternion), v)

    def rate(self, pose: Any, velocity: Any) -> Any:
        """The derivative of the velocity variable: (omega', v') or (omega', v^s')."""
        quaternion, position = pose
        omega, v = self.body_twist(quaternion, velocity)
        seen = so3_rotate(so3_inverse(quaternion), position)  # R^T r
        lever = self.r0 if self.equations.jacobian == "r0" else seen
        form, which = self.equations.eta.split(" ", 1)
        slip = sub(v, cross(omega, self.r0 if which == "r0" else seen))
        eta = cross(omega, slip if form == "body" else neg(slip))
        spin = tuple(i * w for i, w in zip(self.inertia, omega))
        pull = cross(lever, add(cross(omega, v), eta))
        right = axpy(-self.mass, pull, neg(cross(omega, spin)))
        alpha = tuple(np.linalg.solve(self.about_pivot(lever), right).tolist())
        v_rate = sub(eta, cross(lever, alpha))
        if self.proper:
            return alpha, v_rate
        return alpha, so3_rotate(quaternion, add(v_rate, cross(omega, v)))

    def about_pivot(self, lever: Vector) -> Floats:
        across = hat(np.array(lever))
        return np.diag(self.inertia) - self.mass * across @ across

    def observe(self, pose: Any, velocity: Any) -> tuple[float, float]:
        """The gap at the pivot and the kinetic energy."""
        open_by = sub(pose[1], so3_rotate(pose[0], self.r0))
        omega, v = pair(velocity)
        spin = sum(i * w * w for i, w in zip(self.inertia, omega))
        speed = sum(x * x for x in v)
        return sum(x * x for x in open_by) ** 0.5, 0.5 * (spin + self.mass * speed)


def pair(twist: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A twist as formulas take it."""
    x = twist.tolist()
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])
