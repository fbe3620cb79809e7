"""The tool that breaks the package: every place gives other code that is Python, and the rules."""

import ast
from pathlib import Path

import numpy as np
import pytest
from mutations import places_of
from random_mutants import FOLDERS, chosen_files, sample, sites

import chasles

PACKAGE = Path(chasles.__file__).parent


def found(source):
    return [(place.line, place.what) for place in places_of(source)]


@pytest.mark.parametrize(
    "source, broken",
    [
        ("def f(a, b):\n    return (a) + (b)", "def f(a, b):\n    return (a) - (b)"),
        ("def f(a, b):\n    return a <= b", "def f(a, b):\n    return a > b"),
        ("def f(a, b):\n    return a is not b", "def f(a, b):\n    return a is b"),
        ("def f(a, b):\n    return g(a, b)", "def f(a, b):\n    return g(b, a)"),
        ("def f(a):\n    return 'é', 2.5", "def f(a):\n    return 'é', 5.0"),
        ("def f(a):\n    if a:\n        a = 'x'", "def f(a):\n    if (not (a)):\n        a = 'x'"),
        ("def f(a):\n    a.x = a", "def f(a):\n    pass"),
        ("def f(a):\n    while a:\n        continue", "def f(a):\n    while a:\n        pass"),
        ("def f(a):\n    return (\n        a\n        * a)",
         "def f(a):\n    return (\n        a\n        / a)"),
    ],
)  # fmt: skip
def test_a_place_is_broken_in_the_way_that_is_told(source, broken):
    assert broken.encode() in [place.broken(source.encode()) for place in places_of(source)]


@pytest.mark.parametrize(
    "source",
    [
        "#: Bytes of a window.\nWINDOW = 2**24",
        "NOW, STEP, LAST = 0, 1, 2",
        "def f(a: Annotated[int, 3]) -> Literal[3]:\n    '''A text of 3 + 4.'''",
        "@kernel('steps', seconds=12)\ndef f(a):\n    return a",
        "def f(a):\n    assert a > 3\n    raise ValueError(a + 3)",
        "def f(a):\n    return max(a.x, 1e-12), f'{a + 3}'",
        "def f(a):\n    return a.read(2**20)",
        "def f(a):\n    return 'x' + a.name",
        "def f(a):\n    b = a",
    ],
)
def test_what_no_test_can_notice_is_left_alone(source):
    assert found(source) == []


def test_a_line_is_that_of_the_operator():
    assert found("def f(a, b):\n    return (\n        a\n        - b\n    )") == [
        (4, "- becomes +")
    ]


def test_every_sampled_mutant_is_other_code_on_the_same_lines():
    for site in sample(60, seed=3):
        source = (PACKAGE / site.file).read_bytes()
        broken = site.place.broken(source)
        assert ast.dump(ast.parse(broken)) != ast.dump(ast.parse(source)), site
        assert 1 <= site.place.line <= source.count(b"\n")


def test_a_seed_gives_the_same_sample_from_every_folder():
    once, again, other = sample(40, 1), sample(40, 1), sample(40, 2)
    assert once == again != other and len(set(once)) == 40
    counts = np.unique([site.file.split("/")[0] for site in once], return_counts=True)
    assert dict(zip(*counts)) == dict.fromkeys(sorted(FOLDERS), 40 // len(FOLDERS))


def test_every_module_has_tests_that_are_there():
    files = sorted({site.file for folder in FOLDERS for site in sites(folder)})
    assert len(files) > 150
    for file in files[::5]:
        chosen = chosen_files(file, "")
        assert chosen and all(path.is_file() for path in chosen), file
