"""Contact and its friction in closed form: bounces, rolling, sliding, creeping, resting."""

from math import asinh, atan, cos, gamma, log, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import chasles as ch

SPACES = ("subgroups", "auto", "SE3", "SO3xR3")
MASS, RADIUS, STIFFNESS, HERTZ, G = 2.0, 0.1, 5e3, 4e5, 9.81
FLOOR = {"at": (0, 0, 0), "axis": (0, 0, 1)}


def ball(height=RADIUS, name="ball", **start) -> ch.Body:
    return ch.Body.sphere(name, RADIUS, mass=MASS, position=(0, 0, height), **start)


def thrown(contact, speed, height=RADIUS) -> ch.Model:
    """A ball that meets the floor at once, without gravity."""
    return ch.Model([ball(height, velocity=(0, 0, -speed))], forces=[contact], gravity=(0, 0, 0))


# --- the normal ---


@pytest.mark.parametrize("spaces", SPACES)
def test_a_ball_leaves_a_linear_floor_after_half_a_period(spaces):
    """It touches for pi sqrt(m / k), sinks in by v sqrt(m / k), and leaves as fast as it came."""
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, stiffness=STIFFNESS)
    time = pi * sqrt(MASS / STIFFNESS)
    times = [0.0, time / 2, time, 2 * time]
    result = ch.simulate(
        thrown(floor, 1.5), times[-1], step=time / 200, t_eval=times, spaces=spaces
    )
    depth, speed = RADIUS - result.position("ball")[:, 2], result.velocity("ball")[:, 2]
    assert depth == pytest.approx((0, 1.5 * time / pi, 0, -1.5 * time), abs=1e-7)
    assert speed == pytest.approx((-1.5, 0, 1.5, 1.5), abs=1e-6)


def test_a_ball_touches_as_long_and_as_deep_as_hertz_says():
    """d = (5 m v^2 / 4 h)^(2/5), t = 2 d / v times the integral of (1 - x^(5/2))^(-1/2)."""
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, hertz=HERTZ)
    depth = (5 * MASS * 1.5**2 / (4 * HERTZ)) ** 0.4
    time = 2 * depth / 1.5 * sqrt(pi) * 0.4 * gamma(0.4) / gamma(0.9)
    times = [0.0, time / 2, time]
    result = ch.simulate(thrown(floor, 1.5), time, step=time / 500, t_eval=times)
    assert RADIUS - result.position("ball")[:, 2] == pytest.approx((0, depth, 0), abs=1e-7)
    assert result.velocity("ball")[:, 2] == pytest.approx((-1.5, 0, 1.5), abs=1e-5)
    potential = result.potential_energy()[1]
    assert potential == pytest.approx(0.5 * MASS * 1.5**2, rel=1e-7)


@pytest.mark.parametrize("law", [{"stiffness": STIFFNESS}, {"hertz": HERTZ}])
@pytest.mark.parametrize("dissipation", [0.1, 0.6, 3.0])
def test_what_is_given_back_depends_on_the_speed_and_the_dissipation_alone(dissipation, law):
    """u du / (1 + c u) = - N dd / m both ways: u / c - ln(1 + c u) / c^2 is the same in and out."""
    speed, c = 1.5, dissipation
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, **law, dissipation=c)
    result = ch.simulate(thrown(floor, speed), 0.3, step=2e-5, save_every=50)

    def level(u):
        return u / c - log(1 + c * u) / c**2

    left = brentq(lambda u: level(-u) - level(speed), 1e-9, min(speed, 1 / c) * (1 - 1e-12))
    assert result.velocity("ball")[-1, 2] == pytest.approx(left, rel=1e-4)
    lost = 0.5 * MASS * (speed**2 - left**2)
    assert result.work("floor")[-1] == pytest.approx(-lost, rel=1e-4)
    assert result.force("floor").force[:, 2].min() >= 0.0  # it never pulls


@pytest.mark.parametrize("spaces", SPACES)
def test_a_ball_dropped_without_loss_comes_back_to_its_height(spaces):
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, hertz=HERTZ)
    model = ch.Model([ball(0.5, angular_velocity=(1, 2, 3))], forces=[floor])
    result = ch.simulate(model, 2.0, step=1e-4, spaces=spaces)
    height = result.position("ball")[:, 2]
    assert height[100:].max() == pytest.approx(0.5, abs=1e-5)
    assert np.count_nonzero(np.diff(np.sign(result.velocity("ball")[:, 2])) > 0) == 3  # in time
    assert np.ptp(result.energy()) < 1e-5 * result.kinetic_energy().max()
    assert not result.warnings


def test_a_ball_rests_as_deep_as_it_weighs_and_swings_about_it():
    """k d + h d^(3/2) = m g; small motions have the frequency sqrt((k + 3/2 h d^(1/2)) / m)."""
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, stiffness=STIFFNESS, hertz=HERTZ)
    depth = brentq(lambda d: STIFFNESS * d + HERTZ * d**1.5 - MASS * G, 0, 1)
    model = ch.Model(
        [ball(RADIUS - 1e-3)],
        [ch.Prismatic("up", ch.GROUND, "ball", axis=(0, 0, 1))], [floor],
    )  # fmt: skip
    found = ch.equilibrium(model)
    assert RADIUS - found.state.position[0, 2] == pytest.approx(depth, rel=1e-9)
    slope = STIFFNESS + 1.5 * HERTZ * sqrt(depth)
    modes = ch.linearise(model, found.state).modes
    assert modes[0].frequency == pytest.approx(sqrt(slope / MASS), rel=1e-6)


# --- friction ---


def point_mass(friction, slip, gravity, velocity=(0, 0, 0)) -> ch.Model:
    """2 kg on the floor, rubbed at its centre of mass, so that it does not turn."""
    depth = -MASS * gravity[2] / STIFFNESS
    body = ball(-depth, velocity=velocity)
    foot = ch.Sphere(0.05, position=(0, 0, 0.05))
    floor = ch.Contact("floor", ch.GROUND, body, **FLOOR, shape=foot, stiffness=STIFFNESS,
                       friction=friction, slip=slip)  # fmt: skip
    return ch.Model([body], forces=[floor], gravity=gravity)


@pytest.mark.parametrize("slip", [0.1, 0.01])
@pytest.mark.parametrize("spaces", SPACES)
def test_a_block_slides_to_rest_after_its_speed_squared_over_twice_mu_g(slip, spaces):
    """Exactly over the integral of sqrt(v^2 + s^2) / (mu g), which is v^2 / (2 mu g) for s = 0."""
    mu, speed = 0.4, 2.0
    model = point_mass(mu, slip, (0, 0, -G), (speed, 0, 0))
    result = ch.simulate(model, 0.6 + 15 * slip / (mu * G), step=5e-4, spaces=spaces)
    way = 0.5 * (speed * sqrt(speed**2 + slip**2) + slip**2 * asinh(speed / slip)) / (mu * G)
    assert way == pytest.approx(speed**2 / (2 * mu * G), rel=slip)
    assert result.position("ball")[-1, 0] == pytest.approx(way, abs=1e-5)
    assert result.work("floor")[-1] == pytest.approx(-0.5 * MASS * speed**2, rel=1e-6)
    assert np.abs(result.energy_balance()).max() < 1e-6


@pytest.mark.parametrize("steepness", [0.2, 0.7, 0.95])
def test_on_a_slope_below_the_angle_of_friction_it_creeps(steepness):
    """tan(slope) = mu v / sqrt(v^2 + s^2): v = s tan / sqrt(mu^2 - tan^2)."""
    mu, slip = 0.5, 0.02
    slope = atan(steepness * mu)
    gravity = (G * sin(slope), 0.0, -G * cos(slope))
    creep = slip * steepness / sqrt(1 - steepness**2)
    result = ch.simulate(point_mass(mu, slip, gravity), 2.0, step=1e-3)
    assert result.velocity("ball")[-1] == pytest.approx((creep, 0, 0), rel=1e-6, abs=1e-9)


def test_above_the_angle_of_friction_it_slides_with_what_friction_leaves():
    mu, slip, slope = 0.2, 1e-3, 0.5
    gravity = (G * sin(slope), 0.0, -G * cos(slope))
    result = ch.simulate(point_mass(mu, slip, gravity), 1.0, step=1e-4, save_every=100)
    speed = G * (sin(slope) - mu * cos(slope))
    assert result.velocity("ball")[-1, 0] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("spaces", SPACES)
def test_a_ball_that_slides_comes_to_roll_at_five_sevenths_of_its_speed(spaces):
    """The slip u falls as u' = - 7/2 mu g u / sqrt(u^2 + s^2), and v = (5 v0 + 2 u) / 7."""
    mu, slip, speed = 0.3, 0.05, 2.0
    depth = MASS * G / STIFFNESS
    body = ball(RADIUS - depth, velocity=(speed, 0, 0))
    floor = ch.Contact("floor", ch.GROUND, body, **FLOOR, stiffness=STIFFNESS, friction=mu,
                       slip=slip)  # fmt: skip
    model = ch.Model([body], forces=[floor])

    def time_until(u):
        return quad(lambda x: sqrt(x**2 + slip**2) / x, u, speed)[0] / (3.5 * mu * G)

    times = [0.0, time_until(1.0), time_until(0.1), time_until(0.01), 1.0]
    result = ch.simulate(model, 1.0, step=5e-4, t_eval=times, spaces=spaces)
    v = result.velocity("ball")[:, 0]
    slid = v - RADIUS * result.angular_velocity("ball")[:, 1]
    assert slid == pytest.approx((speed, 1.0, 0.1, 0.01, 0), abs=1e-6)
    assert v == pytest.approx((5 * speed + 2 * slid) / 7, abs=1e-6 if spaces == "SE3" else 1e-12)
    assert time_until(0.1) == pytest.approx(2 * speed / (7 * mu * G), rel=0.06)  # Coulomb's own
    rolling = 0.5 * 1.4 * MASS * (5 / 7 * speed) ** 2
    assert result.kinetic_energy()[-1] == pytest.approx(rolling, rel=1e-6)
    assert result.work("floor")[-1] == pytest.approx(rolling - 0.5 * MASS * speed**2, rel=1e-6)


# --- several balls of one shape ---


def test_a_four_legged_table_carries_its_load_where_it_lies():
    """Forces on the legs from the lever rule; depths from the forces; and it stays where it is."""
    legs = [(x, y, -0.4) for x in (-0.5, 0.3) for y in (-0.2, 0.2)]  # the centre of mass is not mid
    top = ch.Body.box("table", (0.8, 0.4, 0.1), mass=8.0, position=(0, 0, 0.401))
    feet = [
        ch.Contact(f"leg {k}", ch.GROUND, top, **FLOOR, shape=ch.Sphere(1e-3, position=at),
                   stiffness=2e5, dissipation=2.0, friction=0.6)
        for k, at in enumerate(legs)
    ]  # fmt: skip
    result = ch.simulate(ch.Model([top], forces=feet), 2.0, step=5e-4)
    carried = [result.force(foot.name).force[-1, 2] for foot in feet]
    share = [0.3 / 0.8 / 2] * 2 + [0.5 / 0.8 / 2] * 2
    assert carried == pytest.approx([8.0 * G * part for part in share], rel=1e-3)
    low = [result.point(top, np.add(at, (0, 0, 0.401))).position[-1, 2] for at in legs]
    assert [1e-3 - z for z in low] == pytest.approx([f / 2e5 for f in carried], rel=1e-6)
    assert np.abs(result.velocity("table")[-1]).max() < 1e-6
    assert not result.warnings


@pytest.mark.parametrize("spaces", SPACES)
def test_a_box_that_falls_askew_comes_to_rest_flat(spaces):
    box = ch.Body.box(
        "box", (0.3, 0.2, 0.1), mass=1.0, position=(0, 0, 0.3), angular_velocity=(1, -2, 0.5),
        rotation={"axis": (1, 2, 0.5), "angle": 0.4},
    )  # fmt: skip
    floor = ch.Contact("floor", ch.GROUND, box, **FLOOR, stiffness=2e4, dissipation=0.8,
                       friction=0.5)  # fmt: skip
    result = ch.simulate(ch.Model([box], forces=[floor]), 3.0, step=2.5e-4, spaces=spaces)
    assert result.rotation("box")[-1, 2, 2] == pytest.approx(1.0, abs=1e-6)
    assert result.position("box")[-1, 2] == pytest.approx(0.05 - G / (4 * 2e4), abs=1e-6)
    assert result.force("floor").force[-1, 2] == pytest.approx(G, rel=1e-3)
    spent = result.energy()[0] - result.energy()[-1]
    assert result.work("floor")[-1] == pytest.approx(-spent, rel=1e-4)
    assert not result.warnings


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("kind", [ch.Capsule, ch.Rod])
def test_a_capsule_stands_on_one_end_and_lies_on_two(kind, axis):
    shape = kind(radius=0.05, length=0.4, axis=axis)
    below = 0.05 if kind is ch.Capsule else 0.0
    along = {"x": (0, -1, 0), "y": (1, 0, 0), "z": (0, 0, 1)}[axis]
    up = {"axis": along, "angle": 0.0 if axis == "z" else pi / 2}
    flat = {"axis": (1, 0, 0), "angle": pi / 2 if axis == "z" else 0.0}
    for rotation, half, ends in ((up, 0.2, 1), (flat, 0.0, 2)):
        height = half + below - 1e-3
        body = ch.Body("pin", 1.0, (0.01, 0.01, 0.01), (0, 0, height), rotation)
        floor = ch.Contact("floor", ch.GROUND, body, **FLOOR, shape=shape, stiffness=1e3)
        model = ch.Model([body], forces=[floor], gravity=(0, 0, 0))
        push = ch.simulate(model, 1e-3, step=1e-3).force("floor").force[0]
        assert push == pytest.approx((0, 0, ends * 1.0), abs=1e-9)


# --- between bodies ---


def colliding(shape, radius) -> ch.Model:
    """Two bodies that meet off their centres, one of them spinning."""
    other = ball(0.0, "other", angular_velocity=(3, 1, -2))
    body = ch.Body.box("box", (0.2, 0.16, 0.12), mass=1.3, position=(0.05, 0.04, 0.3),
                       velocity=(0.2, 0, -2.0), angular_velocity=(1, 4, 0))  # fmt: skip
    touch = ch.Contact("touch", other, body, shape=shape, radius=radius, hertz=HERTZ,
                       dissipation=0.3, friction=0.4, slip=0.05)  # fmt: skip
    return ch.Model([other, body], forces=[touch], gravity=(0, 0, 0))


@pytest.mark.parametrize("shape", [ch.Sphere(0.08), ch.Capsule(0.05, 0.1), None])
@pytest.mark.parametrize("spaces", SPACES)
def test_bodies_that_collide_keep_their_momentum(spaces, shape):
    """Action is reaction at one point, to rounding; momentum is as linear as the velocities are."""
    result = ch.simulate(colliding(shape, RADIUS), 0.3, step=1e-4, spaces=spaces)
    touch, at = result.force("touch"), {name: result.position(name) for name in ("other", "box")}
    torques = {name: touch.on(name)[1] + np.cross(at[name], touch.on(name)[0]) for name in at}
    size = np.abs(touch.force).max()
    assert size > 50.0
    assert np.abs(touch.on("other")[0] + touch.on("box")[0]).max() < 1e-14 * size
    assert np.abs(sum(torques.values())).max() < 1e-14 * size
    linear = np.ptp(result.momentum(), axis=0).max()
    assert linear < (5e-6 if spaces == "SE3" else 1e-13)
    assert np.ptp(result.angular_momentum(), axis=0).max() < 1e-6  # to the error of the method
    assert result.work("touch")[-1] < -0.1
    assert np.abs(result.energy_balance()).max() < 1e-3 * result.kinetic_energy()[0]


@pytest.mark.parametrize("kappa", [1.0, -1.0])
def test_a_ball_on_a_large_ball_and_in_a_large_bowl_is_a_ball_on_a_plane(kappa):
    """To the curvature: 1e-9 here."""

    def run(**surface):
        floor = ch.Contact("floor", ch.GROUND, "ball", **surface, stiffness=STIFFNESS,
                           friction=0.3, dissipation=0.2)  # fmt: skip
        model = ch.Model([ball(0.2, velocity=(1, 0, 0))], forces=[floor])
        return ch.simulate(model, 0.5, step=5e-4).position("ball")

    large = kappa * 1e9
    round_, flat = run(at=(0, 0, -large), radius=large), run(**FLOOR)
    assert np.abs(round_ - flat).max() < 1e-8


def test_a_ball_that_slides_in_a_bowl_without_friction_is_a_pendulum():
    """sin(q / 2) = k sn(K - w t), k = sin(q0 / 2); the surface gives way by 1e-6 m."""
    bowl, swing = 1.0, 0.6
    length = bowl - RADIUS
    at = (length * sin(swing), 0, -length * cos(swing))
    bead = ch.Body.sphere("bead", RADIUS, mass=MASS, position=at)
    model = ch.Model(
        [bead],
        forces=[ch.Contact("bowl", ch.GROUND, bead, at=(0, 0, 0), radius=-bowl, stiffness=1e8,
                           dissipation=3.0)],
    )  # fmt: skip
    result = ch.simulate(model, 1.0, step=2e-5, save_every=500)
    k = sin(swing / 2)
    angle = 2 * np.arcsin(k * ellipj(ellipk(k * k) - sqrt(G / length) * result.t, k * k)[0])
    swung = length * np.column_stack((np.sin(angle), 0 * angle, -np.cos(angle)))
    assert np.abs(result.position("bead") - swung).max() < 5e-6
    assert angle.min() < -0.5


# --- what does not matter ---


def test_a_scene_that_is_moved_and_turned_as_a_whole_does_the_same():
    turn = {"axis": (1, -2, 3), "angle": 0.7}
    model = colliding(None, RADIUS)
    place = model.placed("x ", position=(3, -2, 1), rotation=turn)
    rotation = np.array(place.body("x other").rotation)
    here, there = (ch.simulate(m, 0.2, step=1e-4) for m in (model, place))
    expected = here.position("box") @ rotation.T + (3, -2, 1)
    assert np.abs(there.position("x box") - expected).max() < 1e-9
    plane = {"at": (0, 0, 0.1), "axis": (0.2, 0.1, 1.0)}
    box = model.body("box")
    floor = ch.Contact("floor", "other", box, **plane, stiffness=2e4, friction=0.5)
    model = ch.Model(model.bodies, forces=[floor], gravity=(0, 0, 0))
    place = model.placed("x ", position=(3, -2, 1), rotation=turn)
    here, there = (ch.simulate(m, 0.2, step=1e-4) for m in (model, place))
    expected = here.position("box") @ rotation.T + (3, -2, 1)
    assert np.abs(there.position("x box") - expected).max() < 1e-9
    assert here.work("floor")[-1] < -0.01


def test_spaces_agree_on_a_collision_to_the_error_of_the_method():
    runs = [
        ch.simulate(colliding(None, RADIUS), 0.2, step=5e-5, spaces=spaces) for spaces in SPACES
    ]
    for run in runs[1:]:
        assert np.abs(run.absolute[-1] - runs[0].absolute[-1]).max() < 1e-5


def test_a_contact_that_is_not_touched_changes_nothing():
    body = ball(1.0, velocity=(1, 2, 3), angular_velocity=(3, 2, 1))
    floor = ch.Contact("floor", ch.GROUND, body, at=(0, 0, -9), stiffness=1e5, friction=1.0)
    free, other = (ch.simulate(ch.Model([body], forces=f), 0.1, step=1e-3) for f in ([], [floor]))
    assert np.array_equal(free.absolute, other.absolute)


def test_a_step_that_is_too_long_for_the_stiffness_is_told():
    floor = ch.Contact("floor", ch.GROUND, "ball", **FLOOR, stiffness=1e8)
    with pytest.warns(ch.ChaslesWarning, match="energy"):
        ch.simulate(ch.Model([ball(0.5)], forces=[floor]), 1.0, step=1e-2)


# --- files, and many at once ---


def test_contacts_survive_the_way_through_a_file(tmp_path):
    model = colliding(ch.Capsule(0.05, 0.1, "x", position=(0, 0.1, 0), colour="red"), RADIUS)
    floor = ch.Contact("floor", ch.GROUND, "box", at=(0, 0, 0), axis=(1, 2, 2), stiffness=1e3)
    model = model.with_parts(forces=[floor])
    model.write(tmp_path / "model.toml")
    again = ch.read_model(tmp_path / "model.toml")
    assert again == model
    first, second = (ch.simulate(m, 0.2, step=1e-4) for m in (model, again))
    assert np.array_equal(first.absolute, second.absolute)
    assert ch.load(first.save(tmp_path / "run.nc")).model == model


def test_units_of_a_contact_in_a_file(tmp_path):
    path = tmp_path / "ball.toml"
    text = """
    [[bodies]]
    kind = "sphere"
    name = "ball"
    radius_mm = 100
    mass = 1.0
    [[forces]]
    kind = "contact"
    name = "floor"
    a = "ground"
    b = "ball"
    at_mm = [0, 0, -100]
    axis = "z"
    stiffness_N_per_mm = 20
    friction = 0.5
    slip_mm_per_s = 5
    shape = {kind = "sphere", radius_mm = 100}
    """
    path.write_text(text, "utf-8")
    floor = ch.read_model(path).forces[0]
    assert (floor.at, floor.axis, floor.stiffness) == ((0, 0, -0.1), (0, 0, 1), 2e4)
    assert (floor.slip, floor.shape) == (0.005, ch.Sphere(0.1))
    path.write_text(text.replace('"sphere", radius_mm = 100}', '"ball"}'), "utf-8")
    with pytest.raises(ch.UnknownName, match="shape"):
        ch.read_model(path)


def test_every_shape_of_a_robot_stands_on_its_floor(refusal):
    hull = ch.Body.solid("hull", [ch.Box((0.4, 0.3, 0.1)), ch.Sphere(0.05, position=(0, 0, -0.1))],
                         density=500.0)  # fmt: skip
    wheel = ch.Body.cylinder("wheel", 0.1, 0.05, mass=1.0, position=(0, 1, 0))
    law = {"at": (0, 0, -0.2), "stiffness": 1e4, "dissipation": 1.0}
    floor = ch.Contact.each("floor", ch.GROUND, [hull], **law)
    assert [(c.name, c.shape.kind) for c in floor] == [
        ("floor hull 0", "box"), ("floor hull 1", "sphere"),
    ]  # fmt: skip
    assert ch.Contact.each("floor", ch.GROUND, [hull, wheel], skip=True, **law) == floor
    assert ch.Contact.each("self", hull, [hull], **law) == []
    model = ch.Model([hull], forces=floor)
    result = ch.simulate(model, 3.0, step=5e-4)
    carried = sum(result.force(c.name).force[-1, 2] for c in floor)
    assert carried == pytest.approx(hull.mass * G, rel=1e-3)
    said = refusal(lambda: ch.Contact.each("floor", ch.GROUND, [wheel], **law), ch.InvalidForce)
    assert "'floor wheel 0'" in said and "got cylinder" in said
    said = refusal(lambda: ch.Contact.each("floor", ch.GROUND, ["hull"], **law), ch.InvalidForce)
    assert "bodies must be a list of Body" in said


# --- in mechanisms, and with steps of their own ---


def dragged() -> ch.Model:
    """Two links that hang on a hinge and drag over a slope."""
    upper = ch.Body.rod("upper", mass=1.0, between=((0, 0, 0), (0.5, 0, 0)))
    lower = ch.Body.rod("lower", mass=0.5, between=((0.5, 0, 0), (1.0, 0.1, 0)))
    joints = [
        ch.Universal("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis="y", axis_b="z"),
        ch.Spherical("elbow", upper, lower, at=(0.5, 0, 0)),
    ]
    slope = {"at": (0, 0, -0.3), "axis": (0.2, 0.1, 1.0), "slip": 0.05, "friction": 0.4}
    floor = ch.Contact.each("floor", ch.GROUND, [upper, lower], **slope, hertz=2e4, dissipation=0.5)
    rub = ch.Contact("rub", upper, lower, at=(0.2, 0, 0.1), radius=0.15, hertz=1e4,
                     shape=ch.Sphere(0.1), friction=0.3)  # fmt: skip
    return ch.Model([upper, lower], joints, [*floor, rub])


def test_links_that_drag_over_a_slope_move_alike_in_every_space():
    runs = {
        spaces: ch.simulate(dragged(), 0.8, step=1e-4, spaces=spaces, save_every=100)
        for spaces in ("auto", "SE3", "SO3xR3", "SE3 relative")
    }
    for run in runs.values():
        assert np.abs(run.absolute - runs["auto"].absolute).max() < 1e-4
        assert np.abs(run.energy_balance()).max() < 1e-5 * run.kinetic_energy().max()
        assert not run.warnings
    assert runs["auto"].work("floor lower 0")[-1] < -0.05
