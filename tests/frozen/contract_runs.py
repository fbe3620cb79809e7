"""Thirty runs that end, stop, warn or are refused on charts of six dimensions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import chasles as ch
from chasles.studies import gallery

ORIGIN, X, Y = (0, 0, 0), (1, 0, 0), (0, 1, 0)


@dataclass(frozen=True)
class Case:
    """A model, and what is done with it: act(model, folder) -> result or plain data.

    loose  what of its messages is a matter of pivots, or of when one looks: "names" or "numbers"
    """

    build: Callable[[], ch.Model]
    act: Callable[[ch.Model, Path], Any]
    loose: tuple[str, ...] = ()


CASES: dict[str, Case] = {}


def case(name: str, build: Callable[[], ch.Model]) -> Callable[[Any], Any]:
    def keep(act: Callable[[ch.Model, Path], Any]) -> Callable[[ch.Model, Path], Any]:
        CASES[name] = Case(build, act)
        return act

    return keep


def run(model: ch.Model, **options: Any) -> ch.Result:
    asked = {"until": 0.05, "step": 1e-3, "spaces": "SE3", "progress": False, "save_every": 10}
    return ch.simulate(model, **(asked | options))


# --- models ---------------------------------------------------------------------------------------


def rod(name: str, **more: Any) -> ch.Body:
    return ch.Body.rod(name, 1.0, mass=1.0, **{"position": (0.5, 0, 0), **more})


def pendulum(**more: Any) -> ch.Model:
    """A rod on a hinge at the origin; keywords are those of the hinge."""
    body = rod("rod")
    return ch.Model([body], [ch.Revolute("hinge", ch.GROUND, body, ORIGIN, Y, **more)])


def fast(velocity: Any) -> ch.Model:
    body = rod("rod", velocity=velocity)
    return ch.Model([body], [ch.Revolute("hinge", ch.GROUND, body, ORIGIN, Y)])


def equipped() -> ch.Model:
    """A pendulum on a cart with what has columns: forces, a driver, sensors."""
    cart = ch.Body.box("cart", (0.4, 0.2, 0.1), mass=5.0, position=ORIGIN)
    arm, bob = rod("arm"), ch.Body.sphere("bob", 0.1, mass=2.0, position=(1, 0, 0))
    joints = [
        ch.Prismatic("rail", ch.GROUND, cart, axis=X),
        ch.Cylindrical("pin", cart, arm, at=ORIGIN, axis=Y),
        ch.Spherical("ball", arm, bob, at=(1, 0, 0)),
    ]
    forces = [
        ch.JointSpring("mount", "rail", stiffness=200.0, damping=5.0),
        ch.Motor("motor", "pin", effort=1.5),
        ch.Spring("rope", ch.GROUND, bob, (1, 0, 1), (1, 0, 0), stiffness=300.0),
    ]
    drive = ch.Driver("drive", "pin", ch.Signal.expression("0.1*t^3"), "displacement")
    sensors = [
        ch.Sensor("tip", bob, at=(1.1, 0, 0)),
        ch.JointSensor("reading", "pin", "coordinate"),
    ]
    return ch.Model([cart, arm, bob], joints, forces, [drive], sensors=sensors)


def four_bar() -> ch.Model:
    """A parallelogram of hinges: three rows repeat others, and it folds."""
    a, b, c, d = map(np.array, (ORIGIN, (0, 0, 1), (2, 0, 1), (2, 0, 0)))
    bars = [
        ch.Body.rod(name, mass=1.0, radius=0.02, between=between)
        for name, between in (("left", (a, b)), ("top", (b, c)), ("right", (d, c)))
    ]
    joints = [
        ch.Revolute("A", ch.GROUND, bars[0], a, Y),
        ch.Revolute("B", bars[0], bars[1], b, Y),
        ch.Revolute("C", bars[1], bars[2], c, Y),
        ch.Revolute("D", ch.GROUND, bars[2], d, Y),
    ]
    pushed = [
        replace(bars[0], angular_velocity=(0, 4, 0), velocity=(2, 0, 0)),
        replace(bars[1], velocity=(4, 0, 0)),
        replace(bars[2], angular_velocity=(0, 4, 0), velocity=(2, 0, 0)),
    ]
    return ch.Model(pushed, joints, gravity=ORIGIN)


def welded() -> ch.Model:
    """A driver that asks for a motion which a weld forbids."""
    body = rod("rod")
    joints = [
        ch.Revolute("hinge", ch.GROUND, body, ORIGIN, Y),
        ch.Fixed("weld", ch.GROUND, body, ORIGIN),
    ]
    drive = ch.Driver("drive", "hinge", ch.Signal.expression("0.1*t^3"))  # at rest at first
    return ch.Model([body], joints, drivers=[drive])


def stiff() -> ch.Model:
    """A spring far too stiff for the step."""
    body = ch.Body.sphere("ball", 0.1, mass=1.0, position=X)
    spring = ch.Spring("rope", ch.GROUND, body, ORIGIN, X, stiffness=1e9, rest_length=0.5)
    return ch.Model([body], [], [spring])


def disc() -> ch.Model:
    return ch.library["rolling-disc"].model()


# --- results and files ----------------------------------------------------------------------------

RUNS: dict[str, tuple[Callable[[], ch.Model], dict[str, Any]]] = {
    "a top on SE(3)": (gallery.heavy_top, {}),
    "a pendulum on SO(3)xR3, Heun": (
        gallery.double_pendulum, {"spaces": "SO3xR3", "method": "heun"},
    ),
    "framed, projected": (gallery.three_bar, {"spaces": "framed", "stabilise": "projection"}),
    "relative, Baumgarte": (
        gallery.double_pendulum, {"spaces": "SE3 relative", "stabilise": "baumgarte"},
    ),
    "a cart with forces, a driver and sensors": (equipped, {}),
    "the space form": (gallery.three_bar, {"spaces": "SO3xR3", "acceleration": "space"}),
    "generalized-alpha": (gallery.three_bar, {"method": "generalized-alpha"}),
    "RATTLie": (gallery.double_pendulum, {"method": "rattlie"}),
    "tolerances": (
        gallery.double_pendulum, {"step": None, "rtol": 1e-6, "atol": 1e-8, "save_every": 1},
    ),
    "a redundant loop": (four_bar, {}),
    "a mixture": (gallery.double_pendulum, {"spaces": {"link 1": "SE3", "link 2": "subgroups"}}),
    "rolling": (disc, {"until": 0.02}),
    # refused
    "an open joint": (partial(pendulum, at_b=(0, 0, 0.032)), {}),
    "a turned joint": (partial(pendulum, axis_b=(0, 1, 0.01)), {}),
    "a velocity that joints forbid": (partial(fast, (0.0, 0.3, 0.0)), {}),
    "redundant joints that are refused": (four_bar, {"redundant": "refuse"}),
    "a space of no body": (gallery.double_pendulum, {"spaces": {"link 3": "SE3"}}),
    "spaces in a circle": (
        gallery.double_pendulum,
        {"spaces": {"link 1": ch.SE3("link 2"), "link 2": ch.SE3("link 1")}},
    ),
    "a frame at no joint": (
        gallery.double_pendulum, {"spaces": {"link 1": ch.SO3xR3(at="joint 7")}},
    ),
    "a method that is none": (gallery.double_pendulum, {"method": "rk5"}),
    "a step of nothing": (pendulum, {"step": -0.25}),
    # stopped, or suspect
    "a driver against a weld": (welded, {"until": 0.5}),
    "a spring too stiff": (stiff, {"until": 0.5, "step": 1e-2}),
    "a loop that folds": (four_bar, {"until": 1.0}),
    "a loop that folds and goes on": (four_bar, {"until": 0.6, "singular": "pass"}),
    "a step too long for a top": (gallery.heavy_top, {"until": 2.0, "step": 0.02}),
}  # fmt: skip
LOOSE = {"a loop that folds": ("names",), "a driver against a weld": ("numbers",)}
for name, (build, options) in RUNS.items():
    act = partial(lambda model, folder, options: run(model, **options), options=options)
    CASES[name] = Case(build, act, LOOSE.get(name, ()))


@case("a table in a file", equipped)
def table(model: ch.Model, folder: Path) -> Any:
    text = run(model).save(folder / "run.csv").read_text("utf-8").splitlines()
    return {"lines": len(text), "head": text[0].split(",")}  # units are in the names


@case("a run in a file, and its end", equipped)
def netcdf(model: ch.Model, folder: Path) -> Any:
    result = run(model)
    again = ch.load(result.save(folder / "run.nc"))
    longer = ch.simulate(model, 0.1, 1e-3, start=again, spaces="SE3", progress=False)
    return {
        "provenance": sorted(again.provenance),
        "attributes": sorted(map(str, again.to_xarray().attrs)),
        "until": float(longer.t[-1]),
    }


@case("a run in a folder", gallery.three_bar)
def recorded(model: ch.Model, folder: Path) -> Any:
    run(model, into=folder / "run")
    return {"provenance": sorted(ch.load(folder / "run").provenance)}


@case("the end of another model's run", gallery.three_bar)
def another(model: ch.Model, folder: Path) -> Any:
    return run(model, start=run(gallery.heavy_top()), until=0.1)
