"""One model per joint type and order of its bodies, and what each joint should do, written anew.

Frames are 4x4 matrices in the world: A on the joint's first body, B on its second, x along the
world axis furthest from z.  Of a lower pair with the ground, the ground comes first, whatever the
order in which the user gave the bodies.
"""

from dataclasses import dataclass, replace

import numpy as np
from mechanisms import make_joint, random_body
from poses import hat, pose_matrix
from scipy.linalg import expm

import chasles as ch

LOWER = ("spherical", "revolute", "prismatic", "cylindrical", "helical", "planar", "fixed")
POINTED = ("universal", "constant velocity", "distance", "point on line", "point on plane")
DRIVEN = ("driven angle", "driven displacement", "driven thread")
TWO_ORDERS = (*LOWER, *POINTED, "custom", *DRIVEN)
#: Kind of joint and order of its bodies: all that make sense.
CASES = [
    (kind, order)
    for kind in (*TWO_ORDERS, "gear", "rolling sphere", "rolling disc", "driven point")
    for order in ("ground first", "ground second", "two bodies")
    if kind in TWO_ORDERS
    or (kind in ("rolling sphere", "rolling disc") and order != "ground second")
    or (kind == "gear" and order == "two bodies")
    or (kind == "driven point" and order == "ground first")
]
NAME = "joint"  # of the rows that are looked at, be it a joint or a driver
GRAVITY = (1.0, -2.0, -9.0)
TINY = 1e-30  # of the complex step
RATIO, RADIUS, PITCH = -0.7, 0.25, 0.03


def motion() -> ch.Signal:
    """Starts at rest, so that any velocities which the joints allow may be given."""
    return ch.Signal(
        lambda t: 0.2 - 0.2 * np.cos(3 * t),
        lambda t: 0.6 * np.sin(3 * t),
        lambda t: 1.8 * np.cos(3 * t),
    )


def frame_along(z):
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (z @ x)
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def level_and_square(point, u, body_a, body_b, v):
    """A formula of two residuals: a point of b stays in a plane of a; an axis of b square to it."""

    def local(body, vector):
        return np.array(body.rotation).T @ vector if body is not None else np.array(vector)

    def place(body, point):
        return local(body, point - (0 if body is None else np.array(body.position)))

    foot, normal = place(body_a, point), local(body_a, u)
    tip, axis = place(body_b, point), local(body_b, v)

    def formula(pose_a, pose_b):
        turn_a, turn_b = np.reshape(pose_a[0], (3, 3)), np.reshape(pose_b[0], (3, 3))
        apart = np.array(pose_b[1]) + turn_b @ tip - np.array(pose_a[1]) - turn_a @ foot
        return (turn_a @ normal) @ apart, (turn_a @ normal) @ (turn_b @ axis)

    return formula


@dataclass(frozen=True)
class Case:
    """A model, the rows in question, and their frames on both bodies."""

    kind: str
    model: ch.Model
    first: str  # the body that carries A
    second: str
    local_a: np.ndarray  # frame A in the body's coordinates
    local_b: np.ndarray

    @property
    def movers(self):
        """The names of the bodies of the rows that move."""
        return [name for name in (self.first, self.second) if name != "ground"]

    def frames(self, absolute):
        """A and B at an absolute state (bodies in the model's order)."""
        return self.pose(self.first, absolute) @ self.local_a, self.pose(
            self.second, absolute
        ) @ self.local_b

    def pose(self, name, absolute):
        if name == "ground":
            return np.eye(4)
        row = absolute[self.model.body_names.index(name)]
        return pose_matrix(row[:9].reshape(3, 3), row[9:12])


def make_case(kind: str, order: str, seed: int = 7) -> Case:
    rng = np.random.default_rng(seed)
    at = rng.uniform(-0.3, 0.3, 3)
    u, w = (x / np.linalg.norm(x) for x in rng.standard_normal((2, 3)))
    v = np.cross(u, rng.standard_normal(3))
    v /= np.linalg.norm(v)
    a = random_body(rng, "a", at + rng.uniform(-0.3, 0.3, 3))
    b = random_body(rng, "b", at + rng.uniform(-0.3, 0.3, 3))
    pair = {"ground first": (ch.GROUND, b), "ground second": (b, ch.GROUND)}.get(order, (a, b))
    bodies = [body for body in (a, b) if body in pair]
    joints, drivers = [], []
    frames = [pose_matrix(frame_along(u), at) for _ in range(2)]
    if kind in LOWER:
        joints = [make_joint(kind, NAME, *pair, at=at, axis=u)]
        if kind in ("spherical", "fixed"):
            frames = [pose_matrix(np.eye(3), at)] * 2
    elif kind == "universal":
        joints = [ch.Universal(NAME, *pair, at=at, axis=u, axis_b=v)]
        frames = [pose_matrix(np.column_stack((u, v, np.cross(u, v))), at)] * 2
    elif kind == "constant velocity":
        joints = [ch.ConstantVelocity(NAME, *pair, at=at, axis=u)]
    elif kind == "distance":
        joints = [ch.Distance(NAME, *pair, at=at, at_b=at + 0.4 * w)]
        frames = [pose_matrix(np.eye(3), at), pose_matrix(np.eye(3), at + 0.4 * w)]
    elif kind == "point on line":
        joints = [ch.PointOnLine(NAME, *pair, at=at, axis=u)]
    elif kind == "point on plane":
        joints = [ch.PointOnPlane(NAME, *pair, at=at, axis=u)]
    elif kind == "custom":
        ends = [None if end is ch.GROUND else end for end in pair]
        formula = level_and_square(at, u, ends[0], ends[1], v)
        joints = [ch.CustomJoint(NAME, *pair, formula, rows=2)]
        frames[1] = pose_matrix(frame_along(v), at)
    elif kind == "gear":
        joints = [
            ch.Revolute("bearing a", ch.GROUND, a, at=a.position, axis=u),
            ch.Revolute("bearing b", ch.GROUND, b, at=b.position, axis=w),
            ch.Gear(NAME, a, b, axis=u, axis_b=w, ratio=RATIO),
        ]
        frames[1] = pose_matrix(frame_along(w), at)
    elif kind == "rolling sphere":
        plane = np.array(b.position) - RADIUS * u + 0.1 * v
        joints = [ch.RollingSphere(NAME, *pair, at=plane, axis=u, radius=RADIUS)]
        frames = [pose_matrix(frame_along(u), plane), pose_matrix(frame_along(u), b.position)]
    elif kind == "rolling disc":
        plane = np.array(b.position) - RADIUS * np.sqrt(1 - (u @ w) ** 2) * u + 0.1 * v
        joints = [ch.RollingDisc(NAME, *pair, at=plane, axis=u, axis_b=w, radius=RADIUS)]
        frames = [pose_matrix(frame_along(u), plane), pose_matrix(frame_along(w), b.position)]
    elif kind == "driven point":
        drivers = [ch.PointDriver(NAME, b, at=at, direction=u, motion=motion())]
    else:
        carrier = {"driven angle": "cylindrical", "driven displacement": "cylindrical"}
        joints = [make_joint(carrier.get(kind, "helical"), "guide", *pair, at=at, axis=u)]
        which = "displacement" if kind == "driven displacement" else "angle"
        drivers = [ch.Driver(NAME, "guide", motion(), which)]
    names = [getattr(end, "name", "ground") for end in pair]
    if order == "ground second" and kind in (*LOWER, *DRIVEN):
        names = names[::-1]
        if kind in DRIVEN:  # the coordinate grows as the ground moves against the body
            flip = np.diag([1.0, -1.0, -1.0, 1.0])
            frames = [frame @ flip for frame in frames]
    model = ch.Model(bodies, joints, gravity=GRAVITY, drivers=drivers)
    local = []
    for name, frame in zip(names, frames):
        if name != "ground":
            body = model.body(name)
            frame = np.linalg.solve(pose_matrix(body.rotation, body.position), frame)
        local.append(frame)
    return Case(kind, model, *names, *local)


def moving(model: ch.Model, rng, speed: float = 0.6) -> ch.Model:
    """The model with random velocities that its joints allow, and drivers at rest."""
    equations = ch.equations(model)
    jacobian, mass = equations.jacobian, equations.mass
    twists = speed * rng.standard_normal(equations.velocity.size)
    for _ in range(3):
        pull = np.linalg.solve(
            equations.kkt, np.concatenate((mass @ twists, np.zeros(len(jacobian))))
        )
        twists = pull[: twists.size]
    bodies = [
        replace(
            body, velocity=tuple(np.array(body.rotation) @ twist[3:]), angular_velocity=twist[:3]
        )
        for body, twist in zip(model.bodies, twists.reshape(-1, 6))
    ]
    return ch.Model(bodies, model.joints, model.forces, model.drivers, gravity=model.gravity)


# --- what the rows should be ---


def residuals(case: Case, form: str, frames, now, turn_b):
    """The residuals whose rates the rows are, near the closed pose `now`; complex poses allowed.

    `turn_b` is the rotation of the second body now, along whose axes the space form resolves three
    locked translations.
    """
    (a, b), (a0, b0), kind = frames, now, case.kind
    apart = b[:3, 3] - a[:3, 3]
    point = (b0[:3, :3] if form == "screw" else turn_b).T @ apart
    if kind == "universal":
        return [*point, a[:3, 0] @ b[:3, 1]]
    if kind == "constant velocity":
        return [*point, a[:3, 0] @ b[:3, 1] - a[:3, 1] @ b[:3, 0]]
    if kind == "distance":
        length = 0.4
        return [(apart @ apart - length**2) / (2 * length)]
    if kind in ("point on line", "point on plane", "driven point"):
        along = a[:3, :3].T @ apart
        return along[:2] if kind == "point on line" else along[2:]
    if kind == "custom":
        return [a[:3, 2] @ apart, a[:3, 2] @ b[:3, 2]]
    # Axes that A carries and that now coincide with those of B, or those in which rows are written.
    with_b = a[:3, :3] @ a0[:3, :3].T @ b0[:3, :3]
    axes = a[:3, :3] if form == "space" and kind in LOWER else with_b
    turns = {"wx": -axes[:, 1] @ b[:3, 2], "wy": axes[:, 0] @ b[:3, 2]}
    turns["wz"] = -with_b[:, 0] @ b[:3, 1]
    if kind in DRIVEN:
        return [axes[:, 2] @ apart if kind == "driven displacement" else turns["wz"]]
    locked, rows = case.model.joint(NAME).locked, []
    for component in locked:
        if component in turns:
            rows.append(turns[component])
        elif {"ux", "uy", "uz"} <= set(locked) and kind != "helical":
            rows.append(point["xyz".index(component[1])])
        else:
            slide = axes[:, "xyz".index(component[1])] @ apart
            rows.append(
                slide - (PITCH * turns["wz"] if component == "uz" and kind == "helical" else 0)
            )
    return rows


def contact(case: Case, frames):
    """Where b touches the plane of a: the lowest point above the plane's normal."""
    a, b = frames
    normal, centre = a[:3, 2], b[:3, 3]
    if case.kind == "rolling sphere":
        return centre - RADIUS * normal
    across = normal - b[:3, 2] * (b[:3, 2] @ normal)
    return centre - RADIUS * across / np.linalg.norm(across)


def velocity_at(pose, twist, point):
    """Velocity in the world of the point of a body that is at `point` now."""
    arm = pose[:3, :3].T @ (point - pose[:3, 3])
    return pose[:3, :3] @ (twist[3:] + np.cross(twist[:3], arm))


def row_values(case: Case, form: str, absolute, twists):
    """What J V should be for body twists {name: (omega, v)}, by a complex step or by hand."""
    now = case.frames(absolute)
    poses = [case.pose(name, absolute) for name in (case.first, case.second)]
    still = np.zeros(6)
    pair = [twists.get(name, still) for name in (case.first, case.second)]
    if case.kind == "gear":
        spins = [
            frame[:3, 2] @ pose[:3, :3] @ twist[:3] for frame, pose, twist in zip(now, poses, pair)
        ]
        return np.array([spins[1] - RATIO * spins[0]])
    if case.kind.startswith("rolling"):
        point = contact(case, now)
        slip = velocity_at(poses[1], pair[1], point) - velocity_at(poses[0], pair[0], point)
        return now[0][:3, :3].T @ slip
    soon = [
        pose @ expm(TINY * 1j * hat(twist)) @ local
        for pose, twist, local in zip(poses, pair, (case.local_a, case.local_b))
    ]
    ahead = residuals(case, form, soon, now, poses[1][:3, :3])
    return np.array([complex(g).imag / TINY for g in ahead])


def free_motions(case: Case, absolute):
    """What should be free: pairs (omega, velocity) of B against A, and at which point."""
    a, b = case.frames(absolute)
    x, y, z = a[:3, :3].T
    none, every = np.zeros(3), list(np.eye(3))
    about = [(e, none) for e in every]
    along = {"x": (none, x), "y": (none, y), "z": (none, z)}
    point, kind = b[:3, 3], case.kind
    if kind == "custom":
        square = np.cross(a[:3, 2], b[:3, 2])
        turns = [(e, none) for e in normal_to(square)]
        return [*turns, along["x"], along["y"]], point
    if kind == "constant velocity":  # the relative rotation stays in the bisecting plane
        return [(e, none) for e in normal_to(a[:3, 2] + b[:3, 2])], point
    if kind == "distance":
        return [*about, *((none, e) for e in normal_to(b[:3, 3] - a[:3, 3]))], point
    if kind.startswith("rolling"):
        return about, contact(case, (a, b))
    return {
        "spherical": about,
        "revolute": [(z, none)],
        "prismatic": [along["z"]],
        "cylindrical": [(z, none), along["z"]],
        "helical": [(z, PITCH * z)],
        "planar": [(z, none), along["x"], along["y"]],
        "fixed": [],
        "universal": [(a[:3, 0], none), (b[:3, 1], none)],
        "point on line": [*about, along["z"]],
        "point on plane": [*about, along["x"], along["y"]],
        "driven point": [*about, along["x"], along["y"]],
        "driven angle": [along["z"]],
        "driven displacement": [(z, none)],
        "driven thread": [],
    }[kind], point


def normal_to(vector):
    """Two unit vectors normal to a vector."""
    return list(frame_along(vector / np.linalg.norm(vector))[:, :2].T)


def free_twists(case: Case, absolute):
    """The body twists of the whole model that its joints should allow, as columns (6n, k)."""
    poses = {name: case.pose(name, absolute) for name in case.model.body_names}
    if case.kind == "gear":
        turns = [
            poses[name][:3, :3].T @ frame[:3, 2]
            for name, frame in zip((case.first, case.second), case.frames(absolute))
        ]
        return np.concatenate((turns[0], np.zeros(3), RATIO * turns[1], np.zeros(3)))[:, None]

    def body_twist(name, omega, velocity, point):
        """Of a body that turns with omega while its point at `point` moves with `velocity`."""
        turn, place = poses[name][:3, :3], poses[name][:3, 3]
        return np.concatenate(
            (turn.T @ omega, turn.T @ (velocity + np.cross(omega, place - point)))
        )

    motions, point = free_motions(case, absolute)
    mover, sign = (case.second, 1.0) if case.second != "ground" else (case.first, -1.0)
    columns, names = [], case.model.body_names
    for omega, velocity in motions:
        twist = {mover: body_twist(mover, sign * omega, sign * velocity, point)}
        columns.append(np.concatenate([twist.get(name, np.zeros(6)) for name in names]))
    if len(names) == 2:  # both may also move together as one
        for omega, velocity in [(e, 0 * e) for e in np.eye(3)] + [(0 * e, e) for e in np.eye(3)]:
            columns.append(np.concatenate([body_twist(n, omega, velocity, point) for n in names]))
    return np.array(columns).reshape(-1, 6 * len(names)).T
