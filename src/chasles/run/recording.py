"""A run in a folder, written while it goes: what was acknowledged survives whatever happens next.

`rows.f64` and `inputs.f64` only grow.  A segment is appended to them and forced to the disk; then
`commit`, which says how much of them counts, what their digest is and where the run stands, is
written beside the old one and takes its name.  Killed at any moment, a run leaves the old commit or
the new one, and what lies beyond it in the files that grow is not looked at.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.build.fingerprints import DIGEST
from chasles.build.system.coordinates import coordinate_keys
from chasles.build.system.signals import Inputs
from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.model import InvalidFile, InvalidOption
from chasles.model.checks import check_flag
from chasles.result.atomic_file import (
    CHECKSUM,
    PART,
    checked_path,
    fcntl,
    open_regular,
    remove_orphans,
    replacing,
)
from chasles.result.provenance import Checkpoint
from chasles.run.loop import Run
from chasles.run.output import Saved
from chasles.run.recorded import (
    COMMIT,
    FORMAT,
    HEADER,
    INPUTS,
    ROWS,
    check_digest,
    check_digests,
    digest_of,
    forged,
    is_recording,
    mapped,
    mapped_inputs,
    read_commit,
    read_header,
)

if TYPE_CHECKING:
    from chasles.result.result import Result

#: Seconds between two segments, and bytes of states that are gathered at the most.
SEGMENT_SECONDS, WINDOW_BYTES = 1.0, 2**24
LOCK = "lock"
#: What may differ between the beginning of a run and its resumption.
FREE = ("provenance", "title")
#: Letters of the longest value that a message repeats.
LONGEST_VALUE = 120


class Stream:
    """A file of rows of numbers that grows; `count` of them count, and must have the `digest`."""

    def __init__(self, path: Path, width: int, count: int = 0, digest: str | None = None) -> None:
        self.count = count
        self.digest = digest_of(path, 8 * width * count)
        if digest is not None:
            check_digest(path, self.digest, digest)
        self.file = open_regular(path, os.O_WRONLY | os.O_CREAT)
        os.ftruncate(self.file, 8 * width * count)  # what comes after them does not count
        os.lseek(self.file, 0, os.SEEK_END)

    def append(self, rows: Floats) -> None:
        if not len(rows):
            return
        contents = np.ascontiguousarray(rows, "<f8").reshape(-1).view(np.uint8).data
        done = 0
        while done < len(contents):
            done += os.write(self.file, contents[done:])
        os.fsync(self.file)
        self.digest.update(contents)
        self.count += len(rows)

    def close(self) -> None:
        os.close(self.file)


class Recording:
    """The folder of a run, where up to `window` states go at once.

    A continued run reads the folder after it has the lock: another process may have written to it.
    """

    def __init__(self, folder: Path, begun: bool) -> None:
        self.folder, self.begun = folder, begun
        self.window, self.last = 1, time.monotonic()
        self.streams: dict[str, Stream] = {}
        self.locked: int | None = None
        #: what the last commit says, and where the run stands by it
        self.head: dict[str, Any] = {"rows": 0, "on_grid": 0, "inputs": 0, "digests": (None, None)}
        self.reached: Checkpoint | None = None
        if begun:
            with closed_on_error(self), disk_errors(folder):
                self.lock()
                self.head, self.reached = read_commit(folder)

    def prepare(self, header: dict[str, Any], run: Run) -> None:
        """Make the folder, or compare the run in it with the one that is to go on."""
        self.shape, self.names = shape_of(run), list(run.control.names)
        widths = {ROWS: sum(self.shape), INPUTS: 1 + len(self.names)}
        self.window = max(2, WINDOW_BYTES // (8 * widths[ROWS]))
        header = {
            "chasles_recording": FORMAT, **header, "inputs": self.names, "shape": self.shape,
        }  # fmt: skip
        with disk_errors(self.folder):
            if self.begun:
                compare(self.folder, header)
            else:
                self.folder.mkdir(parents=True, exist_ok=True)
                refuse_others(self.folder)
                self.lock()
                if is_recording(self.folder):  # begun by another process in the meantime
                    raise taken(self.folder)
            remove_orphans(self.folder)
            if not self.begun:  # before the rows: by it they are known to be ours
                write_checked(self.folder / HEADER, json.dumps(header).encode())
            if self.reached is not None and self.head["rows"] > self.head["on_grid"]:
                self.drop_end(widths, self.reached)
            counts = self.head["rows"], self.head["inputs"]
            for (name, width), *known in zip(widths.items(), counts, self.head["digests"]):
                self.streams[name] = Stream(self.folder / name, width, *known)
            if self.reached is not None:
                self.take_up_inputs(run)
                # wanted states may be within the next step
                if run.grid.t_eval is None and self.last_time() > self.reached.time:
                    raise forged(self.folder / COMMIT, "the run stands before its last state")

    def lock(self) -> None:
        """One run at a time; the lock goes with the process, however it ends."""
        self.locked = open_regular(self.folder / LOCK, os.O_RDWR | os.O_CREAT)
        if fcntl is None:
            return
        try:
            fcntl.flock(self.locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidFile(
                f"'{self.folder}' is being written to by another run.",
                "Wait for it, or record into another folder.",
            ) from None

    def drop_end(self, widths: dict[str, int], reached: Checkpoint) -> None:
        """Remove the last state, which is between two steps of the grid: from the commit, then
        from the rows, in a new file, as results may have the old one open.
        """
        head, path = self.head, self.folder / ROWS
        length = 8 * widths[ROWS] * head["on_grid"]
        check_digests(self.folder, read_header(self.folder), head)
        digests = [digest_of(path, length).hexdigest(), head["digests"][1]]
        self.put_commit({**head, "rows": head["on_grid"], "digests": digests}, reached)
        with os.fdopen(open_regular(path), "rb") as old, replacing(path) as new:
            while length > 0:
                piece = old.read(min(length, 2**20))
                new.write(piece)
                length -= len(piece)

    def take_up_inputs(self, run: Run) -> None:
        """The last inputs that were written are those that hold."""
        held = self.inputs()
        if held is not None:
            run.control.times, run.control.history = [float(held.times[-1])], [held.values[-1]]
            run.control.drained = 1

    def is_due(self) -> bool:
        return time.monotonic() - self.last >= SEGMENT_SECONDS

    def append(self, saved: Saved, run: Run, off_grid: bool = False) -> None:
        """A segment: on the disk when this returns."""
        count, parts = len(saved.times), [saved.times[:, None]]
        parts += [saved.absolute.reshape(count, self.shape[1]), saved.integrals]
        parts += [part for part in (saved.coordinates, saved.multipliers) if part is not None]
        rows, inputs = self.streams[ROWS], self.streams[INPUTS]
        with disk_errors(self.folder):
            rows.append(np.hstack(parts))
            inputs.append(run.control.drain())
            head: dict[str, Any] = {
                "rows": rows.count, "on_grid": rows.count - off_grid * count,
                "inputs": inputs.count,
                "digests": [rows.digest.hexdigest(), inputs.digest.hexdigest()],
                "ended": None, "steps": run.index - run.first,
            }  # fmt: skip
            if run.watch is not None:
                head["events"] = run.watch.found
            self.put_commit(head, run.checkpoint())
        self.last = time.monotonic()

    def put_commit(self, head: dict[str, Any], reached: Checkpoint) -> None:
        """From now on, what was appended counts."""
        words, numbers = reached.as_plain()
        contents = json.dumps(head | words).encode() + b"\n" + numbers.astype("<f8").tobytes()
        write_checked(self.folder / COMMIT, contents)
        self.head, self.reached = head | words, reached

    def everything(self) -> Saved:
        return mapped(self.folder, self.shape, self.head["rows"])

    def last_time(self) -> float:
        """The time of the last state, s; none before the first."""
        return float(self.everything().times[-1]) if self.head["rows"] else -1.0

    def events(self) -> dict[str, list[float]]:
        """When the events of the run that goes on happened, up to where it stands."""
        end = np.inf if self.reached is None else self.reached.time
        known = self.head.get("events", {}).items()
        return {name: [float(t) for t in times if t <= end] for name, times in known}

    def inputs(self) -> Inputs | None:
        """What was held so far."""
        return mapped_inputs(self.folder, len(self.names), self.head["inputs"])

    def finish(self, result: "Result") -> None:
        """Say how the run ended."""
        assert self.reached is not None
        ended = {"status": result.status, "message": result.message,
                 "provenance": result.provenance.as_dict()}  # fmt: skip
        with disk_errors(self.folder):
            self.put_commit({**self.head, "ended": ended}, self.reached)

    def close(self) -> None:
        """Let go of the files and of the lock."""
        for stream in self.streams.values():
            stream.close()
        if self.locked is not None:
            os.close(self.locked)
            self.locked = None
        self.streams = {}


def shape_of(run: Run) -> list[int]:
    """Numbers of a row: time, absolute states, integrals, coordinates, multipliers."""
    setup, layout = run.stepper.solver.setup, run.stepper.layout
    coordinates = len(coordinate_keys(setup.model))
    bodies = ABSOLUTE_WIDTH * setup.system.body_count
    multipliers = layout.kept - layout.multipliers
    return [1, bodies, layout.supply - layout.integrals, coordinates, multipliers]


def write_checked(path: Path, contents: bytes) -> None:
    """A file that is whole or not there, and ends with its digest."""
    with replacing(path) as file:
        file.write(contents)
        file.write(CHECKSUM % hashlib.sha256(contents).hexdigest().encode())
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # so that the name is on the disk, too
    finally:
        os.close(folder)


class OtherRun(InvalidOption):
    """The folder holds another run than the one that is to go on."""


def compare(folder: Path, header: dict[str, Any]) -> None:
    """Refuse to go on with another run than the one in the folder."""
    known = read_header(folder)
    fresh = json.loads(json.dumps(header))
    for name in {**known, **fresh}:
        pair = (known.get(name), fresh.get(name))
        other, repeated = f"'{name}'{both_values(*pair)}", "with a later until= if you like"
        if name == "model":
            if all(str(text).startswith("#") for text in pair):
                continue  # functions of the user's own have no text to compare, but a digest
            pair = (unordered(pair[0]), unordered(pair[1]))
        if name == DIGEST:
            if name not in known:
                continue  # recordings of before have none
            other = "model: bodies, joints or forces differ, or a function of the model, or a value"
            other += " that such a function uses"
            repeated = "with the model as it was then"
        if name not in FREE and pair[0] != pair[1]:
            raise OtherRun(
                f"resume: the run in '{folder}' was begun with another {other}.",
                f"Repeat the call that began it, {repeated}, or record into another folder.",
            )


def both_values(known: Any, fresh: Any) -> str:
    """The two values of an option in words, where they are short enough to be read."""
    texts = [legible(value) for value in (known, fresh)]
    if any(len(text) > LONGEST_VALUE or text[:1] in "#{" for text in texts):
        return ""
    return f": {texts[0]}, and this call has {texts[1]}"


def legible(value: Any) -> str:
    """A value of the header as it was given; numbers are written there in hexadecimal digits."""
    if isinstance(value, list):
        return f"[{', '.join(map(legible, value))}]"
    if isinstance(value, str) and value.lstrip("-").startswith("0x"):
        return str(float.fromhex(value))
    return "none" if value is None else str(value)


def unordered(text: Any) -> Any:
    """What a model says as JSON, in whatever order of its fields; any other text as it is."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text


@contextmanager
def closed_on_error(recording: Recording) -> Iterator[None]:
    """Let go of the folder where a run is refused before it begins."""
    try:
        yield
    except BaseException:
        recording.close()
        raise


def refuse_others(folder: Path) -> None:
    """Refuse a folder with files of the user: it must be empty, or have a run without a commit."""
    names = {path.name for path in folder.iterdir() if not path.match(PART.format("*"))}
    begun = {HEADER, ROWS, INPUTS} if os.path.isfile(folder / HEADER) else set()
    if begun & names:
        read_header(folder)  # or it is not ours
    other = sorted(names - begun - {LOCK})
    if other:
        raise InvalidFile(
            f"into: the folder '{folder}' is not empty, and not of a run: it has '{other[0]}'.",
            "Name an empty folder, or one that is not there yet.",
        )


def taken(folder: Path) -> InvalidFile:
    return InvalidFile(
        f"into: there is a run in '{folder}' already.",
        "Continue it by resume=True, remove the folder, or name another one.",
    )


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Errors of the disk as errors that say what is safe."""
    try:
        yield
    except OSError as error:
        safe = " All segments that were acknowledged before are intact." if (
            is_recording(folder)
        ) else ""  # fmt: skip
        raise InvalidFile(
            f"'{folder}' cannot be written to: {error.strerror or error}.{safe}",
            "Make room and allow writing there; continue with resume=True, or record elsewhere.",
        ) from error


def open_recording(into: Any, resume: Any) -> Recording | None:
    """The recording that a run writes to, from the options of `simulate`."""
    check_flag(resume, "resume", "simulate", InvalidOption)
    if into is None:
        if resume:
            raise InvalidOption(
                "simulate: resume is True, but into was left out.",
                "Name the folder of the run that is to go on: into='run'.",
            )
        return None
    folder = checked_path(into)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InvalidFile(
            f"into: '{folder}' is a file, but a run is recorded in a folder.", "Name a folder."
        )
    begun = is_recording(folder)
    if begun and not resume:
        raise taken(folder)
    return Recording(folder, begun)
