"""A pose that is singular at the start does not decide about the rest of the run.

A parallelogram that is entered flat: its rows depend on each other there and nowhere near.  Without
gravity no link is accelerated along its way, so that it turns at a constant speed for ever.
"""

from functools import partial

import numpy as np
import pytest
from linkages import INDEPENDENT, parallelogram
from mechanisms import pendulum
from numpy.testing import assert_array_equal

import chasles as ch
from chasles.build.dynamics.equations import dense_mass
from chasles.build.problem import choose_spaces, make_problem
from chasles.build.start.rows import constraint_rows
from chasles.core.outcomes import OK
from chasles.integrators.methods import find_method
from chasles.integrators.stabilisation import chosen_stabiliser, make_stabiliser
from chasles.run.checks import make_accuracy_limits
from chasles.run.stepper import make_stepper

SPEED, STEP = -8.0, 1e-4

#: Crank and rocker of 0.2 m, coupler of 0.4 m, flat, on the branch that stays parallel.
flat = partial(parallelogram, 0.0, SPEED, crank=0.2, coupler=0.4, kinds=INDEPENDENT)


def stepper_of(model, stabilise=None, damp=False):
    problem = make_problem(choose_spaces(model, "auto"), damp=damp)
    choice = chosen_stabiliser(stabilise)
    held = model.joint_names if choice else ()
    stabiliser = make_stabiliser(problem.setup, choice, held, STEP)
    accuracy = make_accuracy_limits(problem.setup, held, STEP)
    return make_stepper(problem.solver, find_method("rk4"), stabiliser, accuracy, damp=damp)


def after(stepper, pieces):
    """The block after steps taken in pieces of so many."""
    block, first, end = stepper.first_block(), 0, sum(pieces)
    for piece in pieces:
        grid = (0.0, STEP, first, first + piece, end)
        _, outcome = stepper.advance(block, block.copy(), grid, 2**62, 1, np.zeros((1, 1)))
        assert outcome == OK
        first += piece
    return block


@pytest.mark.parametrize("stabilise", [None, "projection", "baumgarte"])
def test_the_decision_does_not_depend_on_the_pieces(stabilise):
    whole = after(stepper_of(flat(), stabilise), (60,))
    pieces = after(stepper_of(flat(), stabilise), (1, 2, 4, 1, 1, 1, 5, 45))
    assert_array_equal(whole, pieces)


def test_nor_on_what_is_saved_or_evaluated():
    model = flat()
    every = ch.simulate(model, 0.01, STEP)
    some = ch.simulate(model, 0.01, STEP, save_every=9)
    times = np.append(np.linspace(1e-5, 9.99e-3, 37), 0.01)
    asked = ch.simulate(model, 0.01, STEP, t_eval=times)
    assert_array_equal(every.absolute[9::9], some.absolute[1:-1])
    assert_array_equal(every.absolute[-1], asked.absolute[-1])


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_it_turns_at_a_constant_speed(stabilise):
    result = ch.simulate(flat(), 0.3, STEP, stabilise=stabilise)
    assert result.coordinate("A") == pytest.approx(SPEED * result.t, abs=1e-11)
    assert result.coordinate("D") == pytest.approx(-SPEED * result.t, abs=1e-11)


def least_motion(mass, rows, eta):
    """The least V' (in the mass metric) with J V' = eta, from J L^-T, where M = L L^T.

    The condition of J M^-1 J^T is the square of that: 1e9 half a millisecond before the flat pose.
    """
    factor = np.linalg.cholesky(mass)
    least = np.linalg.lstsq(np.linalg.solve(factor, rows.T).T, eta, rcond=1e-12)[0]
    return np.linalg.solve(factor.T, least)


def test_accelerations_away_from_it_are_those_of_dense_algebra():
    model = flat()
    problem = make_problem(choose_spaces(model, "auto"))
    result = ch.simulate(model, 0.39, STEP, save_every=100)
    system = problem.setup.system
    mass = dense_mass(system)
    for state in result.absolute[1:]:
        found = problem.form.at(state)
        assert found.is_solved
        rows = constraint_rows(problem.setup, found.workspace.jacobian).dense(len(mass))
        rows, eta = rows[np.any(rows, axis=1)], found.workspace.eta[np.any(rows, axis=1)]
        dense = least_motion(mass, rows, eta)
        assert found.acceleration == pytest.approx(dense, abs=1e-10 * np.abs(dense).max())


def test_the_next_singular_pose_is_seen_as_if_it_had_been_entered_elsewhere():
    with pytest.raises(ch.SimulationStopped, match="became singular") as stopped:
        ch.simulate(flat(), 0.6, STEP)
    ((t, _, _),) = stopped.value.result.singular_poses
    assert t == pytest.approx(np.pi / 8, abs=2.1 * STEP)


def test_it_is_passed_on_a_damped_factor():
    result = ch.simulate(flat(), 0.6, STEP, singular="pass")
    assert result.coordinate("A") == pytest.approx(SPEED * result.t, abs=1e-9)
    assert [t for t, _, _ in result.singular_poses] == pytest.approx([np.pi / 8], abs=2.1 * STEP)


def test_a_tree_of_lower_pairs_has_no_pose_to_pass():
    model = pendulum()
    option = {"stabilise": "projection of all joints"}
    stop, passing = (ch.simulate(model, 0.1, 1e-3, singular=s, **option) for s in ("stop", "pass"))
    assert_array_equal(stop.absolute, passing.absolute)
