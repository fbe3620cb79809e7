"""Units in the names of keys: `position_mm = [10, 0, 0]` is `position = [0.01, 0, 0]`.

Everything is SI where no unit is named.
"""

from math import pi
from typing import Any

from chasles.model import InvalidModel, UnknownName
from chasles.model.errors import short_repr

#: suffix -> (dimension, times, over): one of the two is 1, so that there is one rounding only
UNITS: dict[str, tuple[str, float, float]] = {
    "m": ("length", 1, 1),
    "mm": ("length", 1, 1000),
    "cm": ("length", 1, 100),
    "um": ("length", 1, 1e6),
    "km": ("length", 1000, 1),
    "rad": ("angle", 1, 1),
    "deg": ("angle", pi, 180),
    "s": ("time", 1, 1),
    "ms": ("time", 1, 1000),
    "us": ("time", 1, 1e6),
    "min": ("time", 60, 1),
    "kg": ("mass", 1, 1),
    "g": ("mass", 1, 1000),
    "t": ("mass", 1000, 1),
    "Hz": ("frequency", 1, 1),
    "kHz": ("frequency", 1000, 1),
    "m_per_s": ("speed", 1, 1),
    "mm_per_s": ("speed", 1, 1000),
    "km_per_h": ("speed", 1, 3.6),
    "rad_per_s": ("angular speed", 1, 1),
    "deg_per_s": ("angular speed", pi, 180),
    "rpm": ("angular speed", pi, 30),
    "m_per_s2": ("acceleration", 1, 1),
    "mm_per_s2": ("acceleration", 1, 1000),
    "kg_per_m3": ("density", 1, 1),
    "g_per_cm3": ("density", 1000, 1),
    "kg_m2": ("inertia", 1, 1),
    "kg_cm2": ("inertia", 1, 1e4),
    "kg_mm2": ("inertia", 1, 1e6),
    "g_cm2": ("inertia", 1, 1e7),
    "g_mm2": ("inertia", 1, 1e9),
    "N": ("force", 1, 1),
    "kN": ("force", 1000, 1),
    "Nm": ("torque", 1, 1),
    "kNm": ("torque", 1000, 1),
    "Nmm": ("torque", 1, 1000),
    "N_per_m": ("stiffness", 1, 1),
    "N_per_mm": ("stiffness", 1000, 1),
    "Nm_per_rad": ("torsional stiffness", 1, 1),
    "Nm_per_deg": ("torsional stiffness", 180, pi),
    "Ns_per_m": ("damping", 1, 1),
    "Ns_per_mm": ("damping", 1000, 1),
    "Nms_per_rad": ("torsional damping", 1, 1),
    "m_per_rad": ("pitch", 1, 1),
    "mm_per_rad": ("pitch", 1, 1000),
    "mm_per_turn": ("pitch", 1, 2000 * pi),
}
LENGTHS = "position at at_b size radius length rest_length between outer inner"
#: field -> the dimensions that it may have; a field that is not here has no unit in its name
DIMENSIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(LENGTHS.split(), ("length",)),
    **dict.fromkeys(("angle", "angles", "phase"), ("angle",)),
    **dict.fromkeys(("times", "duration", "start", "until", "step", "t_eval"), ("time",)),
    "mass": ("mass",),
    "density": ("density",),
    "inertia": ("inertia",),
    "velocity": ("speed",),
    "angular_velocity": ("angular speed",),
    "gravity": ("acceleration",),
    "frequency": ("frequency",),
    "force": ("force",),
    "torque": ("torque",),
    "pitch": ("pitch",),
    **dict.fromkeys(("rest", "lower", "upper"), ("angle", "length")),
    "armature": ("inertia", "mass"),
    "level": ("torque", "force"),
    "limit": ("torque", "force"),
    "smoothing": ("angular speed", "speed"),
    "slip": ("speed",),
    "stiffness": ("stiffness", "torsional stiffness"),
    "damping": ("damping", "torsional damping"),
}
#: What is measured about something that turns: the other half of the fields with two dimensions.
TURNING = {
    "angle", "inertia", "torque", "angular speed", "torsional stiffness", "torsional damping",
}  # fmt: skip


def in_si(
    table: dict[str, Any], known: set[str], where: str, turns: bool | None = None
) -> dict[str, Any]:
    """The table with units taken out of its keys; a key that means nothing is refused.

    turns   whether it is about something that turns, or that shifts; None: both
    """
    converted: dict[str, Any] = {}
    for key, value in table.items():
        field, unit = (key, "") if key in known else split(key, known, turns)
        if field not in known:
            raise unknown(key, known, where, turns)
        if field in converted:
            raise InvalidModel(f"{where}: {field} is given twice, once as {key}.", "Give it once.")
        converted[field] = scaled(value, unit, f"{where}, {key}") if unit else value
    return converted


def split(key: str, known: set[str], turns: bool | None = None) -> tuple[str, str]:
    """Field and unit of a key, if the field is one that is measured in the unit."""
    for field, dimensions in DIMENSIONS.items():
        if field in known and key.startswith(field + "_"):
            unit = key.removeprefix(field + "_")
            if unit not in UNITS or UNITS[unit][0] not in dimensions:
                continue
            if turns is None or len(dimensions) == 1 or (UNITS[unit][0] in TURNING) == turns:
                return field, unit
    return key, ""


def unknown(key: str, known: set[str], where: str, turns: bool | None) -> UnknownName:
    """A field that there is not; or one that there is, with a unit that does not measure it."""
    for field in DIMENSIONS:
        if field in known and key.startswith(field + "_"):
            names = [f"{field}_{unit}" for unit in UNITS]
            good = ", ".join(name for name in names if split(name, known, turns)[0] == field)
            return UnknownName(
                f"{where}: there is no field '{key}'.", f"Give {field} in SI units, or {good}."
            )
    return UnknownName.among("field", key, sorted(known), where=where)


def scaled(value: Any, unit: str, where: str) -> Any:
    """Numbers at any depth, in SI units."""
    if isinstance(value, list):
        return [scaled(entry, unit, where) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidModel(f"{where} is {short_repr(value)}, which has no unit.", "Give numbers.")
    _, times, over = UNITS[unit]
    return value * times / over
