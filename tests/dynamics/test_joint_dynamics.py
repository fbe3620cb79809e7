"""M v' + h = tau in joint coordinates, against closed forms and MuJoCo's matrices."""

from pathlib import Path

import numpy as np
import pytest
from linkages import four_bar
from mechanisms import straight_chain

import chasles as ch

ROBOTS = Path(__file__).parents[1] / "io" / "robots"
G, M1, M2, L1, L2 = 9.81, 1.3, 0.7, 0.8, 0.6


def two_rods(armature=0.0):
    """About y: angles grow from x towards -z."""
    hinges = [{"armature": armature}, {}]
    return straight_chain((M1, M2), (L1, L2), joints=("first", "second"), hinges=hinges)


def test_the_double_pendulum_has_its_closed_form():
    a, b, p, q = 0.4, -0.9, 1.5, 2.5  # angles; the second is relative to the first
    model = two_rods(armature=0.05)
    found = ch.joint_dynamics(model, ch.start_state(model, {"first": (a, p), "second": (b, q)}))
    i1, i2, i12 = M1 * L1**2 / 3 + M2 * L1**2, M2 * L2**2 / 3, M2 * L1 * L2 / 2
    mass = [
        [i1 + i2 + 2 * i12 * np.cos(b) + 0.05, i2 + i12 * np.cos(b)],
        [i2 + i12 * np.cos(b), i2],
    ]
    spin = i12 * np.sin(b)
    lower = M2 * L2 / 2 * np.cos(a + b)
    weight = -G * np.array([(M1 / 2 + M2) * L1 * np.cos(a) + lower, lower])
    bias = np.array([-spin * q * (2 * p + q), spin * p**2]) + weight
    assert found.coordinates == (("first", "angle"), ("second", "angle"))
    assert found.mass == pytest.approx(np.array(mass), rel=1e-13)
    assert found.bias == pytest.approx(bias, rel=1e-12)
    assert found.acceleration == pytest.approx(np.linalg.solve(mass, -bias), rel=1e-12)
    assert found.velocity == pytest.approx([p, q], rel=1e-14)
    assert not found.forces.any() and np.abs(found.constraints).max() < 1e-13


def test_forces_are_those_along_the_coordinates():
    model = two_rods().with_parts(
        forces=[ch.JointSpring("coil", "second", stiffness=3.0, damping=0.5),
                ch.Motor("drive", "first", effort=2.0)]
    )  # fmt: skip
    state = ch.start_state(model, {"first": (0.1, 0.0), "second": (0.4, 2.0)})
    found = ch.joint_dynamics(model, state)
    assert found.forces == pytest.approx([2.0, -3.0 * 0.4 - 0.5 * 2.0], rel=1e-12)
    free = found.mass @ found.acceleration + found.bias - found.forces
    assert np.abs(free).max() < 1e-12


def test_kinetic_energy_is_half_v_m_v():
    """Also of balls, planes, cylinders and bodies that nothing carries."""
    turn = ch.Body.box("turn", size=(0.3, 0.2, 0.1), mass=2.0, angular_velocity=(1, 2, 3))
    flat = ch.Body.box("flat", size=(0.3, 0.2, 0.1), mass=1.0, position=(1, 0, 0),
                       angular_velocity=(0, 0, 2), velocity=(0.5, -0.3, 0))  # fmt: skip
    screw = ch.Body.box("screw", size=(0.1, 0.2, 0.4), mass=1.5, position=(2, 0, 0),
                        angular_velocity=(0, 0, 1.2), velocity=(0, 0, 0.4))  # fmt: skip
    loose = ch.Body.box("loose", size=(0.2, 0.2, 0.1), mass=0.5, position=(3, 0, 0),
                        angular_velocity=(2, 0, 1), velocity=(1, 2, 3))  # fmt: skip
    joints = [ch.Spherical("ball", ch.GROUND, turn, at=(0.2, 0.1, 0)),
              ch.Planar("floor", ch.GROUND, flat, at=(1, 0, 0), axis="z"),
              ch.Cylindrical("pin", ch.GROUND, screw, at=(2, 0, 0), axis="z")]  # fmt: skip
    turn = ch.Body("turn", turn.mass, turn.inertia, angular_velocity=(1, 2, 3),
                   velocity=np.cross((1, 2, 3), (-0.2, -0.1, 0)))  # fmt: skip
    model = ch.Model([turn, flat, screw, loose], joints)
    found = ch.joint_dynamics(model)
    kinetic = sum(
        0.5 * body.mass * np.dot(body.velocity, body.velocity)
        + 0.5 * np.array(body.angular_velocity) @ np.array(body.inertia) @ body.angular_velocity
        for body in model.bodies
    )
    assert 0.5 * found.velocity @ found.mass @ found.velocity == pytest.approx(kinetic, rel=1e-12)
    words = {
        "ball": ("wx", "wy", "wz"),
        "floor": ("angle", "x", "y"),
        "pin": ("angle", "displacement"),
        "loose": ("wx", "wy", "wz", "x", "y", "z"),
    }
    assert set(found.coordinates) == {(name, word) for name, ws in words.items() for word in ws}
    speeds = dict(zip(found.coordinates, found.velocity))
    turning = [speeds["ball", word] for word in words["ball"]]
    assert turning == pytest.approx([1, 2, 3], rel=1e-13)
    assert [speeds["loose", word] for word in words["loose"]] == pytest.approx([2, 0, 1, 1, 2, 3])
    assert speeds["pin", "displacement"] == pytest.approx(0.4)
    assert found.index("pin", "angle") == found.coordinates.index(("pin", "angle"))
    assert [dict(zip(found.coordinates, found.acceleration))["loose", w] for w in "xyz"] == (
        pytest.approx([0, 0, -9.81])
    )


@pytest.mark.parametrize(
    "name", ["arm.urdf", "cartpole.xml", "springs.xml", "balls.xml", "satellite.xml", "several.xml"]
)
def test_mass_and_bias_are_mujocos(name, tmp_path, monkeypatch):
    """With v = B qvel, since both move the bodies alike: B^T M B and B^T (h + M B' qvel)."""
    mujoco = pytest.importorskip("mujoco")
    monkeypatch.syspath_prepend(str(ROBOTS.parent))
    monkeypatch.chdir(tmp_path)
    published = __import__("published_robots")
    pair = published.Pair(ROBOTS / name, ch.read_model(ROBOTS / name, limits="none"), ROBOTS)
    data, scene = pair.random_state(), pair.scene
    found = ch.joint_dynamics(pair.model, pair.twists(data, data.qacc)[0])
    massive = [k for k, body in enumerate(pair.model.bodies) if body.mass > 0.0]

    def seen(rates):
        """Twists of bodies with mass, in their axes, at rates of MuJoCo's."""
        here = mujoco.MjData(scene)
        here.qpos[:], here.qvel[:] = data.qpos, rates
        mujoco.mj_forward(scene, here)
        state, _ = pair.twists(here, here.qacc)
        own = np.einsum("bji,bj->bi", state.rotation, state.velocity)
        return np.hstack((state.angular_velocity, own))[massive].ravel()

    ours = found.twists[massive].reshape(-1, len(found.velocity))
    between = np.linalg.lstsq(ours, np.array([seen(e) for e in np.eye(scene.nv)]).T, rcond=None)[0]
    assert between @ data.qvel == pytest.approx(found.velocity, abs=1e-12)
    mass = np.zeros((scene.nv, scene.nv))
    mujoco.mj_fullM(scene, data, mass)
    scale = np.abs(mass).max()
    assert np.abs(between.T @ found.mass @ between - mass).max() < 1e-12 * scale
    # Two accelerations, of which the recursion gives ours and MuJoCo theirs, have the same drift.
    drift = found.acceleration - between @ data.qacc
    bias = between.T @ (found.bias + found.mass @ drift)
    assert np.abs(bias - data.qfrc_bias).max() < 1e-10 * max(1.0, np.abs(data.qfrc_bias).max())
    forces = between.T @ found.forces
    assert np.abs(forces - data.qfrc_passive).max() < 1e-10 * max(1.0, np.abs(forces).max())


def test_loops_and_drivers_exert_what_is_left():
    """M v' + h = tau + tau_c, and tau_c does no work on velocities that the loop allows."""
    model = four_bar()
    state = ch.simulate(model, until=0.3, step=1e-3, start={"h0": (0.0, 2.0)}).state()
    found = ch.joint_dynamics(model, state)
    assert len(found.velocity) == 3 and np.abs(found.constraints).max() > 1e-3
    power = found.constraints @ found.velocity
    assert abs(power) < 1e-9 * np.abs(found.constraints).max() * np.abs(found.velocity).max()


def test_names_that_are_not_there_are_told(refusal):
    found = ch.joint_dynamics(two_rods())
    assert found.index("second") == 1
    assert "'third'" in refusal(lambda: found.index("third"), ch.UnknownName)
    assert "'x'" in refusal(lambda: found.index("second", "x"), ch.UnknownName)
    assert "State" in refusal(lambda: ch.joint_dynamics(two_rods(), 3), ch.InvalidOption)
