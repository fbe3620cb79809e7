"""Where the runs of a sweep are kept: a line of JSON each, on disk before it counts."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from chasles.model import InvalidFile, InvalidOption
from chasles.sealed import fcntl

FORMAT = 1
PLAN, RUNS, LOCK = "plan.json", "runs.jsonl", "lock"


class Store:
    """A folder with `plan.json` and `runs.jsonl`.

    A line is written at once and synced; a line that a crash has cut short is cut off when the
    store is opened again.  So a run that was acknowledged is never lost, nor repeated.
    """

    def __init__(self, folder: Path, locked: int) -> None:
        self.folder, self.locked = folder, locked
        self.records = read_runs(folder / RUNS)
        self.file = (folder / RUNS).open("ab", buffering=0)  # nothing is left to be written later

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
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
        is_new = not (where / PLAN).exists()
        if is_new:
            refuse_others(where)
        else:
            check_plan(where, fingerprint)
        locked = lock(where)
        try:
            if is_new:
                content = {"format": FORMAT, "fingerprint": fingerprint, "runs": count}
                put_whole(where / PLAN, content)
            return Store(where, locked)
        except BaseException:
            os.close(locked)
            raise
    except OSError as error:
        raise InvalidFile(
            f"sweep: the folder {where} cannot be used: {error.strerror or error}.",
            "Give a folder that can be written.",
        ) from error


def lock(where: Path) -> int:
    """One sweep at a time; the lock goes with the process, however it ends.

    It is not handed on to workers, which may outlive their client.
    """
    held = os.open(where / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
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
        kept = json.loads((where / PLAN).read_text())["fingerprint"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidFile(
            f"sweep: {where / PLAN} is not the plan of a sweep.", "Give another folder."
        ) from error
    if kept != fingerprint:
        raise InvalidOption(
            f"sweep: the folder {where} holds another sweep.",
            "Give another folder, or the model, values and options that it was begun with.",
        )


def refuse_others(where: Path) -> None:
    own = {LOCK, Path(PLAN).with_suffix(".part").name}  # of one that was killed, or found no room
    if any(path.name not in own for path in where.iterdir()):
        raise InvalidOption(
            f"sweep: the folder {where} is not empty and holds no sweep.", "Give another folder."
        )


def put_whole(path: Path, content: dict[str, Any]) -> None:
    """A file that is there as a whole, or not at all."""
    aside = path.with_suffix(".part")
    with aside.open("w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def read_runs(path: Path) -> list[dict[str, Any]]:
    """All whole lines; those that cannot be read are passed over, and a torn end is cut off."""
    if not path.exists():
        return []
    records: list[dict[str, Any]] = []
    good = 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            good += len(line)
            with suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict) and isinstance(record.get("run"), int):
                    records.append(record)
    if good < path.stat().st_size:
        os.truncate(path, good)
    return records
