"""Every mechanism of the gallery runs, makes its film, and its own check holds."""

import importlib.util
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
GALLERY = ROOT / "examples" / "gallery"
CHECKS = runpy.run_path(str(GALLERY / "checks.py"))  # those that the scripts do not have themselves
SCRIPTS = sorted(path for path in GALLERY.glob("*.py") if path.stem != "checks")
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
def test_the_mechanism_runs_makes_its_film_and_its_check_holds(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = runpy.run_path(str(path), run_name="__main__")
    result, check = script["result"], script.get("check")
    what, measured, expected, tolerance = (
        check(result) if check else CHECKS[path.stem](script, result)
    )
    assert abs(measured - expected) <= tolerance, f"{what}: {measured}, not {expected}"
    (film,) = tmp_path.iterdir()
    assert film.name == f"{path.stem}.html"
    assert film.stat().st_size < 2e6
    assert film.read_text("utf-8").startswith("<!doctype html>")
    gaps = [result.violation(joint).max() for joint in result.model.joint_names]
    assert max(gaps, default=0.0) < 1e-8


def test_the_mechanisms_asked_for_are_there():
    assert len(SCRIPTS) >= 20
    assert {path.stem for path in SCRIPTS} >= set(NAMED)


@pytest.mark.parametrize("name", SHORT)
def test_the_whole_script_takes_less_than_forty_lines(name):
    source = (GALLERY / f"{name}.py").read_text("utf-8")
    assert len(source.splitlines()) < 40
    assert "simulate(" in source and "animate(" in source


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_page_shows_the_mechanism(path):
    page = PAGE.read_text("utf-8")
    (image,) = re.findall(rf"images/gallery/{path.stem}\.webp\n:alt: (.+)\n", page)
    assert len(image) > 20
    assert f'data-film="films/{path.stem}.html"' in page
    assert f"examples/gallery/{path.stem}.py" in page
    assert (STILLS / f"{path.stem}.webp").stat().st_size < 60e3


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
