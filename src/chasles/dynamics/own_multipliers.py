"""Reactions by the multipliers of a method of index 2 or 3, which are its own.

On joint subgroups only cut joints have multipliers; what the joints of the tree exert follows from
the equations of motion at the saved states, as it does for every other method.
"""

import numpy as np

from chasles.core.arrays import ROW_WIDTH, Floats
from chasles.core.evaluate import make_workspace
from chasles.core.newton.reactions import wrenches_of
from chasles.spaces.on_subgroups import on_subgroups
from chasles.system.build import Setup
from chasles.system.tree_setup import tree_setup


def own_wrenches(
    setup: Setup, absolute: Floats, times: Floats, multipliers: Floats, otherwise: Floats
) -> Floats:
    """Joint wrenches (T, m, 12) of multipliers (T, rows).

    Where they are not known (NaN, at the start), and of joints without any, `otherwise`.
    """
    system = setup.system
    table = np.zeros((len(times), 0))
    if system.signal_count:
        table = setup.signals.sample(times)
    found = np.zeros((len(times), system.joint_count, ROW_WIDTH))
    wrenches_of(
        system, make_workspace(system, None), np.ascontiguousarray(absolute), table,
        np.ascontiguousarray(multipliers), found,
    )  # fmt: skip
    known = ~np.isnan(found).any(axis=2)
    if on_subgroups(setup.spaces):
        cuts = [cut.joint for cut in tree_setup(setup).cuts if cut.rows and not cut.terms]
        known &= np.isin(np.arange(system.joint_count), cuts)
    return np.where(known[:, :, None], found, otherwise)
