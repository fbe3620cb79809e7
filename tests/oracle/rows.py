"""What joints, drivers and couplings ask of the accelerations, one kind after the other.

A recipe lists rows (name, slope, rate, bias): slope V + rate = 0 of the velocities and
slope X + bias = 0 of the accelerations.  A row without its own time has the rate 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle.bodies import Bodies, Start, square_to
from oracle.coordinates import Coordinate
from oracle.formulas import formula_jet
from oracle.jets import Floats, Jet, cross, dot
from oracle.signals import motion_at

import chasles as ch


@dataclass(frozen=True)
class Row:
    """One scalar row; `owner` is the joint, driver or coupling that pushes along it."""

    owner: str
    slope: Floats
    rate: float
    bias: float


class Ends:
    """The two frames of a joint, as its bodies carry them."""

    def __init__(self, joint: ch.Joint, start: Start) -> None:
        self.joint = joint
        self.bodies = start.index[joint.a], start.index[joint.b]
        axis_b = joint.axis if joint.axis_b is None else joint.axis_b
        at_b = joint.at if joint.at_b is None else joint.at_b
        self.points = start.point(joint.a, joint.at), start.point(joint.b, at_b)
        x, y = square_to(joint.axis)
        self.axes_a = [start.axis(joint.a, e) for e in (x, y, joint.axis)]
        self.axes_b = [start.axis(joint.b, e) for e in (x, y, axis_b)]

    def apart(self, bodies: Bodies) -> Jet:
        return bodies.point(self.points[1]) - bodies.point(self.points[0])

    def a(self, axis: int, bodies: Bodies) -> Jet:
        return bodies.axis(self.axes_a[axis])

    def b(self, axis: int, bodies: Bodies) -> Jet:
        return bodies.axis(self.axes_b[axis])


Recipe = Callable[[Ends, Bodies], Iterator[Jet]]


def meet(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Both points are one."""
    apart = ends.apart(bodies)
    for axis in np.eye(3):
        yield apart.along(axis)


def on_line(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    apart = ends.apart(bodies)
    yield dot(apart, ends.a(0, bodies))
    yield dot(apart, ends.a(1, bodies))


def on_plane(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    yield dot(ends.apart(bodies), ends.a(2, bodies))


def parallel(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Both axes are parallel."""
    z = ends.b(2, bodies)
    yield dot(ends.a(0, bodies), z)
    yield dot(ends.a(1, bodies), z)


def no_twist(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """b does not turn against a about an axis that both share."""
    yield dot(ends.a(0, bodies), ends.b(1, bodies))


def cross_of_pins(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    yield dot(ends.a(2, bodies), ends.b(2, bodies))


def equal_speeds(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    yield (dot(ends.a(0, bodies), ends.b(1, bodies)) - dot(ends.a(1, bodies), ends.b(0, bodies)))


def rod(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Half the square of the length over the length: a slope of one."""
    apart = ends.apart(bodies)
    yield dot(apart, apart).times(0.5 / ends.joint.length)


def thread(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Advance less pitch times turn; the turn is a speed."""
    z, (a, b) = ends.a(2, bodies), ends.bodies
    spin = bodies.spin(b) - bodies.spin(a)
    apart = spin @ bodies.velocities
    turn = Jet(0.0, z.value @ apart, z.value @ spin, z.rate @ apart)
    yield dot(ends.apart(bodies), z) - turn.times(ends.joint.pitch)


def teeth(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Speed of b about its axis less ratio times that of a about its own."""
    (a, b), ratio = ends.bodies, ends.joint.ratio
    e_a, e_b = ends.a(2, bodies), ends.b(2, bodies)
    slope = e_b.value @ bodies.spin(b) - ratio * (e_a.value @ bodies.spin(a))
    bias = e_b.rate @ bodies.twist(b)[1] - ratio * (e_a.rate @ bodies.twist(a)[1])
    yield Jet(0.0, slope @ bodies.velocities, slope, bias)


def up_in_disc(normal: Jet, axis: Jet) -> tuple[Floats, Floats]:
    """The direction of a disc that is highest above its plane, and its rate."""
    lean = normal.value @ axis.value
    lean_rate = normal.rate @ axis.value + normal.value @ axis.rate
    up = normal.value - lean * axis.value
    up_rate = normal.rate - lean_rate * axis.value - lean * axis.rate
    length = np.sqrt(up @ up)
    up = up / length
    return up, (up_rate - up * (up @ up_rate)) / length


def rolling(ends: Ends, bodies: Bodies) -> Iterator[Jet]:
    """Where b touches the plane of a both have one velocity, along the axes of the plane."""
    (a, b), radius = ends.bodies, ends.joint.radius
    normal = ends.a(2, bodies)
    up, up_rate = normal.value, normal.rate
    if isinstance(ends.joint, ch.RollingDisc):
        up, up_rate = up_in_disc(normal, ends.b(2, bodies))
    v_a, omega_a = bodies.twist(a)
    v_b, omega_b = bodies.twist(b)
    r_a, r_b = bodies.pose(a)[1], bodies.pose(b)[1]
    touch, touch_rate = r_b - radius * up, v_b - radius * up_rate
    arms = touch - r_b, touch - r_a
    slope = np.zeros((3, bodies.width))
    for sign, body, arm in ((1.0, b, arms[0]), (-1.0, a, arms[1])):
        if body >= 0:
            for column, unit in enumerate(np.eye(3)):
                slope[column, 6 * body + column] += sign
                slope[:, 6 * body + 3 + column] += sign * cross(unit, arm)
    slide = slope @ bodies.velocities
    bias = cross(omega_b, touch_rate - v_b) - cross(omega_a, touch_rate - v_a)
    for k in range(3):
        axis = ends.a(k, bodies)
        yield Jet(
            0.0, axis.value @ slide, axis.value @ slope, axis.value @ bias + axis.rate @ slide
        )


RECIPES: dict[type[ch.Joint], tuple[Recipe, ...]] = {
    ch.Spherical: (meet,),
    ch.Revolute: (meet, parallel),
    ch.Prismatic: (on_line, parallel, no_twist),
    ch.Cylindrical: (on_line, parallel),
    ch.Helical: (on_line, parallel, thread),
    ch.Planar: (on_plane, parallel),
    ch.Fixed: (meet, parallel, no_twist),
    ch.Cartesian: (parallel, no_twist),
    ch.Universal: (meet, cross_of_pins),
    ch.ConstantVelocity: (meet, equal_speeds),
    ch.Distance: (rod,),
    ch.PointOnLine: (on_line,),
    ch.PointOnPlane: (on_plane,),
    ch.Gear: (teeth,),
    ch.RollingSphere: (rolling,),
    ch.RollingDisc: (rolling,),
}


def joint_rows(ends: Ends, bodies: Bodies) -> Iterator[Row]:
    joint = ends.joint
    if isinstance(joint, ch.CustomJoint):
        yield from each_of(joint.name, formula_jet(joint.formula, ends.bodies, bodies))
        return
    for recipe in RECIPES[type(joint)]:
        for jet in recipe(ends, bodies):
            yield Row(joint.name, jet.slope, 0.0, jet.bias)


def each_of(owner: str, jet: Jet) -> Iterator[Row]:
    for slope, bias in zip(jet.slope, jet.bias, strict=True):
        yield Row(owner, slope, 0.0, bias)


def driver_rows(
    driver: Any,
    t: float,
    bodies: Bodies,
    start: Start,
    coordinates: dict[Any, Coordinate],
    angles: dict[Any, float],
) -> Iterator[Row]:
    """Of drivers, which follow a motion, and of couplings."""
    if isinstance(driver, ch.CustomCoupling):
        seen = [start.index[name] for name in driver.bodies]
        yield from each_of(driver.name, formula_jet(driver.formula, seen, bodies))
    elif isinstance(driver, ch.Coupling):
        slope, bias = np.zeros(bodies.width), 0.0
        for joint, word, powers in driver.terms:
            q = coordinates[joint, word].at(bodies, angles)
            first = sum(k * c * q.value ** (k - 1) for k, c in enumerate(powers, 1))
            second = sum(
                k * (k - 1) * c * q.value ** (k - 2) for k, c in enumerate(powers, 1) if k > 1
            )
            slope = slope + first * q.slope
            bias += first * q.bias + second * q.rate**2
        yield Row(driver.name, slope, 0.0, bias)
    elif isinstance(driver, ch.PointDriver):
        _, rate, second = motion_at(driver.motion, t)
        moved = bodies.point(start.point(driver.body, driver.at)).along(np.array(driver.direction))
        yield Row(driver.name, moved.slope, -rate, moved.bias - second)
    else:
        _, rate, second = motion_at(driver.motion, t)
        q = coordinates[driver.joint, driver.coordinate].at(bodies, angles)
        yield Row(driver.name, q.slope, -rate, q.bias - second)
