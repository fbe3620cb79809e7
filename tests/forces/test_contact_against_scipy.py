"""Contacts of every shape with every surface, against SciPy and the laws written down anew.

MuJoCo's contacts are soft constraints of another kind and cannot be compared with.
"""

from itertools import product

import numpy as np
import pytest
from combinations import pairwise
from free_bodies import Ground, final_poses
from mechanisms import random_body

import chasles as ch
from chasles.core.forces.contact import distance_and_normal

K, HERTZ, C, MU, SLIP = 800.0, 3e3, 0.2, 0.6, 0.1
LAW = {"stiffness": K, "hertz": HERTZ, "dissipation": C, "friction": MU, "slip": SLIP}
GRAVITY = (0.5, -1.0, -9.0)
TURN = np.array(((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6)))
AT = np.array((0.02, -0.05, 0.01))  # of the shape, from b's centre of mass
HALF = np.array((0.05, 0.08, 0.11))
POSE = {"position": AT, "rotation": TURN}
#: shape -> radius, and centres in its own axes
SHAPES = {
    "sphere": (ch.Sphere(0.2, **POSE), 0.2, [np.zeros(3)]),
    "capsule": (ch.Capsule(0.12, 0.3, "x", **POSE), 0.12, [(0.15, 0, 0), (-0.15, 0, 0)]),
    "rod": (ch.Rod(0.5, axis="y", **POSE), 0.0, [(0, 0.25, 0), (0, -0.25, 0)]),
    "box": (
        ch.Box(2 * HALF, **POSE), 0.0, [HALF * signs for signs in product((-1, 1), repeat=3)],
    ),
}  # fmt: skip
NORMAL = np.array((2.0, 1.0, 2.0)) / 3
#: surface -> arguments, and (point or centre, radius)
SURFACES = {
    "plane": {"at": (0.1, 0.0, -0.05), "axis": NORMAL},
    "ball": {"at": (0.05, 0.02, -0.35), "radius": 0.45},
    "bowl": {"at": (0.1, 0.1, 0.4), "radius": -0.5},
}


def bodies(seed=3):
    rng = np.random.default_rng(seed)
    a = random_body(rng, "a", (0.1, 0.0, -0.3), velocity=(0.3, 0, 0.2), angular_velocity=(1, 0, 2))
    b = random_body(rng, "b", (0.1, 0.1, 0.15), velocity=(0.4, 0.8, -1.0),
                    angular_velocity=(2, -1, 3))  # fmt: skip
    return [a, b]


def gap(surface, carrier, centre):
    """Distance of a centre from the surface where its carrier is now, and the normal there."""
    point = carrier.point(surface["at"])[0]
    if "axis" in surface:
        turn = np.eye(3)
        if not isinstance(carrier, Ground):
            turn = carrier.rotation @ np.array(carrier.start.rotation).T
        normal = turn @ np.array(surface["axis"])
        return normal @ (centre - point), normal
    reach, radius = centre - point, surface["radius"]
    away = np.linalg.norm(reach)
    return (away - radius, reach / away) if radius > 0 else (-radius - away, -reach / away)


def moving_at(body, point):
    return body.velocity + np.cross(body.omega, point - body.position)


def contact(surface, shape, a, b):
    """Sums over all balls: forces and torques on a and on b."""
    _, radius, centres = SHAPES[shape]
    on = {"a": [np.zeros(3), np.zeros(3)], "b": [np.zeros(3), np.zeros(3)]}
    for local in centres:
        centre = b.position + b.rotation @ (AT + TURN @ local)
        distance, normal = gap(surface, a, centre)
        depth = radius - distance
        if depth <= 0.0:
            continue
        touched = centre - radius * normal
        v = moving_at(b, touched) - moving_at(a, touched)
        push = (K * depth + HERTZ * depth**1.5) * max(0.0, 1.0 - C * (v @ normal))
        slide = v - (v @ normal) * normal
        force = push * normal - MU * push * slide / np.sqrt(slide @ slide + SLIP**2)
        for name, body, sign in (("a", a, -1.0), ("b", b, 1.0)):
            on[name][0] += sign * force
            on[name][1] += sign * np.cross(touched - body.position, force)
    return on


@pytest.mark.parametrize("shape, surface, grounded", pairwise(SHAPES, SURFACES, [False, True]))
def test_a_contact_moves_random_bodies_as_scipy_does(shape, surface, grounded):
    where, until = SURFACES[surface], 0.15
    carrier = ch.GROUND if grounded else "a"
    touch = ch.Contact("touch", carrier, "b", shape=SHAPES[shape][0], **where, **LAW)
    model = ch.Model(bodies(), forces=[touch], gravity=GRAVITY)

    def law(t, m):
        found = contact(where, shape, Ground() if grounded else m["a"], m["b"])
        return {"b": found["b"]} if grounded else found

    positions, rotations = final_poses(model, law, until, rtol=1e-9)
    result = ch.simulate(model, until, step=1e-4, method="dopri5")
    state = result.state()
    np.testing.assert_allclose(state.position, positions, rtol=0, atol=1e-6)
    np.testing.assert_allclose(state.rotation, rotations, rtol=0, atol=1e-5)
    assert np.abs(result.force("touch").force).max() > 1.0
    assert np.abs(result.energy_balance()).max() < 1e-4 * np.ptp(result.kinetic_energy())
    assert (np.diff(result.work("touch")) <= 1e-12).all()  # it takes energy, and gives none


@pytest.mark.parametrize("radius", [0.3, 7.0, -0.3, -7.0, 1e8, -1e8])
def test_the_distance_from_a_ball_is_that_of_its_centre_less_its_radius(radius):
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(1)
    for _ in range(20):
        y = rng.standard_normal(3) * min(abs(radius), 1.0)
        normal = rng.standard_normal(3)
        normal /= np.linalg.norm(normal)
        with mpmath.workdps(40):
            unit = mpmath.matrix(normal) / mpmath.norm(mpmath.matrix(normal))
            away = mpmath.norm(mpmath.matrix(y) + radius * unit)
            expected = away - radius if radius > 0 else -radius - away
        found, out = distance_and_normal(tuple(y), tuple(normal), 1.0 / radius)
        assert abs(found - float(expected)) < 1e-14
        assert np.linalg.norm(out) == pytest.approx(1.0, abs=1e-14)
    flat, up = distance_and_normal((3.0, 4.0, -0.5), (0.0, 0.0, 1.0), 0.0)
    assert (flat, up) == (-0.5, (0.0, 0.0, 1.0))
