"""simulate(spaces="subgroups"): the motion of the charts, joints that cannot open, and refusals."""

from math import pi

import numpy as np
import pytest
from mechanisms import (
    KINDS,
    apart,
    chain,
    double_pendulum,
    floating_pair,
    heavy_top,
    moving,
    pendulum,
    three_bar,
    worst_gap,
)
from subgroup_runs import floating_tree, random_tree, shaft

import chasles as ch
from chasles.spaces import Space

METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "dopri5", "butcher6", "dop853")


def both(model, until, step, **options):
    """The same run on subgroups and on charts framed on the joints."""
    return [
        ch.simulate(model, until, step=step, spaces=spaces, **options)
        for spaces in ("subgroups", "framed")
    ]


# --- the same motion ---


@pytest.mark.parametrize("example", [heavy_top, double_pendulum])
def test_the_papers_trees_move_as_on_charts(example):
    assert apart(*both(example(), 0.1, 1e-3)) < 1e-11


@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_on_a_moving_body_moves_as_on_charts(kind):
    rng = np.random.default_rng(3)
    model = moving(chain(rng, ["spherical", kind, kind, "revolute"], swap=True), rng)
    assert apart(*both(model, 0.1, 1e-3)) < 1e-11


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_move_as_on_charts(seed):
    assert apart(*both(random_tree(seed), 0.1, 1e-3)) < 1e-11


@pytest.mark.parametrize("method", METHODS)
def test_every_method_steps_as_on_charts(method):
    assert apart(*both(random_tree(100), 0.05, 1e-3, method=method)) < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_floating_trees_move_as_on_charts_for_a_moment(seed):
    """Longer, the linear momentum that is put back there is of the order of the error."""
    assert apart(*both(floating_tree(seed, gravity=(1.0, -2.0, -9.0)), 5e-3, 1e-4)) < 1e-11
    assert apart(*both(floating_pair(), 0.02, 5e-4)) < 1e-11


def loaded(model: ch.Model) -> ch.Model:
    first, last = model.bodies[0], model.bodies[-1]
    turning = [j for j in model.joints if j.kind in ("revolute", "cylindrical", "helical")]
    forces = [
        ch.Spring("spring", ch.GROUND, last, at=(0.5, 0.5, 0.0), at_b=last.position,
                  stiffness=30.0, damping=2.0),
        ch.Drag("air", last, linear=0.3, angular=0.05),
        ch.Load("push", first, force=(1.0, 2.0, -3.0)),
        *(ch.JointSpring(f"coil {j.name}", j, stiffness=2.0, damping=0.1) for j in turning),
    ]  # fmt: skip
    return ch.Model(model.bodies, model.joints, forces, gravity=model.gravity)


@pytest.mark.parametrize("seed", range(4))
def test_forces_push_and_work_as_on_charts(seed):
    ours, theirs = both(loaded(random_tree(seed)), 0.1, 1e-3)
    assert apart(ours, theirs) < 1e-11
    work = theirs.integrals
    assert np.abs(ours.integrals - work).max() < 1e-10 * (1.0 + np.abs(work).max())


def driven(kind: str, coordinate="auto", motion=None) -> ch.Model:
    model = chain(np.random.default_rng(5), ["spherical", kind, "revolute"], swap=True)
    driver = ch.Driver(
        "drive", "joint 1", motion or ch.Signal(lambda t: 0.4 * t + 0.3 * t * t), coordinate
    )
    return ch.Model(model.bodies, model.joints, gravity=model.gravity, drivers=[driver])


@pytest.mark.parametrize(
    "kind, coordinate",
    [("revolute", "auto"), ("prismatic", "auto"), ("helical", "auto"),
     ("cylindrical", "angle"), ("cylindrical", "displacement")],
)  # fmt: skip
def test_drivers_move_and_work_as_on_charts(kind, coordinate):
    """A constant acceleration, at which a step of the charts ends as well; stages differ by h^2."""
    ours, theirs = both(driven(kind, coordinate), 0.05, 1e-3)
    assert apart(ours, theirs) < 1e-10
    work = theirs.integrals[:, 0]
    assert np.abs(work).max() > 1e-3
    assert np.abs(ours.integrals[:, 0] - work).max() < 1e-9 * np.abs(work).max()


def test_a_driven_coordinate_is_where_its_motion_is():
    model = driven("revolute", motion=ch.Signal(lambda t: 0.3 * (1.0 - np.cos(7.0 * t))))
    result = ch.simulate(model, 0.5, step=1e-2, method="heun", spaces="subgroups")
    assert result.coordinate("joint 1") == pytest.approx(
        0.3 * (1.0 - np.cos(7.0 * result.t)), abs=1e-13
    )


def test_reactions_are_those_of_the_charts():
    ours, theirs = both(loaded(random_tree(1)), 0.02, 1e-3)
    for name in ours.model.joint_names:
        a, b = ours.reaction(name), theirs.reaction(name)
        assert np.abs(a.force - b.force).max() < 1e-9 * (1.0 + np.abs(b.force).max())


def test_wanted_times_and_a_last_short_step_are_reached_as_on_charts():
    times = [0.0, 0.0123, 0.02, 0.0415]
    assert apart(*both(double_pendulum(), 0.05, 1e-3, t_eval=times)) < 1e-11
    ours, theirs = both(double_pendulum(), 0.0505, 1e-3, save_every=7)
    assert np.array_equal(ours.t, theirs.t) and apart(ours, theirs) < 1e-11


def test_a_run_goes_on_from_its_last_state():
    model = loaded(random_tree(2))
    whole = ch.simulate(model, 0.1, step=1e-3, spaces="subgroups")
    half = ch.simulate(model, 0.05, step=1e-3, spaces="subgroups")
    rest = ch.simulate(model, 0.05, step=1e-3, spaces="subgroups", start=half.state())
    for name in model.body_names:
        assert rest.position(name)[-1] == pytest.approx(whole.position(name)[-1], abs=1e-11)


# --- joints that cannot open ---


def test_a_fast_shaft_stays_in_its_bearing_for_40_s_of_heun():
    options = {"method": "heun", "spaces": "subgroups", "save_every": 400}
    result = ch.simulate(shaft(300.0), 40.0, step=1e-3, **options)
    assert worst_gap(result) < 1e-12 and not result.warnings
    energy = result.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_half_a_turn_a_step_is_nothing_to_a_shaft(method):
    result = ch.simulate(shaft(pi * 1e3), 0.05, step=1e-3, method=method, spaces="subgroups")
    assert worst_gap(result) < 1e-12


def test_a_designation_and_a_provenance_say_so():
    result = ch.simulate(double_pendulum(), 0.01, step=1e-3, spaces="subgroups")
    assert result.designation.exact == ("shoulder", "elbow")
    assert result.provenance.spaces["second"] == "subgroup at elbow relative to first"
    assert "only its own coordinates move" in str(result.designation)


def test_spaces_by_body_and_a_designation_do_as_well():
    model = double_pendulum()
    named = ch.simulate(model, 0.01, step=1e-3, spaces="subgroups")
    chosen = {"first": Space("subgroup", "shoulder"), "second": "subgroups"}
    by_body = ch.simulate(model, 0.01, step=1e-3, spaces=chosen)
    given = ch.simulate(model, 0.01, step=1e-3, spaces=ch.designate(model, chosen))
    for other in (by_body, given):
        assert np.array_equal(named.absolute, other.absolute)


def test_a_saved_result_knows_its_subgroups(tmp_path):
    result = ch.simulate(double_pendulum(), 0.01, step=1e-3, spaces="subgroups")
    result.save(tmp_path / "run.nc")
    again = ch.load(tmp_path / "run.nc")
    assert again.problem.spaces == result.problem.spaces
    assert again.designation.exact == result.designation.exact


# --- what is said of runs that go wrong ---


def test_a_balance_that_does_not_close_is_told_as_on_charts():
    model = pendulum([ch.JointSpring("coil", "hinge", stiffness=100.0)], name="rod")
    with pytest.warns(ch.ChaslesWarning, match="energy balance"):
        ours, theirs = both(model, 2.0, 5e-3, method="euler")
    # On charts the method integrates gravity's power, with an error that a potential has not.
    since = [run.warnings[0].partition("more than")[2] for run in (ours, theirs)]
    assert since[0] == since[1]


def test_a_body_that_flies_off_is_named():
    model = pendulum([ch.Drag("syrup", "rod", linear=1e9)], name="rod")
    with pytest.raises(ch.SimulationStopped, match="body 'rod'") as stopped:
        ch.simulate(model, 10.0, step=1e-2, spaces="subgroups")
    assert stopped.value.result is not None


# --- refusals ---


def refused(refusal, model, **options):
    options = {"until": 0.1, "step": 1e-2, "spaces": "subgroups", **options}
    return refusal(lambda: ch.simulate(model, **options), ch.InvalidOption)


def arm_on(joint: str) -> tuple[ch.Body, ch.Joint]:
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    if joint == "universal":
        axes = {"axis": (0, 0, 1), "axis_b": (0, 1, 0)}
        return arm, ch.Universal("cross", ch.GROUND, arm, at=(0, 0, 0), **axes)
    return arm, ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))


def test_a_body_cannot_be_on_the_subgroup_of_a_coupling(refusal):
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    rod = ch.Distance("rod", ch.GROUND, arm, at=(0, 0, 1), at_b=(1, 0, 0))
    spaces = {"arm": Space("subgroup", "rod")}
    text = refused(refusal, ch.Model([arm], [rod]), spaces=spaces)
    assert "joint 'rod' is distance" in text and "body 'arm'" in text


def test_a_body_cannot_be_on_the_subgroup_of_a_joint_of_others(refusal):
    spaces = {
        "first": Space("subgroup", "elbow", "second"),
        "second": Space("subgroup", "shoulder"),
    }
    text = refused(refusal, double_pendulum(), spaces=spaces)
    assert "body 'second'" in text and "joint 'shoulder' joins 'ground' and 'first'" in text


def test_bodies_cannot_carry_each_other_in_a_circle(refusal):
    spaces = {
        "first": Space("subgroup", "elbow", "second"),
        "second": Space("subgroup", "elbow", "first"),
    }
    assert "in a circle" in refused(refusal, double_pendulum(), spaces=spaces)


def test_another_subgroup_than_the_joints_own_is_refused(refusal):
    spaces = {"first": "subgroups", "second": Space("subgroup", "elbow")}
    text = refused(refusal, double_pendulum(), spaces=spaces)
    assert "body 'second'" in text and "relative to first" in text


@pytest.mark.parametrize("example", [double_pendulum, three_bar])
def test_rows_of_cut_joints_may_have_another_form(example):
    """The two forms differ by the drift of the cut joint; the tree has no rows to differ in."""
    options = {"step": 1e-3, "spaces": "subgroups"}
    screw, space = (
        ch.simulate(example(), 0.1, acceleration=form, **options) for form in ("screw", "space")
    )
    body = screw.model.body_names[-1]
    assert screw.position(body) == pytest.approx(space.position(body), abs=1e-7)


@pytest.mark.parametrize(
    "options",
    [{"stabilise": "projection"}, {"stabilise": "baumgarte of all joints"},
     {"stabilise": "ggl"}, {"singular": "pass"}],
)  # fmt: skip
def test_stabilisers_have_nothing_to_do_in_a_tree(options):
    plain = ch.simulate(double_pendulum(), 0.02, step=1e-3, spaces="subgroups")
    held = ch.simulate(double_pendulum(), 0.02, step=1e-3, spaces="subgroups", **options)
    assert np.array_equal(plain.absolute, held.absolute)
