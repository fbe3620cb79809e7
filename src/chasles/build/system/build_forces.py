"""Arrays of the forces of a model."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.system.build_frames import Carriers, carried_frames
from chasles.build.system.signals import SignalList
from chasles.build.system.user_code import formula_of
from chasles.core.arrays import LAW_WIDTH, MOST_SEEN, Forces
from chasles.core.forces.registry import FORCES
from chasles.model import CustomForce, Model

NONE = -1
WIDTH = 1 + MOST_SEEN


@dataclass(frozen=True)
class ForceTable:
    """Arrays of the forces, and how many integrals the model needs."""

    forces: Forces
    quadratures: int
    kept_alive: tuple[Any, ...]


def seen_by(force: Any, by: Carriers) -> list[int]:
    """How many bodies a formula moves, and which, where it is more than one; padded with zeros."""
    several = force.bodies if isinstance(force, CustomForce) and force.others else ()
    row = [len(several), *(by.number(name) for name in several)]
    return row + [0] * (WIDTH - len(row))


def force_arrays(model: Model, by: Carriers, signals: SignalList) -> ForceTable:
    """Arrays of all forces.  Integrals: work of forces, work of drivers, unwrapped angles."""
    places = [force.where for force in model.forces]
    codes = [FORCES.code_of(force, force.where) for force in model.forces]
    entries = [FORCES[code].entry(f, model, signals) for f, code in zip(model.forces, codes)]
    formulas = [formula_of(force) for force in model.forces]
    law = np.zeros((len(entries), LAW_WIDTH))
    angle = np.full(len(entries), NONE, np.int64)
    quadratures = len(model.forces) + len(model.drivers)
    for number, entry in enumerate(entries):
        law[number, : len(entry.law)] = entry.law
        if entry.counts_turns:
            angle[number] = quadratures
            quadratures += 1
    forces = Forces(
        **carried_frames([entry.frames for entry in entries], places, by),
        law=law,
        kind=np.array(codes, np.int64),
        signal=np.array([entry.signal for entry in entries], np.int64),
        angle=angle,
        address=np.array([f.address if f else 0 for f in formulas], np.int64),
        seen=np.array([seen_by(force, by) for force in model.forces], np.int64).reshape(-1, WIDTH),
    )
    return ForceTable(forces, quadratures, tuple(f for f in formulas if f))
