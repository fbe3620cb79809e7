"""From words to numbers: a model and its spaces become the arrays of a `System`."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chasles.build.system.coordinates import coupled_gap, coupled_sizes
from chasles.build.system.gaps import (
    longest_lever,
    opening_history,
    pose_history,
    row_sizes,
    stacked,
)
from chasles.build.system.parts import Carriers, carriers, force_arrays, joint_arrays, levers
from chasles.build.system.signals import SignalList
from chasles.build.system.state import State
from chasles.compiled import lend
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    GROUND_INDEX,
    POSE_R,
    POSE_X,
    SCREW_FORM,
    SE3_CODE,
    SO3XR3_CODE,
    SPACE_FORM,
    Bodies,
    Floats,
    Forces,
    Hinges,
    Integers,
    System,
    padded,
)
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.kinds import Opening
from chasles.model import (
    GROUND,
    Body,
    Coupling,
    CustomCoupling,
    CustomJoint,
    Driver,
    InconsistentStart,
    InvalidOption,
    JointForce,
    Model,
    PointDriver,
    UnknownName,
)
from chasles.model.coordinates import resolved_coordinate
from chasles.model.words import Coordinate
from chasles.spaces.frames import oriented
from chasles.spaces.space import Space, frame_point, reference_order

FORMS = {"screw": SCREW_FORM, "space": SPACE_FORM}
#: On a subgroup, reactions are those of the six-dimensional chart that it is part of.
GROUP_CODES = {"SE3": SE3_CODE, "SO3xR3": SO3XR3_CODE, "subgroup": SO3XR3_CODE}
#: A joint open by more than this at the start (m, rad) is refused.
OPEN_TOLERANCE = 1e-9
#: ... or than this fraction of its reach: a few times what projection leaves open.
ROUNDED = 4e-12


@dataclass(frozen=True)
class Setup:
    """A model ready to be integrated: its arrays, and what their rows mean."""

    model: Model
    spaces: dict[str, Space]
    acceleration: str
    system: System
    absolute: Floats  # (n, 18) initial poses; twists are filled in by `start.consistent`
    body_index: dict[str, int]
    joint_index: dict[str, int]  # joints, then drivers
    signals: SignalList
    kept_alive: tuple[Any, ...] = ()  # compiled formulas whose addresses the arrays hold
    start: Floats | None = None  # (n, 18) the state to begin at; None: as the model was entered
    angles: Mapping[str, float] = field(default_factory=dict)  # whole turns at the start, by joint
    displacements: Mapping[str, float] = field(default_factory=dict)  # to the last bit, likewise
    fit: bool = True  # bodies on charts that fit a joint move in its subgroup, the same steps
    #: What every run derives from all this: made once, never changed.
    follows: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def lent(self) -> Any:
        """The arrays as kernels take them."""
        return lend(self.system)

    @cached_property
    def longest_lever(self) -> float:
        """The largest distance of a joint from a centre of mass, or a radius of gyration, in m."""
        return longest_lever(self.system)

    @cached_property
    def row_sizes(self) -> Floats:
        """(rows,) What gaps and speeds of every row of J are compared with: a length, or 1 rad."""
        sizes = row_sizes(self.system)
        for place, size in coupled_sizes(self).items():
            sizes[place] = size
        return sizes

    @cached_property
    def model_order(self) -> list[int]:
        """Row of every body of the model, in the model's order, in arrays (n, ...) of bodies."""
        return [self.body_index[name] for name in self.model.body_names]

    @property
    def asks_users(self) -> bool:
        """Whether functions that users wrote are part of it."""
        return bool(self.kept_alive or self.signals.samplers)

    @cached_property
    def parts(self) -> tuple[Any, ...]:
        """The joints, then the drivers, as the arrays number them."""
        return (*self.model.joints, *self.model.drivers)

    def raise_users_errors(self) -> None:
        """What went wrong in a user's formula goes on from here, if anything did."""
        for formula in self.kept_alive:
            if formula.error is not None:
                raise formula.error

    def bodies_of(self, name: str) -> tuple[str, str]:
        """The bodies of a joint or driver, as the arrays order them."""
        part = self.parts[self.joint_index[name]]
        if isinstance(part, PointDriver):
            return GROUND.name, part.body
        if isinstance(part, CustomCoupling):
            return GROUND.name, part.bodies[0]
        if isinstance(part, Coupling):
            return oriented(self.model.joint(part.joints[0]))
        return oriented(self.model.joint(part.joint) if isinstance(part, Driver) else part)

    def locked(self, index: int) -> tuple[str, ...]:
        """What the rows of a joint lock; a driver has one row, and a coupling as good as one."""
        locked: tuple[str, ...] = self.parts[index].locked
        return locked

    def gap(self, name: str, absolute: Floats, target: Any = 0.0) -> tuple[Floats, Floats]:
        """Rotation (rad) and translation (m) by which a joint or driver is open, in its frame on a.

        Components that the joint leaves free are zero.  `absolute` is (..., n, 18); both results
        are (..., 3).  A helical joint is measured against the nearest turn of its thread, a driver
        against the `target` of its motion.  What a coupling is off counts as a rotation.  A custom
        joint has only residuals: their length counts as translation, whatever their unit.
        """
        index, joints = self.joint_index[name], self.system.joints
        kind = CONSTRAINTS[joints.kind[index]]
        if kind.on_coordinates:
            rotation = np.zeros((*absolute.shape[:-2], 3))
            rotation[..., 2] = coupled_gap(self, self.parts[index], absolute)
            return rotation, np.zeros_like(rotation)
        part = self.parts[index]
        turn, shift = opening_history(joints, index, absolute)
        opening = Opening(
            turn=turn,
            shift=shift,
            constant=float(joints.constant[index]),
            locked=int(joints.locked[index]),
            target=target,
            poses=[pose_history(absolute, int(body[index])) for body in (joints.a, joints.b)],
            residual=part.residual if isinstance(part, CustomJoint) else None,
        )
        rotation, translation = kind.gap(opening)
        return stacked(rotation, absolute), stacked(translation, absolute)

    def length_unit(self, name: str) -> str:
        """The unit of a joint's translation; the residuals of a custom joint may have any."""
        kind = CONSTRAINTS[self.system.joints.kind[self.joint_index[name]]]
        return "" if kind.calls_user else "m"

    def units(self, index: int) -> tuple[str, ...]:
        """The units of the rows of a joint or driver: "rad", "m" or a user's own, ""."""
        joints = self.system.joints
        kind = CONSTRAINTS[joints.kind[index]]
        if kind.on_coordinates:
            return ("",)  # that of its terms
        return kind.units_of(int(joints.locked[index]), int(joints.rows[index]))

    def targets(self, name: str, times: Floats) -> Floats | float:
        """What a driver prescribes at some times; 0 for a joint."""
        column = int(self.system.joints.drive[self.joint_index[name]])
        return 0.0 if column < 0 else self.signals.sample(times)[:, column]


def build(
    model: Model,
    spaces: dict[str, Space],
    acceleration: str = "screw",
    start: State | None = None,
    count_turns: Collection[str] = (),
    fit: bool = True,
) -> Setup:
    """Arrays of a model; bodies are renumbered so that reference bodies come first.

    Joint frames are where the model was entered; a `start` only says where the bodies are now.
    `count_turns` names joints whose angle, if they have one, a run integrates.  Without `fit`,
    charts have rows of a joint even where they fit it.
    """
    UnknownName.check("acceleration form", acceleration, FORMS)
    order = reference_order(model, spaces)
    body_index = {name: index for index, name in enumerate(order)}
    bodies = [model.body(name) for name in order]
    signals = SignalList()
    kept_alive: list[Any] = []
    by = carriers(bodies)
    joints = joint_arrays(model, by, signals, kept_alive)
    forces, quadratures = force_arrays(model, by, signals, kept_alive)
    hinges = hinges_of(model, forces, quadratures, frozenset(count_turns))
    system = System(
        bodies=body_arrays(model, spaces, bodies, by),
        joints=joints,
        forces=forces,
        hinges=hinges,
        signals=signals.arrays(),
        gravity=np.array(model.gravity),
        form=FORMS[acceleration],
        body_count=len(bodies),
        joint_count=len(joints.kind),
        force_count=len(model.forces),
        drive_count=len(model.drivers),
        signal_count=signals.count,
        quadrature_count=quadratures + hinges.count,
        row_count=int(padded(joints.span).sum()),
    )
    begun = None if start is None else start.to_absolute(model, order)
    names = [*model.joint_names, *model.driver_names]
    joint_index = {name: index for index, name in enumerate(names)}
    return Setup(
        model, spaces, acceleration, system, entered_poses(by) if begun is None else begun,
        body_index, joint_index, signals, tuple(kept_alive), begun,
        {} if start is None else known_of(start.angles, "angle", model),
        {} if start is None else known_of(start.displacements, "displacement", model), fit,
    )  # fmt: skip


def hinges_of(model: Model, forces: Forces, first: int, named: Collection[str]) -> Hinges:
    """Those of the named joints that have an angle, unless a force counts it anyway."""
    counted = {
        force.joint
        for force, column in zip(model.forces, forces.angle.tolist())
        if isinstance(force, JointForce) and column >= 0
    }
    found = [
        (index, 1.0 if oriented(joint)[1] == joint.b else -1.0)
        for index, joint in enumerate(model.joints)
        if joint.name in named and "angle" in joint.coordinates and joint.name not in counted
    ]
    numbers, signs = zip(*found) if found else ((), ())
    joint, sign = np.array(numbers, np.int64), np.array(signs, float)
    return Hinges(joint, sign, first, len(found))


def entered_poses(by: Carriers) -> Floats:
    """Absolute rows (n, 18) of bodies as they were entered, without velocities."""
    absolute = np.zeros((len(by.index), ABSOLUTE_WIDTH))
    absolute[:, POSE_R : POSE_R + 9] = by.rotation[:-1].reshape(-1, 9)
    absolute[:, POSE_X : POSE_X + 3] = by.position[:-1]
    return absolute


def known_of(values: Mapping[str, float], coordinate: Coordinate, model: Model) -> dict[str, float]:
    """Angles or displacements of a state, by joints of the model that have one."""
    for name in values:
        resolved_coordinate(model.joint(name, "state"), coordinate, "state", InvalidOption)
    return dict(values)


def body_arrays(model: Model, spaces: dict[str, Space], bodies: list[Body], by: Carriers) -> Bodies:
    """Inertia and space of the bodies; frames of charts in SE(3) are at the centres of mass."""
    chosen = [spaces[body.name] for body in bodies]
    points = [
        body.position if space.group == "SE3" else frame_point(space, body, model)
        for body, space in zip(bodies, chosen)
    ]
    places = [f"the frame of the space of body '{body.name}'" for body in bodies]
    references = [space.relative_to for space in chosen]
    inertia = np.array([body.inertia for body in bodies])
    return Bodies(
        mass=np.array([body.mass for body in bodies]),
        inertia=np.ascontiguousarray(inertia[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]),
        frame_point=levers(points, np.arange(len(bodies)), places, by),
        group=np.array([GROUP_CODES[space.group] for space in chosen], np.int64),
        reference=np.array(
            [GROUND_INDEX if name is None else by.index[name] for name in references], np.int64
        ),
    )


def check_closed(setup: Setup) -> None:
    """Refuse a joint or driver that is open at the start.

    As entered, a lower pair given by a single point and axis never is, nor is a driver.
    """
    for joint in setup.model.joints:
        moved = (joint.at_b, joint.axis_b, joint.turn) != (None, None, None)
        single = joint.is_lower_pair and not moved
        if setup.start is not None or not single:
            ends = [f"'{name}'" for name in (joint.b, joint.a) if name != GROUND.name]
            remedy = f"Move body {' or '.join(ends)}, correct at/at_b and axis/axis_b"
            check_gap(setup, joint.name, remedy)
    for coupling in setup.model.couplings:
        check_coupling(setup, coupling)
    if setup.start is not None:
        for driver in setup.model.drivers:
            if isinstance(driver, Coupling):
                continue
            remedy = "Start where its motion does; 0 is the pose of the model"
            check_gap(setup, driver.name, remedy, "driver")


def check_coupling(setup: Setup, coupling: Coupling) -> None:
    """Refuse a coupling whose sum is not its offset at the start."""
    gap = float(coupled_gap(setup, coupling, setup.absolute))
    place = int(setup.system.joints.first_row[setup.joint_index[coupling.name]])
    allowed = OPEN_TOLERANCE * max(1.0, float(setup.row_sizes[place]))
    if abs(gap) > allowed and isinstance(coupling, CustomCoupling):
        raise InconsistentStart(
            f"{coupling.where}: its formula is {gap:.6g} at t = 0, not 0 (tolerance"
            f" {allowed:.2g}).",
            "Move its bodies, or take the nearest poses where it holds: simulate(..., close=True).",
        )
    if abs(gap) > allowed:
        raise InconsistentStart(
            f"{coupling.where} is off by {gap:.3g} at t = 0: {coupling.drives} is"
            f" {gap + coupling.offset:.6g}, not {coupling.offset:g} (tolerance {allowed:.2g}).",
            f"Start where it holds: simulate(..., start={{'{coupling.joints[0]}': ...}}) or"
            " close=True, or change its offset; in the model's poses coordinates are 0, or zero=.",
        )


def is_closed(setup: Setup) -> bool:
    """Whether all joints are closed at the start."""
    try:
        check_closed(setup)
    except InconsistentStart:
        return False
    return True


def check_gap(setup: Setup, name: str, remedy: str, word: str = "joint") -> None:
    rotation, translation = setup.gap(name, setup.absolute)
    for gap, unit in (
        (float(np.linalg.norm(translation)), setup.length_unit(name)),
        (float(np.linalg.norm(rotation)), "rad"),
    ):
        rounded = ROUNDED * reach_of(setup, name) if unit == "m" else 0.0
        allowed = max(OPEN_TOLERANCE, rounded)
        if gap > allowed:
            raise InconsistentStart(
                f"{word} '{name}' is open by {measured(gap, unit)} at t = 0"
                f" (tolerance {allowed:g}{unit and ' ' + unit}).",
                f"{remedy}, or let chasles close it: simulate(..., close=True).",
            )


def reach_of(setup: Setup, name: str) -> float:
    """The longest lever of a joint, or the distance of its bodies from the origin: m."""
    joints, index = setup.system.joints, setup.joint_index[name]
    bodies = [end for end in (int(joints.a[index]), int(joints.b[index])) if end >= 0]
    levers = [joints.point_a[index], joints.point_b[index]]
    places = [setup.absolute[body, POSE_X : POSE_X + 3] for body in bodies]
    return max(float(np.linalg.norm(v)) for v in (*levers, *places))


def measured(value: float, unit: str) -> str:
    """A length or an angle in a message; angles also in degrees."""
    degrees = f" ({math.degrees(value):.3g} deg)" if unit == "rad" else ""
    return f"{value:.3g}{unit and ' ' + unit}{degrees}"


def real_rows(system: System) -> Integers:
    """Indices of the rows of J that are constraints rather than padding."""
    return numbered(system.joints.first_row, system.joints.rows)


def rotor_places(system: System) -> tuple[Integers, Floats]:
    """Indices of the rows of J that are those of rotors, and their inertias."""
    joints = system.joints
    places = numbered(joints.first_row + joints.rows, joints.span - joints.rows)
    return places, joints.rotors[joints.rotors > 0.0]


def numbered(first: Integers, count: Integers) -> Integers:
    """The numbers of all spans, one after the other."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
