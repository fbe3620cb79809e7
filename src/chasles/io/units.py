"""Units in the names of keys: `position_mm = [10, 0, 0]` is `position = [0.01, 0, 0]`.

Everything is SI where no unit is named.
"""

from math import pi
from typing import Any

from chasles.model import InvalidModel, UnknownName
from chasles.model.errors import short_repr

#: dimension -> unit -> (times, over): one of the two is 1, so that there is one rounding only
SCALES: dict[str, dict[str, tuple[float, float]]] = {
    "length": {"m": (1, 1), "mm": (1, 1000), "cm": (1, 100), "um": (1, 1e6), "km": (1000, 1)},
    "angle": {"rad": (1, 1), "deg": (pi, 180)},
    "time": {"s": (1, 1), "ms": (1, 1000), "us": (1, 1e6), "min": (60, 1)},
    "mass": {"kg": (1, 1), "g": (1, 1000), "t": (1000, 1)},
    "frequency": {"Hz": (1, 1), "kHz": (1000, 1)},
    "speed": {"m_per_s": (1, 1), "mm_per_s": (1, 1000), "km_per_h": (1, 3.6)},
    "angular speed": {"rad_per_s": (1, 1), "deg_per_s": (pi, 180), "rpm": (pi, 30)},
    "acceleration": {"m_per_s2": (1, 1), "mm_per_s2": (1, 1000)},
    "density": {"kg_per_m3": (1, 1), "g_per_cm3": (1000, 1)},
    "inertia": {"kg_m2": (1, 1), "kg_cm2": (1, 1e4), "kg_mm2": (1, 1e6),
        "g_cm2": (1, 1e7), "g_mm2": (1, 1e9)},
    "force": {"N": (1, 1), "kN": (1000, 1)},
    "torque": {"Nm": (1, 1), "kNm": (1000, 1), "Nmm": (1, 1000)},
    "stiffness": {"N_per_m": (1, 1), "N_per_mm": (1000, 1)},
    "torsional stiffness": {"Nm_per_rad": (1, 1), "Nm_per_deg": (180, pi)},
    "damping": {"Ns_per_m": (1, 1), "Ns_per_mm": (1000, 1)},
    "torsional damping": {"Nms_per_rad": (1, 1)},
    "pitch": {"m_per_rad": (1, 1), "mm_per_rad": (1, 1000), "mm_per_turn": (1, 2000 * pi)},
}  # fmt: skip
#: suffix -> (dimension, times, over)
UNITS: dict[str, tuple[str, float, float]] = {
    unit: (name, *scale) for name, units in SCALES.items() for unit, scale in units.items()
}
LENGTHS = "position at at_b size radius length rest_length between outer inner"
TIMES = "times duration start until step first_step max_step t_eval"
#: field -> the dimensions that it may have; a field that is not here has no unit in its name
DIMENSIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(LENGTHS.split(), ("length",)),
    **dict.fromkeys(("angle", "angles", "phase"), ("angle",)),
    **dict.fromkeys(TIMES.split(), ("time",)),
    **{name: (name,) for name in ("mass", "density", "inertia", "frequency", "force", "torque")},
    "pitch": ("pitch",),
    "velocity": ("speed",),
    "angular_velocity": ("angular speed",),
    "gravity": ("acceleration",),
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
    written: dict[str, str] = {}
    for key, value in table.items():
        field, unit = (key, "") if key in known else split(key, known, turns)
        if field not in known:
            raise unknown(key, known, where, turns)
        if field in converted:
            twice = f"{field} is given twice, as {written[field]} and as {key}"
            raise InvalidModel(f"{where}: {twice}.", "Give it once.")
        written[field] = key
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
