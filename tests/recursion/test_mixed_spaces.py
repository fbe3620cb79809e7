"""Bodies on joint subgroups beside bodies on charts: the steps that the charts' kernel makes."""

import numpy as np
import pytest
from mechanisms import KINDS, apart, chain, moving
from mixed_runs import CHARTS, chart_of, disagreement, mixture, random_mixture
from random_loops import driven, loaded, looped, planar, spatial
from subgroup_runs import floating_tree, on_charts, random_tree, run_of

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.recursion.tree import FREE, SE3_PAIR, SO3XR3_PAIR
from chasles.model import InvalidOption
from chasles.spaces import Space

# --- the same steps ---


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_of_a_charted_body_between_two_on_subgroups_moves_alike(chart, kind):
    rng = np.random.default_rng(3)
    model = moving(chain(rng, ["spherical", kind, "revolute"], swap=True), rng)
    mixed, alike = mixture(model, {"body 1": chart})
    assert disagreement(model, mixed, alike, 0.05, 1e-3) < 1e-11


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_with_forces_move_alike(seed):
    rng, model = np.random.default_rng(seed), loaded(random_tree(seed))
    assert disagreement(model, *random_mixture(model, rng), 0.05, 1e-3) < 1e-11


@pytest.mark.parametrize("stabilise", [None, "projection", "baumgarte", "ggl"])
@pytest.mark.parametrize("seed", range(3))
def test_random_loops_with_forces_move_alike(seed, stabilise):
    rng, model = np.random.default_rng(seed), loaded(looped(seed, 2))
    mixed, alike = random_mixture(model, rng)
    assert disagreement(model, mixed, alike, 0.05, 1e-3, stabilise=stabilise) < 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_spatial_loops_move_alike(seed):
    rng, model = np.random.default_rng(seed), spatial(seed)
    assert disagreement(model, *random_mixture(model, rng), 0.02, 1e-3) < 1e-9


@pytest.mark.parametrize("method", ["euler", "heun", "kutta3", "dopri5", "butcher6", "dop853"])
def test_random_trees_move_alike_by_every_method(method):
    rng, model = np.random.default_rng(7), random_tree(100)
    assert disagreement(model, *random_mixture(model, rng), 0.03, 1e-3, method=method) < 1e-11


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_driven_joint_of_a_charted_body_moves_alike(chart, place):
    """By a row where the joint is cut; by its coordinate, to rounding, where the chart fits it."""
    model = chain(np.random.default_rng(5), ["revolute", "prismatic", "revolute"], swap=True)
    model = driven(model, f"joint {place}")
    mixed, alike = mixture(model, {"body 1": chart})
    assert disagreement(model, mixed, alike, 0.05, 1e-3) < 1e-9


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("seed", range(2))
def test_the_recursion_moves_bodies_on_charts_alone_as_the_kernel_of_charts_does(chart, seed):
    model = random_tree(seed)
    spaces = {name: chart_of(chart, model, name) for name in model.body_names}
    problem = TreeProblem.from_model(model, spaces=spaces)
    ours = run_of(problem, 0.05, 1e-3).absolute
    theirs = on_charts(model, problem, 0.05, 1e-3, spaces=spaces)
    assert np.abs(ours - theirs).max() < 1e-11 * (1.0 + np.abs(theirs).max())


def test_a_chart_may_refer_to_a_body_that_no_joint_leads_to():
    rng = np.random.default_rng(4)
    model = moving(chain(rng, ["spherical", "revolute", "cylindrical", "revolute"]), rng)
    mixed, alike = mixture(model, {})
    for name, group, reference in (("body 2", "SE3", "body 0"), ("body 3", "SO3xR3", "body 1")):
        mixed[name] = alike[name] = Space(group, None, reference)
    problem = TreeProblem.from_model(model, spaces=mixed)
    assert problem.tree.pair.tolist()[2:] == [SE3_PAIR, SO3XR3_PAIR]
    assert problem.tree.parent.tolist()[2:] == [-1, -1] and problem.tree.base.tolist()[2:] == [0, 1]
    assert disagreement(model, mixed, alike, 0.05, 1e-3) < 1e-11


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_a_free_body_may_be_charted_against_a_ball_pendulum(group):
    """No rows, and nothing hangs on the ball: its motion is needed all the same."""
    rng = np.random.default_rng(6)
    swung = moving(chain(rng, ["spherical"]), rng)
    free = ch.Body.box("free", (0.2, 0.3, 0.4), mass=1.0, position=(1, 2, 0),
                       velocity=(0, 1, 2), angular_velocity=(3, 2, -1))  # fmt: skip
    model = ch.Model([*swung.bodies, free], swung.joints, gravity=swung.gravity)
    mixed, alike = mixture(model, {})
    mixed["free"] = alike["free"] = Space(group, None, "body 0")
    assert disagreement(model, mixed, alike, 0.1, 1e-3) < 1e-11


# --- the same motion ---


@pytest.mark.parametrize("method, order", [("heun", 2), ("kutta3", 3), ("rk4", 4), ("dopri5", 5)])
def test_a_mixture_converges_to_the_motion_on_subgroups_with_the_order_of_the_method(method, order):
    rng = np.random.default_rng(11)
    kinds = ["spherical", "cylindrical", "revolute", "planar"]
    model = loaded(moving(chain(rng, kinds, swap=True), rng, 6.0))
    mixed, _ = mixture(model, {"body 1": "SE3", "body 3": "SO3xR3"})
    exact = ch.simulate(
        model, 0.2, step=2.5e-4, method="dop853", spaces="subgroups", save_every=800
    )
    errors = [
        apart(ch.simulate(model, 0.2, step=step, method=method, spaces=mixed,
                          save_every=round(0.2 / step)), exact)
        for step in (4e-3, 2e-3)
    ]  # fmt: skip
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)
    assert errors[1] > 1e-12  # a slope, not rounding


def test_unnamed_bodies_are_on_subgroups_where_one_is():
    rng = np.random.default_rng(2)
    model = moving(chain(rng, ["revolute"] * 4), rng)
    found = ch.designate(model, {"body 1": "subgroups", "body 2": "SE3"})
    assert [row.space.group for row in found.rows] == ["subgroup", "subgroup", "SE3", "subgroup"]


# --- momentum ---


@pytest.mark.parametrize("seed", range(3))
def test_a_charted_root_of_so3_x_r3_keeps_the_momentum_of_what_floats(seed):
    model = floating_tree(seed, boost=3.0)
    mixed, _ = mixture(model, {})
    roots = [name for name, space in mixed.items() if space.at is None]
    mixed |= {name: Space("SO3xR3") for name in roots}
    if len(roots) == len(mixed):
        pytest.skip("no joints")
    result = ch.simulate(model, 0.5, step=2e-3, spaces=mixed)
    p, spin = result.momentum(), result.angular_momentum()
    assert np.abs(p - p[0]).max() < 1e-12 * np.abs(p).max()
    assert np.abs(spin - spin[0]).max() < 1e-11 * np.abs(spin).max()


def two_that_float() -> ch.Model:
    """A hinged pair and a third body beside it; nothing acts on either."""
    a = ch.Body.box("a", (0.5, 0.3, 0.2), mass=2.0, velocity=(1, 0, 0), angular_velocity=(3, 1, 2))
    b = ch.Body.box("b", (0.4, 0.2, 0.2), mass=1.0, position=(0.5, 0, 0))
    c = ch.Body.box("c", (0.2, 0.3, 0.4), mass=1.0, position=(0, 2, 0), velocity=(0, 1, 0),
                    angular_velocity=(1, 2, -1))  # fmt: skip
    hinge = ch.Revolute("hinge", a, b, at=(0.25, 0, 0), axis=(0, 1, 1))
    return ch.Model([a, b, c], [hinge], gravity=(0, 0, 0))


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_momentum_is_not_put_back_where_a_chart_refers_to_what_floats(group):
    """Moving the root would carry the other body along: both lose theirs by the method's error."""
    model = two_that_float()
    spaces = {"a": Space("subgroup"), "b": Space("subgroup", "hinge", "a"),
              "c": Space(group, None, "a")}  # fmt: skip
    lost = []
    for step in (8e-3, 4e-3):
        result = ch.simulate(model, 0.4, step=step, spaces=spaces)
        track = result.position("c") - np.array((0.0, 2.0, 0.0)) - result.t[:, None] * (0, 1, 0)
        lost.append(max(np.abs(track).max(), 1e-14))
    assert lost[1] < 1e-6 and lost[0] > 8 * lost[1]
    alone = ch.simulate(model, 0.4, step=8e-3, spaces=spaces | {"c": Space("SE3")})
    p = alone.model.body("a").mass * alone.velocity("a") + alone.velocity("b")
    assert np.abs(p - p[0]).max() < 1e-13 * np.abs(p).max()


# --- in doubles ---


def test_a_joint_that_its_chart_fits_is_held_by_its_subgroup_at_any_speed():
    """300 rad/s with Heun for 20 s: rows alone would open it by metres."""
    shaft = ch.Body.box("shaft", (0.3, 0.2, 1.0), mass=1.0, angular_velocity=(0, 0, 300.0))
    arm = ch.Body.rod("arm", between=((3, 0, 0), (3, 0, -1)), mass=1.0, angular_velocity=(0, 1, 0))
    joints = [
        ch.Revolute("bearing", ch.GROUND, shaft, at=(0, 0, 0), axis="z"),
        ch.Revolute("hinge", ch.GROUND, arm, at=(3, 0, 0), axis="y"),
    ]
    model = ch.Model([shaft, arm], joints)
    spaces = {"shaft": ch.SO3xR3(at="bearing"), "arm": "subgroups"}
    result = ch.simulate(model, 20.0, step=1e-3, method="heun", spaces=spaces, save_every=2000)
    assert result.violation("bearing").max() < 1e-14
    assert result.coordinate("bearing")[-1] == pytest.approx(6000.0, rel=1e-12)
    assert result.certificate("bearing").lemma == "Lemma 1"


def test_a_ball_that_two_charts_keep_together_holds_at_300_rad_per_s():
    size = (0.3, 0.2, 0.1)
    a = ch.Body.box("a", size, mass=1.0, position=(0.3, 0, 0), angular_velocity=(0, 0, 300.0))
    b = ch.Body.box("b", size, mass=1.0, position=(-0.3, 0, 0), angular_velocity=(0, 0, 300.0),
                    velocity=(0, -180, 0))  # fmt: skip
    c = ch.Body.box("c", size, mass=1.0, position=(-3, 0, 0))
    joints = [
        ch.Spherical("ball", a, b, at=(0, 0, 0)),
        ch.Revolute("hinge", ch.GROUND, c, at=(-3, 0, 1), axis="y"),
    ]
    model = ch.Model([a, b, c], joints, gravity=(0, 0, 0))
    spaces = {"a": ch.SO3xR3(at="ball"), "b": ch.SO3xR3(at="ball"), "c": "subgroups"}
    with pytest.warns(ch.ChaslesWarning, match="energy"):  # the method's own error
        result = ch.simulate(model, 10.0, step=1e-3, method="heun", spaces=spaces, save_every=100)
    assert result.violation("ball").max() < 1e-12
    assert "coset" in result.certificate("ball").lemma
    assert "constant projector" in result.certificate("ball").audit


@pytest.mark.parametrize("axis, stops", [((0, 0, 1), False), ((0.6, 0, 0.8), True)])
def test_an_increment_of_a_full_turn_on_se3_stops_unless_it_turns_about_one_axis(axis, stops):
    """dexp^-1 has a pole at 2 pi, but for what commutes with the increment."""
    spin = 2 * np.pi / 1e-2 * np.array(axis)
    top = ch.Body.box("top", (0.3, 0.2, 0.1), mass=1.0, angular_velocity=spin)
    arm = ch.Body.rod("arm", between=((3, 0, 0), (3, 0, -1)), mass=1.0)
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(3, 0, 0), axis="y")
    model = ch.Model([top, arm], [hinge], gravity=(0, 0, 0))
    spaces = {"top": "SE3", "arm": "subgroups"}
    if stops:
        with pytest.raises(ch.SimulationStopped, match="top"):
            ch.simulate(model, 0.1, step=1e-2, spaces=spaces)
    else:
        result = ch.simulate(model, 0.1, step=1e-2, spaces=spaces)
        assert np.abs(result.rotation("top") - np.eye(3)).max() < 1e-12


# --- what is refused, and what is not ---


def arm_of_two(**options) -> ch.Model:
    upper = ch.Body.rod("upper", between=((0, 0, 0), (1, 0, 0)), mass=1.0)
    lower = ch.Body.rod("lower", between=((1, 0, 0), (2, 0, 0)), mass=1.0)
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis="y"),
        ch.Revolute("elbow", upper, lower, at=(1, 0, 0), axis="y", **options),
    ]
    return ch.Model([upper, lower], joints)


def test_an_armature_on_the_joint_of_a_charted_body_is_felt():
    model, spaces = arm_of_two(armature=0.1), {"upper": "subgroups", "lower": "SE3"}
    ours = ch.simulate(model, 0.2, step=1e-3, spaces=spaces)
    assert apart(ours, ch.simulate(model, 0.2, step=1e-3, spaces="subgroups")) < 1e-11
    without = ch.simulate(arm_of_two(), 0.2, step=1e-3, spaces=spaces)
    assert apart(ours, without) > 1e-3


def test_an_armature_on_a_joint_that_the_chart_fits_is_felt():
    model = arm_of_two(armature=0.1)
    spaces = {"upper": "subgroups", "lower": ch.SE3(relative_to="upper")}
    ours = ch.simulate(model, 0.2, step=1e-3, spaces=spaces)
    assert apart(ours, ch.simulate(model, 0.2, step=1e-3, spaces="subgroups")) < 1e-14


def test_a_massless_body_on_a_chart_is_refused(refusal):
    cross = ch.Body.frame("cross")
    wheel = ch.Body.box("wheel", (0.3, 0.3, 0.1), mass=1.0, position=(0.2, 0, 0))
    joints = [
        ch.Revolute("x", ch.GROUND, cross, at=(0, 0, 0), axis="x"),
        ch.Revolute("y", cross, wheel, at=(0, 0, 0), axis="y"),
    ]
    model = ch.Model([cross, wheel], joints)
    spaces = {"cross": "SE3", "wheel": "subgroups"}
    text = refusal(lambda: ch.simulate(model, 0.1, step=1e-3, spaces=spaces), InvalidOption)
    assert "body 'cross' has no mass" in text and "SE3" in text
    spaces = {"cross": "subgroups", "wheel": "SE3"}  # whose rows close on it
    ours = ch.simulate(model, 0.1, step=1e-3, spaces=spaces)
    assert apart(ours, ch.simulate(model, 0.1, step=1e-3, spaces="subgroups")) < 1e-12


def test_massless_frames_and_charts_go_together():
    cross, wheel = ch.Body.frame("cross"), ch.Body.box("wheel", (0.3, 0.3, 0.1), mass=1.0)
    rod = ch.Body.rod("rod", between=((0.15, 0, 0), (1, 0, 0)), mass=1.0)
    joints = [
        ch.Revolute("x", ch.GROUND, cross, at=(0, 0, 0), axis="x"),
        ch.Revolute("y", cross, wheel, at=(0, 0, 0), axis="y"),
        ch.Spherical("ball", wheel, rod, at=(0.15, 0, 0)),
    ]
    model = ch.Model([cross, wheel, rod], joints)
    spaces = {"cross": "subgroups", "wheel": "subgroups", "rod": "SE3"}
    mixed = ch.simulate(model, 0.2, step=5e-4, spaces=spaces)
    assert apart(mixed, ch.simulate(model, 0.2, step=5e-4)) < 1e-9
    assert max(mixed.violation(name).max() for name in ("x", "y")) < 1e-15


def test_charts_and_subgroups_in_a_circle_are_refused(refusal):
    spaces = {"upper": ch.SE3(relative_to="lower"), "lower": Space("subgroup", "elbow", "upper")}
    text = refusal(lambda: ch.simulate(arm_of_two(), 0.1, step=1e-3, spaces=spaces), InvalidOption)
    assert "in a circle" in text and "upper" in text


def test_a_chart_framed_on_a_joint_of_others_is_refused(refusal):
    spaces = {"upper": "subgroups", "lower": ch.SO3xR3(at="shoulder")}
    text = refusal(lambda: ch.simulate(arm_of_two(), 0.1, step=1e-3, spaces=spaces), InvalidOption)
    assert "body 'lower'" in text and "joint 'shoulder'" in text


def test_a_mixture_may_have_rows_in_the_space_form():
    options = {"step": 1e-3, "spaces": {"upper": "subgroups", "lower": "SE3"}}
    screw, space = (
        ch.simulate(arm_of_two(), 0.1, acceleration=form, **options) for form in ("screw", "space")
    )
    assert screw.position("lower") == pytest.approx(space.position("lower"), abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_planar_loops_with_charted_bars_run_on_independent_rows(seed):
    model, rng = planar(seed), np.random.default_rng(seed)
    mixed, _ = random_mixture(model, rng)
    errors = [
        apart(ch.simulate(model, 0.1, step=step, spaces=mixed, save_every=round(0.1 / step)),
              ch.simulate(model, 0.1, step=5e-4, method="dop853", save_every=200))
        for step in (4e-3, 2e-3)
    ]  # fmt: skip
    assert errors[1] < 1e-5 and errors[0] > 8 * errors[1]


def test_a_charted_body_without_joints_flies_as_a_free_one():
    model = two_that_float()
    spaces = {"a": Space("subgroup"), "b": Space("subgroup", "hinge", "a"), "c": Space("SO3xR3")}
    problem = TreeProblem.from_model(model, spaces=spaces)
    assert problem.tree.pair.tolist().count(FREE) == 2
    alike = ch.simulate(model, 0.2, step=1e-3, spaces="subgroups")
    assert apart(ch.simulate(model, 0.2, step=1e-3, spaces=spaces), alike) < 1e-14
