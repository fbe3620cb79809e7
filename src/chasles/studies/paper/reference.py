r"""Reference trajectories of the heavy top: Euler's equations about the pivot, in quaternions.

$$ \Theta_p\dot\omega = -\omega\times\Theta_p\omega + r_0\times R^T m g, \qquad
   \dot q = \tfrac12 q\circ\omega $$

The paper integrates them with variable steps at rtol 1e-6 and atol 1e-9; the tight one is what
that is measured against.  Nothing of this package takes part, so agreement means something.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from chasles.core.arrays import Floats
from chasles.model import Model


@dataclass(frozen=True)
class Reference:
    """A trajectory of the top: centre of mass (T, 3), rotation (T, 3, 3), body rates (T, 3)."""

    t: Floats
    position: Floats
    rotation: Floats
    angular_velocity: Floats
    kinetic: Floats
    evaluations: int


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
        w, x, y1, z = q
        a, b, c = omega
        q_rate = 0.5 * np.array(
            [
                -x * a - y1 * b - z * c,
                w * a + y1 * c - z * b,
                w * b + z * a - x * c,
                w * c + x * b - y1 * a,
            ]
        )
        torque = -np.cross(omega, pivot_inertia @ omega)
        if weight.any():
            torque = torque + np.cross(r0, rotation_of(q).T @ weight)
        return np.concatenate((q_rate, inverse @ torque))

    start = np.concatenate(([1.0, 0, 0, 0], body.angular_velocity or (0.0, 0.0, 0.0)))
    solution = solve_ivp(rate, (t[0], t[-1]), start, t_eval=t, **tolerances)
    rotation = rotation_of(solution.y[:4].T)
    omega = solution.y[4:].T
    kinetic = 0.5 * np.einsum("ti,ij,tj->t", omega, pivot_inertia, omega)
    return Reference(t, rotation @ r0, rotation, omega, kinetic, solution.nfev)


def rotation_of(q: Floats) -> Floats:
    return Rotation.from_quat(np.roll(q, -1, axis=-1)).as_matrix()
