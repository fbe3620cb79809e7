r"""A coupling of coordinates, $\sum_i f_i(q_i) = \mathrm{offset}$, or of bodies by a formula.

It acts on coordinates or on many bodies, not on the twists of two, so that it has no rows among
those of J: it rides as a row of its own (see `chasles.core.recursion.coupled`), and the blocks of
charts have no place for it.  Its entry keeps a place for its multiplier.
"""

from dataclasses import replace
from typing import Any

from chasles.compiled import once
from chasles.core.constraints.kind import NOTHING, ConstraintKind, Gap, JointEntry, Opening
from chasles.core.frames import ORIGIN, Frames, coordinate_frames
from chasles.model import GROUND, Coupling, CustomCoupling, Model


@once
def coupled_rows(
    system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, eta: Any
) -> None:
    """None."""


@once
def coupled_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, work: Any, row: int, out: Any
) -> None:
    """None: two bodies alone do not tell."""


def coupled_gap(opening: Opening) -> Gap:
    return NOTHING, NOTHING


def coupled_entry(coupling: Coupling, model: Model) -> JointEntry:
    """At its first joint."""
    return JointEntry(coordinate_frames(coupling.joints[0], model))


def tied_entry(coupling: CustomCoupling, model: Model) -> JointEntry:
    """At its first body."""
    first = coupling.bodies[0]
    return JointEntry(Frames(GROUND.name, first, ORIGIN, model.body(first).position))


COUPLED = ConstraintKind(
    name="coupling",
    made_of=(Coupling,),
    entry=coupled_entry,
    rows=coupled_rows,
    residual=coupled_residual,
    gap=coupled_gap,
    units=(),
    measured=(),
    on_coordinates=True,
)

TIED = replace(
    COUPLED, name="customcoupling", made_of=(CustomCoupling,), entry=tied_entry, calls_user=True
)
