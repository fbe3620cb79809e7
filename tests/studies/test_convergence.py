"""Observed orders and what accuracy costs."""

import math

import numpy as np
import pytest
from mechanisms import double_pendulum

import chasles as ch
from chasles.run.motion_error import pose_errors, velocity_errors
from chasles.studies.work_precision import Point, Work, WorkPrecision


def spinning(**state):
    return ch.Model([ch.Body.box("box", size=(1, 2, 3), mass=2.0, **state)], [], gravity=(0, 0, 0))


def test_the_error_of_a_pose_is_the_distance_and_the_angle_times_the_radius_of_gyration():
    """Both runs are in closed form: one is turned about z by 0.3 and moved by 0.4 against the
    other."""
    still = ch.simulate(spinning(), 1.0, step=1.0)
    moved = ch.simulate(spinning(angular_velocity=(0, 0, 0.3), velocity=(0.4, 0, 0)), 1.0, step=1.0)
    inertia = np.array(moved.model.bodies[0].inertia) / moved.model.bodies[0].mass
    size = math.sqrt(np.linalg.eigvalsh(inertia).max())
    assert pose_errors(moved, still)[-1] == pytest.approx(math.hypot(0.4, 0.3 * size), rel=1e-12)
    assert velocity_errors(moved, still)[-1] == pytest.approx(math.hypot(0.4, 0.3 * size))


def test_orders_are_those_of_the_methods():
    found = ch.convergence(
        double_pendulum(), 0.1, [5e-4, 2.5e-4, 1.25e-4], methods=["heun", "kutta3", "rk4"],
        spaces=["SE3", "SO3xR3"], reactions=True, progress=False,
    )  # fmt: skip
    for family in found.families:
        for what in ("pose", "velocity", "reaction"):
            assert found.order(family.method, family.spaces, what) == pytest.approx(
                family.order, abs=0.15
            )
    assert "heun" in str(found)
    assert found.uncertainty.pose < 1e-12


def test_a_reference_may_keep_any_states():
    given = {"methods": ["heun"], "reactions": True, "progress": False}
    runs = [
        ch.simulate(double_pendulum(), 0.1, 1e-3, method="dop853", save_every=every)
        for every in (1, 100)
    ]
    every, ends = (
        ch.convergence(double_pendulum(), 0.1, [2e-3, 1e-3], reference=run, **given) for run in runs
    )
    assert every.families == ends.families


def test_an_order_is_found_by_the_spaces_that_were_given():
    model = double_pendulum()
    given = ["auto", ch.Space("SE3"), ch.designate(model), {model.bodies[0]: ch.Space("SE3")}]
    found = ch.convergence(model, 0.1, [2e-3, 1e-3], methods=["heun"], spaces=given, progress=False)
    for spaces, family in zip(given, found.families, strict=True):
        assert found.order("heun", spaces) == family.observed("pose")


def test_what_is_refused_is_listed_with_the_reason():
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 0.1), velocity=(0.3, 0, 0))
    floor = ch.RollingSphere("floor", ch.GROUND, ball, (0, 0, 0), (0, 0, 1), 0.1)
    found = ch.convergence(
        ch.Model([ball], [floor]), 0.1, [2e-3, 1e-3], methods=["rk4", "rattlie"], spaces=["SE3"],
        progress=False,
    )  # fmt: skip
    assert list(found.refused) == [("rattlie", "SE3")]
    assert "rattlie" in str(found)


def test_runs_at_rounding_do_not_count():
    found = ch.convergence(
        spinning(angular_velocity=(1, 2, 3)), 1.0, [0.1, 0.05, 2e-3, 1e-3], methods=["dop853"],
        progress=False,
    )  # fmt: skip
    assert [run.counts for run in found.families[0].runs][-1] is False


def test_work_is_evaluations_and_the_best_method_makes_an_error_with_the_fewest():
    found = ch.work_precision(
        double_pendulum(), 0.1, [2e-3, 1e-3], [1e-6, 1e-9], methods=["heun", "dop853"],
        timing=False, progress=False,
    )  # fmt: skip
    heun = next(w for w in found.works if w.method == "heun")
    assert [p.evaluations for p in heun.points] == [2 * 50, 2 * 100]
    assert {(w.method, w.kind) for w in found.works} == {
        ("heun", "step"), ("dop853", "step"), ("dop853", "rtol")
    }  # fmt: skip
    assert found.best(1e-9).method == "dop853"
    assert heun.cost_at(1e-12) == math.inf


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"steps": [1e-3]}, "two or more"),
        ({"steps": [1e-3, 3e-3]}, "not a part"),
        ({"steps": [1e-3, float("nan")]}, "steps"),
        ({"steps": [1e-3, 5e-4], "methods": "rk4"}, "methods must be a list"),
        ({"steps": [1e-3, 5e-4], "methods": ["rk5"]}, "rk5"),
        ({"steps": [1e-3, 5e-4], "spaces": []}, "spaces must be a list"),
    ],
)
def test_nonsense_is_refused(options, words):
    with pytest.raises(ch.ChaslesError, match=words):
        ch.convergence(spinning(), 0.1, **options)


def test_work_needs_settings():
    with pytest.raises(ch.InvalidOption, match="neither steps nor tolerances"):
        ch.work_precision(spinning(), 0.1)
    with pytest.raises(ch.InvalidOption, match="positive"):
        ch.work_precision(spinning(), 0.1, steps=[-1.0])


def test_figures(tmp_path):
    found = ch.convergence(spinning(angular_velocity=(1, 2, 3)), 1.0, [0.1, 0.05], methods=["rk4"])
    assert found.plot(tmp_path / "orders.png").stat().st_size > 5000
    work = ch.work_precision(
        spinning(angular_velocity=(1, 2, 3)), 1.0, [0.1, 0.05], methods=["rk4"], timing=False
    )
    assert work.plot(tmp_path / "work.svg").stat().st_size > 4000


def test_methods_that_iterate_take_part_in_counts_with_all_their_iterations():
    model = spinning(angular_velocity=(1, 2, 3))
    found = ch.work_precision(
        model, 1.0, [0.1, 0.05], methods=["gauss4", "rk4"], timing=False, progress=False
    )
    gauss, rk4 = found.works
    for one, other in zip(gauss.points, rk4.points):
        assert one.evaluations > 2 * other.evaluations and one.iterations > 0
    assert found.best(rk4.points[-1].error).method == "rk4"


def test_a_method_that_nobody_counts_is_not_the_cheapest_and_needs_the_time_to_be_drawn():
    model = spinning(angular_velocity=(1, 2, 3))
    points = tuple(Point(step, step**4, 0.0) for step in (0.1, 0.05))
    alone = WorkPrecision(model, 1.0, 1, (Work("own", "auto", "step", points),))
    with pytest.raises(ch.InvalidOption, match="timing=True"):
        alone.plot()
    with pytest.raises(ch.InvalidOption, match="no setting"):
        alone.best(0.1)


def test_methods_that_have_no_tolerances_are_refused_by_name_where_there_are_no_steps():
    found = ch.work_precision(
        spinning(), 0.1, tolerances=[1e-6], methods=["rk4", "dop853"], timing=False
    )
    assert [bool(work.refused) for work in found.works] == [True, False]
    assert "rk4 in auto" in str(found)
