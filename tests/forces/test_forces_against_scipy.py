"""Every force on random bodies in flight, against SciPy and the force's law written down anew."""

import numpy as np
import pytest
from free_bodies import Ground, final_poses
from mechanisms import random_body
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import chasles as ch

GRAVITY = (0.5, -1.0, -4.0)
P, Q = (0.3, -0.1, 0.2), (0.5, 0.4, -0.1)


def two_bodies(seed=1):
    rng = np.random.default_rng(seed)

    def start(size):
        return tuple(size * rng.standard_normal(3))

    return [
        random_body(rng, name, at, velocity=start(0.5), angular_velocity=start(2.0))
        for name, at in (("a", (0.1, 0.0, 0.3)), ("b", (0.6, 0.2, -0.2)))
    ]


def at_centre(body, force, point, torque=0.0):
    """A force at a point, and a torque, about the centre of mass."""
    return force, torque + np.cross(point - body.position, force)


def spring(a, b):
    """80 N/m and 3 N s/m along the line from P of a to Q of b, 0.3 m at rest."""
    (tail, tail_rate), (tip, tip_rate) = a.point(P), b.point(Q)
    length = np.linalg.norm(tip - tail)
    along = (tip - tail) / length
    pull = 80.0 * (length - 0.3) + 3.0 * along @ (tip_rate - tail_rate)
    return at_centre(a, pull * along, tail), at_centre(b, -pull * along, tip)


K, KR = np.array([90.0, 60.0, 150.0]), np.array([4.0, 7.0, 5.0])
C, CR = np.array([1.0, 2.0, 0.5]), np.array([0.05, 0.02, 0.03])
AXIS = np.array([1.0, -2.0, 2.0]) / 3


H = 1e-3
SLOPE = np.array([1, -8, 8, -1]) / (12 * H)
LITTLE_TURNS = [
    [Rotation.from_rotvec(k * H * e).as_matrix() for k in (-2, -1, 1, 2)] for e in np.eye(3)
]


def rotation_vector(m):
    twice = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    sine = 0.5 * np.linalg.norm(twice)
    angle = np.arctan2(sine, 0.5 * (np.trace(m) - 1))
    return 0.5 * twice * (angle / sine if sine else 1.0)


def bushing(a, b):
    """Springs along axes that a carries; about them, minus the slope of the elastic energy."""
    x = np.eye(3)[np.argmin(np.abs(AXIS))]
    x = x - AXIS * (AXIS @ x)
    x /= np.linalg.norm(x)
    frame = np.column_stack((x, np.cross(AXIS, x), AXIS))
    turn_a, turn_b = (
        body.rotation
        @ (frame if isinstance(body, Ground) else np.array(body.start.rotation).T @ frame)
        for body in (a, b)
    )
    (foot, foot_rate), (tip, tip_rate) = a.point(P), b.point(P)
    shift = turn_a.T @ (tip - foot)
    # The frame of a turns below the tip.
    slide = turn_a.T @ (tip_rate - foot_rate - np.cross(a.omega, tip - foot))
    force = -turn_a @ (K * shift + C * slide)

    def energy(turn):
        vector = rotation_vector(turn_a.T @ turn_b @ turn)
        return 0.5 * vector @ (KR * vector)

    torque = -np.array([SLOPE @ [energy(turn) for turn in about] for about in LITTLE_TURNS])
    torque = turn_b @ (torque - CR * (turn_b.T @ (b.omega - a.omega)))
    on_b = at_centre(b, force, tip, torque)
    if isinstance(a, Ground):
        return None, on_b
    return at_centre(a, -force, tip, -torque), on_b


def wind(t, position, rotation, velocity, angular_velocity):
    """Force and torque that depend on everything."""
    return (
        (np.sin(3 * t) - 0.5 * velocity[1], rotation[1] * position[2], 2.0 - position[0]),
        (0.1 * angular_velocity[2], 0.2 * rotation[3], -0.1 * velocity[0] * t),
    )


def wind_law(t, b):
    spin = b.rotation.T @ b.omega
    force, torque = wind(t, b.position, b.rotation.ravel(), b.velocity, spin)
    return np.array(force), np.array(torque)


def pushed(t):
    return (2 * np.cos(4 * t), 1.0, -3 * t)


def twisted(t):
    return (0.1, 0.2 * np.sin(5 * t), 0.0)


def loads(t, b):
    """The same load along the axes of the world at Q, and of the body at P."""
    force, torque = np.array(pushed(t)), np.array(twisted(t))
    one = at_centre(b, force, b.point(Q)[0], torque)
    other = at_centre(b, b.rotation @ (1.0, 2.0, 3.0), b.point(P)[0], b.rotation @ torque)
    return one[0] + other[0], one[1] + other[1]


def drag(b):
    speed, spin = np.linalg.norm(b.velocity), np.linalg.norm(b.omega)
    return -(0.3 + 0.2 * speed) * b.velocity, -(0.02 + 0.01 * spin) * b.omega


def both(pair):
    return dict(zip("ab", pair))


def reacted(t, m):
    force, torque = wind_law(t, m["b"])
    apart = m["b"].position - m["a"].position
    return {"b": (force, torque), "a": (-force, -torque - np.cross(apart, force))}


BUSHING = {"stiffness": [*K, *KR], "damping": [*C, *CR], "axis": AXIS}
LOADS = [
    ch.Load("world", "b", force=pushed, torque=twisted, at=Q),
    ch.Load("body", "b", force=(1, 2, 3), torque=twisted, at=P, frame="body"),
]
CASES = {
    "gravity": ([], lambda t, m: {}),
    "spring": (
        [ch.Spring("f", "a", "b", P, Q, 80.0, 3.0, rest_length=0.3)],
        lambda t, m: both(spring(m["a"], m["b"])),
    ),
    "spring to ground": (
        [ch.Spring("f", "b", ch.GROUND, Q, P, 80.0, 3.0, rest_length=0.3)],
        lambda t, m: {"b": spring(Ground(), m["b"])[1]},
    ),
    "bushing": (
        [ch.Bushing("f", "a", "b", P, **BUSHING)],
        lambda t, m: both(bushing(m["a"], m["b"])),
    ),
    "bushing to ground": (
        [ch.Bushing("f", ch.GROUND, "b", P, **BUSHING)],
        lambda t, m: {"b": bushing(Ground(), m["b"])[1]},
    ),
    "loads": (LOADS, lambda t, m: {"b": loads(t, m["b"])}),
    "drag": ([ch.Drag("f", "b", 0.3, 0.2, 0.02, 0.01)], lambda t, m: {"b": drag(m["b"])}),
    "custom": ([ch.CustomForce("f", "b", wind)], lambda t, m: {"b": wind_law(t, m["b"])}),
    "custom, with reaction": ([ch.CustomForce("f", "b", wind, reaction="a")], reacted),
}


def compare(forces, law, until=0.3):
    model = ch.Model(two_bodies(), forces=forces, gravity=GRAVITY)
    positions, rotations = final_poses(model, law, until)
    result = ch.simulate(model, until, step=1e-3, method="dopri5")
    state = result.state()
    np.testing.assert_allclose(state.position, positions, rtol=0, atol=1e-8)
    np.testing.assert_allclose(state.rotation, rotations, rtol=0, atol=1e-8)
    return result


@pytest.mark.parametrize("name", CASES)
def test_a_force_moves_random_bodies_as_scipy_does(name):
    result = compare(*CASES[name])
    assert np.abs(result.energy_balance()).max() < 1e-9
    if name in ("spring", "bushing", "custom, with reaction"):  # internal: they keep momentum
        weight = sum(b.mass for b in result.model.bodies) * np.array(GRAVITY)
        gained = result.momentum() - result.momentum()[0] - np.outer(result.t, weight)
        assert np.abs(gained).max() < 1e-11


def test_all_forces_together_move_random_bodies_as_scipy_does():
    names = [name for name in CASES if name != "gravity"]
    forces = [ch.Model(two_bodies(), forces=CASES[name][0]).forces for name in names]
    numbered = [
        f.__class__(**{**vars(f), "name": f"{k} {f.name}"})
        for k, group in enumerate(forces)
        for f in group
    ]

    def together(t, m):
        total = {name: [np.zeros(3), np.zeros(3)] for name in "ab"}
        for name in names:
            for body, (force, torque) in CASES[name][1](t, m).items():
                total[body][0] = total[body][0] + force
                total[body][1] = total[body][1] + torque
        return total

    result = compare(numbered, together, until=0.2)
    assert np.abs(result.energy_balance()).max() < 1e-7


# --- forces on joint coordinates ---


def turning(seed=4, swap=False):
    """A random body on a hinge along a random axis through a random point."""
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    at = rng.uniform(-0.3, 0.3, 3)
    body = random_body(rng, "b", at + rng.uniform(-0.3, 0.3, 3))
    pair = (body, ch.GROUND) if swap else (ch.GROUND, body)
    return body, ch.Revolute("hinge", *pair, at=at, axis=axis)


def hinge_motion(body, hinge, torque, until=2.0):
    """Angle and speed in the end: I q'' = e . (c x m g) + torque(t, q, q')."""
    axis = np.array(hinge.axis)
    arm = np.subtract(body.position, hinge.at)
    turn = np.array(body.rotation)
    across = arm - axis * (axis @ arm)
    inertia = axis @ turn @ np.array(body.inertia) @ turn.T @ axis + body.mass * across @ across

    def rates(t, y):
        now = Rotation.from_rotvec(y[0] * axis).apply(arm)
        weight = axis @ np.cross(now, body.mass * np.array(GRAVITY))
        return y[1], (weight + torque(t, *y)) / inertia

    run = solve_ivp(rates, (0, until), (0.0, 0.0), method="DOP853", rtol=1e-12, atol=1e-12)
    return run.y[:, -1]


def target(t):
    return 9.0 * np.sin(t) ** 2


ON_JOINTS = {
    "torsion spring": (
        ch.TorsionSpring("f", "hinge", 1.5, 0.1, rest=8.0),
        lambda t, q, w: -1.5 * (q - 8.0) - 0.1 * w,
    ),
    "joint spring": (
        ch.JointSpring("f", "hinge", 2.0, 0.0, rest=-0.4),
        lambda t, q, w: -2.0 * (q + 0.4),
    ),
    "friction": (
        ch.JointFriction("f", "hinge", level=0.7, smoothing=0.4),
        lambda t, q, w: -0.7 * np.tanh(w / 0.4),
    ),
    "motor": (
        ch.Motor("f", "hinge", target, 20.0, 1.0, effort=lambda t: 0.3 * np.cos(2 * t)),
        lambda t, q, w: 20 * (target(t) - q) + 9 * np.sin(2 * t) - w + 0.3 * np.cos(2 * t),
    ),
    "motor without damping": (
        ch.Motor("f", "hinge", target, 20.0),
        lambda t, q, w: 20 * (target(t) - q),
    ),
    "motor that only pushes": (
        ch.Motor("f", "hinge", effort=ch.Signal.sine(2.0, 0.5)),
        lambda t, q, w: 2 * np.sin(np.pi * t),
    ),
}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("name", ON_JOINTS)
def test_a_force_on_an_angle_moves_a_random_body_as_scipy_does(name, swap):
    body, hinge = turning(swap=swap)
    force, torque = ON_JOINTS[name]
    sign = -1.0 if swap else 1.0  # the coordinate is that of the ground against the body
    expected = hinge_motion(body, hinge, lambda t, q, w: sign * torque(t, sign * q, sign * w))
    model = ch.Model([body], [hinge], [force], gravity=GRAVITY)
    result = ch.simulate(model, until=2.0, step=1e-3, method="dopri5")
    found = result.coordinate("hinge")[-1], result.coordinate_rate("hinge")[-1]
    assert found == pytest.approx(sign * expected, abs=1e-8)
    assert np.abs(result.energy_balance()).max() < 1e-8
    if name in ("motor", "torsion spring"):
        assert np.abs(result.coordinate("hinge")).max() > 2 * np.pi  # whole turns count


@pytest.mark.parametrize("swap", [False, True])
def test_a_force_on_a_displacement_acts_along_the_rail(swap):
    """On a cylindrical joint, with another force on its angle."""
    rng = np.random.default_rng(9)
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    body = random_body(rng, "b", (0.2, 0.1, 0.0))
    pair = (body, ch.GROUND) if swap else (ch.GROUND, body)
    sleeve = ch.Cylindrical("sleeve", *pair, at=(0.2, 0.1, 0.0), axis=axis)
    forces = [
        ch.JointSpring("push", sleeve, 30.0, 0.5, rest=0.2, coordinate="displacement"),
        ch.TorsionSpring("turn", sleeve, 2.0, 0.01, rest=0.5),
    ]
    model = ch.Model([body], [sleeve], forces, gravity=GRAVITY)
    result = ch.simulate(model, until=1.0, step=1e-3, method="dopri5")
    turn = np.array(body.rotation)
    inertia = axis @ turn @ np.array(body.inertia) @ turn.T @ axis
    weight = (-1.0 if swap else 1.0) * np.array(GRAVITY) @ axis

    def rates(t, y):
        push = -30 * (y[0] - 0.2) - 0.5 * y[2]
        return y[2], y[3], push / body.mass + weight, (-2 * (y[1] - 0.5) - 0.01 * y[3]) / inertia

    run = solve_ivp(rates, (0, 1), np.zeros(4), method="DOP853", rtol=1e-12, atol=1e-12)
    found = [result.coordinate("sleeve", which)[-1] for which in ("displacement", "angle")]
    assert found == pytest.approx(run.y[:2, -1], abs=1e-9)
