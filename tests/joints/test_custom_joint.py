"""Joints by a user's formula: as good as built-in ones, checked before a run, named on failure."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mechanisms import random_body

import chasles as ch


def bodies(seed=3):
    rng = np.random.default_rng(seed)
    a = random_body(rng, "a", (0.1, 0.2, 0.3), angular_velocity=(1, -2, 3), velocity=(0.1, 0, 0.2))
    return a, random_body(rng, "b", (0.6, -0.2, 0.5))


def point_in(body, point):
    return np.array(body.rotation).T @ np.subtract(point, body.position)


def world_point(pose, local):
    return np.array(pose[1]) + np.reshape(pose[0], (3, 3)) @ local


def ball_and_socket(a, b, at):
    in_a, in_b = point_in(a, at), point_in(b, at)
    return lambda p, q: world_point(q, in_b) - world_point(p, in_a)


def rod(a, b, at, at_b):
    in_a, in_b, length = point_in(a, at), point_in(b, at_b), math.dist(at, at_b)

    def formula(p, q):
        d = world_point(q, in_b) - world_point(p, in_a)
        return (np.sqrt(d @ d) - length,)

    return formula


AT, AT_B = (0.3, 0.0, 0.2), (0.5, -0.1, 0.1)


@pytest.mark.parametrize("kind", ["spherical", "distance"])
def test_a_formula_of_a_built_in_joint_gives_the_same_motion(kind):
    a, b = bodies()
    if kind == "spherical":
        built_in = ch.Spherical("j", a, b, at=AT)
        custom = ch.CustomJoint("j", a, b, ball_and_socket(a, b, AT), rows=3, at=AT)
    else:
        built_in = ch.Distance("j", a, b, at=AT, at_b=AT_B)
        custom = ch.CustomJoint("j", a, b, rod(a, b, AT, AT_B), rows=1, at=AT)
    ends = []
    for joint in (built_in, custom):
        # "space" differentiates x_b - x_a twice, as the formula is.
        run = {"until": 0.2, "step": 1e-3, "acceleration": "space", "spaces": "SO3xR3"}
        result = ch.simulate(ch.Model([a, b], [joint]), **run)
        ends.append((result.position("b")[-1], result.rotation("b")[-1], result.reaction("j")))
    # A rod's own residual is (d.d - l^2)/2l: the same motion only while it is closed, to the drift.
    within = 1e-12 if kind == "spherical" else 1e-11
    np.testing.assert_allclose(ends[0][0], ends[1][0], rtol=0, atol=within)
    np.testing.assert_allclose(ends[0][1], ends[1][1], rtol=0, atol=within)
    forces = [end[2].force[-1] for end in ends]
    np.testing.assert_allclose(*forces, rtol=0, atol=1e-8)


def test_the_square_of_a_rod_is_the_built_in_one_to_rounding():
    a, b = bodies()
    in_a, in_b, length = point_in(a, AT), point_in(b, AT_B), math.dist(AT, AT_B)

    def formula(p, q):
        d = world_point(q, in_b) - world_point(p, in_a)
        return ((d @ d - length**2) / (2 * length),)

    joints = ch.Distance("j", a, b, AT, AT_B), ch.CustomJoint("j", a, b, formula, rows=1)
    ends = [
        ch.simulate(ch.Model([a, b], [j]), 0.2, 1e-3, spaces="SO3xR3").position("b")[-1]
        for j in joints
    ]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-13)


FUNCTIONS = [
    (np.sqrt, 0.7), (np.exp, 0.3), (np.log, 0.4), (np.sin, 0.5), (np.cos, 0.5), (np.tan, 0.6),
    (np.tanh, 0.2), (np.arcsin, 0.3), (np.arccos, 0.3), (np.arctan, 2.0), (np.square, 0.4),
    (abs, -0.4), (lambda x: x**3, 0.6), (lambda x: x**-0.5, 0.6), (lambda x: 1 / x, 0.6),
    (lambda x: 2 - x / 3, 0.6), (lambda x: np.arctan2(x, 0.2), 0.6), (lambda x: +x * x, 0.1),
    (lambda x: np.arctan2(0.2 - x, -x), 0.6), (lambda x: np.hypot(x, 0.2 * x**2), 0.6),
    (lambda x: max(x, 0.1) if x >= 0.2 and x <= 1 else 0.0, 0.6),
]  # fmt: skip


@pytest.mark.parametrize("function, x", FUNCTIONS)
def test_functions_of_numpy_are_differentiated(function, x):
    """J and eta of g = f(z) against differences of f."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, x), velocity=(0, 0, 0))

    def formula(pose_a, pose_b):
        return (function(pose_b[1][2]),)

    model = ch.Model([ball], [ch.CustomJoint("j", ch.GROUND, ball, formula, rows=1)])
    equations = ch.equations(model, still(model, (0, 0, 2.0)))
    h = 1e-3
    values = np.array([float(function(x + k * h)) for k in range(-3, 4)])
    slope = values @ (-1, 9, -45, 0, 45, -9, 1) / (60 * h)
    curvature = values @ (2, -27, 270, -490, 270, -27, 2) / (180 * h * h)
    assert equations.jacobian[0] == pytest.approx([0, 0, 0, 0, 0, slope], abs=1e-9)
    assert equations.eta[0] == pytest.approx(-4.0 * curvature, abs=1e-7)


def still(model, velocity):
    body = model.bodies[0]
    return ch.State(
        0.0, model.body_names, [body.position], [body.rotation], [velocity], np.zeros((1, 3))
    )


BALL = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 2))


def height(pose_a, pose_b):
    return (pose_b[1][2] - 2.0,)


def made(formula, rows=1, **options):
    return ch.Model([BALL], [ch.CustomJoint("level", ch.GROUND, BALL, formula, rows, **options)])


@pytest.mark.parametrize(
    "formula, rows, said",
    [
        (lambda a, b: (math.sqrt(b[1][2]),), 1, ["differentiated", "np.sqrt"]),
        (lambda a, b: (0.0,), 1, ["residual 0", "'ball' moves", "holds nothing"]),
        (lambda a, b: (b[1][0], a[1][0]), 2, ["residual 1", "holds nothing"]),
        (lambda a, b: ((b[1][2] - 2) ** 2,), 1, ["holds nothing", "square"]),
        (lambda a, b: (b[1][2],) * 2, 1, ["shape (2,)", "rows is 1"]),
        (lambda a, b: b[1][2], 1, ["shape ()"]),
        (lambda a, b: (float("nan") * b[1][2],), 1, ["nan"]),
        (lambda a, b: (b[1][2] / 0.0,), 1, ["ZeroDivisionError"]),
        (lambda a, b: (np.sqrt(b[1][0]),), 1, ["ZeroDivisionError"]),
    ],
)
def test_a_formula_that_cannot_hold_a_joint_is_refused_before_a_run(formula, rows, said, refusal):
    for ask in (ch.equations, lambda model: ch.simulate(model, 1.0, 1e-2)):
        message = refusal(lambda ask=ask: ask(made(formula, rows)), ch.InvalidJoint)
        for part in ["joint 'level'", *said]:
            assert part in message


def test_a_right_jacobian_is_accepted():
    with_it = ch.equations(made(height, jacobian=lambda a, b: [[*np.zeros(9), *b[0][6:9]]]))
    assert_rows_of(with_it, ch.equations(made(height)))


def assert_rows_of(found, wanted):
    """By what is given as by differences of the formula: rows and the motion that they allow."""
    assert np.abs(wanted.jacobian).max() > 0.1
    assert found.jacobian == pytest.approx(wanted.jacobian, abs=1e-9)
    assert found.acceleration == pytest.approx(wanted.acceleration, abs=1e-6)


@pytest.mark.parametrize(
    "jacobian, said",
    [
        (lambda a, b: [[*np.zeros(9), *b[0][6:8], 1.5]], ["[0, 11]", "uz of 'ball'", "1.5", " 1."]),
        (lambda a, b: [[*np.zeros(11), 1.0]], ["off the start", "of 'ball'", "is 0 "]),
        (lambda a, b: np.zeros((1, 6)), ["(1, 6)", "must be (1, 12)"]),
        (lambda a, b: [[float("nan")] * 12], ["nan"]),
        (lambda a, b: 1 / 0, ["ZeroDivisionError"]),
    ],
)
def test_a_wrong_jacobian_is_refused_with_the_entry_and_both_values(jacobian, said, refusal):
    message = refusal(lambda: ch.equations(made(height, jacobian=jacobian)), ch.InvalidJoint)
    for part in ["joint 'level'", "jacobian", *said]:
        assert part in message


def test_a_jacobian_of_the_ground_does_not_matter():
    given = made(height, jacobian=lambda a, b: [[*np.full(6, 9.0), 0, 0, 0, *b[0][6:9]]])
    assert_rows_of(ch.equations(given), ch.equations(made(height)))


def test_a_formula_that_fails_on_the_way_is_named_and_the_run_kept():
    """A bead slides off the end of its wire, x = 1."""

    def wire(pose_a, pose_b):
        x, _, z = pose_b[1]
        if x > 1.0:
            raise ValueError("no wire here")
        return (z + 0.5 * x * x,)

    bead = ch.Body.sphere("bead", 0.01, mass=1.0, velocity=(1.0, 0, 0))
    model = ch.Model([bead], [ch.CustomJoint("wire", ch.GROUND, bead, wire, rows=1)])
    with pytest.raises(ch.SimulationStopped, match=r"joint 'wire'.*no wire here") as caught:
        ch.simulate(model, until=2.0, step=1e-2)
    result = caught.value.result
    assert result.position("bead")[-1, 0] > 0.95 and np.isfinite(result.absolute).all()


@pytest.mark.parametrize(
    "formula, rows",
    [
        (lambda p, q: (q[1][2] - 1.0,), 1),
        (lambda p, q: (p[1][2] - 2.0,), 1),
        (lambda p, q: (q[1][2] - p[1][2] + 1.0, q[1][2] - 1.0), 2),
        (lambda p, q: (q[1][2] + p[1][2] - 3.0,), 1),
    ],
)
def test_a_formula_may_hold_one_of_its_bodies_to_the_world(formula, rows):
    """Its wrenches do not balance then, which the order of elimination has to know."""
    a = ch.Body.sphere("a", 0.1, mass=1.0, position=(0, 0, 2))
    b = ch.Body.sphere("b", 0.1, mass=2.0, position=(1, 0, 1))
    c = ch.Body.sphere("c", 0.1, mass=3.0, position=(2, 0, 1))
    link, other = ch.Spherical("s", b, c, (1.5, 0, 1)), ch.Spherical("t", a, c, (1, 1, 1))
    for parts in ([a, b], []), ([a, b, c], [link]), ([a, b, c], [link, other]):
        joint = ch.CustomJoint("j", a, b, formula, rows)
        equations = ch.equations(ch.Model(parts[0], [joint, *parts[1]]))
        right = np.concatenate((equations.forces, equations.eta))
        exact = np.linalg.solve(equations.kkt, right)[: equations.velocity.size]
        np.testing.assert_allclose(equations.acceleration, exact, rtol=0, atol=1e-12)


def test_loops_of_two_formulas_close_each_by_its_own():
    """z = 0 of one ball, y = (x - 1) / 4 of the other, from poses where both are open."""
    balls = [ch.Body.sphere(name, 0.1, mass=1, position=(k, 0, 0)) for k, name in enumerate("ab")]
    joints = [
        ch.CustomJoint("level", ch.GROUND, "a", lambda _, b: (b[1][2],), rows=1),
        ch.CustomJoint("slope", ch.GROUND, "b", lambda _, b: (4 * b[1][1] - b[1][0] + 1,), rows=1),
    ]
    moved = [replace(b, position=p) for b, p in zip(balls, ((0.1, 0.2, 0.3), (1.3, 0.1, -0.2)))]
    a, b = ch.assemble(ch.Model(moved, joints)).state.position
    assert a == pytest.approx((0.1, 0.2, 0.0), abs=1e-12)
    assert 4 * b[1] - b[0] + 1 == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "method",
    [
        "rk4",
        "half-explicit",
        "generalized-alpha",
        "generalized-alpha index 2",
        "bliedf2",
        "rattlie",
    ],
)
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_two_formulas_move_as_the_joints_that_they_are(method):
    """Gaps enter the steps of index 3 and projections: each joint has those of its own formula."""
    a, b = bodies()
    at = [(0.0, 0.0, 0.9), (0.1, 0.3, 0.2), AT, AT_B]
    built_in = [
        ch.Distance("hung", ch.GROUND, a, at=at[0], at_b=at[1]),
        ch.Distance("rod", a, b, at=at[2], at_b=at[3]),
    ]
    ground = ch.Body.sphere("ground's frame", 0.1, mass=1.0)
    formulas = [
        ch.CustomJoint("hung", ch.GROUND, a, rod(ground, a, at[0], at[1]), rows=1),
        ch.CustomJoint("rod", a, b, rod(a, b, at[2], at[3]), rows=1),
    ]
    ends = []
    for joints in (built_in, formulas):
        result = ch.simulate(
            ch.Model([a, b], joints), 0.06, 2e-3, method=method, spaces="SO3xR3", close=True,
            stabilise="projection" if method == "rk4" else None,
        )  # fmt: skip
        ends.append(np.concatenate([result.position("a")[-1], result.position("b")[-1]]))
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-6)
