"""Errors, warnings, columns, files and provenance are what scripts already rely on."""

import json

import pytest
from contract import STORED, lacking, observed, said
from contract_runs import CASES


@pytest.fixture(scope="module")
def kept():
    return json.loads(STORED.read_text("utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_a_run_shows_at_least_what_it_showed(kept, name):
    changed = [*lacking(kept[name], observed(CASES[name]), name)]
    assert not changed, "\n".join(changed)


def test_every_run_is_kept(kept):
    assert len(kept) == 30
    assert set(kept) == set(CASES)


def test_words_may_change_but_names_and_numbers_may_not():
    names = ("hinge", "rod")
    kept = said("joint 'hinge' is open by 3.2e-02 m at t = 0.5 s: move body 'rod'.", names)
    assert kept == {"names": ["hinge", "rod"], "numbers": [0.032, 0.5]}
    reworded = said("Move 'rod': 'hinge' drifted by 0.0321 m at 0.5 s, 3 % of it.", names)
    assert not [*lacking(kept, reworded)]
    other = said("Move 'rod': a joint drifted by 0.04 m at 0.5 s.", names)
    assert len([*lacking(kept, other)]) == 2
