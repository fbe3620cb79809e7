"""Free bodies under given forces, integrated by SciPy: Newton and Euler, written down anew."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import chasles as ch


class Moving:
    """A body at one moment: R, r, velocity and angular velocity in the world."""

    def __init__(self, body: ch.Body, y):
        self.rotation = Rotation.from_quat(y[:4]).as_matrix()
        self.position, self.velocity, self.omega = y[4:7], y[7:10], y[10:13]
        self.start = body

    def local(self, point):
        """A world point of the start, from the centre of mass in the body frame."""
        return np.array(self.start.rotation).T @ np.subtract(point, self.start.position)

    def point(self, at):
        """Where the point of the body is now that was at `at` at the start, and its velocity."""
        arm = self.rotation @ self.local(at)
        return self.position + arm, self.velocity + np.cross(self.omega, arm)


class Ground:
    """What rests."""

    rotation, position, velocity, omega = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)

    def point(self, at):
        return np.array(at, float), np.zeros(3)


def final_poses(model: ch.Model, wrenches, until: float, rtol: float = 1e-11):
    """Positions and rotations of all bodies in the end.

    wrenches(t, bodies) -> {name: (force, torque about the centre of mass)}, in world axes.
    """

    def rates(t, y):
        states = y.reshape(-1, 13)
        moving = {b.name: Moving(b, row) for b, row in zip(model.bodies, states)}
        acting = wrenches(t, moving)
        out = np.zeros_like(states)
        for body, row, new in zip(model.bodies, states, out):
            now = moving[body.name]
            force, torque = acting.get(body.name, (np.zeros(3), np.zeros(3)))
            w = now.rotation.T @ now.omega
            spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            quaternion = row[:4]
            new[:3] = 0.5 * (quaternion[3] * w - spin @ quaternion[:3])
            new[3] = -0.5 * quaternion[:3] @ w
            new[4:7] = now.velocity
            new[7:10] = force / body.mass + np.array(model.gravity)
            inertia = now.rotation @ np.array(body.inertia) @ now.rotation.T
            new[10:13] = np.linalg.solve(inertia, torque - np.cross(now.omega, inertia @ now.omega))
        return out.ravel()

    start = np.concatenate(
        [
            (
                *Rotation.from_matrix(body.rotation).as_quat(),
                *body.position,
                *body.velocity,
                *(np.array(body.rotation) @ np.array(body.angular_velocity)),
            )
            for body in model.bodies
        ]
    )
    run = solve_ivp(rates, (0, until), start, method="DOP853", rtol=rtol, atol=rtol / 10)
    last = run.y[:, -1].reshape(-1, 13)
    return last[:, 4:7], Rotation.from_quat(last[:, :4]).as_matrix()
