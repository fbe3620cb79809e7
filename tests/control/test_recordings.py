"""Runs recorded in folders: killed, cut off, out of space, and gone on with, bit for bit."""

import errno
import hashlib
import json
import os
import resource
import shutil
import signal
import time
import tracemalloc
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms import motored_pendulum as pendulum

import chasles as ch
from chasles.cli import main
from chasles.run import recorded, recording
from chasles.run.recorded import read_checked


def damper(t, state):
    return {"motor": -0.5 * state.rate("hinge")}


RUN = {"step": 1e-3, "save_every": 3, "controller": damper, "sample": 0.01}


def same(mine, whole):
    assert np.array_equal(mine.t, whole.t)
    assert np.array_equal(mine.absolute, whole.absolute)
    assert np.array_equal(mine.integrals, whole.integrals)
    assert np.array_equal(mine.coordinates, whole.coordinates, equal_nan=True)


@pytest.fixture(scope="module")
def whole():
    return ch.simulate(pendulum(), 30.0, **RUN)


def begin(folder):
    """A process that records, with a segment for every sample of its controller; its number."""
    child = os.fork()
    if child == 0:
        try:
            recording.SEGMENT_SECONDS = 0.0
            ch.simulate(pendulum(), 30.0, into=folder, resume=True, **RUN)
        finally:
            os._exit(0)
    return child


def kill_and_go_on(folder, whole, kills, seed):
    """Kill a recording run so many times at random moments, each time after it went on."""
    random, rows = np.random.default_rng(seed), 0
    for _ in range(kills):
        child = begin(folder)
        time.sleep(random.uniform(0.0, 0.3))
        seen = recording.read_commit(folder)[0]["rows"] if recording.is_recording(folder) else 0
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if not recording.is_recording(folder):
            assert seen == rows == 0
            continue
        result = ch.load(folder)
        assert len(result.t) >= max(seen, rows)
        rows = len(result.t)
        assert np.array_equal(result.absolute, whole.absolute[:rows])
        assert np.array_equal(result.effort("motor")[:-1], whole.effort("motor")[: rows - 1])
        if result.status == "finished":
            break
    return ch.simulate(pendulum(), 30.0, into=folder, resume=True, **RUN)


def test_killed_runs_lose_nothing_that_was_acknowledged(tmp_path, whole):
    same(kill_and_go_on(tmp_path / "run", whole, 10, 1), whole)


@pytest.mark.slow
def test_a_thousand_kills_lose_nothing_that_was_acknowledged(tmp_path, whole):
    for seed in range(50):
        same(kill_and_go_on(tmp_path / f"run {seed}", whole, 20, seed), whole)


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_recorded_run_is_the_run(tmp_path, spaces, monkeypatch):
    monkeypatch.setattr(recording, "SEGMENT_SECONDS", 0.0)
    monkeypatch.setattr(recording, "WINDOW_BYTES", 4000)
    kept = ch.simulate(pendulum(), 0.5005, spaces=spaces, **RUN)
    recorded = ch.simulate(pendulum(), 0.5005, spaces=spaces, into=tmp_path / "run", **RUN)
    loaded = ch.load(tmp_path / "run")
    for mine in (recorded, loaded):
        assert isinstance(mine.absolute, np.memmap) and not mine.absolute.flags.writeable
        assert mine.status == "finished" and mine.message == kept.message
        assert np.array_equal(mine.absolute, kept.absolute) and np.array_equal(mine.t, kept.t)
        assert np.array_equal(mine.effort("motor"), kept.effort("motor"))
        assert np.array_equal(mine.reaction("hinge").force, kept.reaction("hinge").force)
    longer = ch.simulate(pendulum(), 0.8, spaces=spaces, into=tmp_path / "run", resume=True, **RUN)
    assert np.array_equal(longer.absolute, ch.simulate(pendulum(), 0.8, spaces=spaces,
                                                       **RUN).absolute)  # fmt: skip
    assert np.array_equal(longer.effort("motor")[:168], kept.effort("motor")[:168])
    loaded.save(tmp_path / "run.nc")
    assert np.array_equal(ch.load(tmp_path / "run.nc").absolute, kept.absolute)


@pytest.fixture
def commits(monkeypatch):
    """How many rows were acknowledged, time after time."""
    counts, write = [], recording.Recording.put_commit

    def counted(self, head, reached):
        counts.append(head["rows"])
        assert head["rows"] - head["on_grid"] in (0, 1)
        write(self, head, reached)

    monkeypatch.setattr(recording.Recording, "put_commit", counted)
    return counts


@pytest.mark.parametrize("seconds, least, most", [(0.0, 20, 100), (1e6, 1, 3)])
def test_segments_are_written_when_they_are_due(
    tmp_path, seconds, least, most, monkeypatch, commits
):
    """Every so many seconds, and at the end, which is between two steps of the grid."""
    monkeypatch.setattr(recording, "SEGMENT_SECONDS", seconds)
    before = ch.simulate(pendulum(), 0.05, **RUN)
    options = {**RUN, "into": tmp_path / "run", "start": before}
    result = ch.simulate(pendulum(), 0.3505, **options)  # 30 samples
    assert least <= len(commits) <= most and commits == sorted(commits)
    head, _ = recording.read_commit(tmp_path / "run")
    assert head["rows"] - head["on_grid"] == 1
    assert head["steps"] == 300 == result.provenance.steps - 1


def test_a_segment_is_due_a_second_after_the_one_before(tmp_path, monkeypatch):
    """By a clock of which every look takes a quarter of a second; in a folder that is there.

    The last two are those of the end.
    """
    clock, times, write = [100.0], [], recording.Recording.put_commit

    def monotonic():
        clock[0] += 0.25
        return clock[0]

    def timed(self, head, reached):
        times.append(clock[0])
        write(self, head, reached)

    monkeypatch.setattr(recording, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(recording.Recording, "put_commit", timed)
    (tmp_path / "run").mkdir()
    ch.simulate(pendulum(), 0.3, into=tmp_path / "run", **RUN)
    assert len(times) > 4 and set(np.diff(times)[:-2]) == {1.25}
    kept = recording.Recording(tmp_path / "other", False)
    for last, due in ((clock[0] - 0.75, True), (clock[0] - 0.25, False)):
        kept.last = last
        assert kept.is_due() == due
        clock[0] -= 0.25


def test_a_folder_may_be_closed_twice(tmp_path):
    """The numbers of files that were closed may be those of others by then."""
    kept = recording.Recording(tmp_path, False)
    kept.lock()
    kept.streams["rows"] = recording.Stream(tmp_path / "rows", 1)
    kept.close()
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(2)]
    kept.close()
    for other in others:
        os.close(other)


def test_so_many_states_are_gathered_as_a_window_holds_and_two_at_least(
    tmp_path, monkeypatch, commits
):
    monkeypatch.setattr(recording, "SEGMENT_SECONDS", 1e6)
    model = ch.Model(pendulum().bodies, pendulum().joints)
    ch.simulate(model, 0.1, 1e-3, into=tmp_path / "whole")
    row = os.path.getsize(tmp_path / "whole" / recording.ROWS) // 101
    for size, states in ((25 * row, 25), (26 * row - 1, 25), (1, 2)):
        commits.clear()
        monkeypatch.setattr(recording, "WINDOW_BYTES", size)
        ch.simulate(model, 0.1, 1e-3, into=tmp_path / str(size))
        assert commits == [*range(states, 101, states), 101, 101]


def test_segments_are_on_the_disk_before_they_count_and_no_file_stays_open(tmp_path, monkeypatch):
    """Rows and inputs first, then the commit that counts them, then the folder that names it."""
    folder, forced, before = tmp_path / "new" / "run", [], []
    force, write = os.fsync, recording.write_checked

    def fsync(file):
        forced.append(os.fstat(file).st_ino)
        force(file)

    def write_checked(path, contents):
        if path.name == recording.COMMIT and not before:
            before.extend(forced)
        write(path, contents)
        assert forced[-1] == folder.stat().st_ino and forced[-2] == path.stat().st_ino

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(recording, "write_checked", write_checked)
    opened = os.listdir("/proc/self/fd")
    ch.simulate(pendulum(), 0.03, into=folder, **RUN)
    assert (folder / "rows.f64").stat().st_ino in before
    assert (folder / "inputs.f64").stat().st_ino in forced
    assert len(os.listdir("/proc/self/fd")) == len(opened)
    orphan = folder / ".chasles-0.part"  # of a process that was killed
    orphan.touch()
    ch.simulate(pendulum(), 0.06, into=folder, resume=True, **RUN)
    assert not orphan.exists()


def switched(t, state):
    return {"motor": 0.0 if 0.1 <= t < 0.2 else 1.0}


def test_an_input_that_returns_to_its_first_value_when_a_run_goes_on_is_kept(tmp_path, monkeypatch):
    """Only changes are written down, after what was held last."""
    monkeypatch.setattr(recording, "SEGMENT_SECONDS", 0.0)
    options = {**RUN, "controller": switched, "sample": 0.1}
    whole = ch.simulate(pendulum(), 0.35, **options)
    ch.simulate(pendulum(), 0.2, into=tmp_path / "run", **options)
    for until in (0.25, 0.35):  # where the input changes, and where it does not
        longer = ch.simulate(pendulum(), until, into=tmp_path / "run", resume=True, **options)
    same(longer, whole)
    assert np.array_equal(longer.effort("motor"), whole.effort("motor"))
    held = np.fromfile(tmp_path / "run" / recording.INPUTS).reshape(-1, 2)[:, 1]
    assert held.tolist() == [1.0, 0.0, 1.0]
    assert set(longer.effort("motor").tolist()) == {0.0, 1.0}


def test_rows_of_several_pieces_are_kept_where_a_run_went_beyond_its_grid(tmp_path):
    """Files are read in pieces of 1 MiB."""
    options = {"step": 1e-3, "into": tmp_path / "run"}
    ch.simulate(pendulum(), 8.0005, **options)
    assert (tmp_path / "run" / "rows.f64").stat().st_size > 2**20
    longer = ch.simulate(pendulum(), 8.01, resume=True, **options)
    same(longer, ch.simulate(pendulum(), 8.01, 1e-3))


@pytest.mark.parametrize("until", [0.1, 0.1005])
@pytest.mark.parametrize("save_every", [1, 7])
def test_a_run_that_was_killed_at_its_very_end_is_resumed_as_well(tmp_path, until, save_every):
    """A script that is called once more need not know that all was done."""
    options = {"until": until, "step": 1e-3, "save_every": save_every}
    whole = ch.simulate(pendulum(), **options)
    for _ in range(3):
        result = ch.simulate(pendulum(), **options, into=tmp_path / "run", resume=True)
        for found in (result, ch.load(tmp_path / "run")):
            assert found.status == "finished"
            np.testing.assert_array_equal(found.t, whole.t)
            np.testing.assert_array_equal(found.absolute, whole.absolute)


def test_memory_does_not_grow_with_the_length_of_a_recorded_run(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "WINDOW_BYTES", 2**18)
    model, peaks = ch.Model(pendulum().bodies, pendulum().joints), []
    ch.simulate(model, 0.1, 1e-3, into=tmp_path / "warm")
    for steps in (10_000, 80_000):
        tracemalloc.start()
        ch.simulate(model, steps * 1e-3, 1e-3, into=tmp_path / str(steps))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert os.path.getsize(tmp_path / "80000" / recording.ROWS) > 10 * 2**20
    assert peaks[1] < peaks[0] + 2**20


def test_a_full_disk_ends_a_run_with_its_segments_intact(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "SEGMENT_SECONDS", 0.0)
    monkeypatch.setattr(recording, "WINDOW_BYTES", 4000)
    write, budget = os.write, [60_000]

    def limited(file, contents):
        budget[0] -= len(contents)
        if budget[0] < 0:
            write(file, contents[: len(contents) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, contents)

    monkeypatch.setattr(recording.os, "write", limited)
    with pytest.raises(ch.InvalidFile, match=r"No space left on device.*intact") as refused:
        ch.simulate(pendulum(), 2.0, into=tmp_path / "run", **RUN)
    assert "resume=True" in str(refused.value)
    monkeypatch.undo()
    part = ch.load(tmp_path / "run")
    kept = ch.simulate(pendulum(), 2.0, **RUN)
    assert 10 < len(part.t) < len(kept.t) and part.status == "interrupted"
    assert np.array_equal(part.absolute, kept.absolute[: len(part.t)])
    same(ch.simulate(pendulum(), 2.0, into=tmp_path / "run", resume=True, **RUN), kept)


def test_a_limit_on_the_size_of_files_is_a_clear_error(tmp_path):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        recording.SEGMENT_SECONDS, recording.WINDOW_BYTES = 0.0, 4000
        try:
            ch.simulate(pendulum(), 30.0, into=tmp_path / "run", **RUN)
        except ch.InvalidFile as error:
            os._exit(7 if "File too large" in str(error) else 1)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(ch.load(tmp_path / "run").t) > 100


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_is_a_clear_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ch.InvalidFile, match="Permission denied"):
        ch.simulate(pendulum(), 2.0, into=tmp_path / "run", **RUN)


def test_a_place_that_cannot_be_a_folder_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(ch.InvalidFile, match="is a file"):
        ch.simulate(pendulum(), 2.0, into=tmp_path / "file", **RUN)
    with pytest.raises(ch.InvalidFile, match="cannot be written to"):
        ch.simulate(pendulum(), 2.0, into=tmp_path / "file" / "run", **RUN)


def test_damage_is_told(tmp_path):
    folder = tmp_path / "run"
    ch.simulate(pendulum(), 1.0, into=folder, **RUN)
    for name in (recording.ROWS, recording.INPUTS, recording.COMMIT, recording.HEADER):
        good = (folder / name).read_bytes()
        for bad in (good[: len(good) // 2], good[:40] + bytes([good[40] ^ 1]) + good[41:]):
            (folder / name).write_bytes(bad)
            is_cut = len(bad) < len(good) and name in (recording.ROWS, recording.INPUTS)
            with pytest.raises(ch.InvalidFile, match="shorter" if is_cut else "damaged"):
                ch.load(folder)
        (folder / name).write_bytes(good)
    assert ch.load(folder).status == "finished"


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    folder, other = tmp_path / "run", []

    def second(t, state):
        if t == 0.5 and not other:
            other.append(t)
            with pytest.raises(ch.InvalidFile, match="being written to by another run"):
                ch.simulate(pendulum(), 2.0, into=folder, resume=True, **RUN)
        return {}

    ch.simulate(pendulum(), 0.2, into=folder, **RUN)
    ch.simulate(pendulum(), 1.0, into=folder, resume=True, **{**RUN, "controller": second})
    assert other


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "there is a run in"),
        ({"resume": True, "step": 2e-3}, "another 'step': 0.001, and this call has 0.002"),
        ({"resume": True, "save_every": 2}, "another 'save_every'"),
        ({"resume": True, "method": "heun"}, "another 'method'"),
        ({"resume": True, "spaces": "SE3"}, "another 'spaces'"),
        ({"resume": True, "stabilise": "projection"}, "'stabilise': none, and this call has pro"),
        ({"resume": True, "start": {"hinge": 0.1}}, "another 'start'"),
        ({"resume": True, "until": 0.05}, "at 0.1 s already"),
        ({"resume": "yes"}, "resume must be True or False"),
        ({"into": None, "resume": True}, "into was left out"),
        ({"resume": True, "t_eval": [0.1]}, "another 't_eval': none, and this call has [0.1]"),
        ({"resume": True, "events": len}, "another 'events'"),
        ({"resume": True, "step": None, "rtol": 1e-6, "method": "bs3"}, "another 'method'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path, options, words):
    options = {"until": 0.2, "into": tmp_path / "run", "step": 1e-3, **options}
    ch.simulate(pendulum(), 0.1, 1e-3, into=tmp_path / "run")
    with pytest.raises(ch.ChaslesError) as refused:
        ch.simulate(pendulum(), **options)
    assert words in str(refused.value)
    assert len(ch.load(tmp_path / "run").t) == 101


def test_the_order_in_which_a_model_is_written_does_not_count(tmp_path):
    folder = tmp_path / "run"
    ch.simulate(pendulum(), 0.01, 1e-3, into=folder)
    header = json.loads(read_checked(folder / recording.HEADER))
    model = json.loads(header["model"])
    model["forces"] = [dict(reversed(force.items())) for force in model["forces"]]
    header["model"] = json.dumps(dict(reversed(model.items())))
    recording.write_checked(folder / recording.HEADER, json.dumps(header).encode())
    assert ch.simulate(pendulum(), 0.02, 1e-3, into=folder, resume=True).t[-1] == 0.02


def test_a_model_with_functions_is_brought_along(tmp_path):
    arm = pendulum()
    motor = ch.Motor("motor", "hinge", effort=lambda t, q, rate: -q)
    model = ch.Model(arm.bodies, arm.joints, [motor])
    result = ch.simulate(model, 0.1, 1e-3, into=tmp_path / "run")
    with pytest.raises(ch.InvalidFile, match=r"(?s)force 'motor'.*model=model"):
        ch.load(tmp_path / "run")
    result.save(tmp_path / "run.nc")
    with pytest.raises(ch.InvalidFile, match=r"(?s)force 'motor'.*model=model"):
        ch.load(tmp_path / "run.nc")
    for path in ("run", "run.nc"):
        again = ch.load(tmp_path / path, model=model)
        assert np.array_equal(again.effort("motor"), result.effort("motor"))
    with pytest.raises(ch.InvalidFile, match="is one of another model"):
        ch.load(tmp_path / "run.nc", model=ch.Model([ch.Body.rod("other", 1.0, mass=1.0)]))


def test_tables_are_written_to_the_last_digit(tmp_path):
    import pandas

    result = ch.simulate(pendulum(), 0.1, 1e-3, controller=damper)
    assert result.save(tmp_path / "run.csv") == tmp_path / "run.csv"
    table, frame = pandas.read_csv(tmp_path / "run.csv", index_col=0), result.frame()
    assert table.index.name == "t [s]" and {*table.dtypes} == {np.dtype(float)}
    units = frame.attrs["units"]
    assert list(table.columns) == [f"{name} [{units[name]}]" for name in frame.columns]
    assert np.array_equal(table.to_numpy(), frame.to_numpy())
    assert np.array_equal(table.index, frame.index)


def test_what_cannot_be_loaded_is_told_with_what_can(tmp_path, refusal):
    model = pendulum()
    result = ch.simulate(model, 0.1, 1e-3)
    said = refusal(lambda: ch.load(result.save(tmp_path / "run.csv")), ch.InvalidFile)
    assert "is a table" in said and "pandas.read_csv(" in said
    ch.simulate(model, 0.1, 1e-3, into=tmp_path / "cut" / "segments")
    said = refusal(lambda: ch.load(tmp_path / "cut"), ch.InvalidFile)
    assert f"Load '{tmp_path / 'cut' / 'segments'}'" in said and "--resume" in said
    (tmp_path / "cut" / "segments" / "commit").unlink()
    said = refusal(lambda: ch.load(tmp_path / "cut" / "segments"), ch.InvalidFile)
    assert "before it kept anything" in said
    (tmp_path / "done").mkdir()
    assert "without a run" in refusal(lambda: ch.load(tmp_path / "done"), ch.InvalidFile)
    saved = result.save(tmp_path / "done" / "result.nc")
    assert str(saved) in refusal(lambda: ch.load(tmp_path / "done"), ch.InvalidFile)
    ch.sweep(model, {}, 0.01, 1e-3, into=tmp_path / "sweep", workers=1, progress=False)
    assert "of a sweep" in refusal(lambda: ch.load(tmp_path / "sweep"), ch.InvalidFile)


@pytest.mark.parametrize("name", ["run.csv", "run.nc"])
def test_links_and_modes_stay(tmp_path, name):
    result, real = ch.simulate(pendulum(), 0.1, 1e-3), tmp_path / f"real {name}"
    real.write_text("before")
    real.chmod(0o640)
    (tmp_path / name).symlink_to(real)
    result.save(tmp_path / name)
    assert (tmp_path / name).is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert real.read_bytes() != b"before" and len(os.listdir(tmp_path)) == 2
    with pytest.raises(ch.InvalidOption, match=r"'.csv'"):
        result.save(tmp_path / "run.txt")


def test_the_command_line_goes_on_with_a_run_that_was_cut_off(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    model = pendulum()
    model.write("arm.toml", run={"until": 2.0, "step": 1e-3})
    assert main(["run", "arm.toml", "--out", "whole", "--quiet"]) == 0
    assert not (tmp_path / "whole" / "segments").exists()
    ch.simulate(model, 0.7, 1e-3, into="cut/segments")
    assert main(["run", "arm.toml", "--out", "cut", "--quiet"]) == 2
    assert "--resume" in capsys.readouterr().err
    assert main(["run", "arm.toml", "--out", "cut", "--quiet", "--resume"]) == 0
    same(ch.load("cut/result.nc"), ch.load("whole/result.nc"))
    assert not (tmp_path / "cut" / "segments").exists()
    assert main(["run", "arm.toml", "--out", "cut", "--quiet", "--resume"]) == 2
    assert "the run in 'cut' is finished" in capsys.readouterr().err
    assert main(["run", "arm.toml", "--out", "new", "--quiet", "--resume"]) == 2
    assert "there is no interrupted run in 'new'" in capsys.readouterr().err


def flipped(path, at=-100):
    """The file with one bit of a number changed."""
    data = bytearray(path.read_bytes())
    data[at] ^= 64
    path.write_bytes(data)


@pytest.mark.parametrize("until", [0.099, 0.1005])  # at a state of the grid, and between two
@pytest.mark.parametrize("name", [recording.ROWS, recording.INPUTS])
def test_damaged_rows_are_not_gone_on_with(tmp_path, name, until):
    ch.simulate(pendulum(), until, into=tmp_path / "run", **RUN)
    flipped(tmp_path / "run" / name, 8)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    with pytest.raises(ch.InvalidFile, match="damaged"):
        ch.simulate(pendulum(), 0.3, into=tmp_path / "run", resume=True, **RUN)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    flipped(tmp_path / "run" / name, 8)
    same(ch.simulate(pendulum(), 0.3, into=tmp_path / "run", resume=True, **RUN),
         ch.simulate(pendulum(), 0.3, **RUN))  # fmt: skip


#: Entries of a header and of a commit that no run writes.
NEVER_WRITTEN = {
    recording.HEADER: [
        {"shape": [2, 13, 1, 1, 0]}, {"shape": [1, 14, 1, 1, 0]}, {"shape": [1, 13, 1, 1]},
        {"shape": [1, 13, 1, -1, 0]}, {"shape": [1, 13, 1, 1.5, 0]}, {"shape": [True, 13, 1, 1, 0]},
        {"shape": 13}, {"inputs": "motor"}, {"inputs": [1]}, {"model": None},
        {"chasles_recording": "1"}, {"start": 1.0},
    ],
    recording.COMMIT: [
        {"rows": 0, "on_grid": 0}, {"on_grid": -1}, {"on_grid": 10**6}, {"inputs": -1},
        {"rows": 3.0}, {"index": 10**400}, {"index": -1}, {"step": "inf"}, {"step": "-0x1p-10"},
        {"step": "0x0p0"}, {"origin": "nan"}, {"digests": ["x"]}, {"digests": ["x"] * 3},
        {"ended": "finished"},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    folder = tmp_path_factory.mktemp("short") / "run"
    ch.simulate(pendulum(), 0.1, into=folder, **RUN)
    return folder


def with_entry(folder, name, entry):
    """Seal a file of a recorded run anew with another entry, as anybody can."""
    head, _, numbers = read_checked(folder / name).partition(b"\n")
    forged = json.dumps(json.loads(head) | entry).encode() + (b"\n" + numbers if numbers else b"")
    recording.write_checked(folder / name, forged)


@pytest.mark.parametrize(
    "name, entry",
    [(name, entry) for name, entries in NEVER_WRITTEN.items() for entry in entries],
    ids=lambda value: str(value)[:40],
)
def test_what_no_run_writes_is_refused(tmp_path, short, name, entry):
    folder = tmp_path / "run"
    shutil.copytree(short, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with_entry(folder, name, entry)
    with pytest.raises(ch.InvalidFile, match="was not written by"):
        ch.load(folder)
    with pytest.raises(ch.InvalidFile, match="was not written by"):
        ch.simulate(pendulum(), 0.2, into=folder, resume=True, **RUN)
    assert all((folder / file).read_bytes() == before[file] for file in before if file != name)


def test_rows_are_not_cut_up_otherwise_than_they_were_written(tmp_path, short):
    """Every forged shape is as long as a row: time, states, integrals, coordinates, multipliers."""
    time, states, *rest = json.loads(read_checked(short / recording.HEADER))["shape"]
    total = sum(rest)
    for count, shape in enumerate((
        [time + 1, states, total - 1, 0, 0],
        [time - 1, states, total + 1, 0, 0],
        [time, states - 1, total + 1, 0, 0],
        [time, states, total + 1, -1, 0],
        [time, states, total, 0],
        [time, states, total, 0, 0, 0],
    )):  # fmt: skip
        folder = tmp_path / str(count)
        shutil.copytree(short, folder)
        with_entry(folder, recording.HEADER, {"shape": shape})
        with pytest.raises(ch.InvalidFile, match=r"was not written by.*rows of shape"):
            ch.load(folder)


def test_a_run_that_acknowledged_its_first_state_alone_is_read(tmp_path, short):
    folder = tmp_path / "run"
    shutil.copytree(short, folder)
    commit, _ = recorded.read_commit(folder)
    width = 8 * sum(json.loads(read_checked(folder / recording.HEADER))["shape"])
    first = hashlib.sha256((folder / recording.ROWS).read_bytes()[:width]).hexdigest()
    entry = {"rows": 1, "on_grid": 1, "digests": [first, commit["digests"][1]]}
    with_entry(folder, recording.COMMIT, entry)
    assert np.array_equal(ch.load(folder).absolute, ch.load(short).absolute[:1])


def test_a_folder_of_a_later_format_is_not_guessed_at(tmp_path, short):
    """Format 1 is read for good; 2 is not known yet."""
    folder = tmp_path / "run"
    shutil.copytree(short, folder)
    with_entry(folder, recording.HEADER, {"chasles_recording": 1})
    same(ch.load(folder), ch.load(short))
    with_entry(folder, recording.HEADER, {"chasles_recording": 2})
    with pytest.raises(ch.InvalidFile, match="Update chasles"):
        ch.load(folder)


@pytest.mark.parametrize("method", ["rk4", "bliedf3", "generalized-alpha", "rattlie"])
@pytest.mark.parametrize("all_numbers", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_any_number_of_a_checkpoint_may_be_forged(method, all_numbers):
    """What goes on from it is a result, stopped or not, or it is refused, as rows and times are.

    In every place NaN and one of the others, which take turns; or all of them.
    """
    others = (np.inf, -1.0, 1e308, -1e308)
    run = {"step": 1e-3, "method": method, "progress": False}
    begin = ch.simulate(pendulum(), 0.01, **run)
    refused = 0
    size = begin.checkpoint.block.size
    turns = [others if all_numbers else (others[k % 4],) for k in range(size)]
    for place, value in [(k, value) for k in range(size) for value in (np.nan, *turns[k])]:
        block = begin.checkpoint.block.copy()
        block[place] = value
        start = replace(begin, checkpoint=replace(begin.checkpoint, block=block))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                str(ch.simulate(pendulum(), 0.013, start=start, **run))
            except ch.InvalidFile:
                refused += 1
            except ch.ChaslesError as error:
                assert error.remedy
    assert refused >= 3  # the rows


def test_a_run_that_goes_on_reads_after_it_has_the_lock(tmp_path, monkeypatch):
    """Another process acknowledges more while this one is about to take the lock."""
    ch.simulate(pendulum(), 0.1, into=tmp_path / "run", **RUN)
    lock, others = recording.Recording.lock, []

    def late(record):
        if not others:
            others.append(1)
            ch.simulate(pendulum(), 0.5, into=tmp_path / "run", resume=True, **RUN)
            rows.append(recording.read_commit(tmp_path / "run")[0]["rows"])
        lock(record)

    rows = []
    monkeypatch.setattr(recording.Recording, "lock", late)
    again = ch.simulate(pendulum(), 0.6, into=tmp_path / "run", resume=True, **RUN)
    assert again.provenance.steps == 600
    same(again, ch.simulate(pendulum(), 0.6, **RUN))
    with pytest.raises(ch.ChaslesError, match=r"at 0.6 s already"):
        ch.simulate(pendulum(), 0.2, into=tmp_path / "run", resume=True, **RUN)


def test_a_refused_run_lets_go_of_the_folder(tmp_path):
    ch.simulate(pendulum(), 0.1, into=tmp_path / "run", **RUN)
    for _ in range(2):
        with pytest.raises(ch.ChaslesError, match="no body"):
            ch.simulate(
                pendulum(), 0.2, into=tmp_path / "run", resume=True, spaces={"x": "SE3"}, **RUN
            )
    ch.simulate(pendulum(), 0.2, into=tmp_path / "run", resume=True, **RUN)


@pytest.mark.parametrize("name", ["rows.f64", "inputs.f64", "run.json", "thesis.tex", "commit"])
def test_a_file_of_the_users_own_is_not_written_over(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(ch.InvalidFile):
        ch.simulate(pendulum(), 0.1, into=tmp_path, **RUN)
    assert (tmp_path / name).read_text() == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["rows.f64", "inputs.f64", "lock", "commit", "run.json"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_links_and_pipes_in_a_folder_are_not_followed(tmp_path, name, kind):
    folder, aside = tmp_path / "run", tmp_path / "aside"
    ch.simulate(pendulum(), 0.1, into=folder, **RUN)
    (folder / name).rename(aside)
    before = aside.read_bytes()
    (folder / name).symlink_to(aside) if kind == "link" else os.mkfifo(folder / name)
    with pytest.raises(ch.InvalidFile):
        ch.simulate(pendulum(), 0.2, into=folder, resume=True, **RUN)
    if name != "lock":
        with pytest.raises(ch.InvalidFile):
            ch.load(folder)
    assert aside.read_bytes() == before


@pytest.mark.parametrize("name", ["rows.f64", "inputs.f64", "lock", "commit", "run.json"])
def test_a_file_with_a_second_name_elsewhere_is_not_changed(tmp_path, name):
    """A commit takes the place of the one before, whatever other names that has."""
    folder, aside = tmp_path / "run", tmp_path / "aside"
    ch.simulate(pendulum(), 0.1, 1e-2, into=folder)
    if name == "inputs.f64":  # which is empty: another's file would be cut to nothing
        aside.write_text("mine")
        (folder / name).unlink()
        os.link(aside, folder / name)
    else:
        os.link(folder / name, aside)
    before = aside.read_bytes()
    if name in ("commit", "run.json"):
        ch.simulate(pendulum(), 0.2, 1e-2, into=folder, resume=True)
    else:
        with pytest.raises(ch.InvalidFile, match="is a link"):
            ch.simulate(pendulum(), 0.2, 1e-2, into=folder, resume=True)
    assert aside.read_bytes() == before


def test_a_file_does_not_depend_on_the_windows_it_is_written_in(tmp_path, monkeypatch):
    result = ch.simulate(pendulum(), 0.5, controller=damper, step=1e-3)
    whole = result.save(tmp_path / "whole.nc").read_bytes()
    for size in (1000, 7777):
        monkeypatch.setattr("chasles.result.result.WINDOW_BYTES", size)
        assert len(result._windows()) > 5
        assert result.save(tmp_path / "windows.nc").read_bytes() == whole


def test_memory_does_not_grow_with_the_length_of_what_is_saved(tmp_path, monkeypatch):
    """A killed run that is finished, saved and told, in windows."""
    from chasles.cli.run import summary

    monkeypatch.setattr("chasles.result.result.WINDOW_BYTES", 2**18)
    model, peaks = ch.Model(pendulum().bodies, pendulum().joints), []
    for steps in (100, 10_000, 80_000):
        ch.simulate(model, steps * 1e-3, 1e-3, into=tmp_path / str(steps))
        recorded = ch.load(tmp_path / str(steps))
        tracemalloc.start()
        recorded.save(tmp_path / "run.nc")
        found = summary(recorded)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert os.path.getsize(tmp_path / "run.nc") > 20 * 2**20
    assert peaks[2] < peaks[1] + 2**20
    energy = recorded.energy()
    assert found["energy"]["start"] == energy[0] and found["energy"]["end"] == energy[-1]
    missed = np.abs(recorded.energy_balance()).max()
    assert found["energy"]["largest_error"] == pytest.approx(missed, rel=1e-6)
    assert found["joints"]["hinge"]["m"] == recorded.violation("hinge").max()
