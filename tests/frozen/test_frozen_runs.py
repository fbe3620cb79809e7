"""What charts of six dimensions gave before they had one kernel with joint subgroups."""

from collections import defaultdict

import pytest
from frozen import STORED, TOLERANCE, Run, difference, stored
from model_runs import runs as model_runs
from row_runs import runs as row_runs

#: Runs that may differ by more: by how much, and why.
EXCEPTIONS: dict[str, tuple[float, str]] = {}

GROUPS: dict[str, list[Run]] = defaultdict(list)
for one in (*model_runs(), *row_runs()):
    GROUPS[one.group].append(one)


@pytest.fixture(scope="module")
def kept():
    return stored()


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("group", GROUPS)
def test_runs_come_out_as_they_were(kept, group):
    changed = {}
    for run in GROUPS[group]:
        allowed, _ = EXCEPTIONS.get(run.name, (TOLERANCE, ""))
        try:
            apart = difference(run.result(), kept[run.name])
        except Exception as error:  # the others of the group are still looked at
            changed[run.name] = f"{type(error).__name__}: {error}"
            continue
        if not apart <= allowed:
            changed[run.name] = f"{apart:.1e}, not within {allowed:.0e}"
    assert not changed, "\n".join(f"{name}: {what}" for name, what in changed.items())


def test_every_run_is_kept_once_and_every_exception_is_one_of_them(kept):
    names = [run.name for runs in GROUPS.values() for run in runs]
    assert sorted(names) == sorted(kept)
    assert set(EXCEPTIONS) <= set(names)
    assert STORED.stat().st_size < 2e6
