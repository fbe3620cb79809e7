"""The paper's claims: each sentence that can be tested, its figures, and the verdict by a rule.

Their words are in words.toml, with what those need that compare one number on both groups.
"""

from dataclasses import fields
from typing import Any

from chasles.studies.paper.claims import rules
from chasles.studies.paper.claims.findings import FINDINGS, compared
from chasles.studies.paper.claims.rules import ONLY_IF, Claim
from chasles.studies.paper.study import Study
from chasles.studies.words import filled, words

#: The figures on both groups and in the subgroups, where words say nothing else.
USUAL = {
    False: {"proper": "{a:m}", "product": "{b:m}", "subgroup": "{inside:m}"},
    True: {"proper": "{a:s}", "product": "{b:s}", "subgroup": "{inside:s}"},
}
TEXTS = tuple(f.name for f in fields(Claim) if f.name not in ("key", "verdict", "measures"))


def all_claims(study: Study) -> list[Claim]:
    """Every claim about the examples of this report, in the paper's order."""
    entries = words()["claims"].items()
    return [claim(study, key, own) for key, own in entries if all(map(study.has, own["needs"]))]


def claim(study: Study, key: str, entry: dict[str, Any]) -> Claim:
    usual = USUAL["energy" in entry] if "judged" in entry else {}
    finding = FINDINGS[key](study) if key in FINDINGS else compared(study, entry)
    values = {**vars(rules), **finding.values}
    texts = {name: filled(t, values) for name, t in {**usual, **entry}.items() if name in TEXTS}
    if finding.verdict != ONLY_IF:
        texts["condition"] = ""
    return Claim(key=key, verdict=finding.verdict, measures=tuple(finding.measures), **texts)
