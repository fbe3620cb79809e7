"""Every reader x mutated and forged files: what comes out is a result, or a ChaslesError."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from fuzz_files import KINDS, originals, sealed

import chasles as ch
from chasles.io.hdf5_heaps import HEAD, HEAP, PIECE, places_of_heaps
from chasles.result.atomic_file import CHECKSUM_LENGTH


def fuzzed(count, seed, folder):
    """For each kind of file: how many were read, refused, and the longest time of one."""
    here = Path(__file__).parent
    command = [sys.executable, str(here / "fuzz_files.py"), str(count), str(seed), str(folder)]
    same = {**os.environ, "PYTHONPATH": str(Path(ch.__file__).parents[1])}
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=same)
    assert run.returncode == 0, run.stderr[-3000:]
    rows = [line.split() for line in run.stdout.splitlines()]
    assert [row[0] for row in rows] == [kind.__name__ for kind in KINDS]
    return [(int(good), int(bad), float(slowest)) for _, good, bad, slowest in rows]


def test_forged_files_of_each_kind_are_read_or_refused(tmp_path):
    for good, bad, slowest in fuzzed(20, 1, tmp_path):
        assert good + bad == 20 and bad > 2 and slowest < 10.0


@pytest.mark.slow
def test_ten_thousand_forged_files_of_each_kind_are_read_or_refused(tmp_path):
    for good, bad, slowest in fuzzed(10_000, 2, tmp_path):
        assert good + bad == 10_000 and slowest < 10.0


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    originals(folder)
    return folder / "run.nc"


def stored_elsewhere(file, folder):
    """The numbers of another file."""
    shape = file["position"].shape
    (folder / "secret").write_bytes(bytes(8 * int(np.prod(shape))))
    del file["position"]
    file.create_dataset(
        "position", shape, "<f8", external=[(str(folder / "secret"), 0, h5py.h5f.UNLIMITED)]
    )


def linked_elsewhere(file, folder):
    with h5py.File(folder / "other.h5", "w") as other:
        other["position"] = file["position"][...]
    del file["position"]
    file["position"] = h5py.ExternalLink(str(folder / "other.h5"), "position")


def linked_within(file, folder):
    file.move("position", "elsewhere")
    file["position"] = h5py.SoftLink("/elsewhere")


def made_of_another(file, folder):
    values = file["position"][...]
    with h5py.File(folder / "other.h5", "w") as other:
        other["position"] = values
    layout = h5py.VirtualLayout(values.shape, "<f8")
    layout[...] = h5py.VirtualSource(str(folder / "other.h5"), "position", values.shape)
    del file["position"]
    file.create_virtual_dataset("position", layout)


def packed(file, folder):
    values = file["position"][...]
    del file["position"]
    file.create_dataset("position", data=values, compression="gzip")


def endless(file, folder):
    """A terabyte of numbers that are not there."""
    del file["time"]
    file.create_dataset("time", (10**11,), "<f8")


def a_group(file, folder):
    del file["position"]
    file.create_group("position")


def words(file, folder):
    shape = file["position"].shape
    del file["position"]
    file.create_dataset("position", shape, h5py.string_dtype())


def nested(file, folder):
    file.attrs["model"] = "[" * 60_000


@pytest.mark.parametrize(
    "forge",
    [
        stored_elsewhere, linked_elsewhere, linked_within, made_of_another, packed, endless,
        a_group, words, nested,
    ],
)  # fmt: skip
def test_a_result_lies_in_its_own_file(forge, saved, tmp_path, refusal):
    path = tmp_path / "forged.nc"
    path.write_bytes(saved.read_bytes()[:-CHECKSUM_LENGTH])
    with h5py.File(path, "r+") as file:
        forge(file, tmp_path)
    path.write_bytes(sealed(path.read_bytes()))
    message = refusal(lambda: ch.load(path), ch.InvalidFile)
    assert "forged.nc" in message


@pytest.mark.parametrize(
    ("number", "room"),
    [(0, 0), (0, 8), (0, 10**6), (0, 2**64 - 1), (1, 10**6), (1, 2**64 - 16), (1, 2**64 - 1)],
)
def test_a_heap_that_hdf5_does_not_come_to_the_end_of_is_refused(
    number, room, saved, tmp_path, refusal
):
    """Free room of no bytes in a heap: HDF5 reads it again and again, and cannot be stopped."""
    path = tmp_path / "forged.nc"
    contents = saved.read_bytes()[:-CHECKSUM_LENGTH]
    heaps = list(places_of_heaps(saved))
    assert len(heaps) == contents.count(b"GCOL") >= 2
    for at in heaps:
        first = at + HEAD
        piece = PIECE.pack(number, 0, 0, room)
        path.write_bytes(sealed(contents[:first] + piece + contents[first + PIECE.size :]))
        assert "heap" in refusal(lambda: ch.load(path), ch.InvalidFile)


def test_a_heap_within_another_or_beyond_the_file_is_refused(saved, tmp_path, refusal):
    path = tmp_path / "forged.nc"
    contents = saved.read_bytes()[:-CHECKSUM_LENGTH]
    at = next(places_of_heaps(saved))
    for place, piece, said in (
        (at + 64, HEAP + (64).to_bytes(8, "little"), "in another"),
        (at + len(HEAP), (2**40).to_bytes(8, "little"), f"{2**40} bytes"),
        (at + len(HEAP), bytes(8), "0 bytes"),
        (13, b"\4", "begin"),  # lengths of four bytes
        (0, b"GIF", "begin"),
    ):
        path.write_bytes(sealed(contents[:place] + piece + contents[place + len(piece) :]))
        assert said in refusal(lambda: ch.load(path), ch.InvalidFile)


@pytest.mark.parametrize("before", [2**20 - 9, 2**20 - 8, 2**20 - 7, 2**20 - 1, 2**20, 2**21 - 3])
def test_heaps_are_found_wherever_they_begin(before, tmp_path):
    (tmp_path / "data").write_bytes(bytes(before) + HEAP + b"GCOL\1" + HEAP + bytes(100))
    assert list(places_of_heaps(tmp_path / "data")) == [before, before + 13]


def test_a_file_that_is_sealed_anew_without_a_change_is_read(saved, tmp_path):
    """So that what is refused above is refused for its change."""
    path = tmp_path / "same.nc"
    path.write_bytes(saved.read_bytes()[:-CHECKSUM_LENGTH])
    with h5py.File(path, "r+") as file:
        file.attrs["title"] = "another"
    path.write_bytes(sealed(path.read_bytes()))
    assert ch.load(path).status == "finished"
