"""A formula that sees several bodies and answers a force and a torque for each."""

import warnings

import numpy as np
import pytest
from scipy.linalg import expm

import chasles as ch

NOTHING = (0.0, 0.0, 0.0)
NAMES = ["one", "two", "three"]


def area(points):
    """Twice the vector area of the triangle of three points."""
    return np.cross(points[1] - points[0], points[2] - points[0])


def tension(t, *motions):
    """The forces of U = k |area|^2 / 8, a soap film of sorts: a potential of all three at once."""
    points = np.array([motion[0] for motion in motions])
    w = area(points)
    pulls = [-0.5 * np.cross(points[(i + 1) % 3] - points[(i + 2) % 3], w) for i in range(3)]
    return [(tuple(pull.tolist()), NOTHING) for pull in pulls]


def potential(result):
    points = np.stack([result.position(name) for name in NAMES], axis=1)
    return np.array([0.25 * area(p) @ area(p) for p in points])


def three(formula=tension, **more):
    bodies = [
        ch.Body.box("one", (0.1, 0.2, 0.3), 1.0, position=(1, 0, 0), velocity=(0, 0, 0.3)),
        ch.Body.box("two", (0.2, 0.2, 0.3), 2.0, position=(0, 1, 0), velocity=(0.2, 0, 0)),
        ch.Body.box("three", (0.3, 0.2, 0.1), 3.0, position=(0, 0, 1), angular_velocity=(1, 2, 3)),
    ]
    force = ch.CustomForce("film", bodies, formula)
    return ch.Model(bodies, forces=[force], gravity=NOTHING, **more)


@pytest.mark.parametrize("spaces", ["auto", "subgroups", "SE3", "SO3xR3"])
def test_a_potential_of_three_bodies_keeps_momentum_spin_and_energy(spaces):
    result = ch.simulate(three(), until=3.0, step=2e-2, method="dop853", spaces=spaces)
    energy = result.kinetic_energy() + potential(result)
    assert np.ptp(energy) < 1e-9
    assert np.ptp(result.kinetic_energy()) > 0.05
    rounding = 1e-9 if spaces == "SE3" else 1e-12  # velocities turn along: an error of the method
    assert np.ptp(result.momentum(), axis=0).max() < rounding
    assert np.ptp(result.angular_momentum(), axis=0).max() < 1e-9
    assert result.work("film") == pytest.approx(potential(result)[0] - potential(result), abs=1e-9)
    assert np.abs(result.energy_balance()).max() < 1e-9


def test_what_acts_on_each_body_is_read_by_its_name(refusal):
    result = ch.simulate(three(), until=0.2, step=1e-2)
    found = result.force("film")
    points = [[(tuple(result.position(name)[k].tolist()),) for name in NAMES] for k in (0, -1)]
    for k, motions in zip((0, -1), points):
        for name, (push, _) in zip(NAMES, tension(0.0, *motions)):
            assert found.on(name)[0][k] == pytest.approx(push, abs=1e-14)
            mass = result.model.body(name).mass
            assert mass * result.acceleration(name)[k] == pytest.approx(push, abs=1e-12)
    assert found.bodies == tuple(NAMES) and (found.force == found.on("one")[0]).all()
    rates = [np.sum(found.on(n)[0] * result.velocity(n), axis=1) for n in NAMES]
    assert found.power == pytest.approx(sum(rates), abs=1e-14)
    assert "does not act on 'ground'" in refusal(lambda: found.on("ground"), ch.ChaslesError)


def pull(t, position, rotation, velocity, spin, other):
    return tuple(5.0 * (o - p) for p, o in zip(position, other[0])), (0.1, 0.0, 0.2)


def pulls(t, one, two):
    """The same with its reaction: the opposite force acts where the first does."""
    force, torque = pull(t, *one, two)
    arm = np.subtract(one[0], two[0])
    back = -np.add(torque, np.cross(arm, force))
    return (force, torque), (tuple(-x for x in force), tuple(back.tolist()))


def test_two_bodies_of_several_are_a_body_and_its_reaction():
    bodies = three().bodies[:2]
    forces = (
        ch.CustomForce("pull", "one", pull, reaction="two", sees_reaction=True),
        ch.CustomForce("pull", ["one", "two"], pulls),
    )
    runs = [ch.simulate(ch.Model(bodies, [], [f]), until=1.0, step=1e-2) for f in forces]
    for name in ("one", "two"):
        assert runs[0].position(name) == pytest.approx(runs[1].position(name), abs=1e-13)
        assert runs[0].rotation(name) == pytest.approx(runs[1].rotation(name), abs=1e-13)
    assert runs[0].work("pull") == pytest.approx(runs[1].work("pull"), abs=1e-12)


def raising(t, *motions):
    raise KeyError("none")


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (raising, "raised KeyError"),
        (lambda t, *m: [(NOTHING, NOTHING)], "but sees 3 bodies"),
        (lambda t, *m: 3.0, "but sees 3 bodies"),
        (lambda t, *m: [(NOTHING, (0.0, 1.0))] * 3, "the torque on 'one'"),
        (lambda t, *m: [(NOTHING, NOTHING), ((np.nan, 0, 0), NOTHING)] * 2, "but sees 3"),
        (lambda t, *m: [(NOTHING, NOTHING)] * 2 + [((np.nan, 0.0, 0.0), NOTHING)], "on 'three'"),
        (lambda t, one: [], "raised TypeError"),
    ],
)
def test_a_formula_that_fails_is_named(formula, said, refusal):
    run = lambda: ch.simulate(three(formula), until=0.1, step=0.01)  # noqa: E731
    message = refusal(run, ch.ChaslesError)
    assert said in message and "force 'film'" in message


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ch.CustomForce("film", ["one"], tension), "2 to 16 bodies, got 1"),
        (lambda: ch.CustomForce("film", ["one", "one"], tension), "'one' is named twice"),
        (lambda: ch.CustomForce("film", ["one", ch.GROUND], tension), "bodies[1] is the ground"),
        (lambda: ch.CustomForce("film", NAMES, tension, compiled=True), "sees several bodies"),
        (lambda: ch.CustomForce("film", NAMES, tension, reaction="four"), "sees several bodies"),
        (
            lambda: three().with_parts(forces=[ch.CustomForce("film 2", ["one", "thre"], tension)]),
            "'thre'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, said, refusal):
    message = refusal(make, ch.ChaslesError)
    assert said in message and "film" in message


def hung(t, one, two, three):
    """Springs of no length, 40 and 30 N/m, from one to two to three; a damper from one to three."""
    (p, _, u, _), (q, _, _, _), (r, _, w, _) = one, two, three
    near = [40.0 * (b - a) for a, b in zip(p, q)]
    far = [30.0 * (b - a) for a, b in zip(q, r)]
    slow = [0.7 * (b - a) for a, b in zip(u, w)]
    on_one = [n + s for n, s in zip(near, slow)]
    on_two = [f - n for n, f in zip(near, far)]
    return [(on_one, NOTHING), (on_two, NOTHING), ([-f - s for f, s in zip(far, slow)], NOTHING)]


def on_rails(forces):
    """Three balls on vertical rails, the first on a spring on the ground."""
    bodies = [ch.Body.sphere(n, 0.1, mass=1.0 + k) for k, n in enumerate(NAMES)]
    rails = [ch.Prismatic(f"{n} rail", ch.GROUND, n, axis="z") for n in NAMES]
    hook = ch.JointSpring("hook", "one rail", 100.0, 0.0)
    return ch.Model(bodies, rails, [hook, *forces])


def test_statics_know_it():
    """Weights of 6, 5 and 3 kg on springs one after the other, in closed form."""
    found = ch.equilibrium(on_rails([ch.CustomForce("springs", NAMES, hung)]))
    deep = -9.81 * np.cumsum([6.0 / 100.0, 5.0 / 40.0, 3.0 / 30.0])
    assert found.state.position[:, 2] == pytest.approx(deep, abs=1e-9)


def test_vibrations_know_it():
    """Eigenvalues of K, C and M written down."""
    found = ch.linearise(on_rails([ch.CustomForce("springs", NAMES, hung)]))
    stiff = np.array([[140.0, -40.0, 0.0], [-40.0, 70.0, -30.0], [0.0, -30.0, 30.0]])
    damped = 0.7 * np.array([[1.0, 0.0, -1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]])
    inverse = np.diag(1.0 / np.array([1.0, 2.0, 3.0]))
    matrix = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ stiff, -inverse @ damped]])
    exact = np.sort_complex(np.linalg.eigvals(matrix))
    assert np.sort_complex(found.eigenvalues) == pytest.approx(exact, abs=1e-7)


def test_it_moves_with_a_prefix():
    (force,) = three().placed(prefix="a ").forces
    assert force.bodies == ("a one", "a two", "a three")


# --- stiff formulas ---

LAG = 1e-2  # s, damping over stiffness


def knot(stiffness):
    """All bodies are drawn to each other by stiff springs and dampers."""

    def formula(t, *motions):
        places, speeds = (np.array([motion[k] for motion in motions]) for k in (0, 2))
        away = 3.0 * (places + LAG * speeds) - (places + LAG * speeds).sum(axis=0)
        return [(tuple(pull.tolist()), NOTHING) for pull in -stiffness * away]

    return formula


def exact_places(stiffness, model, times):
    """M x'' = -L (k x + c x') with L the Laplace matrix of the triangle, by the exponential."""
    bodies = model.bodies
    masses = np.array([body.mass for body in bodies])
    laplace = (3.0 * np.eye(3) - np.ones((3, 3))) * stiffness / masses[:, None]
    rates = np.block([[np.zeros((3, 3)), np.eye(3)], [-laplace, -LAG * laplace]])
    start = np.array([[*body.position] for body in bodies]
                     + [[*(body.velocity or NOTHING)] for body in bodies])  # fmt: skip
    return np.stack([(expm(rates * t) @ start)[:3] for t in times])


@pytest.mark.parametrize("stiffness", [1e4, 1e7])
@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf2"])
def test_newtons_matrix_has_all_bodies_of_a_stiff_formula(method, stiffness):
    model = three(knot(stiffness))
    with warnings.catch_warnings():  # of the energy that decays faster than steps resolve
        warnings.simplefilter("ignore", ch.ChaslesWarning)
        result = ch.simulate(model, until=0.2, step=1e-3, method=method)
    found = np.stack([result.position(name) for name in NAMES], axis=1)
    wanted = exact_places(stiffness, model, result.t)
    assert np.abs(found - wanted)[20:].max() < 2e-2
    assert np.abs(found - wanted)[-1].max() < 1e-4
    most = 6 if stiffness > 1e6 else 15  # with the matrix of Newton's method, and without it
    assert result.provenance.iterations < most * result.provenance.steps
