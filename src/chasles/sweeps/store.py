"""Where the runs of a sweep are kept: a line of JSON each, on disk before it counts."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from chasles.model import InvalidFile, InvalidOption

FORMAT = 1
PLAN, RUNS = "plan.json", "runs.jsonl"


class Store:
    """A folder with `plan.json` and `runs.jsonl`.

    A line is written at once and synced; a line that a crash has cut short is cut off when the
    store is opened again.  So a run that was acknowledged is never lost, nor repeated.
    """

    def __init__(self, folder: Path, records: list[dict[str, Any]]) -> None:
        self.folder, self.records = folder, records
        self.file = (folder / RUNS).open("ab")

    def append(self, records: list[dict[str, Any]]) -> None:
        """Keep some records; where the disk is full, nothing of them, and an error says so."""
        text = "".join(json.dumps(record, allow_nan=True) + "\n" for record in records)
        good = self.file.tell()
        try:
            self.file.write(text.encode())
            self.file.flush()
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


def open_store(folder: str | Path, fingerprint: str, count: int) -> Store:
    """The store of a plan, new or with the runs that are in it already."""
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
        if (where / PLAN).exists():
            check_plan(where, fingerprint)
        else:
            refuse_others(where)
            put_whole(where / PLAN, {"format": FORMAT, "fingerprint": fingerprint, "runs": count})
        return Store(where, read_runs(where / RUNS))
    except OSError as error:
        raise InvalidFile(
            f"sweep: the folder {where} cannot be used: {error.strerror or error}.",
            "Give a folder that can be written.",
        ) from error


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
    if any(where.iterdir()):
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
    """All whole lines; what comes after them is cut off."""
    if not path.exists():
        return []
    records: list[dict[str, Any]] = []
    good = 0
    with path.open("rb") as file:
        for line in file:
            try:
                record = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                record = None
            if not isinstance(record, dict) or "run" not in record:
                break
            records.append(record)
            good += len(line)
    if good < path.stat().st_size:
        os.truncate(path, good)
    return records
