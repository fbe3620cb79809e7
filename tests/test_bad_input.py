"""Bad input is refused by a ChaslesError that says who, what, by how much and what to do."""

from functools import partial

import numpy as np
import pytest
from linkages import parallelogram
from mechanisms import linkage, straight_chain

import chasles as ch

NAN = float("nan")
ORIGIN, Y = (0, 0, 0), (0, 1, 0)


def rod(name="rod", **start) -> ch.Body:
    return ch.Body.rod(name, 1.0, mass=1.0, **{"position": (0.5, 0, 0), **start})


def pendulum(joint=None, **start) -> ch.Model:
    body = rod(**start)
    return ch.Model([body], [joint or ch.Revolute("hinge", ch.GROUND, body, ORIGIN, Y)])


#: On balls.
two_rods = partial(straight_chain, kind=ch.Spherical)


def run(model=None, **options) -> ch.Result:
    return ch.simulate(model or pendulum(), **{"until": 0.1, "step": 0.01, **options})


# --- the start -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where, said",
    [
        ({"at_b": (0, 0, 0.032)}, "0.032 m"),
        ({"at_b": (2e-9, 0, 0)}, "2e-09 m"),
        ({"axis_b": (0, 1, 0.01)}, "0.01 rad"),
        ({"axis_b": (0, -1, 0)}, "3.14 rad"),
    ],
)
def test_a_joint_that_is_open_at_the_start_is_named_with_its_gap(where, said, refusal):
    model = pendulum(ch.Revolute("hinge", ch.GROUND, "rod", ORIGIN, Y, **where))
    what = refusal(lambda: run(model), ch.InconsistentStart)
    assert (
        "joint 'hinge' is open by" in what and said in what and "Move body 'rod', correct" in what
    )


@pytest.mark.parametrize(
    "joint, where",
    [
        (ch.Prismatic, {"at_b": (0, 3, 0)}),
        (ch.Cylindrical, {"at_b": (0, 3, 0)}),
        (ch.Planar, {"at_b": (2, 0, 3)}),
    ],
)
def test_a_joint_may_start_apart_along_its_freedom(joint, where):
    model = pendulum(joint("joint", ch.GROUND, "rod", at=ORIGIN, axis=Y, **where))
    assert run(model).violation("joint").max() < 1e-12


@pytest.mark.parametrize(
    "start, said",
    [
        ({"velocity": (0.25, 0, 0)}, "0.25 m/s"),
        ({"angular_velocity": (3, 0, 0)}, "3 rad/s"),
        ({"angular_velocity": (0, 2, 0), "velocity": (0, 0, -1.5)}, "0.5 m/s"),
        ({"angular_velocity": (0, 2, 0), "velocity": (0, 0, -1 - 1e-7)}, "1e-07 m/s"),
    ],
)
def test_velocities_that_a_joint_forbids_are_refused_with_their_size(start, said, refusal):
    what = refusal(lambda: run(pendulum(**start)), ch.InconsistentStart)
    assert "'rod'" in what and "joint 'hinge'" in what and f"by {said}" in what
    assert "filled in" in what


def test_consistent_velocities_may_be_given_in_full():
    result = run(pendulum(angular_velocity=(0, 2, 0), velocity=(0, 0, -1)))
    assert result.velocity("rod")[0] == pytest.approx((0, 0, -1))


def square() -> ch.Model:
    points = [(0, 0, 0), (0, 0, 1), (2, 0, 1), (2, 0, 0)]
    return linkage(points, joints=[f"hinge {k}" for k in range(4)])


def test_a_planar_four_bar_of_four_hinges_has_three_redundant_rows(refusal):
    what = refusal(lambda: run(square(), redundant="refuse"), ch.RedundantConstraints)
    for part in ("'hinge 0'", "'hinge 1'", "'hinge 2'", "'hinge 3'", "3 of the 20", "rank 17"):
        assert part in what
    assert "locks less" in what


def test_by_default_the_four_bar_runs_and_says_what_is_not_unique():
    result = run(square())
    assert (result.redundancy.rows, result.redundancy.rank) == (20, 17)
    assert result.redundancy.shared == ("hinge 0", "hinge 1", "hinge 2", "hinge 3")
    assert "3 of 20" in result.provenance["redundancy"]


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_redundancy_does_not_depend_on_the_unit_of_length(scale, refusal):
    small = square()
    links = [
        ch.Body.rod(body.name, scale, mass=1.0, position=scale * np.array(body.position))
        for body in small.bodies
    ]
    joints = [
        ch.Revolute(joint.name, joint.a, joint.b, scale * np.array(joint.at), Y)
        for joint in small.joints
    ]
    what = refusal(
        lambda: run(ch.Model(links, joints), redundant="refuse"), ch.RedundantConstraints
    )
    assert "3 of the 20" in what and "rank 17" in what


def test_a_joint_given_twice_is_redundant_and_the_others_are_not_blamed(refusal):
    model = two_rods()
    again = ch.Spherical("elbow again", "upper", "lower", (1, 0, 0))
    doubled = ch.Model(model.bodies, [*model.joints, again])
    what = refusal(lambda: run(doubled, redundant="refuse"), ch.RedundantConstraints)
    assert "'elbow', 'elbow again': 3 of the 9" in what and "shoulder" not in what


def test_a_joint_lost_in_rounding_is_not_called_redundant(refusal):
    bead = ch.Body.sphere("bead", 1e-6, mass=1.0, position=(60, 30, -80))
    model = ch.Model([bead], [ch.Spherical("thread", ch.GROUND, bead, ORIGIN)])
    what = refusal(lambda: run(model), ch.InvalidModel)
    assert "joint 'thread'" in what and "orders of magnitude" in what and "units" in what


@pytest.mark.parametrize("moving", [{}, {"angular_velocity": (0, 2, 0)}])
@pytest.mark.parametrize("far", [1e160, 1e200, 1.7e308])
def test_a_body_out_of_this_world_is_refused_by_its_joint(far, moving, refusal):
    body = ch.Body.box("box", (1, 1, 1), mass=1.0, position=(far, 0, 0), **moving)
    model = ch.Model([body], [ch.Revolute("hinge", ch.GROUND, body, (-far, 0, 0), Y)])
    assert "joint 'hinge'" in refusal(lambda: run(model), ch.InvalidModel)


# --- options of a run ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["until", "step"])
@pytest.mark.parametrize(
    "value, said",
    [(0, "0 s"), (-1e-3, "-0.001 s"), (NAN, "nan"), (float("inf"), "inf"), ("1 ms", "'1 ms'")],
)
def test_a_time_is_positive(name, value, said, refusal):
    what = refusal(lambda: run(**{name: value}), ch.InvalidOption)
    assert f"simulate: {name} must be" in what and said in what


def test_a_step_is_needed(refusal):
    assert "step=1e-3" in refusal(lambda: ch.simulate(pendulum(), 1.0), ch.InvalidOption)


@pytest.mark.parametrize("value", [0, -3, 2.5, "often", None, True])
def test_save_every_counts_steps(value, refusal):
    what = refusal(lambda: run(save_every=value), ch.InvalidOption)
    assert "save_every must be a whole number" in what and repr(value) in what


@pytest.mark.parametrize(
    "value, said",
    [
        ([0.1, 0.0], "[0.1, 0.0]"),
        ([0.0, 0.05, 0.05], "increasing"),
        ([0.0, 0.2], "[0, 0.1]"),
        ([-0.1, 0.0], "[0, 0.1]"),
        ([], "increasing"),
        ([[0.0, 0.1]], "increasing"),
        ([0.0, NAN], "nan"),
        (["soon"], "soon"),
    ],
)
def test_times_to_keep_increase_within_the_run(value, said, refusal):
    what = refusal(lambda: run(t_eval=value), ch.InvalidOption)
    assert "t_eval" in what and said in what


@pytest.mark.parametrize("step", [1e-18, 1e-300, 5e-324])
def test_a_run_that_would_take_for_ever_is_not_begun(step, refusal):
    assert "steps to 0.1 s" in refusal(lambda: run(step=step), ch.InvalidOption)


def test_a_trajectory_that_does_not_fit_into_memory_says_what_would(refusal):
    what = refusal(lambda: run(until=1e6, step=1e-3), ch.InvalidOption)
    assert "GiB" in what and "1 body" in what and "save_every=" in what


@pytest.mark.parametrize(
    "options, said",
    [
        ({"method": "rk5"}, "there is no method 'rk5'"),
        ({"method": "RK4"}, "Did you mean 'rk4'?"),
        ({"spaces": "SE(3)"}, "Did you mean 'SE3'?"),
        ({"spaces": None}, "there is no space None"),
        ({"spaces": {"rod": "SO3"}}, "spaces['rod']: there is no space 'SO3'"),
        ({"spaces": {"road": "SE3"}}, "spaces: there is no body 'road'.\n  Did you mean 'rod'?"),
        ({"acceleration": "srew"}, "Did you mean 'screw'?"),
        ({"stabilise": "project"}, "there is no stabiliser 'project'"),
    ],
)
def test_a_name_that_stands_for_nothing_is_refused_with_the_closest(options, said, refusal):
    assert said in refusal(lambda: run(**options), ch.UnknownName)


@pytest.mark.parametrize(
    "ask, said",
    [
        (lambda result: result.position("road"), "body 'road'.\n  Did you mean 'rod'?"),
        (lambda result: result.position(ch.GROUND), "body 'ground'"),
        (lambda result: result.violation("hing"), "joint 'hing'.\n  Did you mean 'hinge'?"),
        (lambda result: result.reaction(None), "joint None"),
    ],
)
def test_a_result_knows_its_bodies_and_joints(ask, said, refusal):
    assert said in refusal(lambda: ask(run()), ch.UnknownName)


@pytest.mark.parametrize("index", [11, -12, 1.0, None, "last"])
def test_a_result_knows_its_states(index, refusal):
    assert "11 states" in refusal(lambda: run().state(index), ch.InvalidOption)


# --- spaces --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spaces, error, said",
    [
        (
            {"upper": ch.SE3("lower"), "lower": ch.SE3("upper")},
            ch.InvalidOption,
            "circle: upper -> lower -> upper",
        ),
        ({"upper": ch.SE3("upper")}, ch.InvalidOption, "body 'upper' is relative to itself"),
        (
            {"lower": ch.SO3xR3(at="shoulder")},
            ch.InvalidOption,
            "body 'lower' is framed on joint 'shoulder', which joins 'ground' and 'upper'",
        ),
        (
            {"lower": ch.SO3xR3(at="elbo")},
            ch.UnknownName,
            "the space of body 'lower': there is no joint 'elbo'",
        ),
        (
            {"lower": ch.SE3(relative_to="uper")},
            ch.UnknownName,
            "the space of body 'lower': there is no body 'uper'",
        ),
    ],
)
def test_spaces_that_make_no_sense_are_named(spaces, error, said, refusal):
    assert said in refusal(lambda: run(two_rods(), spaces=spaces), error)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: ch.Space("SE4"), "there is no group 'SE4'"),
        (
            lambda: ch.Space("SO3xR3", at=(1, 2)),
            "at must be a vector of three numbers, got shape (2,)",
        ),
        (lambda: ch.SO3xR3(at=(0, 0, NAN)), "nan"),
        (lambda: ch.SE3(relative_to=3), "relative_to must be a body or its name, got 3"),
    ],
)
def test_a_space_checks_itself(make, said, refusal):
    assert said in refusal(make, ch.ChaslesError)


def test_a_parent_may_be_charted_relative_to_its_child():
    """The child, whose space is chosen, is then not taken relative to its parent."""
    spaces = run(two_rods(), spaces={"upper": ch.SE3("lower")}).provenance["spaces"]
    assert spaces["upper"] == "SE3 relative to lower" and "relative" not in spaces["lower"]


def test_a_space_may_be_named_in_every_way():
    model = two_rods()
    upper, lower = model.bodies
    named = ch.Space("SO3xR3", "elbow", "upper")
    assert ch.SO3xR3(at=model.joint("elbow"), relative_to=upper) == named
    assert ch.SE3(relative_to=ch.GROUND) == ch.Space("SE3", relative_to="ground") == ch.SE3()
    by_name = run(model, spaces={"upper": "auto", "lower": "SE3 relative"}).provenance["spaces"]
    by_body = run(model, spaces={lower: ch.SE3(upper)}).provenance["spaces"]
    assert by_name == by_body == run(model, spaces={"lower": ch.SE3("upper")}).provenance["spaces"]
    assert run(model, spaces=ch.SE3).provenance["spaces"] == {"upper": "SE3", "lower": "SE3"}


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, said",
    [
        ({"position": np.zeros((2, 3))}, "position has shape (2, 3), but there are 1 bodies"),
        ({"rotation": np.ones((1, 3, 3))}, "rotation of body 'rod' is not orthogonal"),
        ({"velocity": [[0, NAN, 0]]}, "velocity must be finite, got [[0.0, nan, 0.0]]"),
        (
            {"angular_velocity": "fast"},
            "angular_velocity must be an array of real numbers, got 'fast'",
        ),
        ({"t": None}, "t must be a number, got None"),
        ({"bodies": ["road"]}, "there is no body 'road'"),
    ],
)
def test_a_state_is_whole_and_finite(change, said, refusal):
    state = run().state()
    fields = {name: getattr(state, name) for name in state.__dataclass_fields__}
    what = refusal(
        lambda: ch.equations(pendulum(), ch.State(**{**fields, **change})), ch.ChaslesError
    )
    assert "state: " in what and said in what


def test_a_state_of_another_model_is_refused_and_another_order_is_not():
    model = two_rods()
    state = run(model).state()
    with pytest.raises(ch.UnknownName, match="state: there is no body 'rod'"):
        ch.equations(model, run().state())
    with pytest.raises(ch.UnknownName, match="state: there is no body 'lower'"):
        ch.equations(model, ch.State(0.0, ("upper",), *(x[:1] for x in arrays(state))))
    turned = ch.State(0.0, ("lower", "upper"), *(x[::-1] for x in arrays(state)))
    assert np.array_equal(
        ch.equations(model, turned).acceleration, ch.equations(model, state).acceleration
    )


def arrays(state: ch.State):
    return state.position, state.rotation, state.velocity, state.angular_velocity


@pytest.mark.parametrize("thing", [None, "pendulum", [rod()], rod()])
def test_only_a_model_can_be_simulated(thing, refusal):
    if thing is not None:
        assert "model must be a Model" in refusal(lambda: run(thing), ch.InvalidModel)
    assert "model must be a Model" in refusal(lambda: ch.equations(thing), ch.InvalidModel)


def test_a_joint_is_of_some_kind(refusal):
    what = refusal(lambda: ch.Joint("hinge", ch.GROUND, "rod", ORIGIN), ch.InvalidJoint)
    assert "joint 'hinge'" in what and "Revolute" in what


@pytest.mark.parametrize("name", ["two\nlines", "nul\0", "half \ud800"])
def test_a_name_can_be_printed(name, refusal):
    assert "printable" in refusal(lambda: rod(name), ch.InvalidBody)
    joint = refusal(lambda: ch.Spherical(name, ch.GROUND, "rod", ORIGIN), ch.InvalidJoint)
    assert "printable" in joint


# --- runs that cannot go on ----------------------------------------------------------------------


def tumbling() -> ch.Model:
    """A rod on a ball joint, far too fast for Euler's method at a step of 10 s."""
    return pendulum(
        ch.Spherical("ball", ch.GROUND, "rod", ORIGIN), angular_velocity=(0.1, 30.0, 30.0)
    )


def stopped(model, until, step, **options) -> ch.SimulationStopped:
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(model, until, step, **options)
    return caught.value


def test_a_run_that_overflows_stops_at_the_last_good_state():
    error = stopped(tumbling(), 1e5, 10.0, method="euler", spaces="framed")
    result = error.result
    end = result.t[-1]
    assert "body 'rod' turns by" in str(error) and f"after t = {end:g} s, too far" in str(error)
    assert "smaller step than 10 s" in str(error) and result.message == error.what
    assert result.status == "stopped" and "stopped" in repr(result)
    assert 0 < end < 1e5 and len(result.t) == result.provenance["steps"] + 1 == end / 10 + 1
    for history in (result.position("rod"), result.rotation("rod"), result.velocity("rod")):
        assert np.isfinite(history).all()
    assert result.position("rod")[0] == pytest.approx((0.5, 0, 0))


@pytest.mark.parametrize(
    "options",
    [{"save_every": 4}, {"save_every": 10**9}, {"t_eval": [1, 7, 55, 1000]}, {"t_eval": [1000]}],
)
def test_what_was_kept_before_a_stop_ends_with_the_last_good_state(options):
    end = stopped(tumbling(), 1e5, 10.0, method="euler").result.t[-1]
    result = stopped(tumbling(), 1e5, 10.0, method="euler", **options).result
    assert result.t[-1] == end and np.all(np.diff(result.t) > 0)
    assert len(result.t) == len(result.position("rod"))
    assert np.isfinite(result.position("rod")).all() and result.status == "stopped"


#: In line when its cranks have turned by as much as they are below.
closing = partial(
    parallelogram, rate=1.0, kinds=(ch.Revolute, ch.Spherical, ch.Spherical, ch.Revolute)
)


@pytest.mark.parametrize("method, end", [("rk4", 0.49), ("dop853", 0.49), ("euler", 0.5)])
def test_a_run_into_a_singular_pose_stops_before_it_and_names_a_joint(method, end):
    error = stopped(closing(-0.5), 1.0, 0.01, method=method)
    assert "joint '" in str(error) and f"singular after t = {end} s" in str(error)
    assert "depend on each other" in str(error)
    result = error.result
    assert result.t[-1] == pytest.approx(end) and result.energy() == pytest.approx(5 / 6)
    force = result.reaction("B").force
    assert np.isfinite(force[:50]).all()  # Euler's last state is the singular one
    assert np.isnan(force[50:]).all() and len(force) == len(result.t)


def test_times_stay_in_order_when_a_run_stops_between_two_grid_points():
    """0.495 s is reached by half a step from 0.49 s, and then the whole step fails."""
    result = stopped(closing(-0.5), 1.0, 0.01, t_eval=[0.495, 0.7]).result
    assert result.t.tolist() == [0.495] and len(result.position("crank")) == 1


def test_a_singular_pose_between_two_steps_is_seen_and_passed_on_request():
    error = stopped(closing(-0.503), 1.0, 0.01)
    assert error.result.t[-1] == pytest.approx(0.503, abs=0.01)
    result = ch.simulate(closing(-0.503), until=1.0, step=0.01, singular="pass")
    assert result.status == "finished" and result.violation("C").max() < 1e-9
    ((t, joint, _),) = result.singular_poses
    assert t == pytest.approx(0.503, abs=0.01) and joint in result.model.joint_names


def test_a_singular_start_and_a_singular_state_are_refused(refusal):
    what = refusal(lambda: run(closing(0.0), redundant="refuse"), ch.RedundantConstraints)
    assert "1 of the 16" in what and "'B'" in what
    state = ch.simulate(closing(-0.5), until=0.5, step=0.5, method="euler").state()
    what = refusal(lambda: ch.equations(closing(-0.5), state), ch.RedundantConstraints)
    assert "joint '" in what and "singular at this state" in what
