"""Every mechanism of the gallery runs, makes its film, and its own check holds."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
STILLS = ROOT / "docs" / "images" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
#: Model, run and film of each must fit on a screen.
SHORT = ("double_wishbone", "stewart_platform", "quadruped", "gimbal_gyroscope", "planetary_gear",
         "engine")  # fmt: skip
#: Which a gallery of mechanisms is asked for.
NAMED = (*SHORT, "whipple_bicycle", "delta_robot", "swashplate", "strandbeest_leg")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("error::chasles.ChaslesWarning")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_mechanism_runs_makes_its_film_and_its_check_holds(path, tmp_path):
    module = load(path)
    film = tmp_path / f"{path.stem}.html"
    result = module.main(film=film)
    what, measured, expected, tolerance = module.check(result)
    assert abs(measured - expected) <= tolerance, f"{what}: {measured}, not {expected}"
    assert film.stat().st_size < 2e6
    assert film.read_text("utf-8").startswith("<!doctype html>")
    assert module.build().body_names == result.model.body_names
    gaps = [result.violation(joint).max() for joint in result.model.joint_names]
    assert max(gaps, default=0.0) < 1e-8


def test_the_mechanisms_asked_for_are_there():
    assert len(SCRIPTS) >= 20
    assert {path.stem for path in SCRIPTS} >= set(NAMED)


def lines_of_code(source):
    """Lines that are neither blank nor docstring nor check."""
    tree = ast.parse(source)
    left_out = set(range(1, tree.body[0].end_lineno + 1))  # the docstring
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "check":
            left_out |= set(range(node.lineno, node.end_lineno + 1))
    lines = source.splitlines()
    return sum(bool(line.strip()) for k, line in enumerate(lines, 1) if k not in left_out)


@pytest.mark.parametrize("name", SHORT)
def test_model_run_and_film_take_less_than_forty_lines(name):
    source = (ROOT / "examples" / "gallery" / f"{name}.py").read_text("utf-8")
    assert lines_of_code(source) < 40
    assert "animate(" in source


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_page_shows_the_mechanism(path):
    page = PAGE.read_text("utf-8")
    (image,) = re.findall(rf"images/gallery/{path.stem}\.png\n:alt: (.+)\n", page)
    assert len(image) > 20
    assert f'data-film="films/{path.stem}.html"' in page
    assert f"examples/gallery/{path.stem}.py" in page
    assert (STILLS / f"{path.stem}.png").stat().st_size < 60e3


def test_all_stills_together_are_light():
    stills = list(STILLS.iterdir())
    assert sum(still.stat().st_size for still in stills) < 1.5e6
    assert {still.stem for still in stills} == {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("mechanism, allowed", [("stewart", 3.0), ("planetary", 2.0)])
def test_python_functions_and_planets_cost_little(mechanism, allowed):
    """Functions beside tables, planets on their arm beside wheels in the ground: CPU time."""
    benchmark = load(ROOT / "benchmarks" / "gallery.py")
    one, other = benchmark.seconds(getattr(benchmark, mechanism)(), rounds=3).values()
    assert one < allowed * other
