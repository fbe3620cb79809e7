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
from chasles.model.custom import CustomCoupling, CustomJoint
from chasles.model.drivers import AnyDriver, Driver, PointDriver, check_start
from chasles.model.errors import (
    InvalidDriver,
    InvalidForce,
    InvalidModel,
    InvalidSensor,
    UnknownName,
    short_repr,
)
from chasles.model.forces import Force, Spring
from chasles.model.formulas import check_once, entered_pose
from chasles.model.joint_forces import JointForce, JointLaw
from chasles.model.joints import Joint
from chasles.model.loads import Load
from chasles.model.motors import Motor
from chasles.model.sensors import AnySensor, ForceSensor, JointSensor, Sensor

Named = TypeVar("Named", Body, Joint, Force, AnyDriver, AnySensor)
PARALLEL = 1e-12  # 1 - cosine of two directions that count as one


def checked_members(members: Any, kind: type[Named], what: str) -> tuple[Named, ...]:
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
    lists = {Body: "bodies", Coupling: "joints", Joint: "joints", Force: "forces",
             AnyDriver: "drivers", AnySensor: "sensors"}  # fmt: skip
    for kind, where in lists.items():
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
    vector = isinstance(drivers, tuple | list | np.ndarray) and len(drivers) == 3
    if vector and all(isinstance(entry, float | int | np.number) for entry in drivers):
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


def placed(joint: Joint, bodies: dict[str, Body]) -> Joint:
    """The joint between bodies that exist, with a point even if none was given."""
    check_bodies((joint.a, joint.b), bodies, f"joint '{joint.name}'")
    if isinstance(joint, CustomJoint):
        check_once(joint.residual, *(entered_pose(name, bodies) for name in (joint.a, joint.b)))
    if joint.at is not None:
        return joint
    return replace(joint, at=bodies[joint.a if joint.b == GROUND.name else joint.b].position)


def placed_force(force: Force, bodies: dict[str, Body], joints: dict[str, Joint]) -> Force:
    """The force on bodies and joints that exist, with a point and a coordinate."""
    check_bodies(force.bodies, bodies, force.where)
    if isinstance(force, JointForce):
        joint = checked_joint(force.joint, joints, force.where)
        coordinate = resolved_coordinate(joint, force.coordinate, force.where, InvalidForce)
        if isinstance(force, JointLaw) or (isinstance(force, Motor) and force.feedback):
            check_once(force.effort_at, 0.0, joint.at_start(coordinate), 0.0)
        found: dict[str, Any] = {"coordinate": coordinate}  # of every kind, not of their base
        return force if coordinate == force.coordinate else replace(force, **found)
    if isinstance(force, Load) and force.at is None:
        return replace(force, at=bodies[force.body].position)
    return force.completed(bodies)


def placed_driver(
    driver: AnyDriver, bodies: dict[str, Body], joints: dict[str, Joint]
) -> AnyDriver:
    """The driver of a joint or body that exists, with a point and a coordinate."""
    if isinstance(driver, Driver):
        joint = checked_joint(driver.joint, joints, driver.where)
        coordinate = resolved_coordinate(joint, driver.coordinate, driver.where, InvalidDriver)
        check_start(driver, joint.at_start(coordinate))
        return replace(driver, coordinate=coordinate)
    if isinstance(driver, CustomCoupling):
        check_bodies(driver.bodies, bodies, driver.where)
        check_once(driver.residual, *(entered_pose(name, bodies) for name in driver.bodies))
        return driver
    if isinstance(driver, Coupling):
        return placed_coupling(driver, joints)
    if isinstance(driver, PointDriver):
        check_bodies((driver.body,), bodies, driver.where)
        if driver.at is None:
            return replace(driver, at=bodies[driver.body].position)
    return driver


def placed_sensor(
    sensor: AnySensor,
    bodies: dict[str, Body],
    joints: dict[str, Joint],
    forces: Mapping[str, Force],
    drivers: Mapping[str, AnyDriver],
) -> AnySensor:
    """The sensor of a part that exists and has what it reads, with a point and a coordinate."""
    if sensor.name in bodies:
        raise InvalidModel(
            f"a body and a sensor are both named '{sensor.name}'.",
            "Give the sensor its own name; results are looked up by it.",
        )
    if isinstance(sensor, Sensor):
        check_bodies((sensor.body,), bodies, sensor.where)
        return sensor if sensor.at is not None else replace(sensor, at=bodies[sensor.body].position)
    if isinstance(sensor, JointSensor):
        joint = checked_joint(sensor.joint, joints, sensor.where)
        if sensor.reads not in ("coordinate", "rate"):
            return sensor
        found = resolved_coordinate(joint, sensor.coordinate, sensor.where, InvalidSensor)
        return replace(sensor, coordinate=found)
    if isinstance(sensor, ForceSensor):
        check_force_sensor(sensor, forces, drivers)
    return sensor


def check_force_sensor(
    sensor: ForceSensor, forces: Mapping[str, Force], drivers: Mapping[str, AnyDriver]
) -> None:
    if sensor.force not in forces and sensor.force not in drivers:
        known = (*forces, *drivers)
        raise UnknownName.among("force or driver", sensor.force, known, where=sensor.where)
    driven = sensor.force in drivers
    on_joint = driven or isinstance(forces[sensor.force], JointForce)
    if (driven and sensor.reads != "effort") or (sensor.reads == "effort" and not on_joint):
        raise InvalidSensor(
            f"{sensor.where}: '{sensor.force}' is a {'driver' if driven else 'force'} and has no"
            f" {sensor.reads}.",
            "Read its effort: reads='effort'." if driven else "Read its force, torque or power.",
        )
    if sensor.reads == "elongation" and not isinstance(forces[sensor.force], Spring):
        raise InvalidSensor(
            f"{sensor.where}: '{sensor.force}' is a {forces[sensor.force].kind}, and only a spring"
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
            raise InvalidModel(
                f"{coupling.where}: all its coordinates are driven, so that nothing can follow.",
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


def check_bodies(names: Sequence[str], bodies: dict[str, Body], where: str) -> None:
    for name in names:
        if name != GROUND.name and name not in bodies:
            raise UnknownName.among("body", name, (GROUND.name, *bodies), where=where)


def checked_joint(name: str, joints: dict[str, Joint], where: str) -> Joint:
    return joints[UnknownName.check("joint", name, joints, where)]
