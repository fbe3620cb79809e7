"""What lies in the folder of a recorded run, as `chasles.recording` wrote it."""

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from chasles.checkpoint import Checkpoint
from chasles.core.arrays import ABSOLUTE_WIDTH
from chasles.loop import Saved
from chasles.model import InvalidFile
from chasles.sealed import SEAL, SEAL_LENGTH
from chasles.system.signals import Inputs

HEADER, COMMIT, ROWS, INPUTS = "run.json", "commit", "rows.f64", "inputs.f64"
#: Version of the layout; readers refuse folders of a later one.
FORMAT = 1


def mapped(folder: Path, shape: list[int], count: int) -> Saved:
    """The states in a folder, read from the disk as they are asked for."""
    width, ends = sum(shape), np.cumsum([0, *shape])
    rows = np.memmap(folder / ROWS, "<f8", "r", shape=(count, width))
    parts = [rows[:, a:b] for a, b in pairwise(ends.tolist())]
    absolute = parts[1].reshape(count, -1, ABSOLUTE_WIDTH)
    further = [part if part.shape[1] else None for part in parts[3:]]
    return Saved(parts[0][:, 0], absolute, parts[2], *further)


def mapped_inputs(folder: Path, names: int, count: int) -> Inputs | None:
    if not names or not count:
        return None
    rows = np.memmap(folder / INPUTS, "<f8", "r", shape=(count, 1 + names))
    return Inputs(rows[:, 0], rows[:, 1:])


def digest_of(path: Path, length: int) -> Any:
    """sha256 of the first so many bytes of a file, which has as many."""
    digest = hashlib.sha256()
    if length == 0:
        return digest
    with path.open("rb") as file:
        while length > 0:
            piece = file.read(min(length, 2**20))
            if not piece:
                raise InvalidFile(
                    f"'{path}' is damaged: it is shorter than what was written.",
                    "Take a copy that is whole, or simulate again.",
                )
            digest.update(piece)
            length -= len(piece)
    return digest


def read_sealed(path: Path) -> bytes:
    """The contents of such a file."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InvalidFile(
            f"'{path}' cannot be read: {error.strerror or error}.",
            "Give a folder that simulate(..., into=folder) wrote.",
        ) from None
    contents, seal = text[:-SEAL_LENGTH], text[-SEAL_LENGTH:]
    if seal != SEAL % hashlib.sha256(contents).hexdigest().encode():
        raise InvalidFile(
            f"'{path}' is damaged: its contents do not match its seal.",
            "Take a copy that is whole, or simulate again.",
        )
    return contents


def is_recording(folder: Path) -> bool:
    """Whether a run was recorded there that has acknowledged something."""
    return (folder / HEADER).is_file() and (folder / COMMIT).is_file()


def read_header(folder: Path) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(read_sealed(folder / HEADER))
    if header.get("chasles_recording", 0) > FORMAT:
        raise InvalidFile(
            f"'{folder}' has format {header['chasles_recording']}, but this version reads formats"
            f" 1 to {FORMAT}.",
            "Update chasles to read it.",
        )
    return header


def read_commit(folder: Path) -> tuple[dict[str, Any], Checkpoint]:
    """What counts of a folder, and where its run stands."""
    head, _, numbers = read_sealed(folder / COMMIT).partition(b"\n")
    plain = json.loads(head)
    return plain, Checkpoint.from_plain(plain, np.frombuffer(numbers, "<f8"))


def check_digests(folder: Path, header: dict[str, Any], head: dict[str, Any]) -> None:
    """Refuse a folder whose numbers are not those that were written."""
    widths = sum(header["shape"]), 1 + len(header["inputs"])
    for name, width, count, digest in zip(
        (ROWS, INPUTS), widths, (head["rows"], head["inputs"]), head["digests"]
    ):
        if digest_of(folder / name, 8 * width * count).hexdigest() != digest:
            raise InvalidFile(
                f"'{folder / name}' is damaged: its contents do not match their digest.",
                "Take a copy that is whole, or simulate again.",
            )
