"""Cut joints: those that close loops, or tie bodies on charts, with their rows of J."""

from typing import NamedTuple

from chasles.core.arrays import Floats


class Term(NamedTuple):
    """A coordinate that a coupling names."""

    body: int  # whose joint has it
    slot: int  # which of the joint's coordinates it is
    stored: int  # where it stands in a state
    rate: int  # ... and its rate among the velocities
    turns: int  # 1 for an angle
    powers: tuple[float, ...]  # f(q) = powers[0] q + powers[1] q^2 + ...
    point: Floats  # of the joint on the body, from its centre of mass in its axes


class Gauge(NamedTuple):
    """A coordinate of a joint that has rows, where a coupling names one: poses tell it."""

    a: int  # its bodies; -1: the ground
    b: int
    frames: tuple[Floats, Floats, Floats, Floats]  # axes and point on a, axes and point on b
    sign: float  # -1 where the bodies are in the opposite order
    turns: int  # 1 for an angle
    angle_at: int  # where its whole turns are counted among the integrals; -1 of a displacement
    powers: tuple[float, ...]  # see `Term`

    @property
    def bodies(self) -> tuple[int, ...]:
        """Those that move."""
        return tuple(body for body in (self.a, self.b) if body >= 0)


class LoopConstraint(NamedTuple):
    """A cut joint: its number in the system, its bodies, and the rows that are kept."""

    joint: int
    a: int  # -1: the ground
    b: int
    rows: tuple[int, ...]  # numbers of rows of J
    balanced: bool = True  # whether its wrenches on the two bodies balance
    terms: tuple[Term, ...] = ()  # of a coupling of coordinates, which has no bodies
    gauges: tuple[Gauge, ...] = ()  # ... and of one of joints that have rows
    offset: float = 0.0
    ties: tuple[int, ...] = ()  # bodies of a coupling by a user's formula, or of the gauges
    address: int = 0  # of that formula
    shifts: int = 0  # the first row of J that locks a shift: turns before it go together
    rotors: tuple[float, ...] = ()  # by row: inertia of a rotor, whose rows give way

    @property
    def is_coupling(self) -> bool:
        """Whether it has no rows of J: they are on coordinates, or on any number of bodies."""
        return bool(self.terms or self.ties)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The rows in groups of up to three, turns and shifts apart."""
        turns = [row for row in self.rows if row < self.shifts]
        shifts = [row for row in self.rows if row >= self.shifts]
        return [
            tuple(part[first : first + 3])
            for part in (turns, shifts)
            for first in range(0, len(part), 3)
        ]
