"""The page of the documentation about speed, from what `run.py --page` has measured.

    python benchmarks/run.py --page        measure everything, and write the page
    python benchmarks/page.py              write it again from the stored figures

Figures are in results/page.json; the words are in page.md, in which `{{ ... }}` stand for tables.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from findings import KINDS, rounded

HERE = Path(__file__).parent
STORED = HERE / "results" / "page.json"
WORDS = HERE / "page.md"
PAGE = HERE.parent / "docs" / "benchmarks.md"
IMAGES = HERE.parent / "docs" / "images" / "benchmarks"
SLOT = re.compile(r"\{\{ *(\w+)(?: ([^}]*?))? *\}\}")
SHARE = re.compile(r"had its core for (\d+)%")
VERDICTS = {"pass": "met", "FAIL": "**missed**", "not measured": "not measured"}

Record = dict[str, Any]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: int = 1) -> str:
    """A table whose columns are right-aligned from that number on."""
    marks = ["---" if k < right else "---:" for k in range(len(header))]
    lines = [header, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def requirements(record: Record, words: str) -> str:
    """Limits whose names have one of the words, as a table; no words: all that others left."""
    wanted = [word.strip() for word in words.split(";")]
    rows = [
        (r["what"], rounded(r["measured"]), rounded(r["limit"]), VERDICTS[r["verdict"]])
        for r in record["requirements"]
        if any(word in r["what"] for word in wanted)
    ]
    return table(("row", "measured", "at the most", ""), rows)


def figures(record: Record, words: str) -> str:
    """Figures of cases whose names have one of the words, or are one that follows a "="."""
    wanted = [word.strip() for word in words.split(";")]
    rows, last = [], None
    for f in record["figures"]:
        if not any(word in f["case"] or word == "=" + f["case"] for word in wanted):
            continue
        case = "" if f["case"] == last else f["case"]
        last = f["case"]
        rows.append((case, f["library"], f["variant"], rounded(f["value"]), f["unit"]))
    return table(("", "", "", "measured", ""), rows, right=3)


def precision(record: Record, _: str) -> str:
    """At equal error: what each library takes, and how many times as long as chasles."""
    cases: dict[str, dict[str, Record]] = {}
    for f in record["figures"]:
        if ", error " in f["case"]:
            cases.setdefault(f["case"], {})[f["library"]] = f
    rows = []
    for case, found in cases.items():
        name, _, level = case.partition(", error ")
        ours = found["chasles"]
        cells = [name, level, f"{ours['variant']}: {rounded(ours['value'])} µs"]
        for peer in ("MuJoCo", "Exudyn"):
            f = found.get(peer)
            times = f"{f['variant']}: {rounded(f['value'] / ours['value'])} times" if f else "-"
            cells.append(times)
        rows.append(cells)
    header = ("", "error", "chasles", "MuJoCo", "Exudyn")
    return table(header, rows, right=5)


def summary(record: Record, _: str) -> str:
    """How many limits are met, and which are not."""
    found = record["requirements"]
    missed = [r["what"] for r in found if r["verdict"] == "FAIL"]
    absent = [r["what"] for r in found if r["verdict"] == "not measured"]
    text = f"{len(found) - len(missed) - len(absent)} of {len(found)} limits are met."
    if missed:
        text += " Missed: " + "; ".join(missed) + "."
    if absent:
        text += " Not measured: " + "; ".join(absent) + "."
    return text


def provenance(record: Record, _: str) -> str:
    """The machine, the versions, and what to know about the run."""
    machine = record["machine"]
    rows = [("processor", machine["cpu"]), ("cores", str(machine["cores"]))]
    rows += [("registers", machine["registers"])] if "registers" in machine else []
    rows += [("when", record["when"][:10]), ("effort", record["effort"])]
    rows += [(name, str(version)) for name, version in record["versions"].items()]
    shares = [int(found[1]) for note in record["notes"] if (found := SHARE.search(note))]
    lines = [f"* {note}" for note in record["notes"] if not SHARE.search(note)]
    if shares:
        lines.append(
            f"* others were at work: {len(shares)} cases had their core for {min(shares)} to"
            f" {max(shares)} % of the time, so that caches were shared; CPU time was measured"
        )
    return "\n".join([table(("", ""), rows, right=2), "", *lines])


SLOTS: dict[str, Callable[[Record, str], str]] = {
    "requirements": requirements,
    "figures": figures,
    "precision": precision,
    "summary": summary,
    "provenance": provenance,
}


def page(record: Record, words: str) -> str:
    """The text of the page."""

    def filled(slot: re.Match[str]) -> str:
        return SLOTS[slot[1]](record, slot[2] or "")

    return SLOT.sub(filled, words)


def untold(record: Record, words: str) -> list[str]:
    """Limits that no table of the page shows."""
    shown = "\n".join(
        requirements(record, slot[2] or "")
        for slot in SLOT.finditer(words)
        if slot[1] == "requirements"
    )
    return [r["what"] for r in record["requirements"] if f"| {r['what']} |" not in shown]


def others(record: Record, words: str) -> str:
    """What no other table shows: cases that stopped."""
    left = untold(record, WORDS.read_text("utf-8"))
    return requirements(record, ";".join(left)) if left else ""


SLOTS["others"] = others


def whole(stored: Record) -> Record:
    """What the cases have found, one after the other."""
    found: Record = {kind: [] for kind in KINDS}
    for case in stored["cases"].values():
        for kind in KINDS:
            found[kind] += case[kind]
    found["notes"] = found["notes"] + stored["notes"]
    return {**stored, **found}


def store(record: Record, order: Sequence[str], anew: bool) -> None:
    """Keep what was measured, beside what other runs have measured unless it is anew; the page."""
    general = [note for note in record["notes"] if not in_a_case(note, record)]
    cases = {name: {**case, "when": record["when"]} for name, case in record["cases"].items()}
    if not anew and STORED.exists():
        cases = json.loads(STORED.read_text("utf-8"))["cases"] | cases
    kept = {
        **record,
        "notes": general,
        "cases": {name: cases[name] for name in order if name in cases},
    }
    STORED.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    write(kept)


def in_a_case(note: str, record: Record) -> bool:
    return any(note in case["notes"] for case in record["cases"].values())


def write(stored: Record) -> None:
    """The page, and its pictures."""
    from plots import draw

    record = whole(stored)

    IMAGES.mkdir(parents=True, exist_ok=True)
    draw(record, IMAGES)
    PAGE.write_text(page(record, WORDS.read_text("utf-8")), "utf-8")


def main() -> int:
    if not STORED.exists():
        print("nothing is stored: python benchmarks/run.py --page", file=sys.stderr)
        return 1
    write(json.loads(STORED.read_text("utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
