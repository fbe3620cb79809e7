"""What a run says of itself when alarms are raised: they are set by hand, and nothing is run."""

from types import SimpleNamespace

import numpy as np
import pytest

import chasles as ch
from chasles.core.state_block import (
    MISSED_ROW,
    MISSED_SINCE,
    OPEN_ROW,
    OPEN_SINCE,
    WIDEST_GAP,
    WIDEST_ROW,
    WORST_GAP,
    WORST_MISS,
    StateBlock,
)
from chasles.run.checks import checks, culprit, failed_checks, worst_gap
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
