"""Bad input of assembly and of starting states is refused by a ChaslesError that says why."""

import dataclasses

import numpy as np
import pytest
from linkages import bar, bars
from loose_ends import ORIGIN, Z, entered

import chasles as ch


def loose_pair():
    """Two links; the elbow is open by 2 cm."""
    upper = bar("upper", ORIGIN, (1, 0, 0))
    lower = bar("lower", (1.02, 0, 0), (2, 0, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, ORIGIN, Z),
        ch.Spherical("elbow", upper, lower, (1, 0, 0), at_b=(1.02, 0, 0)),
    ]
    return ch.Model([upper, lower], joints)


def run(model=None, **options):
    return ch.simulate(model or loose_pair(), 0.1, 1e-2, **options)


def test_an_open_joint_is_told_how_to_be_closed(refusal):
    what = refusal(run, ch.InconsistentStart)
    assert "joint 'elbow' is open by 0.02 m" in what and "simulate(..., close=True)" in what


def test_an_angle_is_told_in_degrees_too(refusal):
    arm = bar("arm", ORIGIN, (1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, ORIGIN, Z, axis_b=(0, np.sin(0.1), np.cos(0.1)))
    what = refusal(lambda: run(ch.Model([arm], [hinge])), ch.InconsistentStart)
    assert "0.1 rad (5.73 deg)" in what


@pytest.mark.parametrize("close", ["yes", 1, None, [True]])
def test_close_is_true_or_false(close, refusal):
    assert "close must be" in refusal(lambda: run(close=close), ch.InvalidOption)


def test_hold_without_close_is_refused(refusal):
    assert "close=True" in refusal(lambda: run(hold=["upper"]), ch.InvalidOption)
    assert "close=True" in refusal(lambda: run(hold="upper"), ch.InvalidOption)


@pytest.mark.parametrize("hold", ["upper", 3, None, ch.GROUND])
def test_hold_is_a_list(hold, refusal):
    for attempt in (lambda: run(close=True, hold=hold), lambda: ch.assemble(loose_pair(), hold)):
        assert "hold must be" in refusal(attempt, ch.InvalidOption)


@pytest.mark.parametrize(
    "name, hint", [("uper", "'upper'"), ("elbo", "'elbow'"), (7, "Known:"), ("ground", "Known:")]
)
def test_what_is_held_exists(name, hint, refusal):
    what = refusal(lambda: run(close=True, hold=[name]), ch.UnknownName)
    assert "hold: there is no body or joint" in what and hint in what


def test_a_part_of_another_model_is_not_held(refusal):
    stranger = bar("stranger", ORIGIN, (1, 0, 0))
    assert "'stranger'" in refusal(lambda: run(close=True, hold=[stranger]), ch.UnknownName)


def test_a_joint_without_a_coordinate_cannot_be_held(refusal):
    what = refusal(lambda: run(close=True, hold=["elbow"]), ch.InvalidOption)
    assert "'elbow' is spherical and has no coordinate" in what


def test_a_held_pair_that_cannot_close_says_so(refusal):
    what = refusal(lambda: run(close=True, hold=["upper", "lower"]), ch.InconsistentStart)
    assert "cannot be closed with upper, lower held" in what and "joint 'elbow'" in what
    assert "0.02 m" in what and "hold less" in what


def test_a_held_coordinate_that_keeps_a_loop_open_says_so(refusal):
    """With its crank upright the mechanism does not reach its foot."""
    points = [(0, 0, 0), (0, 1, 0), (3, 1, 0), (3.5, 0, 0)]
    links = bars(points)
    ends = [ch.GROUND, *links]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], Z) for k in range(3)]
    joints.append(ch.Revolute("h3", ch.GROUND, links[2], (4.6, 0, 0), Z, at_b=points[3]))
    model = ch.Model(links, joints)
    assert ch.assemble(model).residual[1] < 1e-13
    what = refusal(lambda: ch.assemble(model, hold=["h0"]), ch.InconsistentStart)
    assert "cannot be closed with h0 held" in what
    # From the crank's tip at (0, 1) the foot is sqrt(4.6^2 + 1) away; two links reach 4.118 m.
    missing = np.hypot(4.6, 1.0) - 3.0 - np.hypot(0.5, 1.0)
    left = float(what.split("all together by ")[1].split(" m")[0])
    assert left == pytest.approx(missing, rel=2e-3)  # three digits


@pytest.mark.parametrize("start", ["state", 3, [], np.zeros((2, 18)), loose_pair()])
def test_a_start_is_a_state(start, refusal):
    for attempt in (
        lambda: run(start=start),
        lambda: run(start=start, close=True),
        lambda: ch.assemble(loose_pair(), start=start),
        lambda: ch.equations(loose_pair(), start),
    ):
        assert "must be a State" in refusal(attempt, ch.InvalidOption)


def test_a_start_has_the_bodies_of_the_model(refusal):
    other = ch.Model([bar("other", ORIGIN, (1, 0, 0))])
    for close in (False, True):
        what = refusal(lambda c=close: run(start=entered(other), close=c), ch.UnknownName)
        assert "state: there is no body 'other'" in what
    model = loose_pair()
    part = ch.Model(model.bodies[:1])
    assert "'lower'" in refusal(lambda: run(start=entered(part)), ch.UnknownName)


@pytest.mark.parametrize("angles", [3, [1.0], {"hinge": "far"}, {"hinge": float("nan")}])
def test_angles_of_a_state_are_numbers_by_joint(angles, refusal):
    state = entered(loose_pair())
    fields = (state.bodies, state.position, state.rotation, state.velocity, state.angular_velocity)
    assert "state: " in refusal(lambda: ch.State(0.0, *fields, angles), ch.InvalidOption)


def test_angles_of_a_state_belong_to_joints_that_have_one(refusal):
    state = entered(loose_pair())
    fields = (state.bodies, state.position, state.rotation, state.velocity, state.angular_velocity)

    def start(angles):
        return lambda: run(start=ch.State(0.0, *fields, angles), close=True)

    assert "no joint 'knee'" in refusal(start({"knee": 1.0}), ch.UnknownName)
    assert "has no coordinate" in refusal(start({"elbow": 1.0}), ch.InvalidOption)


def test_a_formula_that_fails_while_joints_are_closed_is_named(refusal):
    def broken(pose_a, pose_b):
        if pose_b[1][0] > 0.99:
            raise RuntimeError("too far")
        return (pose_b[1][2] - 0.1,)

    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(1, 0, 0))
    joint = ch.CustomJoint("shelf", ch.GROUND, ball, broken, rows=1)
    what = refusal(lambda: run(ch.Model([ball], [joint]), close=True), ch.ChaslesError)
    assert "'shelf'" in what and "too far" in what


def test_an_open_custom_joint_is_refused_with_the_length_of_its_residual(refusal):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    joint = ch.CustomJoint(
        "shelf", ch.GROUND, ball, lambda a, b: (b[1][2] - 0.3, b[1][1] + 0.4), rows=2
    )
    what = refusal(lambda: run(ch.Model([ball], [joint])), ch.InconsistentStart)
    assert "joint 'shelf' is open by 0.5 at t = 0 (tolerance 1e-09)" in what
    result = run(ch.Model([ball], [joint]), close=True)
    assert result.position("ball")[0] == pytest.approx((0, -0.4, 0.3), abs=1e-14)
    assert result.violation("shelf").max() < 1e-9


def test_the_report_reads(refusal):
    text = str(ch.assemble(loose_pair(), hold=["upper"]))
    assert "1 joint closed: the largest gap was 0.02 m or rad" in text
    assert "body 'lower' moved by 0.02 m" in text and "Held: upper." in text


def test_the_report_does_not_tell_rounding():
    """A slider is shifted, and its rail keeps it from turning."""
    slider = ch.Body.box("slider", (0.1, 0.1, 0.1), mass=1.0, position=(0.37, 0, 0.004))
    rail = ch.Prismatic("rail", ch.GROUND, slider, at=ORIGIN, at_b=(0, 0, 0.004), axis=(1, 0, 0))
    assembly = ch.assemble(ch.Model([slider], [rail]))
    line = "body 'slider' moved by 0.004 m."
    assert line in str(assembly).splitlines()
    moved = {"slider": (0.004, 1e-20)}
    assert line in str(dataclasses.replace(assembly, moved=moved)).splitlines()


def test_an_assembly_is_no_state_but_has_one(refusal):
    assembly = ch.assemble(loose_pair())
    assert "must be a State" in refusal(lambda: run(start=assembly), ch.InvalidOption)
    with pytest.raises(ch.InvalidOption, match=r"\.state of an assembly or an equilibrium"):
        run(start=assembly)
    assert run(start=assembly.state).status == "finished"
