"""A zero of one's own, welds with a turn, and joints one after the other."""

import numpy as np
import pytest

import chasles as ch

Y, Z = (0, 1, 0), (0, 0, 1)


def arm(**joint):
    rod = ch.Body.rod("rod", between=((0, 0, 0), (1, 0, 0)), mass=2.0)
    return rod, ch.Revolute("hinge", ch.GROUND, rod, (0, 0, 0), Y, **joint)


@pytest.mark.parametrize("spaces", ["auto", "SE3", "framed"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_zero_shifts_the_coordinate_and_nothing_else(spaces, swapped):
    rod = ch.Body.rod("rod", between=((0, 0, 0), (1, 0, 0)), mass=2.0)
    ends = (rod, ch.GROUND) if swapped else (ch.GROUND, rod)
    runs = [
        ch.simulate(
            ch.Model([rod], [ch.Revolute("hinge", *ends, (0, 0, 0), Y, zero=zero)]),
            until=2.0, step=1e-3, spaces=spaces,
        )
        for zero in (0.0, 0.7)
    ]  # fmt: skip
    plain, shifted = (run.coordinate("hinge") for run in runs)
    assert np.ptp(plain) > 0.5
    assert shifted - plain == pytest.approx(np.full(len(plain), 0.7), abs=1e-9)
    assert runs[0].position("rod") == pytest.approx(runs[1].position("rod"), abs=1e-9)
    assert runs[1].violation("hinge").max() < 1e-9


@pytest.mark.parametrize(
    "make",
    [
        lambda b: ch.Prismatic("j", ch.GROUND, b, axis=(1, 0, 1), zero=-0.4),
        lambda b: ch.Helical("j", ch.GROUND, b, (0, 0.1, 0), Z, pitch=0.3, zero=1.2),
        lambda b: ch.Cylindrical("j", ch.GROUND, b, (0, 0.1, 0), Z, zero=(0.4, -2.0)),
    ],
)
@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_every_coordinate_begins_at_its_zero(make, spaces):
    body = ch.Body.box("b", size=(0.1, 0.2, 0.3), mass=1.0)
    joint = make(body)
    result = ch.simulate(ch.Model([body], [joint]), until=0.2, step=1e-2, spaces=spaces)
    for word in joint.coordinates:
        assert result.coordinate("j", word)[0] == pytest.approx(joint.at_start(word), abs=1e-12)
    assert result.position("b")[0] == pytest.approx(body.position)
    assert result.violation("j").max() < 1e-9


def test_springs_stops_motions_and_starts_count_from_the_zero():
    rod, hinge = arm(zero=0.5)
    spring = ch.JointSpring("spring", hinge, stiffness=10.0, rest=0.5)
    still = ch.simulate(ch.Model([rod], [hinge], [spring], gravity=(0, 0, 0)), until=1.0, step=0.01)
    assert still.coordinate("hinge") == pytest.approx(np.full(101, 0.5), abs=1e-15)
    driver = ch.Driver("drive", hinge, ch.Signal.linear(2.0, offset=0.5))
    driven = ch.simulate(ch.Model([rod], [hinge], drivers=[driver]), until=0.5, step=0.01)
    assert driven.coordinate("hinge")[-1] == pytest.approx(1.5)
    begun = ch.simulate(ch.Model([rod], [hinge]), until=0.01, step=0.01, start={"hinge": 0.8})
    # 0.3 rad about y from the pose entered
    assert begun.position("rod")[0] == pytest.approx((0.5 * np.cos(0.3), 0, -0.5 * np.sin(0.3)))
    with pytest.raises(ch.ChaslesError, match=r"motion is 0 at t = 0, but the start is where it"):
        ch.Model([rod], [hinge], drivers=[ch.Driver("drive", hinge, ch.Signal.linear(2.0))])


def test_held_joints_stay_at_their_zero_when_others_are_closed():
    rod, hinge = arm(zero=0.5)
    second = ch.Body.rod("second", between=((1, 0, 0), (2, 0, 0)), mass=1.0)
    elbow = ch.Revolute("elbow", rod, second, (1, 0, 0), Y, at_b=(1.05, 0, 0))
    found = ch.assemble(ch.Model([rod, second], [hinge, elbow]), hold=["hinge"])
    assert found.state.position[0] == pytest.approx((0.5, 0, 0), abs=1e-9)


def test_zeros_survive_files(tmp_path):
    rod, hinge = arm(zero=0.5)
    model = ch.Model([rod], [hinge])
    assert ch.read_model(model.write(tmp_path / "arm.toml")) == model
    assert model.placed("left ", rotation=("z", 1.0)).joint("left hinge").zero == 0.5


@pytest.mark.parametrize("zero", [4.0, np.nan, "x", (1, 2), True, None])
def test_bad_zeros_are_refused(zero):
    with pytest.raises(ch.ChaslesError, match="joint 'hinge': zero must be"):
        arm(zero=zero)


def test_a_weld_with_a_turn_is_closed_by_that_turn(tmp_path):
    post = ch.Body.box("post", size=(0.1, 0.2, 0.3), mass=1.0)
    flag = ch.Body.box("flag", size=(0.1, 0.2, 0.3), mass=1.0, position=(1, 0, 0))
    base = ch.Fixed("base", ch.GROUND, post)
    weld = ch.Fixed("weld", post, flag, at=(1, 0, 0), turn=("z", 0.3))
    model = ch.Model([post, flag], [base, weld])
    with pytest.raises(ch.ChaslesError, match="joint 'weld' is open"):
        ch.simulate(model, until=0.1, step=0.01)
    result = ch.simulate(model, until=0.1, step=0.01, close=True, hold=["post"])
    turn = result.rotation("flag")[0]
    assert np.degrees(np.arctan2(turn[1, 0], turn[0, 0])) == pytest.approx(np.degrees(0.3))
    assert ch.read_model(model.write(tmp_path / "weld.toml")) == model
    with pytest.raises(ch.ChaslesError, match="joint 'weld': turn"):
        ch.Fixed("weld", post, flag, turn="sideways")


def test_two_hinges_in_a_row_are_a_universal_joint():
    shaft = ch.Body.box("shaft", size=(0.1, 0.2, 0.5), mass=2.0, position=(0.05, 0, -0.3))
    at = (0, 0, 0)
    frames, joints = ch.compound(
        ch.Revolute("roll", ch.GROUND, shaft, at, (1, 0, 0)),
        ch.Revolute("pitch", ch.GROUND, shaft, at, Y),
    )
    chained = ch.Model([shaft, *frames], joints)
    cross = ch.Model([shaft], [ch.Universal("u", ch.GROUND, shaft, at, (1, 0, 0), Y)])
    one = ch.simulate(chained, until=1.0, step=1e-3, start={"roll": (0.0, 1.0), "pitch": (0, 2.0)})
    turning = ch.Body.box("shaft", size=(0.1, 0.2, 0.5), mass=2.0, position=(0.05, 0, -0.3),
                          angular_velocity=(1.0, 2.0, 0.0))  # fmt: skip
    two = ch.simulate(
        ch.Model([turning], cross.joints), until=1.0, step=1e-3, stabilise="projection"
    )
    assert one.position("shaft")[-1] == pytest.approx(two.position("shaft")[-1], abs=1e-9)
    assert np.abs(one.energy_balance()).max() < 1e-9
    assert chained.degrees_of_freedom == 2


@pytest.mark.parametrize(
    "joints, said",
    [
        ((), "two joints or more, got 0"),
        ((1, 2), "it is made of joints"),
        (
            (ch.Revolute("a", "x", "y", (0, 0, 0), Y), ch.Revolute("b", "x", "z", (0, 0, 0), Y)),
            "joint 'b' leads from 'x' to 'z'",
        ),
        ((ch.Revolute("a", "x", "y", (0, 0, 0), Y),) * 2, "one name"),
    ],
)
def test_bad_compounds_are_refused(joints, said):
    with pytest.raises(ch.ChaslesError, match=said):
        ch.compound(*joints)


@pytest.mark.parametrize("word", ["zero", "armature"])
def test_numbers_too_large_for_doubles_are_refused(word):
    arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    with pytest.raises(ch.InvalidJoint, match=f"{word} must be a number"):
        ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1), **{word: 10**400})


@pytest.mark.parametrize("junk", ["frame", 3, {}, int])
def test_a_frame_name_that_is_not_a_function_is_refused(junk):
    arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    hinges = [ch.Revolute(n, ch.GROUND, arm, at=(0, 0, 0), axis=n) for n in "xy"]
    with pytest.raises(ch.InvalidOption, match="frame_name must be a function"):
        ch.compound(*hinges, frame_name=junk)


def test_the_slides_of_a_gantry_have_its_motion_and_coordinates():
    body = ch.Body.box("b", size=(0.1, 0.2, 0.3), mass=2.0, velocity=(1, 0, 0))
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", body, arm, (0, 0, 0), "y")
    gantry = ch.Cartesian("gantry", ch.GROUND, body)
    frames, slides = gantry.slides()
    twist = ch.Load("twist", "b", torque=(0.3, -0.2, 0.5))
    one = ch.simulate(ch.Model([body, arm], [gantry, hinge], [twist]), until=1.0, step=1e-2)
    model = ch.Model([body, arm, *frames], [*slides, hinge], [twist])
    two = ch.simulate(model, until=1.0, step=1e-2)
    assert one.position("arm") == pytest.approx(two.position("arm"), abs=1e-8)
    for k, axis in enumerate("xyz"):
        assert two.coordinate(f"gantry {axis}") == pytest.approx(two.position("b")[:, k], abs=1e-15)
    assert (two.rotation("b") == np.eye(3)).all()
    law = ch.JointLaw("rubber", "gantry z", lambda t, q, rate: -200.0 * (q + 0.1))
    held = ch.Model([body, arm, *frames], [*slides, hinge], [law], gravity=(0, 0, 0))
    start = {"gantry z": 0.05, "gantry x": 0.2}
    run = ch.simulate(held, until=0.02, step=1e-3, start=start)
    assert run.position("b")[0] == pytest.approx((0.2, 0, 0.05), abs=1e-15)
    assert run.effort("rubber")[0] == pytest.approx(-30.0)
