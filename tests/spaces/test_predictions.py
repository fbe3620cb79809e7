"""Predicted and measured: which joints hold to rounding in which charts."""

import itertools

import numpy as np
import pytest
from mechanisms import (
    KINDS,
    make_joint,
    moving,
    random_body,
    random_rotation,
    three_bar,
    worst_gaps,
)

import chasles as ch
from chasles.spaces import resolve_spaces
from chasles.spaces.exactness import drifting_joints, exact_joints
from chasles.spaces.subgroups import joint_algebra

AT, AXIS = np.array((0.3, -0.2, 0.1)), np.array((1.0, 2.0, -1.0)) / np.sqrt(6.0)
#: The second joint against the first: point and axis.
PLACES = {
    "coaxial": (AT + 0.2 * AXIS, AXIS),
    "parallel": (AT + (0.2, 0.3, 0.4), AXIS),
    "concurrent": (AT, np.cross(AXIS, (0.0, 0.0, 1.0))),
    "general": (AT + (0.2, 0.3, 0.4), np.array((-1.0, 0.5, 0.3))),
}
ON_1, ON_2 = "joint 1", "joint 2"
PAIRS_OF_CHARTS = {
    "SE3": lambda on_1: (ch.SE3(), ch.SE3()),
    "at the COM": lambda on_1: (ch.SO3xR3(), ch.SO3xR3()),
    "each on its joint": lambda on_1: (ch.SO3xR3(at=on_1), ch.SO3xR3(at=ON_2)),
    "both on joint 2": lambda on_1: (ch.SO3xR3(at=ON_2), ch.SO3xR3(at=ON_2)),
    "SE3 after SO3xR3": lambda on_1: (ch.SO3xR3(at=on_1), ch.SE3()),
    "relative": lambda on_1: (ch.SO3xR3(at=on_1), ch.SO3xR3(at=ON_2, relative_to="a")),
    "relative at the COM": lambda on_1: (ch.SO3xR3(at=on_1), ch.SO3xR3(relative_to="a")),
    "parent on child": lambda on_1: (ch.SE3(relative_to="b"), ch.SE3()),
}


def check(model: ch.Model, spaces) -> int:
    """Exact joints stay below 1e-12; the others drift at a step that shows it.  How many exact."""
    chosen = resolve_spaces(model, spaces)
    predicted = ch.designate(model, chosen).predictions
    result = ch.simulate(model, 0.5, step=1e-2, spaces=chosen, progress=False)
    gaps = {name: max(gap) for name, gap in worst_gaps(result).items()}
    for p in predicted:
        if p.exact:
            assert gaps[p.joint] < 1e-12, p
        else:
            assert gaps[p.joint] > 1e-11, p
    return sum(p.exact for p in predicted)


@pytest.mark.parametrize("kind", KINDS)
def test_joints_to_the_ground_hold_where_it_is_predicted(kind):
    rng = np.random.default_rng(3)
    body = random_body(rng, "b", AT + (0.4, 0.1, 0.2))
    model = moving(ch.Model([body], [make_joint(kind, ON_1, ch.GROUND, body, AT, AXIS)]), rng)
    off = AT + (0.1, 0.1, 0.1)
    exact = [
        check(model, s)
        for s in (ch.SE3(), *(ch.SO3xR3(at=at) for at in (AT, AT + 0.3 * AXIS, None, off)))
    ]
    on_axis = [1, 1, 1, 0, 0]
    expected = {"spherical": [1, 1, 0, 0, 0], "revolute": on_axis, "cylindrical": on_axis}
    assert exact == (expected | {"helical": on_axis}).get(kind, [1] * 5)


def set_going(model: ch.Model, rng, speed: float = 6.0) -> ch.Model:
    """Every joint moves in all directions that it leaves free, at about `speed` rad/s or m/s.

    The least energy that random twists leave (`moving`) would hardly move some of them.
    """
    twists, bodies = {"ground": np.zeros(6)}, []
    carrying = {joint.b: joint for joint in model.joints}
    for body in model.bodies:
        if body.name in carrying:
            joint = carrying[body.name]
            free = joint_algebra(joint)
            twist = twists[joint.a] + free @ brisk(rng, free.shape[1], speed)
        else:
            twist = brisk(rng, 6, speed)
        twists[body.name] = twist
        velocity = twist[3:] + np.cross(twist[:3], body.position)
        omega = np.array(body.rotation).T @ twist[:3]
        bodies.append(replace(body, velocity, omega))
    return ch.Model(bodies, model.joints, gravity=model.gravity)


def brisk(rng, count: int, speed: float) -> np.ndarray:
    """Numbers of about this size, either sign, none of them small."""
    return rng.choice((-1.0, 1.0), size=count) * rng.uniform(0.7, 1.3, size=count) * speed


def replace(body: ch.Body, velocity, omega) -> ch.Body:
    return ch.Body(
        body.name, body.mass, body.inertia, body.position, body.rotation, velocity, omega
    )


def pair(first: str, second: str, place: str, rng) -> ch.Model:
    """Ground, a, b in a row; `first` may be "free"."""
    a, b = (  # bodies large enough not to spin up wildly
        ch.Body(name, 2.0, (0.05, 0.08, 0.1), AT + place_of, random_rotation(rng))
        for name, place_of in (("a", (0.4, 0.1, 0.2)), ("b", (0.1, 0.5, -0.3)))
    )
    joints = [make_joint(second, ON_2, a, b, *PLACES[place])]
    if first != "free":
        joints.insert(0, make_joint(first, ON_1, ch.GROUND, a, AT, AXIS))
    return set_going(ch.Model([a, b], joints), rng)


def check_pairs(second: str, every: int) -> None:
    cases = itertools.product((*KINDS, "free"), PLACES, PAIRS_OF_CHARTS.values())
    for number, (first, place, charts) in enumerate(cases):
        if number % every == 0:
            model = pair(first, second, place, np.random.default_rng(number))
            check(model, dict(zip("ab", charts(None if first == "free" else ON_1))))


@pytest.mark.parametrize("second", KINDS)
def test_joints_between_moving_bodies_hold_where_it_is_predicted(second):
    check_pairs(second, every=7)


@pytest.mark.slow
@pytest.mark.parametrize("second", KINDS)
def test_joints_between_moving_bodies_hold_where_it_is_predicted_in_all_charts(second):
    check_pairs(second, every=1)


@pytest.mark.parametrize(
    ("first", "second", "place", "charts", "exact"),
    [
        # absolute charts are enough where the parent's motions normalise the joint's
        ("revolute", "cylindrical", "coaxial", "SE3", True),
        ("revolute", "spherical", "concurrent", "SE3", True),
        ("planar", "planar", "parallel", "at the COM", True),
        ("prismatic", "planar", "general", "SE3", True),
        ("free", "fixed", "general", "SE3", True),
        # two charts that store the same point hold it together
        ("free", "spherical", "general", "both on joint 2", True),
        ("free", "fixed", "general", "both on joint 2", True),
        ("free", "fixed", "general", "at the COM", False),
        ("revolute", "revolute", "parallel", "SE3", False),
        ("free", "spherical", "general", "SE3", False),
        ("free", "revolute", "general", "both on joint 2", False),
    ],
)
def test_the_cases_of_the_theorem(first, second, place, charts, exact):
    model = pair(first, second, place, np.random.default_rng(0))
    on_1 = None if first == "free" else ON_1
    spaces = resolve_spaces(model, dict(zip("ab", PAIRS_OF_CHARTS[charts](on_1))))
    assert (ON_2 in exact_joints(model, spaces)) == exact


def test_exact_and_drifting_joints_are_all_joints():
    model = three_bar()
    for rule in ("SE3", "SO3xR3", "auto"):
        spaces = resolve_spaces(model, rule)
        both = exact_joints(model, spaces) + drifting_joints(model, spaces)
        assert sorted(both) == sorted(model.joint_names)
