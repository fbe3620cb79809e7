"""What a run says of itself when alarms are raised: they are set by hand, and nothing is run."""

from types import SimpleNamespace

import numpy as np
import pytest

import chasles as ch
from chasles.core.outcomes import NOT_FINITE, OK
from chasles.core.state_block import (
    MISSED_ROW,
    MISSED_SINCE,
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    WIDEST_GAP,
    WIDEST_ROW,
    WORST_GAP,
    WORST_MISS,
    StateBlock,
)
from chasles.run import checks as module
from chasles.run.checks import checks, culprit, failed_checks, step_that_would_do, worst_gap
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of


@pytest.fixture(scope="module")
def stepper():
    """Two arms, 2 m from their joints, on charts of which joints drift; a spring and a driver."""
    upper = ch.Body("upper", 2.0, (1, 1, 1), position=(2, 0, 0))
    lower = ch.Body("lower", 3.0, (1, 1, 1), position=(6, 0, 0))
    base = ch.Revolute("base", ch.GROUND, upper, at=(0, 0, 0), axis="z")
    elbow = ch.Revolute("elbow", upper, lower, at=(4, 0, 0), axis="z")
    spring = ch.Spring("spring", upper, lower, at=(2, 0, 0), at_b=(6, 0, 0), stiffness=1.0)
    drive = ch.Driver("drive", base, lambda t: 0.1 * t)
    model = ch.Model([upper, lower], [base, elbow], [spring], [drive])
    return stepper_of(make_settings(ByHand(model, spaces="SO3xR3")), 0.1, 1.0)


class Raised:
    """The beginning of a run, and what is raised in it."""

    def __init__(self, stepper):
        self.stepper, self.block = stepper, stepper.first_block()
        state = StateBlock(self.block, self.stepper.layout)
        self.alarm, self.integrals = state.alarm(), state.integrals()
        run = SimpleNamespace(stepper=self.stepper, pace=SimpleNamespace(typical_step=0.125))
        self.ended = SimpleNamespace(run=run, block=self.block)

    def row(self, joint, number):
        setup = self.stepper.solver.setup
        return int(setup.system.joints.first_row[setup.joint_index[joint]]) + number


@pytest.fixture
def raised(stepper):
    return Raised(stepper)


def test_nothing_is_said_where_no_alarm_is_raised(raised):
    assert failed_checks(raised.ended) == [] and culprit(raised.stepper, raised.block) == ""
    assert checks(raised.stepper, raised.block)["worst_gap"] == "0"


@pytest.mark.parametrize("joint", ["base", "elbow"])
@pytest.mark.parametrize("gap", [0.25, 3e-12])
def test_the_widest_gap_is_told_with_its_unit_and_joint(raised, joint, gap):
    units = [raised.stepper.solver.setup.units(0)[k] for k in range(5)]
    assert sorted(units) == ["m"] * 3 + ["rad"] * 2
    for number, unit in enumerate(units):
        raised.alarm[WIDEST_GAP], raised.alarm[WIDEST_ROW] = gap, raised.row(joint, number)
        found = checks(raised.stepper, raised.block)["worst_gap"]
        assert found == f"{gap:.3g} {unit} in '{joint}'"


def test_an_open_joint_is_told_with_its_gap_time_and_step(raised):
    """By three times what is allowed, a hundredth of 2 m."""
    units = raised.stepper.solver.setup.units(1)
    row = raised.row("elbow", units.index("m"))
    raised.alarm[OPEN_SINCE], raised.alarm[OPEN_ROW], raised.alarm[WORST_GAP] = 0.5, row, 3.0
    assert worst_gap(raised.stepper, raised.block) == ("0.06 m", "elbow")
    (said,) = failed_checks(raised.ended)
    assert "joint 'elbow' drifted by 0.06 m, first seen at t = 0.5 s" in said
    assert "a smaller step than 0.125 s" in said
    raised.alarm[OPEN_ROW] = raised.row("drive", 0)
    (said,) = failed_checks(raised.ended)
    assert said.startswith("driver 'drive' drifted by 0.03 rad")


def test_missed_accelerations_are_told_in_percent_with_the_lightest_body(raised):
    raised.alarm[MISSED_SINCE], raised.alarm[WORST_MISS] = 0.75, 0.07
    raised.alarm[MISSED_ROW] = raised.row("elbow", 1)
    (said,) = failed_checks(raised.ended)
    assert said.startswith("joint 'elbow' (direction ")
    for words in ("misses 7 %", "t = 0.75 s", "the lightest body, 'upper'", "than 0.125 s"):
        assert words in said


@pytest.mark.parametrize("works, name", [((0.5, 0.25), "spring"), ((0.5, -0.75), "drive")])
def test_most_of_the_work_is_done_by_one_force_or_driver(raised, works, name):
    raised.integrals[:2] = works
    raised.integrals[2:] = 9.0
    assert culprit(raised.stepper, raised.block) == f" (most of it through '{name}')"


def test_a_model_without_joints_has_no_gap_and_one_without_forces_no_culprit():
    body = ch.Body("body", 1.0, (1, 1, 1))
    stepper = stepper_of(make_settings(ByHand(ch.Model([body]))), 0.1, 1.0)
    block = stepper.first_block()
    assert checks(stepper, block)["worst_gap"] == "none"
    assert culprit(stepper, block) == "" and np.isfinite(block).all()


class Trials:
    """A stepper whose runs close their balance from so short a step on."""

    def __init__(self, monkeypatch, enough, forces=(), asks_users=False, outcome=OK):
        self.enough, self.outcome, self.grids = enough, outcome, []
        setup = SimpleNamespace(model=SimpleNamespace(forces=list(forces)), asks_users=asks_users)
        self.solver, self.layout = SimpleNamespace(setup=setup), None
        self.mechanism = SimpleNamespace(
            monitor=SimpleNamespace(count=[5]), system=SimpleNamespace(body_count=2)
        )
        monkeypatch.setattr(module, "StateBlock", lambda block, layout: SimpleNamespace(
            alarm=lambda: block))  # fmt: skip

    def first_block(self):
        return np.full(50, NEVER)

    def advance(self, block, spare, grid, every, monitored, rows):
        assert spare is not block and every > 10**9 and monitored == 1
        self.grids.append(grid)
        self.mechanism.monitor.count[0] += 1
        closes = grid[1] <= self.enough
        block[UNBALANCED_SINCE] = NEVER if closes else 0.5
        return grid[4], self.outcome


def test_steps_are_halved_until_the_balance_closes_up_to_where_it_did_not(monkeypatch):
    trials = Trials(monkeypatch, 0.0125)
    assert step_that_would_do(trials, 0.1, 0.99) == 0.0125
    assert trials.grids == [(0.0, 0.1 / 2**k, 0, n, n) for k, n in ((1, 20), (2, 40), (3, 80))]
    assert trials.mechanism.monitor.count == [5]


def test_ten_halvings_are_tried_at_the_most_and_stopped_runs_do_not_count(monkeypatch):
    trials = Trials(monkeypatch, 0.0)
    assert step_that_would_do(trials, 0.1, 0.1) is None and len(trials.grids) == 10
    trials = Trials(monkeypatch, 1.0, outcome=NOT_FINITE)
    assert step_that_would_do(trials, 0.1, 0.1) is None and len(trials.grids) == 10
    bounce = ch.JointStop("stop", "hinge", upper=1.0, stiffness=1.0)
    trials = Trials(monkeypatch, 1.0, [bounce])
    assert step_that_would_do(trials, 0.1, 0.1) is None and trials.grids == []


@pytest.mark.parametrize("limit, asks", [("MOST_PROBED", False), ("MOST_ASKED", True)])
def test_trials_have_so_many_steps_of_one_body_at_the_most(monkeypatch, limit, asks):
    """Two bodies: 40, 80, 160; functions of users take longer."""
    for name in ("MOST_PROBED", "MOST_ASKED"):
        monkeypatch.setattr(module, name, 80 if name == limit else 10**9)
    trials = Trials(monkeypatch, 0.0, asks_users=asks)
    assert step_that_would_do(trials, 0.1, 1.0) is None and len(trials.grids) == 2
