"""The page on architecture is a true map: of folders, modules, floors, state block and outcomes."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from chasles.core import outcomes
from chasles.core.state_block import Layout

PROJECT = Path(__file__).parent.parent
PACKAGE = PROJECT / "src" / "chasles"
PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
#: Where a path on the page may begin.
ROOTS = (PACKAGE, PROJECT)
MODULES = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
FOLDERS = {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.rglob("*/__init__.py")}


def section(title: str) -> str:
    """The text under a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(title: str) -> list[str]:
    """The first cells of the table in a section, from the row below its head on."""
    rows = [line for line in section(title).splitlines() if line.startswith("|")]
    return [row.split("|")[1].strip() for row in rows[2:]]


def words(text: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`\n]+)`", text)


def paths() -> set[str]:
    """What the page names as a folder or file: in backticks, with a slash or the end of a file."""
    named = set(words(re.sub(r"^```.*?^```", "", PAGE, flags=re.M | re.S)))
    drawn = re.findall(r"\b[\w/]+(?:\.py|/)(?=[\s,])", section("The parts"))
    inner = {"constraints/", "forces/", "blocks/", "newton/", "recursion/"}  # rooms of core/
    found = {word for word in named if re.fullmatch(r"[\w./]+(/\w*|\.(py|md))", word)}
    return (found | set(drawn)) - inner - {"__init__.py"}


def test_every_folder_of_the_package_is_named():
    said = {path.rstrip("/") for path in paths()} | {
        word for cell in first_cells("Layers") for word in words(cell)
    }
    assert said >= FOLDERS


def test_every_module_beside_the_folders_is_named():
    floors = {word for cell in first_cells("Layers") for word in words(cell)}
    assert floors >= MODULES


def test_every_path_on_the_page_exists():
    assert len(paths()) > 40
    missing = {path for path in paths() if not any((root / path).exists() for root in ROOTS)}
    assert not missing


def test_the_floors_are_those_that_are_enforced():
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = (c for c in contracts if c.get("containers") == ["chasles"])
    built = MODULES | {folder for folder in FOLDERS if "/" not in folder}
    enforced = [set(re.findall(r"\w+", layer)) & built for layer in contract["layers"]]
    assert [set(words(cell)) for cell in first_cells("Layers")] == [e for e in enforced if e]


def test_the_house_has_nine_floors_and_few_modules_beside_the_rooms():
    assert len(first_cells("Layers")) == 9
    assert len(MODULES | {"__init__"}) <= 6


def test_one_call_is_read_in_fewer_than_sixty_files():
    walk = section("One call of `simulate`")
    assert 30 < len({word for word in words(walk) if word.endswith(".py")}) < 60


#: The files whose functions a plain run calls, compiled ones among them: nothing is compiled here.
WALK = """
import os, sys
import chasles as ch

def pendulum():
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    return ch.Model([arm], [hinge])

root, called, model = os.path.dirname(ch.__file__) + os.sep, set(), pendulum()
ch.simulate(pendulum(), until=0.02, step=1e-3)  # what a process does once is not part of the walk
sys.setprofile(lambda frame, event, _: called.add(frame.f_code.co_filename))
ch.simulate(model, until=0.02, step=1e-3)
sys.setprofile(None)
print(*sorted(name[len(root):] for name in called if name.startswith(root)), sep="\\n")
"""


def test_a_plain_run_calls_functions_of_few_files():
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", WALK]
    done = subprocess.run(command, env=plain, capture_output=True, text=True, check=True)
    called = set(done.stdout.split())
    formulas = {
        name for name in called if name.startswith(("core/", "groups/", "scalars/", "compiled/"))
    }
    said = r"functions\s+of fewer than (\d+) files: fewer than (\d+) of these"
    counts = re.search(said, section("One call of `simulate`"))
    assert counts is not None
    assert len(called) < int(counts[1]) <= 100
    assert len(called - formulas) < int(counts[2]) <= 60
    assert {name for name in called if name.startswith(("run/", "result/", "build/"))} <= paths()


def test_the_parts_of_the_state_block_are_those_of_its_layout():
    lengths = {"kept", "width"}
    parts = [word for cell in first_cells("The state block") for word in words(cell)]
    assert parts == [name for name in Layout._fields if name not in lengths]


def test_the_outcomes_are_those_of_the_table():
    rows = [line.split("|") for line in section("Outcomes").splitlines() if line.startswith("|")]
    codes = {words(row[2])[0]: row[1].strip() for row in rows[2:]}
    assert codes.pop("SINGULAR") == "≥ 0"
    assert {int(code) for code in codes.values()} == set(outcomes.OUTCOMES)
    for name, code in codes.items():
        assert getattr(outcomes, name) == int(code)
