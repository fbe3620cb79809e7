"""Equations and vibrations with rotors, couplings and frames without mass: closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigvals

import chasles as ch

X, Y, Z = np.eye(3)
G = 9.81


def rod_on_a_hinge(armature, **more) -> ch.Model:
    rod = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0, 0, -0.5), axis="z")
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=Y, armature=armature)
    return ch.Model([rod], [hinge], **more)


def arm(rotors, forces=(), gravity=(0, 0, 0), spin=0.0) -> ch.Model:
    """Two rods of 1 m, 3 kg and 1.2 kg, stretched along x on hinges about z."""
    upper = ch.Body.rod("upper", length=1.0, mass=3.0, position=(0.5, 0, 0),
                        angular_velocity=(0, 0, spin))  # fmt: skip
    fore = ch.Body.rod("fore", length=1.0, mass=1.2, position=(1.5, 0, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis=Z, armature=rotors[0]),
        ch.Revolute("elbow", upper, fore, at=(1, 0, 0), axis=Z, armature=rotors[1]),
    ]
    return ch.Model([upper, fore], joints, forces=forces, gravity=gravity)


def mass_of_arm(rotors):
    """Of (shoulder, elbow), by hand: the elbow's angle is that of the forearm on the upper arm."""
    upper, fore = 3.0 / 3, 1.2 / 3
    about = fore + 1.2 * (1.0 + 2 * 0.5)  # the forearm about the shoulder, stretched
    beside = fore + 1.2 * 0.5
    return np.array([[upper + about, beside], [beside, fore]]) + np.diag(rotors)


# --- vibrations ---


@pytest.mark.parametrize("armature", [1e-6, 0.5, 300.0])
def test_a_rotor_slows_a_pendulum(armature):
    found = ch.linearise(rod_on_a_hinge(armature))
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
    rest = ch.equilibrium(rod_on_a_hinge(0.5, forces=[spring]))
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


# --- what is refused ---


def test_a_motion_and_users_formulas_are_refused_by_name(refusal):
    message = refusal(lambda: ch.linearise(arm((0.1, 0.1), spin=1.0)), ch.InvalidOption)
    assert "the model moves" in message and "at rest" in message
    law = ch.JointLaw("law", "elbow", lambda q, v: -q)
    message = refusal(lambda: ch.linearise(arm((0.1, 0.1), [law])), ch.InvalidOption)
    assert "'law' is a formula of your own" in message
