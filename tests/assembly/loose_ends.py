"""Models whose bodies are entered a little off, and what the nearest closed point is made of.

Everything is written down here once more, from geometry alone: points and axes of joints in body
axes, and the distance in the mass metric.
"""

from math import cos, sin

import numpy as np
from linkages import bar
from scipy.spatial.transform import Rotation

import chasles as ch

ORIGIN, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)


def entered(model) -> ch.State:
    """The model's poses as a state at rest."""
    count = len(model.bodies)
    return ch.State(
        0.0, model.body_names, np.array([b.position for b in model.bodies]),
        np.array([b.rotation for b in model.bodies]), np.zeros((count, 3)), np.zeros((count, 3)),
    )  # fmt: skip


def shaken(state, rng, shift, turn) -> ch.State:
    """Every body moved and turned at random, by about so much (m, rad)."""
    count = len(state.bodies)
    turns = Rotation.from_rotvec(turn * rng.standard_normal((count, 3))).as_matrix()
    return ch.State(
        0.0, state.bodies, state.position + shift * rng.standard_normal((count, 3)),
        state.rotation @ turns, state.velocity, state.angular_velocity,
    )  # fmt: skip


class Geometry:
    """The joints of a closed model as functions of a state: hinges and balls, in body axes."""

    def __init__(self, model):
        self.model = model
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.joints = [
            (joint, *(self.local(name, joint) for name in (joint.a, joint.b)))
            for joint in model.joints
        ]

    def local(self, name, joint):
        """The joint's point and axis in the axes of a body."""
        at, axis = np.array(joint.at), np.array(joint.axis)
        if name == "ground":
            return None, at, axis
        body = self.model.body(name)
        turn = np.array(body.rotation).T
        return self.index[name], turn @ (at - body.position), turn @ axis

    def gaps(self, position, rotation):
        """Everything that must vanish: differences of points, and sines between axes."""
        found = []
        for joint, *ends in self.joints:
            points, axes = [], []
            for body, point, axis in ends:
                if body is None:
                    points.append(point), axes.append(axis)
                else:
                    points.append(position[body] + rotation[body] @ point)
                    axes.append(rotation[body] @ axis)
            found.append(points[1] - points[0])
            if isinstance(joint, ch.Revolute):
                found.append(np.cross(axes[0], axes[1]))
        return np.concatenate(found)

    def half_square(self, before, position, rotation):
        """Half the squared distance from another state in the mass metric."""
        total = 0.0
        for k, body in enumerate(self.model.bodies):
            turn = Rotation.from_matrix(before.rotation[k].T @ rotation[k]).as_rotvec()
            shift = position[k] - before.position[k]
            total += turn @ np.array(body.inertia) @ turn + body.mass * shift @ shift
        return total / 2

    def moved(self, state, k, axis, by):
        """The state with one body moved along or turned about an axis of the world."""
        position, rotation = state.position.copy(), state.rotation.copy()
        if axis < 3:
            position[k, axis] += by
        else:
            turn = by * np.eye(3)[axis - 3]
            rotation[k] = Rotation.from_rotvec(turn).as_matrix() @ rotation[k]
        return position, rotation

    def slopes(self, state, function, step=1e-5):
        """Central differences of a function of (position, rotation) along all motions."""
        columns = []
        for k in range(len(self.model.bodies)):
            for axis in range(6):
                ahead, behind = (function(*self.moved(state, k, axis, by)) for by in (step, -step))
                columns.append((ahead - behind) / (2 * step))
        return np.array(columns)

    def optimality(self, before, after) -> float:
        """How far the point is from the nearest: the slope of the distance along allowed motions.

        Motions are scaled to unit mass metric at first order, so that the result is a fraction of
        the distance itself: zero at the nearest point.
        """
        gradient = self.slopes(after, lambda *pose: self.half_square(before, *pose))
        jacobian = self.slopes(after, self.gaps).T
        mass = np.zeros((gradient.size, gradient.size))
        for k, body in enumerate(self.model.bodies):
            turn = after.rotation[k]
            at = 6 * k
            mass[at : at + 3, at : at + 3] = body.mass * np.eye(3)
            inertia = turn @ np.array(body.inertia) @ turn.T
            mass[at + 3 : at + 6, at + 3 : at + 6] = inertia
        lower = np.linalg.cholesky(mass)
        weighted = np.linalg.solve(lower, jacobian.T).T
        _, values, vectors = np.linalg.svd(weighted)
        allowed = vectors[int((values > 1e-7 * values[0]).sum()) :]
        slope = allowed @ np.linalg.solve(lower, gradient)
        distance = np.sqrt(2 * self.half_square(before, after.position, after.rotation))
        return float(np.linalg.norm(slope) / distance)


# --- Andrews' squeezer ---

#: Lengths and fixed points of the seven-body mechanism (m), and its published start (rad).
SQUEEZER = {
    "rr": 0.007, "d": 0.028, "ss": 0.035, "e": 0.02, "zt": 0.04, "zf": 0.02, "u": 0.04,
    "A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273),
}  # fmt: skip
SQUEEZER_START = (-0.0620, 0.0, 0.455279819163070, 0.222668390165886, 0.487364979543843,
                  -0.222668390165886, 1.23054744454982)  # fmt: skip


def squeezer_points(angles):
    """Ends of the seven bodies from beta, Theta, gamma, Phi, delta, Omega, epsilon."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles
    c, (ax, ay), (bx, by) = SQUEEZER, SQUEEZER["A"], SQUEEZER["B"]
    f = (c["rr"] * cos(beta), c["rr"] * sin(beta))
    g = (ax + c["zt"] * cos(delta), ay + c["zt"] * sin(delta))
    h = (ax + c["u"] * sin(epsilon), ay - c["u"] * cos(epsilon))
    return {
        "OF": ((0.0, 0.0), f),
        "FE": (f, (f[0] - c["d"] * cos(beta + theta), f[1] - c["d"] * sin(beta + theta))),
        "BE": ((bx, by), (bx + c["ss"] * sin(gamma), by - c["ss"] * cos(gamma))),
        "AG": ((ax, ay), g),
        "GE": (g, (g[0] + c["e"] * sin(phi + delta), g[1] - c["e"] * cos(phi + delta))),
        "AH": ((ax, ay), h),
        "HE": (h, (h[0] + c["zf"] * cos(omega + epsilon), h[1] + c["zf"] * sin(omega + epsilon))),
    }  # fmt: skip


def squeezer_gaps(angles):
    """The six loop equations: E as the end of FE is E as the end of BE, GE and HE."""
    points = squeezer_points(angles)
    end = np.array(points["FE"][1])
    return np.concatenate([np.array(points[name][1]) - end for name in ("BE", "GE", "HE")])


SQUEEZER_MASSES = {"OF": 0.04325, "FE": 0.00365, "BE": 0.02373, "AG": 0.0705, "GE": 0.00706,
                   "AH": 0.05498, "HE": 0.00706}  # fmt: skip


def squeezer(angles) -> ch.Model:
    """The mechanism with its bodies where the angles put them, joined or not."""
    points = {
        name: tuple((*p, 0.0) for p in ends) for name, ends in squeezer_points(angles).items()
    }
    bodies = [bar(name, *ends, SQUEEZER_MASSES[name]) for name, ends in points.items()]

    def hinge(name, a, end_a, b, end_b):
        at_b = points[b][end_b]
        at = at_b if a is ch.GROUND else points[a][end_a]
        return ch.Revolute(name, a, b, at=at, axis=Z, at_b=at_b)

    joints = [
        hinge("O", ch.GROUND, 0, "OF", 0),
        hinge("F", "OF", 1, "FE", 0),
        hinge("B", ch.GROUND, 0, "BE", 0),
        hinge("A", ch.GROUND, 0, "AG", 0),
        hinge("A'", ch.GROUND, 0, "AH", 0),
        hinge("G", "AG", 1, "GE", 0),
        hinge("H", "AH", 1, "HE", 0),
        *(hinge(f"E of {name}", "FE", 1, name, 1) for name in ("BE", "GE", "HE")),
    ]
    return ch.Model(bodies, joints, gravity=ORIGIN)


def angle_of(rotation) -> float:
    """The angle of a planar body."""
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))
