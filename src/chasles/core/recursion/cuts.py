"""Cut joints: those that close loops, or tie bodies on charts, with their rows of J."""

from typing import NamedTuple


class Term(NamedTuple):
    """A coordinate that a coupling names."""

    body: int  # whose joint has it
    slot: int  # which of the joint's coordinates it is
    stored: int  # where it stands in a state
    rate: int  # ... and its rate among the velocities
    turns: int  # 1 for an angle
    powers: tuple[float, ...]  # f(q) = powers[0] q + powers[1] q^2 + ...


class Cut(NamedTuple):
    """A cut joint: its number in the system, its bodies, and the rows that are kept."""

    joint: int
    a: int  # -1: the ground
    b: int
    rows: tuple[int, ...]  # numbers of rows of J
    balanced: bool = True  # whether its wrenches on the two bodies balance
    terms: tuple[Term, ...] = ()  # of a coupling of coordinates, which has no bodies
    offset: float = 0.0
    ties: tuple[int, ...] = ()  # bodies of a coupling by a user's formula
    address: int = 0  # of that formula
    shifts: int = 0  # the first row of J that locks a shift: turns before it go together

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
