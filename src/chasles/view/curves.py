"""`result.plot("hinge")`: curves over time by name, on matplotlib axes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from chasles.core.arrays import Floats
from chasles.model import (
    Coupling,
    CustomCoupling,
    InvalidOption,
    JointForce,
    UnknownName,
)
from chasles.model.coordinates import ANGLE
from chasles.model.drivers import AnyDriver
from chasles.model.keywords import checked_keywords
from chasles.result.result import Result
from chasles.view.panels import largest_of, log_scale, seconds_axis, thinned, titles
from chasles.view.picture import checked_axes, checked_target, finished, new_axes
from chasles.view.plots import RC
from chasles.view.theme import LIGHT

COLOURS = ("se3", "product", "chosen", "other", "y", "muted", "x", "z")
FLOOR = 1e-17  # zero on a logarithmic axis
MOST_CURVES = 12


@dataclass(frozen=True)
class Curves:
    """Named curves that share an axis."""

    title: str
    label: str
    curves: list[tuple[str, Floats]]
    logarithmic: bool = False


@checked_keywords
def plot_result(
    result: Result,
    what: Any = None,
    path: str | PathLike[str] | None = None,
    *,
    part: str | None = None,
    ax: Axes | None = None,
    size: tuple[float, float] = (6.4, 3.6),
) -> Axes:
    """Draw what was asked for by name; by default the energy."""
    target = checked_target(path)
    asked = what if isinstance(what, list | tuple) else ["energy" if what is None else what]
    if not asked:
        raise InvalidOption("plot: the list of names is empty.", "Name at least one thing to plot.")
    found = [curves_of(result, one, part) for one in asked]
    if len({curves.label for curves in found}) > 1:
        words = ", ".join(f"{c.title} ({c.label})" for c in found)
        raise InvalidOption(
            f"plot: {words} have different units and share no axis.",
            "Plot them one by one, or on two axes: result.plot(..., ax=axes[0]).",
        )
    with mpl.rc_context(RC):
        axes = checked_axes(ax) if ax is not None else new_axes(size)
        if ax is None:
            axes.set_position((0.13, 0.16, 0.83, 0.72))
        draw(axes, result.t, found)
    return finished(axes, target)


def draw(ax: Axes, t: Floats, found: list[Curves]) -> None:
    several = len(found) > 1
    curves = [
        (f"{one.title} {name}".strip() if several else name, values)
        for one in found
        for name, values in one.curves
    ]
    every = np.concatenate([values for _, values in curves])
    every = every[np.isfinite(every)]
    title = ", ".join(one.title for one in found)
    if every.size and not every.any():
        nothing(ax, title, found[0].label, t)
        return
    logarithmic = all(one.logarithmic for one in found)
    for index, (name, values) in enumerate(curves):
        shown = np.maximum(values, FLOOR) if logarithmic else values
        ax.plot(*thinned(t, shown), color=LIGHT[COLOURS[index % len(COLOURS)]],
                label=name if len(curves) > 1 else None,
                ls="-" if index < len(COLOURS) else (0, (4, 2)))  # fmt: skip
    largest = float(np.abs(every).max()) if every.size else 0.0
    if logarithmic:
        positive = np.maximum(every[len(every) // 50 :], FLOOR)
        low = max(float(np.quantile(positive, 0.02)) / 2.0, FLOOR)
        log_scale(ax.yaxis, low, max(largest, 10 * FLOOR), zero=FLOOR)
    else:
        room_for_constants(ax, every)
    titles(ax, title, largest_of([every]))
    seconds_axis(ax, t)
    ax.set_ylabel(found[0].label)
    if len(curves) > 1:
        legend_above(ax, len(curves))


def nothing(ax: Axes, title: str, unit: str, t: Floats) -> None:
    """Words instead of an axis on which nothing differs from zero."""
    words = f"zero throughout ({unit})" if unit else "zero throughout"
    titles(ax, title)
    seconds_axis(ax, t)
    ax.set_ylim(-1.0, 1.0)
    ax.set_yticks([])
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center",
            color=LIGHT["muted"])  # fmt: skip


#: Below this share of its size a curve's variation is rounding, which no axis should resolve.
FLAT = 1e-9


def room_for_constants(ax: Axes, values: Floats) -> None:
    """An axis that shows what is constant but for rounding as a constant."""
    if values.size and np.ptp(values) < FLAT * np.abs(values).max():
        middle = float(np.mean(values))
        ax.set_ylim(middle - 0.05 * abs(middle), middle + 0.05 * abs(middle))


def legend_above(ax: Axes, count: int) -> None:
    """A legend in room of its own above the curves, so that it hides none of them."""
    columns = min(count, 4)
    room = 1.0 - 0.11 * (1 + -(-count // columns))  # of the height, for the curves
    scale = ax.yaxis.get_transform()
    low, high = scale.transform(np.array(ax.get_ylim()))
    low, high = scale.inverted().transform(np.array([low, low + (high - low) / room]))
    ax.set_ylim(low, high)
    ax.legend(loc="upper left", ncols=columns)


# --- what a name stands for ---


def curves_of(result: Result, what: Any, part: str | None) -> Curves:
    """A quantity of the whole model, or a part of it."""
    name, model = getattr(what, "name", what), result.model
    if isinstance(name, str):
        for kind, curves in PARTS.items():
            if name in getattr(model, f"{kind}_names"):
                return curves(result, name, part)
        if name in WHOLE:
            if part is not None:
                raise UnknownName.among("part", part, (), where=f"plot of '{name}'")
            title, label, values, *logarithmic = WHOLE[name]
            return Curves(title, label, named(values(result)), *logarithmic)
    parts = [own for kind in PARTS for own in getattr(model, f"{kind}_names")]
    raise UnknownName.among("quantity or part", name, (*WHOLE, *parts), where="plot")


def named(values: Floats | dict[str, Floats]) -> list[tuple[str, Floats]]:
    """Named curves, the components of a vector or of a quaternion, or one curve."""
    if isinstance(values, dict):
        return list(values.items())
    if values.ndim == 1:
        return [("", values)]
    return [(axis, values[:, k]) for k, axis in enumerate("wxyz"[-values.shape[1] :])]


def energies(result: Result) -> dict[str, Floats]:
    return {
        "kinetic": result.kinetic_energy(),
        "potential": result.potential_energy(),
        "together": result.energy(),
    }


def gaps(result: Result, part: Literal["translation", "rotation"]) -> dict[str, Floats]:
    values = {j.name: result.violation(j, part) for j in result.model.joints}
    if not values:
        raise InvalidOption(
            "plot: the model has no joints, so there are no gaps.", "Plot 'energy', say."
        )
    worst = sorted(values, key=lambda name: -float(values[name].max()))[:MOST_CURVES]
    return {name: v for name, v in values.items() if name in worst}


#: Name -> title, label, what gives the values, and whether the axis is logarithmic.
WHOLE: dict[str, tuple[Any, ...]] = {
    "energy": ("Energy", "J", energies),
    "energy error": ("Energy-balance error", "J", Result.energy_balance),
    "kinetic energy": ("Kinetic energy", "J", Result.kinetic_energy),
    "potential energy": ("Potential energy", "J", Result.potential_energy),
    "momentum": ("Linear momentum", "N s", Result.momentum),
    "angular momentum": ("Angular momentum", "N m s", Result.angular_momentum),
    "gaps": ("Constraint violation", "m", partial(gaps, part="translation"), True),
    "gaps in angle": ("Constraint violation", "rad", partial(gaps, part="rotation"), True),
}


def part_of(
    what: str, name: str, part: str | None, usual: str, kinds: Mapping[str, tuple[str, str, Any]]
) -> Curves:
    """The part that was asked for; kinds are part -> (its title, unit, values when called)."""
    chosen = usual if part is None else part
    if chosen not in kinds:
        raise UnknownName.among(f"part of a {what}", part, kinds, where=f"plot of {what} '{name}'")
    title, unit, values = kinds[chosen]
    return Curves(f"{name}: {title}", unit, named(values()), "gap" in chosen)


def body_curves(result: Result, name: str, part: str | None) -> Curves:
    return part_of("body", name, part, "position", {
        "position": ("position", "m", lambda: result.position(name)),
        "velocity": ("velocity", "m/s", lambda: result.velocity(name)),
        "angular velocity": (
            "angular velocity", "rad/s, body axes", lambda: result.angular_velocity(name)
        ),
    })  # fmt: skip


def joint_curves(result: Result, name: str, part: str | None) -> Curves:
    """A joint's coordinate if it has one, else its gap."""
    kind = next(iter(result.model.joint(name).coordinates), None)
    unit = "rad" if kind == "angle" else "m"
    kinds: dict[str, tuple[str, str, Any]] = {}
    if kind is not None:
        kinds["coordinate"] = (kind, unit, lambda: result.coordinate(name))
        kinds["rate"] = (f"rate of {kind}", f"{unit}/s", lambda: result.coordinate_rate(name))
    kinds |= {
        "gap": ("gap", "m", lambda: result.violation(name)),
        "angular gap": ("angular gap", "rad", lambda: result.violation(name, "rotation")),
        "reaction": ("reaction", "N", lambda: result.reaction(name).force),
        "torque": ("reaction torque", "N m", lambda: result.reaction(name).torque),
    }
    return part_of("joint", name, part, next(iter(kinds)), kinds)


def force_curves(result: Result, name: str, part: str | None) -> Curves:
    """What a force exerts, or what came of it: its effort, its force, or the torque of a couple."""
    found, acting = result.force(name), result.model.force(name)
    kinds: dict[str, tuple[str, str, Any]] = {
        "work": ("work", "J", lambda: result.work(name)),
        "force": ("force", "N", lambda: found.force),
        "torque": ("torque", "N m", lambda: found.torque),
        "power": ("power", "W", lambda: found.power),
    }
    usual = "torque" if np.any(found.torque) and not np.any(found.force) else "force"
    if found.elongation is not None:
        kinds["elongation"] = ("elongation", "m", lambda: found.elongation)
    if isinstance(acting, JointForce):
        usual = "effort"
        kinds["effort"] = ("effort", effort_unit(acting), lambda: result.effort(name))
    return part_of("force", name, part, usual, kinds)


def driver_curves(result: Result, name: str, part: str | None) -> Curves:
    return part_of("driver", name, part, "effort", {
        "effort": (
            "effort", effort_unit(result.model.driver(name)), lambda: result.effort(name)
        ),
        "work": ("work", "J", lambda: result.work(name)),
    })  # fmt: skip


def effort_unit(acting: JointForce | AnyDriver) -> str:
    """A torque along an angle, a force along a displacement or of a point.

    Of a coupling the unit of its first coordinate, which is what `result.effort` gives.
    """
    if isinstance(acting, CustomCoupling):
        return ""
    if isinstance(acting, Coupling):
        return "N m" if acting.terms[0][1] == ANGLE else "N"
    return "N m" if getattr(acting, "coordinate", None) == ANGLE else "N"


def sensor_curves(result: Result, name: str, part: str | None) -> Curves:
    sensor, values = result.model.sensor(name), result.sensor(name)
    if part is not None:
        reads = f"it has the one quantity that it reads: {sensor.reads.replace('_', ' ')}"
        raise UnknownName(f"plot of sensor '{name}': {reads}, not '{part}'.", "Leave part out.")
    title = f"{name}: {sensor.reads.replace('_', ' ')} of {sensor.of}"
    return Curves(title, sensor.unit, named(values))


#: What a name stands for: of what kind the part is.
PARTS: dict[str, Callable[[Result, str, str | None], Curves]] = {
    "joint": joint_curves, "body": body_curves, "driver": driver_curves, "force": force_curves,
    "sensor": sensor_curves,
}  # fmt: skip
