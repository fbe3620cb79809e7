"""Drivers, and the coordinates that they and the forces on joints act on."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from chasles.model import (
    GROUND,
    Body,
    Cylindrical,
    Distance,
    Driver,
    Fixed,
    Helical,
    InvalidDriver,
    InvalidSignal,
    Model,
    Planar,
    PointDriver,
    Prismatic,
    Revolute,
    Signal,
    Spherical,
    Universal,
)

ORIGIN, X, Y, UP = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
ROD = Body.rod("rod", 1.0, mass=1.0)
HINGE = Revolute("hinge", GROUND, ROD, ORIGIN, UP)


@pytest.mark.parametrize(
    "joint, coordinates",
    [
        (HINGE, ("angle",)),
        (Helical("j", GROUND, ROD, ORIGIN, UP, 0.1), ("angle",)),
        (Prismatic("j", GROUND, ROD, axis=X), ("displacement",)),
        (Cylindrical("j", GROUND, ROD, ORIGIN, UP), ("angle", "displacement")),
        (Spherical("j", GROUND, ROD, ORIGIN), ()),
        (Planar("j", GROUND, ROD, axis=UP), ()),
        (Fixed("j", GROUND, ROD), ()),
        (Universal("j", GROUND, ROD, ORIGIN, X, Y), ()),
        (Distance("j", GROUND, ROD, ORIGIN, X), ()),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_the_coordinates_of_a_joint(joint, coordinates):
    assert joint.coordinates == coordinates


def test_a_driver_follows_a_signal_or_a_function():
    driver = Driver("crank", HINGE, Signal.linear(2.0))
    assert (driver.joint, driver.coordinate, driver.kind) == ("hinge", "auto", "driver")
    assert driver.locked == ("motion",) and pickle.loads(pickle.dumps(driver)) == driver
    assert isinstance(Driver("crank", "hinge", np.sin).motion, Signal)
    assert replace(replace(driver, name="x"), name="crank") == driver
    assert driver.sample([1.5]).tolist() == [[3.0, 2.0, 0.0]]


def test_a_motion_that_fails_during_a_run_is_named(refusal):
    driver = Driver("crank", HINGE, lambda t: t if t < 1.0 else float("nan"))
    message = refusal(lambda: driver.sample([0.0, 2.0]), InvalidSignal)
    assert "driver 'crank', motion" in message and "t = 2 s" in message


def test_a_driver_of_a_point():
    driver = PointDriver("shaker", ROD, X, (0, 0, 5), np.sin)
    assert (driver.body, driver.at) == ("rod", (1.0, 0.0, 0.0))
    assert driver.direction == (0.0, 0.0, 1.0) and driver.kind == "pointdriver"
    assert driver.locked == ("motion",) and replace(driver) == driver


def test_a_motion_that_is_zero_to_rounding_is_accepted():
    Driver("crank", HINGE, lambda t: t + 9e-10)


@pytest.mark.parametrize("start", [2e-9, -0.5, 1.0])
def test_a_motion_starts_at_zero(start, refusal):
    for make in (
        lambda: Model([ROD], [HINGE], drivers=[Driver("crank", HINGE, lambda t: t + start)]),
        lambda: PointDriver("crank", ROD, X, UP, Signal.linear(1.0, offset=start)),
    ):
        message = refusal(make, InvalidDriver)
        assert "driver 'crank'" in message and f"{start:.3g} at t = 0" in message
        assert "Subtract" in message


@pytest.mark.parametrize("motion", [lambda t: float("nan"), lambda t: (t, t), lambda t: 1 / t])
def test_a_motion_that_fails_is_named(motion, refusal):
    assert "driver 'crank', motion" in refusal(
        lambda: Driver("crank", HINGE, motion), InvalidSignal
    )


@pytest.mark.parametrize(
    "make, said",
    [
        (
            lambda: Driver("d", HINGE, 2.0),
            ["motion must be a function of time, got 2.0", "Signal.linear"],
        ),
        (lambda: Driver("d", HINGE, None), ["motion must be a function of time, got None"]),
        (lambda: Driver("d", HINGE, "sin"), ["motion must be a function of time, got 'sin'"]),
        (lambda: Driver("d", ROD, np.sin), ["joint must be a joint, got Body"]),
        (lambda: Driver("d", 3, np.sin), ["joint must be a joint, got 3"]),
        (
            lambda: Driver("d", HINGE, np.sin, "turn"),
            ["coordinate must be 'auto', 'angle' or 'displacement', got 'turn'"],
        ),
        (
            lambda: Driver("d", HINGE, np.sin, None),
            ["coordinate must be 'auto', 'angle' or 'displacement', got None"],
        ),
        (lambda: PointDriver("d", GROUND, X, UP, np.sin), ["body is the ground"]),
        (lambda: PointDriver("d", 3, X, UP, np.sin), ["body must be a body, got 3"]),
        (lambda: PointDriver("d", ROD, X, ORIGIN, np.sin), ["direction is (0, 0, 0)"]),
        (
            lambda: PointDriver("d", ROD, (0, 0), UP, np.sin),
            ["at must be a vector of three numbers, got shape (2,)"],
        ),
        (lambda: PointDriver("d", ROD, X, UP, 0.0), ["motion must be a function of time, got 0.0"]),
    ],
)
def test_slips_are_named(make, said, refusal):
    message = refusal(make, InvalidDriver)
    for part in ["driver 'd'", *said]:
        assert part in message


@pytest.mark.parametrize("name", ["", None])
def test_a_driver_has_a_name(name, refusal):
    assert repr(name) in refusal(lambda: Driver(name, HINGE, np.sin), InvalidDriver)
