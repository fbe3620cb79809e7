"""What lies in the folder of a recorded run, as `chasles.run.recording` wrote it."""

import hashlib
import json
import math
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from chasles.build.system.signals import Inputs
from chasles.core.arrays import ABSOLUTE_WIDTH
from chasles.model import InvalidFile
from chasles.model.errors import one_line, short_repr
from chasles.result.atomic_file import CHECKSUM, CHECKSUM_LENGTH, digest_of_rest, open_regular
from chasles.result.provenance import Checkpoint
from chasles.run.output import Saved

HEADER, COMMIT, ROWS, INPUTS = "run.json", "commit", "rows.f64", "inputs.f64"
#: Where `chasles run` keeps the states of a run on its way, in the folder of its result.
SEGMENTS = "segments"
#: Version of the layout; readers refuse folders of a later one.
FORMAT = 1


def mapped(folder: Path, shape: list[int], count: int) -> Saved:
    """The states in a folder, read from the disk as they are asked for."""
    width, ends = sum(shape), np.cumsum([0, *shape])
    rows = mapped_file(folder / ROWS, (count, width))
    parts = [rows[:, a:b] for a, b in pairwise(ends.tolist())]
    absolute = parts[1].reshape(count, -1, ABSOLUTE_WIDTH)
    further = [part if part.shape[1] else None for part in parts[3:]]
    return Saved(parts[0][:, 0], absolute, parts[2], *further)


def mapped_inputs(folder: Path, names: int, count: int) -> Inputs | None:
    if not names or not count:
        return None
    rows = mapped_file(folder / INPUTS, (count, 1 + names))
    return Inputs(rows[:, 0], rows[:, 1:])


def mapped_file(path: Path, shape: tuple[int, int]) -> Any:
    with os.fdopen(open_regular(path), "rb") as file:
        return np.memmap(file, "<f8", "r", shape=shape)


def digest_of(path: Path, length: int) -> Any:
    """sha256 of the first so many bytes of a file, which has as many."""
    if length == 0:
        return hashlib.sha256()
    with os.fdopen(open_regular(path), "rb") as file:
        digest = digest_of_rest(file, length)
        if file.tell() < length:
            raise damaged(path, "it is shorter than what was written")
    return digest


def read_checked(path: Path) -> bytes:
    """The contents of such a file."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            text = file.read()
    except OSError as error:
        raise InvalidFile(
            f"'{path}' cannot be read: {error.strerror or error}.",
            "Give a folder that simulate(..., into=folder) wrote.",
        ) from None
    contents, checksum = text[:-CHECKSUM_LENGTH], text[-CHECKSUM_LENGTH:]
    if checksum != CHECKSUM % hashlib.sha256(contents).hexdigest().encode():
        raise damaged(path, "its contents do not match its seal")
    return contents


def damaged(path: Path, how: str) -> InvalidFile:
    return InvalidFile(
        f"'{path}' is damaged: {how}.", "Take a copy that is whole, or simulate again."
    )


def is_recording(folder: Path) -> bool:
    """Whether a run was recorded there that has acknowledged something."""
    return os.path.isfile(folder / HEADER) and os.path.isfile(folder / COMMIT)


def read_header(folder: Path) -> dict[str, Any]:
    header = checked_table(read_checked(folder / HEADER), HEADER_TYPES, folder / HEADER)
    if header["chasles_recording"] > FORMAT:
        raise InvalidFile(
            f"'{folder}' has format {header['chasles_recording']}, but this version reads formats"
            f" 1 to {FORMAT}.",
            "Update chasles to read it.",
        )
    shape = header["shape"]
    if len(shape) != 5 or min(shape) < 0 or shape[0] != 1 or shape[1] % ABSOLUTE_WIDTH:
        raise forged(folder / HEADER, f"rows of shape {shape}")
    return header


def read_commit(folder: Path) -> tuple[dict[str, Any], Checkpoint]:
    """What counts of a folder, and where its run stands."""
    head, _, numbers = read_checked(folder / COMMIT).partition(b"\n")
    plain = checked_table(head, COMMIT_TYPES, folder / COMMIT)
    least = 0 if "t_eval" in read_header(folder) else 1  # the first wanted time may be late
    few = plain["rows"] < least
    if few or not 0 <= plain["on_grid"] <= plain["rows"] or plain["inputs"] < 0:
        raise forged(folder / COMMIT, f"{plain['rows']} rows")
    if len(plain["digests"]) != 2:
        raise forged(folder / COMMIT, f"it has {len(plain['digests'])} digests")
    try:
        reached = Checkpoint.from_plain(plain, np.frombuffer(numbers, "<f8"))
        if not (reached.index >= 0 and reached.step > 0.0 and 0.0 <= reached.time < math.inf):
            raise ValueError(f"it stands at step {short_repr(plain['index'])} of {reached.step} s")
        check_events(plain.get("events", {}))
        if type(plain.get("steps", 0)) is not int or plain.get("steps", 0) < 0:
            raise ValueError(f"it has taken {short_repr(plain['steps'])} steps")
        return plain, reached
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise forged(folder / COMMIT, one_line(error)) from None


def check_events(events: Any) -> None:
    """Refuse what does not say when events happened."""
    if not isinstance(events, dict):
        raise ValueError(f"events is {short_repr(events)}")
    for name, times in events.items():
        if not isinstance(times, list) or not all(
            isinstance(t, int | float) and not isinstance(t, bool) and 0.0 <= t < math.inf
            for t in times
        ):
            raise ValueError(f"event {short_repr(name)} happened at {short_repr(times)}")


#: What a header and a commit have at least, and of what type; what a result needs besides is asked
#: for when one is made.
HEADER_TYPES: dict[str, Any] = {
    "chasles_recording": int, "shape": int, "inputs": str, "model": str, "spaces": str,
    "provenance": str, "start": (list, type(None)), "start_angles": str, "start_displacements": str,
}  # fmt: skip
COMMIT_TYPES: dict[str, Any] = {
    "rows": int, "on_grid": int, "inputs": int, "digests": str, "ended": (dict, type(None)),
    "sizes": int, "origin": str, "step": str, "index": int,
}  # fmt: skip
LISTS = {HEADER: ("shape", "inputs"), COMMIT: ("digests", "sizes")}


def checked_table(text: bytes, types: dict[str, Any], path: Path) -> dict[str, Any]:
    """A JSON object with such entries; the seal says that it is whole, not who wrote it."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise forged(path, one_line(error)) from None
    if not isinstance(table, dict):
        raise forged(path, "it is not a table")
    for name, kind in types.items():
        value = table.get(name)
        entries = value if name in LISTS[path.name] else [value]
        if not isinstance(entries, list) or not all(
            isinstance(entry, kind) and not isinstance(entry, bool) for entry in entries
        ):
            raise forged(path, f"{name} is {short_repr(value)}")
    return table


def forged(path: Path, how: str) -> InvalidFile:
    return InvalidFile(
        f"'{path}' was not written by simulate(..., into=folder): {how}.",
        "Give the folder of a recorded run.",
    )


def check_digests(folder: Path, header: dict[str, Any], head: dict[str, Any]) -> None:
    """Refuse a folder whose numbers are not those that were written."""
    widths = sum(header["shape"]), 1 + len(header["inputs"])
    for name, width, count, digest in zip(
        (ROWS, INPUTS), widths, (head["rows"], head["inputs"]), head["digests"]
    ):
        check_digest(folder / name, digest_of(folder / name, 8 * width * count), digest)


def check_digest(path: Path, found: Any, written: str) -> None:
    if found.hexdigest() != written:
        raise damaged(path, "its contents do not match their digest")
