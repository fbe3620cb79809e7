"""When energies and reactions of a run are not trusted, rule by rule: nothing is run."""

from types import SimpleNamespace as Made

import numpy as np
import pytest

import chasles as ch
from chasles.core.arrays import POSE_X, TWIST
from chasles.integrators.rattlie import RATTLIE
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.run import checks
from chasles.run.checks import UNBALANCED, missed_energy, rounded_reactions

# --- energy ---


class Ended:
    """A run whose kinetic energy goes from 1 to 4 J, with what it misses at its end."""

    def __init__(self, monkeypatch, missed=0.0, states=50, potential=0.0, work=(), stops=(),
                 unseen=0.0, kinetic=(1.0, 4.0)):  # fmt: skip
        self.looked = 0
        forces = [ch.JointStop(name, "hinge", upper=1.0, stiffness=1.0) for name in stops]
        forces += [
            ch.TorsionSpring(f"spring {k}", "hinge", stiffness=1.0) for k in range(len(work))
        ]
        self.setup = Made(model=Made(forces=forces))
        integrals = np.outer(np.linspace(0, 1, states), [*([0.0] * len(stops)), *work, 99.0]) + 5.0
        self.saved = Made(times=np.arange(states), absolute=np.arange(states), integrals=integrals)
        self.said, self.method = [], None
        self.run = Made(watch=None, stepper=Made(scheme=None), pace=Made(typical_step=0.125))
        books = Made(
            kinetic_of_all=lambda setup, rows: self.see(rows, *kinetic),
            potential_of_all=lambda setup, rows, _: np.linspace(0.5, 0.5 + potential, len(rows)),
            balance=lambda setup, rows, _: np.array([0.0, -missed, 0.5 * missed]),
        )
        monkeypatch.setattr(checks, "energy", books)
        monkeypatch.setattr(checks, "left_at_the_end", lambda ended: missed)
        monkeypatch.setattr(checks, "unseen_energy", lambda ended: unseen)

    def see(self, rows, first, last):
        self.looked = len(rows)
        return np.linspace(first, last, len(rows))


@pytest.mark.parametrize(
    "missed, more, told",
    [
        (0.21, {}, True),  # of the largest kinetic energy, 4 J
        (0.19, {}, False),
        (0.21, {"potential": 5.0}, False),
        (0.26, {"potential": 5.0}, True),
        (0.248, {"work": (2.0, -3.0)}, False),
        (0.26, {"work": (2.0, -3.0)}, True),
        (0.21, {"unseen": 0.22}, False),
        (0.21, {"unseen": 0.20}, True),
        (0.21, {"states": 49}, False),
        (0.16, {"stops": ("stop",)}, True),  # of what changes of it, 3 J
        (0.14, {"stops": ("stop",)}, False),
        (0.16, {"stops": ("stop",), "states": 5}, True),
        (0.16, {"stops": ("stop",), "potential": 4.0}, False),
        (1.0, {"kinetic": (0.0, 0.0)}, False),
    ],
)
def test_a_twentieth_of_the_energy_of_the_motion_is_told(monkeypatch, missed, more, told):
    assert bool(missed_energy(Ended(monkeypatch, missed, **more))) == told


def test_what_is_told_names_the_share_and_the_contacts(monkeypatch):
    (said,) = missed_energy(Ended(monkeypatch, 0.4))
    assert "error is 0.4 J, 10 % of that of the motion: steps of 0.125 s" in said
    assert "do not resolve the motion, and it is not right" in said
    (said,) = missed_energy(Ended(monkeypatch, 0.3, stops=["a"]))
    assert "10 %" in said and "impacts of contact 'a', and the motion after them" in said
    (said,) = missed_energy(Ended(monkeypatch, 0.3, stops="abcde"))
    assert "impacts of contacts 'a', 'b', 'c', 'd', and" in said


def test_impacts_and_damped_vibrations_are_not_booked_and_nothing_is_told_twice(monkeypatch):
    ended = Ended(monkeypatch, 1.0)
    for bouncer, told in ((None, True), ("bouncer", False)):
        ended.run.watch = Made(bouncer=bouncer)
        assert bool(missed_energy(ended)) == told
    ended.run.watch, ended.run.stepper.scheme = None, tuple.__new__(LinearlyImplicit, ())
    assert missed_energy(ended) == []
    ended = Ended(monkeypatch, 1.0, stops=["a"])
    ended.run.watch = Made(bouncer="bouncer")
    assert missed_energy(ended) != []
    ended.said.append(f"{UNBALANCED} 7 %")
    assert missed_energy(ended) == []


@pytest.mark.parametrize(
    "states, stops, looked",
    [(1999, (), 1999), (2000, (), 1000), (2000, "a", 2000), (99_999, "a", 99_999),
     (100_000, "a", 50_000)],
)  # fmt: skip
def test_some_states_are_looked_at_and_more_where_impacts_are_short(
    monkeypatch, states, stops, looked
):
    ended = Ended(monkeypatch, 0.0, states=states, stops=stops)
    missed_energy(ended)
    assert ended.looked == looked


# --- reactions ---


def far_away(far=1e4, spin=0.0, step=1e-4, index=3, name="generalized-alpha", rows=1, gravity=10.0,
             states=2):  # fmt: skip
    absolute = np.full((states, 2, 18), 1e9)  # what else there is
    absolute[..., POSE_X : POSE_X + 3] = absolute[..., TWIST : TWIST + 3] = 0.0
    absolute[-1:, 1, POSE_X + 1], absolute[-1:, 0, TWIST + 2] = -far, -spin
    run = Made(
        stepper=Made(mechanism=Made(loops=Made(row_count=rows))), pace=Made(typical_step=step)
    )
    return Made(
        run=run, method=Made(index=index, name=name),
        setup=Made(model=Made(gravity=(0, 0, -gravity)), longest_lever=2.0),
        saved=Made(times=np.zeros(states), absolute=absolute),
    )  # fmt: skip


def limit(far, usual):
    """The step at which 2 eps |x| / h^2 is 3e-5 of the usual accelerations."""
    return np.sqrt(2 * np.finfo(float).eps * far / (3e-5 * usual))


@pytest.mark.parametrize("spin, usual", [(0.0, 10.0), (3.0, 10.0 + 9.0 * 2.0)])
def test_reactions_that_rounding_takes_are_told_by_gravity_and_rotation(spin, usual):
    step = limit(1e4, usual)
    assert rounded_reactions(far_away(spin=spin, step=1.01 * step)) == []
    (said,) = rounded_reactions(far_away(spin=spin, step=0.1 * step))
    assert "about 0.3 % of those" in said and "1e+04 m from the origin" in said
    assert f"the step of {0.1 * step:g} s" in said


def test_only_methods_with_multipliers_from_gaps_lose_them_and_only_far_away():
    tiny = 1e-7
    for more, told in (
        ({}, True), ({"index": 2}, False), ({"index": 2, "name": next(iter(RATTLIE))}, True),
        ({"rows": 0}, False), ({"states": 0}, False), ({"far": 1999.0}, False),
        ({"far": 2001.0}, True), ({"gravity": 0.0}, False), ({"gravity": 0.0, "spin": 1.0}, True),
    ):  # fmt: skip
        assert bool(rounded_reactions(far_away(step=tiny, **more))) == told, more
