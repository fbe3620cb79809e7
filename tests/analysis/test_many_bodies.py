"""Statics and modes with sparse matrices, against dense ones and closed forms."""

import time

import numpy as np
import pytest
from mechanisms import straight_chain

import chasles as ch
import chasles.analysis.instant as instants
import chasles.analysis.place as places

G = 9.81


def rods(count, kind=ch.Revolute, angle=0.0):
    """Rods of 1 m and 1 kg from the origin, straight out at an angle below the horizontal."""
    along = (np.cos(angle), 0.0, -np.sin(angle))
    return straight_chain([1.0] * count, names="link {}", joints="joint {}", kind=kind, along=along)


def hanging_frequencies(count):
    """Of a chain of rods of length 1 and mass 1: K q = omega^2 M q in the angles of the links."""
    below = count - 1 - np.arange(count)
    mass = (
        np.minimum.outer(below, below) + 0.5
    )  # an angle moves all links below by 1, its own by 1/2
    mass[np.diag_indices(count)] = below + 1 / 3
    stiffness = np.diag(G * (below + 0.5))
    squares = np.linalg.eigvals(np.linalg.solve(mass, stiffness))
    return np.sort(np.sqrt(squares.real))


@pytest.mark.parametrize("joint", [ch.Revolute, ch.Spherical])
def test_a_chain_held_straight_out_hangs_down_in_the_end(joint):
    rest = ch.equilibrium(rods(60, joint))
    # Rods on balls may spin about themselves.
    assert rest.stability == ("stable" if joint is ch.Revolute else "neutral")
    straight = np.column_stack((np.zeros((60, 2)), -np.arange(60) - 0.5))
    assert rest.state.position == pytest.approx(straight, abs=1e-9)
    assert rest.reaction("joint 0").force[0] == pytest.approx((0, 0, 60 * G), abs=1e-7)


@pytest.mark.parametrize("joint", [ch.Revolute, ch.Spherical])
def test_a_chain_of_a_hundred_links_is_closed_in_few_corrections_a_step(joint, monkeypatch):
    """Gaps are closed by shifting what hangs on a joint: a long chain does not buckle."""
    looks, gaps = [], instants.Instant.gaps
    monkeypatch.setattr(instants.Instant, "gaps", lambda *at: looks.append(1) or gaps(*at))
    rest = ch.equilibrium(rods(100, joint))
    assert rest.state.position[-1] == pytest.approx((0, 0, -99.5), abs=1e-9)
    assert len(looks) < 8 * rest.iterations and rest.iterations < 60


@pytest.mark.parametrize("seed", range(3))
def test_a_model_with_many_bodies_finds_the_equilibrium_of_one_with_few(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    model = rods(8, angle=0.3)
    hooks = rng.uniform(-4.0, 4.0, (3, 3))
    springs = [
        ch.Spring(
            f"spring {k}", ch.GROUND, model.bodies[2 * k + 1], hook,
            model.bodies[2 * k + 1].position, stiffness=30.0, rest_length=0.5,
        )
        for k, hook in enumerate(hooks)
    ]  # fmt: skip
    model = ch.Model(model.bodies, model.joints, springs)
    few = ch.equilibrium(model)
    monkeypatch.setattr(places, "MOST_BODIES", 1)
    many = ch.equilibrium(model)
    assert many.stability == few.stability == "stable"
    assert many.state.position == pytest.approx(few.state.position, abs=1e-7)


def test_a_long_chain_with_massless_crosses_between_its_links_hangs_down():
    """Crosses turn with the links: nothing that is left of a force on them has to vanish."""
    bodies, joints, above = [], [], ch.GROUND
    for k in range(places.MOST_BODIES // 2 + 1):
        at = (0, 0, -k)
        cross = ch.Body.frame(f"cross {k}", position=at)
        link = ch.Body.box(f"link {k}", (0.1, 0.2, 1), mass=1.0, position=(0, 0, -k - 0.5))
        joints += [
            ch.Revolute(f"x {k}", above, cross, at=at, axis=(1, 0, 0)),
            ch.Revolute(f"y {k}", cross, link, at=at, axis=(0, 1, 0)),
        ]
        bodies += [cross, link]
        above = link
    model = ch.Model(bodies, joints)
    rest = ch.equilibrium(model, ch.start_state(model, {"x 0": 0.7, "y 0": -0.5}))
    assert rest.stability == "stable"
    entered = np.array([body.position for body in bodies])
    assert rest.state.position == pytest.approx(entered, abs=1e-9)


@pytest.mark.parametrize("free", ["prismatic", "planar", "cylindrical"])
@pytest.mark.parametrize("off", [0.0, 0.05])
def test_a_pendulum_is_let_down_beside_a_chain_and_a_body_that_rests_anywhere(free, off):
    """As in small models: what holds that body turns with it, which no penalty makes up for."""
    chain = rods(places.MOST_BODIES + 4)
    idle = ch.Body.box("idle", (1, 0.1, 0.2), mass=1.0, position=(0.5, 3, 0))
    rod = ch.Body.box("rod", (0.1, 0.1, 1), mass=1.0, position=(off, -3, 0.5))
    joints = [
        {
            "prismatic": ch.Prismatic("free", ch.GROUND, idle, axis=(1, 0.3, 0)),
            "planar": ch.Planar("free", ch.GROUND, idle, axis=(0, 0, 1)),
            "cylindrical": ch.Cylindrical("free", ch.GROUND, idle, at=(0, 3, 0), axis=(1, 0, 0)),
        }[free],
        ch.Revolute("hinge", ch.GROUND, rod, at=(0, -3, 0), axis=(0, 1, 0)),
    ]
    rest = ch.equilibrium(ch.Model([*chain.bodies, idle, rod], [*chain.joints, *joints]))
    assert rest.stability == "neutral" and rest.iterations < 20
    assert rest.state.position[-2] == pytest.approx((0.5, 3, 0), abs=1e-5)
    assert rest.state.position[-1] == pytest.approx((0, -3, -((0.25 + off**2) ** 0.5)), abs=1e-9)


@pytest.mark.parametrize("kind", [ch.Revolute, ch.Cylindrical])
def test_a_long_chain_comes_to_rest_with_wheels_that_stay_where_they_like(kind):
    """Their weight is felt by all joints up to the ground, in a chain that gives way easily."""
    chain = rods(60)
    wheels, axles = [], []
    for k, link in enumerate(chain.bodies[::5]):
        place = np.add(link.position, (0, 0.1, 0))
        wheel = ch.Body.cylinder(f"wheel {k}", 0.05, 0.02, mass=2.0, axis="y", position=place)
        wheels.append(wheel)
        axles.append(kind(f"axle {k}", link, wheel, at=place, axis="y"))
    rest = ch.equilibrium(ch.Model([*chain.bodies, *wheels], [*chain.joints, *axles]))
    assert rest.stability == "neutral" and rest.iterations < 40
    straight = np.column_stack((np.zeros((60, 2)), -np.arange(60) - 0.5))
    assert rest.state.position[:60] == pytest.approx(straight, abs=1e-9)


def test_an_upright_chain_is_an_unstable_equilibrium():
    rest = ch.equilibrium(rods(40, angle=-np.pi / 2), prefer="nearest")
    assert rest.stability == "unstable"


def test_some_modes_are_those_of_the_hanging_chain():
    model = rods(40, angle=np.pi / 2)
    found = ch.linearise(model, modes=6)
    exact = hanging_frequencies(40)
    assert found.frequencies[:6] == pytest.approx(exact[:6], rel=1e-9)
    assert np.abs(found.damping_ratios).max() < 1e-9
    with pytest.raises(ch.InvalidOption, match="only"):
        _ = found.degrees_of_freedom
    aimed = ch.linearise(model, modes=3, near=exact[20] / (2 * np.pi)).frequencies
    for frequency in exact[19:22]:
        assert np.abs(aimed - frequency).min() < 1e-8 * frequency


def test_all_modes_are_those_of_the_hanging_chain():
    found = ch.linearise(rods(40, angle=np.pi / 2))
    assert found.frequencies == pytest.approx(hanging_frequencies(40), rel=1e-9)


def test_some_modes_of_a_spinning_body_are_those_of_the_whole_matrix():
    body = ch.Body.box("box", (0.1, 0.2, 0.4), mass=1.0, angular_velocity=(0, 0, 7.0))
    model = ch.Model([body], [], gravity=(0, 0, 0))
    whole = ch.linearise(model).eigenvalues
    assert np.abs(whole).max() > 1.0
    some = ch.linearise(model, modes=1).eigenvalues
    assert some.size >= 1
    for value in some:
        assert np.abs(whole - value).min() < 1e-4


def test_a_thousand_bodies_are_not_refused():
    model = rods(1000, angle=np.pi / 2)
    rest = ch.equilibrium(model)
    assert rest.stability == "stable"
    slowest = ch.linearise(model, modes=2).frequencies[0]
    # A heavy rope: the first zero of J0 over two, times sqrt(g / l).
    assert slowest == pytest.approx(2.404825557695773 / 2 * np.sqrt(G / 1000), rel=1e-3)


@pytest.mark.parametrize("joint", [ch.Revolute, pytest.param(ch.Spherical, marks=pytest.mark.slow)])
def test_a_chain_of_a_thousand_links_falls_from_the_level_to_the_plumb_line(joint):
    """In a few steps, each linear in the links; what is left is small against one weight."""
    begun = time.process_time()
    rest = ch.equilibrium(rods(1000, joint))
    assert rest.iterations < 30
    assert rest.residual.force < 1e-9 * G
    np.testing.assert_allclose(rest.state.position[:, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose(rest.state.position[:, 2], -np.arange(0.5, 1000), rtol=1e-9)
    assert time.process_time() - begun < 20.0  # two seconds; the rest is for busy machines
