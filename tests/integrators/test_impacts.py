"""Impacts on ends of joints: times, rates and energies in closed form, in every space."""

import numpy as np
import pytest
from machines import hanging_sledge
from mechanisms import chain, moving

import chasles as ch
from chasles.core.state_block import EXCHANGED, SUPPLIED, SUPPLY_WIDTH
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of

GRAVITY, DROP = 9.81, 0.5
TIGHT = {"rtol": 1e-10, "atol": 1e-12, "method": "dop853"}
SPACES = ("framed", "SE3", "subgroups")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("restitution", [1.0, 0.7])
def test_bounces_are_those_of_a_ball(space, restitution):
    """t_1 = sqrt(2 h / g), and every bounce takes e times as long as the one before."""
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=restitution)
    result = ch.simulate(hanging_sledge(), 1.2, spaces=space, events=[stop], **TIGHT)
    first = np.sqrt(2 * DROP / GRAVITY)
    expected = [first]
    while expected[-1] < 1.2:
        expected.append(expected[-1] + 2 * first * restitution ** len(expected))
    np.testing.assert_allclose(result.events["stop"], expected[:-1], atol=1e-10)
    assert result.coordinate("rail").min() > -DROP - 1e-9
    assert np.all(np.diff(result.t) > 0)
    assert result.warnings == ()


def test_what_an_impact_takes_is_supplied_and_exchanged():
    """m v^2 (1 - e^2) / 2 once, without gravity; balances are judged by what is exchanged."""
    block = ch.Body.box("block", (0.1, 0.1, 0.1), mass=3.0, velocity=(0, 0, 2.0))
    rail = ch.Prismatic("rail", ch.GROUND, block, axis="z")
    model = ch.Model([block], [rail], gravity=(0, 0, 0))
    stop = ch.Impact("stop", rail, upper=0.5, restitution=0.5)
    result = ch.simulate(model, 0.4, step=1e-2, events=[stop])
    first = stepper_of(make_settings(ByHand(model)), 1e-2, 0.4).layout.supply
    taken = 0.5 * 3.0 * 2.0**2 * (1 - 0.5**2)
    supply = result.checkpoint.block[first : first + SUPPLY_WIDTH]
    assert (supply[SUPPLIED], supply[EXCHANGED]) == pytest.approx((-taken, taken), rel=1e-12)


@pytest.mark.parametrize("options", [{"rtol": 1e-8}, {"step": 1e-3}])
@pytest.mark.parametrize("upper", [-0.1, 9.0])
def test_what_an_impact_takes_is_no_energy_that_a_stop_beside_it_misses(options, upper):
    """Thrown up from the rigid end, the sledge meets a stop, or does not."""
    end = ch.Impact("end", "rail", lower=-DROP, restitution=0.8)
    stop = ch.JointStop("stop", "rail", upper=upper, stiffness=1e4, damping=5.0)
    model = hanging_sledge().with_parts(forces=[stop])
    run = ch.simulate(model, 1.5, start={"rail": (-0.4, 4.0)}, events=[end], **options)
    assert (run.work("stop")[-1] < 0.0) == (upper < 0.0)
    assert run.events["end"].size > 0 and run.warnings == ()


def test_a_run_that_comes_to_rest_says_where_its_result_is():
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=0.5)
    with pytest.raises(ch.SimulationStopped, match="comes to rest at its end") as stopped:
        ch.simulate(hanging_sledge(), 3.0, step=1e-2, events=[stop])
    (note,) = stopped.value.__notes__
    assert "stopped.result has the run so far" in note and stopped.value.result.t[-1] < 3.0


@pytest.mark.parametrize("space", SPACES)
def test_an_elastic_impact_keeps_the_energy_of_any_mechanism(space):
    rng = np.random.default_rng(5)
    model = moving(chain(rng, ["spherical", "revolute", "revolute"]), rng, speed=3.0)
    stop = ch.Impact("stop", "joint 1", lower=-0.4, upper=0.4)
    options = {"spaces": space, **TIGHT}
    result = ch.simulate(model, 2.0, events=[stop], **options)
    assert len(result.events["stop"]) >= 3
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-7 * result.kinetic_energy().max()
    assert np.abs(result.coordinate("joint 1")).max() < 0.4 + 1e-9
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-9


@pytest.mark.parametrize("order", [2, 3, 4])
def test_methods_with_past_points_keep_their_order_through_impacts(order):
    """They begin anew after each; `dop853` with its tolerances is exact beside them."""
    arms = [
        ch.Body.rod(name, length=1.0, mass=1.0, position=(x, 0, 0)) for name, x in
        (("upper", 0.5), ("lower", 1.5))
    ]  # fmt: skip
    shoulder = ch.Revolute("shoulder", ch.GROUND, arms[0], (0, 0, 0), "y")
    elbow = ch.Revolute("elbow", *arms, (1, 0, 0), "y", armature=0.01)
    model = ch.Model(arms, [shoulder, elbow])
    stops = [
        ch.Impact("stop", "elbow", lower=-0.3, upper=0.3, restitution=0.7),
        ch.Impact("wall", "shoulder", upper=1.0, restitution=0.5),
    ]
    exact = ch.simulate(model, 0.8, events=stops, **TIGHT)
    assert [len(times) for times in exact.events.values()] == [4, 5]
    missed = []
    for step in (2e-3, 1e-3, 5e-4):
        found = ch.simulate(model, 0.8, step, method=f"bliedf{order}", events=stops)
        missed.append(np.abs(found.position("lower")[-1] - exact.position("lower")[-1]).max())
        for name, times in exact.events.items():
            assert found.events[name] == pytest.approx(times, abs=1e-4)
    assert np.log2(missed[0] / missed[2]) / 2.0 > order - 0.4


def test_impacts_are_the_same_in_every_space():
    rng = np.random.default_rng(5)
    model = moving(chain(rng, ["spherical", "revolute", "revolute"]), rng, speed=3.0)
    stop = ch.Impact("stop", "joint 1", lower=-0.4, upper=0.4, restitution=0.8)
    times = [
        ch.simulate(model, 1.0, events=[stop], spaces=space, **TIGHT).events["stop"]
        for space in SPACES
    ]
    for found in times[1:]:
        np.testing.assert_allclose(found, times[0], atol=1e-7)


def test_wanted_times_after_an_impact_are_those_of_the_motion_after_it():
    stop = ch.Impact("stop", "rail", lower=-DROP)
    wanted = np.linspace(0.0, 1.2, 61)
    result = ch.simulate(hanging_sledge(), 1.2, events=[stop], t_eval=wanted, **TIGHT)
    first = np.sqrt(2 * DROP / GRAVITY)
    since = (wanted + first) % (2 * first) - first  # from the top of the arc
    np.testing.assert_array_equal(result.t, wanted)
    np.testing.assert_allclose(result.coordinate("rail"), -0.5 * GRAVITY * since**2, atol=1e-8)


def test_bounces_that_become_ever_shorter_end_in_a_rest_that_is_told():
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=0.5)
    with pytest.raises(ch.SimulationStopped, match="comes to rest at its end") as stopped:
        ch.simulate(hanging_sledge(), 2.0, events=[stop], rtol=1e-8, method="dopri5")
    first = np.sqrt(2 * DROP / GRAVITY)
    assert stopped.value.result.t[-1] == pytest.approx(first * 3, rel=1e-5)  # 1 + 2 (1/2 + ...)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"upper": 0.1, "restitution": 1.5}, "restitution must be from 0 to 1"),
        ({}, "both left out"),
        ({"lower": 1.0, "upper": 0.0}, "lower must be below upper"),
        ({"upper": float("nan")}, "upper must be finite"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ch.InvalidOption, match=message):
        ch.Impact("stop", "rail", **options)


def test_an_impact_on_a_joint_without_the_coordinate_is_refused():
    with pytest.raises(ch.ChaslesError, match="rail"):
        stop = ch.Impact("stop", "rail", upper=1.0, coordinate="angle")
        ch.simulate(hanging_sledge(), 1.0, events=[stop], **TIGHT)


@pytest.mark.parametrize("space", SPACES)
def test_a_run_that_starts_at_an_end_and_moves_towards_it_bounces_at_once(space):
    """v_1 = e v_0, and the block is back at t = 2 v_1 / g."""
    stop = ch.Impact("stop", "rail", lower=0.0, restitution=0.5)
    start = {"rail": (0.0, -2.0)}
    result = ch.simulate(hanging_sledge(), 0.25, spaces=space, start=start, events=[stop], **TIGHT)
    np.testing.assert_allclose(result.events["stop"], [0.0, 2.0 / GRAVITY], atol=1e-10)
    assert result.coordinate("rail").min() > -1e-9


@pytest.mark.parametrize("method", ["bs3", "dop853", "scipy RK45"])
@pytest.mark.parametrize("speed", [1e-3, 1e-2])
def test_short_bounces_at_the_start_are_seen_one_by_one(method, speed):
    """The first step is as short as those after other impacts: t_k = k 2 v / g."""
    period = 2.0 * speed / GRAVITY
    stop = ch.Impact("stop", "rail", lower=0.0)
    found = ch.simulate(
        hanging_sledge(), 60.5 * period, rtol=1e-4, method=method, start={"rail": (0.0, -speed)},
        events=[stop],
    ).events["stop"]  # fmt: skip
    assert found == pytest.approx(period * np.arange(61), abs=1e-8 * period)


def test_what_starts_at_rest_on_an_end_is_another_model():
    with pytest.raises(ch.SimulationStopped, match="comes to rest"):
        ch.simulate(hanging_sledge(), 1.0, events=[ch.Impact("stop", "rail", lower=0.0)], **TIGHT)
    up = ch.Impact("stop", "rail", upper=0.0)  # it falls away from this one
    assert not len(ch.simulate(hanging_sledge(), 1.0, events=[up], **TIGHT).events["stop"])


def test_a_start_beyond_an_end_is_refused():
    with pytest.raises(ch.ChaslesError, match="starts at 0, beyond the end"):
        ch.simulate(hanging_sledge(), 1.0, events=[ch.Impact("stop", "rail", lower=0.1)], **TIGHT)


def two_rails(armature=0.0, coupled=False, massless=False, formula=False, gravity=(0, 0, -GRAVITY)):
    """Blocks on rails beside each other."""
    bodies = [ch.Body.box(n, size=(0.1, 0.1, 0.1), mass=1.0) for n in ("one", "two")]
    rails = [
        ch.Prismatic(f"rail {b.name}", ch.GROUND, b, axis=(0, 0, 1), armature=armature)
        for b in bodies
    ]
    if massless:
        frame = ch.Body.frame("frame")
        bodies[1:], rails[1:] = (
            [frame, bodies[1]],
            [
                ch.Prismatic("beside", ch.GROUND, frame, axis=(1, 0, 0)),
                ch.Prismatic("rail two", frame, bodies[1], axis=(0, 0, 1)),
            ],
        )
    ties = [ch.Coupling("tie", {"rail one": 1, "rail two": 0.5})] if coupled else []
    if formula:
        ties = [ch.CustomCoupling("tie", ["one", "two"], lambda a, b: a[1][2] + 0.5 * b[1][2])]
    return ch.Model(bodies, rails, drivers=ties, gravity=gravity)


def rates_after(model, joint, start, e, **options):
    """Rates of all joints just after an impact at the start."""
    stop = ch.Impact("stop", joint, lower=start[joint][0], restitution=e)
    result = ch.simulate(model, 1e-7, 5e-8, start=start, events=[stop], **options)
    np.testing.assert_array_equal(result.events["stop"], [0.0])
    return {name: result.coordinate_rate(name)[-1] for name in model.joint_names}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("armature", [0.0, 0.3])
def test_bounces_of_a_geared_block_are_those_of_a_ball_with_less_weight(space, armature):
    """The rotor has inertia and no weight: g m / (m + I_r), and rebounds keep their fraction."""
    model, e = hanging_sledge(), 0.7
    rail = ch.Prismatic("rail", ch.GROUND, "sledge", axis="z", armature=armature)
    model = ch.Model(model.bodies, [rail], gravity=model.gravity)
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=e)
    result = ch.simulate(model, 1.2, spaces=space, events=[stop], **TIGHT)
    first = np.sqrt(2 * DROP * (2.0 + armature) / 2.0 / GRAVITY)
    expected = first * (1 + 2 * np.cumsum([0, e, e**2]))
    np.testing.assert_allclose(result.events["stop"][:2], expected[:2], atol=1e-9)
    lost = 0.5 * (2.0 + armature) * (1 - e**2) * 2 * GRAVITY * 2.0 / (2.0 + armature) * DROP
    between = (result.t > expected[0] + 1e-6) & (result.t < expected[1] - 1e-6)
    gone = result.energy()[0] - result.energy()[between]
    np.testing.assert_allclose(gone, lost, rtol=1e-6)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("geared", [(0.0, 0.0), (0.4, 0.0), (0.4, 0.2)])
def test_the_elbow_hits_its_end_and_the_shoulder_keeps_its_momentum(space, geared):
    """M_11 q_1' + M_12 q_2' is kept, with M of two rods and what is geared to their hinges."""
    (m1, l1), (m2, l2), e, bend = (1.3, 0.8), (0.7, 1.1), 0.6, 0.5
    upper = ch.Body.rod("upper", length=l1, mass=m1, position=(l1 / 2, 0, 0))
    lower = ch.Body.rod("lower", length=l2, mass=m2, position=(l1 + l2 / 2, 0, 0))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis="z", armature=geared[0]),
        ch.Revolute("elbow", upper, lower, at=(l1, 0, 0), axis="z", armature=geared[1]),
    ]
    model = ch.Model([upper, lower], joints, gravity=(0, 0, 0))
    inertia = m2 * l2**2 / 3
    cross = m2 * l1 * l2 / 2 * np.cos(bend)
    first = m1 * l1**2 / 3 + m2 * l1**2 + inertia + 2 * cross + geared[0]
    second = inertia + cross
    start = {"shoulder": (0.2, 0.9), "elbow": (bend, -2.0)}
    found = rates_after(model, "elbow", start, e, spaces=space)
    assert found["elbow"] == pytest.approx(2.0 * e, abs=1e-5)
    kept = first * 0.9 + second * -2.0
    assert first * found["shoulder"] + second * 2.0 * e == pytest.approx(kept, abs=1e-5)


@pytest.mark.parametrize("space", SPACES)
def test_a_coupling_passes_the_impulse_on(space):
    start = {"rail one": (0.0, -2.0), "rail two": (0.0, 4.0)}
    found = rates_after(
        two_rails(coupled=True, gravity=(0, 0, 0)), "rail one", start, 0.5, spaces=space
    )
    assert found == pytest.approx({"rail one": 1.0, "rail two": -2.0})


def test_a_frame_without_mass_lets_the_block_keep_its_way():
    start = {"rail one": (0.0, 0.3), "beside": (0.0, 1.5), "rail two": (0.0, -2.0)}
    found = rates_after(two_rails(massless=True, gravity=(0, 0, 0)), "rail two", start, 0.5)
    assert found == pytest.approx({"rail one": 0.3, "beside": 1.5, "rail two": 1.0})


def bounces(first, restitution, until):
    """Times of the bounces of what falls onto an end in `first` seconds."""
    times = [first]
    while times[-1] < until:
        times.append(times[-1] + 2 * first * restitution ** len(times))
    return times[:-1]


@pytest.mark.parametrize(
    ("options", "rail", "pull"),
    [
        ({"armature": 0.3}, "rail one", GRAVITY / 1.3),
        ({"armature": 0.3, "coupled": True}, "rail two", 0.5 * GRAVITY / (1.3 * 1.25)),
        ({"coupled": True}, "rail two", 0.5 * GRAVITY / 1.25),
        ({"formula": True}, "rail two", 0.5 * GRAVITY / 1.25),
        ({"massless": True}, "rail two", GRAVITY),
        ({"massless": True, "coupled": True}, "rail two", 0.5 * GRAVITY / 1.25),
    ],
)
def test_impacts_know_rotors_couplings_and_frames(options, rail, pull):
    """Two falls by q, and one rises by q / 2 where they are coupled, which moves 1 + 1/4 kg."""
    stop = ch.Impact("stop", rail, lower=-0.1, restitution=0.8)
    model = two_rails(**options)
    run = ch.simulate(model, 0.5, events=[stop], method="dop853", rtol=1e-10)
    expected = bounces(np.sqrt(2 * 0.1 / pull), 0.8, 0.5)
    np.testing.assert_allclose(run.events["stop"], expected, atol=1e-8)
    one, two = (run.coordinate(f"rail {name}") for name in ("one", "two"))
    if model.couplings:
        np.testing.assert_allclose(one, -0.5 * two, atol=1e-9)
    assert run.warnings == ()


def test_an_elastic_impact_on_a_cross_without_mass_keeps_energy_and_spin():
    """The end of its pitch has no moment about the vertical."""
    frame = ch.Body.frame("cross")
    rod = ch.Body.box("rod", (1.0, 0.2, 0.1), mass=1.0, position=(0.5, 0, 0))
    joints = [
        ch.Revolute("yaw", ch.GROUND, frame, (0, 0, 0), "z"),
        ch.Revolute("pitch", frame, rod, (0, 0, 0), "y"),
    ]
    stop = ch.Impact("stop", "pitch", lower=-0.2, upper=0.4)
    spun = {"yaw": (0.0, 3.0), "pitch": (0.0, 0.5)}
    model = ch.Model([frame, rod], joints)
    run = ch.simulate(model, 2.0, events=[stop], start=spun, method="dop853", rtol=1e-10)
    assert len(run.events["stop"]) == 4
    np.testing.assert_allclose(run.energy(), run.energy()[0], atol=1e-7)
    spin = run.angular_momentum()[:, 2]
    np.testing.assert_allclose(spin, spin[0], atol=1e-7)


@pytest.mark.parametrize("space", SPACES)
def test_a_fast_hinge_does_not_put_a_slow_block_to_rest(space):
    """Rad/s are not compared with m/s, nor one coordinate with another: the block bounces on."""
    wheel, block = (ch.Body.box(n, size=(0.1, 0.1, 0.1), mass=1.0) for n in ("wheel", "block"))
    joints = [
        ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis="z"),
        ch.Prismatic("rail", ch.GROUND, block, axis="x"),
    ]
    model = ch.Model([wheel, block], joints, gravity=(0, 0, 0))
    stops = [ch.Impact(n, n, lower=-w, upper=w) for n, w in (("axle", 1.0), ("rail", 1e-5))]
    start = {"axle": (0.0, 2e3), "rail": (0.0, 1e-3)}
    run = ch.simulate(model, 0.045, start=start, events=stops, spaces=space, **TIGHT)
    np.testing.assert_allclose(run.events["rail"], [0.01, 0.03], atol=1e-9)
    np.testing.assert_allclose(run.events["axle"], 5e-4 * np.arange(1, 90, 2), atol=1e-9)


@pytest.mark.parametrize("space", ["auto", "SE3"])
def test_the_last_of_blocks_that_touch_takes_all_of_the_speed(space):
    """Newton's cradle: the rounding of one impact is not another one."""
    blocks = [
        ch.Body.box(f"b{k}", size=(0.1, 0.1, 0.1), mass=1.0, position=(0.2 * k, 0, 0))
        for k in range(4)
    ]
    pairs = zip([ch.GROUND, *blocks[:-1]], blocks)
    rails = [ch.Prismatic(f"r{k}", a, b, axis="x") for k, (a, b) in enumerate(pairs)]
    model = ch.Model(blocks, rails, gravity=(0, 0, 0))
    stops = [ch.Impact(f"c{k}", f"r{k}", lower=-0.1 if k == 1 else 0.0) for k in (1, 2, 3)]
    start = {"r0": (0.0, 1.0), "r1": (0.0, -1.0)}
    run = ch.simulate(model, 0.5, 1e-2, start=start, events=stops, spaces=space)
    speeds = [run.velocity(block)[-1, 0] for block in blocks]
    np.testing.assert_allclose(speeds, [0, 0, 0, 1], atol=1e-12)
    for times in run.events.values():
        np.testing.assert_allclose(times, [0.1], atol=1e-12)


@pytest.mark.parametrize("space", ["auto", "SE3"])
def test_the_impulse_of_a_driver_that_moves_is_in_the_balance(space):
    """A block on a carriage turns back from its end: the drive of the carriage does work."""
    carriage = ch.Body.box("carriage", (0.1, 0.1, 0.1), mass=1.0, velocity=(3, 0, 0))
    block = ch.Body.box("block", (0.1, 0.1, 0.1), mass=2.0, position=(1, 0, 0), velocity=(0, 0, 0))
    rails = [
        ch.Prismatic("rail", ch.GROUND, carriage, axis="x"),
        ch.Prismatic("deck", carriage, block, axis="x"),
    ]
    drive = ch.Driver("drive", "rail", ch.Signal.linear(3.0))
    model = ch.Model([carriage, block], rails, drivers=[drive], gravity=(0, 0, 0))
    end = ch.Impact("end", "deck", lower=-0.5)
    run = ch.simulate(model, 0.3, 1e-2, events=[end], spaces=space)
    impulse = 2.0 * (run.velocity("block")[-1, 0] - run.velocity("block")[0, 0])
    assert impulse == pytest.approx(12.0)
    assert run.energy_balance()[-1] == pytest.approx(3.0 * impulse)
    assert run.work("drive")[-1] == pytest.approx(0.0, abs=1e-12)
