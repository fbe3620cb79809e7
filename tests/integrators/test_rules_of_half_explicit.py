"""When a stage and an end of `half-explicit` are good enough, rule by rule: no mechanism moves."""

from types import SimpleNamespace

import numpy as np
import pytest

from chasles.core.outcomes import ITERATED, NOT_CLOSED, NOT_CONVERGED, OK, TALLY_WIDTH
from chasles.core.recursion.closing import SLIPS
from chasles.core.stabilisation import PROJECTED, UNSTABILISED
from chasles.integrators import half_explicit
from chasles.integrators.half_explicit import (
    close_end,
    correct,
    go_on,
    slip_left,
    velocity_residual,
)

STEP, WEIGHTS = 0.5, np.array([9.0, 9.0, 0.25, 9.0, 9.0, 0.4])  # two rows of a, and b


class Bench:
    """A stage that misses what is given, correction after correction."""

    def __init__(self, monkeypatch, missed, damped=0, chosen=0):
        self.missed, self.factors, self.combined = list(missed), [], set()
        self.mechanism = SimpleNamespace(loops=SimpleNamespace(is_damped=damped, is_chosen=chosen))
        self.scheme = SimpleNamespace(
            weights=WEIGHTS, count=2, slopes=np.arange(6.0), increment="increment",
            trial="trial", tally=np.zeros(TALLY_WIDTH),
        )  # fmt: skip

        def combine(weights, row, count, *more):
            scheme = self.scheme
            assert weights is scheme.weights
            assert more == (self.step, scheme.slopes, 3, scheme.increment)
            self.combined.add((row, count))

        def retract(*given):
            assert given == (self.mechanism, "state", "increment", "trial")
            self.retracted += 1

        def residual(*given):
            assert given == (self.mechanism, "work", "trial", 0.75)
            return self.missed.pop(0)

        for name, stub in {
            "slope_length": lambda *_: 3,
            "combine": combine,
            "retract": retract,
            "velocity_residual": residual,
            "correct": lambda mechanism, factor, slope: self.factors.append((factor, slope[0])),
        }.items():
            monkeypatch.setattr(half_explicit, name, stub)

    def go_on(self, step=STEP, j=0):
        self.step, self.retracted = step, 0
        return go_on(self.mechanism, "work", self.scheme, "state", j, 0.75, step)


@pytest.mark.parametrize("j, weight, first", [(0, 0.25, 0.0), (1, 0.4, 3.0)])
def test_what_is_missed_is_made_good_by_the_stage_that_leads_there(monkeypatch, j, weight, first):
    """Through h a_{i+1,i}, in the slope of stage i."""
    bench = Bench(monkeypatch, [1.0, 0.4, 0.0])
    assert bench.go_on(j=j) == OK and bench.missed == []
    assert bench.factors == [(pytest.approx(1 / (STEP * weight), rel=1e-15), first)] * 2
    assert bench.scheme.tally[ITERATED] == 2 and bench.retracted == 3
    assert bench.combined == {(2 * (j + 1), j + 1)}


def test_a_stage_that_misses_nothing_is_not_corrected(monkeypatch):
    bench = Bench(monkeypatch, [0.0])
    assert bench.go_on() == OK and bench.factors == []


def test_forty_corrections_are_made_at_the_most(monkeypatch):
    bench = Bench(monkeypatch, 0.49 ** np.arange(50))
    assert bench.go_on() == NOT_CONVERGED and len(bench.factors) == 40


@pytest.mark.parametrize(
    "step, missed, outcome",
    [
        (1.0, [1.0, 0.5], NOT_CONVERGED),  # half of it is not less than half
        (1.0, [1.0, 0.49, 0.3], NOT_CONVERGED),
        (1.0, [1.0, 1.1e-6, 0.99e-6], OK),  # a millionth of what was missed at first
        (1.0, [1.0, 1.1e-6, 1.01e-6], NOT_CONVERGED),
        (1.0, [1e-9, 1.1e-12, 0.99e-12], OK),  # rounding of a velocity
        (1.0, [1e-9, 1.1e-12, 1.01e-12], NOT_CONVERGED),
        (1e-6, [1e-8, 1e-9, 0.99e-9], OK),  # rounding of a place, in a step
        (1e-6, [1e-8, 1.02e-9, 1.01e-9], NOT_CONVERGED),
    ],
)
def test_what_does_not_halve_any_more_has_to_be_rounding(monkeypatch, step, missed, outcome):
    bench = Bench(monkeypatch, missed)
    assert bench.go_on(step) == outcome and bench.missed == []


@pytest.mark.parametrize("damped, chosen", [(1, 0), (0, 1)])
def test_rows_that_repeat_each_other_may_miss_twice_what_they_did(monkeypatch, damped, chosen):
    for missed, outcome in ((6.0, OK), (6.01, NOT_CONVERGED)):
        assert Bench(monkeypatch, [3.0, missed], damped, chosen).go_on() == outcome
    assert Bench(monkeypatch, [1.0, 0.9]).go_on() == NOT_CONVERGED


def test_a_correction_adds_its_part_to_the_accelerations(monkeypatch):
    """Which stand behind the rates of the coordinates; multipliers come after both."""
    solved, solution = [], np.array([1.0, -2.0, 9.0])
    monkeypatch.setattr(half_explicit, "solve_for", lambda *given: solved.append(given))
    mechanism = SimpleNamespace(
        stabiliser=SimpleNamespace(found=SimpleNamespace(change="change")),
        tree=SimpleNamespace(rate_count=2), loop_work=SimpleNamespace(solution=solution),
    )  # fmt: skip
    slope = np.full(5, 4.0)
    correct(mechanism, 0.5, slope)
    assert slope.tolist() == [4.0, 4.0, 4.5, 3.0, 4.0] and solved == [(mechanism, "change")]


def loop_of(change, sizes, **more):
    """Rows 0 and 2 of three are those of loops."""
    return SimpleNamespace(
        system=SimpleNamespace(row_count=3), accuracy=SimpleNamespace(sizes=np.array(sizes)),
        loops=SimpleNamespace(row_count=2, source=np.array([0, 2])),
        stabiliser=SimpleNamespace(found=SimpleNamespace(change=np.array(change)), **more),
    )  # fmt: skip


def test_what_velocities_miss_is_told_in_sizes_of_the_rows(monkeypatch):
    called = []
    for name in ("drive", "put_openings"):
        monkeypatch.setattr(half_explicit, name, lambda *given, name=name: called.append(
            (name, *given)))  # fmt: skip

    def missed(change, rows=2):
        called.clear()
        loop = loop_of(change, [1.0, 1.0, 2.0])
        loop.loops.row_count = rows
        found = velocity_residual(loop, "work", "trial", 0.5)
        steps = [("drive", loop, "work", 0.5, "trial"),
                 ("put_openings", loop, "work", "trial", SLIPS, True)]  # fmt: skip
        assert called == steps[:rows]
        return found

    assert missed([1.0, 99.0, -6.0]) == 3.0
    assert missed([4.0, 99.0, -6.0]) == 4.0
    assert missed([0.5, 99.0, 0.25]) == 0.5
    assert missed([1.0, 99.0, -6.0], rows=0) == 0.0


def test_what_a_projection_leaves_is_told_of_rows_with_a_size():
    assert slip_left(loop_of([1.0, 2.0, -9.0], [4.0, 1.0, 3.0])) == 3.0
    assert slip_left(loop_of([1.0, -9.0, 0.5], [4.0, 0.0, 1.0])) == 0.5


class End:
    """An end whose projections leave what is given, and how many of them were made."""

    def __init__(self, monkeypatch, slips, kind=PROJECTED, driven=0, rows=2, closes=True):
        self.slips, self.closings, self.followed = list(slips), 0, 0
        self.mechanism = SimpleNamespace(
            tree=SimpleNamespace(driven_count=driven), loops=SimpleNamespace(row_count=rows),
            stabiliser=SimpleNamespace(kind=kind),
        )  # fmt: skip

        def close(*given):
            assert given == (self.mechanism, self.work, "out")
            self.closings += 1
            return closes

        def follow(*given):
            assert given == (self.mechanism.tree, "signals", "out")
            self.followed += 1

        def left(mechanism):
            assert mechanism is self.mechanism
            return self.slips.pop(0)

        self.work = SimpleNamespace(signals="signals")
        monkeypatch.setattr(half_explicit, "close_cut_joints", close)
        monkeypatch.setattr(half_explicit, "slip_left", left)
        monkeypatch.setattr(half_explicit, "follow", follow)

    def close(self):
        return close_end(self.mechanism, self.work, "out")


@pytest.mark.parametrize(
    "slips, closings",
    [([0.0], 1), ([1.0, 0.0], 2), ([1.0, 0.5], 2), ([1.0, 0.49, 0.3], 3), ([1e9, 1e9], 2),
     (0.49 ** np.arange(9), 8)],
)  # fmt: skip
def test_an_end_is_projected_until_nothing_is_gained(monkeypatch, slips, closings):
    end = End(monkeypatch, slips)
    assert end.close() == OK and end.closings == closings and end.followed == 0


def test_an_end_is_projected_only_where_that_is_asked_for_and_after_its_drivers(monkeypatch):
    for more in ({"kind": UNSTABILISED}, {"rows": 0}):
        end = End(monkeypatch, [], driven=1, **more)
        assert end.close() == OK and end.closings == end.followed == 0
    end = End(monkeypatch, [0.0], driven=1)
    assert end.close() == OK and end.followed == 1
    assert End(monkeypatch, [], closes=False).close() == NOT_CLOSED
