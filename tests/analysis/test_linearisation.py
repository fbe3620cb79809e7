"""Frequencies, modes and stability against closed forms and independent calculations."""

import doctest
import importlib
from dataclasses import replace
from functools import partial
from math import pi, sqrt

import mpmath as mp
import numpy as np
import pytest
from linkages import closing_points
from mechanisms import linkage, straight_chain
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import chasles as ch

G = 9.81


def rod(name, length, mass, top, **start):
    """A rod that hangs down from `top`."""
    x, y, z = top
    return ch.Body.rod(name, length, mass=mass, position=(x, y, z - length / 2), axis="z", **start)


def exact(values, tolerance=1e-9):
    return pytest.approx(np.array(values), rel=tolerance, abs=0)


# --- pendulums ---


@pytest.mark.parametrize("length", [1e-3, 1.0, 50.0])
def test_a_compound_pendulum(length):
    body = rod("rod", length, 2.0, (0, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0))
    small = ch.linearise(ch.Model([body], [hinge]))
    inertia = np.array(body.inertia)[1, 1] + 2.0 * (length / 2) ** 2
    assert small.frequencies == exact([sqrt(2.0 * G * (length / 2) / inertia)], 1e-12)
    assert small.hertz * 2 * pi == exact(small.frequencies, 1e-14)
    assert small.damping_ratios == pytest.approx([0.0])
    assert small.undamped_frequencies == exact(small.frequencies, 1e-12)
    assert small.residual == (0.0, 0.0)


LENGTHS, MASSES = (0.7, 1.1), (1.3, 0.6)
#: A double pendulum that hangs down.
two_rods = partial(straight_chain, MASSES, LENGTHS, ("first", "second"), along=(0, 0, -1))


def test_a_tilted_body_with_a_full_inertia_matrix_swings_about_any_axis():
    rng = np.random.default_rng(3)
    turn = Rotation.random(random_state=4).as_matrix()
    inertia = turn @ np.diag([0.2, 0.3, 0.4]) @ turn.T
    inertia = (inertia + inertia.T) / 2
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    down = -(np.array([0, 0, 1.0]) - axis * axis[2])  # the lowest point of the circle
    arm = 0.4 * down / np.linalg.norm(down) + 0.1 * axis
    rotation = Rotation.random(random_state=5).as_matrix()
    body = ch.Body("body", 1.7, inertia, arm, rotation)
    hinge = ch.Revolute("hinge", ch.GROUND, body, at=(0, 0, 0), axis=axis)
    about = rotation.T @ axis
    moment = about @ inertia @ about + 1.7 * 0.4**2
    stiffness = 1.7 * G * 0.4 * np.linalg.norm(down)
    assert ch.linearise(ch.Model([body], [hinge])).frequencies == exact(
        [sqrt(stiffness / moment)], 1e-12
    )


def test_a_double_pendulum_has_the_frequencies_of_its_two_by_two_problem():
    model, (l1, l2), (m1, m2) = two_rods(), LENGTHS, MASSES
    i1, i2 = (mp.mpf(b.inertia[1][1]) for b in model.bodies)
    mass = mp.matrix(
        [
            [i1 + m1 * mp.mpf(l1) ** 2 / 4 + m2 * mp.mpf(l1) ** 2, m2 * mp.mpf(l1) * l2 / 2],
            [m2 * mp.mpf(l1) * l2 / 2, i2 + m2 * mp.mpf(l2) ** 2 / 4],
        ]
    )
    stiffness = mp.diag([(m1 * mp.mpf(l1) / 2 + m2 * mp.mpf(l1)) * G, m2 * mp.mpf(l2) / 2 * G])
    squares = sorted(mp.re(x) for x in mp.eig(mass**-1 * stiffness, left=False, right=False))
    small = ch.linearise(model)
    assert small.frequencies == exact([float(mp.sqrt(x)) for x in squares], 1e-12)
    slow, fast = small.modes
    assert slow.of_joint("shoulder") * slow.of_joint("elbow") > 0  # in phase
    assert fast.of_joint("shoulder") * fast.of_joint("elbow") < 0
    assert {slow.main_body, fast.main_body} == {"first", "second"}


def test_an_inverted_pendulum_falls():
    body = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0, 0, 0.5), axis="z")
    hinge = ch.Revolute("hinge", ch.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0))
    small = ch.linearise(ch.Model([body], [hinge]))
    rate = sqrt(1.5 * G)
    assert np.sort_complex(small.eigenvalues) == exact(np.array([-rate, rate]) + 0j, 1e-12)
    assert small.growth == pytest.approx(rate, rel=1e-12)
    assert np.isnan(small.undamped_frequencies).all()


# --- springs and dampers ---


@pytest.mark.parametrize("damping", [0.0, 1.5, 20.0, 30.0])
def test_a_damped_oscillator(damping):
    body = ch.Body.sphere("mass", radius=0.1, mass=2.0, position=(1, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, body, axis=(1, 0, 0))
    spring = ch.Spring("s", ch.GROUND, body, (0, 0, 0), (1, 0, 0), 50.0, damping)
    small = ch.linearise(ch.Model([body], [rail], [spring], gravity=(0, 0, 0)))
    roots = np.roots([2.0, damping, 50.0]).astype(complex)
    # At critical damping the roots are double, and rounding splits them.
    tolerance = 1e-6 if damping == 20.0 else 1e-12
    assert np.sort_complex(small.eigenvalues) == pytest.approx(
        np.sort_complex(roots), rel=tolerance
    )
    assert small.stiffness == pytest.approx(np.array([[25.0]]))
    assert small.damping == pytest.approx(np.array([[damping / 2.0]]))
    assert small.mass == pytest.approx(np.eye(1))


def mounted(gravity, rest):
    """A body of full inertia on seven springs, in equilibrium if their rest lengths say so."""
    rng = np.random.default_rng(11)
    turn = Rotation.random(random_state=1).as_matrix()
    inertia = turn @ np.diag([0.5, 0.8, 1.1]) @ turn.T
    rotation = Rotation.random(random_state=2).as_matrix()
    body = ch.Body("body", 3.0, (inertia + inertia.T) / 2, (0.3, 0.2, 0.1), rotation)
    ends = np.array(body.position) + rng.uniform(-0.5, 0.5, (7, 3))
    grounds = ends + rng.uniform(-1.0, 1.0, (7, 3))
    stiffness = rng.uniform(50.0, 500.0, 7)
    springs = [
        ch.Spring(f"s{k}", ch.GROUND, body, grounds[k], ends[k], stiffness[k], rest_length=rest(k))
        for k in range(7)
    ]
    return ch.Model([body], [], springs, gravity=gravity), ends, grounds, stiffness


def test_a_body_on_relaxed_springs_has_the_stiffness_of_their_lines():
    """K = sum k a a^T with the line coordinates a = (r x e, e)."""
    model, ends, grounds, stiffness = mounted((0, 0, 0), lambda k: None)
    body = model.bodies[0]
    total = np.zeros((6, 6))
    for end, ground, k in zip(ends, grounds, stiffness):
        e = (end - ground) / np.linalg.norm(end - ground)
        line = np.concatenate((np.cross(end - body.position, e), e))
        total += k * np.outer(line, line)
    mass = np.zeros((6, 6))
    rotation = np.array(body.rotation)
    mass[:3, :3] = rotation @ np.array(body.inertia) @ rotation.T
    mass[3:, 3:] = 3.0 * np.eye(3)
    expected = np.sqrt(eigh(total, mass, eigvals_only=True))
    assert ch.linearise(model).frequencies == exact(expected, 1e-10)


def test_a_body_on_strained_springs_has_the_curvature_of_their_potential():
    """Weight and tensions stiffen too: the second derivatives of the potential, to 40 digits."""
    model, _, _, _ = mounted((0, 0, -G), lambda k: 0.2 + 0.05 * k)
    rest = ch.equilibrium(model)
    assert rest.stable
    mp.mp.dps = 40
    forces = [mp.matrix(f.at) for f in model.forces]
    body = model.bodies[0]
    start = np.array(body.rotation)
    levers = [mp.matrix((start.T @ (np.array(f.at_b) - body.position)).tolist())
              for f in model.forces]  # fmt: skip
    rotation, position = (mp.matrix(x.tolist()) for x in (rest.state.rotation[0],
                                                          rest.state.position[0]))  # fmt: skip

    def potential(*x):
        omega, shift = x[:3], mp.matrix(x[3:])
        hat = mp.matrix(
            [[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]]
        )
        turn = rotation * (mp.eye(3) + hat + hat * hat / 2)  # exact to second order
        centre = position + rotation * shift
        energy = 3 * mp.mpf(G) * centre[2]
        for force, ground, lever in zip(model.forces, forces, levers):
            span = centre + turn * lever - ground
            length = mp.sqrt(sum(s * s for s in span))
            energy += mp.mpf(force.stiffness) / 2 * (length - mp.mpf(force.rest_length)) ** 2
        return energy

    hessian, h = np.zeros((6, 6)), mp.mpf(10) ** -10

    def at(i, j, a, b):
        x = [mp.mpf(0)] * 6
        x[i] += a * h
        x[j] += b * h
        return potential(*x)

    for i in range(6):
        for j in range(6):
            corners = at(i, j, 1, 1) - at(i, j, 1, -1) - at(i, j, -1, 1) + at(i, j, -1, -1)
            hessian[i, j] = float(corners / (4 * h * h))
    mass = np.zeros((6, 6))
    mass[:3, :3] = np.array(body.inertia)
    mass[3:, 3:] = 3.0 * np.eye(3)
    expected = np.sqrt(eigh((hessian + hessian.T) / 2, mass, eigvals_only=True))
    assert rest.linearise().frequencies == exact(expected)


def test_a_bushing_has_six_frequencies_of_its_own():
    body = ch.Body("b", 3.0, (0.1, 0.2, 0.25))
    six, dampers = np.array([1e4, 2e4, 3e4, 10, 20, 30]), np.array([1, 2, 3, 0.1, 0.2, 0.3])
    mount = ch.Bushing("m", ch.GROUND, body, (0, 0, 0), six, dampers)
    small = ch.linearise(ch.Model([body], [], [mount], gravity=(0, 0, 0)))
    inertia = np.array([3.0, 3.0, 3.0, 0.1, 0.2, 0.25])
    roots = np.array([np.roots((i, c, k)) for i, c, k in zip(inertia, dampers, six)]).ravel()
    roots = roots[roots.imag > 0]
    found = np.array([mode.eigenvalue for mode in small.modes])
    assert found == exact(roots[np.argsort(np.abs(roots))], 1e-10)
    assert small.frequencies == exact(np.sort(np.sqrt(six / inertia)), 1e-10)


def test_a_follower_force_makes_a_column_flutter():
    """Ziegler's column: two equal links, elastic hinges, and a force along the second one."""
    m, l, c = 2.0, 0.5, 10.0  # noqa: E741

    def column(push):
        first = ch.Body.rod("first", l, mass=m, position=(0, 0, l / 2), axis="z")
        second = ch.Body.rod("second", l, mass=m, position=(0, 0, 1.5 * l), axis="z")
        joints = [
            ch.Revolute("foot", ch.GROUND, first, at=(0, 0, 0), axis=(0, 1, 0)),
            ch.Revolute("knee", first, second, at=(0, 0, l), axis=(0, 1, 0)),
        ]
        forces = [
            ch.TorsionSpring("c1", "foot", stiffness=c),
            ch.TorsionSpring("c2", "knee", stiffness=c),
            ch.Load("push", second, force=(0, 0, -push), at=(0, 0, 2 * l), frame="body"),
        ]
        return ch.Model([first, second], joints, forces, gravity=(0, 0, 0))

    i = column(0).bodies[0].inertia[1][1]
    mass = np.array([[i + 1.25 * m * l * l, m * l * l / 2], [m * l * l / 2, i + m * l * l / 4]])
    for push in (0.3 * c / l, 4.0 * c / l):
        stiffness = np.array([[2 * c - push * l, push * l - c], [-c, c]])
        squares = np.linalg.eigvals(np.linalg.solve(mass, stiffness)).astype(complex)
        expected = np.concatenate((np.sqrt(-squares), -np.sqrt(-squares)))
        small = ch.linearise(column(push))
        # Conjugate values may be listed in any order.
        distances = np.abs(small.eigenvalues[:, None] - expected)
        assert distances.min(axis=0).max() < 1e-9 * np.abs(expected).max()
        assert (small.growth > 1.0) == (push > c / l)
        upright = ch.equilibrium(column(push), prefer="nearest")
        assert upright.stability == ("stable" if push < c / l else "unstable")


# --- loops ---


def sprung_four_bar(phi):
    """Four bars on four revolutes (20 rows, rank 17), crank angle phi, a spring on the coupler."""
    points = closing_points(1.0, 0.4, 0.9, 0.7, phi)
    model = linkage(points, masses=(1.0, 2.0, 1.5))
    pull = ch.Spring("spring", ch.GROUND, "coupler", (0.5, 0, 2.0), points[1:3].mean(axis=0),
                     stiffness=60.0, rest_length=0.4)  # fmt: skip
    return replace(model, forces=[pull])


def four_bar_minimal(model):
    """Equilibrium angle and frequency from T(phi) and V(phi), to 40 digits."""
    mp.mp.dps = 40
    length = [mp.mpf(x) for x in ("1.0", "0.4", "0.9", "0.7")]
    inertia = [mp.mpf(b.inertia[1][1]) for b in model.bodies]
    mass = [mp.mpf(x) for x in (1, 2, 1.5)]

    def points(phi):
        b = mp.matrix([length[1] * mp.cos(phi), length[1] * mp.sin(phi)])
        span = mp.matrix([length[0] - b[0], -b[1]])
        distance = mp.sqrt(span[0] ** 2 + span[1] ** 2)
        along = (length[2] ** 2 - length[3] ** 2 + distance**2) / (2 * distance)
        height = mp.sqrt(length[2] ** 2 - along**2)
        unit = span / distance
        c = b + along * unit + height * mp.matrix([-unit[1], unit[0]])
        return b, c

    def motion(phi):
        """Centres, and angles of coupler and rocker."""
        b, c = points(phi)
        d = mp.matrix([length[0], 0])
        angles = (phi, mp.atan2(c[1] - b[1], c[0] - b[0]), mp.atan2(c[1], c[0] - length[0]))
        return (*(b / 2), *((b + c) / 2), *((c + d) / 2), *angles)

    def moment(phi):
        rates = [mp.diff(lambda x, k=k: motion(x)[k], phi) for k in range(9)]
        total = sum(inertia[k] * rates[6 + k] ** 2 for k in range(3))
        return total + sum(mass[k] * (rates[2 * k] ** 2 + rates[2 * k + 1] ** 2) for k in range(3))

    def potential(phi):
        centre = motion(phi)
        weight = sum(mass[k] * mp.mpf(G) * centre[2 * k + 1] for k in range(3))
        stretch = mp.sqrt((centre[2] - mp.mpf("0.5")) ** 2 + (centre[3] - 2) ** 2) - mp.mpf("0.4")
        return weight + 30 * stretch**2

    phi = mp.findroot(lambda x: mp.diff(potential, x), 1.0)
    return float(phi), float(mp.sqrt(mp.diff(potential, phi, 2) / moment(phi)))


def test_a_four_bar_of_four_revolutes_swings_about_its_equilibrium():
    phi, frequency = four_bar_minimal(sprung_four_bar(1.0))
    rest = ch.equilibrium(sprung_four_bar(1.0))
    crank = rest.state.rotation[0]
    assert np.arctan2(crank[2, 0], crank[0, 0]) == pytest.approx(phi, rel=1e-12)
    assert rest.stable and len(rest.stiffness) == 1
    assert rest.linearise().frequencies == exact([frequency], 1e-10)
    assert ch.linearise(sprung_four_bar(1.0), rest.state).frequencies == exact([frequency], 1e-10)


def test_a_singular_pose_is_refused(refusal):
    """Three rods in a line between two points: it buckles to either side, or not at all."""
    ends = np.array([0, 0.3, 0.7, 1.0])
    rods = [
        ch.Body.rod(f"rod {k}", ends[k + 1] - ends[k], mass=1.0,
                    position=((ends[k] + ends[k + 1]) / 2, 0, 0)) for k in range(3)
    ]  # fmt: skip
    parts = [ch.GROUND, *rods, ch.GROUND]
    joints = [
        ch.Revolute(f"j{k}", parts[k], parts[k + 1], at=(ends[k], 0, 0), axis=(0, 1, 0))
        for k in range(4)
    ]
    model = ch.Model(rods, joints)
    message = refusal(lambda: ch.linearise(model), ch.RedundantConstraints)
    assert "singular" in message and "joint 'j" in message
    refusal(lambda: ch.equilibrium(model), ch.RedundantConstraints)


# --- bodies in motion ---


def test_a_sleeping_top_nutates_and_precesses():
    """A z'' - i C W z' - m g l z = 0 in space; seen from the body, turned back by W."""
    m, arm, transverse, axial = 1.2, 0.15, 0.004, 0.003
    moment = transverse + m * arm**2
    for spin in (60.0, 400.0):
        top = ch.Body("top", m, (transverse, transverse, axial), (0, 0, arm),
                      angular_velocity=(0, 0, spin))  # fmt: skip
        model = ch.Model([top], [ch.Spherical("tip", ch.GROUND, top, at=(0, 0, 0))])
        roots = np.roots([moment, -1j * axial * spin, -m * G * arm])
        for axes, shift in (("world", 0.0), ("body", spin), ("top", spin)):
            small = ch.linearise(model, axes=axes)
            expected = np.concatenate((roots - 1j * shift, np.conj(roots - 1j * shift)))
            found = small.eigenvalues[np.abs(small.eigenvalues) > 1e-3]
            distances = np.abs(found[:, None] - expected)
            assert distances.min(axis=0).max() < 1e-9 * np.abs(expected).max()
            assert len(found) == 4 and small.residual.torque < 1e-12
        asleep = axial**2 * spin**2 > 4 * moment * m * G * arm
        assert (ch.linearise(model, axes="world").growth < 1e-6) == asleep


def test_a_spinning_body_is_unstable_about_its_middle_axis():
    """Euler's equations: s^2 = W^2 (I2 - I1)(I3 - I2) / (I1 I3)."""
    one, two, three, spin = 1.0, 2.0, 2.5, 3.0
    body = ch.Body("body", 1.0, (one, two, three), angular_velocity=(0, spin, 0))
    small = ch.linearise(ch.Model([body], gravity=(0, 0, 0)), axes="body")
    rate = spin * sqrt((two - one) * (three - two) / (one * three))
    assert small.growth == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("spin", [2.0, 7.0])
def test_a_rolling_disc_stays_up_above_its_critical_speed(spin):
    """(It + m r^2) s^2 = m g r - (Ia + m r^2) Ia W^2 / It."""
    r, m = 0.3, 2.0
    transverse, axial = m * r * r / 4, m * r * r / 2
    disc = ch.Body("disc", m, (transverse, axial, transverse), (0, 0, r),
                   angular_velocity=(0, spin, 0))  # fmt: skip
    road = ch.RollingDisc("road", ch.GROUND, disc, (0, 0, 0), (0, 0, 1), (0, 1, 0), radius=r)
    small = ch.linearise(ch.Model([disc], [road]), axes="world")
    square = m * G * r - (axial + m * r * r) * axial * spin**2 / transverse
    square /= transverse + m * r * r
    moving = small.eigenvalues[np.abs(small.eigenvalues) > 1e-3]
    assert moving**2 == exact([square + 0j] * 2, 1e-9)
    assert (small.growth < 1e-6) == (spin**2 > G / (3 * r))
    assert small.residual.force < 1e-12  # none in these axes, but in the disc's own it turns
    assert ch.linearise(ch.Model([disc], [road])).residual.force == pytest.approx(m * r * spin**2)
    assert small.matrix.shape == (8, 8)  # five coordinates, three speeds
    with pytest.raises(ch.InvalidOption, match="roll"):
        _ = small.stiffness


def test_two_rolling_discs_move_as_each_does_alone():
    r, m = 0.3, 2.0
    discs, roads = [], []
    for name, y, spin in (("one", 0.0, 2.0), ("two", 1.0, 7.0)):
        disc = ch.Body(name, m, (m * r * r / 4, m * r * r / 2, m * r * r / 4), (0, y, r),
                       angular_velocity=(0, spin, 0))  # fmt: skip
        discs.append(disc)
        roads.append(ch.RollingDisc(f"road {name}", ch.GROUND, disc, (0, y, 0), "z", "y", r))
    alone = [ch.linearise(ch.Model([d], [j]), axes="world") for d, j in zip(discs, roads)]
    both = ch.linearise(ch.Model(discs, roads), axes="world").eigenvalues
    squares = [np.sort((s[np.abs(s) > 1e-3] ** 2).real) for s in (
        both, np.concatenate([small.eigenvalues for small in alone]))]  # fmt: skip
    assert squares[0] == pytest.approx(squares[1], rel=1e-9)


def test_a_gyroscope_nutates_about_its_steady_precession():
    """s^2 = -U''/A with U = (p - p' cos)^2 / 2 A sin^2 + m g l cos; its coordinates are cyclic."""
    arm, tilt, precession = 0.2, 0.6, 3.0
    housing_moment, housing_axial = 0.002, 0.003
    rotor_moment, rotor_axial = 0.004, 0.006
    masses = (0.5, 1.5)
    moment = housing_moment + rotor_moment + sum(masses) * arm**2
    weight = sum(masses) * G * arm
    axial = (weight + moment * precession**2 * np.cos(tilt)) / precession
    spin = (axial - housing_axial * precession * np.cos(tilt)) / rotor_axial
    rotation = Rotation.from_euler("y", tilt).as_matrix()
    centre = arm * rotation[:, 2]
    carried = rotation.T @ np.array([0, 0, precession])
    housing = ch.Body("housing", masses[0], (housing_moment, housing_moment, housing_axial), centre,
                      rotation, angular_velocity=carried)  # fmt: skip
    rotor = ch.Body("rotor", masses[1], (rotor_moment, rotor_moment, rotor_axial), centre, rotation,
                    angular_velocity=(carried[0], carried[1], spin))  # fmt: skip
    joints = [
        ch.Spherical("pivot", ch.GROUND, housing, at=(0, 0, 0)),
        ch.Revolute("bearing", housing, rotor, at=centre, axis=rotation[:, 2]),
    ]
    small = ch.linearise(ch.Model([housing, rotor], joints), axes="housing")
    mp.mp.dps = 40
    about = moment * precession * np.sin(tilt) ** 2 + axial * np.cos(tilt)

    def effective(theta):
        swing = (about - axial * mp.cos(theta)) ** 2 / (2 * moment * mp.sin(theta) ** 2)
        return swing + weight * mp.cos(theta)

    assert abs(mp.diff(effective, tilt)) < 1e-12
    nutation = float(mp.sqrt(mp.diff(effective, tilt, 2) / moment))
    assert small.residual.torque < 1e-12 and small.residual.force < 1e-12
    assert np.abs(small.eigenvalues.imag).max() == pytest.approx(nutation, rel=1e-9)
    assert np.sum(np.abs(small.eigenvalues) > 1e-3) == 2


def test_a_flyball_on_a_driven_shaft_swings_about_its_lean():
    """A rod hinged to a shaft that turns at W: I s^2 = -(dM/dtheta) of weight and spin."""
    length, m, speed = 0.5, 0.8, 8.0
    slim = ch.Body.rod("arm", length, mass=m)
    along, across = slim.inertia[0][0], slim.inertia[1][1]
    swing = across + m * length**2 / 4
    spread = across - along + m * length**2 / 4  # what the centrifugal torque grows with
    lean = np.arccos(m * G * length / 2 / (spread * speed**2))
    down = np.array([np.sin(lean), 0, -np.cos(lean)])
    rotation = np.column_stack((down, (0, 1, 0), np.cross(down, (0, 1, 0))))
    turning = rotation.T @ np.array([0, 0, speed])
    shaft = ch.Body.cylinder("shaft", radius=0.05, length=1.0, mass=2.0, axis="z",
                             angular_velocity=(0, 0, speed))  # fmt: skip
    arm = ch.Body("arm", m, slim.inertia, down * length / 2, rotation, angular_velocity=turning)
    joints = [
        ch.Revolute("bearing", ch.GROUND, shaft, at=(0, 0, 0), axis=(0, 0, 1)),
        ch.Revolute("hinge", shaft, arm, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    drive = ch.Driver("drive", "bearing", ch.Signal.linear(speed))
    small = ch.linearise(ch.Model([shaft, arm], joints, drivers=[drive]))
    square = spread * speed**2 * (1 - np.cos(lean) ** 2) / swing
    assert small.residual.torque < 1e-12
    assert small.frequencies == exact([sqrt(square)], 1e-9)


# --- modes ---


def test_mode_shapes_are_solutions_that_the_joints_allow():
    rest = ch.equilibrium(sprung_four_bar(1.0))
    for model, small in (
        (rest.model, rest.linearise()),
        (two_rods(), ch.linearise(two_rods())),
    ):
        system = ch.equations(model, small.state)
        for mode in small.modes:
            shape = mode.shape.ravel()
            assert np.abs(system.jacobian @ shape).max() < 1e-12 * np.abs(shape).max()
            assert shape @ system.mass @ shape == pytest.approx(1.0)
            p = small.positions.T @ system.mass @ shape
            residual = small.stiffness @ p - mode.frequency**2 * p
            assert np.abs(residual).max() < 1e-10 * mode.frequency**2
            assert mode.energy.sum() == pytest.approx(1.0)


def test_a_mode_swings_as_the_simulation_does():
    model = two_rods()
    small = ch.linearise(model)
    mode, size = small.modes[1], 1e-5
    bodies = [
        ch.Body(b.name, b.mass, b.inertia, b.position, b.rotation,
                angular_velocity=size * mode.of(b)[:3]) for b in model.bodies
    ]  # fmt: skip
    period = 2 * pi / mode.frequency
    result = ch.simulate(ch.Model(bodies, model.joints), until=period, step=period / 400)
    for joint in ("shoulder", "elbow"):
        expected = size / mode.frequency * mode.of_joint(joint) * np.sin(mode.frequency * result.t)
        assert result.coordinate(joint) == pytest.approx(expected, abs=1e-8 * size)


def test_loads_and_drivers_are_taken_at_the_states_time():
    body = rod("rod", 1.0, 2.0, (0, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, body, at=(0, 0, 0), axis=(0, 1, 0))
    heavier = ch.Load("pull", body, force=lambda t: (0, 0, -3.0 * t))
    model = ch.Model([body], [hinge], [heavier])
    state = ch.simulate(model, until=2.0, step=0.1).state()
    swing = body.inertia[1][1] + 2.0 / 4
    small = ch.linearise(model, state)
    assert small.frequencies == exact([sqrt((2.0 * G + 6.0) / 2 / swing)], 1e-10)
    assert ch.equations(model, state).forces[5] == pytest.approx(-2.0 * G - 6.0)


def test_bodies_without_joints_and_forces_drift():
    small = ch.linearise(ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)]))
    assert np.all(small.eigenvalues == 0.0) and len(small.modes) == 6
    assert small.residual.force == pytest.approx(G)


def test_a_welded_model_has_no_modes():
    body = ch.Body.sphere("ball", 0.1, mass=1.0)
    small = ch.linearise(ch.Model([body], [ch.Fixed("weld", ch.GROUND, body)]))
    assert small.modes == () and small.degrees_of_freedom == 0
    assert "0 degrees of freedom" in repr(small)


def test_the_table_names_frequency_damping_and_body():
    text = repr(ch.linearise(two_rods()))
    assert "frequency / Hz" in text and "damping ratio" in text
    assert text.count("first") + text.count("second") == 2


# --- refusals ---


def test_bad_input(refusal):
    model = two_rods()
    assert "must be a Model" in refusal(lambda: ch.linearise("model"), ch.InvalidModel)
    assert "must be a State" in refusal(lambda: ch.linearise(model, "now"), ch.InvalidOption)
    assert "'elbow'" in refusal(lambda: ch.linearise(model, axes="elbow"), ch.UnknownName)
    assert "modes" in refusal(lambda: ch.linearise(model, modes=0), ch.InvalidOption)
    assert "near" in refusal(lambda: ch.linearise(model, modes=1, near=-1.0), ch.InvalidOption)
    state = ch.simulate(model, until=0.1, step=0.1).state()
    off = ch.State(0.0, state.bodies, state.position + np.array([[0, 0, 0], [0, 0, 0.01]]),
                   state.rotation, state.velocity, state.angular_velocity)  # fmt: skip
    assert "open by 0.01" in refusal(lambda: ch.linearise(model, off), ch.InconsistentStart)
    rush = ch.State(0.0, state.bodies, state.position, state.rotation,
                    state.velocity + np.array([[0, 0, 0], [0, 0, 1.0]]),
                    state.angular_velocity)  # fmt: skip
    assert "slipping by 1" in refusal(lambda: ch.linearise(model, rush), ch.InconsistentStart)
    mode = ch.linearise(model).modes[0]
    assert "no body" in refusal(lambda: mode.of("third"), ch.UnknownName)
    assert "no joint" in refusal(lambda: mode.of_joint("knee"), ch.UnknownName)


@pytest.mark.parametrize("module", ["equilibrium", "linearise"])
def test_the_examples_of_the_docstrings(module):
    outcome = doctest.testmod(importlib.import_module(f"chasles.analysis.{module}"))
    assert outcome.attempted > 0 and outcome.failed == 0
