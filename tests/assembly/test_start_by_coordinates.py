"""A start by joint coordinates: what is given comes back, in every space, and loops close."""

from dataclasses import replace
from math import acos, cos, pi, sin, sqrt

import numpy as np
import pytest
from linkages import closing_points
from mechanisms import hanging_rod, linkage, make_joint, random_body, tree
from scipy.spatial.transform import Rotation

import chasles as ch

SPACES = ("subgroups", "auto", "SE3", "SO3xR3")
COORDINATES = {
    "revolute": ("angle",),
    "helical": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("angle", "displacement"),
}


def run(model, start, spaces="auto", until=1e-3, **options) -> ch.Result:
    return ch.simulate(model, until=until, step=1e-3, start=start, spaces=spaces, **options)


# --- trees ---


@pytest.mark.parametrize("spaces", SPACES)
def test_a_pendulum_started_at_an_angle_is_where_the_sine_and_cosine_put_it(spaces):
    result = run(hanging_rod(2.0), {"hinge": (0.3, -2.0)}, spaces)
    assert result.position("rod")[0] == pytest.approx((-0.5 * sin(0.3), 0, -0.5 * cos(0.3)))
    assert result.velocity("rod")[0] == pytest.approx((cos(0.3), 0, -sin(0.3)))
    assert result.angular_velocity("rod")[0] == pytest.approx((0, -2.0, 0), abs=1e-15)


def test_a_pendulum_released_at_an_angle_has_the_speed_of_its_fall_at_the_bottom():
    """m g l (1 - cos q) = I w^2 / 2 about the hinge; w^2 = 3 g (1 - cos q) for a rod of 1 m."""
    result = ch.simulate(hanging_rod(2.0), 2.0, step=1e-3, start={"hinge": 0.4}, spaces="subgroups")
    fastest = np.abs(result.coordinate_rate("hinge")).max()
    assert fastest == pytest.approx(sqrt(3 * 9.81 * (1 - cos(0.4))), rel=1e-5)


@pytest.mark.parametrize("value", [0.1, -7.3, 1e3 + 1 / 3])
@pytest.mark.parametrize("spaces", SPACES)
def test_an_angle_comes_back_with_its_whole_turns(spaces, value):
    result = run(hanging_rod(2.0), {"hinge": value}, spaces)
    first = result.coordinate("hinge")[0]
    assert first == value if spaces == "subgroups" else first == pytest.approx(value, abs=1e-12)


def mixed_tree(seed: int) -> ch.Model:
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "cylindrical", "prismatic", "helical", "spherical", "revolute", "planar"]
    return tree(rng, [-1, 0, 1, 0, 2, 4, 3], rng.permutation(kinds), swap=True)


def random_coordinates(model: ch.Model, rng) -> dict:
    """Of every joint that has some, by a number, a pair or a dict."""
    start: dict = {}
    for joint in model.joints:
        words = COORDINATES.get(joint.kind, ())
        pairs = {word: tuple(rng.uniform(-4.0, 4.0, 2).tolist()) for word in words}
        if words:
            start[joint.name] = pairs if len(words) > 1 else pairs[words[0]]
    return start


def asked(start: dict, model: ch.Model):
    """(joint, coordinate, value, rate) of all."""
    for name, given in start.items():
        words = COORDINATES[model.joint(name).kind]
        for word in words:
            yield (name, word, *(given[word] if isinstance(given, dict) else given))


@pytest.mark.parametrize("spaces", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_all_coordinates_and_rates_of_a_random_tree_come_back(seed, spaces):
    model = mixed_tree(seed)
    start = random_coordinates(model, np.random.default_rng(seed))
    result = run(model, start, spaces)
    for name, word, value, rate in asked(start, model):
        found = result.coordinate(name, word)[0]
        assert found == pytest.approx(value, abs=1e-12)
        if spaces == "subgroups":
            assert found == value
        assert result.coordinate_rate(name, word)[0] == pytest.approx(rate, abs=1e-11)
    assert max(result.violation(name)[0] for name in model.joint_names) < 1e-12


def test_two_hinges_in_a_row_turn_the_second_body_by_both_angles():
    """By SciPy's rotations: R = R_1(q1) R_2(q2), both about axes as entered."""
    rng = np.random.default_rng(3)
    axes = [Rotation.random(random_state=k).apply((0, 0, 1)) for k in (1, 2)]
    points = [np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.1, 0.2])]
    bodies = [random_body(rng, name, point + 0.2) for name, point in zip("ab", points)]
    joints = [
        make_joint("revolute", "first", ch.GROUND, bodies[0], points[0], axes[0]),
        make_joint("revolute", "second", bodies[1], bodies[0], points[1], axes[1]),
    ]
    state = ch.start_state(ch.Model(bodies, joints), {"first": 0.7, joints[1]: -1.9})
    first = Rotation.from_rotvec(0.7 * axes[0])
    second = first * Rotation.from_rotvec(1.9 * axes[1])  # b against a: "a" hangs on "b"
    assert state.rotation[1] == pytest.approx(
        second.as_matrix() @ np.array(bodies[1].rotation), abs=1e-14
    )
    hinge = points[0] + first.apply(points[1] - points[0])
    assert state.position[1] == pytest.approx(
        hinge + second.apply(np.array(bodies[1].position) - points[1]), abs=1e-14
    )


def test_what_is_not_named_stays_as_entered():
    # Not turned as it is entered: its pose comes back to the last bit.
    rod = ch.Body.rod("rod", 1.0, mass=2.0, axis="z", position=(0, 0, -0.5),
                      angular_velocity=(0, 1.5, 0))  # fmt: skip
    model = ch.Model([rod], [ch.Revolute("hinge", ch.GROUND, rod, (0, 0, 0), "y")])
    entered = ch.start_state(model, {})
    assert entered.angular_velocity.tolist() == [[0, 1.5, 0]]
    turned = ch.start_state(model, {"hinge": pi / 2})
    assert turned.angular_velocity[0] == pytest.approx((0, 1.5, 0))
    assert turned.velocity[0] == pytest.approx((0, 0, 0.75))
    spun = ch.start_state(model, {"hinge": (None, 4.0)})
    assert spun.position[0] == pytest.approx((0, 0, -0.5), abs=1e-16)
    assert spun.angular_velocity[0] == pytest.approx((0, 4.0, 0))


def test_a_floating_tree_keeps_its_root():
    root = ch.Body.box("hub", size=(1, 1, 1), mass=9.0, position=(3, 0, 0), velocity=(1, 0, 0))
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(4, 0, 0))
    hinge = ch.Revolute("hinge", root, arm, at=(3.5, 0, 0), axis=(0, 0, 1))
    state = ch.start_state(ch.Model([root, arm], [hinge]), {"hinge": pi / 2})
    assert state.position[0] == pytest.approx((3, 0, 0))
    assert state.position[1] == pytest.approx((3.5, 0.5, 0))
    assert state.velocity[0] == pytest.approx((1, 0, 0))


@pytest.mark.parametrize("seed", range(4))
def test_of_a_floating_tree_the_first_body_of_the_model_stays(seed):
    """Not the one in the middle, nor the heaviest: a robot's base is the first of its file."""
    rng = np.random.default_rng(seed)
    grounded = tree(rng, [-1, 0, 1, 2, 1], ["fixed", *["revolute"] * 4])
    base, *others = grounded.bodies
    heavy = [replace(body, mass=100.0 * body.mass) for body in others]
    model = ch.Model([base, *heavy], grounded.joints[1:])
    wanted = {joint.name: (0.3 + 0.1 * k, 0.5) for k, joint in enumerate(model.joints)}
    state = ch.start_state(model, wanted)
    assert state.position[0] == pytest.approx(base.position, abs=0)
    assert state.rotation[0] == pytest.approx(np.array(base.rotation), abs=1e-15)
    assert np.abs(state.velocity[0]).max() < 1e-15
    assert np.abs(state.angular_velocity[0]).max() < 1e-15
    result = ch.simulate(model, 1e-3, 1e-3, start=wanted)
    for joint, (value, rate) in wanted.items():
        assert result.coordinate(joint)[0] == pytest.approx(value, abs=1e-14)
        assert result.coordinate_rate(joint)[0] == pytest.approx(rate, abs=1e-14)


def test_a_saved_run_knows_where_it_began(tmp_path):
    model = mixed_tree(1)
    start = random_coordinates(model, np.random.default_rng(1))
    result = run(model, start, "subgroups")
    again = ch.load(result.save(tmp_path / "run.nc"))
    for name, word, value, _ in asked(start, model):
        assert again.coordinate(name, word)[0] == pytest.approx(value, abs=1e-12)


def test_a_file_says_where_its_joints_start(tmp_path):
    model = hanging_rod(2.0)
    run_options = {"until": 0.01, "step": 1e-3, "start": {"hinge": [0.3, -2.0]}}
    model.write(tmp_path / "pendulum.toml", run=run_options)
    again = ch.read_run(tmp_path / "pendulum.toml")
    assert again == run_options
    result = ch.simulate(ch.read_model(tmp_path / "pendulum.toml"), **again)
    assert result.coordinate("hinge")[0] == pytest.approx(0.3, abs=1e-12)
    assert result.coordinate_rate("hinge")[0] == pytest.approx(-2.0, abs=1e-12)


# --- loops ---


def upright_crank(crank=1.0, coupler=2.0, rocker=1.5, base=2.0) -> ch.Model:
    """In the x-z plane, entered with the crank upright; all hinges along y, the ends on the ground.

    Both ground hinges name the ground first, so that their angles count alike.
    """
    model = linkage(closing_points(base, crank, coupler, rocker, pi / 2))
    *others, last = model.joints
    return replace(model, joints=[*others, replace(last, a=last.b, b=last.a)])


def rocker_angle(crank_turn, crank=1.0, coupler=2.0, rocker=1.5, base=2.0) -> float:
    """Freudenstein's relation, by the cosine rule: the rocker's angle from x for a crank turn."""
    theta = pi / 2 - crank_turn  # a turn about y takes z to x
    pin = np.array([crank * cos(theta), crank * sin(theta)])
    span = np.array([base, 0.0]) - pin
    diagonal = np.linalg.norm(span)
    inner = acos((diagonal**2 + rocker**2 - coupler**2) / (2 * diagonal * rocker))
    return float(np.arctan2(-span[1], -span[0]) - inner)


@pytest.mark.parametrize("turn", [0.2, -0.9, 2.5, 2 * pi + 0.3])
def test_the_other_joints_of_a_loop_follow_the_crank_on_its_branch(turn):
    result = run(upright_crank(), {"A": turn})
    moved = rocker_angle(turn) - rocker_angle(0.0)
    found = result.coordinate("D")[0]
    assert found == pytest.approx(-(moved - 2 * pi * round((moved + found) / (2 * pi))), abs=1e-9)
    assert result.coordinate("A")[0] == pytest.approx(turn, abs=1e-9)


def test_the_rates_of_a_loop_follow_the_cranks():
    h = 1e-6
    slope = -(rocker_angle(0.4 + h) - rocker_angle(0.4 - h)) / (2 * h)
    result = run(upright_crank(), {"A": (0.4, 3.0)})
    assert result.coordinate_rate("A")[0] == pytest.approx(3.0, abs=1e-9)
    assert result.coordinate_rate("D")[0] == pytest.approx(3.0 * slope, rel=1e-6)


def test_all_coordinates_of_a_loop_may_be_given_where_they_agree():
    found = run(upright_crank(), {"A": 0.4})
    start = {name: float(found.coordinate(name)[0]) for name in "ABCD"}
    again = run(upright_crank(), start)
    for name in "ABCD":
        assert again.coordinate(name)[0] == pytest.approx(start[name], abs=1e-9)


def bent_couple() -> ch.Model:
    """Two arms on hinges with q = p^2 / 10."""
    arms = [random_body(np.random.default_rng(k), f"arm {k}", (1.0, k, 0)) for k in range(2)]
    hinges = [ch.Revolute(f"hinge {k}", ch.GROUND, arm, at=(0, k, 0), axis=(0, 0, 1))
              for k, arm in enumerate(arms)]  # fmt: skip
    tie = ch.Coupling("tie", [(hinges[0], "angle", (0.0, 0.1)), (hinges[1], "angle", -1.0)])
    return ch.Model(arms, hinges, drivers=[tie])


@pytest.mark.filterwarnings("ignore:start of joint")
@pytest.mark.parametrize("angle", [0.4, 5.0, -7.0, 20.0])
def test_a_coupling_counts_the_whole_turns_of_a_start(angle):
    follows = {"hinge 0": (angle, 3.0)}
    for start in (follows, follows | {"hinge 1": 0.1 * angle**2}):
        result = run(bent_couple(), start)
        assert result.coordinate("hinge 1")[0] == pytest.approx(0.1 * angle**2, rel=1e-12)
        assert result.coordinate_rate("hinge 1")[0] == pytest.approx(0.6 * angle, rel=1e-9)


def open_four_bar(gap: float) -> ch.Model:
    """A four-bar whose coupler ends so far (m) above the rocker."""
    corners = [(0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4), (0.5, 0, 0)]
    ends = [corners[:2], [corners[1], (0.5, 0, 0.4 + gap)], corners[2:]]
    names = ["crank", "coupler", "rocker"]
    links = [ch.Body.rod(name, mass=1.0, between=own) for name, own in zip(names, ends)]
    sides = [ch.GROUND, *names, ch.GROUND]
    points = [corners[0], corners[1], ends[1][1], corners[3]]
    pins = [
        ch.Revolute(
            "ABCD"[k], sides[k], sides[k + 1], at=points[k], at_b=(points[k], corners[2])[k == 2],
            axis="y",
        )
        for k in range(4)
    ]  # fmt: skip
    return ch.Model(links, pins)


def test_the_report_tells_what_was_closed_before_coordinates_moved():
    model = open_four_bar(0.02)
    plain = run(model, None, close=True).assembly
    found = run(model, {"A": 0.1}, close=True)
    assert found.coordinate("A")[0] == pytest.approx(0.1, abs=1e-12)
    assert found.assembly.before == plain.before and found.assembly.moved == plain.moved
    assert found.assembly.before["C"].length == pytest.approx(0.02)
    assert max(max(gap) for gap in found.assembly.after.values()) < 1e-12
    assert "Nothing moved" not in str(found.assembly)


def test_what_is_held_stays_while_joints_are_closed_before_coordinates_move():
    model = open_four_bar(0.02)
    rate = {"A": (None, 2.0)}
    found = run(model, rate, close=True, hold=(name for name in ["crank"]))
    assert found.assembly.held == ("crank",)
    assert abs(found.position("crank")[0] - model.body("crank").position).max() < 1e-12
    assert abs(run(model, rate, close=True).coordinate("A")[0]) > 1e-3, "held by itself"
    moved = run(model, {"A": 0.1}, close=True, hold=["A"])  # held there, not as entered
    assert moved.coordinate("A")[0] == pytest.approx(0.1, abs=1e-12)


def test_coordinates_of_a_loop_that_contradict_each_other_are_refused(refusal):
    found = run(upright_crank(), {"A": 0.4})
    start = {name: float(found.coordinate(name)[0]) for name in "ABCD"}
    for name in "ABCD":
        wrong = start | {name: start[name] + 0.05}
        message = refusal(lambda wrong=wrong: run(upright_crank(), wrong), ch.InconsistentStart)
        assert "start:" in message and "joint '" in message


def test_a_rate_that_the_loop_does_not_allow_is_refused(refusal):
    message = refusal(
        lambda: run(upright_crank(), {"A": (0.4, 1.0), "D": (None, 5.0)}), ch.InconsistentStart
    )
    assert "rate" in message and "'D'" in message


def test_a_crank_angle_that_the_loop_does_not_reach_is_refused(refusal):
    message = refusal(lambda: run(upright_crank(coupler=1.3), {"A": -2.0}), ch.InconsistentStart)
    assert "joint 'A' at -2 rad" in message and "cannot be closed" in message


def test_the_open_distance_of_the_values_given_is_told_and_not_one_on_the_way(refusal):
    """Cranks held: the coupler misses |B C| - 2 m between their ends, shared by the joints."""
    model, turned = upright_crank(), {"A": 0.5, "D": 1.5}
    message = refusal(lambda: ch.start_state(model, turned), ch.InconsistentStart)
    at = {joint.name: np.array(joint.at) for joint in model.joints}
    ends = [
        at[base] + Rotation.from_rotvec((0, turned[base], 0)).apply(at[end] - at[base])
        for base, end in (("A", "B"), ("D", "C"))
    ]
    missed = abs(np.linalg.norm(ends[0] - ends[1]) - 2.0)
    told = float(message.split("all together by ")[1].split(" m")[0])
    assert told == pytest.approx(missed, rel=0.02)


# --- what is refused ---


@pytest.mark.parametrize(
    "start, error, said",
    [
        ({"hing": 0.1}, ch.UnknownName, ["start", "no joint 'hing'", "hinge"]),
        ({"hinge": {"displacement": 0.1}}, ch.InvalidOption, ["'hinge'", "has no displacement"]),
        ({"hinge": {"turn": 0.1}}, ch.InvalidOption, ["'hinge'", "got 'turn'"]),
        ({"hinge": "up"}, ch.InvalidOption, ["'hinge'", "angle", "'up'"]),
        ({"hinge": (1, 2, 3)}, ch.InvalidOption, ["'hinge'", "a number and a rate"]),
        ({"hinge": float("nan")}, ch.InvalidOption, ["'hinge'", "angle", "finite"]),
        ({"hinge": (0.0, float("inf"))}, ch.InvalidOption, ["'hinge'", "rate"]),
        ([("hinge", 0.1)], ch.InvalidOption, ["start must be a State", "{'elbow': 0.3}"]),
    ],
)
def test_a_start_that_means_nothing_is_refused_by_name(start, error, said, refusal):
    message = refusal(lambda: run(hanging_rod(2.0), start), error)
    for part in said:
        assert part in message


def test_a_coordinate_given_twice_is_refused(refusal):
    model = hanging_rod(2.0)
    start = {"hinge": 0.1, model.joint("hinge"): 0.2}
    assert "given twice" in refusal(lambda: run(model, start), ch.InvalidOption)


def test_a_joint_without_a_coordinate_is_refused(refusal):
    bob = ch.Body.sphere("bob", 0.1, mass=1.0)
    model = ch.Model([bob], [ch.Spherical("ball", ch.GROUND, bob, at=(0, 0, 1))])
    message = refusal(lambda: run(model, {"ball": 0.1}), ch.InvalidOption)
    assert "'ball' is spherical and has no coordinate" in message


def test_a_driven_coordinate_begins_where_its_motion_does(refusal):
    model = hanging_rod(2.0)
    drive = ch.Driver("drive", "hinge", ch.Signal.linear(1.0))
    driven = ch.Model(model.bodies, model.joints, drivers=[drive])
    message = refusal(lambda: run(driven, {"hinge": 0.5}), ch.InconsistentStart)
    assert "driver 'drive'" in message and "0.5 rad" in message
