"""What is called exact is exact in doubles: for every method, step, speed and number of steps.

Gaps are compared with the reach of the mechanism: the distance of its furthest body from the
origin, and 1 m.
"""

from math import pi

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import KINDS, chain, make_joint, moving, random_body, worst_gaps

import chasles as ch

#: Gap per reach.
EXACT = 1e-12
METHODS = ("euler", "midpoint", "heun", "kutta3", "rk4", "dopri5", "butcher6", "dop853")
#: Spaces in which every joint of a tree of lower pairs is called exact.
ON_TREES = ("framed", "subgroups", "SE3 relative")
#: ... and those that loops may have.
WITH_LOOPS = ("framed", "SE3 relative")
MANY = [40_000, pytest.param(1_000_000, marks=pytest.mark.slow)]

pytestmark = pytest.mark.filterwarnings("ignore:the energy balance")  # exact is not accurate


def reach(result: ch.Result) -> float:
    return 1.0 + float(np.abs(result.absolute[..., 9:12]).max())


def worst(result: ch.Result, joints=None) -> float:
    """The largest gap of the joints (all unless given), per reach."""
    gaps = worst_gaps(result)
    return max(max(gaps[name]) for name in joints or gaps) / reach(result)


def run(model, steps, step, **options):
    return ch.simulate(
        model, steps * step, step, save_every=max(1, steps // 50), progress=False, **options
    )


# --- a shaft ---


def shaft(speed: float) -> ch.Model:
    """A plate that turns uniformly about an axis beside its centre of mass, askew in the world."""
    axis, point = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.3, -0.2, 0.1])
    at = np.array([0.4, 0.1, 0.2])
    body = ch.Body.box(
        "plate", size=(0.4, 0.2, 0.1), mass=2.0, position=at,
        angular_velocity=speed * axis, velocity=np.cross(speed * axis, at - point),
    )  # fmt: skip
    hinge = ch.Revolute("bearing", ch.GROUND, body, at=point, axis=axis)
    return ch.Model([body], [hinge], gravity=(0, 0, 0))


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("spaces", [*ON_TREES, "SE3"])
def test_a_shaft_at_300_rad_per_s_stays_in_its_bearing_for_40_s_of_heun(spaces, form):
    if spaces == "subgroups" and form == "space":
        pytest.skip("no rows, no form")
    result = run(shaft(300.0), 40_000, 1e-3, method="heun", spaces=spaces, acceleration=form)
    assert worst(result) < EXACT
    energy = result.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11


@pytest.mark.parametrize(
    "spaces, method, turn", pairwise(ON_TREES, METHODS, [pi, 2 * pi, 4 * pi, 100.0])
)
def test_a_uniform_rotation_has_no_limit_of_the_step(spaces, method, turn):
    result = run(shaft(turn * 1e3), 50, 1e-3, method=method, spaces=spaces)
    assert worst(result) < EXACT
    assert np.abs(result.energy() / result.energy()[0] - 1.0).max() < 1e-11
    back = np.linalg.norm(result.position("plate")[-1] - result.position("plate")[0])
    if turn != 100.0:  # 50 half turns, or full ones
        assert back < 1e-10


@pytest.mark.parametrize("steps", MANY)
@pytest.mark.parametrize("spaces", ON_TREES)
def test_a_shaft_stays_in_its_bearing_for_many_steps_of_every_order(spaces, steps):
    """On SE(3) rotation and position are rounded apart: a fraction of an ulp adds up per step."""
    added = 2.0**-53 * steps if spaces == "SE3 relative" else 0.0
    for method in ("euler", "rk4", "dopri5"):
        result = run(shaft(1234.5), steps, 1e-3, method=method, spaces=spaces)
        assert worst(result) < EXACT + added


# --- every pair ---


def spinning(kind: str, turn: float, step: float, on_parent: bool) -> ch.Model:
    """A body that turns by `turn` in a step, as its joint allows, on the ground or on an arm.

    Its joint is on an axis of symmetry through its centre of mass, so that it goes on spinning.
    """
    axis, at = np.array([2.0, -1.0, 2.0]) / 3.0, np.array([0.3, 0.2, -0.4])
    omega = turn / step * axis
    still = kind in ("prismatic", "fixed")
    centre = at + 0.25 * axis
    rotation = np.column_stack(np.linalg.svd(axis[None])[2])  # first column along the axis
    rotation = rotation * np.sign(np.linalg.det(rotation))
    along = 0.03 * turn / step if kind == "helical" else 0.0
    body = ch.Body(
        "spinner", 2.0, (0.03, 0.02, 0.02), centre, rotation=rotation,
        angular_velocity=(0, 0, 0) if still else rotation.T @ omega, velocity=along * axis,
    )  # fmt: skip
    if not on_parent:
        joint = make_joint(kind, "joint", ch.GROUND, body, at=at, axis=axis)
        return ch.Model([body], [joint], gravity=(0, 0, -1.0))
    arm = ch.Body("arm", 50.0, (5, 4, 6), (0.1, 0.1, -0.1), velocity=(0, 0, 0),
                  angular_velocity=(0, 0, 0))  # fmt: skip
    joints = [
        ch.Revolute("shoulder", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0)),
        make_joint(kind, "joint", arm, body, at=at, axis=axis),
    ]
    return ch.Model([arm, body], joints, gravity=(0, 0, -1.0))


@pytest.mark.parametrize(
    "kind, where, spaces, method",
    pairwise(KINDS, ["on the ground", "on an arm"], ON_TREES, METHODS),
)
def test_every_pair_holds_at_up_to_half_a_turn_a_step(kind, where, spaces, method):
    for turn in (0.1, 1.0, 0.999 * pi):
        model = spinning(kind, turn, 1e-3, on_parent=where == "on an arm")
        try:
            result = run(model, 50, 1e-3, method=method, spaces=spaces)
        except ch.SimulationStopped as stopped:  # explicit methods do not hold the axis of a top
            assert kind in ("spherical", "planar") and turn >= 1.0
            if spaces == "SE3 relative":  # rotations beyond all bounds are rounded as much
                continue
            result = stopped.result
        assert worst(result) < EXACT


MIXED = ("spherical", "revolute", "cylindrical", "helical", "planar", "prismatic", "fixed")


@pytest.mark.parametrize("steps", MANY)
@pytest.mark.parametrize("spaces", ON_TREES)
@pytest.mark.parametrize("method", ["heun", "rk4"])
def test_every_pair_on_every_other_holds_for_many_steps(method, spaces, steps):
    rng = np.random.default_rng(3)
    model = moving(chain(rng, MIXED, swap=True), rng, speed=1.0)
    model = ch.Model(model.bodies, model.joints, gravity=(0, 0, 0))
    assert worst(run(model, steps, 2e-4, method=method, spaces=spaces)) < EXACT


@pytest.mark.parametrize("steps", [1000, 10_000, *MANY])
@pytest.mark.parametrize("spaces", ON_TREES)
def test_the_gap_of_eight_balls_does_not_grow(spaces, steps):
    rng = np.random.default_rng(8)
    model = moving(chain(rng, ["spherical"] * 8), rng, speed=3.0)
    assert worst(run(model, steps, 1e-4, spaces=spaces)) < (EXACT if "SE3" in spaces else 1e-15)


# --- loops: the joints that are called exact ---


@pytest.mark.parametrize(
    "name, spaces, steps",
    pairwise(
        ["bennett", "A04", "four-bar"], WITH_LOOPS, [("heun", 5e-3), ("rk4", 5e-3), ("rk4", 1e-3)]
    ),
)
def test_redundant_loops_open_only_where_they_are_cut(name, spaces, steps):
    """Bennett's and Bricard's linkages: off the closed pose, their rows contradict each other."""
    method, step = steps
    model = next(b for b in ch.library if b.name == name).model()
    exact = ch.designate(model).exact
    assert len(exact) == len(model.joints) - 1
    result = ch.simulate(model, 2.0, step, method=method, spaces=spaces, progress=False)
    assert worst(result, exact) < EXACT
    for stabilise in ("projection", "baumgarte", "ggl"):
        held = ch.simulate(
            model, 2.0, step, method=method, spaces=spaces, progress=False, stabilise=stabilise
        )
        assert worst(held, exact) < EXACT
        if (spaces, stabilise) != ("SE3 relative", "projection"):
            assert set(held.provenance["stabilised"]).isdisjoint(exact)


def test_lower_pairs_carry_and_the_rod_is_cut():
    """A cart with a pendulum, and a rod from the pendulum to the ground."""
    cart = ch.Body("cart", 2.0, (0.1, 0.1, 0.1), (0, 0, 0), velocity=(0.5, 0, 0))
    pendulum = ch.Body.rod("pendulum", length=1.0, mass=1.0, position=(0.3, 0, -0.4))
    model = ch.Model(
        [cart, pendulum],
        [
            ch.Prismatic("rail", ch.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)),
            ch.Revolute("hinge", cart, pendulum, at=(0, 0, 0), axis=(0, 1, 0)),
            ch.Distance("rod", ch.GROUND, pendulum, at=(0.2, 0, 1.0), at_b=(0.6, 0, -0.8)),
        ],
    )
    spaces = ch.designate(model, cut=("rod",))
    assert set(spaces.exact) >= {"rail", "hinge"}
    model = ch.Model([cart, ch.Body("pendulum", 1.0, pendulum.inertia, pendulum.position,
                                    pendulum.rotation)], model.joints)  # fmt: skip
    result = ch.simulate(model, 5.0, 5e-3, method="heun", spaces=ch.designate(model, cut=("rod",)))
    assert worst(result, ("rail", "hinge")) < EXACT


# --- joints that two absolute charts keep together ---


def pairs_in_a_row(kind: str) -> ch.Model:
    """Two bodies: coaxial hinges, concentric balls, slides along different lines, planes."""
    rng = np.random.default_rng(5)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    one, two = (random_body(rng, name, rng.uniform(-0.3, 0.3, 3)) for name in ("one", "two"))
    along, at = (1.0, -2.0, 0.5) if kind == "prismatic" else axis, (0.0, 0.0, 0.0)
    joints = [
        make_joint(kind, "first", ch.GROUND, one, at=at, axis=axis),
        make_joint(kind, "second", one, two, at=at, axis=along),
    ]
    return moving(ch.Model([one, two], joints, gravity=(0, 0, 0)), rng, speed=3.0)


@pytest.mark.parametrize("method", ["heun", "rk4"])
@pytest.mark.parametrize("kind", ["revolute", "spherical", "prismatic", "planar"])
def test_absolute_charts_hold_joints_that_the_first_one_leaves_as_they_are(kind, method):
    model = pairs_in_a_row(kind)
    assert ch.designate(model, dict.fromkeys(model.body_names, "SE3")).drifting == ()
    result = run(model, 100_000, 1e-3, method=method, spaces="SE3")
    assert worst(result) < EXACT


@pytest.mark.parametrize("method", ["heun", "rk4"])
def test_two_absolute_charts_framed_on_one_ball_hold_it_however_they_move(method):
    rng = np.random.default_rng(4)
    model = moving(chain(rng, ["spherical", "spherical"]), rng, speed=1.0)
    spaces = dict.fromkeys(model.body_names, ch.SO3xR3(at="joint 1"))
    assert ch.designate(model, spaces).exact == ("joint 1",)
    result = run(model, 20_000 if method == "rk4" else 500, 1e-3, method=method, spaces=spaces)
    assert worst(result, ["joint 1"]) < EXACT


# --- more than one joint to the same body, and points on lines and planes ---


@pytest.mark.parametrize("spaces", ["SO3xR3", "SE3"])
@pytest.mark.parametrize("second", ["revolute", "cylindrical"])
def test_a_door_on_two_bearings_holds_both(second, spaces):
    """A ball and a sleeve on one line leave a hinge, which neither is alone."""
    axis, at = np.array([0.6, 0.0, 0.8]), np.array([0.1, 0.2, 0.3])
    rng = np.random.default_rng(2)
    door = random_body(rng, "door", (0.5, 0.3, 0.2))
    space = ch.SO3xR3(at="lower") if spaces == "SO3xR3" else spaces
    upper = make_joint(second, "upper", ch.GROUND, door, at=at + 0.5 * axis, axis=axis)
    first = "spherical" if second == "cylindrical" else "revolute"
    lower = make_joint(first, "lower", ch.GROUND, door, at=at, axis=axis)
    model = moving_somehow(ch.Model([door], [lower, upper]), lower, axis)
    assert ch.designate(model, {"door": space}).drifting == ()
    assert worst(run(model, 20_000, 1e-3, method="heun", spaces={"door": space})) < EXACT


def moving_somehow(model: ch.Model, joint: ch.Joint, axis) -> ch.Model:
    """The one body of a model, turning about an axis through a joint at 3 rad/s."""
    body, omega = model.bodies[0], 3.0 * np.array(axis)
    return ch.Model(
        [
            ch.Body(
                body.name, body.mass, body.inertia, body.position, body.rotation,
                velocity=np.cross(omega, np.subtract(body.position, joint.at)),
                angular_velocity=np.array(body.rotation).T @ omega,
            )
        ],
        model.joints,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["PointOnLine", "PointOnPlane"])
def test_a_point_on_a_line_or_plane_stays_there_where_the_chart_stores_it(kind):
    rng = np.random.default_rng(6)
    body = random_body(rng, "top", (0.3, 0.1, 0.4), angular_velocity=(2, 9, -3))
    joint = getattr(ch, kind)("tip", ch.GROUND, body, at=(0.1, 0.2, 0.1), axis=(1, 2, -1))
    model = ch.Model([body], [joint])
    spaces = {"top": ch.SO3xR3(at="tip")}
    assert ch.designate(model, spaces).exact == ("tip",)
    assert worst(run(model, 5_000, 1e-3, method="heun", spaces=spaces)) < EXACT
