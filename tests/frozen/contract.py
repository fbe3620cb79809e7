"""What users and their scripts rely on: errors, warnings, columns, files and provenance of 30 runs.

    PYTHONPATH=/folder/of/ad5dd95/src python tests/frozen/contract.py    makes contract.json

Words of messages may change.  What is kept of one is the class of the error, and the names of the
model and the numbers that its text has: each must be in the text that takes its place.
"""

import json
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contract_runs import CASES, Case

import chasles as ch

STORED = Path(__file__).with_name("contract.json")
#: Numbers below this are rounding, which differs from kernel to kernel.
ROUNDING = 1e-11
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")
#: Of the provenance: what does not depend on how a run is computed.
FACTS = (
    "acceleration", "method", "order", "step", "steps", "until", "spaces", "stabilise",
    "stabilised", "singular", "start", "kernel",
)  # fmt: skip


def said(text: str, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """The names of the model in a text, and its numbers, other than those of names and groups."""
    there = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    for words in (r"'[^'\n]*'", r"S[EO]\(3\)", *map(re.escape, there)):
        text = re.sub(rf"(?<!\w){words}", " ", text)
    numbers = {float(found) for found in NUMBER.findall(text)}
    return {
        "names": sorted(set(there)),
        "numbers": sorted(number for number in numbers if abs(number) > ROUNDING),
    }


def names_of(model: ch.Model) -> tuple[str, ...]:
    return (*model.body_names, *model.joint_names, *model.force_names, *model.driver_names)


def observed(case: Case) -> dict[str, Any]:
    """What a run shows: its error, or its result; and the warnings on the way."""
    model, found, result = case.build(), {}, None
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = case.act(model, Path(folder))
        except ch.ChaslesError as error:
            words = said(str(error), names_of(model))
            found["error"] = type(error).__name__
            found["said"] = {key: words[key] for key in words if key not in case.loose}
            result = getattr(error, "result", None)
    found |= result if isinstance(result, dict) else shown(result) if result is not None else {}
    if "numbers" in case.loose and "facts" in found:
        del found["facts"]["steps"]
    texts = [str(one.message) for one in caught if issubclass(one.category, ch.ChaslesWarning)]
    if texts:
        found["warnings"] = [said(text, names_of(model)) for text in texts]
    return json.loads(json.dumps(found))


def shown(result: ch.Result) -> dict[str, Any]:
    """Columns with their units, and where a result says that it comes from."""
    frame, provenance = result.frame(), result.provenance
    facts = {key: provenance[key] for key in FACTS}
    return {
        "status": result.status,
        "columns": {column: frame.attrs["units"][column] for column in frame.columns},
        "variables": variables(result.to_xarray()),
        "provenance": sorted(provenance),
        "facts": facts | {"spaces": dict(facts["spaces"]), "stabilised": [*facts["stabilised"]]},
        "redundant": result.redundancy is not None,
        "singular at": {"numbers": [time for time, _, _ in result.singular_poses]},
    }


def variables(dataset: Any) -> dict[str, Any]:
    """Name -> dimensions and unit, of what a file holds."""
    everything = {**dataset.coords, **dataset.data_vars}
    return {
        str(name): [*map(str, one.dims), one.attrs.get("units", "")]
        for name, one in sorted(everything.items())
    }


# --- comparing ------------------------------------------------------------------------------------


def lacking(kept: Any, now: Any, where: str = "") -> Iterator[str]:
    """What was there and no longer is; more may be there than was."""
    if where.endswith("numbers"):
        for number in kept:
            if not any(abs(number - other) <= 0.02 * abs(number) for other in now):
                yield f"{where}: {number:g} is not among {now}"
    elif isinstance(kept, dict) and isinstance(now, dict):
        for key, value in kept.items():
            if key in now:
                yield from lacking(value, now[key], f"{where} / {key}")
            else:
                yield f"{where}: no '{key}' any more"
    elif where.endswith(("names", "/ provenance")):
        yield from (f"{where}: no '{one}' any more" for one in kept if one not in now)
    elif isinstance(kept, list) and isinstance(now, list) and where.endswith("warnings"):
        for k, one in enumerate(kept):
            if not any(not [*lacking(one, other)] for other in now):
                yield f"{where}: number {k + 1}, {one}, is not among {now}"
    elif kept != now:
        yield f"{where}: {now!r}, was {kept!r}"


def main(path: Path) -> None:
    found = {name: observed(case) for name, case in CASES.items()}
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{len(found)} runs, {path.stat().st_size / 1e3:.0f} kB: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else STORED)
