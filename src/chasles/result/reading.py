"""A result by names: what its sensors read, and everything as one table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import AnySensor, ForceSensor, JointSensor, Sensor

if TYPE_CHECKING:
    from pandas import DataFrame

    from chasles.result.result import Result

#: name, unit and values (T,) of a column
Column = tuple[str, str, Floats]


# --- sensors --------------------------------------------------------------------------------------


def sensor_values(result: "Result", sensor: AnySensor) -> Floats:
    """What a sensor reads over time."""
    if isinstance(sensor, Sensor):
        return of_point(result, sensor)
    if isinstance(sensor, JointSensor):
        return of_joint(result, sensor)
    if isinstance(sensor, ForceSensor) and sensor.reads == "effort":
        return result.effort(sensor.force)
    values: Floats = getattr(result.force(sensor.of), sensor.reads)
    return values


def of_point(result: "Result", sensor: Sensor) -> Floats:
    r"""A point of a body; specific force is $\ddot x - g$."""
    body, axes = sensor.body, sensor.axes
    if sensor.reads == "quaternion":
        return result.quaternion(body)
    if sensor.reads.startswith("angular"):
        turning: Floats = getattr(result, sensor.reads)(body, axes)
        return turning
    point = result.point(body, sensor.at)
    if sensor.reads == "specific_force":
        values = point.acceleration - np.array(result.model.gravity)
    else:
        values = getattr(point, sensor.reads)
    return values if axes == "world" else np.einsum("tij,ti->tj", result.rotation(body), values)


def of_joint(result: "Result", sensor: JointSensor) -> Floats:
    joint, reads = sensor.joint, sensor.reads
    if reads in ("force", "torque"):
        reaction = result.reaction(joint)
        if sensor.axes == "joint":
            return reaction.in_joint_frame[0 if reads == "force" else 1]
        return reaction.force if reads == "force" else reaction.torque
    if reads == "coordinate":
        return result.coordinate(joint, sensor.coordinate)
    if reads == "rate":
        return result.coordinate_rate(joint, sensor.coordinate)
    return result.violation(joint, "translation" if reads == "gap" else "rotation")


# --- the table ------------------------------------------------------------------------------------


def to_frame(result: "Result") -> "DataFrame":
    """Everything that moves as one pandas table; pandas is there with xarray."""
    from pandas import DataFrame, Index

    columns = list(columns_of(result))
    table = DataFrame(
        {name: np.ascontiguousarray(values) for name, _, values in columns},
        index=Index(np.array(result.t), name="t"),
    )
    table.attrs["units"] = {"t": "s", **{name: unit for name, unit, _ in columns}}
    return table


def columns_of(result: "Result") -> Iterator[Column]:
    for body in result.model.body_names:
        yield from vector(body, "", "m", result.position(body))
        yield from vector(body, "q", "1", result.quaternion(body), "wxyz")
        yield from vector(body, "v", "m/s", result.velocity(body))
        yield from vector(body, "w", "rad/s", result.angular_velocity(body))
    for joint in result.model.joints:
        for kind in joint.coordinates:
            unit = "rad" if kind == "angle" else "m"
            yield f"{joint.name}.{kind}", unit, result.coordinate(joint, kind)
            yield f"{joint.name}.{kind}_rate", f"{unit}/s", result.coordinate_rate(joint, kind)
        yield f"{joint.name}.gap", "m", result.violation(joint)
        yield f"{joint.name}.angular_gap", "rad", result.violation(joint, "rotation")
    for part in (*result.model.force_names, *result.model.driver_names):
        yield f"{part}.work", "J", result.work(part)
    for sensor in result.model.sensors:
        yield from of_sensor(sensor, result.sensor(sensor))
    yield "energy.kinetic", "J", result.kinetic_energy()
    yield "energy.potential", "J", result.potential_energy()


def of_sensor(sensor: AnySensor, values: Floats) -> Iterator[Column]:
    """A number under the name of the sensor, a vector under it and its axes."""
    if values.ndim == 1:
        yield sensor.name, sensor.unit, values
    else:
        yield from vector(sensor.name, "", sensor.unit, values, "wxyz"[-values.shape[1] :])


def vector(part: str, letter: str, unit: str, values: Any, axes: str = "xyz") -> Iterator[Column]:
    for k, axis in enumerate(axes):
        yield f"{part}.{letter}{axis}", unit, values[:, k]
