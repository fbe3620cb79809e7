"""How a step of chosen length is judged, rule by rule; and runs in pieces, which are the run."""

from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms import double_pendulum

import chasles as ch
from chasles.core.outcomes import CONTRADICTED, NOT_CLOSED, NOT_FINITE, OK, TURNED
from chasles.core.stabilisation import UNSTABILISED
from chasles.integrators import adaptive
from chasles.integrators.adaptive import (
    ATOL,
    BEFORE,
    COLLAPSED,
    CONTROL_WIDTH,
    LARGEST,
    LAST_ERROR,
    LIMITS_WIDTH,
    NOW,
    OUTCOME,
    REJECTED,
    REJECTIONS,
    RTOL,
    STEP,
    UNTIL,
    error_of_step,
    go_on,
    judge_step,
    may_keep,
    step_to_try,
    work_error,
)
from chasles.run.tolerance_pace import TolerancePace

# --- the next step to try ---


@pytest.mark.parametrize(
    "step, largest, tried",
    [
        (0.1, 9.0, 0.1),  # far from the end, which is 4 s ahead
        (1.5, 9.0, 1.5),
        (2.0, 9.0, 2.0),  # two equal ones are left
        (2.4, 9.0, 2.0),  # the last two share what is left
        (4.0, 9.0, 4.0),
        (5.0, 9.0, 4.0),  # not beyond the end
        (0.4, 0.3, 0.3),
        (5.0, 2.8, 2.0),
    ],
)
def test_a_step_ends_at_the_end_and_none_is_very_short(step, largest, tried):
    control, limits = np.zeros(CONTROL_WIDTH), np.zeros(LIMITS_WIDTH)
    control[NOW], control[STEP], limits[UNTIL], limits[LARGEST] = 2.0, step, 6.0, largest
    assert step_to_try(control, limits) == tried


# --- what becomes of a step ---


class Bench:
    """A step from t = 2 whose attempt, error and end are what they are said to be."""

    def __init__(self, monkeypatch, attempt=OK, error=0.5, end=OK, power=4.0):
        self.asked = []
        self.mechanism = SimpleNamespace(monitor=SimpleNamespace(count=[5]))
        self.pair, self.control = SimpleNamespace(estimate=power), np.zeros(CONTROL_WIDTH)
        self.limits = np.zeros(LIMITS_WIDTH)
        self.control[NOW], self.control[LAST_ERROR], self.control[REJECTED] = 2.0, 1.0, 1.0
        self.limits[UNTIL], self.limits[RTOL], self.limits[ATOL] = 3.0, 1e-3, 1e-5
        monkeypatch.setattr(adaptive, "attempt_embedded", self.said("attempt", attempt))
        monkeypatch.setattr(adaptive, "error_of_step", self.said("error", error))
        monkeypatch.setattr(adaptive, "end_step", self.said("end", end))

    def said(self, what, answer):
        def call(*given):
            self.asked.append((what, *given))
            if what == "end":
                self.mechanism.monitor.count[0] = 9  # what it has seen
            return answer

        return call

    def judge(self, step):
        return judge_step(
            self.mechanism, "work", self.pair, "now", "then", step, self.control, self.limits
        )


@pytest.mark.parametrize("step, end", [(0.25, 2.25), (1.0, 3.0)])
def test_a_step_within_tolerance_is_accepted(monkeypatch, step, end):
    bench = Bench(monkeypatch, error=1.0)
    assert bench.judge(step) == OK
    mechanism, pair = bench.mechanism, bench.pair
    assert bench.asked == [
        ("attempt", mechanism, "work", pair, "now", 2.0, step, "then"),
        ("error", mechanism, pair, "now", "then", step, 1e-3, 1e-5),
        ("end", mechanism, "work", "now", end, step, adaptive.SEEN, "then"),
    ]
    assert (bench.control[BEFORE], bench.control[NOW]) == (2.0, end)
    assert bench.control[REJECTED] == 0.0 and bench.control[REJECTIONS] == 0.0
    assert bench.control[STEP] == pytest.approx(0.9 * step)  # an error of 1 after an error of 1
    assert mechanism.monitor.count == [9]


@pytest.mark.parametrize("error, factor", [(16.0, 0.9 / 2.0), (1.0001, 0.9), (1e12, 0.1)])
def test_a_step_beyond_tolerance_is_tried_again_as_its_error_says(monkeypatch, error, factor):
    bench = Bench(monkeypatch, error=error)
    bench.control[REJECTED] = 0.0
    assert bench.judge(0.25) == COLLAPSED == bench.control[OUTCOME]
    assert [what for what, *_ in bench.asked] == ["attempt", "error"]
    assert bench.control[STEP] == pytest.approx(0.25 * factor, rel=1e-3)
    assert bench.control[REJECTED] == bench.control[REJECTIONS] == 1.0
    assert bench.control[NOW] == 2.0


def test_a_step_that_fails_on_the_way_is_tried_again_at_a_quarter(monkeypatch):
    bench = Bench(monkeypatch, attempt=CONTRADICTED)
    assert bench.judge(0.5) == COLLAPSED and bench.control[OUTCOME] == CONTRADICTED
    assert len(bench.asked) == 1 and bench.control[STEP] == 0.125
    assert bench.control[REJECTIONS] == 1.0


@pytest.mark.parametrize("end", [NOT_FINITE, NOT_CLOSED, TURNED])
def test_a_step_that_fails_at_its_end_is_tried_again_and_was_not_seen(monkeypatch, end):
    bench = Bench(monkeypatch, end=end)
    assert bench.judge(0.5) == COLLAPSED and bench.control[OUTCOME] == end
    assert bench.control[STEP] == 0.125 and bench.control[REJECTIONS] == 1.0
    assert bench.mechanism.monitor.count == [5] and bench.control[NOW] == 2.0


def test_what_a_shorter_step_would_come_to_as_well_ends_the_run(monkeypatch):
    bench = Bench(monkeypatch, end=CONTRADICTED)
    assert bench.judge(0.5) == CONTRADICTED == bench.control[OUTCOME]
    assert bench.control[REJECTIONS] == 0.0 and bench.control[NOW] == 2.0


def test_the_last_step_ends_at_the_end_to_the_last_bit(monkeypatch):
    bench = Bench(monkeypatch)
    bench.control[NOW], bench.limits[UNTIL] = 0.2, 0.9
    assert 0.2 + (0.9 - 0.2) != 0.9
    assert bench.judge(0.9 - 0.2) == OK and bench.control[NOW] == 0.9


# --- the error ---


def error_from(monkeypatch, sizes, works, has_third):
    """The error from the sizes of two estimates and of the work that they miss."""
    noted, rows, given = [], [], iter(zip(sizes, works))
    pair = SimpleNamespace(
        measure="measure", error="error", third="third", count=7, slopes="slopes", increment="e",
        has_third=has_third,
    )  # fmt: skip
    answer = {}

    def size(mechanism, measure, out, increment, rtol, atol):
        assert (mechanism, measure, out, increment) == ("mechanism", "measure", "out", "e")
        assert (rtol, atol) == (0.25 * 1e-3, 0.25 * 1e-5)
        answer["size"], answer["work"] = next(given)
        return answer["size"]

    def work(mechanism, of, out, rtol, atol):
        assert (mechanism, of, out) == ("mechanism", pair, "out")
        assert (rtol, atol) == (0.25 * 1e-3, 0.25 * 1e-5)
        return answer["work"]

    def note(mechanism, measure, at, is_first):
        noted.append((mechanism, measure, at, is_first))

    monkeypatch.setattr(adaptive, "slope_length", lambda mechanism: 12)
    monkeypatch.setattr(adaptive, "note_speeds", note)
    monkeypatch.setattr(adaptive, "combine", lambda *row: rows.append(row))
    monkeypatch.setattr(adaptive, "size_of_error", size)
    monkeypatch.setattr(adaptive, "work_error", work)
    found = error_of_step("mechanism", pair, "state", "out", 0.1, 1e-3, 1e-5)
    pairs = ("state", True), ("out", False)
    assert noted == [("mechanism", "measure", *pair) for pair in pairs]
    estimates = ("error", "third")[: len(sizes)]
    assert rows == [(name, 0, 7, 0.1, "slopes", 12, "e") for name in estimates]
    return found


def test_the_error_is_the_larger_of_motion_and_work(monkeypatch):
    assert error_from(monkeypatch, [0.3], [0.2], 0) == 0.3
    assert error_from(monkeypatch, [0.3], [0.4], 0) == 0.4


def test_two_estimates_make_one_as_in_dop853(monkeypatch):
    """e5^2 / sqrt(e5^2 + e3^2 / 100): Hairer, Norsett, Wanner, II.10."""
    for sizes, works in (([3.0, 40.0], [0.0, 1.0]), ([1.0, 2.0], [3.0, 40.0])):
        assert error_from(monkeypatch, sizes, works, 1) == pytest.approx(9.0 / 5.0)
    assert error_from(monkeypatch, [0.0], [0.0], 1) == 0.0
    assert error_from(monkeypatch, [np.inf], [0.0], 1) == np.inf


def test_work_is_compared_with_the_energy_that_moves(monkeypatch):
    """|error of the work| / (rtol (T + E) + m (a |V| + a^2 / 2)): here m = 6 kg, |V| = 1 m/s."""

    def speeds(mechanism, measure, more):
        assert measure == "measure"
        return 3.0 * (1.0 + more) ** 2

    monkeypatch.setattr(adaptive, "energy_of_speeds", speeds)
    monkeypatch.setattr(adaptive, "supply_at", lambda mechanism: 1)
    mechanism = SimpleNamespace(
        layout=SimpleNamespace(supply=2), tree=SimpleNamespace(rate_count=0),
        system=SimpleNamespace(force_count=1),
    )  # fmt: skip
    out = np.zeros(2 + adaptive.EXCHANGED + 1)
    out[2 + adaptive.EXCHANGED] = -5.0

    def missed(wrong, rtol, atol=0.0, of_a_force=0.0):
        pair = SimpleNamespace(measure="measure", increment=np.array([of_a_force, wrong]))
        return work_error(mechanism, pair, out, rtol, atol)

    assert missed(-0.04, 1e-2) == pytest.approx(0.04 / (1e-2 * 8.0))
    assert missed(-0.04, 1e-2, 0.1) == pytest.approx(0.04 / (0.08 + 6.0 * (0.1 + 0.005)))
    assert missed(0.01, 1e-2, of_a_force=-0.04) == missed(-0.04, 1e-2, of_a_force=0.01)
    assert missed(0.0, 1e-2, of_a_force=0.04) == missed(0.04, 1e-2)
    assert missed(0.0, 1e-2) == missed(0.1, 0.0) == 0.0
    assert missed(np.nan, 1e-2) == missed(np.inf, 1e-2) == np.inf


# --- slopes that are kept ---


def mechanism_of(kind=UNSTABILISED, constant_rows=0, rows=0, floating=0):
    return SimpleNamespace(
        stabiliser=SimpleNamespace(kind=kind), constant_rows=SimpleNamespace(count=constant_rows),
        loops=SimpleNamespace(row_count=rows), floating=SimpleNamespace(count=floating),
    )  # fmt: skip


def test_a_slope_is_kept_where_nothing_is_moved_at_the_end_of_a_step():
    assert may_keep(mechanism_of()) and may_keep(mechanism_of(rows=1))
    assert may_keep(mechanism_of(kind=UNSTABILISED + 1)) and may_keep(mechanism_of(constant_rows=1))
    assert not may_keep(mechanism_of(kind=UNSTABILISED + 1, rows=1))
    assert not may_keep(mechanism_of(constant_rows=1, rows=1)) and not may_keep(
        mechanism_of(floating=1)
    )


@pytest.mark.parametrize("known, ends_there, first", [(1.0, 1, 2.0), (0.0, 1, 1.0), (1.0, 0, 1.0)])
def test_the_slope_of_the_last_stage_begins_the_next_step(monkeypatch, known, ends_there, first):
    monkeypatch.setattr(adaptive, "slope_length", lambda mechanism: 3)
    pair = SimpleNamespace(
        known=np.array([known]), ends_there=ends_there, last=np.full(3, 2.0), first=np.ones(3)
    )
    go_on("mechanism", pair)
    assert pair.first.tolist() == [first] * 3 and pair.known[0] == (first == 2.0)


# --- runs ---


@pytest.mark.parametrize("more", [{}, {"t_eval": [0.05, 0.1]}])
def test_a_run_begins_with_the_first_step_and_an_error_of_one(monkeypatch, more):
    """After a step as good as tolerated, whose error would not change the next one."""
    begun, take = [], TolerancePace.take

    def taken(pace, most):
        begun.append(pace.control.copy())
        take(pace, most)

    monkeypatch.setattr(TolerancePace, "take", taken)
    ch.simulate(double_pendulum(), 0.1, **OPTIONS, **more)
    control = np.zeros(CONTROL_WIDTH)
    control[STEP], control[LAST_ERROR] = OPTIONS["first_step"], 1.0
    assert begun[0].tolist() == control.tolist()


OPTIONS = {"rtol": 1e-7, "method": "dopri5", "first_step": 0.05}


@pytest.mark.parametrize("more", [{}, {"save_every": 4}, {"t_eval": np.linspace(0.0, 0.3, 50)}])
def test_a_run_in_pieces_is_the_run(monkeypatch, more):
    whole = ch.simulate(double_pendulum(), 0.3, **OPTIONS, **more)
    told = whole.provenance
    assert told["rejected"] > 0 and told.steps > 20
    for largest in (1, 3):
        monkeypatch.setattr(TolerancePace, "largest", largest)
        found = ch.simulate(double_pendulum(), 0.3, **OPTIONS, **more)
        assert np.array_equal(found.t, whole.t)
        assert np.array_equal(found.absolute, whole.absolute)
        for word in ("rejected", "steps", "evaluations"):
            assert found.provenance[word] == told[word]


@pytest.mark.parametrize("every", [2, 7, 1000])
def test_every_so_manieth_step_is_saved_and_the_end(every):
    whole = ch.simulate(double_pendulum(), 0.3, **OPTIONS)
    found = ch.simulate(double_pendulum(), 0.3, **OPTIONS, save_every=every)
    constant_rows = sorted({*range(0, len(whole.t), every), len(whole.t) - 1})
    assert np.array_equal(found.t, whole.t[constant_rows])
    assert np.array_equal(found.absolute, whole.absolute[constant_rows])
    assert found.provenance.steps == len(whole.t) - 1
