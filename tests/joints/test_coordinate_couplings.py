"""Couplings of joint coordinates: against reduced equations of motion, and their bookkeeping."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import chasles as ch

Z, Y = (0, 0, 1), (0, 1, 0)


def wheel(name, mass, radius, position):
    return ch.Body.cylinder(name, radius, 0.05, mass, axis="z", position=position)


def planetary(**more):
    """A carrier with a planet, and a sun: s - c + 2 p = 0, p the planet on its carrier."""
    carrier = ch.Body.rod("carrier", length=0.6, mass=2.0, position=(0.15, 0, 0))
    sun, planet = wheel("sun", 3.0, 0.1, (0, 0, 0.1)), wheel("planet", 1.5, 0.2, (0.3, 0, 0))
    joints = [
        ch.Revolute("c", ch.GROUND, carrier, (0, 0, 0), Z),
        ch.Revolute("s", ch.GROUND, sun, (0, 0, 0.1), Z),
        ch.Revolute("p", carrier, planet, (0.3, 0, 0), Z),
    ]
    mesh = ch.Coupling("mesh", {"s": 1, "c": -1, "p": 2})
    return ch.Model([carrier, sun, planet], [*joints, mesh], gravity=(0, 0, 0), **more)


def mass_matrix(model):
    """Of (s, c, p), by hand: T = I_s s'^2 / 2 + I_c c'^2 / 2 + I_p (c' + p')^2 / 2."""
    i_s, i_p = (model.body(name).inertia[2][2] for name in ("sun", "planet"))
    i_c = model.body("carrier").inertia[2][2] + 2.0 * 0.15**2 + 1.5 * 0.3**2
    return np.array([[i_s, 0, 0], [0, i_c + i_p, i_p], [0, i_p, i_p]])


def test_a_planetary_gear_has_the_reduced_inertia_of_lagrange():
    model = planetary(forces=[ch.Motor("motor", "s", effort=2.0)])
    result = ch.simulate(model, until=1.0, step=0.05)
    found = np.array([result.coordinate(name)[-1] for name in "scp"])
    free = np.array([[1, 0], [0, 1], [-0.5, 0.5]])  # p = (c - s) / 2
    mass = mass_matrix(model)
    rates = free @ np.linalg.solve(free.T @ mass @ free, free.T @ (2.0, 0, 0))
    assert found == pytest.approx(0.5 * rates, rel=1e-12)
    assert np.abs(result.violation("mesh")).max() < 1e-13
    assert model.degrees_of_freedom == 2


def test_the_effort_of_a_coupling_is_what_is_missing_in_the_equations_of_every_coordinate():
    model = planetary(forces=[ch.Motor("motor", "s", effort=2.0)])
    result = ch.simulate(model, until=0.5, step=0.05)
    row = np.array([1.0, -1.0, 2.0])
    mass = mass_matrix(model)
    applied = np.array([2.0, 0, 0])
    multiplier = row @ np.linalg.solve(mass, applied) / (row @ np.linalg.solve(mass, row))
    for joint, weight in zip("scp", row):
        effort = result.effort("mesh", on=joint)
        assert effort == pytest.approx(np.full(len(result.t), -weight * multiplier), rel=1e-11)
    assert result.effort("mesh") == pytest.approx(result.effort("mesh", on="s"))
    power = sum(result.effort("mesh", on=j) * result.coordinate_rate(j) for j in "scp")
    assert np.abs(power).max() < 1e-12
    assert np.abs(result.work("mesh")).max() == 0.0
    assert np.abs(result.energy_balance()).max() < 1e-12


def test_reactions_leave_out_what_a_coupling_exerts():
    model = planetary(forces=[ch.Motor("motor", "s", effort=2.0)])
    result = ch.simulate(model, until=0.5, step=0.05)
    assert np.abs(result.reaction("s").in_joint_frame[1][:, 2]).max() < 1e-12
    # Newton and Euler of the planet: I (c'' + p'') is what the coupling does on it.
    rates = [np.gradient(result.coordinate_rate(n), result.t) for n in "cp"]
    inertia = model.body("planet").inertia[2][2]
    assert result.effort("mesh", on="p") == pytest.approx(inertia * sum(rates), rel=1e-9)


def test_a_driven_sun_needs_the_torque_of_the_reduced_inertia():
    ramp = ch.Signal.expression("t^3")
    model = planetary(drivers=[ch.Driver("drive", "s", ramp)])
    result = ch.simulate(model, until=1.0, step=0.02)
    mass = mass_matrix(model)
    across = np.array([[0.0], [1.0], [0.5]])  # s is known, c is free, p = (c - s) / 2
    along = np.array([1.0, 0.0, -0.5])
    gain = -(across.T @ mass @ along) / (across.T @ mass @ across)[0, 0]
    rates = along + across[:, 0] * gain[0]
    torque = (rates @ mass @ along) * 6.0 * result.t
    assert result.effort("drive") == pytest.approx(torque, abs=1e-10)
    assert np.abs(result.energy_balance()).max() < 1e-9


def pendula(coupling, **more):
    """Two pendula on one shaft's ends, swinging about y, of length 1 and 0.7."""
    one = ch.Body.rod("one", between=((0, 0, 0), (1, 0, 0)), mass=1.0)
    two = ch.Body.rod("two", between=((0, 1, 0), (0.7, 1, 0)), mass=2.0)
    joints = [
        ch.Revolute("a", ch.GROUND, one, (0, 0, 0), Y),
        ch.Revolute("b", ch.GROUND, two, (0, 1, 0), Y),
    ]
    return ch.Model([one, two], [*joints, coupling], **more)


SPACES = ("auto", "SE3", "SO3xR3", "SE3 relative", {"one": "SO3xR3"})


@pytest.mark.parametrize("spaces", SPACES, ids=str)
def test_a_polynomial_coupling_moves_as_the_reduced_equation_of_scipy(spaces):
    """a = 0.2 b - 0.3 b^2 + 0.1 b^3: T = (I_a f'^2 + I_b) b'^2 / 2, V of both rods."""
    model = pendula(ch.Coupling("cam", {"a": 1, "b": (-0.2, 0.3, -0.1)}))
    result = ch.simulate(model, until=1.0, step=1e-3, spaces=spaces, rows="all")
    i_a, i_b = 1.0 / 3.0, 2.0 * 0.49 / 3.0

    def slope(t, y):
        b, rate = y
        f = np.polynomial.Polynomial((0, 0.2, -0.3, 0.1))
        d, dd = f.deriv()(b), f.deriv(2)(b)
        force = 9.81 * (0.5 * np.cos(f(b)) * d + 2.0 * 0.35 * np.cos(b))
        return rate, (force - i_a * d * dd * rate**2) / (i_a * d**2 + i_b)

    exact = solve_ivp(slope, (0, 1), (0, 0), rtol=1e-12, atol=1e-12).y[:, -1]
    assert result.coordinate("b")[-1] == pytest.approx(exact[0], abs=1e-8)
    assert result.coordinate_rate("b")[-1] == pytest.approx(exact[1], abs=1e-8)
    assert result.violation("cam").max() < 1e-8
    projected = ch.simulate(model, until=1.0, step=1e-2, stabilise="projection")
    assert projected.violation("cam").max() < 1e-12
    plain, fed = (
        ch.simulate(model, until=1.0, step=1e-2, stabilise=s) for s in (None, "baumgarte")
    )
    assert fed.violation("cam").max() < plain.violation("cam").max()


def test_a_rack_has_the_inertia_of_its_pinion_over_the_radius_squared():
    rack = ch.Body.box("rack", size=(1, 0.1, 0.1), mass=4.0)
    pinion = wheel("pinion", 2.0, 0.25, (0, 1, 0))
    model = ch.Model(
        [rack, pinion],
        [
            ch.Prismatic("slide", ch.GROUND, rack, axis=(1, 0, 0)),
            ch.Revolute("turn", ch.GROUND, pinion, (0, 1, 0), Z),
            ch.Coupling("mesh", {"turn": 0.25, "slide": -1}),
        ],
        forces=[ch.Load("push", rack, force=(3.0, 0, 0))],
    )
    result = ch.simulate(model, until=1.0, step=0.1)
    mass = 4.0 + pinion.inertia[2][2] / 0.25**2
    assert result.coordinate("slide")[-1] == pytest.approx(1.5 / mass, rel=1e-12)


def test_a_floating_mechanism_keeps_its_momenta_with_couplings():
    hub = ch.Body.box("hub", size=(1, 0.5, 0.3), mass=5.0, angular_velocity=(0.3, 0.2, 1.0))
    left = ch.Body.rod("left", between=((0.5, 0, 0), (1.5, 0, 0)), mass=1.0)
    right = ch.Body.rod("right", between=((-0.5, 0, 0), (-1.5, 0.2, 0)), mass=1.5)
    model = ch.Model(
        [hub, left, right],
        [
            ch.Revolute("l", hub, left, (0.5, 0, 0), Y),
            ch.Revolute("r", hub, right, (-0.5, 0, 0), (0, 1, 1)),
            ch.Coupling("same", {"l": 1, "r": -1.5}),
        ],
        gravity=(0, 0, 0),
    )
    result = ch.simulate(model, until=2.0, step=2e-3, start={"l": (0.0, 2.0)})
    assert np.ptp(result.angular_momentum(), axis=0).max() < 1e-11
    assert np.ptp(result.energy()) < 1e-8 * result.energy()[0]
    assert result.violation("same").max() < 1e-13


def test_a_start_by_one_coordinate_moves_the_others_along():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}))
    result = ch.simulate(model, until=0.01, step=1e-3, start={"b": (0.4, 3.0)})
    assert result.coordinate("a")[0] == pytest.approx(0.8, abs=1e-12)
    assert result.coordinate_rate("a")[0] == pytest.approx(6.0, rel=1e-12)


def test_velocities_left_out_are_completed_by_the_coupling():
    model = planetary(drivers=[ch.Driver("turn", "s", ch.Signal.linear(2.0))])
    result = ch.simulate(model, until=0.1, step=0.01)
    s, c, p = (result.coordinate_rate(name)[0] for name in "scp")
    assert s - c + 2 * p == pytest.approx(0.0, abs=1e-12)
    assert s == pytest.approx(2.0)


def test_couplings_that_repeat_each_other_run_and_count_once():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}))
    twice = model.with_parts(drivers=[ch.Coupling("again", {"a": -2, "b": 4})])
    assert model.degrees_of_freedom == twice.degrees_of_freedom == 1
    one, two = (ch.simulate(m, until=0.3, step=1e-3) for m in (model, twice))
    assert two.coordinate("b")[-1] == pytest.approx(one.coordinate("b")[-1], rel=1e-9)


def test_the_power_of_a_cylindrical_joints_displacement_is_named_with_a_dot():
    nut = ch.Body.cylinder("nut", 0.1, 0.1, 2.0, axis="z")
    model = ch.Model(
        [nut],
        [
            ch.Cylindrical("sleeve", ch.GROUND, nut, (0, 0, 0), Z),
            ch.Coupling("thread", {"sleeve.angle": 0.01, ("sleeve", "displacement"): -1}),
        ],
    )
    result = ch.simulate(model, until=1.0, step=0.01)
    # A screw: (m + I / h^2) z'' = - m g
    mass = 2.0 + nut.inertia[2][2] / 0.01**2
    fall = -0.5 * 2.0 * 9.81 / mass
    assert result.coordinate("sleeve", "displacement")[-1] == pytest.approx(fall, rel=1e-11)
    assert result.effort("thread", on="sleeve.displacement")[0] > 0.0


def test_files_and_placing_keep_a_coupling(tmp_path):
    model = planetary()
    assert ch.read_model(model.write(tmp_path / "gear.toml")) == model
    text = (tmp_path / "gear.toml").read_text()
    assert "coupling" in text
    assert "terms = [" in text
    by_hand = text[: text.index("terms")] + "terms = {s = 1, c = -1, p = [2.0]}\n"
    (tmp_path / "by_hand.toml").write_text(by_hand)
    assert ch.read_model(tmp_path / "by_hand.toml").drivers == model.drivers
    two = model.placed("left ") + model.placed("right ", position=(2, 0, 0))
    assert two.driver("right mesh").joints == ("right s", "right c", "right p")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ch.Coupling("k", {"a": 1}), ["two coordinates or more, got 1"]),
        (lambda: ch.Coupling("k", {"a": 1, "b": 0}), ["coefficient of 'b' must not be 0"]),
        (lambda: ch.Coupling("k", {"a": 1, "b": (0, 0.0)}), ["coefficient of 'b'"]),
        (lambda: ch.Coupling("k", {"a": 1, "b": "x"}), ["coefficient of 'b'"]),
        (lambda: ch.Coupling("k", [1, 2]), ["terms must be a dict"]),
        (lambda: ch.Coupling("k", {"a": 1, "b": 1}, offset=np.nan), ["offset"]),
        (lambda: pendula(ch.Coupling("k", {"a": 1, "c": 1})), ["'c'", "coupling 'k'"]),
        (lambda: pendula(ch.Coupling("k", {"a": 1, ("b", "displacement"): 1})), ["displacement"]),
        (lambda: pendula(ch.Coupling("k", {"a": 1, "a.angle": 1})), ["named twice"]),
        (
            lambda: pendula(
                ch.Coupling("k", {"a": 1, "b": 1}),
                drivers=[
                    ch.Driver("d", "a", ch.Signal.linear(1)),
                    ch.Driver("e", "b", ch.Signal.linear(1)),
                ],
            ),
            ["all its coordinates are driven"],
        ),
    ],
)
def test_bad_couplings_are_refused_by_name(make, said):
    with pytest.raises(ch.ChaslesError) as caught:
        make()
    for words in said:
        assert words in str(caught.value)


def test_a_joint_without_a_coordinate_cannot_be_coupled():
    ball = ch.Body.sphere("ball", 0.1, 1.0)
    with pytest.raises(ch.ChaslesError, match="has no coordinate"):
        ch.Model(
            [ball],
            [ch.Spherical("s", ch.GROUND, ball, (0, 0, 1)), ch.Coupling("k", {"s": 1, "t": 1})],
        )


def test_an_offset_that_the_start_does_not_have_is_refused_with_its_value():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}, offset=0.3))
    with pytest.raises(ch.ChaslesError, match=r"coupling 'belt' is off by -0\.3 at t = 0"):
        ch.simulate(model, until=0.1, step=1e-3)
    result = ch.simulate(model, until=0.1, step=1e-3, close=True)
    assert result.violation("belt").max() < 1e-9


def test_couplings_that_contradict_each_other_cannot_be_closed():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}))
    model = model.with_parts(drivers=[ch.Coupling("other", {"a": 1, "b": -2}, offset=0.1)])
    with pytest.raises(ch.ChaslesError, match="cannot be closed"):
        ch.simulate(model, until=0.1, step=1e-3, close=True)


def locked_pendula():
    """a = b and a = 2 b: nothing can move."""
    model = pendula(ch.Coupling("k", {"a": 1, "b": -1}))
    return model.with_parts(drivers=[ch.Coupling("l", {"a": 1, "b": -2})])


def test_couplings_can_lock_a_mechanism():
    assert locked_pendula().degrees_of_freedom == 0
    result = ch.simulate(locked_pendula(), until=0.3, step=1e-2)
    assert np.abs(result.coordinate("a")).max() < 1e-12


@pytest.mark.parametrize("text", ["t", "t^2", "t^3"])
def test_a_driver_that_couplings_do_not_allow_is_told(text):
    driver = ch.Driver("d", "a", ch.Signal.expression(text))
    with pytest.raises(ch.ChaslesError, match=r"contradict|singular") as caught:
        ch.simulate(locked_pendula().with_parts(drivers=[driver]), until=0.3, step=1e-2)
    assert any(f"'{name}'" in str(caught.value) for name in ("k", "l", "d"))


def test_velocities_and_starts_that_a_coupling_does_not_allow_are_refused():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}))
    for start, said in (
        ({"a": 0.3, "b": 0.3}, "belt"),
        ({"a": (0.0, 1.0), "b": (0.0, 1.0)}, "rates contradict each other"),
    ):
        with pytest.raises(ch.ChaslesError, match=said):
            ch.simulate(model, until=0.1, step=1e-2, start=start)
    turning = [replace(body, angular_velocity=(0, 1, 0)) for body in model.bodies]
    with pytest.raises(ch.ChaslesError, match="'belt'"):
        ch.simulate(ch.Model(turning, model.joints, drivers=model.drivers), until=0.1, step=1e-2)


def test_coupled_pendula_rest_where_their_weights_balance():
    model = pendula(ch.Coupling("belt", {"a": 1, "b": -2}))
    rest = ch.equilibrium(model)
    b = brentq(lambda b: np.cos(2 * b) + 0.7 * np.cos(b), 0.0, np.pi / 2)  # least of the weights'
    centres = [(half * np.cos(q), y, -half * np.sin(q))
               for half, y, q in ((0.5, 0, 2 * b), (0.35, 1, b))]  # fmt: skip
    assert rest.stability == "stable"
    assert rest.state.position == pytest.approx(np.array(centres), abs=1e-9)


def test_a_coupling_beside_a_loop_cuts_a_joint_that_is_not_coupled():
    """A four-bar whose crank turns a wheel: T gains I_w i^2 / 2 crank'^2."""
    bars = [((0, 0, 0), (0, 0, 0.5)), ((0, 0, 0.5), (1, 0, 0.9)), ((1, 0, 0.9), (1, 0, 0))]
    names = ("crank", "coupler", "rocker")
    bodies = [ch.Body.rod(n, between=b, mass=1.0) for n, b in zip(names, bars)]
    heavy = ch.Body.cylinder("wheel", 0.2, 0.1, 3.0, axis="y", position=(0, 1, 0))
    joints = [
        ch.Revolute("A", ch.GROUND, bodies[0], (0, 0, 0), Y),
        ch.Revolute("B", bodies[0], bodies[1], (0, 0, 0.5), Y),
        ch.Revolute("C", bodies[1], bodies[2], (1, 0, 0.9), Y),
        ch.Revolute("D", bodies[2], ch.GROUND, (1, 0, 0), Y),
        ch.Revolute("W", ch.GROUND, heavy, (0, 1, 0), Y),
    ]
    start = {"A": (0.0, 3.0)}
    coupled = ch.Model([*bodies, heavy], [*joints, ch.Coupling("belt", {"A": 3, "W": -1})])
    # The same inertia as a rotor on the crank's own coordinate.
    rotor = ch.Revolute("A", ch.GROUND, bodies[0], (0, 0, 0), Y, armature=9 * heavy.inertia[1][1])
    alone = ch.Model(bodies, [rotor, *joints[1:4]])
    one, two = (ch.simulate(m, until=0.5, step=1e-3, start=start) for m in (coupled, alone))
    assert one.coordinate("A")[-1] == pytest.approx(two.coordinate("A")[-1], rel=1e-9)
    assert one.violation("belt").max() < 1e-12


def test_a_picture_of_a_coupling_can_be_drawn(tmp_path):
    planetary().plot(tmp_path / "gear.png")
    assert (tmp_path / "gear.png").stat().st_size > 1000


def test_a_coupling_is_counted_and_written_as_what_it_is():
    wheels = [ch.Body.cylinder(n, 0.1, 0.05, mass=1.0, axis="z") for n in "ab"]
    pins = [ch.Revolute(f"{w.name} pin", ch.GROUND, w, (0, 0, 0), "z") for w in wheels]
    model = ch.Model(wheels, [*pins, ch.Coupling("mesh", {"a pin": 20, "b pin": -30})])
    assert "1 coupling" in repr(model) and "driver" not in repr(model)
    assert "coupling mesh: 20 a pin.angle - 30 b pin.angle = 0" in model.summary()
    driven = model.with_parts(drivers=[ch.Driver("turn", "a pin", ch.Signal.constant(0.0))])
    assert "1 driver, 1 coupling" in repr(driven)
    with pytest.raises(ch.InvalidOption, match="'mesh' is a coupling, which is not kept"):
        ch.designate(model).certificate("mesh")
