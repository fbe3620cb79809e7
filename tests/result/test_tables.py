"""What is saved is opened by pandas, Polars, MATLAB's reader, NumPy and readers of CSV."""

import csv
import json

import numpy as np
import pandas
import polars
import pytest
from mechanisms import pendulum
from scipy.io import loadmat

import chasles as ch
from chasles.result import tables
from chasles.result.tables import READERS, WRITERS, matlab_names


@pytest.fixture(scope="module")
def result() -> ch.Result:
    motor = ch.Motor("motor", "hinge", target=0.3, stiffness=5.0)
    return ch.simulate(pendulum([motor], name="rod 1"), until=0.1, step=1e-2)


def columns(result):
    table = result.frame()
    return {"t": result.t, **{name: table[name].to_numpy() for name in table}}


def test_pandas_reads_the_parquet_file_with_its_units(result, tmp_path):
    found = pandas.read_parquet(result.save(tmp_path / "run.parquet"))
    assert list(found) == list(columns(result))
    for name, values in columns(result).items():
        assert np.array_equal(found[name], values)
    assert found.attrs["units"] == result.frame().attrs["units"]


def test_polars_reads_the_parquet_file_and_the_csv_file(result, tmp_path):
    for name, read in (("run.parquet", polars.read_parquet), ("run.csv", polars.read_csv)):
        found = read(result.save(tmp_path / name))
        for own, (called, values) in zip(columns(result).items(), found.to_dict().items()):
            assert called.split(" [")[0] == own[0] and np.array_equal(values.to_numpy(), own[1])


def test_every_column_of_a_parquet_file_has_its_unit_and_the_file_its_provenance(result, tmp_path):
    from pyarrow import parquet

    schema = parquet.read_schema(result.save(tmp_path / "run.parquet"))
    assert schema.field("rod 1.vx").metadata == {b"unit": b"m/s"}
    assert json.loads(schema.metadata[b"provenance"])["method"] == "rk4"


def test_without_pyarrow_parquet_is_refused_with_what_to_install(
    result, tmp_path, monkeypatch, refusal
):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    message = refusal(lambda: result.save(tmp_path / "run.parquet"), ch.InvalidOption)
    assert "pip install pyarrow" in message and not list(tmp_path.iterdir())


def test_matlab_s_reader_finds_column_vectors_names_and_units(result, tmp_path):
    found = loadmat(result.save(tmp_path / "run.mat"), simplify_cells=True)
    assert np.array_equal(found["t"], result.t)
    assert np.array_equal(found["rod_1_x"], result.position("rod 1")[:, 0])
    assert np.array_equal(found["hinge_angle"], result.coordinate("hinge"))
    assert found["names"]["rod_1_x"] == "rod 1.x" and found["units"]["rod_1_x"] == "m"
    assert loadmat(tmp_path / "run.mat")["t"].shape == (len(result), 1)


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (["top.x", "top_x"], ["top_x", "top_x_2"]),
        (["end", "1st", "_x", "é.x", ""], ["x_end", "x_1st", "x__x", "x___x", "x_"]),
        (["a" * 70, "a" * 71], ["a" * 63, "a" * 61 + "_2"]),
        (["units"], ["units_2"]),
    ],
)
def test_names_are_those_that_matlab_allows(given, called):
    assert list(matlab_names(given, {"names", "units"})) == called


def test_numpy_reads_arrays_by_name_without_pickle(result, tmp_path):
    with np.load(result.save(tmp_path / "run.npz"), allow_pickle=False) as found:
        assert np.array_equal(found["t"], result.t)
        assert np.array_equal(found["position"][:, 0], result.position("rod 1"))
        assert found["body"].tolist() == ["rod 1"] and found["units of position"] == "m"
        for name in found:
            assert found[name].dtype != object


def test_a_reader_that_guesses_the_dialect_reads_the_csv_file(result, tmp_path):
    text = result.save(tmp_path / "run.csv").read_text()
    dialect = csv.Sniffer().sniff(text[:4096])
    assert dialect.delimiter == "," and csv.Sniffer().has_header(text[:4096])
    head, *rows = csv.reader(text.splitlines(), dialect)
    assert head[:2] == ["t [s]", "rod 1.x [m]"]
    assert np.array_equal(np.array(rows, float), np.column_stack(list(columns(result).values())))


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_every_kind_is_written_whole_by_slices_too_and_load_says_who_reads_it(
    ending, result, tmp_path, refusal
):
    path = result[::2].save(tmp_path / f"run{ending.upper()}")
    assert path.stat().st_size and [path] == list(tmp_path.iterdir())
    message = refusal(lambda: ch.load(path), ch.InvalidFile)
    assert READERS[ending].split("(")[0] in message


def test_pandas_reads_the_csv_file_by_its_defaults_and_names_in_utf8(tmp_path):
    ball = ch.Body.sphere('Kügelchen 球, "1"', 0.1, mass=1.0)
    run = ch.simulate(ch.Model([ball]), until=0.1, step=1e-2)
    path = run.save(tmp_path / "run.csv")
    text = path.read_bytes().decode("utf-8")
    assert text.count("\n") == 1 + len(run) and not text.startswith("\ufeff")
    found = pandas.read_csv(path)
    assert [name.split(" [")[0] for name in found] == list(columns(run))
    for column, values in zip(found, columns(run).values()):
        assert found[column].dtype == float and np.array_equal(found[column], values)


@pytest.mark.parametrize("name", ["=1+1", '=HYPERLINK("http://x","y")', "+1", "-2", "@SUM(A1)"])
def test_a_spreadsheet_finds_no_formula_in_a_csv_file(name, tmp_path):
    """Names are those of a stranger's file, and programs run what looks like a formula."""
    run = ch.simulate(ch.Model([ch.Body.sphere(name, 0.1, mass=1.0)]), until=0.1, step=0.1)
    head, *rows = csv.reader((run.save(tmp_path / "run.csv")).read_text().splitlines())
    assert not [cell for cell in head if cell[0] in "=+-@\t\r"]
    assert f"'{name}.x [m]" in head and len(rows) == 2
    assert all(np.isfinite(float(cell)) for row in rows for cell in row)  # numbers stay numbers
