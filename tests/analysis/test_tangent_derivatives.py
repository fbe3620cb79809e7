"""Exact derivatives of forces and rows, against differences of the compiled kernels."""

import numpy as np
import pytest
from mechanisms import KINDS, make_joint, random_body

import chasles as ch
from chasles.analysis.instant import make_instant
from chasles.analysis.linear import linear_at
from chasles.build.system.state import moved
from chasles.core.arrays import TWIST

Z = (0, 0, 1)
COUPLINGS = {
    "universal": lambda a, b, at: ch.Universal("j", a, b, at, axis=(1, 0, 0), axis_b=(0, 1, 0)),
    "constant velocity": lambda a, b, at: ch.ConstantVelocity("j", a, b, at, axis=(1, 2, 0)),
    "distance": lambda a, b, at: ch.Distance("j", a, b, at=(0.3, 0.1, 0), at_b=at),
    "point on line": lambda a, b, at: ch.PointOnLine("j", a, b, at, axis=(1, 2, 0)),
    "point on plane": lambda a, b, at: ch.PointOnPlane("j", a, b, at, axis=(1, 2, 0)),
    "rolling sphere": lambda a, b, at: ch.RollingSphere("j", a, b, (0.3, 0.1, -0.6), Z, 0.4),
    "rolling disc": lambda a, b, at: ch.RollingDisc("j", a, b, (0.3, 0.1, -0.6), Z, (0, 1, 0), 0.4),
    "custom": lambda a, b, at: ch.CustomJoint("j", a, b, curved(a, b), rows=2),
}


def curved(a, b):
    """Something without a name: two functions of the poses that vanish at the start."""

    def both(pose_a, pose_b):
        (ra, xa), (rb, xb) = pose_a, pose_b
        return (
            (xb[0] - xa[0]) * (xb[1] - xa[1]) - 0.3 * ra[1] * rb[4],
            xb[2] * xb[2] - xa[2] * rb[8],
        )

    start = both(*((tuple(np.ravel(body.rotation)), body.position) for body in (a, b)))
    return lambda *poses: tuple(g - g0 for g, g0 in zip(both(*poses), start))


def swirl(t, position, rotation, velocity, angular_velocity):
    """A force with nothing symmetric about it."""
    x, y, z = position
    force = (y * z + rotation[1], -x * velocity[1], np.sin(x) + t)
    torque = (rotation[5] * x, angular_velocity[0] ** 2, velocity[2] * y)
    return force, torque


def forces_between(first, second, hinge):
    six = (50.0, 60.0, 70.0, 3.0, 4.0, 5.0)
    return {
        "spring": ch.Spring(
            "f", first, second, (0.2, 0.1, 0), (0.9, 0.3, 0.5), 40.0, 2.0, rest_length=0.3
        ),
        "bushing": ch.Bushing("f", first, second, (0.5, 0, 0.1), six, six, axis=(1, 2, 3)),
        "joint spring": ch.JointSpring("f", hinge, stiffness=3.0, damping=0.2, rest=0.4),
        "friction": ch.JointFriction("f", hinge, level=0.7, smoothing=0.5),
        "motor": ch.Motor("f", hinge, target=ch.Signal.constant(0.3), stiffness=2.0, damping=0.1),
        "world load": ch.Load("f", second, force=(1, 2, 3), torque=(3, 2, 1), at=(1, 1, 0)),
        "body load": ch.Load("f", second, force=(1, 2, 3), torque=(3, 2, 1), frame="body"),
        "drag": ch.Drag("f", second, linear=1.0, quadratic=2.0, angular=3.0, angular_quadratic=4.0),
        "custom": ch.CustomForce("f", second, swirl, reaction=first),
        "contact": ch.Contact(
            "f",
            first,
            second,
            at=(0.7, 0.4, 0.9),
            axis=(1, 2, 3),
            shape=ch.Capsule(0.1, 0.3, "y"),
            stiffness=40.0,
            hertz=20.0,
            dissipation=0.05,
            friction=0.4,
            slip=0.5,
        ),
        "contact with a ball": ch.Contact(
            "f",
            first,
            second,
            radius=1.6,
            shape=ch.Box((0.1, 0.2, 0.3), position=(0, 0.1, 0)),
            stiffness=2.0,
            hertz=1.0,
            dissipation=0.05,
            friction=0.4,
            slip=1.0,
        ),
    }


def pair():
    rng = np.random.default_rng(5)
    first = random_body(rng, "first", (0.1, 0.2, 0.3))
    return first, random_body(rng, "second", (0.8, 0.4, -0.2))


def state_of(instant, rng):
    """Poses beside the start, where joints are open, and any twists."""
    absolute = moved(instant.setup.absolute, 0.1 * rng.standard_normal((2, 6)))
    absolute[:, TWIST:] = rng.standard_normal((2, 6))
    return absolute


def differences(function, absolute, change):
    """Sixth-order central differences along 12 directions."""
    columns = []
    for direction in np.eye(12).reshape(12, 2, 6):
        h = 0.01
        values = {k: function(change(absolute, k * h * direction)) for k in (-3, -2, -1, 1, 2, 3)}
        slope = sum(c * (values[k] - values[-k]) for k, c in ((1, 45), (2, -9), (3, 1)))
        columns.append(slope / (60.0 * h))
    return np.stack(columns, axis=-1)


def faster(absolute, change):
    out = absolute.copy()
    out[:, TWIST:] += change
    return out


@pytest.mark.parametrize("name", [*KINDS, *COUPLINGS])
def test_rows_of_every_joint(name):
    rng, (first, second) = np.random.default_rng(1), pair()
    at, axis = (0.4, 0.3, 0.2), (1, 2, 2)
    if name in COUPLINGS:
        joint = COUPLINGS[name](first, second, at)
    else:
        joint = make_joint(name, "j", first, second, at, axis)
    instant, _ = make_instant(ch.Model([first, second], [joint]), None, held=False)
    absolute, angles = state_of(instant, rng), np.zeros(instant.system.quadrature_count)
    multipliers, twists = rng.standard_normal(len(instant.rows)), rng.standard_normal(12)
    absolute[:, TWIST:] = twists.reshape(2, 6)
    slopes = linear_at(instant, absolute, angles)

    def reaction(state):
        return instant.terms(state, angles).jacobian.T @ multipliers

    def slip(state):
        return instant.terms(state, angles).jacobian @ twists

    exact = slopes.summed(slopes.geometric_blocks(multipliers)).toarray()
    assert exact == pytest.approx(differences(reaction, absolute, moved), abs=1e-9)
    assert slopes.slip.toarray() == pytest.approx(differences(slip, absolute, moved), abs=1e-9)


def bent(one, two):
    """A formula of two bodies that nothing else knows."""
    return one[1][0] * two[1][1] - 0.3 * one[0][1] * two[0][5] + two[1][2] ** 2


@pytest.mark.parametrize(
    "more",
    [
        ch.Coupling("c", [("hinge", "angle", (1.0, 0.7)), ("slide", "displacement", (0.4, -1.3))]),
        ch.CustomCoupling("c", ["first", "second"], lambda *poses: bent(*poses) - bent_at_start()),
        None,
    ],
    ids=["coordinates", "formula", "rotors"],
)
def test_rows_of_couplings_and_rotors(more):
    """Coordinates beside the bodies follow them: their columns are taken along R."""
    rng, (first, second) = np.random.default_rng(3), pair()
    rotor = 0.3 if more is None else 0.0
    joints = [
        ch.Revolute("hinge", ch.GROUND, first, at=(0.4, 0.3, 0.2), axis=(1, 2, 2), armature=rotor),
        ch.Prismatic("slide", first, second, axis=(2, 0, 1), armature=rotor),
        *([] if more is None else [more]),
    ]
    if more is None:
        joints[1] = ch.Spherical("ball", first, second, at=(0.1, 0, 0), armature=rotor)
    instant, absolute = make_instant(ch.Model([first, second], joints), None, held=False)
    absolute = faster(absolute, rng.standard_normal((2, 6)))  # closed, but moving anyhow
    angles = np.zeros(instant.system.quadrature_count)
    multipliers, linear = (
        rng.standard_normal(len(instant.rows)),
        linear_at(instant, absolute, angles),
    )
    first_own = len(instant.real)
    rates = linear.terms.jacobian[first_own : first_own + len(instant.coordinates), :12].toarray()
    follow = np.vstack((np.eye(12), rates))

    def reaction(state):
        return instant.terms(state, angles).jacobian.T @ multipliers

    def slip(state):
        return instant.terms(state, angles).jacobian @ linear.velocity

    exact = linear.summed(linear.geometric_blocks(multipliers)) @ follow
    assert exact == pytest.approx(differences(reaction, absolute, moved), abs=1e-8)
    assert linear.slip @ follow == pytest.approx(differences(slip, absolute, moved), abs=1e-8)


def bent_at_start():
    return bent(*((tuple(np.ravel(body.rotation)), body.position) for body in pair()))


@pytest.mark.parametrize("name", list(forces_between("a", "b", "hinge")))
def test_every_force(name):
    rng, (first, second) = np.random.default_rng(2), pair()
    hinge = ch.Revolute("hinge", first, second, at=(0.4, 0.3, 0.2), axis=(1, 2, 2))
    force = forces_between(first, second, hinge)[name]
    instant, _ = make_instant(ch.Model([first, second], [hinge], [force]), None, held=False)
    absolute, angles = state_of(instant, rng), np.zeros(instant.system.quadrature_count)
    slopes = instant.tangent(absolute, angles)

    def forces(state):
        return instant.forces(state, angles)

    assert slopes.by_pose.toarray() == pytest.approx(differences(forces, absolute, moved), abs=1e-8)
    assert slopes.by_twist.toarray() == pytest.approx(
        differences(forces, absolute, faster), abs=1e-8
    )
    assert np.all(np.abs(forces(absolute)) <= slopes.sizes * (1 + 1e-12))


def test_quadratic_drag_at_rest_resists_nothing_to_first_order():
    body = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    drag = ch.Drag("air", body, linear=0.5, quadratic=3.0)
    instant, absolute = make_instant(ch.Model([body], [], [drag]), None, held=False)
    slopes = instant.tangent(absolute, np.zeros(instant.system.quadrature_count)).by_twist.toarray()
    assert slopes == pytest.approx(np.diag([0, 0, 0, -0.5, -0.5, -0.5]), abs=1e-15)
