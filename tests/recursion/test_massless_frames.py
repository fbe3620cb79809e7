"""Frames without mass: joints in series, a universal joint of two hinges, and what is refused."""

from math import pi

import mujoco
import numpy as np
import pytest
from subgroup_runs import run

import chasles as ch

X, Y, Z = np.eye(3)


def arm(**start) -> ch.Body:
    return ch.Body.box("arm", (0.1, 0.2, 0.8), mass=2.0, position=(0.1, 0, -0.4), **start)


def cardan(omega=(0.7, -0.4, 0.0)) -> tuple[ch.Model, ch.Model]:
    """A box on two crossed hinges with a massless cross; the same on a universal joint."""
    spin = {"angular_velocity": omega, "velocity": np.cross(omega, (0.1, 0, -0.4))}
    cross = ch.Body.frame("cross")
    box = arm(**spin)
    hinges = [
        ch.Revolute("first", ch.GROUND, cross, at=(0, 0, 0), axis=X),
        ch.Revolute("second", cross, box, at=(0, 0, 0), axis=Y),
    ]
    joint = ch.Universal("joint", ch.GROUND, box, at=(0, 0, 0), axis=X, axis_b=Y)
    return ch.Model([cross, box], hinges), ch.Model([box], [joint])


# --- the same motion ---


def test_two_hinges_and_a_massless_cross_are_a_universal_joint():
    two, one = cardan()
    ours = run(two, until=1.0, method="dop853")
    theirs = ch.simulate(one, 1.0, step=1e-3, method="dop853", spaces="SE3")
    assert ours.position("arm") == pytest.approx(theirs.position("arm"), abs=1e-9)
    assert ours.rotation("arm") == pytest.approx(theirs.rotation("arm"), abs=1e-9)
    assert min(np.ptp(ours.coordinate(name)) for name in two.joint_names) > 0.3


def test_it_holds_exactly_with_any_method_where_the_universal_joint_drifts():
    two, one = cardan((9.0, -6.0, 0.0))
    ours = run(two, until=5.0, step=5e-3, method="heun")
    for name in two.joint_names:
        assert ours.violation(name).max() < 1e-13
        assert ours.violation(name, "rotation").max() < 1e-13
    # Both axes stay at right angles, and the box on its pivot.
    pivot = ours.point("arm", (0, 0, 0)).position
    assert np.abs(pivot).max() < 1e-13
    theirs = ch.simulate(one, 0.5, step=5e-3, method="heun", spaces="SE3")
    assert theirs.violation("joint", "rotation").max() > 1e-8


def test_energy_is_kept_and_balanced():
    two, _ = cardan()
    result = run(two, until=2.0)
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-9 * np.ptp(result.kinetic_energy())
    assert not result.warnings


def test_reactions_and_accelerations_are_those_of_the_universal_joint():
    two, one = cardan()
    ours, theirs = run(two, until=0.1), ch.simulate(one, 0.1, step=1e-3, spaces="SE3")
    force = theirs.reaction("joint").force
    for name in two.joint_names:  # a cross without mass passes all of it on
        assert ours.reaction(name).force == pytest.approx(force, abs=1e-6)
    assert ours.acceleration("arm") == pytest.approx(theirs.acceleration("arm"), abs=1e-6)
    assert ours.acceleration("cross") == pytest.approx(0.0, abs=1e-12)


def test_velocities_are_completed_to_rounding_so_that_what_floats_keeps_its_momentum():
    """Two rods on a massless cross, in flight: the start has no other momentum than the rest."""
    left = ch.Body.rod("left", mass=1.0, between=((0, 0, 0), (1, 0, -1)), velocity=(1, 0, 0.3),
                       angular_velocity=(0.3, 2.0, 1.0))  # fmt: skip
    right = ch.Body.rod("right", mass=1.0, between=((1, 0, -1), (2, 0, 0)))
    cross = ch.Body.frame("cross", position=(1, 0, -1))
    joints = [
        ch.Revolute("first", left, cross, at=(1, 0, -1), axis=Y),
        ch.Revolute("second", cross, right, at=(1, 0, -1), axis=Z),
    ]
    result = run(ch.Model([left, right, cross], joints, gravity=(0, 0, 0)), until=0.1)
    assert result.velocity("left")[0] == pytest.approx((1, 0, 0.3), abs=1e-14)
    for kept in (result.momentum(), result.angular_momentum()):
        assert np.abs(kept - kept[0]).max() < 1e-14


def test_three_slides_in_series_are_free_fall():
    """A ball on massless carriages along x, y and z falls as if nothing held it."""
    carriages = [ch.Body.frame("along x"), ch.Body.frame("along y")]
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, velocity=(1.0, 2.0, 3.0))
    chain = [ch.GROUND, *carriages, ball]
    slides = [
        ch.Prismatic(f"slide {k}", chain[k], chain[k + 1], axis=axis)
        for k, axis in enumerate((X, Y, Z))
    ]
    result = run(ch.Model([*carriages, ball], slides), until=1.0, step=1e-2)
    t = result.t[:, None]
    expected = t * (1.0, 2.0, 3.0) + 0.5 * t**2 * (0, 0, -9.81)
    assert result.position("ball") == pytest.approx(expected, abs=1e-12)


def test_offset_hinges_in_series_accelerate_as_in_mujoco():
    """MuJoCo takes several joints on one body: two hinges with offset, skew axes, and a slide."""
    scene = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="arm" pos="0.1 0 -0.4">
        <joint name="one" type="hinge" pos="-0.1 0 0.4" axis="1 0 0"/>
        <joint name="two" type="hinge" pos="0.1 0.2 0.4" axis="0 0.6 0.8"/>
        <joint name="three" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.3 0.2 0.1"/>
        </body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(scene)
    data.qpos[:], data.qvel[:] = (0.4, -0.7, 0.2), (1.5, -2.0, 0.8)
    mujoco.mj_forward(scene, data)
    frames = [ch.Body.frame("first"), ch.Body.frame("second")]
    body = ch.Body("arm", 2.0, (0.3, 0.2, 0.1), position=(0.1, 0, -0.4))
    joints = [
        ch.Revolute("one", ch.GROUND, frames[0], at=(0, 0, 0), axis=X),
        ch.Revolute("two", frames[0], frames[1], at=(0.2, 0.2, 0), axis=(0, 0.6, 0.8)),
        ch.Prismatic("three", frames[1], body, axis=Z),
    ]
    start = dict(zip(("one", "two", "three"), zip(data.qpos.tolist(), data.qvel.tolist())))
    model = ch.Model([*frames, body], joints)
    result = run(model, until=1e-6, step=1e-6, start=start)
    assert result.position("arm")[0] == pytest.approx(data.xpos[1], abs=1e-14)
    h = 1e-4  # accelerations by differences of the rates, which are linear over one step
    after = run(model, until=h, step=h / 10, method="dop853", start=start)
    for k, name in enumerate(("one", "two", "three")):
        rates = after.coordinate_rate(name)
        slope = np.polyfit(after.t, rates, 4)[-2]
        assert slope == pytest.approx(data.qacc[k], rel=1e-7, abs=1e-6)
    linear = np.zeros((3, 3)), np.zeros((3, 3))
    shift, rate = linear
    mujoco.mj_jac(scene, data, shift, None, data.xpos[1], 1)
    mujoco.mj_jacDot(scene, data, rate, None, data.xpos[1], 1)
    expected = shift @ data.qacc + rate @ data.qvel
    assert result.acceleration("arm")[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_rotor_alone_carries_a_frame():
    """A frame that only an armature resists: I q'' = M."""
    flag = ch.Body.frame("flag")
    hinge = ch.Revolute("hinge", ch.GROUND, flag, (0, 0, 0), Z, armature=0.5)
    push = ch.Motor("push", hinge, effort=2.0)
    result = run(ch.Model([flag], [hinge], [push]), until=1.0)
    assert result.coordinate("hinge") == pytest.approx(0.5 * 4.0 * result.t**2, abs=1e-10)


def test_frames_survive_files(tmp_path):
    model, _ = cardan()
    model.write(tmp_path / "model.toml")
    assert ch.read_model(tmp_path / "model.toml") == model
    result = run(model, until=0.01)
    again = ch.load(result.save(tmp_path / "run.nc"))
    assert np.array_equal(again.acceleration("arm"), result.acceleration("arm"))


def test_velocities_left_out_are_filled_in_through_a_frame():
    cross = ch.Body.frame("cross")
    box = arm(angular_velocity=(0.0, pi, 0.0))
    joints = cardan()[0].joints
    result = run(ch.Model([cross, box], joints), until=1e-3)
    assert result.coordinate_rate("second")[0] == pytest.approx(pi, abs=1e-9)
    assert result.coordinate_rate("first")[0] == pytest.approx(0.0, abs=1e-9)


# --- what is refused ---


def test_a_massless_end_is_refused_by_name(refusal):
    box, flag = arm(), ch.Body.frame("flag", position=(0.1, 0, -0.8))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, box, (0, 0, 0), Y),
        ch.Revolute("tip", box, flag, (0.1, 0, -0.8), Y),
    ]
    message = refusal(lambda: run(ch.Model([box, flag], joints)), ch.InvalidBody)
    assert "body 'flag' has no mass" in message and "'tip'" in message


@pytest.mark.parametrize("spaces", ["SE3", "SO3xR3", "SO3xR3 on joints"])
def test_a_chart_of_a_frame_is_refused_by_name(spaces, refusal):
    model, _ = cardan()
    charted = {"cross": spaces}
    message = refusal(lambda: ch.simulate(model, 0.1, 1e-2, spaces=charted), ch.InvalidOption)
    assert "body 'cross' has no mass" in message and "Leave 'cross' out of spaces" in message
    assert ch.designate(model, spaces).spaces["cross"] == ch.Space("subgroup", "first")


def test_the_massless_cage_of_a_differential_takes_the_armature_that_is_advised(refusal):
    """Both wheels get half of the torque, 0.02 kg m^2 each and a quarter of the armature."""

    def differential(**cage_axle):
        wheels = [ch.Body("left", 1, (0.02,) * 3), ch.Body("right", 1, (0.02,) * 3)]
        bodies = [*wheels, ch.Body.frame("cage")]
        axles = [
            ch.Revolute(f"{b.name} axle", ch.GROUND, b, at=(0, 0, 0), axis="y") for b in wheels
        ]
        axles += [ch.Revolute("cage axle", ch.GROUND, "cage", (0, 0, 0), axis="y", **cage_axle)]
        gears = ch.Coupling("gears", {"left axle": 1, "right axle": 1, "cage axle": -2})
        return ch.Model(bodies, [*axles, gears], [ch.Motor("engine", "cage axle", effort=0.1)])

    said = refusal(lambda: ch.simulate(differential(), 0.1, step=1e-2), ch.InvalidBody)
    assert "body 'cage' has no mass" in said and "a small armature" in said
    run = ch.simulate(differential(armature=1e-6), 1.0, step=1e-2, start={"left axle": (0, 1.0)})
    turned = 0.5 * 0.05 / (0.02 + 0.5e-6)
    assert run.coordinate("right axle")[-1] + run.coordinate("left axle")[-1] == pytest.approx(
        2 * turned + run.coordinate_rate("left axle")[0] + run.coordinate_rate("right axle")[0],
        rel=1e-9,
    )


def test_a_frame_that_only_loops_resist_is_refused_with_the_reason(refusal):
    """A four-bar whose coupler has no mass, cut beside it: both of its hinges move with the cranks.

    Cut elsewhere, as it is by default, it runs (see `test_couplers_without_mass`).
    """
    coupler = ch.Body.frame("coupler", position=(0.5, 0, 1))
    cranks = [ch.Body.rod(f"crank {k}", mass=1.0, between=((k, 0, 0), (k, 0, 1))) for k in (0, 1)]
    joints = [ch.Revolute(f"foot {k}", ch.GROUND, cranks[k], (k, 0, 0), Y) for k in (0, 1)]
    joints += [ch.Revolute(f"head {k}", cranks[k], coupler, (k, 0, 1), Y) for k in (0, 1)]
    model = ch.Model([*cranks, coupler], joints)
    beside = {
        "crank 0": ch.Space("subgroup", "foot 0"),
        "crank 1": ch.Space("subgroup", "foot 1"),
        "coupler": ch.Space("subgroup", "head 0", "crank 0"),
    }
    message = refusal(lambda: ch.simulate(model, 0.1, 1e-2, spaces=beside), ch.InvalidBody)
    assert "body 'coupler' has no mass" in message and "close loops" in message
    assert run(model).status == "finished"


def gimbal(mass=0.0, third=Z) -> ch.Model:
    """A box on a hinge of a frame that a universal joint carries."""
    frame = ch.Body("frame", mass, np.full(3, 0.01 * mass)) if mass else ch.Body.frame("frame")
    box = ch.Body("box", 1.0, (0.02, 0.03, 0.04), position=(0.3, 0, 0))
    joints = [
        ch.Universal("cross", ch.GROUND, frame, at=(0, 0, 0), axis=X, axis_b=Y),
        ch.Revolute("hinge", frame, box, at=(0, 0, 0), axis=third),
    ]
    return ch.Model([frame, box], joints, gravity=(1.0, -2.0, -9.0))


ASKED = {
    "simulate": lambda model: ch.simulate(model, 0.01, step=1e-3),
    "on charts": lambda model: ch.simulate(model, 0.01, step=1e-3, spaces="SE3", rows="all"),
    "equations": ch.equations,
    "joint dynamics": ch.joint_dynamics,
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("third", [Z, (0.3, 0.2, 1.0)])
def test_a_frame_that_only_its_own_joint_holds_is_refused_by_name(asked, third, refusal):
    """The ball of a universal joint would give way before its row: the hinge resists no turn."""
    message = refusal(lambda: ASKED[asked](gimbal(third=third)), ch.InvalidBody)
    assert "body 'frame' has no mass" in message and "joint 'cross'" in message
    assert "small mass" in message and "two Revolute joints" in message


@pytest.mark.parametrize("asked", [ch.equations, ch.joint_dynamics])
@pytest.mark.parametrize("framed", [False, True])
def test_accelerations_that_are_no_finite_numbers_are_refused(asked, framed, refusal):
    """A force of 1e308 N on 1 g."""
    dust = ch.Body("dust", 1e-3, (1e-3, 1e-3, 1e-3))
    frame = ch.Body.frame("frame")
    slides = [
        ch.Prismatic("along", ch.GROUND, frame, axis=X),
        ch.Prismatic("up", frame, dust, axis=Z),
    ]
    load = ch.Load("load", dust, force=(1e308, 0.0, 0.0))
    model = ch.Model([frame, dust], slides, [load]) if framed else ch.Model([dust], [], [load])
    message = refusal(lambda: asked(model), ch.InvalidModel)
    assert "is not a finite number" in message


@pytest.mark.parametrize("asked", ASKED)
def test_a_frame_where_nothing_moves_at_all_is_taken(asked):
    box, frame = arm(), ch.Body.frame("frame")
    welds = [ch.Fixed("base", ch.GROUND, frame), ch.Fixed("top", frame, box)]
    found = ASKED[asked](ch.Model([frame, box], welds))
    if asked == "equations":
        assert not found.acceleration.any()


def test_equations_are_in_the_models_order_whatever_the_order_of_the_tree():
    """The frame is carried by a base that is named after it."""
    base = ch.Body.box("base", (0.2, 0.2, 0.2), mass=3.0, position=(0, 0.3, 0))
    frame = ch.Body.frame("cross")
    box = ch.Body("box", 2.0, (0.3, 0.2, 0.1), position=(0.1, 0, -0.4))
    joints = [
        ch.Revolute("foot", ch.GROUND, base, at=(0, 1, 0), axis=(0.6, 0, 0.8)),
        ch.Revolute("first", base, frame, at=(0, 0, 0), axis=X),
        ch.Revolute("second", frame, box, at=(0, 0, 0), axis=Y),
    ]
    bodies = [box, frame, base]
    found, wanted = (
        ch.equations(ch.Model(list(order), joints)) for order in (bodies, reversed(bodies))
    )
    assert found.columns[0] == ("box", "wx") and wanted.columns[0] == ("base", "wx")
    for equations in (found, wanted):
        missed = equations.jacobian @ equations.acceleration - equations.eta
        assert np.abs(missed).max() < 1e-9
        assert np.abs(equations.jacobian @ equations.velocity).max() < 1e-12
    turned = [found.columns.index(column) for column in wanted.columns]
    for name in ("velocity", "acceleration", "forces"):
        assert getattr(found, name)[turned] == pytest.approx(getattr(wanted, name), abs=1e-12)
    assert found.mass[np.ix_(turned, turned)] == pytest.approx(wanted.mass, abs=1e-12)


def test_both_remedies_for_such_a_frame_are_taken_and_agree():
    light = gimbal(1e-7)
    frames = [ch.Body.frame("outer"), ch.Body.frame("inner")]
    joints = [
        ch.Revolute("first", ch.GROUND, frames[0], at=(0, 0, 0), axis=X),
        ch.Revolute("second", *frames, at=(0, 0, 0), axis=Y),
        ch.Revolute("hinge", frames[1], light.body("box"), at=(0, 0, 0), axis=Z),
    ]
    hinged = ch.equations(ch.Model([*frames, light.body("box")], joints, gravity=light.gravity))
    found, wanted = ch.equations(light).acceleration[6:], hinged.acceleration[12:]
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-5)


def test_a_frame_on_a_universal_joint_is_taken_where_what_hangs_on_it_resists_all_turns():
    box, frame = arm(), ch.Body.frame("frame")
    joints = [
        ch.Universal("cross", ch.GROUND, frame, at=(0, 0, 0), axis=X, axis_b=Y),
        ch.Fixed("weld", frame, box),
    ]
    found = ch.equations(ch.Model([frame, box], joints)).acceleration[6:]
    alone = ch.Universal("cross", ch.GROUND, box, at=(0, 0, 0), axis=X, axis_b=Y)
    assert found == pytest.approx(ch.equations(ch.Model([box], [alone])).acceleration, abs=1e-9)


def test_statics_knows_frames():
    model, _ = cardan()
    rest = ch.equilibrium(model)
    assert rest.stability != "unstable" and rest.residual.force < 1e-9


@pytest.mark.parametrize("inertia", [(1, 1, 1), (0, 0, 1), np.eye(3)])
def test_a_body_has_both_mass_and_inertia_or_neither(inertia, refusal):
    message = refusal(lambda: ch.Body("odd", 0.0, inertia), ch.InvalidBody)
    assert "body 'odd': mass must be positive, got 0 kg" in message
    assert "inertia is not positive definite" in refusal(
        lambda: ch.Body("odd", 1.0, (0, 0, 0)), ch.InvalidBody
    )
