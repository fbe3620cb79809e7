"""The recorded step as CUDA C is the one on the CPU: compiled by g++, it has the same bits."""

import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import host_cuda
import numpy as np
import pytest
from mechanisms import three_bar
from numpy.testing import assert_allclose, assert_array_equal
from test_bits import bouncing
from test_ensemble import STEP, spinning_top

import chasles as ch
from chasles.cli import main
from chasles.many.ensembles.gpu import GpuRun, export_cuda
from chasles.model import ChaslesWarning

needs_compiler = pytest.mark.skipif(host_cuda.COMPILER is None, reason="there is no g++")
SPINS = np.array([[0, 60.0 + k, 30.0] for k in range(41)])


@pytest.fixture
def device(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", host_cuda.cupy())


@needs_compiler
@pytest.mark.parametrize("space", ["auto", "SE3"])
def test_members_on_the_device_have_the_bits_of_the_cpu(device, space):
    vary = {"top.angular_velocity": SPINS, "top.mass": np.linspace(10, 30, len(SPINS))}
    runs = [
        ch.ensemble(spinning_top(), vary, 0.1, STEP, save_every=30, spaces=space, device=where)
        for where in ("cpu", "gpu")
    ]
    assert runs[1].attrs["device"] == "gpu" and runs[1].attrs["steps_in_lanes"] == 41 * 100
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert_array_equal(runs[0][name], runs[1][name])


@needs_compiler
def test_loops_and_guards_on_the_device(device):
    vary = {"gravity": np.random.default_rng(1).normal(size=(5, 3))}
    runs = [ch.ensemble(three_bar(), vary, 0.05, STEP, device=d) for d in ("cpu", "gpu")]
    assert_array_equal(runs[0].position, runs[1].position)
    vary = {"ball.velocity": np.array([[0, 0, -0.1 * k] for k in range(20)])}
    runs = [ch.ensemble(bouncing(), vary, 0.2, STEP, device=d) for d in ("cpu", "gpu")]
    assert_array_equal(runs[0].position, runs[1].position)


@needs_compiler
def test_statistics_on_the_device(device):
    names = ["pivot.violation", "kinetic_energy"]
    found = [
        ch.ensemble(
            spinning_top(), {"top.angular_velocity": SPINS}, 0.1, STEP, spaces="SO3xR3",
            statistics=names, device=where,
        )
        for where in ("cpu", "gpu")
    ]  # fmt: skip
    for word in ("largest", "smallest", "mean", "last"):
        assert_array_equal(found[0][word], found[1][word])


@needs_compiler
def test_any_number_of_members_goes_in_chunks(device, monkeypatch):
    monkeypatch.setattr("chasles.many.ensembles.gpu.CHUNK", 17)
    vary = {"top.angular_velocity": SPINS}
    runs = [ch.ensemble(spinning_top(), vary, 0.02, STEP, device=d) for d in ("cpu", "gpu")]
    assert_array_equal(runs[0].position, runs[1].position)


def short_of_memory(monkeypatch, most: int) -> list[int]:
    """Arrays of so many members do not fit; the sizes that were asked for."""
    device, asked = host_cuda.cupy(), []

    def zeros(shape, *rest):
        asked.append(np.atleast_1d(shape)[-1])
        if asked[-1] > most:
            raise MemoryError("Out of memory allocating")
        return np.zeros(shape, *rest)

    device.zeros = zeros
    monkeypatch.setitem(sys.modules, "cupy", device)
    return asked


@needs_compiler
def test_where_the_memory_of_the_device_is_short_chunks_are_smaller(monkeypatch):
    monkeypatch.setattr("chasles.many.ensembles.gpu.SMALLEST_CHUNK", 4)
    asked = short_of_memory(monkeypatch, 12)
    vary = {"top.angular_velocity": SPINS}
    runs = [ch.ensemble(spinning_top(), vary, 0.02, STEP, device=d) for d in ("cpu", "gpu")]
    assert_array_equal(runs[0].position, runs[1].position)
    assert runs[1].attrs["device"] == "gpu"
    assert max(n for n in asked if n <= 12) > 4


@needs_compiler
def test_where_it_is_full_the_cpu_goes_on_and_nothing_is_lost(monkeypatch):
    short_of_memory(monkeypatch, 0)
    vary = {"top.angular_velocity": SPINS}
    whole = ch.ensemble(spinning_top(), vary, 0.02, STEP)
    with pytest.warns(ChaslesWarning, match="memory of the GPU"):
        found = ch.ensemble(spinning_top(), vary, 0.02, STEP, device="gpu")
    assert_array_equal(whole.position, found.position)
    assert found.attrs["device"] == "gpu, whose memory was full, and cpu"


@pytest.mark.parametrize("most, first, chunk", [(1, 0, 1), (2640, 0, 10), (2640, 2, 17)])
def test_chunks_have_as_many_members_as_bytes_allow(monkeypatch, most, first, chunk):
    """Of 3 + 2 numbers and 7 in each row still to come: four rows at the start, two later."""
    monkeypatch.setattr("chasles.many.ensembles.gpu.MOST_BYTES", most)
    shapes = {"blocks": (40, 3), "points": (40, 5, 7)}
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    members = SimpleNamespace(parameters=np.zeros((40, 2)))
    run, sizes = object.__new__(GpuRun), []
    run.state = SimpleNamespace(members=members, every=1, observe=None, **arrays)
    run.cupy = host_cuda.cupy()
    run.piece = lambda variant, group, first: sizes.append(group.tolist())
    run.take(None, np.arange(40), first)
    assert [k for piece in sizes for k in piece] == list(range(40))
    assert {len(piece) for piece in sizes[:-1]} == {chunk} and len(sizes[-1]) <= chunk


@needs_compiler
def test_rounding_once_agrees_to_rounding(device):
    vary = {"top.angular_velocity": SPINS[:20]}
    runs = [
        ch.ensemble(spinning_top(), vary, 0.05, STEP, device="gpu", exact=e) for e in (True, False)
    ]
    assert_allclose(runs[0].position, runs[1].position, atol=1e-12)


def test_without_a_device_the_cpu_takes_over_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    vary = {"top.angular_velocity": SPINS[:4]}
    with pytest.warns(ChaslesWarning, match="CuPy"):
        found = ch.ensemble(spinning_top(), vary, 0.01, STEP, device="gpu")
    assert found.attrs["device"] == "cpu" and (found.status == "finished").all()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.parametrize("exact", [True, False])
def test_exported_source_compiles_by_itself(tmp_path, exact):
    path = tmp_path / "top.cu"
    path.write_text(export_cuda(spinning_top(), STEP, exact=exact))
    done = subprocess.run(
        ["nvcc", "-O1", "-cubin", "-o", tmp_path / "top.cubin", path], capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_command_writes_the_source(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    spinning_top().write(tmp_path / "top.toml")
    assert main(["export", "top.toml", "--cuda", "--step", "1e-3"]) == 0
    assert capsys.readouterr().out == "top.cu\n"
    assert (tmp_path / "top.cu").read_text() == export_cuda(spinning_top(), STEP)
    assert main(["export", "top.toml", "--step", "1e-3"]) == 2
    assert "--cuda" in capsys.readouterr().err


def test_a_step_works_on_registers_and_what_only_monitors_see_stays_in_memory():
    step, seen = export_cuda(spinning_top(), STEP).split("if (next % ")
    lines = [line.strip() for line in step.splitlines() if "state[" in line]
    held = {found[1] for line in lines if (found := re.match(r"double s(\d+) = state\[", line))}
    assert len(held) == len(lines) >= 13
    assert set(re.findall(r"state\[(\d+)LL", seen)) - held
