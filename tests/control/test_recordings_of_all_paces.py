"""Recorded and continued runs with tolerances, events and chosen times: to the bit."""

import shutil
import signal
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from mechanisms import double_pendulum
from mechanisms import motored_pendulum as pendulum

import chasles as ch
from chasles.cli import main
from chasles.run import recording

START, UNTIL = {"hinge": (0.1, 0.5)}, 3.0


def damper(t, state):
    return {"motor": -0.5 * state.rate("hinge")}


def events(terminal=False):
    end = ch.Event(lambda t, state: t - 2.2222, terminal=terminal, name="a time")
    return [ch.Event(lambda t, state: state.coordinate("hinge") - 0.3, name="crossing"), end]


BOUNCES = [ch.Impact("end", "hinge", lower=-0.3, upper=0.3, restitution=0.9)]
TIMES = np.linspace(0.003, UNTIL, 177)
RUNS = {
    "dop853": {"rtol": 1e-8, "save_every": 3},
    "tsit5": {"rtol": 1e-6, "method": "tsit5"},
    "projection": {"rtol": 1e-7, "stabilise": "projection of all joints", "spaces": "SE3"},
    "controller": {"rtol": 1e-8, "controller": damper, "sample": 0.05, "save_every": 3},
    "events": {"rtol": 1e-8, "events": events(), "save_every": 2},
    "terminal": {"rtol": 1e-8, "events": events(True), "save_every": 2},
    "impacts": {"rtol": 1e-8, "events": BOUNCES, "save_every": 2},
    "times": {"rtol": 1e-8, "t_eval": TIMES},
    "times, terminal": {"rtol": 1e-4, "t_eval": TIMES, "events": events(True)},
    "times and impacts": {"rtol": 1e-8, "t_eval": TIMES, "events": BOUNCES},
    "grid, events": {"step": 1e-2, "events": events(), "save_every": 3},
    "grid, terminal": {"step": 1e-2, "events": events(True), "save_every": 3},
    "grid, impacts": {"step": 1e-2, "events": BOUNCES, "save_every": 3},
    "grid, times": {"step": 1e-2, "t_eval": TIMES},
    "grid, times, terminal": {"step": 1e-2, "t_eval": TIMES, "events": events(True)},
}


class Killed(BaseException):
    """Nobody catches it."""


def run(**options):
    return ch.simulate(pendulum(), UNTIL, start=START, **options)


def same(mine, whole):
    assert mine.message == whole.message
    for name in ("t", "absolute", "integrals", "coordinates"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(whole, name))
    assert mine.provenance.evaluations == whole.provenance.evaluations
    assert {name: times.tolist() for name, times in mine.events.items()} == {
        name: times.tolist() for name, times in whole.events.items()
    }


def kill_after(monkeypatch, count, folder, options, run=run):
    """A run that dies right after so many commits."""
    put, commits = recording.Recording.put_commit, [0]

    def dying(self, head, reached):
        put(self, head, reached)
        commits[0] += 1
        if commits[0] == count:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(recording, "SEGMENT_SECONDS", 0.0)
        patch.setattr(recording.Recording, "put_commit", dying)
        with pytest.raises(Killed):
            run(into=folder, **options)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_was_killed_goes_on_to_the_bit(name, tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "WINDOW_BYTES", 4000)
    options = RUNS[name]
    whole = run(**options)
    for count in (1, 9):
        folder = tmp_path / str(count)
        try:
            kill_after(monkeypatch, count, folder, options)
        except pytest.fail.Exception:  # it had fewer
            continue
        cut = ch.load(folder)
        np.testing.assert_array_equal(cut.absolute, whole.absolute[: len(cut.t)])
        for name, times in cut.events.items():
            assert set(times) <= set(whole.events[name])
        same(run(into=folder, resume=True, **options), whole)
        same(ch.load(folder), whole)
    same(run(into=folder, resume=True, **options), whole)  # a script that is called once more


@pytest.mark.parametrize("method", ["dop853", "tsit5", "bs3"])
def test_a_run_that_ctrl_c_ended_is_continued_to_the_bit(method, tmp_path):
    options = {"rtol": 1e-6, "method": method, "sample": 0.1}
    whole, pressed = run(**options, controller=damper), []

    def interrupting(t, state):
        if t > 1.0 and not pressed:
            pressed.append(t)
            signal.raise_signal(signal.SIGINT)
        return damper(t, state)

    with pytest.raises(KeyboardInterrupt) as ended:
        run(**options, controller=interrupting)
    half = ended.value.result
    rest = np.searchsorted(whole.t, half.t[-1])
    for begun in (half, ch.load(half.save(tmp_path / "half.nc"))):
        more = ch.simulate(pendulum(), UNTIL, start=begun, **options, controller=damper)
        np.testing.assert_array_equal(more.t, whole.t[rest:])
        np.testing.assert_array_equal(more.absolute, whole.absolute[rest:])
        assert more.provenance.steps == whole.provenance.steps - half.provenance.steps


@pytest.mark.parametrize("name", RUNS)
def test_a_run_with_chosen_times_that_ctrl_c_ended_goes_on_to_the_bit(name, tmp_path):
    """Wanted times may lie within the next step: nothing that is earlier comes after them."""
    options = RUNS[name] | {"sample": 0.05, "t_eval": TIMES}
    options.pop("save_every", None)

    def shaker(t, state):
        return {"motor": 0.2 * np.cos(3.0 * t) * state.coordinate("hinge")}

    whole, pressed = run(**options | {"controller": shaker}), []

    def interrupting(t, state):
        if t > 1.0 and not pressed:
            pressed.append(t)
            signal.raise_signal(signal.SIGINT)
        return shaker(t, state)

    options |= {"into": tmp_path / "run", "controller": interrupting}
    with pytest.raises(KeyboardInterrupt) as ended:
        run(**options)
    for half in (ended.value.result, ch.load(tmp_path / "run")):
        assert (np.diff(half.t) > 0.0).all() and half.t[-1] >= 1.0
    same(run(**options, resume=True), whole)


@pytest.mark.parametrize("name", [name for name in RUNS if "events" in RUNS[name]])
def test_a_continued_run_with_events_is_recorded(name, tmp_path):
    options = {key: value for key, value in RUNS[name].items() if key != "t_eval"}
    half = ch.simulate(pendulum(), 1.0, start=START, **options)
    whole = ch.simulate(pendulum(), UNTIL, start=half, **options)
    folder = tmp_path / "run"
    for resume in (False, True):
        again = ch.simulate(pendulum(), UNTIL, start=half, into=folder, resume=resume, **options)
        same(again, whole)


PACES = {"grid": {"step": 1e-2}, "rtol": {"rtol": 1e-6}}


@pytest.mark.parametrize("options", PACES.values(), ids=PACES)
def test_events_of_a_step_in_which_one_failed_are_looked_for_again(options, tmp_path):
    fails = []

    def broken(t, state):
        if fails and t > 1.0:
            raise OSError("no network")
        return 1.0

    when = ch.Event(lambda t, state: t - 1.005, name="a time")
    options = options | {"events": [when, ch.Event(broken, name="broken")]}
    whole = run(**options)
    fails.append(True)
    with pytest.raises(ch.SimulationStopped, match="event 'broken' raised OSError") as stopped:
        run(into=tmp_path / "run", **options)
    assert stopped.value.result.events["a time"].tolist() == []
    fails.clear()
    same(run(into=tmp_path / "run", resume=True, **options), whole)
    more = ch.simulate(pendulum(), UNTIL, start=stopped.value.result, **options)
    assert more.events["a time"] == pytest.approx([1.005], abs=1e-9)


def bouncing(restitution=0.5):
    """A ball that is thrown up from a floor, with its motion until it rests: 2 v / g / (1 - e)."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, velocity=(0, 0, 3.0))
    rail = ch.Prismatic("rail", ch.GROUND, ball, axis="z")
    floor = ch.Impact("floor", rail, lower=0.0, restitution=restitution)
    return ch.Model([ball], [rail]), floor


@pytest.mark.parametrize("options", PACES.values(), ids=PACES)
def test_a_recorded_run_at_rest_says_so_again(options, tmp_path):
    model, floor = bouncing()
    options = options | {"events": [floor], "into": tmp_path / "run"}
    found = []
    for resume in (False, True):
        with pytest.raises(ch.SimulationStopped, match="comes to rest") as stopped:
            ch.simulate(model, 3.0, resume=resume, **options)
        found.append(stopped.value.result)
    same(found[1], found[0])


@pytest.mark.parametrize("options", PACES.values(), ids=PACES)
@pytest.mark.parametrize("start", [(0.0, 0.0), (0.0, -1.0)], ids=["at rest", "falling"])
def test_a_recorded_run_that_ends_at_its_start_ends_there_again(start, options, tmp_path):
    model, floor = bouncing(restitution=0.0)
    options = options | {"events": [floor], "into": tmp_path / "run", "start": {"rail": start}}
    for resume in (False, True, True):
        with pytest.raises(ch.SimulationStopped, match="comes to rest") as stopped:
            ch.simulate(model, 1.0, resume=resume, **options)
        assert stopped.value.result.t.tolist() == [0.0]


@pytest.mark.parametrize("options", PACES.values(), ids=PACES)
def test_a_continued_run_comes_to_rest_where_the_whole_one_does(options):
    """How fast it was before counts for what is slow."""
    model, floor = bouncing()
    half = ch.simulate(model, 1.21, events=[floor], **options)
    times = []
    for start in (None, half):
        with pytest.raises(ch.SimulationStopped, match="comes to rest") as stopped:
            ch.simulate(model, 3.0, start=start, events=[floor], **options)
        times.append(stopped.value.result.events["floor"])
    assert np.concatenate((half.events["floor"], times[1])) == pytest.approx(times[0], abs=1e-9)


def test_other_impacts_of_the_same_name_are_refused(tmp_path, refusal):
    model, floor = bouncing()
    ch.simulate(model, 1.0, step=1e-2, events=[floor], into=tmp_path / "run")
    go_on = partial(ch.simulate, model, 1.1, step=1e-2, into=tmp_path / "run", resume=True)
    said = refusal(partial(go_on, events=[bouncing(0.4)[1]]), ch.InvalidFile)
    assert "belongs to other events" in said
    assert go_on(events=[floor]).t[-1] == 1.1


def test_a_continued_run_takes_the_first_step_that_is_asked_for():
    half = ch.simulate(pendulum(), 1.0, start=START, rtol=1e-8)
    more = ch.simulate(pendulum(), UNTIL, start=half, rtol=1e-8, first_step=1e-5)
    assert more.t[1] - more.t[0] == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize("method", ["scipy RK45", "scipy LSODA", "dop853"])
def test_a_run_by_hand_is_continued_where_it_stands(method):
    by_hand = ch.Simulation(pendulum(), rtol=1e-9, start=START, method=method)
    by_hand.step(steps=20)
    half = by_hand.result()
    more = ch.simulate(pendulum(), UNTIL, start=half, rtol=1e-9, method=method)
    assert more.absolute[0] == pytest.approx(half.absolute[-1], abs=1e-14)
    assert more.absolute[-1] == pytest.approx(run(rtol=1e-10).absolute[-1], abs=1e-6)


@pytest.mark.parametrize("method", ["dop853", "bs3", "scipy RK45", "scipy Radau"])
def test_a_continued_run_is_as_accurate_as_its_tolerances(method):
    exact = run(step=1e-3, method="dop853")
    half = ch.simulate(pendulum(), 1.33, start=START, rtol=1e-8, method=method)
    more = ch.simulate(pendulum(), UNTIL, start=half, rtol=1e-8, method=method)
    assert more.t[0] == 1.33 and more.t[-1] == UNTIL
    assert np.abs(more.absolute[-1] - exact.absolute[-1]).max() < 1e-5
    assert more.energy_balance() == pytest.approx(0.0, abs=1e-5)


def test_steps_of_one_length_and_chosen_ones_continue_each_other():
    exact = run(step=1e-3, method="dop853")
    by_steps = ch.simulate(pendulum(), 1.0, 1e-3, start=START, method="dop853")
    chosen = ch.simulate(pendulum(), 2.0, start=by_steps, rtol=1e-10, method="dop853")
    last = ch.simulate(pendulum(), UNTIL, 1e-3, start=chosen, method="dop853")
    assert last.t[0] == 2.0
    assert last.absolute[-1] == pytest.approx(exact.absolute[-1], abs=1e-8)
    judged = ch.simulate(pendulum(), UNTIL, start=chosen, tol=1e-6)
    assert judged.t[0] == 2.0
    missed = np.abs(judged.position("arm")[-1] - exact.position("arm")[-1]).max()
    assert missed <= judged.provenance["global_error"] <= 1e-6


def test_a_run_by_hand_continues_one_with_tolerances():
    half = ch.simulate(pendulum(), 1.33, start=START, rtol=1e-8)
    by_hand = ch.Simulation(pendulum(), rtol=1e-8, start=half)
    by_hand.step(steps=3)
    whole = ch.simulate(pendulum(), UNTIL, start=half, rtol=1e-8)
    np.testing.assert_array_equal(by_hand.result().absolute, whole.absolute[:4])


def test_a_run_to_an_accuracy_is_recorded_when_its_tolerances_are_known(tmp_path):
    whole = run(tol=1e-6)
    for resume in (False, True):
        same(run(tol=1e-6, into=tmp_path / "run", resume=resume), whole)
    loaded = ch.load(tmp_path / "run")
    same(loaded, whole)
    assert loaded.provenance["global_error"] == whole.provenance["global_error"]
    with pytest.raises(ch.InvalidFile, match="there is a run in"):
        run(tol=1e-6, into=tmp_path / "run")


@pytest.mark.parametrize(
    "options, words",
    [
        ({"rtol": 1e-6}, "another 'rtol'"),
        ({"step": 1e-3, "method": "dop853"}, "another 'rtol'"),
        ({"rtol": 1e-8, "events": events()}, "another 'events'"),
        ({"rtol": 1e-8, "t_eval": TIMES}, "another 't_eval'"),
        ({"rtol": 1e-8, "method": "scipy RK45"}, "past points and matrices"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, words, tmp_path, refusal):
    run(rtol=1e-8, into=tmp_path / "run")
    said = refusal(lambda: run(into=tmp_path / "run", resume=True, **options), ch.ChaslesError)
    assert words in said


def test_a_forged_memory_of_steps_is_refused(tmp_path, refusal):
    run(rtol=1e-8, into=tmp_path / "run")
    head, reached = recording.read_commit(tmp_path / "run")
    for k in range(2, reached.pace.size):
        reached.pace[k] = np.nan
        words, numbers = reached.as_plain()
        text = recording.json.dumps(head | words).encode() + b"\n" + numbers.tobytes()
        recording.write_checked(tmp_path / "run" / recording.COMMIT, text)
        said = refusal(lambda: run(rtol=1e-8, into=tmp_path / "run", resume=True), ch.InvalidFile)
        assert "is not from a run" in said
        reached.pace[k] = 1.0


def test_a_forged_memory_of_events_is_refused(tmp_path, refusal):
    options = RUNS["impacts"] | {"into": tmp_path / "run"}
    run(**options)
    for k in range(len(BOUNCES[0].ends(pendulum())) + 1):
        head, reached = recording.read_commit(tmp_path / "run")
        kept, reached.watched[k] = reached.watched[k], np.nan
        words, numbers = reached.as_plain()
        text = recording.json.dumps(head | words).encode() + b"\n" + numbers.tobytes()
        recording.write_checked(tmp_path / "run" / recording.COMMIT, text)
        said = refusal(lambda: run(**options, resume=True), ch.InvalidFile)
        assert "belongs to other events" in said
        reached.watched[k] = kept
        words, numbers = reached.as_plain()
        text = recording.json.dumps(recording.read_commit(tmp_path / "run")[0] | words).encode()
        recording.write_checked(
            tmp_path / "run" / recording.COMMIT, text + b"\n" + numbers.tobytes()
        )


def sealed(folder, head, reached, **entries):
    """Another commit, sealed as a run does it."""
    words, numbers = reached.as_plain()
    text = recording.json.dumps(head | words | entries).encode() + b"\n" + numbers.tobytes()
    recording.write_checked(folder / recording.COMMIT, text)


OTHERS = (np.inf, -1.0, 1e308, 1e-320, 3.5)
NUMBERS = (np.nan, *OTHERS)


@pytest.mark.parametrize("all_numbers", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["impacts", "controller", "grid, impacts"])
def test_a_forged_memory_is_refused_or_makes_a_result(name, all_numbers, tmp_path, monkeypatch):
    """What is known beside the block: never an error of Python's own, or states out of order.

    In every place NaN and one of the others, which take turns; or all of them.
    """
    options = RUNS[name] | {"save_every": 1}
    short = partial(ch.simulate, pendulum(), 0.5, start=START)
    kill_after(monkeypatch, 5, tmp_path / "run", options, short)
    head, reached = recording.read_commit(tmp_path / "run")
    words, numbers = reached.as_plain()
    for place in range(reached.block.size, numbers.size):
        for value in NUMBERS if all_numbers else (np.nan, OTHERS[place % len(OTHERS)]):
            folder, forged = tmp_path / f"{place} {value}", numbers.copy()
            shutil.copytree(tmp_path / "run", folder)
            forged[place] = value
            sealed(folder, head, type(reached).from_plain(words, forged))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    found = short(into=folder, resume=True, **options)
                    assert np.isfinite(found.absolute).all() and (np.diff(found.t) > 0.0).all()
                except ch.ChaslesError as error:
                    assert error.remedy


@pytest.mark.parametrize(
    "entry",
    [
        {"events": []}, {"events": None}, {"events": {"end": "abc"}}, {"events": {"end": ["nan"]}},
        {"events": {"end": [float("nan")]}}, {"events": {"end": [-1.0]}}, {"origin": "-0x1p3"},
        {"index": 0}, {"step": "0x1p-1000"}, {"steps": -1}, {"steps": "12"}, {"steps": 1.5},
    ],
    ids=str,
)  # fmt: skip
def test_what_no_run_says_of_events_and_times_is_refused(entry, tmp_path, monkeypatch, refusal):
    options = RUNS["grid, impacts"]
    kill_after(monkeypatch, 9, tmp_path / "run", options)
    sealed(tmp_path / "run", *recording.read_commit(tmp_path / "run"), **entry)
    refusal(lambda: run(into=tmp_path / "run", resume=True, **options), ch.InvalidFile)


def test_the_command_resumes_a_run_with_tolerances(tmp_path, monkeypatch):
    pendulum().write(tmp_path / "model.toml")
    whole = ch.simulate(pendulum(), UNTIL, rtol=1e-8)
    folder = tmp_path / "out"
    ch.simulate(pendulum(), 1.0, rtol=1e-8, into=folder / "segments")
    said = ["run", str(tmp_path / "model.toml"), "--until", str(UNTIL), "--rtol", "1e-8"]
    assert main([*said, "--out", str(folder), "--resume", "--quiet"]) == 0
    found = ch.load(folder / "result.nc")
    assert found.absolute[-1] == pytest.approx(whole.absolute[-1], abs=1e-6)
    assert 1.0 in found.t


SPIN = (30.0, 60.0, 20.0)


def tumbling(rate=1.0):
    """A body alone that turns by 0.7 rad in 10 ms."""
    return ch.Model([
        ch.Body("body", mass=1.0, inertia=(1.0, 2.0, 2.5), angular_velocity=rate * np.array(SPIN))
    ])  # fmt: skip


def interrupted(model, folder, until, monkeypatch, **options):
    """The result of a run that died after some segments, and went on."""
    kill_after(monkeypatch, 3, folder, options, lambda **all: ch.simulate(model, until, **all))
    return ch.simulate(model, until, into=folder, resume=True, **options)


def test_what_is_suspect_of_a_run_is_said_of_one_that_goes_on_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "WINDOW_BYTES", 4000)
    options = {"step": 1e-2, "method": "rk4"}
    with pytest.warns(ch.ChaslesWarning, match="the attitude of 'body' misses"):
        whole = ch.simulate(tumbling(), 5.0, **options)
    with pytest.warns(ch.ChaslesWarning, match="the attitude of 'body' misses"):
        found = interrupted(tumbling(), tmp_path / "run", 5.0, monkeypatch, **options)
    same(found, whole)
    assert found.provenance.warnings == whole.provenance.warnings


def test_divided_steps_are_counted_on(tmp_path, monkeypatch, refusal):
    monkeypatch.setattr(recording, "WINDOW_BYTES", 4000)
    options = {"step": 1e-2, "method": "generalized-alpha", "rows": "all"}
    folder = tmp_path / "run"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = ch.simulate(double_pendulum(), 1.5, **options)
        assert whole.provenance["divided_steps"] > 2
        found = interrupted(double_pendulum(), folder, 1.5, monkeypatch, **options)
    same(found, whole)
    assert found.provenance["divided_steps"] == whole.provenance["divided_steps"]
    head, reached = recording.read_commit(folder)
    for forged in (
        [np.nan, 1e-3],
        [3.0, 0.0],
        [-1.0, 1e-3],
        [1e300, 1e-3],
        [1.0],
        [1.0, 1e-3, 1.0],
    ):
        words, numbers = replace(reached, pace=np.array(forged)).as_plain()
        text = recording.json.dumps(head | words).encode() + b"\n" + numbers.tobytes()
        recording.write_checked(folder / recording.COMMIT, text)
        go_on = partial(ch.simulate, double_pendulum(), 2.0, into=folder, resume=True, **options)
        assert "is not from a run" in refusal(go_on, ch.InvalidFile)


def test_steps_that_nobody_took_are_not_suspect():
    r"""A torque-free body by tolerances: angular momentum $RJ\Omega$ and steps half as long agree,
    so nothing is said of steps of a thousandth of the run, which this run did not take."""
    model = tumbling(10.0)
    found = ch.simulate(model, 1.0, rtol=1e-9, method="dop853")
    finer = ch.simulate(model, 1.0, rtol=1e-12, method="dop853")
    assert found.absolute[-1] == pytest.approx(finer.absolute[-1], abs=1e-3)
    assert found.provenance.warnings == ()


def test_a_run_that_was_killed_before_the_first_wanted_time_goes_on(tmp_path, monkeypatch, refusal):
    for name, steps in {"grid": {"step": 1e-2}, "rtol": {"rtol": 1e-8}}.items():
        options = steps | {"t_eval": [2.5, UNTIL], "events": events()}
        whole, folder = run(**options), tmp_path / name
        kill_after(monkeypatch, 3, folder, options)
        assert "has no states yet" in refusal(partial(ch.load, folder), ch.InvalidFile)
        same(run(into=folder, resume=True, **options), whole)
        same(ch.load(folder), whole)


@pytest.mark.parametrize("other", [{"tol": 1e-9}, {"until": 6.0}])
def test_a_run_with_an_accuracy_goes_on_with_the_same_accuracy_and_end(tmp_path, other):
    options = {"until": 0.5, "tol": 1e-5, "start": START, "into": tmp_path / "run"}
    whole = ch.simulate(pendulum(), **options)
    again = ch.simulate(pendulum(), **options, resume=True)
    np.testing.assert_array_equal(again.absolute, whole.absolute)
    with pytest.raises(ch.InvalidOption, match="follow from tol=") as refused:
        ch.simulate(pendulum(), **{**options, **other}, resume=True)
    assert "start=load(folder)" in str(refused.value)
    longer = ch.simulate(pendulum(), 1.0, start=ch.load(tmp_path / "run"), rtol=1e-8)
    assert longer.t[-1] == 1.0
