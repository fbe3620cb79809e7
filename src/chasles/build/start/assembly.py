"""Assembly: bodies entered with inexact numbers are moved to where the joints close."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from chasles.build.start.closure import Closure, turn_between
from chasles.build.start.consistent import (
    check_speeds_agree,
    completed,
    driven_rates,
    forbidden,
    given_twists,
    nearest_allowed,
    velocity_error,
)
from chasles.build.start.redundancy import joint_of_row
from chasles.build.start.rows import Rows
from chasles.build.system.build import OPEN_TOLERANCE, Setup, build, measured
from chasles.build.system.coordinates import counted_angles
from chasles.build.system.state import State, checked_state
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.model import (
    Body,
    Driver,
    InconsistentStart,
    InvalidOption,
    Joint,
    Model,
    Signal,
    UnknownName,
)
from chasles.model.checks import is_scalar
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model, plural
from chasles.spaces import resolve_spaces

LISTED = 12
#: Attributes of an assembly that have an amount for every body or joint.
TABLES = ("moved", "before", "after", "velocity_change")
#: Displacements and changes of velocity below this are round-off, and not reported.
NOTHING = 1e-12


class Amount(NamedTuple):
    """How far something is from where it was, or by how much a joint is open."""

    length: float  # m, or m/s
    angle: float  # rad, or rad/s


@dataclass(frozen=True)
class Assembly:
    """A consistent start, nearest to the poses and velocities of the model.

    Attributes
    ----------
    state
        Poses and velocities of all bodies that satisfy the joints.
    moved
        Body -> (m, rad): how far it was moved and turned.
    before
        Joint or driver -> (m, rad): constraint violation (gap) of the model.
    after
        Joint or driver -> (m, rad): constraint violation that is left.
    velocity_change
        Body -> (m/s, rad/s): how much its given velocities were changed.
    held
        Bodies and joints that were held.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0.25))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), at_b=(0, 0, 0.25), axis="y")
    >>> found = ch.assemble(ch.Model([arm], [hinge]))
    >>> found.state.position.round(9).tolist()
    [[0.468473537, 0.0, 0.174735643]]
    """

    state: State
    moved: Mapping[str, Amount]
    before: Mapping[str, Amount]
    after: Mapping[str, Amount]
    velocity_change: Mapping[str, Amount]
    held: tuple[str, ...] = ()

    @property
    def residual(self) -> tuple[float, float]:
        """Largest constraint violation of any joint, m or rad, before and after."""
        largest = [max((max(gap) for gap in gaps.values()), default=0.0)
                   for gaps in (self.before, self.after)]  # fmt: skip
        return largest[0], largest[1]

    def __str__(self) -> str:
        opened = [name for name, gap in self.before.items() if max(gap) > OPEN_TOLERANCE]
        lines = ["All joints were closed."]
        if opened:
            lines = [
                f"{plural(len(opened), 'joint', 'joints')} closed: the largest gap was"
                f" {self.residual[0]:.2g} m or rad and is {self.residual[1]:.1g}."
            ]
        for verb, amounts, units in (
            ("moved by", self.moved, ("m", "rad")),
            ("changed its velocity by", self.velocity_change, ("m/s", "rad/s")),
        ):
            changed = {name: x for name, x in amounts.items() if max(x) > NOTHING}
            order = sorted(changed, key=lambda name: -max(changed[name]))
            for name in order[:LISTED]:
                lines.append(f"body '{name}' {verb} {both(changed[name], units, NOTHING)}.")
            if len(order) > LISTED:
                lines.append(f"{len(order) - LISTED} more bodies {verb} less.")
        if len(lines) == 1:
            lines.append("Nothing moved.")
        if self.held:
            lines.append(f"Held: {', '.join(self.held)}.")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """All attributes except the state, as plain data."""
        plain = {name: {k: list(v) for k, v in getattr(self, name).items()} for name in TABLES}
        return {"held": list(self.held), **plain}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], state: State) -> "Assembly":
        """The inverse of `as_dict`."""
        tables = {name: {k: Amount(*v) for k, v in plain[name].items()} for name in TABLES}
        return cls(state=state, held=tuple(plain["held"]), **tables)


@checked_keywords
def assemble(
    model: Model, hold: Iterable[Body | Joint | str] = (), start: State | None = None
) -> Assembly:
    """Move the bodies of a model as little as possible so that its joints are closed at t = 0.

    The result is the nearest configuration, weighted by mass, with drivers at their start.
    Velocities that the joints allow are kept. Others are replaced by the nearest consistent ones.
    Velocities that were not given are computed.

    Parameters
    ----------
    model
        The model.
    hold
        Bodies and joints that must not move. Bodies keep their poses and given velocities. Joints
        keep their coordinates, and their rates where the velocities were given.
    start
        A state to assemble, instead of the poses and velocities of the model.

    Returns
    -------
    Assembly
        The consistent state, and what was changed.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=2.0, position=(0.51, 0, 0))
    >>> pivot = ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0), at_b=(0.01, 0, 0))
    >>> assembly = ch.assemble(ch.Model([arm], [pivot]))
    >>> round(assembly.moved["arm"].length, 12)
    0.01
    """
    checked_model(model)
    bodies, joints = checked_hold(hold, model)
    held = (*bodies, *joints)
    begin = None if start is None else checked_state(start, "start")
    holding, names = with_holds(model, joints)
    setup = build(holding, resolve_spaces(holding, "SE3"), "screw", begin)
    indices = np.array([setup.body_index[name] for name in bodies], np.int64)
    closure = Closure(setup, indices, names)
    closed = closed_poses(closure, model, held)
    here = replace(setup, absolute=closed)
    twists, given, known = consistent_twists(closure, here, bodies, names, held)
    closed = closed.copy()
    closed[:, TWIST : TWIST + 6] = twists
    return report(model, setup, closed, np.where(known, twists - given, 0.0), held)


def checked_hold(hold: Any, model: Model) -> tuple[list[str], list[str]]:
    """The names of the bodies and of the joints to hold."""
    one = isinstance(hold, str | Body | Joint) or is_scalar(hold)
    if one or not isinstance(hold, Iterable):
        raise InvalidOption(
            f"hold must be a list of bodies and joints, got {short_repr(hold)}.",
            "Put it in brackets: hold=[...].",
        )
    bodies, joints = [], []
    for part in hold:
        name = part.name if isinstance(part, Body | Joint) else part
        if isinstance(name, str) and name in model.body_names and not isinstance(part, Joint):
            bodies.append(name)
        elif isinstance(name, str) and name in model.joint_names and not isinstance(part, Body):
            joints.append(checked_coordinates(model.joint(name)))
        else:
            known = (*model.body_names, *model.joint_names)
            raise UnknownName.among("body or joint", name, known, where="hold")
    return list(dict.fromkeys(bodies)), list(dict.fromkeys(joints))


def checked_coordinates(joint: Joint) -> str:
    """The name of a joint that has a coordinate to hold."""
    if not joint.coordinates:
        raise InvalidOption(
            f"hold: joint '{joint.name}' is {joint.kind} and has no coordinate.",
            "Name a revolute, helical, prismatic or cylindrical joint, or a body.",
        )
    return joint.name


# --- poses ---------------------------------------------------------------------------------------


def with_holds(model: Model, joints: list[str]) -> tuple[Model, list[str]]:
    """The model with a driver at rest on every held coordinate, and the names of these drivers.

    A coordinate that is driven anyway is where its driver has it.
    """
    driven = {(d.joint, d.coordinate) for d in model.drivers if isinstance(d, Driver)}
    taken = {*model.joint_names, *model.force_names, *model.driver_names}
    drivers: list[Driver] = []
    for joint in joints:
        for coordinate in model.joint(joint).coordinates:
            if (joint, coordinate) not in driven:
                name = f"hold of {joint} ({coordinate})"
                while name in taken:
                    name += "'"
                drivers.append(
                    Driver(
                        name,
                        joint,
                        Signal.constant(model.joint(joint).at_start(coordinate)),
                        coordinate,
                    )
                )
    more = replace(model, drivers=(*model.drivers, *drivers)) if drivers else model
    return more, [driver.name for driver in drivers]


def closed_poses(closure: Closure, model: Model, held: tuple[str, ...]) -> Floats:
    """The nearest poses at which all joints are closed."""
    entered = closure.setup.absolute
    check_finite(closure)
    closed, _ = closure.closed(entered)
    if is_open(closure, closed):  # once more with all gaps alike, also to say how little is left
        closed, _ = closure.closed(entered, by_mass=False)
    if is_open(closure, closed):
        raise open_error(closure, model, closed, held)
    return closure.nearest(closed) if closed is not entered else entered


def is_open(closure: Closure, absolute: Floats) -> bool:
    """Whether a joint is open by more than a run would take."""
    return bool(np.abs(closure.at(absolute)[0]).max(initial=0.0) > OPEN_TOLERANCE)


def check_finite(closure: Closure) -> None:
    """Refuse poses at which a user's formula fails, or numbers overflow."""
    residual, rows = closure.rows_at(closure.setup.absolute)
    if np.isfinite(residual).all() and np.isfinite(rows.entries).all():
        return
    closure.setup.raise_users_errors()
    name, _ = joint_of_row(closure.setup, int(np.argmin(np.isfinite(residual))))
    raise InconsistentStart(
        f"joint '{name}' cannot be closed: its gap is not a number.",
        "Check the units of its bodies and of its point: m, kg and kg m^2.",
    )


def gaps_at(setup: Setup, absolute: Floats, names: Iterable[str]) -> dict[str, Amount]:
    """By how much joints and drivers are open."""
    found = {name: setup.gap(name, absolute) for name in names}
    return {
        name: Amount(float(np.linalg.norm(shift)), float(np.linalg.norm(turn)))
        for name, (turn, shift) in found.items()
    }


def open_error(
    closure: Closure, model: Model, absolute: Floats, held: tuple[str, ...]
) -> InconsistentStart:
    """Joints that cannot be closed: the worst, and what is left at best."""
    setup = closure.setup
    gaps = gaps_at(setup, absolute, (*model.joint_names, *model.driver_names))
    worst = max(gaps, key=lambda name: gaps[name].length + closure.length * gaps[name].angle)
    word = "joint" if worst in model.joint_names else "driver"
    total = Amount(*(sum(gap[k] for gap in gaps.values()) for k in (0, 1)))
    holding = f" with {', '.join(held)} held" if held else ""
    units = (setup.length_unit(worst), "rad")
    return InconsistentStart(
        f"the joints cannot be closed{holding}: at best {word} '{worst}' stays open by"
        f" {both(gaps[worst], units)}, and all together by {both(total)}.",
        "Check lengths and axes (at, at_b, axis, axis_b)"
        + (", or hold less." if held else ", and where the bodies were entered."),
    )


def both(
    amount: Amount, units: tuple[str, str] = ("m", "rad"), matters: float = OPEN_TOLERANCE
) -> str:
    """A length and an angle, or the one that matters."""
    parts = [measured(x, u) for x, u in zip(amount, units) if x > matters]
    return " and ".join(parts) or "nothing"


# --- velocities ----------------------------------------------------------------------------------


def consistent_twists(
    closure: Closure, here: Setup, bodies: list[str], holds: list[str], held: tuple[str, ...]
) -> tuple[Floats, Floats, np.ndarray]:
    """Twists that the joints allow at the closed poses; those given, and which these are."""
    given, known = given_twists(here)
    entered = replace(here, absolute=closure.entered)
    speeds = closure.rows_at(closure.entered)[1].times(given_twists(entered)[0])
    rows, rates = closure.rows_at(here.absolute)[1], driven_rates(here)
    holding = [int(here.system.joints.first_row[here.joint_index[n]]) for n in holds]
    for row in holding:
        if rate_given(rows, row, known):
            rates[row] = speeds[row]
        else:
            rows.entries[rows.row == row] = 0.0  # free to move: its rate was not given
    twists = completed(here, rows, given, known, rates)
    if forbidden(here, rows, twists, rates):
        fixed = np.zeros_like(known)
        fixed[[here.body_index[name] for name in bodies]] = True
        twists = nearest_allowed(here, rows, given, known, fixed, rates)
    if forbidden(here, rows, twists, rates):
        missed = rows.times(twists) - rates
        missed[holding] = rates[holding] = 0.0  # users know what they hold, not its drivers
        rows.entries[np.isin(rows.row, holding)] = 0.0
        check_speeds_agree(here, rows, rates)
        error = velocity_error(here, missed)
        if not held:
            raise InconsistentStart(error.what, "Change the velocities that were given.")
        raise InconsistentStart(
            f"with {', '.join(held)} held, {error.what}", "Hold less, or change its velocities."
        )
    return twists, given, known


def rate_given(rows: Rows, row: int, known: np.ndarray) -> bool:
    """Whether all velocities that a row takes were given: an angle needs no linear ones."""
    own = rows.row == row
    unknown, sizes = ~known[rows.body[own]], np.abs(rows.entries[own])
    return bool(np.all(sizes[unknown] <= NOTHING * sizes.max()))


def report(
    model: Model, setup: Setup, closed: Floats, change: Floats, held: tuple[str, ...]
) -> Assembly:
    """What was done, by name."""
    entered = setup.absolute
    turned = np.linalg.norm(turn_between(entered, closed), axis=1)
    turned[np.all(entered[:, POSE_R : POSE_R + 9] == closed[:, POSE_R : POSE_R + 9], axis=1)] = 0.0
    shifted = np.linalg.norm((closed - entered)[:, POSE_X : POSE_X + 3], axis=1)
    slower, spun = np.linalg.norm(change[:, 3:], axis=1), np.linalg.norm(change[:, :3], axis=1)
    order = [setup.body_index[name] for name in model.body_names]

    def amounts(lengths: Floats, angles: Floats) -> dict[str, Amount]:
        pairs = zip(model.body_names, lengths[order].tolist(), angles[order].tolist())
        return {name: Amount(length, angle) for name, length, angle in pairs}

    names = (*model.joint_names, *model.driver_names)
    angles = counted_angles(setup, closed, setup.angles)
    return Assembly(
        state=State.from_absolute(0.0, model, closed[order], angles),
        moved=amounts(shifted, turned),
        before=gaps_at(setup, entered, names),
        after=gaps_at(setup, closed, names),
        velocity_change=amounts(slower, spun),
        held=held,
    )
