"""The page on security: every point of its lists names tests that show it, and they exist."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import chasles as ch
from chasles.io import limits, mjcf, netcdf, sweep_files, xml_checks
from chasles.io.run_options import RUN_TYPES
from chasles.view import live

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
POINTS = re.findall(r"^\* (.*?)(?=^\* |^## |\Z)", PAGE, re.M | re.S)


def test_every_point_names_tests_that_exist():
    assert len(POINTS) > 20
    for point in POINTS:
        named = re.findall(r"^  % (\S+)::(\w+)$", point, re.M)
        assert named, point
        for file, name in named:
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text("utf-8"), re.M), name


def test_the_page_is_in_the_index():
    assert re.search(r"^security$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.M)


def test_the_limits_on_the_page_are_those_of_the_readers():
    words = " ".join(PAGE.split())
    assert f"at most {limits.LARGEST // 2**20} MiB" in words
    files = (ROOT / "docs" / "files.md").read_text("utf-8")
    assert f"more than {limits.LARGEST // 2**20} MiB" in files
    assert f"nested at most {limits.DEEPEST} deep" in words
    assert limits.MOST_STEPS == 1e8 and "at most 10⁸ steps" in words
    assert f"{xml_checks.MOST_FILES} XML files, {xml_checks.MOST_ELEMENTS} elements" in words
    assert xml_checks.ALL_GRIDS == 2**26 and "2²⁶ points" in words
    assert f"{xml_checks.MOST_BYTES // 2**20} MiB of meshes" in words
    assert f"most {xml_checks.FINEST} subdivisions" in words and xml_checks.FORMULAS in words
    assert sweep_files.MOST_RUNS == 10**6 and "at most 10⁶ runs" in words
    assert sweep_files.MOST_SWEPT == 1e10 and "10¹⁰ steps in all" in words


def test_functions_of_a_model_in_python_are_run():
    called = []
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    load = ch.Load("load", ball, force=lambda t: (called.append(t), (0.0, 0.0, 0.0))[1])
    ch.simulate(ch.Model([ball], forces=[load]), 0.01, 1e-2)
    assert called


CODE = {"eval", "exec", "compile", "__import__", "system", "popen"}
PICKLES = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}


def calls_in(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            where = node.func
            if isinstance(where, ast.Name):
                yield "", where.id
            elif isinstance(where, ast.Attribute) and isinstance(where.value, ast.Name):
                yield where.value.id, where.attr


def test_no_module_runs_data_as_code():
    """Kernels of one's own are unpickled; nothing else is, and nothing is evaluated."""
    unpickle = set()
    for path in (ROOT / "src").rglob("*.py"):
        for module, name in calls_in(path):
            bare = module in ("", "builtins", "os")
            assert not (bare and name in CODE), path
            if module in PICKLES and name in ("load", "loads", "Unpickler"):
                unpickle.add(path.relative_to(ROOT / "src").as_posix())
    assert unpickle == {"chasles/compiled/cache.py"}


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('id')", "open('/etc/passwd')", "t.__class__", "lambda: 0",
        "[t for t in (1,)]", "exec('1')", "t if t else 1", "sin.__globals__", "t; 1", "f'{t}'",
    ],
)  # fmt: skip
def test_a_formula_in_a_file_is_arithmetic_and_nothing_else(text):
    with pytest.raises(ch.ChaslesError):
        ch.Signal.expression(text)


def test_no_option_of_a_file_names_a_place_to_write_to():
    assert not {"into", "resume", "path", "out", "report"} & set(RUN_TYPES)


def test_results_are_read_by_hdf5_and_robots_by_mujoco():
    assert "h5py" in inspect.getsource(netcdf.contents)
    assert "import mujoco" in inspect.getsource(mjcf.imported)


def test_the_viewer_listens_on_this_machine_only():
    assert re.findall(r"Server\(\(\"([^\"]*)\"", inspect.getsource(live)) == ["127.0.0.1"]
