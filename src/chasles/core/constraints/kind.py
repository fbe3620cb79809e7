"""What a kind of constraint is: rows, residual, gap, traits, and how its arrays are made."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from chasles.compiled import once
from chasles.core.arrays import TWIST_COMPONENTS
from chasles.model import Model
from chasles.spaces.frames import Frames

RAD, METRE = "rad", "m"
NOTHING = (0.0, 0.0, 0.0)


class JointEntry(NamedTuple):
    """A joint or driver in words: what its row of `Joints` is made from."""

    frames: Frames
    constant: float = 0.0  # pitch, length, ratio or radius
    locked: int = 0  # bits of the components of the relative twist that it locks


class Opening(NamedTuple):
    """A joint at some states: frame B seen from A, and what that is measured against.

    Entries of the turn (9) and the shift (3) are arrays over the states.
    """

    turn: Any
    shift: Any
    constant: float
    locked: int
    target: Any  # of a driver
    poses: Any  # (R, r) of bodies a and b
    residual: Any  # of a user's formula


#: Rotation (rad) and translation (m) in the frame on body a, zero where the joint is free.
Gap = tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]


@once
def no_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """Of a kind that does not act on the twists of two bodies."""


@once
def no_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    """Of a kind whose poses tell nothing: out[row], ... stay zero."""


def no_gap(opening: Opening) -> Gap:
    """Of such a kind."""
    return NOTHING, NOTHING


@dataclass(frozen=True)
class ConstraintKind:
    r"""A kind of constraint between two bodies.

    name      in one word
    made_of   the classes of `chasles.model` that become constraints of this kind
    entry     entry(part, model) -> JointEntry
    rows      routine rows(system, joint, absolute, work, jacobian, eta): J and eta of its rows,
              from `system.joints.first_row[joint]` on
    residual  routine residual(system, joint, turn, shift, target, work, row, out): -g of its rows
              into out[row], ..., whose rates the rows give
    gap       gap(opening) -> Gap, for people: by how much it is open
              Without rows it acts on coordinates or many bodies; without residual and gap, poses
              do not tell whether it holds
    units     of g, row by row: "rad", "m" or "" (a user's own); None: as the locked components say
    measured  which rows have a g; None: all.  The others restrict speeds only
    rolling   rows that restrict no positions, not even implicitly (nonholonomic)
    balanced  whether its wrenches on both bodies add up to nothing: $J$ times a common motion of
              both bodies is zero.  If not, it pushes against the ground, too
    axes_on_a    whether its axes are carried by body a, not b
    on_coordinates  whether it acts on joint coordinates, or many bodies, and has no rows of J
    calls_user   whether its rows are a user's formula behind an address
    """

    name: str
    made_of: tuple[type, ...]
    entry: Callable[[Any, Model], JointEntry]
    rows: Callable[..., None] = no_rows
    residual: Callable[..., None] = no_residual
    gap: Callable[[Opening], Gap] = no_gap
    units: tuple[str, ...] | None = None
    measured: tuple[int, ...] | None = None
    rolling: tuple[int, ...] = ()
    balanced: bool = True
    axes_on_a: bool = False
    calls_user: bool = False
    on_coordinates: bool = False

    def units_of(self, locked: int, rows: int) -> tuple[str, ...]:
        """The units of the rows of a joint."""
        if self.units is not None:
            return self.units[:rows]
        bits = [k for k in range(len(TWIST_COMPONENTS)) if locked >> k & 1]
        return tuple(RAD if k < 3 else METRE for k in bits)

    def measured_of(self, rows: int) -> tuple[int, ...]:
        """The rows of a joint that have a g, from its first row on."""
        return tuple(range(rows)) if self.measured is None else self.measured


@cache
def locked_bits(names: tuple[str, ...]) -> int:
    """Bits of the names that are components of the relative twist."""
    return sum(1 << TWIST_COMPONENTS.index(name) for name in names if name in TWIST_COMPONENTS)
