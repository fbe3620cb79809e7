"""What charts of six dimensions gave before they had one kernel with joint subgroups."""

from collections import defaultdict

import pytest
from combinations import covering
from frozen import STORED, TOLERANCE, Run, difference, stored
from model_runs import runs as model_runs
from row_runs import runs as row_runs

import chasles as ch

#: Mechanisms with nothing in common: each of them once, and each of their spaces, is enough.
APART = ("gallery", "library")
#: Rows of which no pair of floating bodies is among the runs.
GROUNDED = ("rows of gear", "rows of driven point", "rows of coupling", "rows of custom coupling")

GROUPS: dict[str, list[Run]] = defaultdict(list)
for one in (*model_runs(), *row_runs()):
    GROUPS[one.group].append(one)

#: Runs that may differ by more: by how much, and why, and which.
EXCEPTIONS: list[tuple[float, str, list[str]]] = [
    (
        1e-8,
        "nothing ties these to the ground, and their charts are relative: the chart kernel kept"
        " their momentum beside the steps; whoever keeps their angular momentum and the path of"
        " their centre of mass too, as on subgroups, moves them by the error of the method",
        [
            "paper: floating pair, framed",
            "paper: floating pair, SO3xR3 relative",
            "library: satellite, framed",
            "chains and trees: platform and top, framed",
            "chains and trees: floating tree, framed",
            *(
                f"{group}: two bodies, framed{stabilise}"
                for group in GROUPS
                for stabilise in ("", ", projection")
                if group.startswith("rows of") and group not in GROUNDED
            ),
        ],
    ),
    (
        1e-9,
        "reactions of index 3: a rounding of a pose over the square of the step",
        [
            f"methods: {model}, {method}"
            for model in (
                "double pendulum, SE3",
                "double pendulum, SO3xR3",
                "double pendulum, framed",
                "three-bar, SE3",
                "cart on springs, SO3xR3",
            )
            for method in ("generalized-alpha", "bliedf2")
        ],
    ),
    (
        1e-8,
        "Newton's iteration is slow there, and ends where a change below 1e-8 of the speed no"
        " longer halves",
        [
            "methods: double pendulum, SE3, generalized-alpha index 2",
            "methods: double pendulum, SO3xR3, generalized-alpha index 2",
        ],
    ),
]
#: Starts in singular poses, from which several motions are possible: no step made them converge.
REFUSED = [f"loops, towers and nets: flat net of 3 x 3, {chart}" for chart in ("SE3", "SO3xR3")]
ALLOWED = {name: most for most, _, names in EXCEPTIONS for name in names}


@pytest.fixture(scope="module")
def kept():
    return stored()


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_runs_come_out_as_they_were(kept, group, every):
    """Every one, or any two words of their names in one of them."""
    changed, runs = {}, GROUPS[group]
    if not every:
        together = 1 if group in APART else 2
        runs = covering(runs, lambda run: run.name.split(": ")[1].split(", "), together)
    for run in runs:
        if run.name in REFUSED:
            with pytest.raises(ch.InconsistentStart, match="several motions"):
                run.result()
            continue
        allowed = ALLOWED.get(run.name, TOLERANCE)
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
    assert set(ALLOWED) | set(REFUSED) <= set(names)
    assert STORED.stat().st_size < 2e6
