"""Equations and vibrations with rotors, couplings and frames without mass: closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import hanging_rod, straight_chain
from scipy.linalg import eigvals
from scipy.optimize import brentq

import chasles as ch

X, Y, Z = np.eye(3)
G = 9.81


def arm(rotors, forces=(), spin=0.0) -> ch.Model:
    """Two rods of 1 m, 3 kg and 1.2 kg, stretched along x on hinges about z, without gravity."""
    return straight_chain(
        (3.0, 1.2), names=("upper", "fore"), axes="z", hinges=[{"armature": i} for i in rotors],
        forces=forces, gravity=(0, 0, 0), angular_velocity=(0, 0, spin),
    )  # fmt: skip


def mass_of_arm(rotors):
    """Of (shoulder, elbow), by hand: the elbow's angle is that of the forearm on the upper arm."""
    upper, fore = 3.0 / 3, 1.2 / 3
    about = fore + 1.2 * (1.0 + 2 * 0.5)  # the forearm about the shoulder, stretched
    beside = fore + 1.2 * 0.5
    return np.array([[upper + about, beside], [beside, fore]]) + np.diag(rotors)


# --- vibrations ---


@pytest.mark.parametrize("armature", [1e-6, 0.5, 300.0])
def test_a_rotor_slows_a_pendulum(armature):
    found = ch.linearise(hanging_rod(2.0, rotor=armature))
    assert found.frequencies**2 == pytest.approx([2.0 * G * 0.5 / (2.0 / 3 + armature)], rel=1e-13)
    shape = found.modes[0].of_joint("hinge")
    assert shape**2 * (2.0 / 3 + armature) == pytest.approx(1.0, rel=1e-13)  # modal mass 1
    assert found.modes[0].energy == pytest.approx([1.0])


def test_an_arm_with_rotors_springs_and_dampers_has_the_eigenvalues_of_its_matrices():
    rotors, k, c = (0.7, 0.2), (40.0, 11.0), (3.0, 0.4)
    forces = [
        ch.JointSpring(f"coil {joint}", joint, stiffness=stiffness, damping=damping)
        for joint, stiffness, damping in zip(("shoulder", "elbow"), k, c)
    ]
    found = ch.linearise(arm(rotors, forces))
    mass, zero = mass_of_arm(rotors), np.zeros((2, 2))
    matrix = np.block([
        [zero, np.eye(2)],
        [-np.linalg.solve(mass, np.diag(k)), -np.linalg.solve(mass, np.diag(c))],
    ])  # fmt: skip
    expected = np.sort_complex(eigvals(matrix))
    assert np.sort_complex(found.eigenvalues) == pytest.approx(expected, rel=1e-11)
    y, whole = found.positions, ch.equations(arm(rotors, forces)).mass
    assert y.T @ whole @ y == pytest.approx(np.eye(2), abs=1e-12)  # with the rotors
    assert found.stiffness == pytest.approx(found.stiffness.T, abs=1e-9)


def test_a_massless_cross_between_two_hinges_vibrates_as_a_universal_joint():
    box = ch.Body.box("box", (0.1, 0.2, 0.8), mass=2.0, position=(0, 0, -0.4))
    cross = ch.Body.frame("cross")
    first = ch.Revolute("first", ch.GROUND, cross, at=(0, 0, 0), axis=X)
    two = ch.Model([cross, box], [first, ch.Revolute("second", cross, box, at=(0, 0, 0), axis=Y)])
    one = ch.Model([box], [ch.Universal("joint", ch.GROUND, box, at=(0, 0, 0), axis=X, axis_b=Y)])
    ours, theirs = ch.linearise(two), ch.linearise(one)
    assert ours.frequencies == pytest.approx(theirs.frequencies, rel=1e-12)
    for mode, other in zip(ours.modes, theirs.modes):
        assert np.abs(mode.of("box")) == pytest.approx(np.abs(other.of("box")), abs=1e-12)


@pytest.mark.parametrize("ratio", [-2.0, 0.5, 3.0])
def test_two_pendulums_on_a_gear_are_one(ratio):
    """a + ratio b = 0: (1 + r^2) I b'' = -(1 + r^2) m g l / 2 b, and a rotor more."""
    rods = [
        ch.Body.rod(name, length=1.0, mass=1.0, position=(x, 0, -0.5), axis="z")
        for name, x in (("one", 0), ("two", 2))
    ]
    hinges = [
        ch.Revolute("a", ch.GROUND, rods[0], at=(0, 0, 0), axis=Y, armature=0.25),
        ch.Revolute("b", ch.GROUND, rods[1], at=(2, 0, 0), axis=Y),
    ]
    found = ch.linearise(ch.Model(rods, [*hinges, ch.Coupling("mesh", {"a": 1.0, "b": ratio})]))
    square = G * 0.5 * (1 + ratio**2) / ((1 + ratio**2) / 3 + 0.25 * ratio**2)
    assert found.frequencies**2 == pytest.approx([square], rel=1e-12)


def test_a_curved_coupling_adds_what_its_tension_bends():
    """A mass on a slide at z = c x^2, on a slide: it swings as in a parabola, w^2 = 2 g c."""
    c = 1.3
    carrier = ch.Body.box("carrier", (0.1, 0.1, 0.1), mass=1e-9)
    bob = ch.Body.sphere("bob", 0.01, mass=2.0)
    joints = [
        ch.Prismatic("along", ch.GROUND, carrier, at=(0, 0, 0), axis=X),
        ch.Prismatic("up", carrier, bob, at=(0, 0, 0), axis=Z),
        ch.Coupling("bowl", [("up", "displacement", 1.0), ("along", "displacement", (0.0, -c))]),
    ]
    found = ch.linearise(ch.Model([carrier, bob], joints))
    assert found.frequencies**2 == pytest.approx([2 * G * c], rel=1e-8)  # the carrier's mass


def test_a_loop_whose_crank_has_a_rotor_vibrates_with_what_it_carries():
    """A parallelogram hanging down: a coupler of mass m on two massless-like cranks of length l."""
    rotor, mass = 0.4, 5.0
    cranks = [
        ch.Body.rod(name, length=0.5, mass=0.6, position=(x, 0, -0.25), axis="z")
        for name, x in (("left", 0.0), ("right", 1.0))
    ]
    coupler = ch.Body.rod("coupler", length=1.0, mass=mass, position=(0.5, 0, -0.5), axis="x")
    joints = [
        ch.Revolute("drive", ch.GROUND, cranks[0], at=(0, 0, 0), axis=Y, armature=rotor),
        ch.Revolute("pin", cranks[0], coupler, at=(0, 0, -0.5), axis=Y),
        ch.Revolute("idle", ch.GROUND, cranks[1], at=(1, 0, 0), axis=Y),
        ch.Spherical("ball", cranks[1], coupler, at=(1, 0, -0.5)),
    ]
    inertia = 2 * 0.6 * 0.5**2 / 3 + mass * 0.5**2 + rotor
    stiffness = G * (2 * 0.6 * 0.25 + mass * 0.5)
    found = ch.linearise(ch.Model([*cranks, coupler], joints))
    assert found.frequencies[-1] ** 2 == pytest.approx(stiffness / inertia, rel=1e-9)


def test_a_driver_holds_its_coordinate():
    model = arm((0.3, 0.2), [ch.JointSpring("coil", "elbow", stiffness=8.0)])
    found = ch.linearise(replace(model, drivers=[ch.Driver("held", "shoulder", lambda t: 0.0 * t)]))
    assert found.frequencies**2 == pytest.approx([8.0 / (1.2 / 3 + 0.2)], rel=1e-12)


def test_an_equilibrium_with_a_rotor_is_linearised_with_it():
    spring = ch.JointSpring("coil", "hinge", stiffness=50.0)
    rest = ch.equilibrium(hanging_rod(2.0, rotor=0.5, forces=[spring]))
    assert rest.linearise().frequencies ** 2 == pytest.approx(
        [(50.0 + G) / (2 / 3 + 0.5)], rel=1e-9
    )


# --- equations ---


def solved(equations):
    """The dense solution of what was laid open."""
    both = np.linalg.solve(equations.kkt, np.concatenate((equations.forces, equations.eta)))
    return np.split(both, [len(equations.forces)])


def assert_solved(model, state=None):
    equations = ch.equations(model, state)
    acceleration, multipliers = solved(equations)
    size = max(1.0, np.abs(multipliers).max(initial=0.0))
    assert equations.acceleration == pytest.approx(acceleration, abs=1e-10 * size)
    assert equations.multipliers == pytest.approx(multipliers, abs=1e-10 * size)
    return equations


@pytest.mark.parametrize("spin", [0.0, 7.0])
def test_the_equations_of_an_arm_with_rotors_are_those_of_lagrange(spin):
    """Stretched, with the elbow at rest on the arm: no centrifugal efforts, whatever the spin."""
    rotors = (0.7, 0.2)
    torques = [ch.Motor("motor", "shoulder", effort=5.0), ch.Motor("other", "elbow", effort=-1.0)]
    equations = assert_solved(arm(rotors, torques, spin=spin))
    rates = np.linalg.solve(mass_of_arm(rotors), (5.0, -1.0))
    upper, fore = equations.acceleration.reshape(2, 6)
    assert (upper[2], fore[2] - upper[2]) == pytest.approx(rates, rel=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_equations_with_rotors_of_any_pair_are_solved_by_the_recursion(seed):
    rng = np.random.default_rng(seed)
    bodies, joints, above = [], [], ch.GROUND
    kinds = rng.permutation(["Revolute", "Spherical", "Prismatic", "Cylindrical", "Helical"])
    for k, kind in enumerate(kinds[:4]):
        spin = {"angular_velocity": rng.normal(size=3)} if k == 0 and kind == "Spherical" else {}
        body = ch.Body.box(f"b{k}", rng.uniform(0.2, 0.9, 3), mass=rng.uniform(0.5, 3.0),
                           position=rng.normal(size=3), **spin)  # fmt: skip
        axis = {} if kind == "Spherical" else {"axis": rng.normal(size=3)}
        axis |= {"pitch": 0.3} if kind == "Helical" else {}
        rotor = rng.uniform(0.1, 2.0)
        made = getattr(ch, kind)
        joints.append(made(f"j{k}", above, body, at=rng.normal(size=3), armature=rotor, **axis))
        bodies.append(body)
        above = body
    assert_solved(ch.Model(bodies, joints))


def test_equations_with_frames_and_couplings_are_solved_by_the_recursion():
    cross, box = (
        ch.Body.frame("cross"),
        ch.Body.box("box", (0.1, 0.2, 0.8), mass=2.0, position=(0.1, 0, -0.4)),
    )
    hinges = [
        ch.Revolute("first", ch.GROUND, cross, at=(0, 0, 0), axis=X),
        ch.Revolute("second", cross, box, at=(0, 0, 0), axis=Y),
    ]
    assert_solved(ch.Model([cross, box], hinges))
    bent = ch.Coupling("bent", [("first", "angle", (1.0, 0.3)), ("second", "angle", (-0.5, 1.0))])
    model = ch.Model([cross, box], [*hinges, bent])
    assert len(ch.equations(model).rows) == 11
    result = ch.simulate(model, 0.3, 1e-3)
    equations = assert_solved(model, result.state(200))
    assert np.abs(equations.velocity).max() > 0.1
    before, after = result.absolute[[199, 201], 1, 12:18]  # twists of the box: the coupling bends
    assert equations.acceleration[6:] == pytest.approx((after - before) / 2e-3, abs=1e-3)


# --- motions, and formulas of users ---


@pytest.mark.parametrize("rotors", [(0.0, 0.0), (0.7, 0.2)])
def test_a_stretched_arm_that_spins_swings_about_its_elbow(rotors):
    """(c + r2) e'' + (c + b) s'' = -b w^2 e and (A + r1) s'' + (c + b) e'' = 0, to first order."""
    spin = 3.0
    (whole, beside), (_, own) = mass_of_arm(rotors)
    square = 0.6 * spin**2 / (own - beside**2 / whole)
    model = arm(rotors)
    state = ch.start_state(model, {"shoulder": (0.0, spin), "elbow": (0.0, 0.0)})
    found = ch.linearise(model, state)
    assert found.frequencies[-1] ** 2 == pytest.approx(square, rel=1e-11)
    assert found.residual.force < 1e-12  # steady in body axes


def test_a_law_of_the_user_is_a_spring_beside_rotors():
    law = ch.JointLaw("law", "elbow", lambda t, q, v: -8.0 * q - 0.3 * v)
    held = ch.Driver("held", "shoulder", lambda t: 0.0 * t)
    found = ch.linearise(replace(arm((0.3, 0.2), [law]), drivers=[held]))
    roots = np.roots([1.2 / 3 + 0.2, 0.3, 8.0])
    assert np.sort_complex(found.eigenvalues) == pytest.approx(np.sort_complex(roots), rel=1e-9)


# --- statics ---


def two_pendulums(coupling, **more) -> ch.Model:
    rods = [
        ch.Body.rod(name, length=1.0, mass=mass, position=(x, 0, -0.5), axis="z")
        for name, mass, x in (("one", 1.0, 0), ("two", 3.0, 2))
    ]
    hinges = [
        ch.Revolute("a", ch.GROUND, rods[0], at=(0, 0, 0), axis=Y, **more),
        ch.Revolute("b", ch.GROUND, rods[1], at=(2, 0, 0), axis=Y),
    ]
    return ch.Model(rods, [*hinges, coupling])


def geared(ratio, turned):
    """Poses of two pendulums, b = ratio a: as a formula of the bodies."""
    return lambda one, two: np.arctan2(two[0][2], two[0][0]) - ratio * np.arctan2(
        one[0][2], one[0][0]
    ) - turned(one)  # fmt: skip


@pytest.mark.parametrize("by", ["coordinates", "formula"])
def test_pendulums_on_a_bent_gear_rest_where_their_weights_balance(by):
    """b = a + a^2 / 2: the least of -cos a - 3 cos b is a = 0, and K there is that of both."""
    tie = ch.Coupling("mesh", [("b", "angle", 1.0), ("a", "angle", (-1.0, -0.5))])
    if by == "formula":
        half = lambda one: 0.5 * np.arctan2(one[0][2], one[0][0]) ** 2  # noqa: E731
        tie = ch.CustomCoupling("mesh", ["one", "two"], geared(1.0, half))
    model = two_pendulums(tie)
    rest = ch.equilibrium(model, ch.start_state(model, {"a": 0.4}))
    assert rest.stability == "stable"
    assert rest.state.position == pytest.approx(np.array([(0, 0, -0.5), (2, 0, -0.5)]), abs=1e-9)
    assert rest.stiffness == pytest.approx([G * 0.5 * 4.0 / (4.0 / 3)], rel=1e-9)
    assert rest.linearise().frequencies ** 2 == pytest.approx(rest.stiffness, rel=1e-9)


@pytest.mark.parametrize("armature", [0.0, 2.0])
def test_an_offset_of_a_gear_holds_both_pendulums_out(armature):
    """a + 2 b = 1: sin a = (3 / 2) sin b ... with weights 1 and 3, by SciPy."""
    tie = ch.Coupling("mesh", {"a": 1.0, "b": 2.0}, offset=1.0)
    model = two_pendulums(tie, armature=armature)
    start = ch.assemble(model).state
    rest = ch.equilibrium(model, start)
    b = brentq(lambda b: 3.0 * np.sin(b) - 2.0 * np.sin(1.0 - 2.0 * b), 0.0, 0.5)
    centres = [(x - 0.5 * np.sin(q), 0, -0.5 * np.cos(q)) for x, q in ((0, 1 - 2 * b), (2, b))]
    assert rest.state.position == pytest.approx(np.array(centres), abs=1e-9)
    curve = G * 0.5 * (4.0 * np.cos(1 - 2 * b) + 3.0 * np.cos(b))
    inertia = 4.0 * (1.0 / 3 + armature) + 1.0
    assert rest.linearise().frequencies ** 2 == pytest.approx([curve / inertia], rel=1e-9)


def test_a_box_on_a_massless_cross_hangs_down():
    box = ch.Body.box("box", (0.1, 0.2, 0.8), mass=2.0, position=(0, 0, -0.4))
    joints = [
        ch.Revolute("first", ch.GROUND, ch.Body.frame("cross"), at=(0, 0, 0), axis=X),
        ch.Revolute("second", "cross", box, at=(0, 0, 0), axis=Y),
    ]
    model = ch.Model([ch.Body.frame("cross"), box], joints)
    rest = ch.equilibrium(model, ch.start_state(model, {"first": 0.7, "second": -0.5}))
    assert rest.stability == "stable"
    assert rest.state.position[1] == pytest.approx((0, 0, -0.4), abs=1e-9)
    assert rest.reaction("first").force[0] == pytest.approx((0, 0, 2.0 * G), abs=1e-8)
