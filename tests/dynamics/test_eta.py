r"""Differentiating J V = 0 once more: $J\dot V = \eta$ with $\eta = -\dot J V$."""

import numpy as np
import pytest
from mechanisms import random_rotation
from scipy.spatial.transform import Rotation

import chasles as ch

AT, AXIS, H = (0.7, 0.2, -0.1), (0.36, 0.48, 0.8), 1e-4
JOINTS = {
    "spherical": lambda a, b: ch.Spherical("j", a, b, AT),
    "revolute": lambda a, b: ch.Revolute("j", a, b, AT, AXIS),
    "prismatic": lambda a, b: ch.Prismatic("j", a, b, AT, AXIS),
    "cylindrical": lambda a, b: ch.Cylindrical("j", a, b, AT, AXIS),
    "planar": lambda a, b: ch.Planar("j", a, b, AT, AXIS),
    "helical": lambda a, b: ch.Helical("j", a, b, AT, AXIS, pitch=0.3),
    "universal": lambda a, b: ch.Universal("j", a, b, AT, AXIS, axis_b=(0.8, -0.6, 0)),
    "constant velocity": lambda a, b: ch.ConstantVelocity("j", a, b, AT, AXIS),
}


def equations_at(model, form, places, turns, spins, speeds):
    state = ch.State(0.0, model.body_names, places, turns, speeds, spins)
    return ch.equations(model, state, acceleration=form)


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("kind", JOINTS)
def test_eta_is_what_the_rows_turn_by(kind, form):
    """J along the path R exp(s omega), x + s R v, by central differences.

    Joints are a bit open, but do not slip: of a point's three rows, the space form turns the axes.
    """
    rng = np.random.default_rng(5)
    bodies = [ch.Body.box(name, (0.3, 0.4, 0.5), mass=2.0, position=rng.normal(size=3),
                          rotation=random_rotation(rng)) for name in "ab"]  # fmt: skip
    joints = [ch.Spherical("ball", ch.GROUND, "a", (0, 0, 0)), JOINTS[kind]("a", "b")]
    model = ch.Model(bodies, joints)
    places = np.array([body.position for body in bodies]) + 0.05 * rng.normal(size=(2, 3))
    turns = np.array([body.rotation for body in bodies])
    turns = turns @ Rotation.from_rotvec(0.1 * rng.normal(size=(2, 3))).as_matrix()
    spins, speeds = rng.normal(size=(2, 2, 3))
    now = equations_at(model, form, places, turns, spins, speeds)
    slip = np.linalg.lstsq(now.jacobian, now.jacobian @ now.velocity, rcond=None)[0]
    omega, v = (now.velocity - slip).reshape(2, 2, 3).transpose(1, 0, 2)
    speeds = np.einsum("bij,bj->bi", turns, v)
    now = equations_at(model, form, places, turns, omega, speeds)
    assert now.jacobian @ now.velocity == pytest.approx(0.0, abs=1e-12)
    rows = []
    for s in (-H, H):
        turned = turns @ Rotation.from_rotvec(s * omega).as_matrix()
        moved = places + s * speeds
        rows.append(equations_at(model, form, moved, turned, omega, speeds).jacobian)
    change = (rows[1] - rows[0]) @ now.velocity / (2 * H)
    assert np.abs(now.eta).max() > 1e-2
    assert now.eta == pytest.approx(-change, abs=1e-6)
