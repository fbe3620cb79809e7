"""The folder of a run that ended between two steps: what is taken back, and digests of files."""

import hashlib
import os

import numpy as np
import pytest
from mechanisms import motored_pendulum as pendulum

import chasles as ch
from chasles.run import recording
from chasles.run.recorded import COMMIT, INPUTS, ROWS, digest_of, read_commit

#: Bytes that are read at once; rows of the runs below are more than two of them.
PIECE = 2**20
STEPS, STEP = 12_000, 1e-4
END = (STEPS + 0.5) * STEP


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_a_digest_is_that_of_the_first_bytes_and_of_all_of_them(tmp_path, size):
    contents = np.random.default_rng(size).bytes(size)
    path = tmp_path / "rows"
    for beyond in (b"", b"x", b"y" * 5000):
        path.write_bytes(contents + beyond)
        assert digest_of(path, size).hexdigest() == hashlib.sha256(contents).hexdigest()


@pytest.mark.parametrize("size", [0, 7, PIECE, PIECE + 1])
def test_a_file_that_is_shorter_than_what_was_written_is_damaged(tmp_path, size):
    path = tmp_path / "rows"
    path.write_bytes(b"x" * size)
    with pytest.raises(ch.InvalidFile, match="damaged: it is shorter than what was written"):
        digest_of(path, size + 1)


def test_nothing_is_read_where_nothing_was_written(tmp_path):
    assert digest_of(tmp_path / "not there", 0).hexdigest() == hashlib.sha256().hexdigest()


def recorded(folder, until, **options):
    held = {"controller": lambda t, state: {"motor": 0.5}, "sample": 0.1}
    return ch.simulate(pendulum(), until, step=STEP, into=folder, **held, **options)


@pytest.fixture(scope="module")
def on_grid(tmp_path_factory):
    """The files of a run that ended on the grid, one step before."""
    folder = tmp_path_factory.mktemp("on") / "run"
    recorded(folder, STEPS * STEP)
    return {name: (folder / name).read_bytes() for name in (ROWS, INPUTS)}


@pytest.fixture
def folder(tmp_path):
    recorded(tmp_path / "run", END)
    return tmp_path / "run"


def taken_back(folder, monkeypatch, fail=False):
    """What is in a folder when its end is taken back, and nothing more was done."""
    real = recording.Recording.drop_end

    class Done(Exception):
        pass

    def alone(self, *given):
        if fail:
            put = self.put_commit

            def last(head, reached):
                put(head, reached)
                raise Done

            monkeypatch.setattr(self, "put_commit", last)
        real(self, *given)
        raise Done

    monkeypatch.setattr(recording.Recording, "drop_end", alone)
    with pytest.raises(Done):
        recorded(folder, 2 * END, resume=True)
    monkeypatch.undo()
    return {name: (folder / name).read_bytes() for name in (ROWS, INPUTS)}


def test_what_is_left_is_the_run_to_its_last_step_on_the_grid(folder, on_grid, monkeypatch):
    before, number = read_commit(folder)[0], (folder / ROWS).stat().st_ino
    assert before["rows"] == STEPS + 2 and before["on_grid"] == STEPS + 1
    left = taken_back(folder, monkeypatch)
    assert len(left[ROWS]) > 2 * PIECE and left == on_grid
    assert (folder / ROWS).stat().st_ino != number  # who has the old file open keeps it
    after, reached = read_commit(folder)
    digests = [hashlib.sha256(on_grid[name]).hexdigest() for name in (ROWS, INPUTS)]
    assert after == before | {"rows": STEPS + 1, "digests": digests}
    assert reached.index == STEPS


def test_a_result_that_is_open_keeps_its_last_state(folder):
    known = ch.load(folder)
    states, times = np.array(known.absolute), np.array(known.t)
    assert times[-1] == END
    longer = recorded(folder, END + 10 * STEP, resume=True)
    assert np.array_equal(known.absolute, states) and np.array_equal(known.t, times)
    assert np.array_equal(longer.t[: STEPS + 1], times[:-1]) and END not in longer.t


def test_killed_after_the_commit_the_folder_is_whole(folder, on_grid, monkeypatch):
    """The rows still have the state that was taken back; it does not count."""
    left = taken_back(folder, monkeypatch, fail=True)
    assert len(left[ROWS]) > len(on_grid[ROWS])
    assert len(ch.load(folder).t) == STEPS + 1
    longer = recorded(folder, END + 10 * STEP, resume=True)
    assert len(longer.t) == STEPS + 12 and END not in longer.t[:-1]


def test_damage_far_into_the_rows_is_told_and_nothing_is_taken_back(folder):
    with (folder / ROWS).open("r+b") as file:
        file.seek(PIECE + 100)
        byte = file.read(1)
        file.seek(PIECE + 100)
        file.write(bytes([byte[0] ^ 1]))
    commit, size = (folder / COMMIT).read_bytes(), os.path.getsize(folder / ROWS)
    for read in (lambda: ch.load(folder), lambda: recorded(folder, 2 * END, resume=True)):
        with pytest.raises(ch.InvalidFile, match="damaged"):
            read()
    assert (folder / COMMIT).read_bytes() == commit and os.path.getsize(folder / ROWS) == size
