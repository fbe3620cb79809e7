"""Random models with loops, couplings, drivers and forces, none of whose rows is redundant.

Every model comes with the six-dimensional charts on which a Munthe-Kaas method makes the very same
steps: framed on the lower pair that carries the body, relative to the body that it hangs on.
"""

import sys
from pathlib import Path

import numpy as np
from mechanisms import KINDS, make_joint, moving, random_body, random_rotation, tree

import chasles as ch
from chasles.spaces import Space
from chasles.spaces.tree import pair_tree

sys.path.append(str(Path(__file__).parent.parent / "joints"))
from joint_cases import level_and_square

#: Of at least two freedoms, so that a loop still moves.
LOOSE = ("spherical", "cylindrical", "planar")
COUPLINGS = ("distance", "universal", "constant velocity", "point on line", "point on plane",
             "custom")  # fmt: skip


def charts_alike(model: ch.Model) -> dict[str, Space]:
    """SO(3)xR3 on the carrying joints, relative to what they hang on."""
    spaces = {}
    for name, carried in pair_tree(model).parents.items():
        if carried is None:
            spaces[name] = Space("SO3xR3")
            continue
        at = None if model.joint(carried[1]).any_frame_point else carried[1]
        spaces[name] = Space("SO3xR3", at, None if carried[0] == "ground" else carried[0])
    return spaces


def moves(model: ch.Model, floating: bool = False) -> bool:
    """Whether rows are independent and leave a freedom."""
    try:
        jacobian = ch.equations(model).jacobian
    except ch.ChaslesError:
        return False
    rank = np.linalg.matrix_rank(jacobian, 1e-6)
    return bool(rank == len(jacobian) and rank < jacobian.shape[1] - 6 * floating)


def looped(seed: int, cuts: int, kinds=LOOSE, floating=False) -> ch.Model:
    """A random tree of many freedoms with further joints between its bodies, in motion."""
    rng = np.random.default_rng(seed)
    while True:
        model = drawn(rng, cuts, kinds, floating)
        if moves(model, floating):
            return moving(model, rng, 3.0)


def drawn(rng, cuts, kinds, floating=False, count=8) -> ch.Model:
    first = 0 if floating else -1
    parents = [-1] + [int(rng.integers(first, k)) for k in range(1, count)]
    free = [kind for kind in KINDS if kind not in ("fixed", "prismatic", "revolute", "helical")]
    model = tree(rng, parents, rng.choice(free, size=count), swap=True)
    joints = list(model.joints[1:] if floating else model.joints)
    for k in range(cuts):
        a, b = rng.choice(count, size=2, replace=False)
        ends = [model.bodies[a], ch.GROUND if k == 0 and not floating else model.bodies[b]]
        kind = str(rng.choice(kinds))
        joints.append(
            make_joint(kind, f"cut {k}", *ends, rng.uniform(-0.3, 0.3, 3), rng.standard_normal(3))
        )
    return ch.Model(model.bodies, joints, gravity=model.gravity)


def coupled(seed: int, kinds=COUPLINGS) -> ch.Model:
    """A random tree with two couplings between its bodies or to the ground, in motion."""
    rng = np.random.default_rng(seed)
    while True:
        model = drawn(rng, 0, LOOSE, count=5)
        joints = list(model.joints)
        for k in range(2):
            a, b = (model.bodies[n] for n in rng.choice(len(model.bodies), 2, replace=False))
            ends = (ch.GROUND if rng.random() < 0.3 else a, b)
            joints.append(coupling(rng, str(rng.choice(kinds)), f"coupling {k}", *ends))
        model = ch.Model(model.bodies, joints, gravity=model.gravity)
        if moves(model):
            return moving(model, rng, 2.0)


def coupling(rng, kind: str, name: str, a, b) -> ch.Joint:
    at, u = rng.uniform(-0.3, 0.3, 3), rng.standard_normal(3)
    u /= np.linalg.norm(u)
    v = np.cross(u, rng.standard_normal(3))
    v /= np.linalg.norm(v)
    if kind == "distance":
        return ch.Distance(name, a, b, at=at, at_b=at + 0.4 * u)
    if kind == "universal":
        return ch.Universal(name, a, b, at=at, axis=u, axis_b=v)
    if kind == "custom":
        formula = level_and_square(at, u, None if a is ch.GROUND else a, b, v)
        return ch.CustomJoint(name, a, b, formula, rows=2)
    made = {"constant velocity": ch.ConstantVelocity, "point on line": ch.PointOnLine,
            "point on plane": ch.PointOnPlane}  # fmt: skip
    return made[kind](name, a, b, at=at, axis=u)


def planar(seed: int, bars: int = 0) -> ch.Model:
    """A closed polygon of hinges with parallel axes, in a random plane, with a further dyad."""
    rng = np.random.default_rng(seed)
    bars = bars or int(rng.integers(3, 6))
    turn, shift = random_rotation(rng), rng.uniform(-1.0, 1.0, 3)
    angles = np.sort(rng.uniform(0.0, 2 * np.pi, bars + 1))
    corners = [turn @ (np.cos(x), np.sin(x), rng.uniform(-0.1, 0.1)) + shift for x in angles]
    return hinged(rng, corners, [turn[:, 2]] * (bars + 1))


def hinged(rng, corners, axes) -> ch.Model:
    """Bodies between corners, hinges at them, the first and the last on the ground; in motion."""
    count = len(corners) - 1
    bodies = [
        random_body(rng, f"bar {k}", (corners[k] + corners[k + 1]) / 2 + rng.uniform(-0.1, 0.1, 3))
        for k in range(count)
    ]
    ends = [ch.GROUND, *bodies, ch.GROUND]
    joints = [
        ch.Revolute(f"hinge {k}", ends[k], ends[k + 1], at=corners[k], axis=axes[k])
        for k in range(count + 1)
    ]
    pushed = bodies[0].rotation
    spin = np.array(pushed).T @ axes[0] * 3.0
    first = ch.Body("bar 0", bodies[0].mass, bodies[0].inertia, bodies[0].position, pushed,
                    angular_velocity=spin)  # fmt: skip
    gravity = -9.81 * np.cross(axes[0], (1.0, 0.3, -0.5))
    return ch.Model([first, *bodies[1:]], joints, gravity=gravity)


def spatial(seed: int) -> ch.Model:
    """A closed loop of seven or eight hinges askew: one or two freedoms."""
    rng = np.random.default_rng(seed)
    while True:
        bars = int(rng.integers(6, 8))
        corners = [rng.uniform(-1.0, 1.0, 3) for _ in range(bars + 1)]
        axes = [x / np.linalg.norm(x) for x in rng.standard_normal((bars + 1, 3))]
        model = hinged(rng, corners, axes)
        if moves(model):
            return model


def loaded(model: ch.Model) -> ch.Model:
    """Springs, drag, a load and springs on all angles."""
    first, last = model.bodies[0], model.bodies[-1]
    turning = [j for j in model.joints if j.kind in ("revolute", "cylindrical", "helical")]
    forces = [
        ch.Spring("spring", ch.GROUND, last, at=(0.5, 0.5, 0.0), at_b=last.position,
                  stiffness=30.0, damping=2.0),
        ch.Drag("air", last, linear=0.3, angular=0.05),
        ch.Load("push", first, force=(1.0, 2.0, -3.0)),
        *(ch.JointSpring(f"coil {j.name}", j, stiffness=2.0, damping=0.1) for j in turning),
    ]  # fmt: skip
    return ch.Model(model.bodies, model.joints, forces, model.drivers, gravity=model.gravity)


def slowly(times: float = 1.0) -> ch.Signal:
    """A constant acceleration: steps of the charts end where it is, too, but stages are off it."""
    return ch.Signal(
        lambda t: times * 0.3 * t * t, lambda t: times * 0.6 * t, lambda t: times * 0.6
    )


def driven(model: ch.Model, joint: str) -> ch.Model:
    """The model at rest, one joint's coordinate driven."""
    bodies = [ch.Body(b.name, b.mass, b.inertia, b.position, b.rotation) for b in model.bodies]
    driver = ch.Driver("drive", joint, slowly())
    return ch.Model(bodies, model.joints, model.forces, [driver], gravity=model.gravity)
