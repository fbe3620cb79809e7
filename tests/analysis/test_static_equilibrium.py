"""Equilibria against closed forms: catenary polygons, beams, pendulums; and honest refusals."""

from dataclasses import replace
from itertools import pairwise
from math import pi, sqrt

import mpmath as mp
import numpy as np
import pytest
from mechanisms import tree
from scipy.optimize import brentq

import chasles as ch

G = 9.81


def rods(points, masses=None, joint=ch.Revolute, far_end=True):
    """Rods from point to point in the xz plane, the first one on the ground, perhaps the last."""
    points = [np.array([x, 0.0, z]) for x, z in points]
    bodies = []
    for k, (p, q) in enumerate(pairwise(points)):
        length = np.linalg.norm(q - p)
        x = (q - p) / length
        rotation = np.column_stack((x, (0, 1, 0), np.cross(x, (0, 1, 0))))
        mass = length if masses is None else masses[k]
        bodies.append(
            ch.Body.rod(f"link {k}", length, mass=mass, position=(p + q) / 2, rotation=rotation)
        )
    parts = [ch.GROUND, *bodies, ch.GROUND]
    more = {"axis": (0, 1, 0)} if joint is ch.Revolute else {}
    joints = [
        joint(f"joint {k}", parts[k], parts[k + 1], at=points[k], **more)
        for k in range(len(points) if far_end else len(points) - 1)
    ]
    return bodies, joints


def arc(count, span, drop, turned=1.0):
    """Corners of a chain of `count` equal links of total length 1 on an arc over a span."""
    chord = np.hypot(span, drop)
    link = 1.0 / count
    bend = brentq(
        lambda a: link * np.sin(count * a / 2) / np.sin(a / 2) - chord, 1e-9, 2 * pi / count - 1e-9
    )
    angles = np.arctan2(drop, span) + turned * bend * (np.arange(count) - (count - 1) / 2)
    steps = link * np.column_stack((np.cos(angles), np.sin(angles)))
    return np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))


def catenary_polygon(count, span, drop):
    """H, V0 and the corners: tan(theta_k) = (V_k + w / 2) / H with the pull V_k at its start."""
    mp.mp.dps = 30
    link, weight = mp.mpf(1) / count, mp.mpf(G) / count

    def angles(h, v):
        return [mp.atan((v + weight * (k + mp.mpf(1) / 2)) / h) for k in range(count)]

    def closes(h, v):
        theta = angles(h, v)
        return (
            link * sum(mp.cos(t) for t in theta) - mp.mpf(span),
            link * sum(mp.sin(t) for t in theta) - mp.mpf(drop),
        )

    h, v = mp.findroot(closes, (0.2 * G, -0.45 * G))
    theta = angles(h, v)
    x = np.cumsum([0.0, *(float(link * mp.cos(t)) for t in theta)])
    z = np.cumsum([0.0, *(float(link * mp.sin(t)) for t in theta)])
    return float(h), float(v), np.column_stack((x, z))


@pytest.mark.parametrize(
    ("joint", "count", "span", "drop"),
    [
        (ch.Revolute, 20, 0.6, 0.1),
        (ch.Spherical, 3, 0.5, 0.0),
        pytest.param(ch.Revolute, 3, 0.5, 0.0, marks=pytest.mark.slow),
        pytest.param(ch.Spherical, 20, 0.6, 0.1, marks=pytest.mark.slow),
    ],
)
def test_a_chain_between_two_supports_is_the_catenary_polygon(joint, count, span, drop):
    bodies, joints = rods(arc(count, span, drop), joint=joint)
    rest = ch.equilibrium(ch.Model(bodies, joints))
    h, v, corners = catenary_polygon(count, span, drop)
    middles = (corners[1:] + corners[:-1]) / 2
    assert rest.state.position[:, [0, 2]] == pytest.approx(middles, abs=1e-12)
    assert rest.state.position[:, 1] == pytest.approx(0.0, abs=1e-12)
    assert np.all(rest.state.velocity == 0.0) and np.all(rest.state.angular_velocity == 0.0)
    # The support pulls the chain to the left and up; the load does not depend on redundant rows.
    first = rest.reaction("joint 0")
    assert first.force[0, [0, 2]] == pytest.approx([-h, -v], rel=1e-10)
    last = rest.reaction(joints[-1]).on(bodies[-1])[0]
    assert last[0, [0, 2]] == pytest.approx([h, v + G], rel=1e-10)
    assert rest.residual.force < 1e-10 and rest.residual.torque < 1e-11
    # Rods on balls may spin about themselves.
    assert rest.stability == ("stable" if joint is ch.Revolute else "neutral")
    assert len(rest.neutral) == (0 if joint is ch.Revolute else count)


@pytest.mark.parametrize(("size", "mass"), [(1e-6, 1e-9), (1e-3, 1.0), (1e3, 1e6)])
def test_units_do_not_matter(size, mass):
    corners = arc(8, 0.6, 0.1)
    metres, joints = rods(corners)
    other, other_joints = rods(size * corners, masses=[mass] * 8)
    rest = ch.equilibrium(ch.Model(metres, joints))
    same = ch.equilibrium(ch.Model(other, other_joints))
    assert same.state.position / size == pytest.approx(rest.state.position, abs=1e-12)
    expected = rest.linearise().frequencies / sqrt(size)
    assert same.linearise().frequencies == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9, 1e12])
def test_a_stiff_spring_is_balanced_to_what_positions_can_say(stiffness):
    bodies, joints = rods([(0, 0), (1, 0)], far_end=False)
    spring = ch.Spring("s", ch.GROUND, bodies[0], (1, 0, 1), (1, 0, 0), stiffness,
                       rest_length=0.999)  # fmt: skip
    rest = ch.equilibrium(ch.Model(bodies, joints, [spring]))
    pull = G / 2 / stiffness  # of the weight, at half the lever
    tip = rest.state.rotation[0, :, 0]
    length = np.linalg.norm(tip - [1, 0, 1])
    assert length - 0.999 == pytest.approx(pull, rel=2e-3, abs=1e-15)
    assert rest.residual.force < max(1e-10, 1e-15 * stiffness) and rest.stable


def test_an_arch_of_the_same_chain_falls_down_unless_the_nearest_equilibrium_is_asked_for():
    bodies, joints = rods(arc(4, 0.7, 0.0, turned=-1.0))
    model = ch.Model(bodies, joints)
    _, _, corners = catenary_polygon(4, 0.7, 0.0)
    hanging = ch.equilibrium(model)
    assert hanging.stable and hanging.state.position[:, 2].max() < 0
    middles = (corners[1:] + corners[:-1]) / 2
    assert hanging.state.position[:, [0, 2]] == pytest.approx(middles, abs=1e-12)
    arch = ch.equilibrium(model, prefer="nearest")
    assert arch.state.position[:, [0, 2]] == pytest.approx(middles * [1, -1], abs=1e-12)
    assert arch.stability == "unstable" and arch.stiffness[0] < 0
    assert arch.linearise().growth > 0


@pytest.mark.parametrize("joint", [ch.Revolute, pytest.param(ch.Spherical, marks=pytest.mark.slow)])
def test_a_chain_held_straight_out_hangs_down_in_the_end(joint):
    points = np.column_stack((np.linspace(0, 1, 21), np.zeros(21)))
    bodies, joints = rods(points, joint=joint, far_end=False)
    rest = ch.equilibrium(ch.Model(bodies, joints))
    expected = -(np.arange(20) + 0.5) / 20
    assert rest.state.position[:, 2] == pytest.approx(expected, abs=1e-12)
    assert rest.state.position[:, :2] == pytest.approx(0.0, abs=1e-12)
    assert rest.reaction("joint 7").force[0] == pytest.approx([0, 0, 13 / 20 * G], abs=1e-10)


def test_a_pendulum_is_let_down_from_its_unstable_equilibrium():
    bodies, joints = rods([(0, 0), (0, 1)], far_end=False)
    model = ch.Model(bodies, joints)
    standing = ch.equilibrium(model, prefer="nearest")
    assert standing.state.position[0, 2] == 0.5 and standing.stability == "unstable"
    hanging = ch.equilibrium(model)
    assert hanging.state.position[0] == pytest.approx([0, 0, -0.5], abs=1e-12)
    assert hanging.stable and hanging.stiffness == pytest.approx([1.5 * G], rel=1e-4)


@pytest.mark.parametrize("free", ["prismatic", "planar", "cylindrical"])
@pytest.mark.parametrize("off", [0.0, 0.05, 0.3])
def test_a_pendulum_is_let_down_beside_a_body_that_rests_anywhere(free, off):
    """What holds that body turns with it, so that its idle motions are tied to those it has not."""
    idle = ch.Body.box("idle", (1, 0.1, 0.2), mass=1.0, position=(0.5, 3, 0))
    rod = ch.Body.box("rod", (0.1, 0.1, 1), mass=1.0, position=(off, 0, 0.5))
    joints = [
        {
            "prismatic": ch.Prismatic("free", ch.GROUND, idle, axis=(1, 0.3, 0)),
            "planar": ch.Planar("free", ch.GROUND, idle, axis=(0, 0, 1)),
            "cylindrical": ch.Cylindrical("free", ch.GROUND, idle, at=(0, 3, 0), axis=(1, 0, 0)),
        }[free],
        ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    rest = ch.equilibrium(ch.Model([idle, rod], joints))
    assert rest.stability == "neutral" and rest.iterations < 20
    assert rest.state.position[0] == pytest.approx((0.5, 3, 0), abs=1e-9)
    assert rest.state.position[1] == pytest.approx((0, 0, -sqrt(0.25 + off**2)), abs=1e-9)


def test_a_beam_of_rigid_links_and_torsion_springs_bends_as_its_own_equations_say():
    """Clamped at one end: c (theta_k - theta_(k-1)) carries the weights beyond joint k."""
    count, stiffness = 8, 6.0
    points = np.column_stack((np.linspace(0, 1, count + 1), np.zeros(count + 1)))
    bodies, joints = rods(points, far_end=False)
    springs = [ch.TorsionSpring(f"spring {k}", j, stiffness=stiffness)
               for k, j in enumerate(joints)]  # fmt: skip
    rest = ch.equilibrium(ch.Model(bodies, joints, springs))
    mp.mp.dps = 30
    link, weight = mp.mpf(1) / count, mp.mpf(G) / count

    def moments(*theta):
        """Torque about every joint: springs, and weights at the middles of the links beyond."""
        before = [mp.mpf(0), *theta[:-1]]
        out = []
        for k in range(count):
            arms, x = mp.mpf(0), mp.mpf(0)
            for j in range(k, count):
                arms += x + link * mp.cos(theta[j]) / 2
                x += link * mp.cos(theta[j])
            out.append(mp.mpf(stiffness) * (theta[k] - before[k]) - weight * arms)
        return out

    theta = mp.findroot(moments, [0.1 * k for k in range(1, count + 1)])
    drop = -np.cumsum([float(link * mp.sin(t)) for t in theta])
    tip = rest.state.position[-1] + rest.state.rotation[-1] @ [0.5 / count, 0, 0]
    assert tip[2] == pytest.approx(drop[-1], rel=1e-11)
    assert rest.stable and drop[-1] < -0.3  # bends a lot


def test_a_beam_on_two_springs_sinks_and_tilts():
    length, mass, left, right = 2.0, 5.0, 300.0, 500.0
    beam = ch.Body.rod("beam", length, mass=mass)
    guide = ch.PointOnLine("guide", ch.GROUND, beam, at=(0, 0, 0), axis=(0, 0, 1))
    upright = ch.CustomJoint("upright", ch.GROUND, beam, lambda a, b: (b[0][3], b[0][5]), rows=2)
    springs = [
        ch.Spring(name, ch.GROUND, beam, (x, 0, -1.0), (x, 0, 0), k)
        for name, x, k in (("left", -length / 2, left), ("right", length / 2, right))
    ]
    rest = ch.equilibrium(ch.Model([beam], [guide, upright], springs))
    mp.mp.dps = 30

    def potential(z, angle):
        energy = mass * mp.mpf(G) * z
        for x, k in ((-1, left), (1, right)):
            end = (x * mp.cos(angle), z - x * mp.sin(angle))
            stretch = mp.sqrt((end[0] - x) ** 2 + (end[1] + 1) ** 2) - 1
            energy += mp.mpf(k) / 2 * stretch**2
        return energy

    z, angle = mp.findroot(
        lambda z, a: (mp.diff(potential, (z, a), (1, 0)), mp.diff(potential, (z, a), (0, 1))),
        (-mass * G / (left + right), 0.0),
    )
    assert rest.state.position[0, 2] == pytest.approx(float(z), rel=1e-11)
    assert rest.state.rotation[0, 2, 0] == pytest.approx(-float(mp.sin(angle)), rel=1e-10)


def test_a_wound_spring_unwinds_over_whole_turns():
    wheel = ch.Body.cylinder("wheel", radius=0.2, length=0.05, mass=1.0, axis="z")
    axle = ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    spring = ch.TorsionSpring("spring", axle, stiffness=2.0, rest=21.0)
    push = ch.Load("push", wheel, torque=(0, 0, 3.0))
    rest = ch.equilibrium(ch.Model([wheel], [axle], [spring, push]))
    angle = 21.0 + 3.0 / 2.0
    assert rest.state.rotation[0, 0, 0] == pytest.approx(np.cos(angle), abs=1e-12)
    assert rest.state.rotation[0, 1, 0] == pytest.approx(np.sin(angle), abs=1e-12)
    assert rest.linearise().frequencies == pytest.approx(
        [sqrt(2.0 / wheel.inertia[2][2])], rel=1e-12
    )


def test_drivers_and_motors_hold_still_at_the_starts_time():
    bodies, joints = rods([(0, 0), (1, 0), (2, 0)], far_end=False)
    motion = ch.Driver("drive", "joint 0", ch.Signal.linear(0.5))
    motor = ch.Motor("motor", "joint 1", target=ch.Signal.linear(0.3), stiffness=40.0, damping=7.0)
    model = ch.Model(bodies, joints, [motor], drivers=[motion])
    start = ch.simulate(model, until=2.0, step=0.01).state()
    rest = ch.equilibrium(model, start)
    first = np.arctan2(-rest.state.rotation[0, 2, 0], rest.state.rotation[0, 0, 0])
    assert first == pytest.approx(1.0, abs=1e-9)
    second = brentq(lambda q: 40.0 * (0.6 - q) + G / 2 * np.cos(1.0 + q), 0.0, 1.0, xtol=1e-15)
    turned = np.arctan2(-rest.state.rotation[1, 2, 0], rest.state.rotation[1, 0, 0])
    assert turned == pytest.approx(1.0 + second, abs=1e-9)
    assert rest.state.t == pytest.approx(2.0)
    torque = rest.reaction("drive").torque[0, 1]
    weights = G * (np.cos(1.0) / 2 + np.cos(1.0) + np.cos(1.0 + second) / 2)
    assert torque == pytest.approx(-weights, rel=1e-9)


def test_a_follower_force_is_balanced_too():
    """A force normal to a hanging rod, turning with it: m g l sin / 2 = F l."""
    bodies, joints = rods([(0, 0), (0, -1)], far_end=False)
    push = ch.Load("push", bodies[0], force=(0, 0, 2.0), at=(0, 0, -1), frame="body")
    rest = ch.equilibrium(ch.Model(bodies, joints, [push]))
    sideways = bodies[0].rotation[0][2]  # where the body's z axis points at the start
    assert rest.state.position[0, 0] == pytest.approx(sideways * 2.0 / G, rel=1e-12)
    assert rest.stable


def test_a_ball_rolls_to_where_its_spring_pulls_least():
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0.5, 0.3, 0.1))
    table = ch.RollingSphere("table", ch.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1), radius=0.1)
    spring = ch.Spring("spring", ch.GROUND, ball, (0, 0, 0.1), (0.5, 0.3, 0.1), 20.0,
                       rest_length=0.2)  # fmt: skip
    rest = ch.equilibrium(ch.Model([ball], [table], [spring]))
    assert np.hypot(*rest.state.position[0, :2]) == pytest.approx(0.2, rel=1e-10)
    assert rest.stability == "neutral" and rest.residual.force < 1e-10


def test_a_simulation_that_begins_at_rest_stays_there():
    """A chain between supports, and a spring wound by more than three turns."""
    bodies, joints = rods(arc(6, 0.6, 0.1))
    wheel = ch.Body.cylinder("wheel", radius=0.2, length=0.05, mass=1.0, axis="z")
    axle = ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    spring = ch.TorsionSpring("spring", axle, stiffness=2.0, rest=21.0)
    model = ch.Model([*bodies, wheel], [*joints, axle], [spring])
    rest = ch.equilibrium(model)
    assert rest.state.angles["axle"] == pytest.approx(21.0, abs=1e-12)
    result = ch.simulate(model, until=1.0, step=1e-2, start=rest.state, stabilise="projection")
    for body in model.bodies:
        assert np.abs(result.position(body) - result.position(body)[0]).max() < 1e-11
        assert np.abs(result.angular_velocity(body)).max() < 1e-10
    assert ch.linearise(model, rest.state).frequencies == pytest.approx(
        rest.linearise().frequencies, rel=1e-12
    )
    # And beside it, it swings with its lowest frequency.
    mode = rest.linearise().modes[0]
    size = 1e-6
    shift = np.einsum("bij,bj->bi", rest.state.rotation, mode.shape[:, 3:])
    nudged = replace(rest.state, angular_velocity=size * mode.shape[:, :3], velocity=size * shift)
    half = pi / mode.frequency
    swung = ch.simulate(model, until=half, step=half / 200, start=nudged).state()
    assert swung.position == pytest.approx(rest.state.position, abs=1e-3 * size)
    assert swung.velocity == pytest.approx(-nudged.velocity, abs=1e-3 * size)


@pytest.mark.parametrize("ratio", [2.0, 4.0, -3.0])
def test_vibrations_about_a_rest_count_whole_turns_of_coupled_joints(ratio):
    """The lower rod hangs on the end of the upper one and turns `ratio` times against it."""
    bodies, joints = rods([(0, 0), (1, 0), (2, 0)], far_end=False)
    belt = ch.Coupling("belt", {"joint 0": ratio, "joint 1": 1})
    model = ch.Model(bodies, [*joints, belt])
    rest = ch.equilibrium(model)
    small = rest.linearise().frequencies
    assert small == pytest.approx(ch.linearise(model, rest.state).frequencies, rel=1e-12)
    # about the angle q of the upper rod: V'' and T'' of 1.5 sin q + 0.5 sin(n q), n = 1 - ratio
    q, n = rest.state.angles["joint 0"], 1 - ratio
    curved = -G * (1.5 * np.sin(q) + 0.5 * n**2 * np.sin(n * q))
    inertia = 1 / 3 + 1 + n * np.cos((1 - n) * q) + n**2 / 3
    assert small[-1] ** 2 == pytest.approx(-curved / inertia, rel=1e-9)


@pytest.mark.parametrize("links", [1, 2, 3])
def test_the_nearest_equilibrium_of_a_level_chain_is_found(links):
    """Held level, the stiffness of gravity is 0, and Newton has nowhere to go."""
    points = np.column_stack((np.linspace(0, 1, links + 1), np.zeros(links + 1)))
    rest = ch.equilibrium(ch.Model(*rods(points, far_end=False)), prefer="nearest")
    assert rest.residual.force < 1e-10
    assert np.abs(rest.state.position[:, 0]).max() < 1e-9


def test_a_model_entered_inexactly_is_assembled_first():
    bodies, joints = rods(arc(5, 0.6, 0.1))
    moved = [replace(b, position=np.array(b.position) + [0, 0, 1e-3 * k])
             for k, b in enumerate(bodies)]  # fmt: skip
    ends = [
        ch.Revolute(j.name, j.a, j.b, at=j.at, at_b=np.array(j.at) + [0, 0, 1e-3], axis=j.axis)
        if j.name == "joint 2" else j for j in joints
    ]  # fmt: skip
    model = ch.Model(moved, ends)
    with pytest.raises(ch.InconsistentStart):
        ch.equilibrium(model)
    rest = ch.equilibrium(model, ch.assemble(model).state)
    assert rest.stable and rest.residual.force < 1e-10


def test_the_equilibrium_of_a_simulation_with_drag_is_the_same():
    bodies, joints = rods([(0, 0), (0.5, 0.3), (1.2, 0.1)], far_end=False)
    spring = ch.Spring("spring", ch.GROUND, bodies[1], (1, 0, 1), bodies[1].position, 40.0,
                       rest_length=0.5)  # fmt: skip
    air = [ch.Drag(f"air {k}", b, linear=3.0, angular=0.3) for k, b in enumerate(bodies)]
    end = ch.simulate(ch.Model(bodies, joints, [spring, *air]), until=40.0, step=5e-3).state()
    rest = ch.equilibrium(ch.Model(bodies, joints, [spring]))
    assert rest.state.position == pytest.approx(end.position, abs=1e-8)
    assert np.abs(ch.equations(rest.model, rest.state).acceleration).max() < 1e-12


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 18))]
)
def test_every_random_tree_in_a_field_of_gravity_comes_to_rest(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 13))
    parents = [-1, *(int(rng.integers(-1, k)) for k in range(1, count))]
    kinds = [str(rng.choice(["spherical", "revolute", "fixed"])) for _ in range(count)]
    grown = tree(rng, parents, kinds)
    forces = []
    for k, body in enumerate(grown.bodies[:: 2 if seed % 3 == 0 else 99]):
        end = np.array(body.position) + rng.uniform(-0.2, 0.2, 3)
        forces.append(
            ch.Spring(f"spring {k}", ch.GROUND, body, end + rng.standard_normal(3), end,
                      rng.uniform(10, 1000), rest_length=rng.uniform(0, 1))
        )  # fmt: skip
    model = ch.Model(grown.bodies, grown.joints, forces, gravity=grown.gravity)
    rest = ch.equilibrium(model)
    assert rest.stability in ("stable", "neutral") and rest.residual.force < 1e-9
    assert rest.linearise().growth < 1e-5
    assert np.abs(ch.equations(model, rest.state).acceleration).max() < 1e-9


def test_the_report_reads_well():
    bodies, joints = rods([(0, 0), (1, 0)], joint=ch.Spherical, far_end=False)
    text = repr(ch.equilibrium(ch.Model(bodies, joints)))
    assert text.startswith("Equilibrium(neutral, 1 direction without stiffness")


# --- refusals ---


def test_a_body_that_nothing_holds_is_named(refusal):
    rod, hinge = rods([(0, 0), (1, 0)], far_end=False)
    apple = ch.Body.sphere("apple", radius=0.05, mass=0.1, position=(3, 0, 2))
    model = ch.Model([*rod, apple], hinge)
    message = refusal(lambda: ch.equilibrium(model), ch.NoEquilibrium)
    assert "'apple'" in message and "(0, 0, -1)" in message and "0.981 N" in message


def test_a_sledge_runs_down_its_rail(refusal):
    sledge = ch.Body.box("sledge", (0.2, 0.1, 0.1), mass=3.0)
    rail = ch.Prismatic("rail", ch.GROUND, sledge, axis=(1, 0, -1))
    with pytest.raises(ch.NoEquilibrium) as caught:
        ch.equilibrium(ch.Model([sledge], [rail]))
    assert "'sledge'" in str(caught.value)
    assert caught.value.residual.force == pytest.approx(3.0 * G / sqrt(2))


def test_a_wheel_that_is_driven_round_and_round_has_none(refusal):
    wheel = ch.Body.cylinder("wheel", radius=0.2, length=0.05, mass=1.0, axis="z")
    axle = ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    push = ch.Load("push", wheel, torque=(0, 0, 3.0))
    model = ch.Model([wheel], [axle], [push])
    message = refusal(lambda: ch.equilibrium(model, most_steps=40), ch.NoEquilibrium)
    assert "'wheel'" in message and "3 N m" in message


def test_a_weightless_body_rests_anywhere():
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(1, 2, 3))
    rest = ch.equilibrium(ch.Model([ball], gravity=(0, 0, 0)))
    assert rest.stability == "neutral" and rest.neutral.shape == (6, 1, 6)
    assert rest.iterations == 0 and np.all(rest.state.position == ball.position)


def test_bad_input(refusal):
    bodies, joints = rods([(0, 0), (1, 0)], far_end=False)
    model = ch.Model(bodies, joints)
    assert "must be a Model" in refusal(lambda: ch.equilibrium(None), ch.InvalidModel)
    assert "must be a State, got 3" in refusal(lambda: ch.equilibrium(model, 3), ch.InvalidOption)
    assert "'steady'" in refusal(lambda: ch.equilibrium(model, prefer="steady"), ch.UnknownName)
    assert "most_steps" in refusal(lambda: ch.equilibrium(model, most_steps=0), ch.InvalidOption)
    assert "no joint" in refusal(lambda: ch.equilibrium(model).reaction("knee"), ch.UnknownName)
    few = refusal(lambda: ch.equilibrium(model, most_steps=1), ch.NoEquilibrium)
    assert "'link 0'" in few and "most_steps" in few


def test_a_force_that_is_not_a_number_is_named(refusal):
    bodies, joints = rods([(0, 0), (1, 0)], far_end=False)

    def broken(t, position, rotation, velocity, angular_velocity):
        return (np.sqrt(-1.0 - position[2] ** 2), 0.0, 0.0), (0.0, 0.0, 0.0)

    force = ch.CustomForce("broken", bodies[0], broken)
    with np.errstate(invalid="ignore"):
        message = refusal(
            lambda: ch.equilibrium(ch.Model(bodies, joints, [force])), ch.InvalidForce
        )
    assert "'broken'" in message
