"""Half-explicit Runge-Kutta on index 2: its own order conditions, and velocities that fit."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from combinations import one_at_a_time
from linkages import INDEPENDENT, parallelogram
from mechanisms import SPACES, double_pendulum, three_bar
from runs import MECHANISMS, observed_order, slipping, slope

import chasles as ch
from chasles.integrators.half_explicit import hem4, make_half_explicit
from chasles.integrators.tableaux import method as tableau

METHOD = "half-explicit"
COUNTS = (181, 256, 362)
#: ... of a start whose next terms are large.
FINER = (362, 512, 724)


def broken_conditions(a, b):
    """By how much conditions of orders 3 and 4 on index 2 are missed.

    With the rows of a from the second on and b below them as one matrix, whose inverse is w, a
    stage knows of the multipliers what (w c^2) = 2 t and (w c^3) = 3 t^2 do at its node.
    """
    c, whole = a.sum(axis=1), np.vstack((a[1:], b))
    inverse, ends = np.linalg.inv(whole), whole.sum(axis=1)
    two, three = inverse @ ends**2, inverse @ ends**3
    third = [b @ (c * two) - 2 / 3, b @ two**2 - 4 / 3]
    fourth = [
        b @ (c * c * two) - 1 / 2, b @ (c * two**2) - 1, b @ two**3 - 2, b @ (c * three) - 3 / 4,
        b @ (two * three) - 3 / 2, b @ a @ two - 1 / 3, b @ (two * (a @ c)) - 1 / 4,
        b @ (c * (a @ two)) - 1 / 4, b @ (two * (a @ two)) - 1 / 2, b @ a @ (c * two) - 1 / 6,
        b @ a @ two**2 - 1 / 3, b @ (c * (inverse @ (ends * (whole @ c)))) - 3 / 8,
        b @ (two * (inverse @ (ends * (whole @ c)))) - 3 / 4,
        b @ (c * (inverse @ (ends * (whole @ two)))) - 3 / 4,
    ]  # fmt: skip
    return np.abs(third).max(), np.abs(fourth).max()


def test_the_conditions_of_index_two_hold_and_classical_tableaux_break_them():
    method, classical = hem4(), tableau("rk4")
    assert method.order == 4
    assert max(broken_conditions(method.a, method.b)) < 1e-14
    assert min(broken_conditions(classical.a, classical.b)) > 0.1


@pytest.mark.parametrize(
    "mechanism, space",
    one_at_a_time(MECHANISMS, [*SPACES, "subgroups"], base=("three-bar", "subgroups")),
)
def test_it_has_order_four(ends, mechanism, space):
    make, until = MECHANISMS[mechanism]
    options = {"method": METHOD, "spaces": space}
    counts = FINER if mechanism == "driven" else COUNTS
    observed = observed_order(make(), until, ends[mechanism], counts, **options)
    assert observed == pytest.approx(4, abs=0.1)


def test_a_classical_tableau_does_not_bring_its_order(ends):
    make, until = MECHANISMS["pendulum"]
    classical = replace(
        ch.methods()[METHOD], name="half-explicit rk4",
        make=partial(make_half_explicit, tableau("rk4")),
    )  # fmt: skip
    counts = (724, 1024, 1448)
    observed = observed_order(
        make(), until, ends["pendulum"], counts, method=classical, spaces="SO3xR3"
    )
    assert observed == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize(
    "make, space",
    one_at_a_time([double_pendulum, three_bar], [*SPACES, "subgroups"], base=(three_bar, "SO3xR3")),
)
def test_velocities_fit_the_joints_to_rounding_where_those_of_index_one_drift(make, space):
    options = {"step": 1e-3, "save_every": 10, "spaces": space}
    result = ch.simulate(make(), 0.5, method=METHOD, **options)
    assert slipping(result) < 1e-11
    if make is three_bar and space == "SO3xR3":
        assert slipping(ch.simulate(make(), 0.5, method="rk4", **options)) > 1e-8


@pytest.mark.parametrize("space", ["SO3xR3", "subgroups"])
def test_positions_drift_with_the_fourth_power_and_are_closed_by_projection(space):
    counts, gaps = (100, 141, 200), []
    for count in counts:
        result = ch.simulate(three_bar(), 0.2, step=0.2 / count, method=METHOD, spaces=space)
        gaps.append(max(result.violation(name).max() for name in result.model.joint_names))
    assert slope(counts, gaps) > 3.8
    options = {"method": METHOD, "spaces": space, "stabilise": "projection"}
    closed = ch.simulate(three_bar(), 0.2, step=1e-3, **options)
    assert max(closed.violation(name).max() for name in closed.model.joint_names) < 1e-11
    speeds = max(np.abs(closed.velocity(name)).max() for name in closed.model.body_names)
    assert slipping(closed) < 1e-13 * max(speeds, 1.0)


def test_projection_is_repeated_until_velocities_fit_after_a_long_step_too():
    """Once would leave 4e-13 here."""
    closed = ch.simulate(
        three_bar(), 0.4, step=5e-3, method=METHOD, spaces="SE3", stabilise="projection"
    )
    assert slipping(closed) < 5e-14


def test_a_loop_of_one_row_is_closed_as_one_of_many():
    arms = [
        ch.Body.rod(name, 1.0, 1.0, axis="z", position=(x, 0, -0.5), angular_velocity=spin)
        for name, x, spin in (("left", 0.0, (0, 3.0, 0)), ("right", 0.7, None))
    ]
    joints = [
        ch.Revolute(f"hinge {arm.name}", ch.GROUND, arm, at=(x, 0, 0), axis="y")
        for arm, x in zip(arms, (0.0, 0.7))
    ]
    rod = ch.Distance("rod", *arms, (0, 0, -0.9), (0.7, 0, -0.6))
    model = ch.Model(arms, [*joints, rod])
    gaps = {}
    for stabilise in (None, "projection"):
        run = ch.simulate(model, 1.0, step=0.02, method=METHOD, stabilise=stabilise)
        gaps[stabilise] = run.violation("rod").max()
        ends = [
            run.position(arm.name)[-1] + run.rotation(arm.name)[-1] @ (0, 0, z)
            for arm, z in zip(arms, (-0.4, -0.1))
        ]
        speeds = [
            run.velocity(arm.name)[-1]
            + np.cross(
                run.rotation(arm.name)[-1] @ run.angular_velocity(arm.name)[-1],
                run.rotation(arm.name)[-1] @ (0, 0, z),
            )
            for arm, z in zip(arms, (-0.4, -0.1))
        ]
        assert abs((ends[1] - ends[0]) @ (speeds[1] - speeds[0])) < 1e-13
    assert gaps["projection"] < 1e-13 < 1e-10 < gaps[None]


def test_a_rolling_disc_rolls():
    """Nonholonomic rows are rows of velocities; the method needs no other."""
    benchmark = next(b for b in ch.library if "rolling" in b.name)
    result = ch.simulate(benchmark.model(), 0.5, step=1e-3, method=METHOD, spaces="SE3")
    assert slipping(result) < 1e-11


@pytest.mark.parametrize("method", [METHOD, "rattlie4", "gauss6"])
@pytest.mark.parametrize("name", ["bennett", "A04"])
def test_loops_whose_rows_repeat_each_other_move(name, method):
    """Bennett's and Bricard's linkages: rows agree at closed poses only."""
    benchmark = next(b for b in ch.library if b.name == name)
    space = "SO3xR3" if method == "rattlie4" else "auto"
    run, exact = (
        ch.simulate(benchmark.model(), 0.1, step=h, method=m, spaces=s)
        for h, m, s in ((1e-3, method, space), (2.5e-4, "dop853", "auto"))
    )
    for body in run.model.body_names:
        apart = run.position(body)[-1] - exact.position(body)[-1]
        assert np.abs(apart).max() < 1e-10


@pytest.mark.parametrize("space", ["SE3", "auto"])
def test_bennett_moves_where_all_of_its_rows_stay(space):
    """To pass singular poses no rows are chosen: a stage keeps what they contradict each other."""
    model = next(b for b in ch.library if b.name == "bennett").model()
    run = ch.simulate(model, 0.1, step=1e-3, method=METHOD, spaces=space, singular="pass")
    exact = ch.simulate(model, 0.1, step=2.5e-4, method="dop853")
    for body in run.model.body_names:
        apart = run.position(body)[-1] - exact.position(body)[-1]
        assert np.abs(apart).max() < 1e-10


def test_feedback_is_refused_by_name():
    with pytest.raises(ch.InvalidOption, match=r"(?s)'half-explicit'.*stabilise='projection'"):
        ch.simulate(
            three_bar(), 0.1, step=1e-3, method=METHOD, spaces="SO3xR3", stabilise="baumgarte"
        )


@pytest.mark.parametrize("space", ["SE3", "auto"])
def test_the_unit_of_time_does_not_matter(space):
    """Speeds of 10^6 sizes per second are rounded by more than 10^-12 of them."""
    arm = ch.Body.box("arm", (0.1, 0.1, 1.0), mass=1.0, position=(0, 0, -0.5))
    hand = ch.Body.box("hand", (0.1, 0.1, 0.8), mass=0.7, position=(0, 0, -1.4))
    sledge = ch.Body.box("sledge", (0.2, 0.2, 0.2), mass=0.5, position=(0, 1, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, arm, at=(0, 0, 0), axis="y"),
        ch.Spherical("wrist", arm, hand, at=(0, 0, -1)),
        ch.Prismatic("rail", ch.GROUND, sledge, axis="x"),
    ]
    tie = ch.Coupling("tie", {"rail": 1.0, "shoulder": 0.3})
    ends = []
    for second in (1.0, 1e-6):
        pull = np.array((3.0, 2.0, -9.81)) / second**2
        model = ch.Model([arm, hand, sledge], joints, drivers=[tie], gravity=pull)
        run = ch.simulate(model, 0.3 * second, 1e-3 * second, method=METHOD, spaces=space)
        ends.append(run.position("hand")[-1])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_velocities_fit_the_joints_of_a_driven_loop_to_rounding(stabilise):
    """The crank of a four-bar goes as it is told; pins of both bars at a joint move alike."""
    loop = parallelogram(1.2, crank=1.0, coupler=1.7, kinds=INDEPENDENT)
    turn = ch.Signal(
        lambda t: 0.1 - 0.1 * np.cos(9 * t),
        lambda t: 0.9 * np.sin(9 * t),
        lambda t: 8.1 * np.cos(9 * t),
    )
    crank = loop.joints[0]
    model = ch.Model(loop.bodies, loop.joints, drivers=[ch.Driver("drive", crank, turn)])
    run = ch.simulate(model, 0.5, step=0.02, method=METHOD, stabilise=stabilise)
    assert run.coordinate(crank.name)[-1] == pytest.approx(0.1 - 0.1 * np.cos(4.5), abs=1e-12)
    for joint in model.joints[1:]:
        ends = [pin_velocity(run, body, joint) for body in (joint.a, joint.b)]
        slip = ends[1] - ends[0]
        if joint.kind == "cylindrical":
            slip = slip[:2]
        open_by = run.violation(joint.name).max()
        assert np.abs(slip).max() < 1e-12 + open_by, joint.name
        assert open_by < (1e-12 if stabilise else 1e-7)


def pin_velocity(run, body, joint):
    """The velocity, at the end, of the point of a body that is at the joint."""
    if body == "ground":
        return np.zeros(3)
    entered, turn = run.model.body(body), run.rotation(body)[-1]
    lever = np.array(entered.rotation).T @ (np.array(joint.at) - np.array(entered.position))
    spin = turn @ run.angular_velocity(body)[-1]
    return run.velocity(body)[-1] + np.cross(spin, turn @ lever)
