"""Mutated and forged files of every kind, in a process of their own: HDF5 may end this one.

`python fuzz_files.py COUNT SEED FOLDER` reads so many of each kind, and prints for each kind how
many were read, how many were refused, and the longest time that one took.  Seals and digests are
made anew, since anybody can: they say that a file is whole, not who wrote it.
"""

import copy
import faulthandler
import hashlib
import json
import os
import random
import shutil
import sys
import time
import warnings
from concurrent.futures import Executor, Future
from pathlib import Path

from fuzzing import mutated

import chasles as ch
from chasles.io.sweep_files import read_sweep
from chasles.result.atomic_file import CHECKSUM, CHECKSUM_LENGTH

#: Seconds after which a file that is still being read is taken for one that never ends.
FOREVER = 60.0
NASTY = [
    None, True, False, -1, 0, 1, 3, 10**12, 10**400, 1e308, float("nan"), float("inf"), "", "x",
    "0x1p5000", "\ud800", "{", "null", "[" * 20_000, "\0", [], [1], [[]], ["x"], {}, {"x": 1},
    [0] * 50, "a" * 5000, "../../x",
]  # fmt: skip
SWEEP = """\
model = "model.toml"
until = 0.01
step = 1e-3
together = false
[vary]
"rod.mass" = [1.0, 2.0]
step = { from = 1e-3, to = 1e-4, count = 2, scale = "log" }
[run]
spaces = "auto"
stabilise = { alpha = 1.0, beta = 1.0 }
"""


class AtOnce(Executor):
    """Runs at once, in this process."""

    def submit(self, function, /, *args, **keywords):
        future = Future()
        future.set_result(function(*args, **keywords))
        return future


def pendulum():
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    return ch.Model([rod], [hinge], [ch.Motor("motor", hinge, effort=0.0)])


RUN = {"step": 1e-2, "controller": lambda t, state: {"motor": 0.1}, "sample": 0.02}
SWEPT = {"vary": {"rod.mass": [1.0, 2.0]}, "until": 0.02, "step": 1e-2, "executor": AtOnce()}


def originals(folder: Path) -> None:
    """One good file of each kind."""
    result = ch.simulate(pendulum(), 0.1, into=folder / "run", **RUN)
    result.save(folder / "run.nc")
    ch.sweep(pendulum(), **SWEPT, into=folder / "sweep", progress=False)
    pendulum().write(folder / "model.toml", {"until": 0.1, "step": 1e-2})
    (folder / "sweep.toml").write_text(SWEEP)


# --- changes --------------------------------------------------------------------------------------


def other_bytes(data: bytes, source: random.Random) -> bytes:
    """Some bits turned, a piece lost, doubled, zeroed or exchanged."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at, length = source.randrange(len(changed) or 1), source.choice((1, 1, 4, 8, 64))
        kind = source.randrange(5)
        if kind == 0 and changed:
            changed[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            del changed[at : at + length]
        elif kind == 2:
            changed[at:at] = changed[at : at + length]
        elif kind == 3:
            changed[at : at + length] = bytes(min(length, len(changed) - at))
        else:
            changed[at : at + length] = source.randbytes(min(length, len(changed) - at))
    return bytes(changed)


def other_value(tree, source: random.Random):
    """The same data with one entry exchanged, lost or added, however deep; texts of JSON, too."""
    tree = copy.deepcopy(tree)
    place = tree
    while True:
        if not isinstance(place, dict | list) or not place:
            return source.choice(NASTY)
        key = (
            source.choice(list(place)) if isinstance(place, dict) else source.randrange(len(place))
        )
        inner = place[key]
        if isinstance(inner, str) and inner[:1] in ("{", "[") and source.random() < 0.7:
            try:
                place[key] = json.dumps(other_value(json.loads(inner), source))
                return tree
            except ValueError:
                pass
        if isinstance(inner, dict | list) and inner and source.random() < 0.7:
            place = inner
            continue
        if source.random() < 0.2:
            del place[key]
        else:
            place[key] = source.choice(NASTY)
        return tree


def sealed(contents: bytes) -> bytes:
    return contents + CHECKSUM % hashlib.sha256(contents).hexdigest().encode()


def replaced(path: Path, source: random.Random) -> None:
    """A file gone, empty, a folder, a link or a pipe."""
    kind = source.randrange(5)
    path.unlink()
    if kind == 1:
        path.touch()
    elif kind == 2:
        path.mkdir()
    elif kind == 3:
        path.symlink_to(source.choice(("/etc/hostname", "/dev/zero", path.name, "nowhere")))
    elif kind == 4:
        os.mkfifo(path)


def change_sealed(path: Path, source: random.Random) -> None:
    """A header or commit with other entries, or other bytes, and the seal of these."""
    contents = path.read_bytes()[:-CHECKSUM_LENGTH]
    head, line, numbers = contents.partition(b"\n")
    if source.random() < 0.8:
        text = json.dumps(other_value(json.loads(head), source)).encode("utf-8", "surrogatepass")
        contents = (
            text + line + (other_bytes(numbers, source) if source.random() < 0.2 else numbers)
        )
    else:
        contents = other_bytes(contents, source)
    path.write_bytes(sealed(contents) if source.random() < 0.95 else contents)


# --- kinds ----------------------------------------------------------------------------------------


def netcdf(folder: Path, source: random.Random) -> None:
    from chasles.result import atomic_file as files
    from chasles.result.dataset import make_table

    path = folder / "forged.nc"
    if source.random() < 0.5:
        path.write_bytes(
            sealed(other_bytes((folder / "run.nc").read_bytes()[:-CHECKSUM_LENGTH], source))
        )
    else:
        table = make_table(ch.load(folder / "run.nc"))
        attributes = other_value(table.attributes, source)
        told = attributes if isinstance(attributes, dict) else {}
        try:
            files.write(table._replace(attributes=told), path)
        except Exception:  # HDF5 has no such attribute
            return
    ch.load(path)


def recording(folder: Path, source: random.Random) -> None:
    copied = folder / "copy"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(folder / "run", copied)
    name = source.choice(("run.json", "commit", "commit", "rows.f64", "inputs.f64", "lock"))
    if source.random() < 0.15:
        replaced(copied / name, source)
    elif name in ("run.json", "commit"):
        change_sealed(copied / name, source)
    else:
        (copied / name).write_bytes(other_bytes((copied / name).read_bytes(), source))
    try:
        if source.random() < 0.5:
            ch.load(copied)
    finally:
        ch.simulate(pendulum(), 0.2, into=copied, resume=True, **RUN)


def store(folder: Path, source: random.Random) -> None:
    copied = folder / "swept"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(folder / "sweep", copied)
    name = source.choice(("plan.json", "runs.jsonl", "runs.jsonl", "lock"))
    path = copied / name
    if source.random() < 0.15:
        replaced(path, source)
    elif name == "runs.jsonl" and source.random() < 0.7:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        text = "".join(json.dumps(other_value(line, source)) + "\n" for line in lines)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    elif name == "plan.json" and source.random() < 0.7:
        path.write_text(json.dumps(other_value(json.loads(path.read_text()), source)))
    else:
        path.write_bytes(other_bytes(path.read_bytes(), source))
    str(ch.sweep(pendulum(), **SWEPT, into=copied, progress=False))


def sweep_file(folder: Path, source: random.Random) -> None:
    path = folder / "forged.toml"
    path.write_text(mutated(SWEEP, source), "utf-8", "surrogatepass")
    read_sweep(path)


def model_file(folder: Path, source: random.Random) -> None:
    path = folder / "forged.toml"
    text = mutated((folder / "model.toml").read_text("utf-8"), source)
    path.write_text(text, "utf-8", "surrogatepass")
    ch.read_model(path)


KINDS = (netcdf, recording, store, sweep_file, model_file)


def main(count: int, seed: int, folder: Path) -> None:
    originals(folder)
    source = random.Random(seed)
    for kind in KINDS:
        good, slowest = 0, 0.0
        for index in range(count):
            faulthandler.dump_traceback_later(FOREVER, exit=True)
            before, began = source.getstate(), time.process_time()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    kind(folder, source)
                good += 1
            except ch.ChaslesError as error:
                assert error.what and error.remedy, error
            except Exception:
                print(f"{kind.__name__} {index}, seed {seed}, {hash(before)}", file=sys.stderr)
                raise
            slowest = max(slowest, time.process_time() - began)
        print(kind.__name__, good, count - good, f"{slowest:.3f}")
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
