"""Impacts on soft contacts that the steps of the linearly implicit method did not resolve.

That method is stable whatever the step, and books the work that its own stages do, so that its
balance closes over an impact of which it has seen nothing but the beginning.  The energy of the
motion tells: where it misses a share of what was exchanged, the ball that was dropped does not come
back as high as it should.
"""

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.rosenbrock import LinearlyImplicit
from chasles.model import Contact, JointStop
from chasles.result.result import Result

#: Of the energy exchanged.  Measured at 2 ms: 0.013 for a quadruped that stands, 0.05 for a ball
#: whose bounce takes five steps, 0.5 where it takes less than two.
NOTICED = 0.05


def unresolved_contacts(result: Result, scheme: object) -> list[str]:
    """What is to be said of them; nothing if nothing is."""
    names = [f.name for f in result.model.forces if isinstance(f, Contact | JointStop)]
    if not isinstance(scheme, LinearlyImplicit) or not names:
        return []
    missed = float(np.abs(result.energy_balance()).max())
    share = missed / (exchanged(result) or np.inf)
    if not share > NOTICED:
        return []
    word = "contact" if len(names) == 1 else "contacts"
    return [
        f"the energy misses {missed:.3g} J, {100.0 * share:.2g} % of what was exchanged: steps of"
        f" {result.provenance.step:g} s do not resolve impacts of {word}"
        f" {', '.join(map(repr, names[:4]))}, and the motion after them is not right. Take a"
        " smaller step, or method='generalized-alpha', which divides steps at impacts."
    ]


def exchanged(result: Result) -> float:
    """The largest of what was kinetic, potential, or work of forces (J)."""
    count = len(result.model.forces)
    work: Floats = np.abs(result.integrals[:, :count] - result.integrals[0, :count]).sum(axis=1)
    ranges = np.ptp(result.kinetic_energy()), np.ptp(result.potential_energy()), work.max()
    return float(max(ranges))
