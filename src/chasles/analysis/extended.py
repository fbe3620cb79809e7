r"""Coordinates beside the bodies: those that rotors turn with, and those that couplings name.

A rotor of inertia $I_r$ on a joint coordinate z is one body more, of one coordinate, and a coupling
$\sum_i f_i(z_i) = c$ is a row on such coordinates.  Either way z is tied to the bodies by a row

$$ R V - \dot z = 0, $$

R that of a pair which locks the coordinate.  A coupling by a user's formula has a row on the twists
of the bodies that it sees.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.build_tree import words_of
from chasles.build.system.coordinates import Key, coupled_coordinates, orientation
from chasles.build.system.user_code import CustomRows
from chasles.core.arrays import Floats, Integers
from chasles.core.constraints.registry import PAIR
from chasles.model import CustomCoupling, Model
from chasles.model.coordinates import ANGLE, DISPLACEMENT
from chasles.spaces.subalgebras import STRUCTURE

#: Rows of a pair that locks everything: three turns, three shifts along the joint's axes.
ROW_OF = {ANGLE: 2, DISPLACEMENT: 5, "wx": 0, "wy": 1, "wz": 2}
EVERYTHING = 0b111111
#: Of a ball, whose rotors are alike.
TURNS = ("wx", "wy", "wz")
#: (j, k, i) component k of [e_j, e_i], twists (omega, u).
BRACKETS = STRUCTURE.transpose(1, 0, 2)


class Coordinate(NamedTuple):
    """A coordinate that is an unknown of its own."""

    row: int  # of J: its rate, but for the sign
    sign: float
    inertia: float  # of the rotor that turns with it, kg m^2 or kg; 0: none


class Tie(NamedTuple):
    """The row of a coupling on some unknowns, and how it changes with them."""

    columns: Integers  # (w,)
    entries: Floats  # (w,)
    slopes: Floats  # (w, w) of entry i along unknown j

    def in_row(self, row: int, values: Floats) -> tuple[Integers, Integers, Floats]:
        """Values (w,) at its columns in one row of a matrix, as `placed` takes them."""
        return np.full((1, 1), row), self.columns[None], values[None, None]


def extended(setup: Setup) -> tuple[Setup, dict[Key, Coordinate]]:
    """The same with a row for every coordinate that is an unknown of its own."""
    rotors = rotors_of(setup.model)
    named = [(joint, word) for c in setup.model.couplings for joint, word, _ in c.terms]
    keys = list(dict.fromkeys([*rotors, *named]))
    if not keys:
        return setup, {}
    names = list(dict.fromkeys(joint for joint, _ in keys))
    twins = np.array([setup.joint_index[name] for name in names])
    system, joints = setup.system, setup.system.joints
    first = system.row_count + 6 * np.arange(len(names))
    given = {
        "constant": 0.0, "locked": EVERYTHING, "first_row": first, "rows": 6, "kind": PAIR,
        "drive": -1, "drive_work": -1, "address": 0, "rotor_bits": 0, "span": 6, "rotors": 0.0,
    }  # fmt: skip
    columns = {}
    for field, values in joints._asdict().items():
        more = values[twins].copy()
        more[:] = given.get(field, more)
        columns[field] = np.concatenate((values, more))
    wider = system._replace(
        joints=type(joints)(**columns),
        joint_count=system.joint_count + len(names),
        row_count=system.row_count + 6 * len(names),
    )
    found = {
        (joint, word): Coordinate(
            int(first[names.index(joint)]) + ROW_OF[word],
            orientation(setup, joint),
            rotors.get((joint, word), 0.0),
        )
        for joint, word in keys
    }
    return replace(setup, system=wider), found


def rotors_of(model: Model) -> dict[Key, float]:
    """Inertias of rotors by coordinate."""
    found: dict[Key, float] = {}
    for joint in model.joints:
        if joint.rotors:
            words = words_of(joint) or TURNS
            found |= {(joint.name, word): x for word, x in zip(words, joint.rotors) if x > 0.0}
    return found


def ties_of(
    setup: Setup, places: Mapping[Key, int], absolute: Floats, near: Mapping[str, float]
) -> list[Tie]:
    """The rows of all couplings at a state; `places` are the columns of the coordinates."""
    found, formulas = [], users_formulas(setup)
    for coupling in setup.model.couplings:
        if isinstance(coupling, CustomCoupling):
            bodies = np.array([setup.body_index[name] for name in coupling.bodies])
            entries, slopes = formula_slopes(formulas[coupling.name], absolute[bodies])
            columns = (6 * bodies[:, None] + np.arange(6)).ravel()
            found.append(Tie(columns, entries[0], slopes[0]))
            continue
        q = coupled_coordinates(setup, coupling, absolute, near)
        terms = np.array([[float(x) for x in f] for f in coupling.derivatives(q)])
        columns = np.array([places[joint, word] for joint, word, _ in coupling.terms])
        found.append(Tie(columns, terms[:, 1], np.diag(terms[:, 2])))
    return found


def formula_slopes(formula: CustomRows, states: Floats) -> tuple[Floats, Floats]:
    r"""J (r, 6 b) of a user's formula and its derivatives (r, 6 b, 6 b) along unit twists.

    With $E_i$ the derivative along twist i of a body, J are $E_i g$, and jets give $E_V E_V g$:
    $E_j E_i = \frac12(E_i E_j + E_j E_i) + \frac12 E_{[j, i]}$.
    """
    width = 6 * len(states)
    unit, (first, second) = np.eye(width), np.triu_indices(width, 1)
    along = np.vstack((unit, unit[first] + unit[second]))
    _, slope, bend = formula.taylor(states.ravel(), along)
    rows = slope[:, :width]
    slopes = np.einsum("ri,ij->rij", bend[:, :width], unit)
    mixed = 0.5 * (bend[:, width:] - bend[:, first] - bend[:, second])
    slopes[:, first, second] = slopes[:, second, first] = mixed
    for at in range(0, width, 6):
        own = slice(at, at + 6)
        slopes[:, own, own] += 0.5 * np.einsum("rk,jki->rij", rows[:, own], BRACKETS)
    return rows, slopes


def users_formulas(setup: Setup) -> dict[str, CustomRows]:
    """Joints and couplings by users' formulas, by name."""
    return {f.joint.name: f for f in setup.kept_alive if isinstance(f, CustomRows)}


def coupled_joints(model: Model) -> list[str]:
    """Joints whose turns count, since couplings name their angles."""
    return [joint for c in model.couplings for joint, word, _ in c.terms if word == ANGLE]
