"""Where the runs of a sweep are kept: a line of JSON each, on disk before it counts."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from chasles.many.sweeps.work import plain
from chasles.model import InvalidFile, InvalidOption
from chasles.result.atomic_file import PART, checked_path, fcntl, open_regular, replacing

FORMAT = 1
PLAN, RUNS, LOCK = "plan.json", "runs.jsonl", "lock"
LARGEST_PLAN, LONGEST_LINE = 2**16, 2**28  # bytes
FOREVER = 1e12  # seconds; no run takes as long
#: What a record has, and of what type.
RECORD: dict[str, Any] = {
    "run": int, "values": dict, "status": str, "message": str, "measured": dict,
    "seconds": (int, float),
}  # fmt: skip


class Store:
    """A folder with `plan.json` and `runs.jsonl`.

    A line is written at once and synced; a line that a crash has cut short is cut off when the
    store is opened again.  So a run that was acknowledged is never lost, nor repeated.
    """

    def __init__(self, folder: Path, locked: int, count: int) -> None:
        self.folder, self.locked = folder, locked
        self.records = read_runs(folder / RUNS, count)
        descriptor = open_regular(folder / RUNS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.file = os.fdopen(descriptor, "ab", buffering=0)  # nothing is left to be written later

    def append(self, records: list[dict[str, Any]]) -> None:
        """Keep some records; where the disk is full, nothing of them, and an error says so."""
        text = "".join(json.dumps(record, allow_nan=True) + "\n" for record in records)
        good = self.file.tell()
        try:
            left = text.encode()
            while left:
                left = left[self.file.write(left) :]
            os.fsync(self.file.fileno())
        except OSError as error:
            self.cut_back(good)
            raise InvalidFile(
                f"sweep: {self.folder / RUNS} could not be written: {error.strerror or error}.",
                f"The {len(self.records)} runs before are safe; make room and run it again to go"
                " on.",
            ) from error
        self.records += records

    def cut_back(self, good: int) -> None:
        with suppress(OSError):  # a torn line is cut off when the store is opened
            os.truncate(self.folder / RUNS, good)

    def close(self) -> None:
        self.file.close()
        os.close(self.locked)


def open_store(folder: str | Path, fingerprint: str, count: int) -> Store:
    """The store of a plan, new or with the runs that are in it already."""
    where = checked_path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
        if is_new(where):
            refuse_others(where)
        locked = lock(where)
        try:
            if not is_new(where):  # now, since another process may have begun in the meantime
                check_plan(where, fingerprint)
            else:
                content = {"format": FORMAT, "fingerprint": fingerprint, "runs": count}
                with replacing(where / PLAN) as file:
                    file.write(json.dumps(content).encode())
            return Store(where, locked, count)
        except BaseException:
            os.close(locked)
            raise
    except OSError as error:
        raise InvalidFile(
            f"sweep: the folder {where} cannot be used: {error.strerror or error}.",
            "Give a folder that can be written.",
        ) from error


def is_new(where: Path) -> bool:
    return not os.path.lexists(where / PLAN)


def lock(where: Path) -> int:
    """One sweep at a time; the lock goes with the process, however it ends.

    It is not handed on to workers, which may outlive their client.
    """
    held = open_regular(where / LOCK, os.O_RDWR | os.O_CREAT)
    if fcntl is None:
        return held
    try:
        fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # both are allowed to say so
        os.close(held)
        raise InvalidFile(
            f"sweep: another process is running the sweep in {where}.",
            "Wait for it, or give another folder.",
        ) from None
    except OSError:  # a file system without locks
        pass
    return held


def check_plan(where: Path, fingerprint: str) -> None:
    try:
        with os.fdopen(open_regular(where / PLAN), "rb") as file:
            kept = json.loads(file.read(LARGEST_PLAN))["fingerprint"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidFile(
            f"sweep: {where / PLAN} is not the plan of a sweep.", "Give another folder."
        ) from error
    if kept != fingerprint:
        raise InvalidOption(
            f"sweep: the folder {where} holds another sweep.",
            "Give another folder, or the model, values and options that it was begun with.",
        )


def refuse_others(where: Path) -> None:
    others = (path for path in where.iterdir() if not path.match(PART.format("*")))
    if any(path.name != LOCK for path in others):
        raise InvalidOption(
            f"sweep: the folder {where} is not empty and holds no sweep.", "Give another folder."
        )


def read_runs(path: Path, count: int) -> list[dict[str, Any]]:
    """The records of all whole lines.

    A torn end is cut off, and a line that is damaged is passed over: its run is made again.  What
    can be read and is not a record of this sweep is refused.
    """
    if not os.path.lexists(path):
        return []
    records: list[dict[str, Any]] = []
    good = 0
    with os.fdopen(open_regular(path, os.O_RDWR), "r+b") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
            if not line.endswith(b"\n"):
                if len(line) == LONGEST_LINE:
                    raise InvalidFile(
                        f"sweep: {path}, line {number} has more than {LONGEST_LINE} bytes.",
                        "Give another folder.",
                    )
                break
            good += len(line)
            with suppress(ValueError, RecursionError):
                record = json.loads(line)
                records.append(checked_record(record, count, f"{path}, line {number}"))
        file.truncate(good)
    return records


def checked_record(record: Any, count: int, where: str) -> dict[str, Any]:
    """A run as `chasles.many.sweeps.work` tells it."""
    if (
        isinstance(record, dict)
        and all(isinstance(record.get(name), kind) for name, kind in RECORD.items())
        and not any(isinstance(record[name], bool) for name in ("run", "seconds"))
        and 0.0 <= record["seconds"] < FOREVER
        and 0 <= record["run"] < count
        and isinstance(record.get("warnings", []), list)
        and can_be_measured(record["measured"])
    ):
        return record
    raise InvalidFile(
        f"sweep: {where} is not the record of a run of this sweep.",
        "Give another folder, or remove the line: its run is made again.",
    )


def can_be_measured(found: Any) -> bool:
    """Whether a measure could have returned it."""
    try:
        plain(found)
    except TypeError:
        return False
    return True
