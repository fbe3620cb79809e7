"""A result as an xarray dataset and as a file: labelled, whole, and the same to the bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

import chasles as ch
from chasles.result import atomic_file
from chasles.result.dataset import make_table

ORIGIN = (0, 0, 0)


def rod(name, x, **start) -> ch.Body:
    return ch.Body.rod(name, 1.0, mass=1 / 3, position=(x, 0, 0), **start)


def double_pendulum() -> ch.Result:
    """Bodies listed from the tip, so that the order of calculation is another."""
    lower, upper = rod("lower", 1.5), rod("upper", 0.5, angular_velocity=(0, 3, 0.1))
    joints = [
        ch.Spherical("elbow", upper, lower, (1, 0, 0)),
        ch.Spherical("Schulter", ch.GROUND, upper, ORIGIN),
    ]
    return ch.simulate(ch.Model([lower, upper], joints), until=0.1, step=1e-2)


def mixed() -> ch.Result:
    """Spaces of all sorts, the space form, and times that are not on the grid."""
    a, b, c = rod("a", 0.5), rod("b", 1.5, velocity=(0, 1 / 3, 0)), rod("c", 9.0)
    joints = [
        ch.Spherical("ball", ch.GROUND, a, ORIGIN),
        ch.Helical("screw", b, a, (1, 0, 0), (1, 1 / 3, 0), pitch=0.1),
    ]
    spaces = {"a": ch.SO3xR3(at=(1 / 3, 0, 0)), "b": ch.SE3("a"), "c": ch.SO3xR3(relative_to="b")}
    return ch.simulate(
        ch.Model([c, b, a], joints, gravity=(1 / 3, 0, 0)),
        until=0.1,
        step=1e-2,
        method="dopri5",
        spaces=spaces,
        acceleration="space",
        t_eval=[0.0, 0.033, 0.1],
    )


def thrown() -> ch.Result:
    """One body, no joint."""
    return ch.simulate(ch.Model([rod("stick", 0.0, velocity=(1, 0, 5))]), until=0.1, step=1e-2)


def overflowing() -> ch.Result:
    """A run that stopped."""
    body = rod("rod", 0.5, angular_velocity=(0.1, 30, 30))
    model = ch.Model([body], [ch.Spherical("ball", ch.GROUND, body, ORIGIN)])
    with pytest.raises(ch.SimulationStopped) as caught:
        ch.simulate(model, until=1e5, step=10.0, method="euler")
    return caught.value.result


def folding() -> ch.Result:
    """A redundant parallelogram with forces that passes flat poses."""
    corners = [(0, 0, 0), (0, 1, 0), (2, 1, 0), (2, 0, 0)]
    names = ["ground", "left", "beam", "right", "ground"]
    quarter = (0.5**0.5, 0, 0, 0.5**0.5)
    links = [
        ch.Body.rod("left", 1, mass=1, position=(0, 0.5, 0), rotation=quarter,
                    angular_velocity=(0, 0, -6)),
        ch.Body.rod("beam", 2, mass=1, position=(1, 1, 0)),
        ch.Body.rod("right", 1, mass=1, position=(2, 0.5, 0), rotation=quarter),
    ]  # fmt: skip
    pins = [
        ch.Revolute("ABCD"[k], names[k], names[k + 1], corner, (0, 0, 1))
        for k, corner in enumerate(corners)
    ]
    forces = [ch.JointFriction("rub", "A", 0.1, 0.1), ch.Drag("air", "beam", 0.1)]
    return ch.simulate(ch.Model(links, pins, forces), 0.5, 1e-3, singular="pass", save_every=50)


def driven() -> ch.Result:
    """A motor and a driver on a double pendulum, with gaps fed back."""
    upper, lower = rod("upper", 0.5), rod("lower", 1.5)
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, ORIGIN, (0, 1, 0)),
        ch.Revolute("elbow", upper, lower, (1, 0, 0), (0, 1, 0)),
    ]
    motor = ch.Motor("servo", "elbow", target=0.3, stiffness=5.0, damping=1.0)
    driver = ch.Driver("lift", "shoulder", ch.Signal.ramp(-1.0, duration=0.1))
    model = ch.Model([upper, lower], joints, [motor], drivers=[driver])
    return ch.simulate(model, 0.1, 1e-2, stabilise="baumgarte of all joints")


RESULTS = [double_pendulum, mixed, thrown, overflowing, folding, driven]


def assert_same(ours: ch.Result, theirs: ch.Result) -> None:
    assert ours.t.tobytes() == theirs.t.tobytes()
    assert ours.absolute.tobytes() == theirs.absolute.tobytes()
    assert ours.model == theirs.model and ours.provenance == theirs.provenance
    assert ours.problem.spaces == theirs.problem.spaces
    assert (ours.status, ours.message, repr(ours)) == (theirs.status, theirs.message, repr(theirs))


# --- datasets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", RESULTS[:3])
def test_a_dataset_says_what_the_result_says(make):
    result = make()
    data = result.to_xarray()
    assert np.array_equal(data.time, result.t) and data.body.values.tolist() == list(
        result.model.body_names
    )
    for name in result.model.body_names:
        for quantity in ("position", "rotation", "velocity", "angular_velocity"):
            expected = getattr(result, quantity)(name)
            assert np.array_equal(data[quantity].sel(body=name), expected), quantity
    for name in result.model.joint_names:
        assert np.array_equal(data.violation.sel(joint=name), result.violation(name))
        angle = result.violation(name, part="rotation")
        assert np.array_equal(data.violation_angle.sel(joint=name), angle)
    assert ("joint" in data.dims) == bool(result.model.joints)
    for quantity in ("kinetic_energy", "potential_energy", "energy", "momentum"):
        assert np.array_equal(data[quantity], getattr(result, quantity)())
    assert np.array_equal(data.angular_momentum, result.angular_momentum())


def test_every_variable_has_a_unit_and_a_name_and_the_dataset_its_origin():
    result = double_pendulum()
    data = result.to_xarray()
    units = {name: variable.attrs["units"] for name, variable in data.data_vars.items()}
    assert units == {
        "position": "m", "rotation": "1", "velocity": "m/s", "angular_velocity": "rad/s",
        "body_velocity": "m/s", "violation": "m", "violation_angle": "rad",
        "kinetic_energy": "J", "potential_energy": "J", "energy": "J",
        "momentum": "N s", "angular_momentum": "N m s",
    }  # fmt: skip
    assert all(variable.attrs["long_name"] for variable in data.variables.values())
    assert data.time.attrs["units"] == "s"
    assert data.rotation.dims == ("time", "body", "axis", "body_axis")
    assert data.angular_velocity.dims == ("time", "body", "body_axis")
    assert json.loads(data.attrs["provenance"]) == result.provenance
    assert json.loads(data.attrs["model"])["bodies"][0]["name"] == "lower"
    assert json.loads(data.attrs["spaces"])["lower"]["relative_to"] == "upper"


# --- round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", RESULTS)
def test_a_result_comes_back_to_the_bit(make, tmp_path):
    result = make()
    assert result.save(tmp_path / "run.nc") == tmp_path / "run.nc"
    again = ch.load(str(tmp_path / "run.nc"))
    assert_same(again, result)
    again.save(tmp_path / "again.nc")
    assert_same(ch.load(tmp_path / "again.nc"), result)


@pytest.mark.parametrize("make", [double_pendulum, mixed, folding, driven])
def test_a_loaded_result_answers_as_before(make, tmp_path):
    result = make()
    again = ch.load(result.save(tmp_path / "run.nc"))
    for name in result.model.joint_names:
        ours, theirs = again.reaction(name), result.reaction(name)
        for part in ("force", "torque", "point", "axes"):
            assert np.array_equal(getattr(ours, part), getattr(theirs, part))
        assert np.array_equal(again.violation(name), result.violation(name))
    assert np.array_equal(again.energy(), result.energy())
    assert np.array_equal(again.energy_balance(), result.energy_balance())
    for part in (*result.model.forces, *result.model.drivers):
        assert np.array_equal(again.work(part), result.work(part))
    for driver in result.model.drivers:
        assert np.array_equal(again.effort(driver), result.effort(driver))
    assert again.singular_poses == result.singular_poses
    assert again.redundancy == result.redundancy
    equations = [ch.equations(r.model, r.state(2)).acceleration for r in (again, result)]
    assert np.array_equal(*equations)


def test_singular_poses_are_kept_with_the_result():
    assert len(folding().singular_poses) == 1


def test_other_programs_read_the_file_too(tmp_path):
    result = double_pendulum()
    path = result.save(tmp_path / "run.nc")
    with xr.open_dataset(path, engine="h5netcdf") as data:
        assert data.identical(result.to_xarray())
    with h5py.File(path) as file:
        assert file["position"].shape == (11, 2, 3)


def test_a_model_of_hundreds_of_bodies_fits_into_a_file(tmp_path):
    """HDF5 refuses attributes above 64 KiB unless they are stored apart."""
    bodies = [rod(f"rod {i}", 2.0 * i) for i in range(500)]
    result = ch.simulate(ch.Model(bodies), until=0.01, step=0.01)
    assert len(result.to_xarray().attrs["model"]) > 2**17
    assert_same(ch.load(result.save(tmp_path / "many.nc")), result)


def test_a_file_is_read_by_another_process(tmp_path):
    result = double_pendulum()
    path = result.save(tmp_path / "run.nc")
    script = "import sys, chasles; print(repr(chasles.load(sys.argv[1]).energy().tolist()))"
    command = [sys.executable, "-c", script, str(path)]
    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, check=True
    )
    assert json.loads(done.stdout) == result.energy().tolist()


# --- all or nothing ------------------------------------------------------------------------------


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "run.nc"
    path.write_text("something else")
    thrown().save(path)
    double_pendulum().save(path)
    assert ch.load(path).model.body_names == ("lower", "upper")
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_save_that_fails_leaves_the_old_file_and_no_part_of_the_new(
    failing, tmp_path, monkeypatch
):
    path = thrown().save(tmp_path / "run.nc")
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_file.os, failing, fail)
    with pytest.raises(ch.InvalidFile, match=r"run.nc' cannot be written: No space left") as caught:
        double_pendulum().save(path)
    assert "make room" in str(caught.value)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_save_that_is_interrupted_leaves_the_old_file(tmp_path, monkeypatch):
    path = thrown().save(tmp_path / "run.nc")
    before = path.read_bytes()

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_file.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        double_pendulum().save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.nc"]


# --- files that cannot be read -------------------------------------------------------------------


def refused(path) -> str:
    with pytest.raises(ch.ChaslesError) as caught:
        ch.load(path)
    what, remedy = str(caught.value).split("\n")
    assert what and remedy.strip()
    return str(caught.value)


def test_a_missing_file_is_told_with_the_closest_name(tmp_path):
    thrown().save(tmp_path / "first_run.nc")
    what = refused(tmp_path / "first_rum.nc")
    assert "there is no file" in what and "Did you mean 'first_run.nc'?" in what
    assert "is a folder" in refused(tmp_path)
    assert "there is no file" in refused(tmp_path / "nowhere" / "run.nc")


@pytest.mark.parametrize("path", ["", None, 3, b"run.nc", "nul\0", ["run.nc"]])
def test_a_path_is_the_name_of_a_file(path):
    assert "path must be" in refused(path)
    with pytest.raises(ch.InvalidOption, match="path must be"):
        thrown().save(path)


def test_a_folder_must_be_there(tmp_path):
    with pytest.raises(ch.InvalidFile, match="there is no folder"):
        thrown().save(tmp_path / "results" / "run.nc")


@pytest.mark.parametrize("contents", [b"", b"hello", b"\x89HDF\r\n\x1a\n", bytes(10000)])
def test_what_is_no_result_is_not_read_as_one(contents, tmp_path):
    path = tmp_path / "run.nc"
    path.write_bytes(contents)
    assert "was not written by chasles" in refused(path)


def test_a_netcdf_file_of_another_program_is_not_a_result(tmp_path):
    xr.Dataset({"x": ("t", [1.0, 2.0])}).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert "was not written by chasles" in refused(tmp_path / "x.nc")


def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    whole = thrown().save(tmp_path / "run.nc").read_bytes()
    path = tmp_path / "cut.nc"
    for length in [*range(0, len(whole), 500), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert "cut short" in refused(path), length


def test_a_file_with_one_bit_turned_is_refused(tmp_path):
    whole = thrown().save(tmp_path / "run.nc").read_bytes()
    path = tmp_path / "damaged.nc"
    rng = np.random.default_rng(0)
    for place in [*rng.integers(len(whole), size=200), *range(len(whole) - 85, len(whole))]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        assert "damaged" in (what := refused(path)) or "changed" in what, place


def test_a_file_that_was_written_to_is_refused(tmp_path):
    path = thrown().save(tmp_path / "run.nc")
    with h5py.File(path, "r+") as file:
        file["position"][0, 0, 0] = 7.0
        file.attrs["note"] = "moved"
    assert "changed since" in refused(path)


def resealed(result: ch.Result, path: Path, **attributes) -> Path:
    """A whole file with other attributes, as a later version or a forger would write it."""
    table = make_table(result)
    return atomic_file.write(table._replace(attributes={**table.attributes, **attributes}), path)


def test_a_file_of_a_later_version_asks_for_an_update(tmp_path):
    path = resealed(thrown(), tmp_path / "run.nc", chasles_format=2)
    what = refused(path)
    assert "has format 2" in what and "formats 1 to 1" in what and "Update chasles" in what


@pytest.mark.parametrize(
    "attributes",
    [
        {"model": "{"},
        {"model": "null"},
        {"model": '{"bodies": [], "joints": [], "gravity": [0, 0, 0]}'},
        {"spaces": "[]"},
        {"spaces": "{}"},
        {"spaces": '{"stick": {"group": "SE4"}}'},
        {"spaces": '{"stick": {"group": "SE3", "import os": 1}}'},
        {"provenance": "{}"},
        {"provenance": "7"},
        {"chasles_format": "x"},
    ],
)
def test_a_forged_file_is_refused_like_bad_input(attributes, tmp_path):
    refused(resealed(thrown(), tmp_path / "run.nc", **attributes))


def test_a_forged_trajectory_must_fit_its_model(tmp_path):
    result = thrown()
    table = make_table(result)
    _, values, attributes = table.variables["position"]
    short = {**table.variables, "position": (("axis",), values[0, 0], attributes)}
    path = atomic_file.write(table._replace(variables=short), tmp_path / "run.nc")
    assert "does not hold a result" in refused(path)
