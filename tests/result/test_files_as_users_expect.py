"""Saving: links, modes, pipes, names, what a killed process leaves.  Loading: shapes, numbers."""

import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from mechanisms import pendulum

import chasles as ch
from chasles.result import atomic_file
from chasles.result.dataset import make_table

POSIX = pytest.mark.skipif(os.name != "posix", reason="links, modes and pipes of POSIX")


@pytest.fixture(scope="module")
def result() -> ch.Result:
    """A pendulum with a motor, so that there are integrals."""
    motor = ch.Motor("motor", "hinge", target=0.3, stiffness=5.0)
    return ch.simulate(pendulum([motor], name="rod"), until=0.1, step=1e-2)


# --- saving --------------------------------------------------------------------------------------


@POSIX
def test_what_a_link_points_to_is_written_and_the_link_stays(result, tmp_path):
    (tmp_path / "data").mkdir()
    real, link = tmp_path / "data" / "real.nc", tmp_path / "latest.nc"
    real.write_text("an older run")
    link.symlink_to(real)
    assert result.save(link) == link
    assert link.is_symlink() and not real.is_symlink()
    assert np.array_equal(ch.load(real).t, result.t)


@POSIX
def test_a_link_to_a_file_that_is_not_there_yet_makes_it(result, tmp_path):
    link = tmp_path / "latest.nc"
    link.symlink_to(tmp_path / "real.nc")
    result.save(link)
    assert link.is_symlink() and (tmp_path / "real.nc").is_file()


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_who_may_read_a_file_stays_as_it_was(mode, result, tmp_path):
    path = result.save(tmp_path / "run.nc")
    path.chmod(mode)
    result.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_file_that_nobody_may_write_stays(result, tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    path.write_text("precious")
    monkeypatch.setattr(atomic_file.os, "access", lambda *_: False)  # whom root would let pass
    with pytest.raises(ch.InvalidFile, match="Permission denied"):
        result.save(path)
    assert path.read_text() == "precious" and len(list(tmp_path.iterdir())) == 1


def test_a_folder_is_not_replaced(result, tmp_path):
    (tmp_path / "run.nc").mkdir()
    with pytest.raises(ch.InvalidFile, match="cannot be written"):
        result.save(tmp_path / "run.nc")


@POSIX
def test_a_pipe_is_written_to_and_stays_a_pipe(result, tmp_path):
    pipe, copy = tmp_path / "pipe.nc", tmp_path / "copy.nc"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()), daemon=True)
    reader.start()
    result.save(pipe)
    reader.join(10.0)
    assert pipe.is_fifo() and np.array_equal(ch.load(copy).t, result.t)


@pytest.mark.parametrize("name", ["a.tsv", "run", "run.nc.txt", "run.xlsx", "archive.h5"])
def test_a_result_is_saved_under_the_name_of_a_netcdf_file_only(name, result, tmp_path, refusal):
    message = refusal(lambda: result.save(tmp_path / name), ch.InvalidOption)
    assert name in message and Path(name).with_suffix(".nc").name in message
    assert not list(tmp_path.iterdir())


def test_letters_of_the_ending_may_be_large(result, tmp_path):
    assert np.array_equal(ch.load(result.save(tmp_path / "RUN.NC")).t, result.t)


@pytest.mark.parametrize("path", ["\ud800", "\ud800.nc", "run\udfff.nc"])
def test_a_name_that_cannot_be_spelled_is_refused(path, result, refusal):
    assert "path is" in refusal(lambda: result.save(path), ch.InvalidOption)
    assert "path is" in refusal(lambda: ch.load(path), ch.InvalidOption)


KILLED = """
import os, signal, sys, chasles as ch
from chasles.result import atomic_file

def kill(_):
    os.kill(os.getpid(), signal.SIGKILL)

result = ch.load(sys.argv[1])
atomic_file.os.fsync = kill
result.save(sys.argv[2])
"""


@POSIX
def test_what_a_killed_save_leaves_is_removed_by_the_next_one(result, tmp_path):
    source = result.save(tmp_path / "source.nc")
    folder = tmp_path / "folder"
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", KILLED, str(source), str(folder / "run.nc")]
    assert subprocess.run(command, env=environment).returncode == -signal.SIGKILL
    (left,) = folder.iterdir()
    assert left.name.endswith(".part")
    result.save(folder / "run.nc")
    assert [path.name for path in folder.iterdir()] == ["run.nc"]


def test_a_save_that_is_under_way_is_not_taken_for_an_orphan(result, tmp_path):
    """One save in the middle of another, in one folder."""
    with atomic_file.replacing(tmp_path / "slow.nc") as file:
        file.write(b"half")
        result.save(tmp_path / "fast.nc")
        assert len(list(tmp_path.glob(".*.part"))) == 1
        file.write(b" and half")
    assert (tmp_path / "slow.nc").read_bytes() == b"half and half"
    assert np.array_equal(ch.load(tmp_path / "fast.nc").t, result.t)


def test_saves_from_several_threads_into_one_folder_are_all_whole(result, tmp_path):
    paths = [tmp_path / f"{k % 3}.nc" for k in range(12)]
    with ThreadPoolExecutor(len(paths)) as pool:
        assert list(pool.map(result.save, paths)) == paths
    assert all(np.array_equal(ch.load(path).t, result.t) for path in paths)
    assert len(list(tmp_path.iterdir())) == 3


def test_small_files_from_several_threads_are_not_taken_for_orphans(tmp_path):
    """A new part is without a lock for a moment."""

    def write(number):
        for _ in range(30):
            atomic_file.write_text(tmp_path / f"{number % 3}.txt", "all of it")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(12)))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["all of it"] * 3


def test_a_joint_of_a_users_own_class_is_refused_before_a_file_is_made(tmp_path, refusal):
    class Hinge(ch.Revolute):
        pass

    class Spherical(ch.Spherical):  # a name that a file would take for another class
        pass

    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    for joint in (Hinge("pin", ch.GROUND, rod, (0, 0, 0), (0, 1, 0)),
                  Spherical("pin", ch.GROUND, rod, (0, 0, 0))):  # fmt: skip
        run = ch.simulate(ch.Model([rod], [joint]), 0.01, 0.01)
        message = refusal(lambda run=run: run.save(tmp_path / "run.nc"), ch.InvalidModel)
        assert "'pin'" in message and type(joint).__name__ in message
        assert run.to_xarray().sizes["time"] == 2
    assert not list(tmp_path.iterdir())


# --- loading -------------------------------------------------------------------------------------


def forged(result: ch.Result, path: Path, **arrays) -> Path:
    """A sealed file with other values of some variables."""
    table = make_table(result)
    variables, coordinates = dict(table.variables), dict(table.coordinates)
    for name, values in arrays.items():
        there = coordinates if name == "time" else variables
        dims = tuple(f"{name} {axis}" for axis in range(values.ndim))
        for dim, length in zip(dims, values.shape):
            coordinates[dim] = ((dim,), np.arange(length) * 1.0, {})
        there[name] = (dims, values, {})
    return atomic_file.write(table._replace(variables=variables, coordinates=coordinates), path)


@pytest.mark.parametrize(
    "name, change",
    [
        ("integrals", lambda a: a[:1]),
        ("integrals", lambda a: a[:, :1]),
        ("integrals", lambda a: a[:, 0]),
        ("integrals", lambda a: a * np.nan),
        ("position", lambda a: a[:-1]),
        ("position", lambda a: a.reshape(-1, 3, 1)),
        ("rotation", lambda a: a.reshape(len(a), 1, 9)),
        ("rotation", lambda a: a + np.inf),
        ("angular_velocity", lambda a: np.concatenate((a, a), axis=1)),
        ("body_velocity", lambda a: np.where(a == a[3], np.nan, a)),
    ],
)
def test_arrays_that_do_not_fit_the_model_are_refused_at_load(name, change, result, tmp_path):
    values = change(np.array(make_table(result).variables[name][1]))
    path = forged(result, tmp_path / "run.nc", **{name: values})
    with pytest.raises(ch.InvalidFile, match=f"does not hold a result: {name} "):
        ch.load(path)


@pytest.mark.parametrize("times", [[0.0] * 11, np.arange(11.0)[::-1], np.full(11, np.nan)])
def test_times_increase(times, result, tmp_path):
    table = make_table(result)
    time = (("time",), np.array(times), {})
    path = atomic_file.write(
        table._replace(coordinates={**table.coordinates, "time": time}), tmp_path / "run.nc"
    )
    with pytest.raises(ch.InvalidFile, match="its times do not increase"):
        ch.load(path)


def test_a_file_without_the_integrals_of_its_forces_is_refused(result, tmp_path):
    table = make_table(result)
    variables = {name: v for name, v in table.variables.items() if name != "integrals"}
    path = atomic_file.write(table._replace(variables=variables), tmp_path / "run.nc")
    with pytest.raises(ch.InvalidFile, match="integrals"):
        ch.load(path)
