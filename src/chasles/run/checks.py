"""What is suspect about a run that has ended: one list of checks, before its result is made."""

from collections.abc import Callable

import numpy as np

from chasles.model import Contact, JointStop
from chasles.result import energy
from chasles.run.accuracy_checks import UNBALANCED, failed_checks
from chasles.run.fast_spins import lost_attitudes
from chasles.run.loop import Ended

#: Of the energy exchanged.  Measured at 2 ms: 0.013 for a quadruped that stands, 0.05 for a ball
#: whose bounce takes five steps, 0.5 where it takes less than two.
NOTICED = 0.05
#: States at the most that are looked at: those of a long run are in a file, larger than memory.
MOST_STATES = 100_000


def unfitted_signals(ended: Ended) -> list[str]:
    """Functions of time that are called at every stage."""
    return list(ended.setup.signals.notes())


def unresolved_contacts(ended: Ended) -> list[str]:
    """Impacts on soft contacts that the steps did not resolve.

    The energy exchanged adds up bounce by bounce, and against it what a bounce misses is little.
    So here it is compared with the energy of the motion: where it misses a share of that, the ball
    that was dropped does not come back as high as it should.  Linearly implicit steps are stable
    whatever their length, and book the work that their own stages do, so that their balance closes
    over an impact of which they have seen nothing but the beginning.
    """
    setup, saved, model = ended.setup, ended.saved, ended.setup.model
    names = [f.name for f in model.forces if isinstance(f, Contact | JointStop)]
    if not names or any(words.startswith(UNBALANCED) for words in ended.said):
        return []
    every = 1 + len(saved.times) // MOST_STATES
    absolute, integrals = saved.absolute[::every], saved.integrals[::every]
    kinetic = energy.kinetic_of_all(setup, absolute)
    stored = energy.stored(setup, absolute, integrals).sum(axis=1)
    potential = energy.potential(setup, absolute).sum(axis=1) + stored
    work = integrals - integrals[0]
    forces, both = len(model.forces), len(model.forces) + len(model.drivers)
    gained = kinetic + potential - kinetic[0] - potential[0]
    missed = float(np.abs(gained - work[:, :both].sum(axis=1)).max())
    exchanged = np.ptp(kinetic), np.ptp(potential), np.abs(work[:, :forces]).sum(axis=1).max()
    share = missed / (max(exchanged) or np.inf)
    if not share > NOTICED:
        return []
    word = "contact" if len(names) == 1 else "contacts"
    return [
        f"the energy misses {missed:.3g} J, {100.0 * share:.2g} % of what was exchanged: steps of"
        f" {ended.run.pace.typical_step:g} s do not resolve impacts of {word}"
        f" {', '.join(map(repr, names[:4]))}, and the motion after them is not right. Take a"
        " smaller step, or error control: method='dopri5', rtol=1e-6."
    ]


#: In the order in which they speak.
CHECKS: tuple[Callable[[Ended], list[str]], ...] = (
    failed_checks, lost_attitudes, unfitted_signals, unresolved_contacts,
)  # fmt: skip


def suspicions(ended: Ended) -> tuple[str, ...]:
    """What all checks have to say of a run."""
    for check in CHECKS:
        ended.said.extend(check(ended))
    return tuple(ended.said)
