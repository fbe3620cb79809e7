"""The kinds of forces in the order of their codes, and the routine that runs them all.

To add a kind: a class of the model (see `chasles.model.forces`), a file with its `ForceKind`, and
its name in the table below; or `add_force(kind)` before the first run.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.forces.actuator import ACTUATOR
from chasles.core.forces.bushing import BUSHING
from chasles.core.forces.contact import CONTACT
from chasles.core.forces.custom import CUSTOM_FORCE
from chasles.core.forces.drag import DRAG
from chasles.core.forces.joint_stop import JOINT_STOP
from chasles.core.forces.kind import ForceKind
from chasles.core.forces.load import LOAD
from chasles.core.forces.on_coordinate import ON_COORDINATE
from chasles.core.forces.spring import SPRING
from chasles.core.kinds import Kinds

FORCES: Kinds[ForceKind] = Kinds(
    "force",
    (
        SPRING,
        ON_COORDINATE,
        BUSHING,
        LOAD,
        DRAG,
        CUSTOM_FORCE,
        JOINT_STOP,
        CONTACT,
        ACTUATOR,
    ),
)

#: add_force_wrench(kind, system, index, work) -> power
add_force_wrench = FORCES.dispatcher("wrench")
#: effort_of(kind, system, index, work, value, rate) -> (generalised force, power)
effort_of = FORCES.dispatcher("effort")


def add_force(kind: ForceKind) -> None:
    """Make a kind known, before the first run of a process."""
    FORCES.add(kind)


@routine
def apply_forces(system: Any, work: Any) -> None:
    """Add all forces beside gravity to Q; their powers are the first quadrature rates."""
    for index in range(system.force_count):
        kind = system.forces.kind[index]
        work.quadrature_rates[index] = add_force_wrench(kind, system, index, work)
