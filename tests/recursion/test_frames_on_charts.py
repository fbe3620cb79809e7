"""Frames without mass beside bodies on charts: the motion of the subgroups, whatever the space."""

import numpy as np
import pytest
from combinations import one_at_a_time

import chasles as ch

X, Y, Z = np.eye(3)
CHARTS = ("SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "framed")


def spinning(name, omega, about, **more):
    """A box at (0.1, 0, -0.4) from `about` that turns about it."""
    arm = np.array((0.1, 0.05, -0.4))
    turn = {"angular_velocity": omega, "velocity": np.cross(omega, arm)}
    return ch.Body.box(name, (0.1, 0.2, 0.8), mass=2.0, position=about + arm, **turn, **more)


def cardan():
    """A box on two crossed hinges: a universal joint."""
    cross, box = ch.Body.frame("cross"), spinning("box", (0.7, -0.4, 0.0), np.zeros(3))
    hinges = [
        ch.Revolute("first", ch.GROUND, cross, at=(0, 0, 0), axis=X),
        ch.Revolute("second", cross, box, at=(0, 0, 0), axis=Y),
    ]
    return ch.Model([cross, box], hinges)


def gimbals():
    """A top in two gimbals without mass, the inner one tilted."""
    frames = [ch.Body.frame("outer"), ch.Body.frame("inner")]
    tilted = (0.0, np.sin(0.4), np.cos(0.4))
    top = ch.Body("top", 1.5, (0.02, 0.02, 0.01), position=0.2 * np.array(tilted))
    joints = [
        ch.Revolute("yaw", ch.GROUND, frames[0], at=(0, 0, 0), axis=Z),
        ch.Revolute("pitch", *frames, at=(0, 0, 0), axis=X),
        ch.Revolute("spin", frames[1], top, at=(0, 0, 0), axis=tilted),
    ]
    return ch.Model([*frames, top], joints)


def sliders():
    """A plane: a carriage of mass, a weightless one across it, and a pendulum on that."""
    cart = ch.Body.box("cart", (0.2, 0.2, 0.2), mass=1.0)
    across = ch.Body.frame("across", position=(0.1, 0, 0))
    bob = ch.Body.box("bob", (0.1, 0.1, 0.5), mass=2.0, position=(0.1, 0, -0.3))
    joints = [
        ch.Prismatic("rail", ch.GROUND, cart, axis=X),
        ch.Prismatic("lift", cart, across, axis=(0.6, 0, 0.8)),
        ch.Revolute("pin", across, bob, at=(0.1, 0, 0), axis=Y),
    ]
    ends = {"at": (0, 0, 0), "at_b": (0.1, 0, -0.5)}
    spring = ch.Spring("spring", cart, bob, **ends, stiffness=80.0, rest_length=0.2)
    return ch.Model([cart, across, bob], joints, [spring])


def in_flight():
    """Two boxes on a cross, which nothing holds."""
    cross = ch.Body.frame("cross")
    left = spinning("left", (0.7, -0.4, 0.3), np.zeros(3))
    right = ch.Body.box("right", (0.6, 0.1, 0.1), mass=1.0, position=(0.4, 0.1, 0.05))
    joints = [
        ch.Revolute("one", left, cross, at=(0, 0, 0), axis=Y),
        ch.Revolute("two", cross, right, at=(0, 0, 0), axis=Z),
    ]
    return ch.Model([left, cross, right], joints)


MODELS = {f.__name__: f for f in (cardan, gimbals, sliders, in_flight)}
STARTS = {"gimbals": {"yaw": (0.1, 0.5), "spin": (0.0, 15.0)}}


def apart(one, other):
    names = [body.name for body in one.model.bodies if body.mass > 0.0]
    return max(
        max(np.abs(one.position(n) - other.position(n)).max(),
            np.abs(one.rotation(n) - other.rotation(n)).max())
        for n in names
    )  # fmt: skip


@pytest.fixture(scope="module")
def exact():
    """By model: on subgroups, with steps so short that they are exact."""
    kept = {}

    def run(name):
        if name not in kept:
            kept[name] = ch.simulate(
                MODELS[name](), 0.2, step=1e-3, save_every=20, spaces="subgroups", method="dop853",
                start=STARTS.get(name),
            )  # fmt: skip
        return kept[name]

    return run


@pytest.mark.parametrize("spaces", CHARTS)
@pytest.mark.parametrize("name", MODELS)
def test_the_motion_is_that_of_the_subgroups(name, spaces, exact):
    for rows in ("needed", "all"):
        ours = ch.simulate(
            MODELS[name](), 0.2, step=1e-3, save_every=20, spaces=spaces, method="dop853",
            start=STARTS.get(name), rows=rows,
        )  # fmt: skip
        assert apart(ours, exact(name)) < 1e-10
        assert not ours.warnings


#: By method: how far it may be off after 0.2 s in steps of 2 ms.
METHODS = {
    "rk4": 1e-8, "heun": 1e-4, "gauss4": 1e-8, "generalized-alpha": 1e-3,
    "generalized-alpha index 2": 1e-3, "bliedf2": 1e-3, "bliedf3": 1e-4, "linearly-implicit": 1e-3,
    "half-explicit": 1e-7, "rattlie": 1e-3,
}  # fmt: skip


@pytest.mark.parametrize("name, method", one_at_a_time(MODELS, METHODS, base=("in_flight", "rk4")))
def test_explicit_and_implicit_methods_take_frames_on_charts(name, method, exact):
    for spaces in ("SE3", "SO3xR3"):
        ours = ch.simulate(
            MODELS[name](), 0.2, step=2e-3, save_every=10, spaces=spaces, method=method,
            start=STARTS.get(name),
        )  # fmt: skip
        assert apart(ours, exact(name)) < METHODS[method]
        for joint in ours.model.joint_names:
            wanted = exact(name).reaction(joint)
            size = np.abs(wanted.force).max() + 1.0
            found = ours.reaction(joint)
            assert np.abs(found.force - wanted.force)[1:].max() < 100 * METHODS[method] * size


def doors():
    """A door on two hinges, one too many, with a box on a cross at its edge."""
    door = ch.Body.box("door", (0.8, 0.05, 1.0), mass=5.0, position=(0.4, 0, 0))
    cross = ch.Body.frame("cross", position=(0.8, 0, 0))
    box = ch.Body.box("box", (0.2, 0.1, 0.3), mass=1.0, position=(0.9, 0.1, -0.1))
    joints = [
        ch.Revolute("low", ch.GROUND, door, at=(0, 0, -0.5), axis=Z),
        ch.Revolute("high", ch.GROUND, door, at=(0, 0, 0.5), axis=Z),
        ch.Revolute("one", door, cross, at=(0.8, 0, 0), axis=X),
        ch.Revolute("two", cross, box, at=(0.8, 0, 0), axis=Y),
    ]
    return ch.Model([door, cross, box], joints)


@pytest.mark.parametrize("spaces", ["subgroups", "SE3", "SO3xR3"])
def test_redundant_joints_are_found_beside_frames(spaces, refusal):
    model = doors()
    text = refusal(
        lambda: ch.simulate(model, 0.1, 1e-3, spaces=spaces, redundant="refuse"), ch.ChaslesError
    )
    assert "5 of the 20 constraint rows are redundant" in text
    assert model.degrees_of_freedom == 3
    result = ch.simulate(model, 0.1, 1e-3, spaces=spaces, rows="all")
    assert set(result.redundancy.shared) == {"low", "high"}
    held = sum(result.reaction(name).force for name in ("low", "high"))
    pushed = sum(
        body.mass * result.acceleration(body.name) for body in model.bodies if body.mass > 0.0
    )
    assert held - (0, 0, 9.81 * 6.0) == pytest.approx(pushed, abs=1e-9)
