"""Models of every part with random numbers, for hypothesis."""

import numpy as np
from hypothesis import strategies as st

import chasles as ch
from chasles.model.contact import TOUCHING
from chasles.model.joint_forces import NOTHING

number = st.one_of(
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, -0.0, 1e-300, 5e-324, 1 / 3, 1e22, 123456789.123456789]),
)
positive = st.floats(1e-6, 1e6)
vector = st.tuples(number, number, number)
direction = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)
names = st.text(
    st.characters(categories=["L", "N", "P", "S"], include_characters=" "), min_size=1, max_size=8
).filter(lambda name: name.strip() and name.isprintable() and name != "ground")


@st.composite
def rotation(draw):
    q = np.array(draw(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)))
    return q / np.linalg.norm(q)


@st.composite
def inertia(draw):
    """Moments of three pairs of points on the axes, which some mass has, turned anyhow."""
    x, y, z = draw(st.tuples(positive, positive, positive))
    entries = np.array(draw(st.lists(st.floats(-1, 1), min_size=9, max_size=9)))
    turn = np.linalg.qr(entries.reshape(3, 3) + 3 * np.eye(3))[0]
    moments = turn @ np.diag((y + z, z + x, x + y)) @ turn.T
    return (moments + moments.T) / 2


@st.composite
def body(draw, name):
    start = {"position": draw(vector), "rotation": draw(rotation())}
    start |= {"velocity": draw(st.none() | vector), "angular_velocity": draw(st.none() | vector)}
    kind = draw(st.sampled_from(["body", "drawn", "box", "cylinder", "rod", "thick", "sphere"]))
    if kind == "body":
        return ch.Body(name, draw(positive), draw(inertia()), **start)
    if kind == "drawn":
        shapes = draw(st.lists(shape(), max_size=3))
        return ch.Body(name, draw(positive), draw(inertia()), **start, shapes=shapes)
    if kind == "box":
        size = draw(st.tuples(positive, positive, positive))
        size = np.clip(size, 0.01 * max(size), None)  # thinner ones have no positive inertia
        return ch.Body.box(name, size, draw(positive), **start)
    length, axis = draw(positive), draw(st.sampled_from("xyz"))
    if kind == "cylinder":
        return ch.Body.cylinder(name, 0.2 * length, length, density=7.8e3, axis=axis, **start)
    if kind == "sphere":
        return ch.Body.sphere(name, length, draw(positive), **start)
    radius = None if kind == "rod" else 0.1 * length
    return ch.Body.rod(name, length, draw(positive), radius=radius, axis=axis, **start)


def elsewhere(point):
    """Another point, however large the numbers are."""
    return np.add(point, (1e3 + abs(point[0]), 0, 0))


@st.composite
def shape(draw):
    pose = {"position": draw(vector), "rotation": draw(rotation())}
    pose["colour"] = draw(st.sampled_from([None, "steel", "#12ab9f"]))
    kind = draw(st.sampled_from(SHAPES))
    size, axis = draw(positive), draw(st.sampled_from("xyz"))
    if kind is ch.Box:
        return ch.Box((size, draw(positive), draw(positive)), **pose)
    if kind is ch.Sphere:
        return ch.Sphere(size, **pose)
    if kind is ch.Rod:
        return ch.Rod(size, draw(st.none() | positive), axis, **pose)
    if kind is ch.Ring:
        return ch.Ring(2.0 * size, size, draw(positive), axis, **pose)
    if kind is ch.Mesh:
        corners = draw(st.lists(vector, min_size=3, max_size=5))
        return ch.Mesh(corners, [(0, 1, 2), (2, 1, 0)], **pose)
    return kind(size, draw(positive), axis, **pose)


SHAPES = [ch.Box, ch.Sphere, ch.Rod, ch.Ring, ch.Mesh, ch.Cylinder, ch.Capsule, ch.Cone]


def crosswise(axis, other):
    """A direction perpendicular to an axis, to rounding."""
    axis = np.array(axis) / np.linalg.norm(axis)
    least = np.eye(3)[np.argmin(np.abs(axis))]
    return np.cross(axis, least + 0 * np.array(other))


@st.composite
def joint(draw, name, a, b):
    at, axis, other = draw(vector), draw(direction), draw(vector)
    open_at = {"at_b": draw(st.none() | vector)}
    opened = {**open_at, "axis_b": draw(st.none() | direction)}
    kind = draw(st.sampled_from(KINDS))
    if kind in (ch.Spherical, ch.Fixed):
        return kind(name, a, b, at, **open_at)
    if kind in (ch.Revolute, ch.Cylindrical, ch.Prismatic, ch.Planar):
        return kind(name, a, b, at, axis, **opened)
    if kind is ch.Cartesian:
        return kind(name, a, b, at)
    if kind is ch.Helical:
        return kind(name, a, b, at, axis, draw(positive), **opened)
    if kind is ch.Universal:
        return kind(name, a, b, at, axis, crosswise(axis, other))
    if kind is ch.Distance:
        return kind(name, a, b, at, elsewhere(at))
    if kind is ch.Gear:
        return kind(name, a, b, axis, draw(direction), draw(positive), at=draw(st.none() | vector))
    if kind is ch.RollingSphere:
        return kind(name, a, b, at, axis, draw(positive))
    if kind is ch.RollingDisc:
        return kind(name, a, b, at, axis, crosswise(axis, other), draw(positive))
    return kind(name, a, b, at, axis)


KINDS = [
    ch.Spherical, ch.Revolute, ch.Prismatic, ch.Cylindrical, ch.Helical, ch.Planar, ch.Fixed,
    ch.Universal, ch.ConstantVelocity, ch.Distance, ch.PointOnLine, ch.PointOnPlane, ch.Gear,
    ch.RollingSphere, ch.RollingDisc, ch.Cartesian,
]  # fmt: skip
TEXTS = ["t", "0.1*sin(2*pi*t)", "t^2/(1+t) ", "  exp(-t)-1", "-sqrt(t+1) + 1", "tanh(3*t)^3"]


@st.composite
def signal(draw):
    """A function of time that is zero at t = 0."""
    kind = draw(st.sampled_from(["linear", "ramp", "sine", "table", "expression"]))
    if kind == "linear":
        return ch.Signal.linear(draw(number))
    if kind == "ramp":
        return ch.Signal.ramp(draw(number), draw(positive), draw(st.floats(0, 10)))
    if kind == "sine":
        return ch.Signal.sine(draw(number), draw(number))
    if kind == "table":
        values = draw(st.lists(st.floats(-10, 10), min_size=1, max_size=12))
        return ch.Signal.table(np.arange(len(values) + 1) / 3, [0.0, *values])
    return ch.Signal.expression(draw(st.sampled_from(TEXTS)))


@st.composite
def body_force(draw, name, body_name, other):
    kind = draw(st.sampled_from(["spring", "bushing", "load", "wind", "drag", "contact"]))
    at, six = draw(vector), st.tuples(*[positive] * 6)
    if kind == "spring":
        rest = draw(st.none() | positive)
        stiff, damping = draw(positive), draw(positive)
        return ch.Spring(name, body_name, other, at, elsewhere(at), stiff, damping, rest)
    if kind == "bushing":
        return ch.Bushing(name, body_name, other, at, draw(six), draw(six), draw(direction))
    if kind == "load":
        return ch.Load(name, body_name, draw(vector), draw(st.none() | vector), frame="body")
    if kind == "wind":
        components = draw(st.tuples(signal(), number, signal() | st.just(ch.Signal.constant(2.0))))
        return ch.Load(name, body_name, torque=components, at=draw(st.none() | vector))
    if kind == "contact":
        return draw(contact(name, body_name, other))
    return ch.Drag(name, body_name, draw(positive), angular_quadratic=draw(positive))


@st.composite
def contact(draw, name, body_name, other):
    touching = shape().filter(lambda found: isinstance(found, TOUCHING))
    law = {"shape": draw(touching), "friction": draw(positive), "slip": draw(positive)}
    law |= {draw(st.sampled_from(["stiffness", "hertz"])): draw(positive)}
    if draw(st.booleans()):
        plane = {"at": draw(vector), "axis": draw(direction)}
        return ch.Contact(name, "ground", body_name, **plane, dissipation=draw(positive), **law)
    radius = draw(positive) * draw(st.sampled_from([1, -1]))
    return ch.Contact(name, body_name, other, draw(st.none() | vector), radius=radius, **law)


@st.composite
def joint_force(draw, name, hinge, coordinate):
    kind = draw(st.sampled_from(["spring", "friction", "motor", "effort"]))
    if kind == "spring":
        if coordinate == "angle" and draw(st.booleans()):
            return ch.TorsionSpring(name, hinge, draw(positive), draw(positive), draw(number))
        return ch.JointSpring(name, hinge, draw(positive), rest=draw(number), coordinate=coordinate)
    if kind == "friction":
        return ch.JointFriction(name, hinge, draw(positive), coordinate=coordinate)
    if kind == "motor":
        target = draw(signal() | number)
        return ch.Motor(name, hinge, target, draw(positive), coordinate=coordinate)
    effort = draw(signal().filter(lambda found: found != NOTHING))
    return ch.Motor(name, hinge, effort=effort, coordinate=coordinate)


@st.composite
def sensor(draw, name, body_names, joints, forces, drivers):
    kinds = ["body", *(["joint"] if joints else []), *(["force"] if forces else []),
             *(["driver"] if drivers else [])]  # fmt: skip
    kind = draw(st.sampled_from(kinds))
    if kind == "body":
        reads = draw(st.sampled_from(["velocity", "acceleration", "angular_velocity"]))
        axes = draw(st.sampled_from(["world", "body"]))
        return ch.Sensor(
            name, draw(st.sampled_from(body_names)), draw(st.none() | vector), reads, axes
        )
    if kind == "joint":
        reads = draw(st.sampled_from(["gap", "angular_gap", "force", "torque"]))
        axes = draw(st.sampled_from(["world", "joint"]))
        return ch.JointSensor(name, draw(st.sampled_from(joints)), reads, axes)
    if kind == "force":
        reads = draw(st.sampled_from(["force", "torque", "power"]))
        return ch.ForceSensor(name, draw(st.sampled_from(forces)), reads)
    return ch.ForceSensor(name, draw(st.sampled_from(drivers)), "effort")


@st.composite
def models(draw):
    """A model with parts of any kind; it need not be one that runs."""
    body_names = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    bodies = [draw(body(name)) for name in body_names]
    part_names = iter(f"{draw(names)} {k}" for k in range(1000))
    pair = st.permutations(body_names).map(lambda order: tuple(order[:2]))
    joints = [draw(joint(next(part_names), *draw(pair))) for _ in range(draw(st.integers(0, 5)))]
    forces = [
        draw(body_force(next(part_names), *draw(pair))) for _ in range(draw(st.integers(0, 3)))
    ]
    drivers = []
    for hinge in joints:
        for coordinate in hinge.coordinates:
            forces.append(draw(joint_force(next(part_names), hinge, coordinate)))
            drivers.append(ch.Driver(next(part_names), hinge, draw(signal()), coordinate))
    if draw(st.booleans()):
        point, along = draw(st.none() | vector), draw(direction)
        moved = ch.PointDriver(next(part_names), body_names[0], point, along, draw(signal()))
        drivers.append(moved)
    known = [(hinge.name, word) for hinge in joints for word in hinge.coordinates]
    if len(known) > 1 and draw(st.booleans()):
        # One coordinate at least follows.
        drivers = [d for d in drivers if not isinstance(d, ch.Driver) or d.joint != known[0][0]]
        chosen = draw(st.sets(st.sampled_from(known[1:]), min_size=1)) | {known[0]}
        powers = positive | st.tuples(number, positive)
        coupled = {key: draw(powers) for key in sorted(chosen)}
        drivers.append(ch.Coupling(next(part_names), coupled, draw(number)))
    parts = (body_names, joints, forces, [d for d in drivers if not isinstance(d, ch.Coupling)])
    sensors = [draw(sensor(f"sensor {k}", *parts)) for k in range(draw(st.integers(0, 3)))]
    notes = draw(st.lists(names, max_size=2))
    return ch.Model(
        bodies, joints, forces, drivers, gravity=draw(vector), notes=notes, sensors=sensors
    )
