"""Arrays of the joints and forces of a model: frames as bodies carry them, users' formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.system.signals import SignalList
from chasles.build.system.state import moved
from chasles.build.system.user_code import SEEN, CustomRows, formula_of
from chasles.core.arrays import (
    GROUND_INDEX,
    LAW_WIDTH,
    MOST_SEEN,
    TWIST_COMPONENTS,
    Floats,
    Forces,
    Integers,
    Joints,
    padded,
)
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.forces.registry import FORCES
from chasles.model import (
    GROUND,
    Body,
    Coupling,
    CustomCoupling,
    CustomForce,
    CustomJoint,
    InvalidJoint,
    InvalidModel,
    Joint,
    Model,
    Vector3,
)
from chasles.spaces.frames import Frames


@dataclass(frozen=True)
class Carriers:
    """Bodies by name, and their poses at the start in the order of the arrays; the ground last."""

    index: dict[str, int]
    rotation: Floats  # (n + 1, 3, 3)
    position: Floats  # (n + 1, 3)

    def number(self, name: str) -> int:
        return GROUND_INDEX if name == GROUND.name else self.index[name]


def carriers(bodies: Sequence[Body]) -> Carriers:
    return Carriers(
        {body.name: number for number, body in enumerate(bodies)},
        np.array([*(body.rotation for body in bodies), np.eye(3)]),
        np.array([*(body.position for body in bodies), np.zeros(3)]),
    )


def carried_frames(frames: Sequence[Frames], places: Sequence[str], by: Carriers) -> dict[str, Any]:
    """a, b, axes_a ... point_b of many parts; `places` open messages about them."""
    columns: dict[str, Any] = {}
    for side in ("a", "b"):
        bodies = np.array([by.number(getattr(one, side)) for one in frames], np.int64)
        axes = np.array([getattr(one, f"axes_{side}") for one in frames]).reshape(-1, 3, 3)
        back = by.rotation[bodies].transpose(0, 2, 1)
        columns[side] = bodies
        columns[f"axes_{side}"] = np.ascontiguousarray(back @ axes).reshape(-1, 9)
        points = [getattr(one, f"point_{side}") for one in frames]
        columns[f"point_{side}"] = levers(points, bodies, places, by)
    return columns


def levers(
    points: Sequence[Vector3], bodies: Integers, places: Sequence[str], by: Carriers
) -> Floats:
    """From centres of mass to points of the world at the start, in body frames (k, 3)."""
    with np.errstate(over="ignore"):  # refused below
        offsets = np.array(points).reshape(-1, 3) - by.position[bodies]
    if not np.isfinite(offsets).all():
        worst = int(np.flatnonzero(~np.isfinite(offsets).all(axis=1))[0])
        raise InvalidModel(
            f"{places[worst]}: its point is too far from body '{list(by.index)[bodies[worst]]}':"
            " the distance overflows.",
            "Check the units of both: metres.",
        )
    turned = by.rotation[bodies].transpose(0, 2, 1) @ offsets[:, :, None]
    return np.ascontiguousarray(turned[:, :, 0])


#: A user's jacobian may differ from the derivative by this fraction of its largest entry: it may
#: come from differences.
SAME = 1e-6
#: A residual whose slope is below this fraction of its curvature is a square.
FLAT = 1e-9
#: How far from the start a user's jacobian is compared once more, rad and m.
ASIDE = np.array([0.03, -0.05, 0.04, 0.02, 0.06, -0.01])


def check_formula(rows: CustomRows, by: Carriers) -> None:
    """Refuse a formula that fails at the start, or whose derivative vanishes or is not as said."""
    joint = rows.joint
    bodies = joint.bodies if isinstance(joint, CustomCoupling) else (joint.a, joint.b)
    numbers = [by.number(name) for name in bodies]
    poses = by.rotation[numbers].reshape(-1, 9), by.position[numbers]
    start = np.column_stack((*poses, np.zeros((len(bodies), 6)))).ravel()  # at rest
    joint.residual(*poses_of(start))
    _, jacobian, curvature = rows.taylor(start, np.eye(6 * len(bodies)))
    moving = np.repeat([name != GROUND.name for name in bodies], 6)
    for row in range(joint.rows):
        slope = np.abs(jacobian[row, moving]).max()
        if not slope > FLAT * np.abs(curvature[row, moving]).max():
            raise rows.invalid(
                f"{rows.where}: residual {row} of its formula does not change to first"
                f" order as {movers(bodies)} at the start, so it holds nothing.",
                "Let every residual depend on a pose; hold a distance, not the square of a gap.",
            )
    if isinstance(joint, CustomCoupling) or joint.jacobian is None:
        return
    own = joint.given_jacobian(*poses_of(start))
    compare(joint, moving, jacobian, own, "at the start")
    aside = moved(start.reshape(-1, SEEN), np.outer((1.0, -1.0), ASIDE)).ravel()
    try:
        both = rows.taylor(aside, np.eye(12))[1], joint.given_jacobian(*poses_of(aside))
    except InvalidJoint:  # the formula need not reach that far
        return
    compare(joint, moving, *both, "a little off the start")


def movers(bodies: Sequence[str]) -> str:
    names = [f"'{name}'" for name in bodies if name != GROUND.name]
    return f"{' and '.join(names)} {'move' if len(names) > 1 else 'moves'}"


def poses_of(given: Floats) -> Any:
    """Poses as a user's formula gets them."""
    return [(tuple(row[:9]), tuple(row[9:12])) for row in given.reshape(-1, SEEN).tolist()]


def compare(joint: CustomJoint, moving: Any, derived: Floats, own: Any, where: str) -> None:
    """Refuse a user's jacobian that is not the derivative of the user's formula."""
    off = np.abs(own - derived) * moving
    if off.max() <= SAME * max(np.abs(derived).max(), np.abs(own).max()):
        return
    row, column = np.unravel_index(np.argmax(off), off.shape)
    body, component = (joint.a, joint.b)[column // 6], TWIST_COMPONENTS[column % 6]
    raise InvalidJoint(
        f"joint '{joint.name}': entry [{row}, {column}] of its jacobian, by {component} of"
        f" '{body}', is {own[row, column]:.9g} {where}, but the derivative of its formula is"
        f" {derived[row, column]:.9g}.",
        "Correct it, or leave jacobian= out: the derivative is found without it.  Columns are"
        " (omega, v) of a, then of b, in body axes.",
    )


NONE = -1


def joint_arrays(model: Model, by: Carriers, signals: SignalList, kept_alive: list[Any]) -> Joints:
    """Arrays of the joints, then of the drivers."""
    parts: list[Any] = [*model.joints, *model.drivers]
    places = [place_of(part) for part in parts]
    codes = [CONSTRAINTS.code_of(part, where) for part, where in zip(parts, places)]
    kinds = [CONSTRAINTS[code] for code in codes]
    entries = [kind.entry(part, model) for part, kind in zip(parts, kinds)]
    own = [0 if kind.on_coordinates else len(part.locked) for part, kind in zip(parts, kinds)]
    rows = np.array(own, np.int64)
    addresses = [
        formula_address(part, by, kept_alive) if kind.calls_user else 0
        for part, kind in zip(parts, kinds)
    ]
    rotors = np.array([rotors_of(part) for part in parts], float).reshape(-1, 6)
    span = rows + (rotors > 0.0).sum(axis=1)
    drive, drive_work = driver_columns(model, signals)
    return Joints(
        **carried_frames([entry.frames for entry in entries], places, by),
        constant=np.array([entry.constant for entry in entries], float),
        locked=np.array([entry.locked for entry in entries], np.int64),
        first_row=np.cumsum(padded(span)) - padded(span),
        rows=rows,
        rotor_bits=(rotors > 0.0) @ (1 << np.arange(6)),
        span=span,
        rotors=rotors,
        kind=np.array(codes, np.int64),
        drive=drive,
        drive_work=drive_work,
        address=np.array(addresses, np.int64),
    )


def rotors_of(part: Any) -> list[float]:
    """(6,) Rotor inertia by component of the relative twist, which coordinates follow in order."""
    rotors = part.rotors if isinstance(part, Joint) else ()
    if not rotors:
        return [0.0] * 6
    inertia = iter(rotors)
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


WIDTH = 1 + MOST_SEEN


def seen_by(force: Any, by: Carriers) -> list[int]:
    """How many bodies a formula moves, and which, where it is more than one; padded with zeros."""
    several = force.bodies if isinstance(force, CustomForce) and force.others else ()
    row = [len(several), *(by.number(name) for name in several)]
    return row + [0] * (WIDTH - len(row))


def force_arrays(
    model: Model, by: Carriers, signals: SignalList, kept_alive: list[Any]
) -> tuple[Forces, int]:
    """Arrays of all forces, and the number of integrals that they and the drivers need.

    Integrals: work of forces, work of drivers, unwrapped angles.
    """
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
    kept_alive.extend(formula for formula in formulas if formula)
    forces = Forces(
        **carried_frames([entry.frames for entry in entries], places, by),
        law=law,
        kind=np.array(codes, np.int64),
        signal=np.array([entry.signal for entry in entries], np.int64),
        angle=angle,
        address=np.array([f.address if f else 0 for f in formulas], np.int64),
        seen=np.array([seen_by(force, by) for force in model.forces], np.int64).reshape(-1, WIDTH),
    )
    return forces, quadratures
