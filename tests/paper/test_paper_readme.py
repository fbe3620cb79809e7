"""README and docs/paper.md say what the data say: their tables and the picture."""

import re
from pathlib import Path

import pytest

from chasles.studies.paper.printed_top import operations_of_a_stage

PROJECT = Path(__file__).parent.parent.parent
README = (PROJECT / "README.md").read_text(encoding="utf-8")
PAGE = (PROJECT / "docs" / "paper.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \|(.*)\|(.*)\|(.*)\|(.*)\|$", PAGE, flags=re.M)
SHORT = re.findall(r"^\|(.*)\|(.*)\|(.*)\| *((?:holds|does not hold).*)\|$", README, flags=re.M)
COUNTS = {"holds": "thirteen hold", "does not hold": "two do not", "holds only if": "two hold only"}


def test_the_table_gives_every_verdict(claims):
    assert len(ROWS) == len(claims)
    for (_, *_, verdict), claim in zip(ROWS, claims.values()):
        assert verdict.strip().startswith(claim.verdict)
        if claim.verdict == "holds":
            assert verdict.strip() == "holds"


def test_the_summary_counts_the_verdicts(claims):
    words = {"two": 2, "thirteen": 13, "Seventeen": 17}
    assert len(claims) == words["Seventeen"]
    assert "Seventeen statements" in README and "Seventeen statements" in PAGE
    for verdict, text in COUNTS.items():
        assert text in README and text in PAGE
        count = sum(claim.verdict == verdict for claim in claims.values())
        assert count == words[text.split()[0]]


def number(text):
    found = re.search(r"\d+(\.\d+)?e-\d+", text)
    return float(found[0]) if found else None


def test_the_tables_figures_are_measured(claims):
    """Every number in the table is one of the claim's measures, to two digits."""
    for (_, _, proper, product, _), claim in zip(ROWS, claims.values()):
        values = claim.measures
        for text in (proper, product):
            if number(text) is not None:
                assert any(value == pytest.approx(number(text), rel=0.05) for value in values)
            if text.strip() == "round-off":
                assert min(values) < 1e-11


def test_the_short_table_repeats_rows_of_the_long_one():
    assert len(SHORT) == 4
    for _, proper, product, verdict in SHORT:
        [row] = [
            row for row in ROWS
            if [number(text) for text in row[2:4]] == [number(proper), number(product)]
            and row[4].strip().startswith(verdict.split(",")[0].strip())
        ]  # fmt: skip
        assert (row[2].strip() == "round-off") == (proper.strip() == "round-off")


def test_the_tables_operations_are_counted():
    *_, (_, _, proper, product, _) = ROWS
    counts = [operations_of_a_stage(group) for group in ("SE3", "SO3xR3")]
    assert [int(re.search(r"\d+", text)[0]) for text in (proper, product)] == counts


def test_the_picture_is_there_and_follows_the_readers_scheme():
    [path] = re.findall(r"!\[[^\]]*\]\(([^)]*\.svg)\)", README)
    picture = (PROJECT / path).read_text(encoding="utf-8")
    assert picture.startswith("<svg") and "prefers-color-scheme:dark" in picture
    assert all(name in picture for name in ("SE(3)", "framed", "subgroup"))


def test_links_lead_to_files():
    for target in re.findall(r"\]\((?!https://)([^)#]+)\)", README):
        assert (PROJECT / target).exists(), target
