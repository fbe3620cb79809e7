"""Numbers that are letters, rows that no joint has, and names of packages that can be had."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import chasles as ch

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mass", [bytearray(b"1"), memoryview(b"1"), np.longdouble("1e4000")])
def test_letters_and_what_no_float_holds_are_not_masses(mass):
    with pytest.raises(ch.InvalidBody, match="mass must be"):
        ch.Body.sphere("ball", 0.1, mass=mass)


@pytest.mark.parametrize(
    "position", [bytearray(b"123"), memoryview(b"123"), np.array([0, 0, np.longdouble("1e4000")])]
)
def test_letters_and_what_no_float_holds_are_not_positions(position):
    with pytest.raises(ch.InvalidBody, match="position must be"):
        ch.Body.sphere("ball", 0.1, mass=1.0, position=position)


@pytest.mark.parametrize(
    "rows",
    [
        ("wx", "wy", "wz", "ux", "uy", "uz", "wx", "wy", "wz", "ux"),
        ("ux", "ux"),
        ("ux", "foo"),
        ["ux"],
        (1, 2),
        "ux",
    ],
)
@pytest.mark.parametrize("base", [ch.Revolute, ch.Spherical])
def test_rows_that_no_joint_has_are_refused_before_there_are_arrays(base, rows):
    class Own(base, in_files=False):
        locked = rows

    more = {} if base is ch.Spherical else {"axis": "z"}
    with pytest.raises(ch.InvalidJoint, match="locked must"):
        Own("joint", ch.GROUND, "ball", at=(0, 0, 0), **more)


def test_hints_name_packages_that_an_index_has():
    """This package is on none: `pip install chasles[...]` asks a stranger for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    known = {re.match(r"[\w.-]+", one)[0] for one in wanted}
    hints = [
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"pip install ([\w'\[\].-]*\w)", path.read_text("utf-8"))
    ]
    assert len(hints) >= 5 and set(hints) <= known
