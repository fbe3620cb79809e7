"""Rotors of joints that have rows: on charts, on joints that close loops, with every method.

Expected values are closed forms, MuJoCo's, and those of a coordinate that feels the rotor itself.
"""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mechanisms import linkage

import chasles as ch

CHARTS = ("SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints")


def arm(elbow="revolute", rotor=0.4) -> ch.Model:
    """Two links; the shoulder turns 0.7 kg m^2, the elbow a rotor on every coordinate."""
    upper = ch.Body.rod("upper", mass=2.0, between=((0, 0, 0), (1, 0, 0)))
    lower = ch.Body.box("lower", (0.2, 0.3, 0.8), mass=1.0, position=(1.2, 0.1, -0.4))
    ends = {"a": upper, "b": lower, "at": (1, 0, 0)}
    joints = {
        "revolute": lambda: ch.Revolute("elbow", axis=(0.2, 1, 0), armature=rotor, **ends),
        "prismatic": lambda: ch.Prismatic("elbow", axis=(0.2, 1, 0), armature=rotor, **ends),
        "cylindrical": lambda: ch.Cylindrical(
            "elbow", axis=(0.2, 1, 0), armature=(rotor, 2 * rotor), **ends
        ),
        "helical": lambda: ch.Helical("elbow", axis=(0.2, 1, 0), pitch=0.1, armature=rotor, **ends),
        "spherical": lambda: ch.Spherical("elbow", armature=rotor, **ends),
    }
    shoulder = ch.Revolute("shoulder", ch.GROUND, upper, (0, 0, 0), (0, 1, 0.3), armature=0.7)
    return ch.Model([upper, lower], [shoulder, joints[elbow]()])


def apart(one, other, name="lower") -> float:
    return float(np.abs(one.position(name) - other.position(name)).max())


# --- closed forms and MuJoCo ---


@pytest.mark.parametrize("spaces", CHARTS)
def test_a_pendulum_on_a_chart_falls_as_its_inertia_says(spaces):
    """(m l^2 / 3 + I) q'' = m g l / 2 cos q, and the energy counts the rotor."""
    rod = ch.Body.rod("rod", length=1.0, mass=3.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), armature=2.0)
    result = ch.simulate(ch.Model([rod], [hinge]), 1.0, 1e-3, spaces=spaces, rows="all")
    q, rate = result.coordinate("hinge"), result.coordinate_rate("hinge")
    assert rate**2 == pytest.approx(2.0 * 3.0 * 9.81 * 0.5 * np.sin(q) / 3.0, abs=1e-8)
    assert result.kinetic_energy() == pytest.approx(0.5 * 3.0 * rate**2, rel=1e-9)
    assert not result.warnings and result.provenance.imbalance < 1e-9
    # The rotor turns with the bearing: only forces act on the rod's end, and I q'' about the axis.
    first = 3.0 * 9.81 * 0.5 / 3.0
    torque = result.reaction("hinge").torque[0]
    assert torque == pytest.approx((0, -2.0 * first, 0), abs=1e-9)


def with_rotors(rotor) -> ch.Model:
    """A planar four-bar whose four hinges all turn rotors."""
    points = [(0, 0, 0), (0, 0, 0.5), (1.0, 0, 0.8), (1.2, 0, 0)]
    names, hinges = ([f"{part} {k}" for k in range(4)] for part in ("bar", "hinge"))
    still = linkage(points, names=names, joints=hinges, masses=(1.0, 2.0, 3.0))
    return replace(still, joints=[replace(joint, armature=rotor) for joint in still.joints])


SCENE = """<mujoco><option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option>
<worldbody>
 <body name="bar 0" pos="0 0 0.25"><inertial pos="0 0 0" mass="1" diaginertia="{0} {0} {0}"/>
  <joint name="hinge 0" type="hinge" axis="0 1 0" pos="0 0 -0.25" armature="{3}"/>
  <body name="bar 1" pos="0.5 0 0.4"><inertial pos="0 0 0" mass="2" diaginertia="{1} {1} {1}"/>
   <joint name="hinge 1" type="hinge" axis="0 1 0" pos="-0.5 0 -0.15" armature="{3}"/>
   <body name="bar 2" pos="0.6 0 -0.25"><inertial pos="0 0 0" mass="3" diaginertia="{2} {2} {2}"/>
    <joint name="hinge 2" type="hinge" axis="0 1 0" pos="-0.1 0 0.4" armature="{3}"/>
    <body name="wheel" pos="0.1 0 -0.4">
     <inertial pos="0 0 0" mass="1e-9" diaginertia="1e-9 1e-9 1e-9"/>
     <joint name="hinge 3" type="hinge" axis="0 1 0" armature="{3}"/>
    </body></body></body></body></worldbody></mujoco>"""


def mujocos_accelerations(rotor) -> np.ndarray:
    """q'' of the first three hinges: MuJoCo's M and bias, the loop's rows eliminated by hand.

    The last hinge is that of a disc without mass, which the loop holds to the ground.
    """
    model = with_rotors(rotor)
    scene = mujoco.MjModel.from_xml_string(
        SCENE.format(*(max(np.diag(body.inertia)) for body in model.bodies), rotor)
    )
    data = mujoco.MjData(scene)
    mujoco.mj_forward(scene, data)
    mass, shift, turn = np.zeros((4, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    mujoco.mj_fullM(scene, data, mass)
    mujoco.mj_jac(scene, data, shift, turn, np.array([1.2, 0, 0]), scene.body("wheel").id)
    rows = np.vstack((shift[[0, 2]], turn[1]))
    kkt = np.block([[mass, rows.T], [rows, np.zeros((3, 3))]])
    return np.linalg.solve(kkt, np.append(-data.qfrc_bias, np.zeros(3)))[:3]


@pytest.mark.parametrize("spaces", ["subgroups", *CHARTS])
def test_all_hinges_of_a_four_bar_turn_rotors_as_in_mujoco(spaces):
    expected = mujocos_accelerations(0.6)
    result = ch.simulate(with_rotors(0.6), 1e-3, 1e-3, spaces=spaces, rows="all")
    accelerations = ch.equations(with_rotors(0.6)).acceleration.reshape(3, 6)
    turned = np.cumsum(expected)
    assert accelerations[:, 1] == pytest.approx(turned, rel=1e-7)
    at = result.acceleration("bar 0")[0]
    assert at == pytest.approx((0.25 * expected[0], 0, 0), abs=1e-6)


@pytest.mark.parametrize("spaces", ["subgroups", *CHARTS])
def test_a_four_bar_with_rotors_keeps_its_energy(spaces):
    result = ch.simulate(with_rotors(0.6), 0.5, 1e-3, spaces=spaces, rows="all")
    assert np.abs(result.energy_balance()).max() < 1e-8 * np.ptp(result.kinetic_energy())
    assert not result.warnings


# --- beside the same joint as a pair, whose coordinate feels the rotor ---


@pytest.mark.parametrize("spaces", CHARTS)
@pytest.mark.parametrize("elbow", ["revolute", "prismatic", "cylindrical", "helical", "spherical"])
def test_rows_feel_what_a_coordinate_feels(elbow, spaces):
    ours = ch.simulate(arm(elbow), 0.3, 1e-3, spaces=spaces, rows="all")
    pairs = ch.simulate(arm(elbow), 0.3, 1e-3)
    assert apart(ours, pairs) < 1e-10
    for joint in ("shoulder", "elbow"):
        one, other = ours.reaction(joint), pairs.reaction(joint)
        assert one.force == pytest.approx(other.force, abs=1e-9)
        assert one.torque == pytest.approx(other.torque, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({"method": "dop853", "acceleration": "space"}, 1e-12),
        ({"stabilise": "projection of all joints"}, 1e-12),
        ({"stabilise": "baumgarte of all joints"}, 1e-12),
        ({"method": "half-explicit"}, 1e-12),
        ({"method": "gauss4"}, 1e-12),
        ({"method": "generalized-alpha"}, 1e-7),
        ({"method": "generalized-alpha index 2"}, 1e-7),
        ({"method": "bliedf2"}, 5e-7),
        ({"method": "linearly-implicit"}, 1e-7),
        ({"method": "rattlie"}, 2e-7),
        ({"method": "rattlie4"}, 1e-12),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_every_method_turns_them(options, bound):
    """A sleeve and a ball in turn, of which the errors shrink with the order of the method."""
    start = {"shoulder": (0.0, 3.0)}
    for elbow in ("cylindrical", "spherical"):
        exact = ch.simulate(arm(elbow), 0.02, 1e-3, method="dop853", start=start)
        ours = ch.simulate(
            arm(elbow), 0.02, 1e-3, spaces="SO3xR3", rows="all", start=start, **options
        )
        assert apart(ours, exact) < bound
        assert np.abs(ours.energy() - ours.energy()[0]).max() < 100 * bound


def test_newtons_whole_matrix_has_the_rotors():
    """A stiff spring beside rotors on rows: the implicit step takes the whole matrix."""
    model = arm("revolute")
    spring = ch.JointSpring("stiff", "elbow", stiffness=1e7, damping=1e3)
    model = ch.Model(model.bodies, model.joints, [spring])
    pairs, rows = (
        ch.simulate(model, 0.05, 1e-3, method="generalized-alpha", **options)
        for options in ({}, {"spaces": "SO3xR3", "rows": "all"})
    )
    assert apart(pairs, rows) < 1e-6


# --- the equations laid open, and small vibrations ---


def test_the_equations_have_the_rotors_in_the_mass_matrix():
    model = arm("cylindrical")
    state = ch.simulate(model, 0.2, 1e-2).state(-1)
    found = ch.equations(model, state)
    solved = np.linalg.solve(found.kkt, np.append(found.forces, found.eta))
    assert solved[:12] == pytest.approx(found.acceleration, abs=1e-9)
    result = ch.simulate(model, 1e-4, 1e-4, start=state)
    twist = found.acceleration.reshape(2, 6)[1]
    turn, omega = state.rotation[1], state.angular_velocity[1]
    v = turn.T @ state.velocity[1]
    assert result.acceleration("lower")[0] == pytest.approx(
        turn @ (twist[3:] + np.cross(omega, v)), abs=1e-9
    )


def test_a_loop_with_rotors_swings_at_the_frequency_of_its_pairs():
    """Springs on a four-bar of which any hinge may be cut: one frequency."""
    base = with_rotors(0.6)
    spring = ch.JointSpring("coil", "hinge 0", stiffness=400.0)
    model = ch.Model(base.bodies, base.joints, [spring], gravity=(0, 0, 0))
    frequency = ch.linearise(model).modes[0].frequency
    swing = ch.simulate(model, 2 * np.pi / frequency, 1e-3, start={"hinge 0": 1e-4}, close=True)
    q = swing.coordinate("hinge 0")
    assert q[-1] == pytest.approx(1e-4, rel=1e-3) and q.min() == pytest.approx(-1e-4, rel=1e-2)
