r"""Impacts: a joint's coordinate meets a rigid end and leaves it with a fraction of its rate.

With n the row of the coordinate's rate, $\dot q = n V$, in absolute body twists, an impact adds the
impulse $\Lambda$ along it and those of the joints and drivers, which keep their speeds:

$$ M\,\Delta V + J^T\lambda = n^T\Lambda, \qquad J\,\Delta V = 0, \qquad
   n(V + \Delta V) = -e\,n V . $$

M has the inertias of rotors, J the rows of couplings; bodies without mass have rows only.

The coefficient of restitution e is 1 for an elastic impact (kinetic energy is kept, whatever the
mechanism, but for the work of drivers that move) and 0 for an inelastic one.  Poses stay as they
are.
"""

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from chasles.build.dynamics.equations import Equations, equations_at, equations_of_pairs
from chasles.build.dynamics.tree_problem import TreeProblem, needs_tree
from chasles.build.system.coordinates import coordinate_rate
from chasles.build.system.tree_state import state_of
from chasles.core.arrays import TWIST, Floats
from chasles.core.state_block import EXCHANGED, SUPPLIED, StateBlock
from chasles.model import InvalidFile, InvalidOption, Joint, Model
from chasles.model.checks import checked_number
from chasles.model.coordinates import coordinate_key
from chasles.model.errors import short_repr
from chasles.model.joint_forces import checked_ends
from chasles.model.keywords import checked_keywords
from chasles.model.words import Coordinate
from chasles.result.provenance import Checkpoint
from chasles.run.control import Moment
from chasles.run.events import Event, EventFailed, Watcher, checked_events
from chasles.run.stepper import Stepper

#: A rebound slower than this fraction of the fastest one of its coordinate is a rest: bounces
#: become ever shorter.
AT_REST = 1e-6
#: A rate that is this fraction of what the energy of the motion could give is rounding.
ROUNDING = 1e-13
#: A coordinate so close to its end (rad or m) that moves outwards meets it at the same time.
TOUCHES = 1e-9
#: Impacts of several ends at one time, at the most.
MOST_AT_ONCE = 64
#: An impulse moves the coordinate by less than this fraction of what it would move it alone.
HELD = 1e-12
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
        "angle", "displacement" or "auto" (the angle, if the joint has both).

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
        return [self.end(key, limit, side) for limit, side in limits if limit is not None]

    def end(self, key: tuple[str, Any], limit: float, side: int) -> "End":
        def beyond(t: float, state: Moment) -> float:
            return side * (state.coordinate(*key) - limit)

        return End(beyond, 1, name=self.name, impact=self, key=key, limit=float(limit), side=side)


@dataclass(frozen=True, kw_only=True)
class End(Event):
    """One end of a coordinate: its value is how far outside of it the coordinate is."""

    changes = True
    impact: Impact
    key: tuple[str, Any]
    limit: float
    side: int


def identity(event: Event) -> tuple[Any, ...]:
    """What an event is, but for its function."""
    own: tuple[Any, ...] = event.name, int(event.direction), bool(event.terminal)
    if isinstance(event, End):
        own += event.key, event.limit, event.side, float(event.impact.restitution)
    return own


def watched_events(events: Any, model: Model) -> tuple[Event, ...]:
    """The events of a run, impacts by their ends."""
    found: list[Event] = []
    for event in checked_events(events, (Impact,)):
        found += event.ends(model) if isinstance(event, Impact) else [event]
    return tuple(found)


def rate_row(stepper: Stepper, key: tuple[str, str], absolute: Floats) -> Floats:
    """n (6 n,): the rate of a coordinate is linear in the twists of the bodies."""
    count = absolute.shape[0]
    units = np.repeat(absolute[None], 6 * count, axis=0)
    units[:, :, TWIST:] = np.eye(6 * count).reshape(-1, count, 6)
    row: Floats = coordinate_rate(stepper.solver.setup, *key, units)
    return row


class Bouncer:
    """Bounces of a run."""

    def __init__(self, stepper: Stepper, ends: list[End]) -> None:
        self.stepper, self.ends = stepper, ends
        self.fastest = {end.key: 0.0 for end in ends}  # rebound so far, rad/s or m/s
        setup = stepper.solver.setup
        self.pairs = TreeProblem.from_setup(setup) if needs_tree(setup) else None

    def bounce(self, block: Floats, t: float, hit: End) -> list[End]:
        """Change the velocities of a block at an impact; all ends that were met."""
        met: list[End] = []
        waiting = [hit]
        for _ in range(MOST_AT_ONCE):
            if not waiting:
                self.part(block, t)
                return met
            met.append(waiting.pop())
            self.jump(block, t, met[-1])
            waiting = [end for end in self.ends if self.meets(block, t, end)]
        raise EventFailed(
            f"impact '{hit.name}': more than {MOST_AT_ONCE} impacts at t = {t:.6g} s.",
            "Several ends are met at once, with no end; the result up to t is kept.",
        )

    def begin(self, block: Floats, t: float) -> End | None:
        """The end that is met at the start of a run, where no sign changes, or None; refuse a start
        beyond an end.
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
        _, found, row = self.motion(block, t, end)
        return float(end.side * row @ found.acceleration) > 0.0

    def motion(self, block: Floats, t: float, end: End) -> tuple[Floats, Equations, Floats]:
        """Absolute states of the bodies, the equations of motion, and the row of the rate at an
        end.
        """
        state, form = StateBlock(block, self.stepper.layout), self.stepper.solver.form
        absolute = self.stepper.absolute(state.coordinates()[None])[0]
        if self.pairs is None:
            found = equations_at(form, absolute, t, state.integrals())
        else:
            found = equations_of_pairs(form.setup, self.pairs, absolute, t, state.integrals())
        return absolute, found, rate_row(self.stepper, end.key, absolute)

    def flight(self, block: Floats, t: float, end: End) -> float:
        """About how long (s) a coordinate takes to come back to an end; infinite if nothing
        pulls it there.
        """
        _, found, row = self.motion(block, t, end)
        pull = float(end.side * row @ found.acceleration)
        leaving = -float(end.side * row @ found.velocity)
        return 2.0 * leaving / pull if pull > 0.0 and leaving > 0.0 else np.inf

    def approach(self, block: Floats, t: float, end: End) -> float:
        """The rate at which a coordinate moves outwards at its end; 0 if it does not."""
        state = Moment(self.stepper, block, t)
        if end.function(t, state) <= -TOUCHES:
            return 0.0
        return max(0.0, end.side * state.rate(*end.key))

    def meets(self, block: Floats, t: float, end: End) -> bool:
        outwards = self.approach(block, t, end)
        if outwards <= AT_REST * self.fastest[end.key]:
            return False
        return outwards > ROUNDING * self.largest_rate(block, t, end)

    def part(self, block: Floats, t: float) -> None:
        """Coordinates that only the rounding of an impact moves outwards at their ends leave them,
        at a rate as small as rounding; else the next step would meet these ends again.
        """
        for _ in range(MOST_AT_ONCE):
            moved = False
            for end in self.ends:
                outwards = self.approach(block, t, end)
                least = ROUNDING * self.largest_rate(block, t, end) if outwards else 0.0
                if 0.0 < outwards <= least:
                    self.push(block, t, end, 0.0, least)
                    moved = True
            if not moved:
                return

    def largest_rate(self, block: Floats, t: float, end: End) -> float:
        r"""What a rate could be with the energy of the motion:
        $(nV)^2 \le n M^{-1} n^T\, V^T M V$.
        """
        _, found, row = self.motion(block, t, end)
        energy = found.velocity @ found.mass @ found.velocity
        return float(np.linalg.norm(row / mass_roots(found.mass)) * np.sqrt(energy))

    def jump(self, block: Floats, t: float, end: End) -> None:
        """The velocities after one impact."""
        share, key = end.impact.restitution, end.key
        rate = self.push(block, t, end, share)
        rebound = share * abs(rate)
        self.fastest[key] = max(self.fastest[key], rebound, AT_REST * abs(rate))
        if rebound <= AT_REST * max(self.fastest[key], abs(rate)):
            raise EventFailed(
                f"impact '{end.name}': the coordinate of joint '{key[0]}' comes to rest at its"
                f" end at t = {t:.6g} s.",
                "Continue with another model: fix the joint there, or take a compliant JointStop;"
                " the result up to t is kept.",
            )

    def push(self, block: Floats, t: float, end: End, share: float, leaving: float = 0.0) -> float:
        """An impulse after which a coordinate leaves its end with a share of its rate, and more by
        `leaving`; the rate before it.
        """
        stepper, key = self.stepper, end.key
        absolute, found, row = self.motion(block, t, end)
        move = allowed_impulse(found.mass, found.jacobian, row)
        if not row @ move > HELD * np.sum((row / mass_roots(found.mass)) ** 2):
            raise EventFailed(
                f"impact '{end.name}': the coordinate of joint '{key[0]}' cannot be stopped at"
                f" t = {t:.6g} s: drivers or other joints hold it.",
                "Drive another coordinate, or leave the impact out.",
            )
        rate = float(row @ found.velocity)
        change = -(1.0 + share) * rate - end.side * leaving
        after = found.velocity + change / (row @ move) * move
        gained = 0.5 * (after @ found.mass @ after - found.velocity @ found.mass @ found.velocity)
        put_velocities(stepper, block, absolute, after)
        block[stepper.layout.supply + SUPPLIED] += gained
        block[stepper.layout.supply + EXCHANGED] += abs(gained)
        return rate


def mass_roots(mass: Floats) -> Floats:
    """The square roots of a mass matrix's diagonal; of the largest entry where there is none."""
    own = np.diag(mass)
    roots: Floats = np.sqrt(np.where(own > 0.0, own, own.max(initial=0.0)))
    return roots


def allowed_impulse(mass: Floats, jacobian: Floats, row: Floats) -> Floats:
    """The velocities that a unit impulse along a row gives the bodies, as the joints allow."""
    count, sizes = len(mass), mass_roots(mass)
    rows = jacobian / sizes
    lengths = np.linalg.norm(rows, axis=1)
    rows = rows / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    matrix = np.zeros((count + len(rows), count + len(rows)))
    matrix[:count, :count] = mass / np.outer(sizes, sizes)
    matrix[count:, :count], matrix[:count, count:] = rows, rows.T
    pushed = np.concatenate((row / sizes, np.zeros(len(rows))))
    moved: Floats = np.linalg.lstsq(matrix, pushed, rcond=1e-12)[0][:count] / sizes
    return moved


def put_velocities(stepper: Stepper, block: Floats, absolute: Floats, velocity: Floats) -> None:
    """New body twists (6 n,) into a block, whose poses stay to the bit."""
    layout, mechanism = stepper.layout, stepper.mechanism
    moved = absolute.copy()
    moved[:, TWIST:] = velocity.reshape(-1, 6)
    tree = mechanism.tree
    first, rates = tree.stored_count, tree.rate_count
    block[first : first + rates] = state_of(tree, moved)[first:]
    block[layout.carry + rates : layout.carry + 2 * rates] = 0.0


class EventWatch(Watcher):
    """The events and impacts of one run."""

    def __init__(self, events: tuple[Event, ...], stepper: Stepper) -> None:
        super().__init__(events, stepper)
        ends = [end for end in events if isinstance(end, End)]
        self.bouncer = Bouncer(stepper, ends) if ends else None
        self.fastest = {} if self.bouncer is None else self.bouncer.fastest
        self.ending = ""  # what ended the run, in words
        self.identity = float(crc32(repr([*map(identity, events)]).encode()))

    def memory(self) -> Floats:
        """What is known at the beginning of a step: values, the fastest rebounds, and of which
        events; nothing before the first.
        """
        known = [*self.last, *self.fastest.values(), self.identity]
        return np.array(known if self.last else [])

    def are_events_of(self, begun: Checkpoint) -> bool:
        """Whether another run, of which this is known, had the same events."""
        known, count = begun.watched, len(self.events) + len(self.fastest) + 1
        return bool(known.size == count and np.isfinite(known).all() and known[-1] == self.identity)

    def recall(self, begun: Checkpoint, found: dict[str, list[float]]) -> None:
        """Go on with the events of another run."""
        if not self.are_events_of(begun) or [*found] != [*self.found]:
            raise InvalidFile(
                "resume: what is known of events belongs to other events.",
                "Repeat the call that began the run, or record into another folder.",
            )
        self.found, self.last = found, begun.watched[: len(self.events)].tolist()
        self.recall_rebounds(begun)

    def recall_rebounds(self, begun: Checkpoint) -> None:
        """Go on with the fastest rebounds of a run, if it had the same events."""
        if self.are_events_of(begun):
            self.fastest.update(zip(self.fastest, begun.watched[len(self.events) :].tolist()))

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
