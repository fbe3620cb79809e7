"""How many steps `method="auto"` tries with implicit methods, and which it takes: without a run."""

from dataclasses import dataclass
from math import inf, nan
from types import SimpleNamespace as Made

import numpy as np
import pytest

import chasles as ch
from chasles.run import implicit_choice
from chasles.run.implicit_choice import (
    by_implicit_steps,
    growth,
    is_stiff,
    longest_step,
    tried,
    work_of,
)

UNTIL = 10.0


@dataclass(frozen=True)
class Asked:
    """The options that the trials read or change."""

    until: float = UNTIL
    spaces: str = "auto"
    method: str = "auto"
    step: float | None = None
    rtol: float | None = 1e-6
    atol: float | None = 1e-9
    first_step: float | None = 1e-3
    max_step: float | None = None
    t_eval: object = None
    save_every: int = 7
    progress: bool = True


def run_of(work, worst=0.0, steps=1):
    """A trial with so much work: evaluations alone."""
    provenance = Made(
        method="bliedf3", evaluations=work, iterations=0, factorisations=0, steps=steps
    )
    return Made(result=Made(provenance=provenance), worst=worst)


@pytest.fixture
def trials(monkeypatch):
    """Trials by a law of their number of steps, instead of runs; the list has what was tried."""

    def follow(law):
        made = []

        def tried(options):
            made.append(options)
            return law(round(UNTIL / options.step))

        monkeypatch.setattr(implicit_choice, "tried", tried)
        return made

    return follow


def steps_of(made):
    return [round(UNTIL / options.step) for options in made]


@pytest.mark.parametrize(
    "method, work",
    [("bliedf3", 100 + 30 + 12 * 10), ("rattlie", 100 + 30 + 10), ("linearly-implicit", 100 + 600)],
)
def test_work_is_counted_in_evaluations(method, work):
    provenance = Made(method=method, evaluations=100, iterations=40, factorisations=10, steps=50)
    assert work_of(Made(provenance=provenance)) == work


@pytest.mark.parametrize(
    "excess, factor",
    [(1.0, 2), (2.79, 2), (2.81, 4), (11.19, 4), (11.21, 8), (1e9, 64), (inf, 4), (nan, 4)],
)
def test_steps_grow_by_a_power_of_two_that_should_do_at_second_order(excess, factor):
    assert growth(excess) == factor


@pytest.mark.parametrize(
    "stiffness, damping, mass", [(100.0, 0.0, 1.0), (0.0, 10.0, 1.0), (100.0, 10.0, 2.0)]
)
def test_a_spring_is_stiff_that_moves_its_lighter_body_in_a_step(stiffness, damping, mass):
    """h (d + h k) = m at h = 0.1."""
    heavy, light = (
        ch.Body(name, weight, (1, 1, 1), position=at)
        for name, weight, at in (("heavy", 9.0, (0, 0, 0)), ("light", mass, (1, 0, 0)))
    )
    for one, other in ((heavy, light), (light, heavy), (ch.GROUND, light), (light, ch.GROUND)):
        for factor, stiff in ((1.01, True), (0.99, False)):
            spring = ch.Spring(
                "spring", one, other, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=factor * stiffness,
                damping=factor * damping,
            )  # fmt: skip
            model = ch.Model([heavy, light], [], [spring])
            assert is_stiff(spring, Made(provenance=Made(step=0.1), model=model)) == stiff


def test_steps_grow_until_the_error_is_what_is_asked_for(trials):
    """e = 1 / n^2: 32 steps miss 1e-5 by 98, after which 32 * 16 do, without tolerances."""
    made = trials(lambda n: run_of(3 * n, 1.0 / n**2))
    found = longest_step(Asked(), 1e-5, 1e5)
    assert found.worst == 1.0 / 512**2 and steps_of(made) == [32, 512]
    for options in made:
        assert (options.rtol, options.atol, options.first_step, options.max_step) == (None,) * 4


@pytest.mark.parametrize("max_step, first", [(None, 32), (1.0, 32), (0.1, 100), (0.0995, 102)])
def test_the_first_trial_has_few_steps_or_those_that_are_asked_for(trials, max_step, first):
    made = trials(lambda n: run_of(n, 0.0))
    assert longest_step(Asked(max_step=max_step), 1e-6, 1e5).worst == 0.0
    assert steps_of(made) == [first]


def test_no_trial_takes_more_work_than_there_is(trials):
    """Two evaluations and a matrix a step: 14 each."""
    made = trials(lambda n: run_of(n, 1.0))
    assert longest_step(Asked(), 1e-6, 14.0 * 32) == "stops, or would take more work"
    assert made == []
    assert longest_step(Asked(), 1e-6, 14.0 * 32 + 1) == "would take more work"
    assert steps_of(made) == [32]
    made = trials(lambda n: run_of(10**6, 0.0))
    assert isinstance(longest_step(Asked(), 1e-6, 10**6), str)
    assert not isinstance(longest_step(Asked(), 1e-6, 10**6 + 1), str)


def test_after_a_stop_there_are_four_times_as_many_steps_and_a_refusal_ends_it(trials):
    def law(n):
        if n < 128:
            raise ch.SimulationStopped("it stopped.", "")
        return run_of(n, 1e-6)

    made = trials(law)
    assert longest_step(Asked(), 1e-6, 1e5).worst == 1e-6 and steps_of(made) == [32, 128]

    def refuse(n):
        raise ch.ChaslesError("simulate: not with this joint.", "Take another.")

    made = trials(refuse)
    assert longest_step(Asked(), 1e-6, 1e5) == "is refused: not with this joint."
    assert len(made) == 1


def test_a_trial_is_judged_by_one_with_twice_its_step_in_sizes_of_the_largest_body(monkeypatch):
    asked, against, runs = [], [], [Made(t=np.array([0.0, 1.0, 2.0, 3.0])), Made()]

    def integrate(options):
        asked.append(options)
        return runs[len(asked) - 1]

    def pose_errors(one, other):
        against.append((one, *other))
        return np.array([0.0, 6.0])

    for name, stub in {
        "integrate": integrate,
        "compared": lambda result: np.array([0, 3]),
        "states": lambda result, rows: (result, *rows),
        "sizes_of": lambda result: np.array([1.0, 3.0]),
        "pose_errors": pose_errors,
    }.items():
        monkeypatch.setattr(implicit_choice, name, stub)
    fine = Asked(step=0.25)
    judged = tried(fine)
    assert asked[0] is fine is judged.options and judged.result is runs[0] and judged.stiff
    coarse = asked[1]
    assert against == [(runs[1], runs[0], 0, 3)]
    assert (coarse.step, coarse.save_every, coarse.progress) == (0.5, 1, False)
    assert list(coarse.t_eval) == [0.0, 3.0] == list(judged.times)
    assert list(judged.estimate) == [0.0, 2.0] and judged.worst == 2.0


@pytest.fixture
def choices(monkeypatch):
    """What comes of every method and spaces, instead of trials."""

    def choose(found, turning=""):
        asked = []

        def answer(options, tol, most_work):
            asked.append((options.method, options.spaces, most_work))
            return found[options.method, options.spaces]

        monkeypatch.setattr(implicit_choice, "longest_step", answer)
        monkeypatch.setattr(implicit_choice, "turning_spring", lambda result: turning)
        return asked

    return choose


FIRST, SECOND = implicit_choice.TRIED


def test_the_second_method_has_to_be_cheaper_than_the_first(choices):
    first, second = run_of(700, steps=20), run_of(300, steps=10)
    asked = choices({(FIRST, "SE3"): first, (SECOND, "SE3"): second})
    outcome = by_implicit_steps(Asked(spaces="SE3"), 1e-6, 1000.0)
    assert asked == [(FIRST, "SE3", 1000.0), (SECOND, "SE3", 700.0)]
    assert outcome.best is second
    assert outcome.words == (f"{FIRST} takes 20 steps", f"{SECOND} takes 10 steps")


def test_charts_are_tried_where_subgroups_are_refused_and_nowhere_else(choices):
    found = run_of(500, steps=8)
    asked = choices({
        (FIRST, "auto"): "is refused: no subgroups.", (FIRST, "framed"): found,
        (SECOND, "auto"): "would take more work",
    })  # fmt: skip
    outcome = by_implicit_steps(Asked(), 1e-6, 1000.0)
    assert [(method, space) for method, space, _ in asked] == [
        (FIRST, "auto"), (FIRST, "framed"), (SECOND, "auto")
    ]  # fmt: skip
    assert outcome.best is found
    assert outcome.words == (f"{FIRST} takes 8 steps", f"{SECOND} would take more work")
    refused = dict.fromkeys([(FIRST, "SE3"), (SECOND, "SE3")], "is refused: never.")
    choices(refused)
    outcome = by_implicit_steps(Asked(spaces="SE3"), 1e-6, 1000.0)
    assert outcome.best is None
    assert outcome.words == (f"{FIRST} is refused: never.", f"{SECOND} is refused: never.")


def test_a_stiff_spring_that_turns_leaves_the_method_out_that_does_not_see_it(choices):
    first, second = run_of(700, steps=20), run_of(300, steps=10)
    choices({(FIRST, "SE3"): first, (SECOND, "SE3"): second}, "is left out: it turns")
    outcome = by_implicit_steps(Asked(spaces="SE3"), 1e-6, 1000.0)
    assert outcome.best is first
    assert outcome.words == (f"{FIRST} takes 20 steps", f"{SECOND} is left out: it turns")
