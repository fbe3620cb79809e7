"""What runs with tolerances remember, may do and keep of their steps, rule by rule."""

from types import SimpleNamespace as Made

import numpy as np
import pytest

import chasles as ch
from chasles.core.outcomes import NOT_FINITE, OK
from chasles.core.stabilisation import UNSTABILISED
from chasles.integrators.adaptive import (
    ACCEPTED,
    ATOL,
    ATTEMPTS,
    BEFORE,
    CONTROL_WIDTH,
    LARGEST,
    LAST_ERROR,
    LIMITS_WIDTH,
    MOST,
    NEXT,
    NOW,
    REAL,
    REJECTED,
    REJECTIONS,
    RTOL,
    SAVE_EVERY,
    SLOT,
    SMALLEST,
    STEP,
    UNTIL,
)
from chasles.run import tolerance_pace
from chasles.run.tolerance_pace import COLLAPSED, TolerancePace

# --- what is remembered ---

#: Begun at 1 s after two steps; a step, an error, a rejection, seven and three of them; F, known.
MEMORY = (1.0, 2.0, 0.1, 0.5, 1.0, 7.0, 3.0, 1.0, 4.0, 5.0)


def recalling(memory, is_resumed=True, first_step=0.0):
    """A pace that takes up where a run of 2 s stands."""
    pace = Made(
        run=Made(is_resumed=is_resumed, index=0, first=0), memory=lambda: np.zeros(10),
        control=np.zeros(CONTROL_WIDTH), since=9.0, tolerances=Made(first_step=first_step),
        embedded=Made(known=np.zeros(1), first=np.zeros(2), evaluated=np.zeros(1)),
    )  # fmt: skip
    begun = Made(pace=np.array(memory), time=2.0, counted=np.array([11.0]))
    TolerancePace.recall(pace, begun)
    return pace


def test_a_run_goes_on_with_the_steps_of_the_one_before():
    pace = recalling(MEMORY)
    kept = [STEP, LAST_ERROR, REJECTED, ACCEPTED, REJECTIONS]
    assert pace.control[kept].tolist() == [0.1, 0.5, 1.0, 7.0, 3.0]
    assert pace.control.sum() == pytest.approx(11.6)  # nothing else
    assert pace.embedded.known[0] == 1.0 and pace.embedded.first.tolist() == [4.0, 5.0]
    assert (pace.run.index, pace.run.first, pace.since) == (7, 2, 1.0)
    assert pace.embedded.evaluated[0] == 11.0


def test_a_run_of_its_own_counts_anew():
    pace = recalling(MEMORY, is_resumed=False)
    assert pace.control[[ACCEPTED, REJECTIONS, STEP]].tolist() == [7.0, 0.0, 0.1]
    assert recalling(MEMORY, False, first_step=0.3).control[STEP] == 0.3  # as it is asked for
    assert recalling(MEMORY, True, first_step=0.3).control[STEP] == 0.1
    assert (pace.run.index, pace.run.first, pace.since) == (7, 7, 9.0)
    assert pace.embedded.evaluated[0] == 0.0


def test_steps_of_another_method_are_not_gone_on_with():
    pace = recalling(MEMORY[:-1])
    assert not pace.control.any() and pace.run.index == 0 and pace.since == 9.0


@pytest.mark.parametrize(
    "entry, value",
    [(0, -0.1), (0, 2.1), (1, -1.0), (1, 8.0), (2, -0.1), (2, 1e-17), (3, -1.0), (4, -1.0),
     (5, -1.0), (6, -1.0), (7, 0.5), (7, 2.0), (3, np.inf), (8, np.nan), (9, -np.inf)],
)  # fmt: skip
def test_a_memory_that_is_not_of_a_run_is_refused(entry, value):
    memory = list(MEMORY)
    memory[entry] = value
    with pytest.raises(ch.InvalidFile, match="is not from a run"):
        recalling(memory)


@pytest.mark.parametrize("entry, value", [(0, 0.0), (0, 2.0), (1, 0.0), (1, 7.0), (2, 0.0),
                                          (2, 1e-15), (3, 0.0), (7, 0.0)])  # fmt: skip
def test_a_memory_at_a_limit_is_of_a_run(entry, value):
    memory = list(MEMORY)
    memory[entry] = value
    assert recalling(memory).run.index == 7


# --- what a call may do ---


def pace_of(until=5.0, kind=UNSTABILISED, floating=0):
    mechanism = Made(stabiliser=Made(kind=kind), floating=Made(count=floating))
    run = Made(stepper=Made(mechanism=mechanism), output=Made(every=3))
    pace = TolerancePace.__new__(TolerancePace)
    pace.run, pace.until = run, until
    pace.tolerances = Made(rtol=1e-3, atol=1e-5)
    return pace


def test_limits_are_those_of_the_options():
    limits = pace_of().first_limits()
    known = {RTOL: 1e-3, ATOL: 1e-5, SMALLEST: 5.0 * COLLAPSED, SAVE_EVERY: 3.0, MOST: np.inf}
    assert {k: limits[k] for k in known} == known
    assert not np.delete(limits, list(known)).any()
    assert pace_of(until=np.inf).first_limits()[SMALLEST] == COLLAPSED


@pytest.mark.parametrize("kind, floating", [(UNSTABILISED, 0), (UNSTABILISED + 1, 0),
                                            (UNSTABILISED, 1)])  # fmt: skip
def test_states_between_are_of_real_steps_where_something_is_done_at_their_ends(kind, floating):
    corrected = kind != UNSTABILISED or floating > 0
    assert pace_of(kind=kind, floating=floating).first_limits()[REAL] == float(corrected)


def taken(monkeypatch, most=10, watch=None, probe=None, end=4.0, asked=np.inf, accepted=9,
          stopped=None):  # fmt: skip
    """A pace of 5 attempts after a call that reached 2.5 s, and the limits of that."""
    pace, called = pace_of(), []
    pace.bounds = Made(at=lambda t: (0.25, end))
    pace.pass_jump = lambda: called.append("jump")
    pace.tolerances.max_step, pace.probe, pace.lent = 0.5, probe, ()
    pace.thetas, pace.inner, pace.wanted, pace.times = np.zeros((4, 0))
    pace.control, pace.limits = np.zeros(CONTROL_WIDTH), np.zeros(LIMITS_WIDTH)
    pace.control[ACCEPTED], pace.control[REJECTIONS], pace.control[SLOT] = 3.0, 2.0, 8.0
    pace.aside, run = "aside", pace.run
    run.watch, run.reached, run.index, run.stopped, run.block, run.spare = (
        watch, 2.0, 3, None, "block", "spare"
    )  # fmt: skip
    run.control, run.output.kept = Made(next_time=asked), 4

    def ask():
        called.append("ask")
        run.stopped = stopped

    run.ask = ask
    run.checkpoint = lambda: called.append("checkpoint")

    def adapt(*given):
        places = "block", "spare", "aside"
        rows = (pace.control, pace.limits, pace.wanted, pace.thetas, pace.times, pace.points,
                pace.inner)  # fmt: skip
        assert given[:3] == places and all(map(lambda a, b: a is b, given[3:], rows))
        called.append((len(pace.times), pace.points.shape, pace.control[SLOT]))
        pace.control[[ACCEPTED, BEFORE, NOW]] = accepted, 2.25, 2.5
        return OK if accepted else NOT_FINITE

    monkeypatch.setattr(tolerance_pace, "adapt", adapt)
    pace.explain = lambda t, outcome: (t, outcome)
    pace.take(most)
    return pace, called


def test_a_call_takes_steps_up_to_what_comes_first(monkeypatch):
    for end, asked, until in ((4.0, np.inf, 4.0), (6.0, np.inf, 5.0), (4.0, 3.0, 3.0)):
        pace, called = taken(monkeypatch, end=end, asked=asked)
        assert pace.limits[UNTIL] == until and called == ["jump", "ask", (10, (10, 4), 0.0)]
        assert (pace.limits[LARGEST], pace.limits[ATTEMPTS]) == (0.25, 10.0)
        assert (pace.run.reached, pace.run.index, pace.span) == (2.5, 9, (2.25, 2.5))
        assert pace.run.stopped is None and not pace.cut


@pytest.mark.parametrize("after, known", [(2.0, 1.0), (2.5, 0.0)])
def test_a_jump_is_passed_where_the_run_has_come_to_it(after, known):
    pace = pace_of()
    pace.run.reached, pace.bounds = 2.0, Made(beyond=lambda t: after)
    pace.control, pace.embedded = np.full(CONTROL_WIDTH, 2.0), Made(known=np.ones(1))
    pace.pass_jump()
    assert pace.run.reached == pace.control[NOW] == after and pace.embedded.known[0] == known


def test_a_call_that_accepts_no_step_spans_nothing_and_one_that_fails_says_why(monkeypatch):
    assert taken(monkeypatch, accepted=3)[0].span is None
    pace, _ = taken(monkeypatch, accepted=0)
    assert pace.run.stopped == (2.5, NOT_FINITE)


def test_a_run_that_its_controller_stops_takes_no_step(monkeypatch):
    pace, called = taken(monkeypatch, stopped="why")
    assert called == ["jump", "ask"] and pace.run.stopped == "why" and pace.run.index == 3


def test_wanted_states_are_handed_on_once_and_steps_where_none_is_wanted():
    pace, saved = pace_of(), []
    pace.run.output = Made(served=1, extend=lambda times, points: saved.append((times, points)))
    pace.wanted, pace.points = np.array([1.0, 2.0, 3.0, 4.0]), np.arange(8.0).reshape(4, 2)
    pace.control, pace.probe = np.zeros(CONTROL_WIDTH), None
    pace.control[NEXT], pace.keep_steps = 3.0, lambda: saved.append("steps")
    pace.keep()
    ((times, points),) = saved
    assert times.tolist() == [2.0, 3.0] and points.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert pace.run.output.served == 3
    pace.wanted = ()
    pace.keep()
    assert saved[1:] == ["steps"]


def test_steps_that_are_watched_are_taken_one_by_one(monkeypatch):
    pace, called = taken(monkeypatch, watch="watch")
    assert called == ["checkpoint", "jump", "ask", (1, (1, 4), 0.0)]
    assert pace.limits[ATTEMPTS] == 1.0


def test_a_run_that_is_glanced_at_ends_a_call_there(monkeypatch):
    probe = object()
    assert taken(monkeypatch, 10, probe=probe)[0].limits[ATTEMPTS] == 10.0
    assert taken(monkeypatch, 9000, probe=probe)[0].limits[ATTEMPTS] == 4096.0 - 5.0


def test_a_run_is_glanced_at_once_where_it_goes_on_and_may_be_given_up():
    for attempts, goes_on, reached, gives_up, over in (
        (4095, True, 2.0, True, None), (4096, True, 2.0, True, True), (4096, True, 2.0, False, 0),
        (4096, False, 2.0, True, None), (4096, True, 5.0, True, None),
    ):  # fmt: skip
        pace, asked = pace_of(), []

        def probe(t, steps, asked=asked, gives_up=gives_up):
            asked.append((t, steps))
            return gives_up

        pace.control = np.zeros(CONTROL_WIDTH)
        pace.control[[ACCEPTED, REJECTIONS]] = attempts - 90, 90
        pace.wanted, pace.keep_steps, pace.probe = (), lambda: None, probe
        run = pace.run
        run.goes_on, run.reached, run.index, run.is_over, run.ending = (
            goes_on,
            reached,
            7,
            False,
            "",
        )
        pace.keep()
        pace.keep()
        assert asked == ([] if over is None else [(2.0, 7)])
        assert run.is_over == bool(over) and ("given up" in run.ending) == bool(over)


# --- events ---


def test_after_an_event_the_slope_is_not_known_and_errors_begin_anew():
    pace = pace_of()
    pace.control, pace.embedded = np.zeros(CONTROL_WIDTH), Made(known=np.ones(1))
    pace.control[[STEP, LAST_ERROR, REJECTED]] = 0.5, 0.25, 1.0
    pace.limits, attempts = pace.first_limits(), []
    pace.adapt = lambda: attempts.append(pace.limits[ATTEMPTS])
    for longest, step in ((1.0, 0.5), (0.125, 0.125)):
        pace.resume(longest)
        assert attempts.pop() == 0.0  # no step is taken
        assert pace.control[[STEP, LAST_ERROR, REJECTED]].tolist() == [step, 1.0, 0.0]
        assert pace.embedded.known[0] == 0.0 and pace.cut


def test_a_run_goes_back_to_an_event_and_wanted_times_after_it_are_wanted_again():
    for t, block, cut, following in ((1.5, 1.5, True, 1), (2.0, 1.0, False, 3)):
        pace = pace_of()
        pace.run.reached, pace.run.block, pace.cut = 2.0, np.ones(3), False
        pace.embedded, pace.wanted = Made(known=np.ones(1)), np.array([1.5, 1.75, 2.0])
        pace.control = np.zeros(CONTROL_WIDTH)
        pace.control[[NOW, NEXT]] = 2.0, 3.0
        pace.at = lambda t: np.full(3, t)
        pace.go_back(t)
        assert pace.run.block.tolist() == [block] * 3 and pace.cut == cut
        assert pace.run.reached == pace.control[NOW] == t and pace.control[NEXT] == following


# --- what is kept ---


def kept_of(slots, reached, index, every=1, cut=False, is_cut=False, is_unsure=False, last=None):
    """Times of the slots 1, 2, 3 s and of an event that are kept, after steps to so far."""
    pace, saved = TolerancePace.__new__(TolerancePace), []
    output = Made(every=every, kept=2, last=last, extend=lambda *rows: saved.append(rows))
    pace.run = Made(output=output, index=index, reached=reached, is_cut=is_cut, is_unsure=is_unsure)
    pace.control = np.zeros(CONTROL_WIDTH)
    pace.control[SLOT], pace.control[NOW] = slots, reached
    pace.times, pace.points = np.array([1.0, 2.0, 3.0]), np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    pace.cut = cut
    pace.run.block = np.array([reached, reached, 9.0])
    pace.keep_steps()
    ((times, points),) = saved
    assert np.array_equal(points, np.outer(times, [1.0, 1.0]))
    return times.tolist()


def test_steps_are_kept_and_the_end_of_a_part_where_it_is_due():
    assert kept_of(0, 0.5, 1) == []
    assert kept_of(2, 2.0, 7) == [1.0, 2.0]
    assert kept_of(2, 2.0, 6, every=3) == [1.0, 2.0]
    assert kept_of(2, 2.0, 7, every=3) == [1.0]  # that is kept when all ends
    assert kept_of(2, 2.5, 7, every=3) == [1.0, 2.0]


def test_nothing_after_an_event_is_kept():
    assert kept_of(3, 2.5, 6, cut=True) == [1.0, 2.0, 2.5]
    assert kept_of(3, 2.0, 6, cut=True) == [1.0, 2.0]  # in place of the end of a step
    assert kept_of(3, 2.5, 6, cut=True, is_cut=True) == [1.0, 2.0]  # the end is kept anyway
    assert kept_of(3, 2.5, 6, is_unsure=True) == [1.0, 2.0]
    assert kept_of(0, 0.5, 6, cut=True) == [0.5]
    assert kept_of(0, 0.5, 6, cut=True, last=0.5) == []
