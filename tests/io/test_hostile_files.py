"""No file does anything but give a model or a named error, soon and in little memory."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fresh import run_script
from fuzzing import mutated
from test_model_files import SIGNALS, TOP
from test_startup import SOURCE

import chasles as ch
from chasles.io.limits import LARGEST
from chasles.io.toml import FileReader, parsed

MORE = """
[[forces]]
kind = "spring"
name = "spring"
a = "ground"
b = "ball"
at = [0, 0, 0]
at_b = [0, 0, 1]
stiffness_N_per_mm = 1
[[forces]]
kind = "load"
name = "wind"
body = "ball"
force = [1, "2*sin(t)", { kind = "ramp", height = 1, duration = 2 }]
[[drivers]]
kind = "driver"
name = "drive"
joint = "hinge"
motion = { kind = "table", times = [0, 1, 2], values = [0, 1, 5] }
"""
SEEDS = [TOP, SIGNALS.replace("{target}", "'0.1 * sin(2*pi*t)'") + MORE]
FILE = Path("model.toml")


def fuzz(count: int, seed: int) -> tuple[int, float]:
    """How many of so many mutated files are models, and the longest time that one took."""
    source, models, slowest = random.Random(seed), 0, 0.0
    for index in range(count):
        text = mutated(SEEDS[index % len(SEEDS)], source)
        began = time.process_time()
        try:
            parsed(text, FILE)
            models += 1
        except ch.ChaslesError as error:
            assert error.what and error.remedy, text
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
        slowest = max(slowest, time.process_time() - began)
    return models, slowest


def test_thousands_of_mutated_files_are_models_or_named_errors():
    models, slowest = fuzz(4_000, seed=1)
    assert 0 < models < 4_000 and slowest < 5.0


@pytest.mark.slow
def test_a_million_mutated_files_are_models_or_named_errors():
    models, slowest = fuzz(1_000_000, seed=2)
    assert models and slowest < 5.0


#: What could stand for a value, and a value for most fields that a part cannot be without.
ANYTHING = ("true", "'x'", "[]", "[true, 0, 0]", "{x = {y = 1}}", "2026-01-01")
USUAL = {
    "a": "'ground'", "b": "'ball'", "body": "'ball'", "joint": "'hinge'", "at": "[0, 0, 0]",
    "axis": "'z'", "axis_b": "'x'", "direction": "'x'", "at_b": "[0, 0, 1]", "mass": "1",
    "inertia": "[1, 1, 1]", "size": "[1, 1, 1]", "radius": "1", "length": "1", "stiffness": "1",
    "motion": "'sin(t)'", "pitch": "0.1", "level": "1", "ratio": "1",
}  # fmt: skip


def tables_of_every_kind() -> Iterator[tuple[str, str]]:
    """A list of parts, and a part with one field that is anything."""
    reader = FileReader({})
    for what in ("bodies", "joints", "forces", "drivers", "sensors"):
        for kind, make in reader.kinds[what].items():
            keys = sorted(reader.expected(make))
            usual = {key: USUAL[key] for key in keys if key in USUAL}
            for field in set(keys) - {"name"}:
                for value in ANYTHING:
                    told = {"kind": f"'{kind}'", "name": "'new'", **usual, field: value}
                    yield what, "".join(f"{key} = {words}\n" for key, words in told.items())


def test_every_field_of_every_kind_is_checked_by_its_part():
    """Whatever stands there: a model or a named error; and no flag is a number."""
    base = SIGNALS.replace("{target}", "0.5")
    for what, table in tables_of_every_kind():
        try:
            parsed(f"{base}[[{what}]]\n{table}", FILE)
            assert "[true, 0, 0]" not in table, table
        except ch.ChaslesError as error:
            assert error.what and error.remedy, table


BOMBS = {
    "deep arrays": "notes = " + "[" * 100_000 + "]" * 100_000,
    "deep tables": "run = " + "{a=" * 100_000 + "1" + "}" * 100_000,
    "shallow arrays": "notes = " + "[" * 40 + "]" * 40,
    "a long dotted key": "a." * 400_000 + "b = 1",
    "a long quoted key": '"a".' * 300_000 + "b = 1",
    "a long dotted table": "[" + "a." * 400_000 + "b]",
    "dots within a line": "run = {" + "a." * 400_000 + "b = 1}",
    "many tables": "[[a]]\n" * 100_000,
    "many keys": "".join(f"a{k} = 1\n" for k in range(100_000)),
    "a huge array": "gravity = [" + "1," * 400_000 + "]",
    "a huge text": "gravity = '" + "x" * 1_900_000 + "'",
    "a huge number": "gravity = " + "1" * 1_900_000,
    "a huge hexadecimal": "gravity = 0x" + "f" * 1_900_000,
    "many quotes": '"' * 1_900_000,
    "many spaces": " " * 2_000_000,
    "no text": "\x00" * 1000,
    "too large": "#" * (LARGEST + 1),
    "a wrong file": "<xml/>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_files_are_refused_soon_and_in_little_memory(name, tmp_path, refusal):
    path = tmp_path / "model.toml"
    path.write_text(BOMBS[name], "utf-8")
    began = time.process_time()
    refusal(lambda: ch.read_model(path), ch.ChaslesError)
    assert time.process_time() - began < 5.0


MEASURE = """
import resource, sys
import chasles as ch
ch.read_model(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    ch.read_model(sys.argv[2])
except ch.ChaslesError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("part", [1 / 5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_file_of_the_largest_size_takes_less_than_half_a_gigabyte(tmp_path, part):
    """And one of a part of that size the same part of it."""
    pytest.importorskip("resource")
    small, large = tmp_path / "small.toml", tmp_path / "large.toml"
    small.write_text(TOP, "utf-8")
    large.write_text("gravity = [" + "1.5," * int(part * LARGEST // 4 - 10) + "]", "utf-8")
    grown = run_script(MEASURE, str(small), str(large), path=[SOURCE]).stdout
    assert int(grown) < part * 500_000  # kB


def test_many_steps_are_refused_before_they_are_made(refusal):
    text = TOP.replace("until = 1", "until = 1e6")
    assert "1e+09 steps" in refusal(lambda: parsed(text, FILE), ch.InvalidOption)
    chosen = TOP.replace("step_ms = 1", "rtol = 1e-6\nmax_step = 1e-9")
    assert chosen != TOP
    said = refusal(lambda: parsed(chosen, FILE), ch.InvalidOption)
    assert "max_step is 1e-09 s, which makes 1e+09 steps" in said


def test_a_file_that_is_not_text_is_refused(tmp_path, refusal):
    (tmp_path / "m.toml").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refusal(lambda: ch.read_model(tmp_path / "m.toml"), ch.InvalidFile)
    (tmp_path / "folder.toml").mkdir()
    assert "folder" in refusal(lambda: ch.read_model(tmp_path / "folder.toml"), ch.InvalidFile)
