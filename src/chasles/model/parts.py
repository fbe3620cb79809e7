"""Parts of a model, checked against each other and completed where they leave something open."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from chasles.model.body import GROUND, Body
from chasles.model.checks import checked_name
from chasles.model.coordinate_coupling import Coupling, placed_coupling
from chasles.model.coordinates import resolved_coordinate
from chasles.model.couplings import cosine_between
from chasles.model.drivers import AnyDriver, Driver, PointDriver, check_start
from chasles.model.errors import InvalidModel, UnknownName, short_repr
from chasles.model.forces import Force, Spring
from chasles.model.formulas import check_once
from chasles.model.joint_forces import JointForce, JointLaw
from chasles.model.joints import Joint
from chasles.model.loads import Load
from chasles.model.motors import Motor
from chasles.model.sensors import AnySensor, ForceSensor

Named = TypeVar("Named", Body, Joint, Force, AnyDriver, AnySensor)
Names = Mapping[str, Mapping[str, Any]]
#: The lists of a model, and what stands in them.
KINDS: dict[str, type[Any]] = {
    "bodies": Body, "joints": Joint, "forces": Force, "drivers": AnyDriver, "sensors": AnySensor
}  # fmt: skip
PARALLEL = 1e-12  # 1 - cosine of two directions that count as one


def assembled(given: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The lists of a model: parts of their kinds, checked against each other and completed."""
    holding = listed(given["joints"], "joints")  # couplings may stand among joints, too
    coupled = [part for part in holding if isinstance(part, Coupling)]
    refuse_gravity(given["drivers"])
    lists = {
        **given,
        "joints": [part for part in holding if not isinstance(part, Coupling)],
        "drivers": (*listed(given["drivers"], "drivers"), *coupled),
    }
    parts = {what: checked_members(lists[what], kind, what) for what, kind in KINDS.items()}
    if not parts["bodies"]:
        raise InvalidModel("the model has no bodies.", "Give at least one Body.")
    check_names({what: parts[what] for what in ("bodies", "sensors")})
    check_names({what: parts[what] for what in KINDS if what != "bodies"})
    named = {what: {part.name: part for part in parts[what]} for what in KINDS}
    found = {what: tuple(placed(part, named) for part in parts[what]) for what in KINDS}
    check_driven_once(found["drivers"])
    check_coupled_free(found["drivers"])
    return found


def checked_members(members: Any, kind: type[Any], what: str) -> tuple[Any, ...]:
    """Objects of one kind."""
    parts = listed(members, what)
    for index, member in enumerate(parts):
        if not isinstance(member, kind):
            word = kind.word.capitalize()
            raise InvalidModel(
                f"{what}[{index}] must be a {word}, got {short_repr(member)}.",
                place_of(member)
                or f"Give {word} objects only: Model(bodies, joints, forces, drivers).",
            )
    return parts


def place_of(member: Any) -> str:
    """Where a part belongs that was given elsewhere; nothing if it belongs nowhere."""
    name = type(member).__name__
    if name in ("Event", "Impact"):  # of a run, which models do not know
        return f"{name} is an option of a run: simulate(..., events=[...])."
    for where, kind in (("joints", Coupling), *KINDS.items()):
        if isinstance(member, kind):
            return f"{name} belongs among the {where}: Model(..., {where}=[...])."
    return ""


def listed(members: Any, what: str) -> tuple[Any, ...]:
    """The members of anything that can be gone through once."""
    try:
        return tuple(members)
    except TypeError:  # one part alone, None, a number
        raise InvalidModel(
            f"{what} must be a list, got {short_repr(members)}.",
            f"Put it in brackets: {what}=[...].",
        ) from None


def refuse_gravity(drivers: Any) -> None:
    """Three numbers in the place of the drivers are a gravity."""
    array = isinstance(drivers, np.ndarray) and drivers.ndim > 0
    three = (array or isinstance(drivers, tuple | list)) and len(drivers) == 3
    if three and all(isinstance(entry, float | int | np.number) for entry in drivers):
        raise InvalidModel(
            f"drivers must be a list of drivers, got {short_repr(drivers)}.",
            f"Gravity is given by its keyword: gravity={short_repr(tuple(map(float, drivers)))}.",
        )


def checked_notes(notes: Any) -> tuple[str, ...]:
    """Texts of one line each."""
    if isinstance(notes, str):
        raise InvalidModel(
            f"notes must be a list, got {short_repr(notes)}.", "Put it in brackets: notes=[...]."
        )
    texts = listed(notes, "notes")
    for index, note in enumerate(texts):
        checked_name(note, f"note (notes[{index}])", InvalidModel)
    return texts


def check_names(parts: Mapping[str, Sequence[Any]]) -> None:
    """A name means one thing only, be it a joint, a force, a driver or a sensor."""
    first: dict[str, str] = {}
    for what, members in parts.items():
        for index, member in enumerate(members):
            place = f"{what}[{index}]"
            if member.name in first:
                raise InvalidModel(
                    f"{first[member.name]} and {place} are both named '{member.name}'.",
                    "Give every one its own name; results are looked up by it.",
                )
            first[member.name] = place


def placed(part: Any, named: Names) -> Any:
    """The part on bodies and joints that exist, with the point and coordinate that it leaves open.

    The point is a centre of mass, that of the second body of two.
    """
    bodies, joints, names = named["bodies"], named["joints"], bodies_of(part)
    for name in names:
        if name != GROUND.name and name not in bodies:
            raise UnknownName.among("body", name, (GROUND.name, *bodies), where=part.where)
    found = part.completed(bodies)
    if isinstance(found, Coupling):
        return placed_coupling(found, joints)
    if isinstance(found, ForceSensor):
        check_force_sensor(found, named["forces"], named["drivers"])
    changes: dict[str, Any] = {}
    if hasattr(found, "joint") and hasattr(found, "coordinate"):
        joint = joints[UnknownName.check("joint", found.joint, joints, part.where)]
        if getattr(found, "reads", "coordinate") in ("coordinate", "rate"):
            asked = found.coordinate
            coordinate = resolved_coordinate(joint, asked, part.where, part.invalid)
            check_begins(found, joint.at_start(coordinate))
            changes["coordinate"] = coordinate
    usual = isinstance(found, Load) or not isinstance(found, Force)
    if usual and getattr(found, "at", ()) is None:  # other forces may mean something by None
        moving = [name for name in names if name != GROUND.name]
        changes["at"] = bodies[moving[-1]].position
    if all(getattr(found, name) == value for name, value in changes.items()):
        return found
    return replace(found, **changes)


def bodies_of(part: Any) -> tuple[str, ...]:
    """The bodies that a part is given for, the ground included."""
    if hasattr(part, "bodies"):
        return tuple(part.bodies)
    return tuple(getattr(part, end) for end in ("a", "b", "body") if hasattr(part, end))


def check_begins(part: Any, start: float) -> None:
    """Refuse a motion that begins elsewhere than its coordinate, and a law that fails there."""
    if isinstance(part, Driver):
        check_start(part, start)
    if isinstance(part, JointLaw) or (isinstance(part, Motor) and part.feedback):
        check_once(part.effort_at, 0.0, start, 0.0)


def check_force_sensor(
    sensor: ForceSensor, forces: Mapping[str, Force], drivers: Mapping[str, AnyDriver]
) -> None:
    if sensor.force not in forces and sensor.force not in drivers:
        known = (*forces, *drivers)
        raise UnknownName.among("force or driver", sensor.force, known, where=sensor.where)
    driven = sensor.force in drivers
    on_joint = driven or isinstance(forces[sensor.force], JointForce)
    if (driven and sensor.reads != "effort") or (sensor.reads == "effort" and not on_joint):
        raise sensor._wrong(
            f"'{sensor.force}' is a {'driver' if driven else 'force'} and has no {sensor.reads}.",
            "Read its effort: reads='effort'." if driven else "Read its force, torque or power.",
        )
    if sensor.reads == "elongation" and not isinstance(forces[sensor.force], Spring):
        raise sensor._wrong(
            f"'{sensor.force}' is a {forces[sensor.force].kind}, and only a spring"
            " has an elongation.",
            "Read its force, torque or power.",
        )


def check_driven_once(drivers: Sequence[AnyDriver]) -> None:
    """Refuse two drivers that prescribe the same number."""
    known: dict[tuple[Any, ...], list[AnyDriver]] = {}
    for second in drivers:
        rivals = known.setdefault(driven_part(second), [])
        for first in rivals:
            if same_direction(first, second):
                raise InvalidModel(
                    f"drivers '{first.name}' and '{second.name}' both drive {second.drives}.",
                    "Leave one of them out, or add their motions in one driver.",
                )
        rivals.append(second)


def check_coupled_free(drivers: Sequence[AnyDriver]) -> None:
    """Refuse a coupling all of whose coordinates are driven: it could only repeat or contradict."""
    driven = {(d.joint, d.coordinate) for d in drivers if isinstance(d, Driver)}
    for coupling in drivers:
        terms = coupling.terms if isinstance(coupling, Coupling) else ()
        if terms and all(t[:2] in driven for t in terms):
            raise coupling._wrong(
                "all its coordinates are driven, so that nothing can follow.",
                "Leave one of the drivers out, or the coupling.",
            )


def driven_part(driver: AnyDriver) -> tuple[Any, ...]:
    """The coordinate of a joint, or the point of a body."""
    if isinstance(driver, Driver):
        return (Driver, driver.joint, driver.coordinate)
    if isinstance(driver, PointDriver):
        return (PointDriver, driver.body, driver.at)
    return (driver.name,)


def same_direction(first: AnyDriver, second: AnyDriver) -> bool:
    """Whether two drivers of one part drive it in one direction; a coordinate has only one."""
    if isinstance(first, PointDriver) and isinstance(second, PointDriver):
        return 1.0 - abs(cosine_between(first.direction, second.direction)) < PARALLEL
    return True


def joining(names: Iterable[str]) -> Callable[[str, str], bool]:
    """A function that puts two together, and says whether they were apart until then."""
    part = {name: name for name in names}

    def root(name: str) -> str:
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    def joins(a: str, b: str) -> bool:
        first, second = root(a), root(b)
        part[first] = second
        return first != second

    return joins
