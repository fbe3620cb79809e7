r"""Impacts: a joint's coordinate meets a rigid end and leaves it with a fraction of its rate.

With n the row of the coordinate's rate, $\dot q = n v$, in the velocities v of the pairs, M the
mass matrix there, rotors included, and N the rows of all joints, drivers and couplings, an impact
adds the impulse $\Lambda$ along n and those of the rows, which keep their speeds:

$$ M\,\Delta v + N^T\lambda = n^T\Lambda, \qquad N\,\Delta v = 0, \qquad
   n(v + \Delta v) = -e\,n v . $$

The coefficient of restitution e is 1 for an elastic impact (kinetic energy is kept, whatever the
mechanism) and 0 for an inelastic one.  Poses stay as they are.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.start.rows import constraint_rows, jacobian_at, mass_matrices
from chasles.build.system.build import rotor_places
from chasles.build.system.coordinates import (
    Key,
    coordinate_keys,
    coordinate_rate,
    coupled_matrix,
    coupled_places,
)
from chasles.build.system.tree_state import absolute_of
from chasles.core.arrays import TWIST, Floats
from chasles.core.state_block import EXCHANGED, SUPPLIED, StateBlock
from chasles.model import InvalidOption, Joint, Model
from chasles.model.checks import checked_number
from chasles.model.coordinates import ANGLE, coordinate_key
from chasles.model.errors import short_repr
from chasles.model.joint_forces import checked_ends
from chasles.model.keywords import checked_keywords
from chasles.model.words import Coordinate
from chasles.run.control import Moment
from chasles.run.events import Event, EventFailed, Watcher
from chasles.run.stepper import Stepper

#: A rebound slower than this fraction of the fastest one is a rest: bounces become ever shorter.
AT_REST = 1e-6
#: A coordinate so close to its end (rad or m) that moves outwards meets it at the same time.
TOUCHES = 1e-9
#: Impacts of several ends at one time, at the most.
MOST_AT_ONCE = 64
#: An impulse moves the coordinate by less than this fraction of what it would move it alone.
HELD = 1e-12
#: Entries of N below this share of what is added up in them are rounding errors.
ROUNDED = 1e-12
#: So far inside of an end a coordinate is said to be right after an impact.
TINY = float(np.finfo(float).tiny)
#: A step after an impact is this fraction of the flight at the most: the next step must see the
#: coordinate inside, however short the bounce.
FLIGHT = 0.25


@checked_keywords
@dataclass(frozen=True)
class Impact:
    """Rigid ends of a joint's coordinate, among the events of a run.

    When bounces become too short to resolve, the run stops at rest. A compliant `JointStop` can
    also hold a coordinate at its end.

    Parameters
    ----------
    name
        Key of the impact times, s, in result.events.
    joint
        The joint or its name.
    lower
        Lower end of the coordinate, rad or m, relative to the poses of the model. None: no end.
    upper
        Upper end, likewise.
    restitution
        Coefficient of restitution: speed after the impact divided by the speed before, 0 to 1.
    coordinate
        For joints with two coordinates: "angle" or "displacement".

    Examples
    --------
    >>> Impact("end of the rail", "rail", upper=0.4, restitution=0.5).lower is None
    True
    """

    name: str
    joint: Joint | str
    lower: float | None = None
    upper: float | None = None
    restitution: float = 1.0
    coordinate: Coordinate = "auto"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidOption(
                f"an impact: name must be a string, got {short_repr(self.name)}.", "Give a name."
            )
        where = f"impact '{self.name}'"
        checked_ends(self.lower, self.upper, where, InvalidOption, apart=True)
        share = checked_number(self.restitution, "restitution", where, InvalidOption)
        if not 0.0 <= share <= 1.0:
            raise InvalidOption(
                f"{where}: restitution must be from 0 to 1, got {share:g}.",
                "Give 1 for an elastic impact, 0 for an inelastic one.",
            )

    def ends(self, model: Model) -> list["End"]:
        """One event for every end."""
        key = coordinate_key(model, self.joint, self.coordinate)
        limits = ((self.lower, -1), (self.upper, 1))
        return [End(self, key, limit, side) for limit, side in limits if limit is not None]


class End(Event):
    """One end of a coordinate: its value is how far outside of it the coordinate is."""

    changes = True
    impact: Impact
    key: tuple[str, Any]
    side: int

    def __init__(self, impact: Impact, key: tuple[str, Any], limit: float, side: int) -> None:
        def beyond(t: float, state: Moment) -> float:
            return side * (state.coordinate(*key) - limit)

        super().__init__(beyond, direction=1, name=impact.name)
        object.__setattr__(self, "impact", impact)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "side", side)


def expanded(events: tuple[Any, ...], model: Model) -> tuple[Event, ...]:
    """The events of a run, impacts by their ends."""
    found: list[Event] = []
    for event in events:
        found += event.ends(model) if isinstance(event, Impact) else [event]
    return tuple(found)


class Moving(NamedTuple):
    """A mechanism in the velocities of its pairs at one state."""

    velocity: Floats  # v (v,)
    mass: Floats  # M (v, v), rotors included
    rows: Floats  # N (rows, v) of all joints, drivers and couplings
    along: Floats  # n (v,): the rate of a coordinate


class Bouncer:
    """Bounces of a run."""

    def __init__(self, stepper: Stepper, ends: list[End]) -> None:
        self.stepper, self.ends = stepper, ends
        self.fastest = 0.0  # rebound so far

    @cached_property
    def problem(self) -> TreeProblem:
        """What tells accelerations; few impacts need them."""
        return TreeProblem.from_setup(self.stepper.solver.setup)

    def bounce(self, block: Floats, t: float, hit: End) -> list[End]:
        """Change the velocities of a block at an impact; all ends that were met."""
        met: list[End] = []
        waiting = [hit]
        for _ in range(MOST_AT_ONCE):
            if not waiting:
                return met
            met.append(waiting.pop())
            self.jump(block, t, met[-1])
            waiting = [end for end in self.ends if self.meets(block, t, end)]
        raise EventFailed(
            f"impact '{hit.name}': more than {MOST_AT_ONCE} impacts at t = {t:.6g} s.",
            "Several ends are met at once, with no end; the result up to t is kept.",
        )

    def begin(self, block: Floats, t: float) -> End | None:
        """The end that is met at the start of a run, or None; refuse a start beyond an end.

        Later ones are seen as a change of sign, which there is none of where a run starts at zero.
        """
        state = Moment(self.stepper, block, t)
        for end in self.ends:
            beyond = end.function(t, state)
            if beyond > TOUCHES:
                raise InvalidOption(
                    f"impact '{end.name}': the coordinate of joint '{end.key[0]}' starts at"
                    f" {state.coordinate(*end.key):g}, beyond the end that it is to meet.",
                    "Start between the ends, or move them.",
                )
        for end in self.ends:
            if self.meets(block, t, end) or self.rests(block, t, end):
                return end
        return None

    def rests(self, block: Floats, t: float, end: End) -> bool:
        """Whether a coordinate is at an end without a rate, and something pulls it there."""
        state = Moment(self.stepper, block, t)
        if end.function(t, state) <= -TOUCHES or state.rate(*end.key) != 0.0:
            return False
        return self.pull(block, t, end, moving_at(self.stepper, block, t, end.key)) > 0.0

    def pull(self, block: Floats, t: float, end: End, now: Moving) -> float:
        """The acceleration towards an end."""
        state, problem = StateBlock(block, self.stepper.layout), self.problem
        problem.work.quadratures[: len(state.integrals())] = state.integrals()
        return end.side * float(now.along @ problem.reactions(state.coordinates(), t).rates)

    def flight(self, block: Floats, t: float, end: End) -> float:
        """About how long (s) a coordinate takes to come back to an end; infinite if nothing
        pulls it there.
        """
        now = moving_at(self.stepper, block, t, end.key)
        pull, leaving = self.pull(block, t, end, now), -end.side * float(now.along @ now.velocity)
        return 2.0 * leaving / pull if pull > 0.0 and leaving > 0.0 else np.inf

    def meets(self, block: Floats, t: float, end: End) -> bool:
        state = Moment(self.stepper, block, t)
        side, key = end.side, end.key
        outwards = side * state.rate(*key)
        return end.function(t, state) > -TOUCHES and outwards > AT_REST * self.fastest

    def jump(self, block: Floats, t: float, end: End) -> None:
        """The velocities after one impact."""
        layout, impact, key = self.stepper.layout, end.impact, end.key
        velocity, mass, rows, row = moving_at(self.stepper, block, t, key)
        move = allowed_impulse(mass, rows, row)
        if not row @ move > HELD * (row @ np.linalg.solve(mass, row)):
            raise EventFailed(
                f"impact '{end.name}': the coordinate of joint '{key[0]}' cannot be stopped at"
                f" t = {t:.6g} s: drivers or other joints hold it.",
                "Drive another coordinate, or leave the impact out.",
            )
        rate = float(row @ velocity)
        rebound = impact.restitution * abs(rate)
        after = velocity - (1.0 + impact.restitution) * rate / (row @ move) * move
        gained = 0.5 * (after @ mass @ after - velocity @ mass @ velocity)
        tree = self.stepper.mechanism.tree
        block[tree.stored_count : tree.stored_count + tree.rate_count] = after  # poses stay
        block[layout.carry + tree.rate_count : layout.carry + 2 * tree.rate_count] = 0.0
        block[layout.supply + SUPPLIED] += gained
        block[layout.supply + EXCHANGED] += abs(gained)
        self.fastest = max(self.fastest, rebound, AT_REST * abs(rate))
        if rebound <= AT_REST * max(self.fastest, abs(rate)):
            raise EventFailed(
                f"impact '{end.name}': the coordinate of joint '{key[0]}' comes to rest at its"
                f" end at t = {t:.6g} s.",
                "What is held there is another model: fix the joint, or take a compliant JointStop;"
                " the result up to t is kept.",
            )


def moving_at(stepper: Stepper, block: Floats, t: float, key: Key) -> Moving:
    r"""M, N and n of a block: with the twists $V = A v$, $M = A^T M_b A + I_r$ and $N = J A$."""
    setup, tree, memory = stepper.solver.setup, stepper.mechanism.tree, stepper.mechanism.memory
    point = StateBlock(block, stepper.layout).coordinates()
    count, rates = tree.stored_count, tree.rate_count
    states = np.tile(point, (1 + rates, 1))
    states[1:, count:] = np.eye(rates)
    absolute, units = np.split(absolute_of(tree, memory, states), [1])
    twists = units[:, :, TWIST:]
    jacobian = jacobian_at(setup.system, absolute[0])
    rows = constraint_rows(setup, jacobian, rotors=True).dense(6 * tree.body_count)
    if setup.model.couplings:
        now, keys = Moment(stepper, block, t), coordinate_keys(setup.model)
        angles = {joint: now.coordinate(joint, ANGLE) for joint, word in keys if word == ANGLE}
        rows[coupled_places(setup)] = coupled_matrix(setup, absolute[0], angles)
    along = twists.reshape(rates, -1).T
    added, rows = np.abs(rows) @ np.abs(along), rows @ along
    rows[np.abs(rows) <= ROUNDED * added] = 0.0  # of what carries a body
    places, inertia = rotor_places(setup.system)
    mass = np.einsum("vnk,nkl,wnl->vw", twists, mass_matrices(setup.system), twists, optimize=True)
    mass += rows[places].T @ (inertia[:, None] * rows[places])
    rows[places] = 0.0
    return Moving(point[count:].copy(), mass, rows, coordinate_rate(setup, *key, units))


def allowed_impulse(mass: Floats, jacobian: Floats, row: Floats) -> Floats:
    """The velocities that a unit impulse along a row gives the bodies, as the joints allow."""
    free = np.linalg.solve(mass, row)
    by_joints = np.linalg.solve(mass, jacobian.T)
    pull = np.linalg.lstsq(jacobian @ by_joints, jacobian @ free, rcond=1e-12)[0]
    moved: Floats = free - by_joints @ pull
    return moved


class EventWatch(Watcher):
    """The events and impacts of one run."""

    def __init__(self, events: tuple[Event, ...], stepper: Stepper) -> None:
        super().__init__(events, stepper)
        ends = [end for end in events if isinstance(end, End)]
        self.bouncer = Bouncer(stepper, ends) if ends else None
        self.ending = ""  # what ended the run, in words

    @property
    def is_over(self) -> bool:
        return bool(self.ending)

    def begin(self, block: Floats, t: float) -> End | None:
        """Values at the start, and the end that is met there, if one is."""
        self.renew(block, t)
        met = None if self.bouncer is None else self.bouncer.begin(block, t)
        if met is not None:
            self.found[met.name].append(t)
        return met

    def meet(self, block: Floats, t: float, event: Event) -> float:
        """End the run at an event, or go on from an impact: how long the next step may be, s."""
        if not isinstance(event, End):
            self.ending = f", where event '{event.name}' happened"
            return np.inf
        assert self.bouncer is not None
        met, layout = self.bouncer.bounce(block, t, event), self.stepper.layout
        block[layout.history : layout.seen] = 0.0  # a method begins anew
        for end in met[1:]:
            self.found[end.name].append(t)
        self.renew(block, t)
        for k, watched in enumerate(self.events):
            if watched in met:  # from here on it is inside
                self.last[k] = -abs(self.last[k]) - TINY
        return min(FLIGHT * self.bouncer.flight(block, t, end) for end in met)
