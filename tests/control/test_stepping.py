"""A Simulation that is stepped by hand has the bits of `simulate`."""

from itertools import pairwise

import numpy as np
import pytest
from mechanisms import motored_pendulum, pendulum, straight_chain

import chasles as ch


def leg(*forces, drivers=()):
    """Two rods on hinges."""
    return straight_chain(
        (2.0, 1.0), names=("a", "b"), joints=("hip", "knee"), forces=forces, drivers=drivers
    )


def loop():
    """A slider-crank with one degree of freedom, whose guide is cut."""
    crank = ch.Body.rod("crank", 0.2, mass=1, position=(0.1, 0, 0), angular_velocity=(0, 0, 10))
    coupler = ch.Body.rod("coupler", 0.6, mass=2, position=(0.5, 0, 0))
    piston = ch.Body.box("piston", (0.1, 0.05, 0.05), mass=1, position=(0.8, 0, 0))
    joints = [
        ch.Revolute("bearing", ch.GROUND, crank, at=(0, 0, 0), axis=(0, 0, 1)),
        ch.Spherical("crank pin", crank, coupler, at=(0.2, 0, 0)),
        ch.Cylindrical("piston pin", coupler, piston, at=(0.8, 0, 0), axis=(0, 0, 1)),
        ch.Prismatic("guide", ch.GROUND, piston, axis=(1, 0, 0)),
    ]
    return ch.Model([crank, coupler, piston], joints)


def floating():
    """Two bodies on a hinge, thrown: momentum is put back."""
    a = ch.Body.rod("a", 1.0, mass=2.0, position=(0.5, 0, 0), angular_velocity=(0.1, 2, 0.3),
                    velocity=(0.3, 0, 1.0))  # fmt: skip
    b = ch.Body.rod("b", 1.0, mass=1.0, position=(1.5, 0, 0))
    return ch.Model([a, b], [ch.Revolute("hinge", a, b, at=(1, 0, 0), axis=(0, 1, 0))],
                    gravity=(0, 0, 0))  # fmt: skip


def redundant():
    """A planar four-bar with four hinges."""
    corners = [(0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4), (0.5, 0, 0)]
    names = ["crank", "coupler", "rocker"]
    bars = [
        ch.Body.rod(name, mass=1.0, between=pair, radius=0.01)
        for name, pair in zip(names, pairwise(corners))
    ]
    ends = ["ground", *names, "ground"]
    hinges = [
        ch.Revolute(f"hinge {k}", ends[k], ends[k + 1], at=at, axis=(0, 1, 0))
        for k, at in enumerate(corners)
    ]
    return ch.Model(bars, hinges)


def swinging(t):
    return 0.3 * np.sin(4.0 * t) + 0.1 * np.abs(t - 0.15)  # with a kink that is asked for


CASES = {
    "tree": (leg, {}),
    "charts": (leg, {"spaces": "SE3", "method": "dopri5"}),
    "mixed charts, projected": (leg, {"spaces": "SO3xR3", "stabilise": "projection"}),
    "loop": (loop, {}),
    "loop, projected": (loop, {"stabilise": "projection"}),
    "loop on charts, fed back": (loop, {"spaces": "SO3xR3", "stabilise": "baumgarte"}),
    "floating": (floating, {}),
    "floating on charts": (floating, {"spaces": "SE3"}),
    "redundant": (redundant, {"stabilise": "projection"}),
    "driver": (
        lambda: leg(drivers=[ch.Driver("drive", "hip", ch.Signal.sine(0.2, 1.0))]),
        {"stabilise": "projection"},
    ),
    "motors": (
        lambda: leg(
            ch.Motor("motor", "hip", effort=swinging),
            ch.Servo("servo", "knee", lambda t: np.cos(t) - 1, stiffness=5.0, limit=1.0),
        ),
        {},
    ),
    "started elsewhere": (leg, {"start": {"knee": (0.3, -1.0)}}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_single_steps_have_the_bits_of_simulate(case):
    make, options = CASES[case]
    model = make()
    whole = ch.simulate(model, 0.25, 1e-3, **options)
    sim = ch.Simulation(model, 1e-3, **options)
    for count in (1, 1, 7, 60, 1, 180):
        sim.step(steps=count)
    result = sim.result()
    for what in ("t", "absolute", "integrals", "coordinates"):
        mine, theirs = getattr(result, what), getattr(whole, what)
        assert (mine is None and theirs is None) or np.array_equal(mine, theirs, equal_nan=True)
    assert sim.time == whole.t[-1]
    assert np.array_equal(sim.state.position, whole.state().position)
    assert result.provenance.worst_gap == whole.provenance.worst_gap
    assert result.status == "finished" and len(result.t) == 251
    for joint, value in sim.coordinates.items():
        # What one state tells of an angle is up to the rounding of poses, where they tell it
        assert value == pytest.approx(whole.coordinate(joint)[-1], abs=1e-13)
        rate = whole.coordinate_rate(joint)[-1]
        assert sim.rates[joint] == pytest.approx(rate, abs=1e-12 * max(1.0, abs(rate)))


def test_a_reset_begins_anew_and_elsewhere():
    sim = ch.Simulation(leg(ch.Motor("motor", "hip", effort=0.0)), 1e-3)
    sim.step({"motor": 3.0}, steps=20)
    first = sim.result().absolute
    sim.reset()
    assert sim.time == 0.0 and sim.inputs == {"motor": 0.0}
    sim.step({"motor": 3.0}, steps=20)
    assert np.array_equal(sim.result().absolute, first)
    sim.reset(start={"knee": 0.5})
    assert sim.coordinates["knee"] == 0.5
    sim.reset()
    assert sim.coordinates["knee"] == 0.5  # the start that was given last


def test_inputs_are_held_and_have_the_bits_of_a_controller():
    model = leg(ch.Motor("motor", "hip", effort=0.0), ch.Servo("servo", "knee", stiffness=9.0))
    sim = ch.Simulation(model, 1e-3)
    for k in range(20):
        sim.step({"motor": 2.0 - k}, steps=5)
        sim.step({"servo": 0.01 * k}, steps=5)

    def controller(t, state):
        k, half = divmod(round(t / 5e-3), 2)
        return {"servo": 0.01 * k} if half else {"motor": 2.0 - k}

    whole = ch.simulate(model, 0.2, 1e-3, controller=controller, sample=5e-3)
    result = sim.result()
    assert np.array_equal(result.absolute, whole.absolute)
    assert np.array_equal(result.effort("motor"), whole.effort("motor"))
    assert np.allclose(result.effort("motor")[[0, 9, 10, 199]], [2.0, 2.0, 1.0, -17.0])
    assert sim.inputs == {"motor": -17.0, "servo": 0.19}


def test_before_the_first_input_nothing_is_held(tmp_path):
    run = ch.Simulation(leg(ch.Motor("motor", "hip", effort=0.5)), 1e-2)
    run.step(steps=3)
    run.step({"motor": 2.0}, steps=2)
    expected = [0.5, 0.5, 0.5, 2.5, 2.5, 2.5]
    for found in (run.result(), ch.load(run.result().save(tmp_path / "run.nc"))):
        assert found.effort("motor").tolist() == expected


def test_the_input_of_a_servo_is_its_target():
    """Whatever target the model has: the bits are those of a servo with the input as its own."""

    def servo(target):
        return leg(ch.Servo("servo", "knee", target, stiffness=9.0, damping=0.5, effort=0.1))

    sim = ch.Simulation(servo(0.5), 1e-3)
    assert sim.inputs == {"servo": 0.5}
    sim.step({"servo": 0.25}, steps=100)
    assert sim.inputs == {"servo": 0.25}
    other = ch.Simulation(servo(0.25), 1e-3)
    other.step(steps=100)
    assert np.array_equal(sim.result().absolute, other.result().absolute)
    steered = ch.simulate(servo(0.5), 0.1, 1e-3, controller=lambda t, state: {"servo": 0.25})
    assert np.array_equal(steered.absolute, other.result().absolute)
    assert np.array_equal(steered.effort("servo"), other.result().effort("servo"))


def test_without_stiffness_it_is_the_rate_of_the_target():
    model = leg(ch.Servo("servo", "knee", 0.7, damping=9.0))
    sim = ch.Simulation(model, 1e-3)
    assert sim.inputs == {"servo": 0.0}
    sim.step({"servo": 1.5}, steps=100)
    slide = leg(ch.Servo("servo", "knee", ch.Signal.linear(1.5), damping=9.0))
    assert np.array_equal(sim.result().absolute, ch.simulate(slide, 0.1, 1e-3).absolute)


def test_a_target_that_moves_by_itself_takes_no_input(refusal):
    sim = ch.Simulation(leg(ch.Servo("servo", "knee", np.sin, stiffness=9.0)), 1e-3)
    message = refusal(lambda: sim.step({"servo": 1.0}), ch.ChaslesError)
    assert "servo 'servo' has a target that is a function of time" in message
    assert sim.inputs == {}


def test_a_run_without_end_keeps_nothing_but_its_last_state():
    sim = ch.Simulation(leg(), 1e-3, save_every=0)
    sim.step(steps=5000)
    assert len(sim.result().t) == 2 and sim._run.output.points.shape[0] == 256


def test_functions_of_time_reach_as_far_as_the_steps_go():
    model = leg(ch.Motor("motor", "hip", effort=lambda t: np.exp(-t) * np.sin(7 * t)))
    whole = ch.simulate(model, 5.0, 1e-2)
    sim = ch.Simulation(model, 1e-2)
    for _ in range(500):
        sim.step()
    assert np.array_equal(sim.result().absolute, whole.absolute)


def test_a_result_goes_on_in_time_with_the_bits_of_a_longer_run():
    for case in ("tree", "charts", "loop, projected", "floating on charts", "motors"):
        make, options = CASES[case]
        model = make()
        whole = ch.simulate(model, 0.2, 1e-3, **options)
        half = ch.simulate(model, 0.1005, 1e-3, **options)
        rest = ch.simulate(model, 0.2, 1e-3, start=half, **options)
        assert np.array_equal(rest.t, whole.t[100:])
        assert np.array_equal(rest.absolute, whole.absolute[100:])
        assert np.array_equal(rest.integrals, whole.integrals[100:])
        sim = ch.Simulation(model, 1e-3, start=half, **options)
        sim.step(steps=100)
        assert np.array_equal(sim.result().absolute, rest.absolute)


def test_a_result_that_goes_on_between_two_samples_tells_what_was_held():
    """Accelerations and efforts are read out later: they need the input that held at the join."""

    def control(t, state):
        return {"motor": 1.0 - 0.5 * state.rate("hinge")}

    model = motored_pendulum()
    options = {"step": 1e-3, "controller": control, "sample": 0.02}
    whole = ch.simulate(model, 0.2, **options)
    rest = ch.simulate(model, 0.2, start=ch.simulate(model, 0.11, **options), **options)
    for read in (lambda r: r.effort("motor"), lambda r: r.acceleration("arm")):
        assert np.array_equal(read(rest), read(whole)[110:]) and np.any(read(rest))


def test_a_saved_result_goes_on_too(tmp_path):
    model = leg()
    whole = ch.simulate(model, 0.2, 1e-3)
    ch.simulate(model, 0.1, 1e-3).save(tmp_path / "half.nc")
    rest = ch.simulate(model, 0.2, 1e-3, start=ch.load(tmp_path / "half.nc"))
    assert np.array_equal(rest.absolute, whole.absolute[100:])


def test_another_step_goes_on_from_the_same_time():
    model = leg()
    half = ch.simulate(model, 0.1, 1e-3)
    rest = ch.simulate(model, 0.2, 5e-4, start=half)
    assert rest.t[0] == half.t[-1] and rest.t[-1] == pytest.approx(0.2)
    whole = ch.simulate(model, 0.2, 5e-4)
    assert np.abs(rest.absolute[-1] - whole.absolute[-1]).max() < 1e-9


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda s: s.step({"motr": 1.0}), "motor or servo"),
        (lambda s: s.step({"motor": "full"}), "input of 'motor' must be a number"),
        (lambda s: s.step({"motor": np.nan}), "input of 'motor' must be finite"),
        (lambda s: s.step(3.0), "inputs at t = 0 s must be a dict"),
        (lambda s: s.step(steps=0),
         "steps must be a whole number from 1 to 1000000000000000, got 0"),
        (lambda s: s.step(steps=2.5),
         "steps must be a whole number from 1 to 1000000000000000, got 2.5"),
        (lambda s: ch.Simulation(s.model), "step was left out"),
        (lambda s: ch.Simulation(s.model, -1.0), "step must be positive"),
        (lambda s: ch.Simulation(s.model, 1e-3, save_every=-1), "save_every must be a whole"),
        (lambda s: ch.Simulation("model", 1e-3), "model"),
        (lambda s: ch.simulate(s.model, 1.0, 1e-3, start=ch.simulate(leg(), 0.1, 1e-2)),
         "the result is one of another model"),
        (lambda s: ch.simulate(s.model, 0.05, 1e-2, start=ch.simulate(s.model, 0.1, 1e-2)),
         "the run to continue is at 0.1 s already"),
        (lambda s: ch.simulate(s.model, 1.0, 1e-2, spaces="SE3",
                               start=ch.simulate(s.model, 0.1, 1e-2)), "in other spaces"),
    ],
)  # fmt: skip
def test_bad_calls_are_refused_by_name(call, words):
    sim = ch.Simulation(leg(ch.Motor("motor", "hip", effort=0.0)), 1e-3)
    with pytest.raises(ch.ChaslesError) as refused:
        call(sim)
    assert words in str(refused.value)


def test_a_simulation_that_stops_says_why_and_keeps_its_result():
    def fails(t):
        return 1.0 if t < 0.05 else np.nan

    sim = ch.Simulation(leg(ch.Motor("motor", "hip", effort=fails)), 1e-2)
    with pytest.raises(ch.SimulationStopped, match="force 'motor'") as stopped:
        sim.step(steps=10)
    assert 0.03 < stopped.value.result.t[-1] < 0.06
    with pytest.raises(ch.SimulationStopped):
        sim.step()
    sim.reset()
    sim.step()


def test_as_many_steps_as_there_may_be_take_no_memory():
    """With tolerances they are taken in pieces, as in a run."""
    by_hand = ch.Simulation(leg(), rtol=1e-6, save_every=0)
    run, pieces = by_hand._run, []
    take = run.take

    def counted(most):
        pieces.append(most)
        run.interrupted = len(pieces) > 2
        take(most)

    run.take = counted
    by_hand.step(steps=10**14)
    assert max(pieces) <= run.pace.largest < 10**5


@pytest.mark.parametrize("method", ["dop853", "scipy RK45"])
def test_inputs_of_a_run_that_chooses_its_steps(method):
    """2 N m, then -1 N m on 1 kg m^2: in closed form."""
    model = pendulum([ch.Motor("motor", "hinge", effort=0.5)], mass=3.0, axis="z")
    run = ch.Simulation(model, rtol=1e-10, method=method, max_step=0.02)
    while run.time < 0.3:
        run.step({"motor": 1.5})
    switched, speed = run.time, 2.0 * run.time
    assert run.coordinates["hinge"] == pytest.approx(switched**2, rel=1e-7)
    while run.time < 0.6:
        run.step({"motor": -1.5})
    rest = run.time - switched
    expected = switched**2 + speed * rest - 0.5 * rest**2
    assert run.coordinates["hinge"] == pytest.approx(expected, rel=1e-7)
    assert run.rates["hinge"] == pytest.approx(speed - rest, rel=1e-7)
    assert run.result().work("motor")[-1] == pytest.approx(0.5 * (speed - rest) ** 2, rel=1e-6)
