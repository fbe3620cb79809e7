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
from chasles.core.forces.load import LOAD
from chasles.core.forces.on_coordinate import ON_COORDINATE
from chasles.core.forces.spring import SPRING
from chasles.core.kinds import FORCES, add_force_wrench, effort_of

__all__ = ["FORCES", "add_force", "add_force_wrench", "apply_forces", "effort_of"]

for known in (
    SPRING,
    ON_COORDINATE,
    BUSHING,
    LOAD,
    DRAG,
    CUSTOM_FORCE,
    JOINT_STOP,
    CONTACT,
    ACTUATOR,
):
    FORCES.append(known)
#: Make a kind known, before the first run of a process.
add_force = FORCES.add


@routine
def apply_forces(system: Any, workspace: Any) -> None:
    """Add all forces beside gravity to Q; their powers are the first quadrature rates."""
    for index in range(system.force_count):
        kind = system.forces.kind[index]
        workspace.quadrature_rates[index] = add_force_wrench(kind, system, index, workspace)
