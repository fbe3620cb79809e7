r"""A coupling of coordinates, $\sum_i f_i(q_i) = \mathrm{offset}$, or of bodies by a formula.

It acts on coordinates or on many bodies, not on the twists of two, so that it has no rows among
those of J: it is propagated as a row of its own (see `chasles.core.recursion.coupled`).  Its entry
keeps a place for its multiplier.
"""

from dataclasses import replace

from chasles.core.kinds import ConstraintKind, JointEntry
from chasles.model import GROUND, Coupling, CustomCoupling, Model
from chasles.spaces.frames import ORIGIN, Frames, coordinate_frames


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
    units=(),
    measured=(),
    on_coordinates=True,
)

TIED = replace(
    COUPLED, name="customcoupling", made_of=(CustomCoupling,), entry=tied_entry, calls_user=True
)
