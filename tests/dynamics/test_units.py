"""Numbers in other units describe the same motion: no tolerance has a unit of its own."""

import numpy as np
import pytest
from linkages import four_bar

import chasles as ch

#: Numbers per metre, per kilogram and per second.
UNITS = {"km and ms": (1e-3, 1.0, 1e3), "um": (1e6, 1.0, 1.0), "mm, t, s": (1e3, 1e-3, 1.0)}
#: Millimetres and tonnes: forces are in N.
UNIT = (1e3, 1e-3)


def in_units(model, length, mass, time):
    """The same model in other units; velocities and frames by the rules of dimension."""
    bodies = [
        ch.Body(
            body.name,
            mass * body.mass,
            mass * length**2 * np.array(body.inertia),
            length * np.array(body.position),
            body.rotation,
            velocity=None if body.velocity is None else np.array(body.velocity) * length / time,
            angular_velocity=(
                None if body.angular_velocity is None else np.array(body.angular_velocity) / time
            ),
        )
        for body in model.bodies
    ]
    joints = [
        ch.Revolute(j.name, j.a, j.b, at=length * np.array(j.at), axis=j.axis) for j in model.joints
    ]
    return ch.Model(bodies, joints, gravity=np.array(model.gravity) * length / time**2)


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("units", list(UNITS))
def test_a_redundant_loop_moves_alike_in_all_units(units, close):
    length, mass, time = UNITS[units]
    model = four_bar(angular_velocity=(0, 0, 3.0))
    plain = ch.simulate(model, 0.5, 1e-3, save_every=100, close=close)
    other = ch.simulate(
        in_units(model, length, mass, time), 0.5 * time, 1e-3 * time, save_every=100, close=close
    )
    for name in model.body_names:
        assert other.position(name) / length == pytest.approx(plain.position(name), abs=1e-9)
    assert other.redundancy.rank == plain.redundancy.rank == 17


@pytest.mark.parametrize("units", list(UNITS))
def test_an_overconstrained_loop_chooses_its_rows_alike_in_all_units(units):
    length, mass, time = UNITS[units]
    model = ch.library.get("bennett").model()
    plain = ch.simulate(model, 0.2, 4e-3, save_every=10)
    other = ch.simulate(in_units(model, length, mass, time), 0.2 * time, 4e-3 * time, save_every=10)
    for name in model.body_names:
        assert other.position(name) / length == pytest.approx(plain.position(name), abs=1e-12)


def pressed(length, mass):
    """A loop with a motor, friction and a spring, and a ball that falls on the ground."""
    force, torque = mass * length, mass * length**2
    size = length * np.array((0.3, 0.1, 0.05))
    bodies = [
        ch.Body.box("a", size, mass=2 * mass, position=(0.15 * length, 0, 0)),
        ch.Body.box("b", size, mass=mass, position=(0.5 * length, 0, 0)),
        ch.Body.box("c", size, mass=0.5 * mass, position=(0.7 * length, 0, 0)),
        ch.Body.sphere("ball", 0.05 * length, mass=0.3 * mass, position=(length, 0, 0.1 * length),
                       velocity=(0.5 * length, 0, 0)),
    ]  # fmt: skip
    joints = [
        ch.Revolute("one", ch.GROUND, "a", (0, 0, 0), "y"),
        ch.Revolute("two", "a", "b", (0.3 * length, 0, 0), "y"),
        ch.Revolute("three", "b", "c", (0.7 * length, 0, 0), "y"),
        ch.Prismatic("rail", ch.GROUND, "c", (0.7 * length, 0, 0), "x"),
    ]
    ends = {"at": (0.5 * length, 0, 0.5 * length), "at_b": (0.5 * length, 0, 0)}
    forces = [
        ch.Spring("spring", ch.GROUND, "b", **ends, stiffness=100 * mass, damping=mass),
        ch.JointFriction("friction", "one", level=0.2 * torque),
        ch.Motor("motor", "one", effort=5 * torque),
        ch.Contact("touch", ch.GROUND, "ball", at=(0, 0, 0), axis="z", stiffness=2e4 * mass,
                   dissipation=0.1 / length, friction=0.4, slip=1e-2 * length),
        ch.Load("push", "ball", force=(0.1 * force, 0, 0)),
    ]  # fmt: skip
    return ch.Model(bodies, joints, forces, gravity=(0, 0, -9.81 * length))


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_forces_and_contacts_act_alike_in_millimetres_and_tonnes(spaces):
    runs = [ch.simulate(pressed(*u), until=0.3, step=1e-3, spaces=spaces) for u in ((1, 1), UNIT)]
    length, mass = UNIT
    for body in ("b", "ball"):
        mine, theirs = (run.position(body) for run in runs)
        assert theirs / length == pytest.approx(mine, abs=1e-10)
    for name in ("spring", "touch", "push"):
        mine, theirs = (run.force(name).force for run in runs)
        assert theirs / (mass * length) == pytest.approx(mine, abs=1e-6)
    mine, theirs = (run.reaction("one").on("a")[0] for run in runs)
    assert theirs / (mass * length) == pytest.approx(mine, abs=1e-6)


@pytest.mark.parametrize("method", ["bs3", "dopri5", "tsit5", "dop853"])
def test_tolerances_choose_the_same_steps_in_all_units_of_length(method):
    """Units that are powers of two leave every digit as it is."""
    length, mass, model = 2.0**10, 2.0**-10, four_bar(angular_velocity=(0, 0, 3.0))
    options = {"method": method, "rtol": 1e-9}
    plain = ch.simulate(model, 0.2, atol=1e-5, **options)
    other = ch.simulate(in_units(model, length, mass, 1.0), 0.2, atol=length * 1e-5, **options)
    assert len(plain) > 3 and other.t == pytest.approx(plain.t, rel=1e-9)


IMPLICIT = [name for name, found in ch.methods().items() if found.implicit and not found.foreign]


def door_and_knob():
    """Two hinges whose axes cross."""
    axis, other = np.array((0, 0, 1.0)), np.array((1.0, 0, 0))
    size = (0.8, 0.1, 1.0)
    door = ch.Body.box("door", size, mass=2.0, position=(0.4, 0, 0), angular_velocity=3.0 * axis)
    spin = 3.0 * axis + 4.0 * other
    size = (0.2, 0.3, 0.1)
    knob = ch.Body.box("knob", size, mass=1.0, position=(0.9, 0.3, 0.2), angular_velocity=spin)
    hinge = ch.Revolute("hinge", ch.GROUND, door, at=(0, 0, 0), axis=axis)
    pin = ch.Revolute("pin", door, knob, at=(0.8, 0.1, 0.1), axis=other)
    return ch.Model([door, knob], [hinge, pin])


@pytest.mark.parametrize("length", [2.0**-16, 2.0**16])
@pytest.mark.parametrize("method", IMPLICIT)
def test_iterations_end_alike_in_all_units_of_length(method, length):
    """Very small and very large mechanisms are closed as well as others, by as many iterations."""
    model = door_and_knob()
    options = {"step": 1e-3, "method": method, "spaces": "SO3xR3"}
    plain = ch.simulate(model, 0.05, **options)
    other = ch.simulate(in_units(model, length, 1.0, 1.0), 0.05, **options)
    assert other.provenance.iterations == pytest.approx(plain.provenance.iterations, rel=0.05)
    for name in model.body_names:
        assert other.position(name) / length == pytest.approx(plain.position(name), abs=1e-13)
