"""Arrays of the joints and drivers of a model."""

from typing import Any

import numpy as np

from chasles.build.system.build_frames import Carriers, carried_frames
from chasles.build.system.check_formulas import check_formula
from chasles.build.system.signals import SignalList
from chasles.build.system.user_code import CustomRows
from chasles.core.arrays import TWIST_COMPONENTS, Joints, padded
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.model import Coupling, CustomCoupling, Joint, Model

NONE = -1


def joint_arrays(model: Model, by: Carriers, signals: SignalList, kept_alive: list[Any]) -> Joints:
    """Arrays of the joints, then of the drivers."""
    parts: list[Any] = [*model.joints, *model.drivers]
    places = [place_of(part) for part in parts]
    codes = [CONSTRAINTS.code_of(part, where) for part, where in zip(parts, places)]
    entries = [CONSTRAINTS[code].entry(part, model) for part, code in zip(parts, codes)]
    rows = np.array(
        [
            0 if CONSTRAINTS[code].on_coordinates else len(part.locked)
            for part, code in zip(parts, codes)
        ],
        np.int64,
    )
    rotors = np.array([rotors_of(part) for part in parts], float).reshape(-1, 6)
    span = rows + (rotors > 0.0).sum(axis=1)
    drive, drive_work = driver_columns(model, signals)
    return Joints(
        **carried_frames([entry.frames for entry in entries], places, by),
        constant=np.array([entry.constant for entry in entries], float),
        locked=np.array([entry.locked for entry in entries], np.int64),
        first_row=np.cumsum(padded(span)) - padded(span),
        rows=rows,
        geared=(rotors > 0.0) @ (1 << np.arange(6)),
        span=span,
        rotors=rotors,
        kind=np.array(codes, np.int64),
        drive=drive,
        drive_work=drive_work,
        address=np.array(
            [
                formula_address(part, by, kept_alive) if CONSTRAINTS[code].calls_user else 0
                for part, code in zip(parts, codes)
            ],
            np.int64,
        ),
    )


def rotors_of(part: Any) -> list[float]:
    """(6,) Rotor inertia by component of the relative twist, which coordinates follow in order."""
    if not isinstance(part, Joint) or not part.rotors:
        return [0.0] * 6
    inertia = iter(part.rotors)
    return [0.0 if word in part.locked else next(inertia) for word in TWIST_COMPONENTS]


def place_of(part: Any) -> str:
    """How messages about a joint or driver begin."""
    return f"joint '{part.name}'" if isinstance(part, Joint) else str(part.where)


def driver_columns(model: Model, signals: SignalList) -> tuple[Any, Any]:
    """Where the motions of the drivers stand in the signals, and where their work is integrated."""
    drive = np.full(len(model.joints) + len(model.drivers), NONE, np.int64)
    drive_work = drive.copy()
    for number, driver in enumerate(model.drivers):
        if isinstance(driver, Coupling):
            continue
        row = len(model.joints) + number
        drive[row] = signals.add(driver.sample, 3, driver.check_smooth)
        drive_work[row] = len(model.forces) + number
    return drive, drive_work


def formula_address(joint: Any, by: Carriers, kept_alive: list[Any]) -> int:
    """Of the formula of a custom joint or coupling, tried before it is used."""
    bodies = len(joint.bodies) if isinstance(joint, CustomCoupling) else 2
    rows = CustomRows(joint, bodies)
    check_formula(rows, by)
    kept_alive.append(rows)
    return rows.address
