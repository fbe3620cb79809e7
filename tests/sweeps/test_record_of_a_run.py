"""What one run of a sweep leaves behind, told by itself: plain numbers, or why there are none."""

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms import heavy_top

import chasles as ch
from chasles.many.sweeps import work
from chasles.many.sweeps.plan import Task
from chasles.many.sweeps.work import end_of_run, plain, run_task


def task(**options):
    return Task(3, {"step": 1e-3}, heavy_top(), {}, {"until": 0.01, "step": 1e-3, **options})


def raised(words):
    """A measure that fails."""

    def measure(result):
        raise ZeroDivisionError(words)

    return measure


def told_of(kinetic, missed, gaps):
    """A result of two bodies that moves as it is said."""
    names = [f"joint {k}" for k in range(len(gaps))]
    bodies = [SimpleNamespace(name="a"), SimpleNamespace(name="b")]
    places = {"a": [[9.0, 9.0, 9.0], [1.0, 2.0, 3.0]], "b": [[9.0, 9.0, 9.0], [4.0, 5.0, 6.0]]}
    return SimpleNamespace(
        model=SimpleNamespace(bodies=bodies, joint_names=names),
        kinetic_energy=lambda: np.array(kinetic),
        energy_balance=lambda: np.array(missed),
        position=lambda body: np.array(places[body.name]),
        velocity=lambda body: -np.array(places[body.name]),
        violation=lambda name: np.array(gaps[names.index(name)]),
    )


def test_the_end_is_told_with_the_largest_gap_and_what_energy_misses_of_the_greatest():
    told = end_of_run(told_of([0.5, 4.0, 1.0], [0.0, -2.0, 1.0], [[0.0, 0.1], [0.3, 0.2]]))
    assert told["position"] == {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
    assert told["velocity"] == {"a": [-1.0, -2.0, -3.0], "b": [-4.0, -5.0, -6.0]}
    assert told["gap"] == 0.3 and told["energy_error"] == 0.5


def test_what_rests_misses_an_energy_and_what_has_no_joint_has_no_gap():
    told = end_of_run(told_of([0.0, 0.0], [0.0, -2.0], []))
    assert told["energy_error"] == 2.0 and told["gap"] == 0.0
    assert end_of_run(told_of([0.25, 0.25], [0.0, 0.5], []))["energy_error"] == 2.0


def test_numbers_become_plain_and_keep_their_bits():
    found = plain({
        1: np.float64(0.1), "deep": {"array": np.array([[1.0, np.pi]]), "flag": np.bool_(True)},
        "tuple": (1, np.int64(2), None, "text", False),
    })  # fmt: skip
    assert found == {"1": 0.1, "deep": {"array": [[1.0, np.pi]], "flag": True},
                     "tuple": [1, 2, None, "text", False]}  # fmt: skip
    assert json.loads(json.dumps(found)) == found
    assert type(found["1"]) is float and type(found["deep"]["flag"]) is bool
    with pytest.raises(TypeError, match="a set, which is not a number"):
        plain({"deep": [{1.0}]})
    assert repr(plain([Fraction(1, 4), 2**70 + 1])) == repr([0.25, 2**70 + 1])
    with pytest.raises(TypeError, match="beyond those of a double"):
        plain({"deep": [10**400]})


def test_a_measure_that_fails_is_told_with_its_name_and_line():
    failing = raised("by nought")
    record = run_task(task(), failing)
    line = failing.__code__.co_firstlineno + 1
    assert record["message"] == f"ZeroDivisionError: by nought (measure, line {line})"
    assert (record["run"], record["values"]) == (3, {"step": 1e-3})
    assert (record["status"], record["measured"]) == ("failed", {})
    assert 0.0 < record["seconds"] < 600.0


def test_an_error_of_a_model_is_told_in_its_own_words():
    record = run_task(task(method="rk5"))
    assert record["status"] == "failed" and record["measured"] == {}
    assert "'rk5'" in record["message"] and "Error" not in record["message"]


def test_a_measure_that_returns_no_dict_is_told():
    record = run_task(task(), lambda result: [1.0])
    assert record["status"] == "failed"
    assert record["message"].startswith(
        "TypeError: measure must return a dict of numbers, got list"
    )


@pytest.mark.parametrize("steps, kept", [(10, 1), (400, 2), (999, 4)])
def test_without_a_measure_a_run_is_looked_at_some_two_hundred_times(steps, kept, monkeypatch):
    asked = []

    def simulated(model, until, **options):
        asked.append((until, options))
        return SimpleNamespace(status="finished", message="", warnings=("one",))

    monkeypatch.setattr(work, "simulate_quietly", simulated)
    monkeypatch.setattr(work, "end_of_run", lambda result: {"x": 1.0})
    until = steps * 1e-3
    record = run_task(task(until=until))
    assert record["measured"] == {"x": 1.0} and record["warnings"] == ["one"]
    run_task(task(until=until), lambda result: {})  # a user's own sees every state
    run_task(task(until=until, save_every=5))
    common = {"progress": False, "step": 1e-3}
    assert asked == [(until, common | {"save_every": kept}), (until, common),
                     (until, common | {"save_every": 5})]  # fmt: skip


def test_a_run_that_stops_is_measured_where_it_stopped(monkeypatch):
    half = SimpleNamespace(status="stopped", message="half way", warnings=())
    for result in (half, None):
        error = ch.SimulationStopped("it fell", "Hold it.")
        error.result = result

        def stopped(*_, error=error, **__):
            raise error

        monkeypatch.setattr(work, "simulate_quietly", stopped)
        record = run_task(task(), lambda result: {"x": 2.0})
        assert record["status"] == ("stopped" if result else "failed")
        assert record["measured"] == ({"x": 2.0} if result else {})
        assert ("half way" if result else "it fell") in record["message"]
