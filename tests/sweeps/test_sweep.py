"""Many runs: equal to single ones, kept as they come, whoever dies on the way."""

import errno
import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top

import chasles as ch
from chasles.build.fingerprints import is_installed
from chasles.many.sweeps.plan import make_plan
from chasles.many.sweeps.store import open_store, read_runs
from chasles.many.sweeps.work import measure_fingerprint
from chasles.model.parameters import parameter_paths, with_parameters

VARY = {"first.mass": [1.0, 2.0, 3.0], "method": ["rk4", "heun"], "step": [2e-3, 1e-3]}


def without_times(sweep):
    return [{k: v for k, v in run.items() if k != "seconds"} for run in sweep.runs]


def one_by_one(model, vary, until, step=None, **options):
    with ThreadPoolExecutor(1) as thread:
        return ch.sweep(model, vary, until, step, executor=thread, progress=False, **options)


def test_values_are_those_of_single_runs_bit_for_bit():
    sweep = one_by_one(double_pendulum(), VARY, 0.05)
    assert sweep.plan.shape == (3, 2, 2)
    for run in sweep.runs:
        values = run["values"]
        model = with_parameters(double_pendulum(), {"first.mass": values["first.mass"]})
        result = ch.simulate(model, 0.05, step=values["step"], method=values["method"])
        assert run["measured"]["position"]["second"] == result.position("second")[-1].tolist()


def test_processes_give_the_same_bits():
    sweep = ch.sweep(double_pendulum(), VARY, 0.05, workers=2, progress=False)
    assert without_times(sweep) == without_times(one_by_one(double_pendulum(), VARY, 0.05))


def test_a_run_that_fails_is_kept_with_its_reason_and_stops_no_other():
    sweep = one_by_one(heavy_top(), {"top.mass": [1.0, -1.0, 2.0]}, 0.01, 1e-3)
    assert [run["status"] for run in sweep.runs] == ["finished", "failed", "finished"]
    assert "mass must be positive" in sweep.failed[0]["message"]
    gaps = sweep.values("gap")
    assert np.isnan(gaps[1])
    assert gaps[2] < 1e-12
    assert "1 of 3" not in str(sweep)
    assert "2 of 3" in str(sweep)


def test_a_sweep_tells_what_was_measured_and_how_many_runs_warn():
    sweep = one_by_one(heavy_top(), {"step": [1e-3, 5e-2], "spaces": ["auto"]}, 0.5)
    least, greatest = (f"{value:.3g}" for value in sorted(sweep.values("energy_error").values.flat))
    assert ["energy_error", least, "0", greatest, "1"] in sweep.ranges()
    assert f"energy_error  {least}" in str(sweep) and "--csv" in str(sweep)
    assert "1 with warnings; run 1: " in str(sweep)


def test_values_that_belong_together_are_run_one_by_one():
    vary = {"top.mass": [1.0, 2.0], "gravity": [(0, 0, -9.81), (0, 0, -1.62)]}
    sweep = one_by_one(heavy_top(), vary, 0.01, 1e-3, together=True)
    assert [run["values"]["gravity"][2] for run in sweep.runs] == [-9.81, -1.62]
    assert sweep.values("position.top").shape == (2, 3)


def test_models_by_name_are_an_axis():
    models = {"top": heavy_top(), "other": heavy_top()}
    sweep = one_by_one(models, {"step": [1e-3, 5e-4]}, 0.01)
    assert sweep.values("gap").dims == ("model", "step")


def slow_measure(result):
    time.sleep(0.1)
    return {"height": result.position("top")[:, 2]}


def test_what_is_measured_is_the_users_to_say():
    vary = {"top.mass": [1.0, 2.0]}
    sweep = one_by_one(heavy_top(), vary, 0.01, 1e-3, measure=slow_measure)
    assert sweep.values("height").shape == (2, 11)
    assert len(sweep.slowest(1)) == 1


def kill_workers(times, every, stop):
    """SIGKILL to one process of the pool, again and again."""
    for _ in range(times):
        if stop.wait(every):
            return
        for child in multiprocessing.active_children()[:1]:
            os.kill(child.pid, signal.SIGKILL)


def test_workers_that_are_killed_lose_nothing():
    vary = {"top.mass": np.linspace(1, 2, 16).tolist()}
    stop = threading.Event()
    killer = threading.Thread(target=kill_workers, args=(2, 2.5, stop))
    killer.start()
    try:
        sweep = ch.sweep(
            heavy_top(), vary, 0.01, 1e-3, workers=2, measure=slow_measure, progress=False
        )
    finally:
        stop.set()
        killer.join()
    assert without_times(sweep) == without_times(
        one_by_one(heavy_top(), vary, 0.01, 1e-3, measure=slow_measure)
    )


SCRIPT = """
import sys
sys.path[:0] = {paths!r}
from test_sweep import slow_measure
from mechanisms import heavy_top
import chasles as ch

ch.sweep(heavy_top(), {{"top.mass": {masses!r}}}, 0.01, 1e-3, workers=1, measure=slow_measure,
         into={folder!r}, progress=False)
"""


def test_what_a_killed_client_began_goes_on_and_repeats_no_finished_run(tmp_path):
    """In another process: the measure is known again by what it does."""
    folder, masses = tmp_path / "store", [1.0 + 0.01 * k for k in range(25)]
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(paths=paths, folder=str(folder), masses=masses))
    child = subprocess.Popen([sys.executable, str(script)], start_new_session=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (folder / "runs.jsonl").exists() and len(read_lines(folder)) >= 3:
            break
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    with (folder / "runs.jsonl").open("ab") as file:
        file.write(b'{"run": 24, "val')  # as a crash may leave it
    before = read_lines(folder)[:-1]
    assert 3 <= len(before) < 25
    one_by_one(heavy_top(), {"top.mass": masses}, 0.01, 1e-3, measure=slow_measure, into=folder)
    after = read_lines(folder)
    assert after[: len(before)] == before
    assert sorted(json.loads(line)["run"] for line in after) == list(range(25))


def read_lines(folder):
    return (folder / "runs.jsonl").read_bytes().splitlines(keepends=True)


def test_a_full_disk_is_told_and_the_runs_before_are_safe(tmp_path, monkeypatch):
    real, calls = os.fsync, []

    def full(number):
        calls.append(number)
        if len(calls) == 4:  # the plan, and two runs before
            raise OSError(errno.ENOSPC, "No space left on device")
        real(number)

    monkeypatch.setattr(os, "fsync", full)
    vary = {"top.mass": [1.0, 2.0, 3.0, 4.0]}
    with pytest.raises(ch.InvalidFile, match="No space left"):
        one_by_one(heavy_top(), vary, 0.01, 1e-3, into=tmp_path / "store", measure=slow_measure)
    monkeypatch.setattr(os, "fsync", real)
    kept = read_runs(tmp_path / "store" / "runs.jsonl", 4)
    assert 1 <= len(kept) < 4
    sweep = one_by_one(heavy_top(), vary, 0.01, 1e-3, into=tmp_path / "store", measure=slow_measure)
    assert len(sweep.runs) == 4


def test_a_full_device_is_told(tmp_path):
    """Once: nothing waits in a buffer, to fail again when the store is closed."""
    store = open_store(tmp_path / "store", "plan", 2)
    store.append([{"run": 0}])
    store.file.close()
    buffering = (
        io.BufferedWriter if isinstance(store.file, io.BufferedIOBase) else lambda file: file
    )
    store.file = buffering(io.FileIO("/dev/full", "wb"))
    with pytest.raises(ch.InvalidFile, match="The 1 runs before are safe"):
        store.append([{"run": 1}])
    store.close()


def test_no_room_for_the_plan_leaves_a_folder_that_can_be_used(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(ch.InvalidFile, match="No space left"):
            open_store(tmp_path, "plan", 1)
    open_store(tmp_path, "plan", 1).close()


def record_of(number, **other):
    return {"run": number, "values": {}, "status": "finished", "message": "", "measured": {},
            "seconds": 0.1, **other}  # fmt: skip


def test_a_line_that_cannot_be_read_costs_no_other_run(tmp_path):
    store = open_store(tmp_path, "plan", 5)
    store.append([record_of(k) for k in range(5)])
    store.close()
    lines = read_lines(tmp_path)
    lines[1] = b"\0\0 gone\n"
    (tmp_path / "runs.jsonl").write_bytes(b"".join(lines) + b'{"run": 5')
    again = open_store(tmp_path, "plan", 5)
    assert [record["run"] for record in again.records] == [0, 2, 3, 4]
    again.append([record_of(1)])
    again.close()
    kept = read_runs(tmp_path / "runs.jsonl", 5)
    assert [record["run"] for record in kept] == [0, 2, 3, 4, 1]


def test_two_processes_do_not_share_a_store(tmp_path):
    store = open_store(tmp_path, "plan", 1)
    script = (
        "import sys; from chasles.many.sweeps import store;"
        " store.open_store(sys.argv[1], 'plan', 1)"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True)
    assert "another process is running the sweep" in refused.stderr
    store.close()
    assert subprocess.run(command).returncode == 0


def pushed(rate):
    def motion(t):
        return rate * t

    crank = ch.Body.box("crank", size=(0.1, 0.1, 0.1), mass=1.0)
    joint = ch.Revolute("axle", ch.GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1))
    return ch.Model([crank], [joint], drivers=[ch.Driver("drive", joint, motion)])


def test_a_model_with_functions_is_known_again():
    """By what they do: in another process they have other addresses."""
    plans = [make_plan(pushed(rate), {}, False, {}) for rate in (1.0, 1.0, 2.0)]
    first, same, other = (plan.fingerprint for plan in plans)
    assert first == same != other and list(map(len, plans)) == [1, 1, 1]


def test_models_that_differ_in_a_rotor_or_a_sensor_are_different():
    """What is seldom given is part of a model, too."""

    def plan(armature=0.0, at=(0, 0, 1), **turn):
        crank = ch.Body.box("crank", size=(0.1, 0.1, 0.1), mass=1.0)
        tool = ch.Body.box("tool", size=(0.1, 0.1, 0.1), mass=1.0)
        axle = ch.Revolute("axle", ch.GROUND, crank, (0, 0, 0), "z", armature=armature)
        weld = ch.Fixed("weld", crank, tool, **turn)
        model = ch.Model([crank, tool], [axle, weld], sensors=[ch.Sensor("tip", tool, at=at)])
        return make_plan(model, {}, False, {}).fingerprint

    plans = [plan(), plan(armature=0.1), plan(at=(0, 0, 2)), plan(turn=("z", 0.1))]
    assert len(set(plans)) == 4 and plan(armature=0.0, turn=None) == plans[0]


def test_what_short_representations_leave_out_is_part_of_a_model():
    def plan(inertia=(1, 1, 1), values=(0.0, 1.0, 0.0)):
        crank = ch.Body("crank", 1.0, inertia)
        axle = ch.Revolute("axle", ch.GROUND, crank, (0, 0, 0), "z")
        drive = ch.Driver("drive", axle, ch.Signal.table([0, 1, 2], values))
        model = ch.Model([crank], [axle], drivers=[drive])
        return make_plan(model, {}, False, {}).fingerprint

    assert len({plan(), plan(inertia=(1, 1, 2)), plan(values=(0.0, 2.0, 0.0))}) == 3


def holding(array):
    return lambda result: {"x": float(array.sum())}


def with_default(number):
    return lambda result, x=number: {"x": x}


def fixed(number):
    return lambda result: {"x": number}


def scaled(number, result):
    return {"x": number * result.t[-1]}


class Fixed:
    def __init__(self, number):
        self.number = number

    def __call__(self, result):
        return {"x": self.number}


TIMES = np.linspace(0.0, 0.05, 2001)
OTHER_TIMES = np.where((TIMES > 0.02) & (TIMES < 0.03), 0.02, TIMES)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"measure": lambda result: {"x": 1.0}}, {"measure": lambda result: {"x": 2.0}}),
        ({"measure": fixed(1.0)}, {"measure": fixed(2.0)}),
        ({"measure": holding(np.zeros(2))}, {"measure": holding(np.ones(2))}),
        ({"measure": with_default(1.0)}, {"measure": with_default(2.0)}),
        ({"measure": Fixed(1.0)}, {"measure": Fixed(2.0)}),
        ({"measure": partial(scaled, 1.0)}, {"measure": partial(scaled, 2.0)}),
        ({"options": {"t_eval": TIMES}}, {"options": {"t_eval": OTHER_TIMES}}),
    ],
)
def test_another_measure_or_option_is_another_sweep(first, second, tmp_path):
    """Also where both have one name, or look the same when they are printed."""
    for _ in range(2):
        assert len(one_by_one(heavy_top(), {}, 0.05, 1e-2, into=tmp_path / "a", **first).runs) == 1
    with pytest.raises(ch.ChaslesError, match="holds another sweep"):
        one_by_one(heavy_top(), {}, 0.05, 1e-2, into=tmp_path / "a", **second)


@pytest.mark.parametrize("odd", ["text", [1.0, 2.0]])
def test_values_that_are_not_numbers_of_one_shape_are_named(odd):
    measure = lambda result: {"x": odd if result.provenance.step < 2e-3 else 1.0}  # noqa: E731
    sweep = one_by_one(heavy_top(), {"step": [5e-3, 1e-3]}, 0.05, measure=measure)
    with pytest.raises(ch.ChaslesError, match="'x' of run 1"):
        sweep.values("x")


def test_accuracies_can_be_varied():
    sweep = one_by_one(heavy_top(), {"tol": [1e-4, 1e-8]}, 0.05)
    assert not sweep.failed


def test_a_folder_of_another_sweep_is_refused(tmp_path):
    one_by_one(heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, into=tmp_path / "store")
    with pytest.raises(ch.InvalidOption, match="another sweep"):
        one_by_one(heavy_top(), {"top.mass": [2.0]}, 0.01, 1e-3, into=tmp_path / "store")
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ch.InvalidOption, match="not empty"):
        one_by_one(heavy_top(), {"top.mass": [2.0]}, 0.01, 1e-3, into=tmp_path)


@pytest.mark.parametrize(
    ("vary", "options", "words"),
    [
        ({"top.mas": [1.0]}, {}, "Did you mean 'top.mass'"),
        ({"top.mass": 1.0}, {}, "must be a list"),
        ({"top.mass": []}, {}, "must be a list"),
        ({"top.mass": [(1.0, 2.0)]}, {}, "takes a number"),
        ({"gravity": [1.0]}, {}, "takes 3 numbers"),
        ({"gravity": ["down"]}, {}, "takes 3 numbers"),
        ({"top.mass": [1.0], "step": [1.0, 2.0]}, {"together": True}, "differ in number"),
        ([1.0], {}, "must be a dict"),
        ({"top.mass": [1.0]}, {"executor": 3}, "executor must be"),
        ({"top.mass": [1.0]}, {"workers": 0}, "workers must be"),
        ({"top.mass": [1.0]}, {"executor": "tcp://127.0.0.1:1"}, "no scheduler answers"),
    ],
)
def test_nonsense_is_refused_before_anything_is_run(vary, options, words, monkeypatch):
    monkeypatch.setattr("chasles.many.sweeps.pool.PATIENCE", 1.0)
    with pytest.raises(ch.ChaslesError, match=words):
        ch.sweep(heavy_top(), vary, 0.01, 1e-3, progress=False, **options)


def test_every_path_leads_to_a_value_that_can_be_put_back():
    model = double_pendulum()
    for path in parameter_paths(model):
        value = ch.model.parameters.parameter(model, path)
        if value is not None:
            assert with_parameters(model, {path: value}) == model


MEASURE = """
import numpy as np
GAIN = {gain}
TABLE = np.full(3, {entry})

def helper(x):
    return {helper}

class Scale:
    factor = {factor}
    def of(self, x):
        return self.factor * x

def measure(result):
    return {{"x": GAIN * helper(1.0) * Scale().of(1.0) + TABLE.sum()}}
"""
PLAIN = {"gain": "2.0", "entry": "1.0", "helper": "x", "factor": "1.0"}


def measure_of(folder, **changes):
    """The measure of a module that was written anew."""
    module = types.ModuleType("study_of_mine")
    file = folder / "study_of_mine.py"
    file.write_text(MEASURE.format(**{**PLAIN, **changes}))
    module.__file__ = str(file)
    sys.modules["study_of_mine"] = module
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    return module.measure


@pytest.mark.parametrize("changed", [{"gain": "3.0"}, {"entry": "2.0"}, {"helper": "x + 1"},
                                     {"factor": "2.0"}])  # fmt: skip
def test_what_a_measure_uses_in_its_module_is_part_of_the_sweep(changed, tmp_path):
    kept = tmp_path / "store"
    for _ in range(2):
        sweep = one_by_one(heavy_top(), {}, 0.01, 1e-2, into=kept, measure=measure_of(tmp_path))
    for name in ("GAIN", "TABLE", "helper", "Scale"):
        assert name in str(sweep)
    with pytest.raises(ch.ChaslesError, match="holds another sweep"):
        one_by_one(heavy_top(), {}, 0.01, 1e-2, into=kept, measure=measure_of(tmp_path, **changed))


def in_a_set(order):
    """A measure with a constant set that was put together in some order, as hashes decide it."""

    def measure(result):
        return {"x": float(len(result) in {0, 8})}

    code = measure.__code__
    constants = (frozenset(order) if isinstance(c, frozenset) else c for c in code.co_consts)
    measure.__code__ = code.replace(co_consts=tuple(constants))
    return measure


def test_a_measure_is_known_again_whatever_the_order_of_its_sets():
    assert repr(frozenset((0, 8))) != repr(frozenset((8, 0)))
    assert measure_fingerprint(in_a_set((0, 8))) == measure_fingerprint(in_a_set((8, 0)))
    assert measure_fingerprint(in_a_set((0, 8))) != measure_fingerprint(in_a_set((0, 9)))


@pytest.mark.parametrize("name, installed", [("__main__", 0), ("__mp_main__", 0), ("made", 1)])
def test_what_is_typed_at_a_prompt_counts_as_the_users_own(name, installed, monkeypatch):
    """It has no file, as modules that are part of Python or made by others have none."""
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    assert is_installed.__wrapped__(name) == bool(installed)


OPEN = (number for number in range(3))  # a value that nobody can write down


def unknowable(result):
    return {"x": next(OPEN)}


def test_a_measure_that_cannot_be_compared_is_refused_where_runs_are_kept(tmp_path, refusal):
    def swept(**more):
        return one_by_one(heavy_top(), {}, 0.01, 1e-2, measure=unknowable, **more)

    message = refusal(lambda: swept(into=tmp_path / "store"), ch.InvalidOption)
    assert "'OPEN', a generator" in message and not (tmp_path / "store").exists()
    assert make_plan(heavy_top(), {}, False, {"events": unknowable}).fingerprint  # by its name
    assert swept().runs[0]["measured"] == {"x": 0}


FORGED = [
    1, {}, [], {"run": 0}, record_of(True), record_of(9), record_of(-1), record_of(0, values=1),
    record_of(0, status=2), record_of(0, measured=None), record_of(0, seconds="x"),
    record_of(0, warnings="x"), record_of(0, seconds=10**400), record_of(0, seconds=float("nan")),
    record_of(0, measured={"x": 10**400}), record_of(0, measured={"x": [{"y": -(10**400)}]}),
]  # fmt: skip


@pytest.mark.parametrize("line", FORGED)
def test_a_forged_record_is_refused_by_its_line(line, tmp_path, refusal):
    one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")
    with (tmp_path / "a" / "runs.jsonl").open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")
    before = (tmp_path / "a" / "runs.jsonl").read_bytes()
    message = refusal(
        lambda: one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a"), ch.InvalidFile
    )
    assert "line 2" in message and (tmp_path / "a" / "runs.jsonl").read_bytes() == before


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff", b"[" * 60_000, b'{"fingerprint": []}'])
def test_a_forged_plan_is_refused(text, tmp_path):
    one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")
    (tmp_path / "a" / "plan.json").write_bytes(text)
    with pytest.raises(ch.ChaslesError):
        one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")


@pytest.mark.parametrize("name", ["plan.json", "runs.jsonl", "lock"])
@pytest.mark.parametrize("kind", ["link", "second name", "pipe"])
def test_links_and_pipes_in_the_folder_of_a_sweep_are_not_followed(name, kind, tmp_path):
    one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")
    place, aside = tmp_path / "a" / name, tmp_path / "aside"
    place.rename(aside)
    put = {"link": os.symlink, "second name": os.link, "pipe": lambda _, place: os.mkfifo(place)}
    put[kind](aside, place)
    before = aside.read_bytes()
    if kind == "second name" and name == "plan.json":  # which is only read
        one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")
        assert aside.read_bytes() == before
        return
    with pytest.raises(ch.InvalidFile, match="is a link or not a file"):
        one_by_one(heavy_top(), {}, 0.01, 1e-2, into=tmp_path / "a")
    assert (tmp_path / "aside").read_bytes() == before


ENDLESS = """
import sys, time
sys.path[:0] = {paths!r}
from test_sweep import sleeper
from mechanisms import heavy_top
import chasles as ch

if __name__ == "__main__":
    ch.sweep(heavy_top(), {{"top.mass": [1.0, 2.0]}}, 0.01, 1e-3, workers=2, measure=sleeper,
             into={folder!r}, progress=False)
"""


def sleeper(result):
    Path(os.environ["AT_WORK"], str(os.getpid())).touch()
    time.sleep(600)
    return {}


def session_of(number):
    """Processes of a session, but for those that have ended and were not asked after."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, *rest = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(rest[2]) == number and state != "Z":
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(number, tmp_path):
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    script = tmp_path / "script.py"
    script.write_text(ENDLESS.format(paths=paths, folder=str(tmp_path / "store")))
    signs = tmp_path / "signs"
    signs.mkdir()
    child = subprocess.Popen(
        [sys.executable, str(script)], start_new_session=True,
        env={**os.environ, "AT_WORK": str(signs)},
    )  # fmt: skip
    until = time.monotonic() + 60
    while len(list(signs.iterdir())) < 2 and time.monotonic() < until:  # both workers
        time.sleep(0.1)
    assert len(session_of(child.pid)) >= 4  # and the tracker
    os.kill(child.pid, number)
    child.wait()
    until = time.monotonic() + 10
    while session_of(child.pid) and time.monotonic() < until:
        time.sleep(0.1)
    left = session_of(child.pid)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("method", ch.Tableau([[0.0]], [1.0])),
        ("stabilise", ch.Baumgarte(1.0, 1.0)),
        ("spaces", {"top": ch.SE3()}),
        ("step", object()),
    ],
)  # fmt: skip
def test_values_that_are_no_data_are_told_in_words(path, value):
    """They go into the records as JSON; the runs are made with the values themselves."""
    sweep = one_by_one(heavy_top(), {path: [value]}, 0.01, 1e-3)
    assert len(sweep.runs) == 1 and isinstance(sweep.runs[0]["values"][path], str | dict)
    assert bool(sweep.failed) == (path == "step")


@pytest.mark.parametrize(
    "answer", [np.array([object()]), np.array([1j]), np.complex128(1), np.datetime64("2020")]
)
def test_what_no_record_can_hold_is_told_of_its_run(answer):
    sweep = one_by_one(
        heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, measure=lambda result: {"x": answer}
    )
    assert "which is not a number" in sweep.failed[0]["message"]
    held = one_by_one(
        heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, measure=lambda r: {"x": np.longdouble(0.5)}
    )
    assert held.runs[0]["measured"] == {"x": 0.5}


def test_a_sweep_that_began_in_the_meantime_is_not_written_over(tmp_path, monkeypatch):
    """Two processes see an empty folder: who locks it later reads what is there by then."""
    from chasles.many.sweeps import store

    def lock_late(where, lock=store.lock):
        monkeypatch.setattr(store, "lock", lock)
        one_by_one(heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, into=where)
        return lock(where)

    monkeypatch.setattr(store, "lock", lock_late)
    with pytest.raises(ch.InvalidOption, match="another sweep"):
        one_by_one(heavy_top(), {"top.mass": [2.0]}, 0.01, 1e-3, into=tmp_path)


def test_an_endless_line_of_records_is_not_read_into_memory(tmp_path, monkeypatch):
    from chasles.many.sweeps import store

    one_by_one(heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, into=tmp_path)
    monkeypatch.setattr(store, "LONGEST_LINE", 2**10)
    with (tmp_path / "runs.jsonl").open("r+b") as file:
        file.truncate(2**12)  # zeros, as those of a sparse file
        file.write(bytes(2**10))
    with pytest.raises(ch.InvalidFile, match="more than 1024 bytes"):
        one_by_one(heavy_top(), {"top.mass": [1.0]}, 0.01, 1e-3, into=tmp_path)
