"""A run that cannot be right says so: full turns in a step, stiff springs, sizes of all orders."""

import time
import warnings
from math import pi

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import KINDS, chain, moving, pendulum, tree, worst_gaps

import chasles as ch
from chasles.build.problem import choose_spaces, make_problem
from chasles.integrators.methods import find_method
from chasles.integrators.stabilisation import make_stabiliser
from chasles.run.checks import make_accuracy_limits
from chasles.run.stepper import make_stepper

METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "dopri5", "butcher6", "dop853")

# --- full turns ---


def tumbling(turn: float, joints=()) -> ch.Model:
    """A body that turns by `turn` in 1 ms, about an axis that it does not keep."""
    body = ch.Body(
        "body", 2.0, (0.03, 0.02, 0.025), (0.3, 0.1, 0.2),
        angular_velocity=turn * 1e3 * np.array([1.0, 2.0, 2.0]) / 3.0,
        velocity=None if joints else (1.0, 0.0, 0.0),
    )  # fmt: skip
    return ch.Model([body], joints, gravity=(0, 0, 0))


PIVOT = (ch.Spherical("pivot", ch.GROUND, "body", at=(0, 0, 0)),)


@pytest.mark.parametrize("turn", [2 * pi, 4 * pi, 6 * pi])
@pytest.mark.parametrize("method", ["midpoint", "heun", "rk4", "dop853"])
@pytest.mark.parametrize("spaces", ["SE3", "framed", "subgroups"])
@pytest.mark.parametrize("joints", [PIVOT, ()], ids=["top", "free"])
def test_a_full_turn_in_a_step_about_an_axis_that_moves_stops_the_run(joints, spaces, method, turn):
    if (spaces, joints, method) == ("subgroups", (), "midpoint") and turn != 4 * pi:
        # Its angular momentum put back, the body does not speed up to a full turn in half a step.
        with pytest.warns(ch.ChaslesWarning, match="energy balance"):
            ch.simulate(tumbling(turn), 0.02, 1e-3, method=method, spaces=spaces)
        return
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(tumbling(turn, joints), 0.02, 1e-3, method=method, spaces=spaces)
    told = str(caught.value)
    assert "'body' turns by" in told and "Take a smaller step than 0.001 s" in told
    below = float(told.split("(below ")[1].split(" s")[0])
    assert below * turn * 1e3 <= 1.05 * pi  # two digits are told
    result = caught.value.result
    assert all(max(gap) < 1e-12 for gap in worst_gaps(result).values())


@pytest.mark.parametrize("spaces", ["SO3xR3", "subgroups"])
@pytest.mark.parametrize("turn", [2 * pi, 4 * pi, 100.0])
def test_a_body_that_spins_about_a_principal_axis_may_turn_as_far_as_it_likes(spaces, turn):
    body = ch.Body("disc", 1.0, (1.0, 1.0, 2.0), (0, 0, 0), velocity=(1, 2, 3),
                   angular_velocity=(0, 0, turn * 1e3))  # fmt: skip
    result = ch.simulate(ch.Model([body], gravity=(0, 0, 0)), 0.05, 1e-3, spaces=spaces)
    angle = 0.05 * turn * 1e3
    expected = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    assert result.rotation("disc")[-1][:2, :2] == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("spaces", ["SE3", "framed"])
def test_a_body_whose_rotation_has_lost_its_digits_stops_the_run(spaces):
    """Euler's method has no stage at which a full turn could be seen."""
    body = ch.Body("body", 1.0, (1.0, 1.0, 2.0), (0, 0, 0), angular_velocity=(0, 0, 1e9))
    model = ch.Model([body], [ch.Revolute("shaft", ch.GROUND, "body", (0.1, 0, 0), (0, 0, 1))])
    with pytest.raises(ch.SimulationStopped, match="'body' turns by 1e"):
        ch.simulate(model, 10.0, 1.0, method="euler", spaces=spaces)


# --- springs that are too stiff for the step ---


@pytest.mark.parametrize(
    "method, spaces, stiffness", pairwise(METHODS, ["framed", "subgroups"], [1e7, 1e9, 1e12, 1e15])
)
def test_a_spring_too_stiff_for_the_step_is_told(method, spaces, stiffness):
    spring = ch.JointSpring("spring", "hinge", stiffness=stiffness)
    model = pendulum(forces=[spring])
    for steps in (20, 50, 500):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                result = ch.simulate(model, steps * 1e-3, 1e-3, method=method, spaces=spaces)
            except ch.SimulationStopped:
                continue
        assert said, np.abs(result.angular_velocity("arm")).max()


# --- sizes ---

CORNERS = np.array([(0, 0, 0), (0.3, 0.1, 0.9), (1.1, 0.4, 1.0), (1.6, -0.2, 0.3)])


def loop(size: float, shift=(0.0, 0.0, 0.0)) -> ch.Model:
    """Three bodies from ground to ground, of a size and at a place, falling within a second."""
    corners = size * CORNERS + np.array(shift)
    bodies = [
        ch.Body.box(
            f"b{k}", size * np.array((0.5, 0.2, 0.1)), mass=1.0 + k,
            position=(corners[k] + corners[k + 1]) / 2,
        )
        for k in range(3)
    ]  # fmt: skip
    joints = [
        ch.Spherical("first", ch.GROUND, bodies[0], corners[0]),
        ch.Cylindrical("second", bodies[0], bodies[1], corners[1], (1, 2, 3)),
        ch.Spherical("third", bodies[1], bodies[2], corners[2]),
        ch.Spherical("last", bodies[2], ch.GROUND, corners[3]),
    ]
    return ch.Model(bodies, joints, gravity=(0, 0, -9.81 * size))


@pytest.mark.parametrize("spaces", ["framed", "SE3"])
@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_projection_closes_mechanisms_of_all_sizes(size, spaces):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(loop(size), 0.5, 1e-3, spaces=spaces, stabilise="projection")
        on = ch.simulate(loop(size), 0.1, 1e-3, spaces=spaces, start=result.state())
    for metres, radians in worst_gaps(result).values():
        assert metres < 2e-12 * size and radians < 2e-12
    assert on.status == "finished"


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_projection_closes_mechanisms_far_away_as_well_as_numbers_there_can(far):
    result = ch.simulate(loop(1.0, (far, far, 0.0)), 0.2, 1e-3, spaces="SE3",
                         stabilise="projection")  # fmt: skip
    assert max(metres for metres, _ in worst_gaps(result).values()) < 1e-11 + 1e-15 * far


def test_projection_costs_as_much_in_kilometres_as_in_metres():
    def seconds(size: float) -> float:
        best = np.inf
        for _ in range(5):
            began = time.process_time()
            ch.simulate(loop(size), 1.0, 1e-3, stabilise="projection", spaces="framed",
                        save_every=1000, progress=False)  # fmt: skip
            best = min(best, time.process_time() - began)
        return best

    assert seconds(1e6) < 1.5 * seconds(1.0)


# --- what projectors remove ---


def removed(model: ch.Model, spaces: str, method: str, step: float, steps: int) -> dict[str, float]:
    problem = make_problem(choose_spaces(model, spaces))
    setup, solver = problem.setup, problem.solver
    accuracy = make_accuracy_limits(setup, (), step)
    stabiliser = make_stabiliser(setup, None, (), step)
    stepper = make_stepper(solver, find_method(method), stabiliser, accuracy)
    block = stepper.first_block()
    grid = (0.0, step, 0, steps, steps)
    stepper.advance(block, np.zeros_like(block), grid, 2**62, 1, np.zeros((1, 1)))
    return stepper.removed(block)


@pytest.mark.parametrize("spaces", ["framed", "SE3 relative"])
def test_from_a_tree_whose_charts_fit_nothing_is_removed(spaces):
    """Its bodies move in the subgroups of their joints: nothing can leave them."""
    rng = np.random.default_rng(3)
    kinds = [kind for kind in KINDS if kind != "planar"]
    model = moving(chain(rng, kinds), rng, speed=3.0)
    assert removed(model, spaces, "heun", 1e-3, 500) == {}


# --- whatever one does, a joint that was to hold is not left open without a word ---


@pytest.mark.parametrize("seed", range(6))
def test_no_run_ends_with_an_exact_joint_open(seed):
    """Random trees in all spaces, by all methods, at steps from sane to absurd."""
    rng = np.random.default_rng(seed)
    for _ in range(15):
        count = int(rng.integers(1, 5))
        parents = [-1, *(int(rng.integers(-1, k)) for k in range(1, count))]
        model = tree(rng, parents, rng.choice(KINDS, size=count), swap=True)
        model = moving(model, rng, speed=10.0 ** rng.uniform(-1.0, 3.0))
        rules = ["framed", "SE3 relative", "SE3", "SO3xR3", "SO3xR3 on joints", "subgroups"]
        spaces, method = str(rng.choice(rules)), str(rng.choice(METHODS))
        exact = model.joint_names
        if spaces != "subgroups":
            exact = ch.designate(model, dict.fromkeys(model.body_names, spaces)).exact
        step = 10.0 ** rng.uniform(-3.3, -1.5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = ch.simulate(model, 100 * step, step, spaces=spaces, method=method)
            except ch.SimulationStopped:
                continue
        gaps, reach = worst_gaps(result), 1.0 + np.abs(result.absolute[..., 9:12]).max()
        assert all(max(gaps[name]) < 1e-12 * reach for name in exact), (spaces, method, step)
