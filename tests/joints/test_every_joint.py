"""Every joint and driver, in every order of its bodies and both forms: J, eta, free and blocked.

What is expected is written in `joint_cases`, from the geometry and not from the package.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from joint_cases import CASES, NAME, free_twists, make_case, motion, moving, row_values

import chasles as ch

FORMS = ("screw", "space")
every_case = pytest.mark.parametrize("kind, order", CASES, ids=[", ".join(c) for c in CASES])
IN_ONE_ORDER = ("gear", "driven point")
#: Forms in turn: every kind, and every order, meets both; the rest is in `make slow`.
every_case_in_a_form = pytest.mark.parametrize(
    "kind, order, form",
    [
        pytest.param(
            *case,
            form,
            marks=pytest.mark.slow if (k + turn) % 2 and case[0] not in IN_ONE_ORDER else (),
        )
        for k, case in enumerate(CASES)
        for turn, form in enumerate(FORMS)
    ],
)
#: Weights of the sixth-order central difference at -3h ... 3h.
WEIGHTS = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60
STEP = 2.5e-4


@cache
def moved(kind, order, form):
    """A case after a while in motion: seven states in a row."""
    case = make_case(kind, order)
    model = moving(case.model, np.random.default_rng(5))
    times = 0.1 + STEP * np.arange(-6, 1)
    run = {"until": 0.1, "step": 2e-3, "method": "dop853", "acceleration": form}
    result = ch.simulate(model, t_eval=times, **run)
    return case, model, [result.state(k) for k in range(7)]


def own_rows(model, state, form):
    """J and eta of the joint or driver in question, and V."""
    equations = ch.equations(model, state, acceleration=form)
    own = [row for row, (name, _) in enumerate(equations.rows) if name == NAME]
    return equations.jacobian[own], equations.eta[own], equations.velocity


@every_case_in_a_form
def test_j_is_the_derivative_of_what_the_joint_holds(kind, order, form):
    case, model, states = moved(kind, order, form)
    absolute = states[3].to_absolute(model)
    jacobian, _, _ = own_rows(model, states[3], form)
    rng = np.random.default_rng(1)
    for _ in range(5):
        twists = rng.standard_normal((len(model.bodies), 6))
        expected = row_values(case, form, absolute, dict(zip(model.body_names, twists)))
        np.testing.assert_allclose(jacobian @ twists.ravel(), expected, rtol=0, atol=1e-8)


@every_case_in_a_form
def test_eta_is_what_is_left_of_the_second_derivative(kind, order, form):
    """d/dt (J V) = J V' - eta, and J V is zero, or the rate that a driver prescribes."""
    _, model, states = moved(kind, order, form)
    rows = [own_rows(model, state, form) for state in states]
    jacobian, eta, velocity = rows[3]
    jacobian_rate = np.tensordot(WEIGHTS, [j for j, _, _ in rows], 1) / STEP
    rate, second = motion().sample([states[3].t])[0, 1:] if model.drivers else (0.0, 0.0)
    np.testing.assert_allclose(jacobian @ velocity, rate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(eta, second - jacobian_rate @ velocity, rtol=0, atol=1e-8)


@every_case_in_a_form
def test_what_is_allowed_is_free_and_all_else_is_blocked(kind, order, form):
    case, model, states = moved(kind, order, form)
    expected = free_twists(case, states[-1].to_absolute(model))
    jacobian = ch.equations(model, states[-1], acceleration=form).jacobian
    assert np.linalg.matrix_rank(jacobian) == len(jacobian)
    assert np.linalg.matrix_rank(expected) == expected.shape[1]
    assert expected.shape == (6 * len(model.bodies), 6 * len(model.bodies) - len(jacobian))
    np.testing.assert_allclose(jacobian @ expected, 0.0, rtol=0, atol=1e-8)


@every_case
def test_a_push_moves_the_body_along_what_is_allowed_only(kind, order):
    """At rest, a push W adds N (N^T M N)^-1 N^T W to the acceleration, N the allowed motions."""
    case = make_case(kind, order)
    still = ch.equations(case.model)
    free = free_twists(case, case_start(case.model))
    mover = case.movers[-1]
    at = 6 * case.model.body_names.index(mover)
    for direction in range(6):
        push = np.eye(6)[direction]
        load = ch.Load("push", mover, force=push[3:], torque=push[:3], frame="body")
        model = case.model
        pushed = ch.Model(model.bodies, model.joints, [load], model.drivers, gravity=model.gravity)
        wrench = np.zeros(still.velocity.size)
        wrench[at + direction] = 1.0
        answer = np.zeros_like(wrench)
        if free.shape[1]:
            answer = free @ np.linalg.solve(free.T @ still.mass @ free, free.T @ wrench)
        found = ch.equations(pushed).acceleration - still.acceleration
        np.testing.assert_allclose(found, answer, rtol=0, atol=1e-9 * max(1, np.abs(answer).max()))


def case_start(model):
    rows = [(*np.ravel(body.rotation), *body.position, *np.zeros(6)) for body in model.bodies]
    return np.array(rows)


@pytest.mark.parametrize(
    "kind, unit",
    [
        ("universal", "rad/s"),
        ("constant velocity", "rad/s"),
        ("distance", "m/s"),
        ("point on plane", "m/s"),
        ("rolling sphere", "m/s"),
        ("custom", "per s"),
        ("gear", "rad/s"),
    ],
)
def test_velocities_that_violate_a_coupling_are_refused(kind, unit, refusal):
    """One row is violated alone: along what the joint would allow without it."""
    model = make_case(kind, "two bodies").model
    equations = ch.equations(model)
    own = [row for row, (name, _) in enumerate(equations.rows) if name == NAME]
    violated = np.zeros(len(equations.rows))
    violated[own[-1]] = 0.5
    twists = np.linalg.lstsq(equations.jacobian, violated, rcond=None)[0].reshape(-1, 6)
    bodies = [
        replace(body, angular_velocity=twist[:3], velocity=np.array(body.rotation) @ twist[3:])
        for body, twist in zip(model.bodies, twists)
    ]
    wrong = ch.Model(bodies, model.joints, gravity=model.gravity)
    message = refusal(lambda: ch.simulate(wrong, 1.0, 1e-2), ch.InconsistentStart)
    assert f"violate joint '{NAME}' by 0.5 {unit}." in message
