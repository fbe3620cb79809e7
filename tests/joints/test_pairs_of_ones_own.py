"""Joints from outside of the package: a class that says what it locks is an exact pair."""

import numpy as np
import pytest

import chasles as ch


class Schoenflies(ch.LowerPair):
    """A gripper's motions: all shifts, and turns about z."""

    locked = ("wx", "wy")


class Corkscrew(ch.LowerPair):
    """Planar-helical: shifts in a plane, turns that advance along its normal."""

    locked = ("wx", "wy", "uz")


class Tray(ch.LowerPair):
    """Shifts in a plane, and no turn."""

    locked = ("wx", "wy", "wz", "uz")


class Gantry(ch.LowerPair):
    """All shifts."""

    locked = ("wx", "wy", "wz")


class Hinge(ch.LowerPair):
    locked = ("wx", "wy", "ux", "uy", "uz")


#: The pair under test, and the same motions by joints in series with frames between them.
IN_SERIES = {
    "Schoenflies": (Schoenflies, {}, ["x", "y", "z", "turn"]),
    "planar-helical": (Corkscrew, {"pitch": 0.3}, ["x", "y", "screw"]),
    "flat": (Tray, {}, ["x", "y"]),
    "Cartesian": (Gantry, {}, ["x", "y", "z"]),
}
AXIS = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
X = np.cross(AXIS, (1, 0, 0)) / np.linalg.norm(np.cross(AXIS, (1, 0, 0)))
Y = np.cross(AXIS, X)
START = np.array([0.2, 0.1, 0.4])
VELOCITY = {"Schoenflies": X - 2 * Y + 0.5 * AXIS, "planar-helical": X - 2 * Y + 0.3 * 3 * AXIS,
            "flat": X - 2 * Y, "Cartesian": X - 2 * Y + 0.5 * AXIS}  # fmt: skip


def bodies(name):
    """A box that moves as its pair allows, and a lopsided arm on a hinge of it."""
    turns = name in ("Schoenflies", "planar-helical")
    box = ch.Body.box(
        "box", (0.3, 0.2, 0.5), mass=2.0, position=START, velocity=VELOCITY[name],
        angular_velocity=3.0 * AXIS if turns else (0, 0, 0),
    )  # fmt: skip
    arm = ch.Body.box("arm", (0.6, 0.1, 0.2), mass=1.0, position=START + (0.5, 0.1, 0))
    return box, arm, ch.Revolute("elbow", box, arm, at=START + (0.2, 0, 0), axis=(1, 1, 0))


def as_pair(name):
    box, arm, elbow = bodies(name)
    made, more, _ = IN_SERIES[name]
    return ch.Model([box, arm], [made("pair", ch.GROUND, box, at=START, axis=AXIS, **more), elbow])


def in_series(name):
    box, arm, elbow = bodies(name)
    made = {
        "x": lambda a, b: ch.Prismatic("x", a, b, axis=X),
        "y": lambda a, b: ch.Prismatic("y", a, b, axis=Y),
        "z": lambda a, b: ch.Prismatic("z", a, b, axis=AXIS),
        "turn": lambda a, b: ch.Revolute("turn", a, b, at=START, axis=AXIS),
        "screw": lambda a, b: ch.Helical("screw", a, b, at=START, axis=AXIS, pitch=0.3),
    }
    words = IN_SERIES[name][2]
    carriers = [ch.Body.frame(f"frame {word}", position=START) for word in words[:-1]]
    chain = [ch.GROUND, *carriers, box]
    joints = [made[word](a, b) for word, a, b in zip(words, chain, chain[1:])]
    return ch.Model([*carriers, box, arm], [*joints, elbow])


@pytest.mark.parametrize("name", IN_SERIES)
def test_it_moves_as_the_same_motions_in_series(name):
    ours = ch.simulate(as_pair(name), 1.0, 1e-3, method="dop853")
    theirs = ch.simulate(in_series(name), 1.0, 1e-3, method="dop853")
    for body in ("box", "arm"):
        assert ours.position(body) == pytest.approx(theirs.position(body), abs=1e-10)
        assert ours.rotation(body) == pytest.approx(theirs.rotation(body), abs=1e-10)


@pytest.mark.parametrize("method", ["heun", "generalized-alpha", "rattlie", "gauss4", "bliedf2"])
@pytest.mark.parametrize("name", IN_SERIES)
def test_it_is_exact_in_its_subgroup_by_any_method(name, method):
    result = ch.simulate(as_pair(name), 0.5, 5e-3, method=method, spaces="subgroups")
    assert result.violation("pair").max(initial=0.0) < 1e-14
    assert result.violation("pair", "rotation").max(initial=0.0) < 1e-14
    assert result.certificate("pair").exact


@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3", "framed"])
@pytest.mark.parametrize("name", IN_SERIES)
def test_charts_agree_with_the_subgroup(name, spaces):
    ours, theirs = (
        ch.simulate(as_pair(name), 0.5, 2e-3, method="dop853", spaces=space, rows="all")
        for space in ("subgroups", spaces)
    )
    assert ours.position("arm") == pytest.approx(theirs.position("arm"), abs=1e-8)
    assert ours.reaction("pair").force == pytest.approx(theirs.reaction("pair").force, abs=1e-6)


@pytest.mark.parametrize("name", IN_SERIES)
def test_it_closes_loops_and_lets_rows_through(name):
    """The arm is held by a strut to the ground: rows ride through the pair."""
    strut = ch.Distance("strut", "ground", "arm", (1, 1, 1), at_b=START + (0.7, 0.1, 0))
    runs = [
        ch.simulate(ch.Model(model.bodies, [*model.joints, strut]), 0.4, 1e-3, method="dop853",
                    close=True)
        for model in (as_pair(name), in_series(name))
    ]  # fmt: skip
    assert runs[0].position("arm") == pytest.approx(runs[1].position("arm"), abs=1e-8)


def test_dynamics_in_joint_coordinates_name_them():
    found = ch.joint_dynamics(as_pair("Schoenflies"))
    assert found.coordinates[:4] == (
        ("pair", "angle"), ("pair", "x"), ("pair", "y"), ("pair", "z")
    )  # fmt: skip
    whole = found.mass[1:4, 1:4]  # shifts carry both bodies
    assert whole == pytest.approx(3.0 * np.eye(3), abs=1e-12)


def test_a_hinge_of_ones_own_is_a_hinge():
    rod = ch.Body.rod("rod", length=1.0, mass=1.0, position=(0.5, 0, 0))
    runs = [
        ch.simulate(ch.Model([rod], [made("pin", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))]),
                    1.0, 1e-2)
        for made in (Hinge, ch.Revolute)
    ]  # fmt: skip
    assert np.array_equal(runs[0].position("rod"), runs[1].position("rod"))


# --- what is refused ---


@pytest.mark.parametrize("locked", [("wx",), ("wx", "wy", "ux"), ("ux",), ("wx", "wz", "uz")])
def test_what_leaves_no_group_free_is_refused_when_the_class_is_made(locked, refusal):
    message = refusal(lambda: type("Odd", (ch.LowerPair,), {"locked": locked}), ch.InvalidJoint)
    assert "'Odd' locks" in message and "no group" in message


def test_a_pitch_without_a_thread_is_refused(refusal):
    body = ch.Body.sphere("ball", 0.1, mass=1.0)
    message = refusal(lambda: Schoenflies("s", ch.GROUND, body, pitch=0.1), ch.InvalidJoint)
    assert "joint 's': pitch is 0.1" in message


@pytest.mark.parametrize(
    "members",
    [{"locked": ["wx", "wy"]}, {"locked": None}, {"locked": ("wx", "wx", "wy")},
     {"locked": (["wx"], "wy")}, {"locked": ("wx", "foo")},
     {"locked": ("wx", "wy", "uz"), "coordinates": ("angle",)},
     {"locked": ("wx", "wy", "wz", "ux", "uy") * 2}],
    ids=str,
)  # fmt: skip
def test_a_class_that_says_it_badly_is_refused_when_it_is_made(members, refusal):
    message = refusal(lambda: type("Odd", (ch.LowerPair,), members), ch.InvalidJoint)
    assert "joint class 'Odd'" in message


class Thread(ch.LowerPair):
    """A screw without a word on its coordinate."""

    locked = ("wx", "wy", "ux", "uy", "uz")


def test_a_pair_without_coordinates_is_told_how_to_declare_them(refusal):
    nut = ch.Body.sphere("nut", 0.1, mass=1.0)
    thread = Thread("thread", ch.GROUND, nut, at=(0, 0, 0), axis="z", pitch=0.01)
    motor = ch.Motor("motor", "thread", effort=1.0)
    message = refusal(lambda: ch.Model([nut], [thread], [motor]), ch.InvalidForce)
    assert "class 'Thread' declares none" in message and "coordinates = ('angle',)" in message


def test_a_class_that_files_do_not_know_is_refused_when_it_is_written(tmp_path, refusal):
    nut = ch.Body.sphere("nut", 0.1, mass=1.0)
    model = ch.Model([nut], [Thread("thread", ch.GROUND, nut, at=(0, 0, 0), axis="z", pitch=0.01)])
    run = ch.simulate(model, 0.1, 1e-2)
    for save in (
        lambda: run.save(tmp_path / "run.nc"),
        lambda: model.write(tmp_path / "model.toml"),
        lambda: ch.simulate(model, 0.1, 1e-2, into=tmp_path / "run"),
    ):
        message = refusal(save, ch.InvalidModel)
        assert "'thread' is of the class Thread" in message and "in_files=True" in message
    assert list(tmp_path.iterdir()) == []


class Pin(ch.LowerPair):
    """A hinge that says what its coordinate is."""

    locked = Hinge.locked
    coordinates = ("angle",)


def test_starts_and_drivers_name_the_coordinate_of_a_hinge_of_ones_own():
    rod = ch.Body.rod("rod", length=1.0, mass=1.0, position=(0.5, 0, 0))
    frame = ch.Body.frame("frame", position=(0, 0, 0))
    found = []
    for made in (Pin, ch.Revolute):
        pin = made("pin", ch.GROUND, frame, at=(0, 0, 0), axis=(0, 1, 0))
        joints = [pin, ch.Revolute("elbow", frame, rod, at=(0, 0, 0), axis=(1, 0, 0))]
        model = ch.Model([frame, rod], joints)
        start = ch.start_state(model, {"pin": (0.3, 2.0)})
        turning = ch.Driver("turning", "pin", ch.Signal.linear(2.0))
        driven = ch.simulate(ch.Model([frame, rod], joints, drivers=[turning]), 0.2, step=1e-2)
        found.append((start.position, start.velocity, driven.effort("turning")))
    for ours, theirs in zip(*found):
        assert ours == pytest.approx(theirs, abs=1e-12)
