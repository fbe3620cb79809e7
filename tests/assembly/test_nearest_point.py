"""Assembly finds the nearest closed configuration: closed forms, and the Lagrange condition."""

from math import atan2, cos, hypot, pi, sin

import numpy as np
import pytest
from linkages import bar, bricard
from loose_ends import (
    ORIGIN,
    SQUEEZER_START,
    Geometry,
    X,
    Y,
    Z,
    angle_of,
    entered,
    shaken,
    squeezer,
    squeezer_gaps,
    squeezer_points,
)
from mechanisms import random_body, random_rotation, zigzag
from scipy.optimize import brentq, fsolve

import chasles as ch
from chasles.build.start.closure import Closure


def test_what_is_closed_does_not_move_at_all():
    arm = bar("arm", ORIGIN, X, angular_velocity=(0, 0, 2))
    model = ch.Model([arm], [ch.Revolute("hinge", ch.GROUND, arm, ORIGIN, Z)])
    assembly = ch.assemble(model)
    assert assembly.moved["arm"] == (0.0, 0.0) and assembly.velocity_change["arm"] == (0.0, 0.0)
    assert np.array_equal(assembly.state.position[0], arm.position)
    assert assembly.state.velocity[0] == pytest.approx((0, 1, 0), abs=1e-15)
    assert "Nothing moved" in str(assembly)


def test_two_bodies_meet_where_their_masses_say():
    """Joined at their centres of mass they only shift: m1 d1 = m2 d2."""
    first = ch.Body.sphere("first", 0.1, mass=3.0)
    second = ch.Body.sphere("second", 0.1, mass=1.0, position=(0, 0.04, 0))
    ball = ch.Spherical("ball", first, second, at=ORIGIN, at_b=(0, 0.04, 0))
    assembly = ch.assemble(ch.Model([first, second], [ball]))
    assert assembly.state.position == pytest.approx(np.full((2, 3), (0, 0.01, 0)), abs=1e-15)
    assert assembly.moved["first"] == pytest.approx((0.01, 0.0), abs=1e-14)
    assert assembly.moved["second"] == pytest.approx((0.03, 0.0), abs=1e-14)
    assert assembly.residual == pytest.approx((0.04, 0.0), abs=1e-15)


@pytest.mark.parametrize("inertia", [1e-4, 0.05, 2.0])
def test_a_pendulum_turns_and_shifts_as_far_as_its_inertia_lets_it(inertia):
    """A ball's centre goes to -R s; with phi the turn, m |s| |x0| sin(alpha - phi) = I phi."""
    arm, away, mass = 0.5, 0.6, 2.0
    alpha = 0.4  # between the arm as entered and where the pivot is seen from the centre
    body = ch.Body("bob", mass, (inertia,) * 3, position=(away * cos(alpha), away * sin(alpha), 0))
    tail = (body.position[0] - arm, body.position[1], 0)  # the pivot's point on the body
    model = ch.Model([body], [ch.Spherical("pivot", ch.GROUND, body, at=ORIGIN, at_b=tail)])
    phi = brentq(lambda x: mass * arm * away * sin(alpha - x) - inertia * x, 0, alpha, xtol=1e-15)
    state = ch.assemble(model).state
    assert angle_of(state.rotation[0]) == pytest.approx(phi, abs=1e-13)
    assert state.position[0] == pytest.approx((arm * cos(phi), arm * sin(phi), 0), abs=1e-13)


def circles(p, r, q, s, above):
    """The point at distances r from p and s from q, on one side of the line through them."""
    d = hypot(q[0] - p[0], q[1] - p[1])
    along = (r * r - s * s + d * d) / (2 * d)
    across = above * np.sqrt(r * r - along * along)
    ux, uy = (q[0] - p[0]) / d, (q[1] - p[1]) / d
    return np.array((p[0] + along * ux - across * uy, p[1] + along * uy + across * ux))


def loose_four_bar():
    """Links of lengths 0.4, 1.08 and 0.83 entered with two digits; the ends do not meet."""
    ends = {"crank": ((0, 0), (0.0, 0.4)), "coupler": ((0.0, 0.4), (1.0, 0.81)),
            "rocker": ((1.02, 0.8), (1.2, -0.01))}  # fmt: skip
    points = {name: tuple((*p, 0) for p in pair) for name, pair in ends.items()}
    links = [bar(name, *pair) for name, pair in points.items()]
    joints = [
        ch.Revolute("A", ch.GROUND, "crank", at=points["crank"][0], axis=Z),
        ch.Revolute("B", "crank", "coupler", at=points["crank"][1], axis=Z),
        ch.Revolute("C", "coupler", "rocker", points["coupler"][1], Z, at_b=points["rocker"][0]),
        ch.Revolute("D", ch.GROUND, "rocker", at=(1.2, 0, 0), axis=Z, at_b=points["rocker"][1]),
    ]
    lengths = {name: float(np.linalg.norm(np.subtract(*pair))) for name, pair in points.items()}
    return ch.Model(links, joints, gravity=(0, -9.81, 0)), lengths


@pytest.mark.parametrize("hold", [["crank"], ["A"], ["A", "crank"]])
def test_a_four_bar_with_rounded_numbers_closes_as_two_circles_meet(hold):
    model, lengths = loose_four_bar()
    assembly = ch.assemble(model, hold=hold)
    tip = circles((0, 0.4), lengths["coupler"], (1.2, 0), lengths["rocker"], above=1)
    crank, coupler, rocker = assembly.state.position
    assert crank == pytest.approx((0, 0.2, 0), abs=1e-14)
    assert coupler == pytest.approx(((tip[0]) / 2, (tip[1] + 0.4) / 2, 0), abs=1e-13)
    assert rocker == pytest.approx(((tip[0] + 1.2) / 2, tip[1] / 2, 0), abs=1e-13)
    assert assembly.residual[0] == pytest.approx(hypot(0.02, 0.01), abs=1e-12)
    assert assembly.residual[1] < 1e-14
    assert assembly.held == tuple(sorted(hold, key=lambda name: name != "crank"))


def test_a_four_bar_runs_when_it_is_closed_first():
    model, _ = loose_four_bar()
    with pytest.raises(ch.InconsistentStart, match="close=True"):
        ch.simulate(model, 0.5, 1e-3)
    result = ch.simulate(model, 0.5, 1e-3, close=True, hold=["A"], stabilise="projection")
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-11
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-8
    assert result.assembly.held == ("A",) and result.assembly.moved["rocker"].length > 1e-3
    assert result.provenance["assembly"]["held"] == ["A"]
    begun = result.assembly.state.position
    assert result.state(0).position == pytest.approx(begun, abs=1e-15)


# --- any mechanism: the slope of the distance vanishes along every allowed motion ---


def spatial_loop(rng, hinges):
    """Five or more bodies in a ring with ground, on balls and hinges in arbitrary frames."""
    count = 6
    corners = [0.5 * np.array((cos(a), sin(a), 0.3 * sin(2 * a)))
               for a in 2 * pi * np.arange(count) / count]  # fmt: skip
    bodies = [
        random_body(rng, f"link {k}", (corners[k] + corners[k + 1]) / 2) for k in range(count - 1)
    ]
    ends = [ch.GROUND, *bodies, ch.GROUND]
    joints = [
        ch.Revolute(f"joint {k}", ends[k], ends[k + 1], corners[k], rng.standard_normal(3))
        if k in hinges
        else ch.Spherical(f"joint {k}", ends[k], ends[k + 1], corners[k])
        for k in range(count)
    ]
    return ch.Model(bodies, joints)


@pytest.mark.parametrize("shift, turn", [(1e-3, 1e-3), (1e-2, 0.05), (0.03, 0.17)])
@pytest.mark.parametrize("seed, hinges", [(0, ()), (1, (0, 3)), (2, (0, 1, 4, 5))])
def test_a_shaken_spatial_loop_closes_at_the_nearest_point(seed, hinges, shift, turn):
    rng = np.random.default_rng(seed)
    model = spatial_loop(rng, hinges)
    geometry, loose = Geometry(model), shaken(entered(model), rng, shift, turn)
    assembly = ch.assemble(model, start=loose)
    state = assembly.state
    assert np.abs(geometry.gaps(state.position, state.rotation)).max() < 1e-14
    assert geometry.optimality(loose, state) < 1e-8  # of finite differences
    size = np.sqrt(2 * geometry.half_square(loose, state.position, state.rotation))
    assert size > shift
    # Along the way back to where the loop was shaken from, the nearest point is no farther.
    whole = entered(model)
    back = np.sqrt(2 * geometry.half_square(loose, whole.position, whole.rotation))
    assert size <= back
    for k, name in enumerate(model.body_names):
        assert assembly.moved[name].length == pytest.approx(
            np.linalg.norm(state.position[k] - loose.position[k]), abs=1e-15
        )


def test_a_bricard_linkage_shaken_by_a_centimetre_closes_although_over_constrained():
    model = bricard()
    geometry = Geometry(model)
    loose = shaken(entered(model), np.random.default_rng(4), 0.01, 0.02)
    assembly = ch.assemble(model, start=loose)
    assert assembly.residual[0] > 0.01 and assembly.residual[1] < 1e-14
    assert geometry.optimality(loose, assembly.state) < 1e-8
    result = ch.simulate(model, 0.2, 1e-3, start=loose, close=True, stabilise="projection")
    assert (result.redundancy.rows, result.redundancy.rank) == (30, 29)
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-11


def test_andrews_squeezer_closes_from_three_digits():
    rounded = [round(angle, 3) for angle in SQUEEZER_START]
    model = squeezer(rounded)
    assembly = ch.assemble(model, hold=["O"])
    assert 1e-6 < assembly.residual[0] < 1e-4 and assembly.residual[1] < 1e-16
    exact = fsolve(lambda x: squeezer_gaps([rounded[0], *x]), rounded[1:], xtol=1e-13)
    points = squeezer_points([rounded[0], *exact])
    for name, rotation in zip(model.body_names, assembly.state.rotation):
        (px, py), (qx, qy) = points[name]
        assert angle_of(rotation) == pytest.approx(atan2(qy - py, qx - px), abs=1e-12)


def test_masses_may_differ_by_many_orders_of_magnitude():
    """The heavy body goes to its pivot and the light one follows: m r D sin(alpha-phi) = I phi."""
    heavy = ch.Body.sphere("heavy", 0.1, mass=1e6)
    light = ch.Body.sphere("light", 0.1, mass=1e-6, position=(1, 0.02, 0))
    joints = [
        ch.Spherical("pivot", ch.GROUND, heavy, at=ORIGIN, at_b=(0, 0, 1e-3)),
        ch.Revolute("elbow", heavy, light, at=(0.5, 0, 0), axis=Z, at_b=(0.5, 0.02, 0)),
    ]
    assembly = ch.assemble(ch.Model([heavy, light], joints))
    assert assembly.residual[1] < 1e-13
    assert assembly.state.position[0] == pytest.approx((0, 0, -1e-3), abs=1e-12)
    inertia, alpha, away = light.inertia[0][0], atan2(0.02, 0.5), hypot(0.02, 0.5)
    phi = brentq(lambda x: 1e-6 * 0.5 * away * sin(alpha - x) - inertia * x, 0, alpha, xtol=1e-15)
    assert angle_of(assembly.state.rotation[1]) == pytest.approx(phi, abs=1e-9)


# --- every kind of joint ---


def one_pendulum(joint_of, **start):
    body = ch.Body.box("body", (0.3, 0.2, 0.1), mass=2.0, position=(0.3, 0.02, 0.01), **start)
    return ch.Model([body], [joint_of(body)])


def sphere_formula(pose_a, pose_b):
    x, y, z = pose_b[1]
    return (x * x + y * y + z * z - 0.25,)


@pytest.mark.parametrize(
    "joint_of",
    [
        lambda b: ch.Cylindrical(
            "j", ch.GROUND, b, ORIGIN, X, at_b=(0, 0.02, 0), axis_b=(1, 0.1, 0)
        ),
        lambda b: ch.Helical(
            "j", ch.GROUND, b, ORIGIN, X, pitch=0.05, at_b=(0.01, 0.02, 0), axis_b=(1, 0.1, 0)
        ),
        lambda b: ch.Planar("j", ch.GROUND, b, ORIGIN, Z, at_b=(0, 0, 0.02), axis_b=(0, 0.1, 1)),
        lambda b: ch.Prismatic("j", ch.GROUND, b, ORIGIN, X, at_b=(0, 0.02, 0), axis_b=(1, 0.1, 0)),
        lambda b: ch.Fixed("j", ch.GROUND, b, ORIGIN, at_b=(0.01, 0.02, 0.03)),
        lambda b: ch.RollingSphere("j", ch.GROUND, b, at=(0, 0, -0.1), axis=Z, radius=0.1),
        lambda b: ch.RollingDisc(
            "j", ch.GROUND, b, (0, 0, -0.1), Z, axis_b=(0, 1, 0.2), radius=0.1
        ),
        lambda b: ch.CustomJoint("j", ch.GROUND, b, sphere_formula, rows=1),
    ],
    ids=lambda make: "",
)
def test_every_kind_that_can_be_entered_open_is_refused_and_closed(joint_of):
    model = one_pendulum(joint_of)
    with pytest.raises(ch.InconsistentStart, match="joint 'j' is open by"):
        ch.simulate(model, 0.1, 1e-2)
    result = ch.simulate(model, 0.1, 1e-3, close=True)
    assert result.assembly.residual[1] < 1e-12
    assert result.violation("j")[0] < 1e-12 and result.violation("j", "rotation")[0] < 1e-12
    assert result.assembly.before["j"] != result.assembly.after["j"]


@pytest.mark.parametrize(
    "joint_of",
    [
        lambda a, b: ch.Universal("j", a, b, (0.5, 0, 0), axis=Y, axis_b=Z),
        lambda a, b: ch.ConstantVelocity("j", a, b, (0.5, 0, 0), axis=X),
        lambda a, b: ch.Distance("j", a, b, at=(0.4, 0, 0), at_b=(0.6, 0.1, 0)),
        lambda a, b: ch.PointOnLine("j", a, b, (0.5, 0, 0), axis=X),
        lambda a, b: ch.PointOnPlane("j", a, b, (0.5, 0, 0), axis=Y),
    ],
    ids=["universal", "constant velocity", "distance", "line", "plane"],
)
def test_couplings_close_from_a_shaken_state(joint_of):
    rng = np.random.default_rng(5)
    a = ch.Body.box("a", (0.5, 0.2, 0.1), mass=2.0, position=(0.25, 0, 0))
    b = ch.Body.box("b", (0.5, 0.2, 0.1), mass=1.0, position=(0.75, 0, 0))
    bearing = ch.Revolute("bearing", ch.GROUND, a, at=ORIGIN, axis=X)
    model = ch.Model([a, b], [bearing, joint_of(a, b)])
    assembly = ch.assemble(model, start=shaken(entered(model), rng, 0.01, 0.1))
    assert assembly.residual[1] < 1e-13
    ch.simulate(model, 0.01, 1e-3, start=assembly.state)


def test_drivers_are_at_their_start_when_joints_are_closed():
    arm = bar("arm", ORIGIN, X)
    hinge = ch.Revolute("hinge", ch.GROUND, arm, ORIGIN, Z)
    driver = ch.Driver("drive", hinge, ch.Signal.linear(2.0))
    model = ch.Model([arm], [hinge], drivers=[driver])
    turn = np.array([[cos(0.2), -sin(0.2), 0], [sin(0.2), cos(0.2), 0], [0, 0, 1]])
    off = ch.State(0, ["arm"], [turn @ arm.position], [turn], [ORIGIN], [ORIGIN])
    with pytest.raises(ch.InconsistentStart, match="driver 'drive' is open by 0"):
        ch.simulate(model, 0.1, 1e-2, start=off)
    result = ch.simulate(model, 0.1, 1e-2, start=off, close=True)
    assert result.coordinate("hinge") == pytest.approx(2.0 * result.t, abs=1e-13)


# --- size ---


def test_a_chain_of_500_bodies_is_assembled():
    model = zigzag(500)
    loose = shaken(entered(model), np.random.default_rng(6), 0.01, 0.02)
    assembly = ch.assemble(model, start=loose)
    assert assembly.residual[0] > 0.03 and assembly.residual[1] < 1e-12
    geometry, state = Geometry(model), assembly.state
    assert np.abs(geometry.gaps(state.position, state.rotation)).max() < 1e-12


def test_a_chain_of_40_bodies_is_nearest():
    model = zigzag(40)
    loose = shaken(entered(model), np.random.default_rng(7), 0.01, 0.1)
    assert Geometry(model).optimality(loose, ch.assemble(model, start=loose).state) < 1e-8


# --- what cannot close ---


@pytest.mark.parametrize("length", [0.9, 1.3])
def test_a_rod_of_the_wrong_length_says_how_much_is_left(length, refusal):
    rod = bar("rod", ORIGIN, (length, 0, 0))
    joints = [
        ch.Spherical("left", ch.GROUND, rod, at=(0, 0.1, 0), at_b=ORIGIN),
        ch.Spherical("right", ch.GROUND, rod, at=(1.0, 0.1, 0), at_b=(length, 0, 0)),
    ]
    what = refusal(lambda: ch.assemble(ch.Model([rod], joints)), ch.InconsistentStart)
    missing = abs(1.0 - length)
    assert f"stays open by {missing / 2:.3g} m" in what
    assert f"all together by {missing:.3g} m" in what


def test_three_links_too_short_stretch_out_and_say_how_much_is_left(refusal):
    points = [(0, 0, 0), (0.3, 0.9, 0), (1.4, 0.9, 0), (2.0, 0.1, 0)]
    links = [bar(f"link {k}", points[k], points[k + 1]) for k in range(3)]
    ends = [ch.GROUND, *links]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], Z) for k in range(3)]
    joints.append(ch.Revolute("h3", ch.GROUND, links[2], (3.2, 0, 0), Z, at_b=points[3]))
    what = refusal(lambda: ch.assemble(ch.Model(links, joints)), ch.InconsistentStart)
    length = sum(np.linalg.norm(np.subtract(points[k + 1], points[k])) for k in range(3))
    missing = 3.2 - length
    assert f"all together by {missing:.3g} m" in what
    assert f"stays open by {missing / 4:.3g} m" in what  # in squares, it is least shared alike


def test_a_random_turn_of_the_world_changes_nothing():
    """The distance is left-invariant: the turned problem has the turned solution."""
    rng = np.random.default_rng(8)
    model = spatial_loop(rng, (0, 3))
    loose = shaken(entered(model), rng, 0.01, 0.05)
    turn = random_rotation(rng)
    bodies = [
        ch.Body(b.name, b.mass, b.inertia, turn @ b.position, turn @ np.array(b.rotation))
        for b in model.bodies
    ]
    joints = [
        ch.Revolute(j.name, j.a, j.b, turn @ j.at, turn @ j.axis)
        if isinstance(j, ch.Revolute) else ch.Spherical(j.name, j.a, j.b, turn @ j.at)
        for j in model.joints
    ]  # fmt: skip
    turned = ch.State(0, loose.bodies, loose.position @ turn.T, turn @ loose.rotation,
                      loose.velocity, loose.angular_velocity)  # fmt: skip
    first = ch.assemble(model, start=loose).state
    second = ch.assemble(ch.Model(bodies, joints), start=turned).state
    assert second.position == pytest.approx(first.position @ turn.T, abs=1e-10)
    assert second.rotation == pytest.approx(turn @ first.rotation, abs=1e-10)


def open_loop(size):
    """Two boxes between hinges and a ball, turned and pulled apart; all lengths times `size`."""

    def place(*x):
        return tuple(size * part for part in x)

    turned = {"position": place(0.5, 0, 0), "rotation": ("z", 0.3)}
    a = ch.Body.box("a", place(1, 0.1, 0.2), mass=1.0, **turned)
    turned = {"position": place(1, 0.5, 0.03), "rotation": ("x", 0.4)}
    b = ch.Body.box("b", place(0.2, 1, 0.1), mass=2.0, **turned)
    joints = [
        ch.Revolute("root", ch.GROUND, a, at=(0, 0, 0), axis="z", axis_b=(0.1, 0.2, 1)),
        ch.Spherical("ball", a, b, at=place(1, 0, 0), at_b=place(1.05, 0.02, 0)),
        ch.Spherical("end", b, ch.GROUND, at=place(1, 1, 0)),
    ]
    return ch.Model([a, b], joints)


@pytest.mark.parametrize("size", [1e3, 1e-3, 1e-6])
def test_closing_takes_the_same_steps_in_all_units(size, monkeypatch):
    counts = []
    evaluated = Closure.at
    monkeypatch.setattr(Closure, "at", lambda *x: (counts.append(1), evaluated(*x))[1])
    expected = ch.assemble(open_loop(1.0)).state.position
    steps = len(counts)
    found = ch.assemble(open_loop(size)).state.position / size
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert len(counts) - steps <= steps + 3
