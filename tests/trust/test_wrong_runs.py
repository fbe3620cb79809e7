"""A run that is wrong is never "finished" without a word, and one that is right raises no alarm."""

import warnings

import numpy as np
import pytest
from mechanisms import EXAMPLES, SPACES, pendulum

import chasles as ch
from chasles.run.checks import step_that_would_do
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of

STABILISERS = (None, "projection", "baumgarte", "ggl", "projection of all joints",
               "baumgarte of all joints", "ggl of all joints")  # fmt: skip


def dropped(damping):
    """1 kg on a rail, held back by a damper: RK4 is stable below damping * step / mass = 2.785."""
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 1))
    rail = ch.Prismatic("rail", ch.GROUND, ball, at=(0, 0, 1), axis=(0, 0, 1))
    damper = ch.Spring(
        "damper", ch.GROUND, ball, at=(0, 0, 0), at_b=(0, 0, 1), stiffness=0.0, damping=damping
    )
    return ch.Model([ball], [rail], forces=[damper])


def quadruped(stiffness, damping):
    """A trunk on four legs, whose feet stand on penalty springs."""
    trunk = ch.Body.box("trunk", (1, 0.5, 0.2), mass=20.0, position=(0, 0, 0.5))
    bodies, joints, forces = [trunk], [], []
    for k, (x, y) in enumerate(((0.4, 0.2), (0.4, -0.2), (-0.4, 0.2), (-0.4, -0.2))):
        leg = ch.Body.box(f"leg {k}", (0.05, 0.05, 0.4), mass=0.5, position=(x, y, 0.3))
        bodies.append(leg)
        joints.append(ch.Revolute(f"hip {k}", trunk, leg, at=(x, y, 0.5), axis=(0, 1, 0)))
        forces.append(ch.TorsionSpring(f"motor {k}", f"hip {k}", stiffness=500.0, damping=5.0))
        forces.append(
            ch.Bushing(
                f"foot {k}", ch.GROUND, leg, at=(x, y, 0.1),
                stiffness=[stiffness] * 3 + [0.0] * 3, damping=[damping] * 3 + [0.0] * 3,
            )
        )  # fmt: skip
    return ch.Model(bodies, joints, forces=forces)


def step_in(message):
    return float(message.split("Take a smaller step (")[1].split(" s would do")[0])


def oscillator(omega):
    """1 kg on a rail between springs: 0.1 m from where it rests, with no damper."""
    ball = ch.Body.sphere("ball", 0.05, mass=1.0, position=(1.1, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, ball, axis="x")
    spring = ch.Spring("spring", ch.GROUND, ball, (0, 0, 0), (1.1, 0, 0), omega**2, rest_length=1.0)
    return ch.Model([ball], [rail], [spring], gravity=(0, 0, 0))


#: SciPy's methods take tolerances; linearly implicit steps damp by design what they do not resolve.
STEPPED = sorted(m for m in ch.methods() if "scipy" not in m and m != "linearly-implicit")


@pytest.mark.parametrize("method", STEPPED)
@pytest.mark.parametrize("turned", [0.03, 0.3])
def test_what_swings_and_fades_or_grows_is_told(method, turned):
    """For 100 radians, in steps of some hundredths of one, or of a third, by any method."""
    omega, length = 300.0, 100.0 / 300.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = ch.simulate(oscillator(omega), length, step=turned / omega, method=method)
    off = abs(result.energy()[-1] / result.energy()[0] - 1)
    assert result.warnings if off > 0.15 else not (off < 0.02 and result.warnings)


@pytest.mark.parametrize("steered", ["by a controller", "by an impact"])
def test_no_step_is_advised_that_was_not_tried_with_what_steered_the_run(steered):
    """Without gravity nothing moves by itself, and any step would do: -ch = 8, and 4 with half."""
    free = dropped(8000.0)
    motor = ch.Motor("motor", "rail", effort=0.0)
    model = ch.Model(free.bodies, free.joints, [*free.forces, motor], gravity=(0, 0, 0))
    options = {"controller": lambda t, now: {"motor": 10.0 if t < 0.008 else 0.0}}
    if steered == "by an impact":
        stop = ch.Impact("stop", "rail", lower=0.0, upper=1.0)
        options = {"events": [stop], "start": {"rail": (0.0, -1e-3)}}
    with pytest.warns(ch.ChaslesWarning, match="smaller than 0.001 s"):
        ch.simulate(model, 0.01, step=1e-3, **options)


@pytest.mark.parametrize("damping", [2800.0, 3000.0])
def test_a_damper_too_stiff_for_the_step_is_told_with_time_force_and_a_step_that_would_do(damping):
    with pytest.warns(ch.ChaslesWarning, match="energy balance") as told:
        result = ch.simulate(dropped(damping), 1.0, 1e-3)
    message = str(told[0].message)
    assert result.warnings == (message,) and "with warnings" in repr(result)
    assert "since t = 0.016 s" in message and "'damper'" in message
    assert damping * step_in(message) < 2.785
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = ch.simulate(dropped(damping), 1.0, step_in(message))
    # Terminal velocity g / c, to be reached within 1 / c seconds.
    assert right.velocity("ball")[-1, 2] == pytest.approx(-9.80665 / damping, rel=1e-2)


def test_the_warning_of_a_run_by_hand_points_at_who_asks_for_its_result():
    sim = ch.Simulation(dropped(2800.0), step=1e-3)
    sim.step(steps=300)
    with pytest.warns(ch.ChaslesWarning, match="energy balance") as told:
        sim.result()
    assert told[0].filename == __file__


def test_a_standing_quadruped_on_stiff_feet_is_told():
    """What is unstable needs something to grow from: round-off is the same on all four feet."""
    with (
        pytest.warns(ch.ChaslesWarning, match=r"energy balance.*'foot \d'"),
        pytest.raises(ch.SimulationStopped, match=r"smaller step than 0\.001 s"),
    ):
        ch.simulate(quadruped(1e6, 1e3), 0.5, 1e-3, start={"hip 0": (0.0, 1e-3)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ch.simulate(quadruped(1e4, 1e2), 0.5, 1e-3).status == "finished"


@pytest.mark.parametrize("method", ["rk4", "generalized-alpha", "linearly-implicit", "bliedf2"])
@pytest.mark.parametrize("step", [5e-3, 2e-3, 5e-4])
def test_bounces_whose_energy_is_not_that_of_the_drop_are_told(method, step):
    """A ball and its rider on a coil hop on a stiff floor: nothing of the energy may be lost."""
    foot = ch.Body.sphere("foot", 0.05, mass=2.0, position=(0, 0, 0.55))
    rider = ch.Body.box("rider", (0.3, 0.3, 0.6), mass=18.0, position=(0, 0, 1.4))
    joints = [
        ch.Prismatic("rail", ch.GROUND, rider, at=(0, 0, 1.4), axis="z"),
        ch.Prismatic("leg", rider, foot, at=(0, 0, 0.55), axis="z"),
    ]
    forces = [
        ch.JointSpring("coil", "leg", stiffness=4000.0),
        ch.Contact("floor", ch.GROUND, foot, at=(0, 0, 0), axis="z", stiffness=2e5),
    ]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = ch.simulate(ch.Model([foot, rider], joints, forces), 2.0, step, method=method)
    share = np.abs(result.energy_balance()).max() / np.ptp(result.kinetic_energy())
    assert bool(told) or share < 0.05
    assert not told or share > 0.01


@pytest.mark.parametrize("steps", [1.9, 3.5])
def test_the_last_step_is_looked_at_too_and_weights_below_zero_hide_nothing(steps):
    """The weights of dopri5 are not all positive: the energy exchanged may come out negative."""
    arm = ch.Body.box("arm", (0.2, 0.1, 0.1), mass=1.0, position=(0.2, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), (0, 1, 0))
    spring = ch.Spring("spring", ch.GROUND, arm, at=(0.3, 0.2, 0.1), at_b=(0.2, 0, 0),
                       stiffness=2e5, damping=1.0)  # fmt: skip
    model = ch.Model([arm], [hinge], forces=[spring])
    with pytest.warns(ch.ChaslesWarning, match="energy balance"):
        result = ch.simulate(model, steps * 3e-2, 3e-2, method="dopri5")
    assert 0.01 < result.provenance.imbalance <= 1.0


@pytest.mark.parametrize("stabilise", STABILISERS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_papers_examples_raise_no_alarm(example, stabilise):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for spaces in SPACES:
            model = EXAMPLES[example]()
            result = ch.simulate(model, 0.2, 1e-3, spaces=spaces, stabilise=stabilise)
            assert result.provenance.imbalance < 1e-4 and result.warnings == ()


@pytest.mark.parametrize("benchmark", [b for b in ch.library if len(b.model().bodies) < 50],
                         ids=lambda b: b.name)  # fmt: skip
def test_the_library_raises_no_alarm_at_its_own_steps(benchmark):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        benchmark.run(until=min(benchmark.until, 500 * benchmark.step), save_every=100)


@pytest.mark.parametrize("stabilise", STABILISERS)
def test_what_is_welded_stands_still_and_may_go_on_from_there(stabilise):
    """Feedback holds it by motions of rounding, which are no motion and no forbidden velocity."""
    block = ch.Body.box("block", (0.3, 0.2, 0.1), mass=2.0, position=(0.7, 0.1, -0.3))
    model = ch.Model([block], [ch.Fixed("weld", ch.GROUND, block, at=(0.1, 0.2, 0.3))])
    options = {"spaces": "SE3", "stabilise": stabilise, "method": "dop853"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = ch.simulate(model, 0.15, 1e-3, **options)
        on = ch.simulate(model, 0.15, 1e-3, start=first.state(), **options)
    assert np.abs(on.position("block") - block.position).max() < 1e-12


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("spaces", ["auto", "SO3xR3"])
def test_a_gap_is_judged_by_the_size_of_its_joint_not_by_its_number(length, spaces):
    """A double pendulum in km, m and um; on SO3xR3 its joints drift by what the method leaves."""
    arm = ch.Body.box("arm", (length, length / 10, length / 10), mass=1.0,
                      position=(length / 2, 0, 0), angular_velocity=(0, 0, 6))  # fmt: skip
    hand = ch.Body.box("hand", (length, length / 10, length / 10), mass=1.0,
                       position=(1.5 * length, 0, 0), angular_velocity=(0, 3, 8))  # fmt: skip
    joints = [
        ch.Spherical("shoulder", ch.GROUND, arm, (0, 0, 0)),
        ch.Spherical("elbow", arm, hand, (length, 0, 0)),
    ]
    model = ch.Model([arm, hand], joints, gravity=(0, 0, -9.81 * length))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ch.simulate(model, 1.0, 1e-3, spaces=spaces)
    with pytest.warns(ch.ChaslesWarning), pytest.raises(ch.SimulationStopped, match="turns by"):
        ch.simulate(model, 1.0, 0.05, spaces="SO3xR3", method="euler")


def test_worst_gap_balance_and_seconds_are_in_the_repr():
    result = ch.simulate(EXAMPLES["threebar"](), 0.1, 1e-3, spaces="SE3")
    worst = max(result.violation(name).max() for name in result.model.joint_names)
    told = float(repr(result).split("worst gap ")[1].split(" m in 'middle'")[0])
    assert 0.1 * worst < told <= 1.001 * worst
    assert f"energy balanced to {result.provenance.imbalance:.1e}" in repr(result)
    assert repr(result).endswith(" s)")


def test_the_worst_gap_is_that_of_the_joint_that_drifts_also_where_it_is_small():
    """Rounding of exact joints is a larger share of what is promised of them."""
    result = ch.simulate(EXAMPLES["threebar"](), 0.1, 1e-3)
    gaps = {name: result.violation(name).max() for name in result.model.joint_names}
    widest = max(gaps, key=gaps.__getitem__)
    assert widest in result.designation.drifting and gaps[widest] > 1e-12
    told, joint = repr(result).split("worst gap ")[1].split("'")[:2]
    assert joint == widest
    assert 0.1 * gaps[widest] < float(told.split()[0]) <= 1.001 * gaps[widest]


def test_a_function_that_is_called_at_every_stage_is_told():
    noise = np.random.default_rng(1).normal(size=4096)
    motor = ch.Motor("shaker", "hinge", effort=lambda t: float(noise[int(t * 1e6) % 4096]))
    with pytest.warns(ch.ChaslesWarning, match="'shaker'"):
        result = ch.simulate(pendulum(forces=[motor]), 0.05, 1e-3)
    assert any("Signal.table" in text for text in result.warnings)


def test_looking_for_a_step_that_would_do_asks_functions_of_users_a_few_thousand_times():
    """A warning is no reason to repeat a long run again and again by a slow formula."""
    calls = [0]

    def by_hand(t, x, rotation, v, omega):
        calls[0] += 1
        return (0.0, 0.0, -2800.0 * v[2]), (0.0, 0.0, 0.0)

    model = dropped(1.0)
    model = ch.Model(model.bodies, model.joints, [ch.CustomForce("by hand", "ball", by_hand)])
    stepper = stepper_of(make_settings(ByHand(model)), 1e-3, 100.0)
    calls[0] = 0
    for until, found in ((0.016, 5e-4), (100.0, None)):
        assert step_that_would_do(stepper, 1e-3, until) == found
    assert 0 < calls[0] < 4 * 2_000
