r"""One body on the ground, integrated with exp or with the Cayley map, in plain Python.

The kernels know exp only.  Here a step is

$$ \Phi' = d\tau^{-1}_{-\Phi} V, \qquad C = C_0\, \tau(\Phi), \qquad
   \tau \in \{\exp, \mathrm{cay}\} $$

with the classical Runge-Kutta method; on SE(3) the body's Jacobian is constant, so that V' is one
small linear solve.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from chasles.build.dynamics.equations import equations
from chasles.build.system.build import build
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats
from chasles.groups.se3 import se3_cay, se3_compose, se3_dcay_inv, se3_dexp_inv, se3_exp
from chasles.groups.so3 import so3_from_matrix, so3_matrix
from chasles.model import Model
from chasles.result.violations import gap
from chasles.spaces import resolve_spaces
from chasles.studies.classical import Chart, munthe_kaas_step, pair

MAPS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (se3_exp, se3_dexp_inv),
    "Cayley": (se3_cay, se3_dcay_inv),
}


class OneBody(NamedTuple):
    """M, the constant J, gravity, and (M J^T; J 0)^-1."""

    mass: Floats
    gravity: Floats
    inverse: Floats


def gap_with(model: Model, name: str, until: float, step: float) -> float:
    """Largest gap, m or rad, of a model of one body and one joint, on SE(3) with that map."""
    setup = build(model, resolve_spaces(model, "SE3"), "screw")
    poses = np.array(trajectory(model, name, round(until / step), step))
    rotation, translation = gap(setup, model.joint_names[0], poses[:, None, :])
    return float(max(np.linalg.norm(part, axis=1).max() for part in (rotation, translation)))


def trajectory(model: Model, name: str, steps: int, step: float) -> list[Floats]:
    """Absolute states (18,) after every step."""
    eq = equations(model)
    body = model.bodies[0]
    rows = len(eq.rows)
    kkt = np.block([[eq.mass, eq.jacobian.T], [eq.jacobian, np.zeros((rows, rows))]])
    fixed = OneBody(eq.mass, np.array(model.gravity) * body.mass, np.linalg.inv(kkt)[:6])
    flat = tuple(float(x) for row in body.rotation for x in row)
    pose = (so3_from_matrix(flat), tuple(body.position))
    velocity = eq.velocity.copy()
    tau, rate_of = MAPS[name]
    chart = Chart(
        lambda here, phi: se3_compose(here, tau(pair(phi))),
        lambda phi, v: np.ravel(rate_of(pair(-phi), pair(v))),
        partial(acceleration, fixed),
    )
    states = [absolute(pose, velocity)]
    for _ in range(steps):
        pose, velocity = munthe_kaas_step(chart, pose, velocity, step)
        states.append(absolute(pose, velocity))
    return states


def acceleration(fixed: OneBody, pose: Any, twist: Floats) -> Floats:
    """V' of the constrained body; rows of J keep J V' = 0."""
    turn = np.reshape(so3_matrix(pose[0]), (3, 3))
    momentum = fixed.mass @ twist
    omega, v = twist[:3], twist[3:]
    torque = -np.cross(omega, momentum[:3]) - np.cross(v, momentum[3:])
    force = -np.cross(omega, momentum[3:]) + turn.T @ fixed.gravity
    wrench = np.concatenate((torque, force))
    return fixed.inverse[:, :6] @ wrench


def absolute(pose: Any, velocity: Floats) -> Floats:
    state = np.zeros(ABSOLUTE_WIDTH)
    state[POSE_R : POSE_R + 9] = so3_matrix(pose[0])
    state[POSE_X : POSE_X + 3] = pose[1]
    state[TWIST : TWIST + 6] = velocity
    return state
