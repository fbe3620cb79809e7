"""A run may begin at any state that the joints allow, and goes on as if it had never stopped."""

from math import pi

import numpy as np
import pytest
from linkages import bar, bars
from loose_ends import ORIGIN, Y, Z, entered, shaken
from mechanisms import EXAMPLES, KINDS, SPACES, moving, tree

import chasles as ch


def differences(one: ch.State, other: ch.State) -> float:
    """The largest difference of two states, relative to the largest entry of each kind."""
    worst = 0.0
    for what in ("position", "rotation", "velocity", "angular_velocity"):
        a, b = getattr(one, what), getattr(other, what)
        worst = max(worst, float(np.abs(a - b).max() / (1.0 + np.abs(b).max())))
    return worst


def in_two_pieces(model, half, step, **options):
    """The last states of a whole run, and of one that was interrupted half way."""
    whole = ch.simulate(model, 2 * half, step, **options)
    first = ch.simulate(model, half, step, **options)
    return whole, ch.simulate(model, half, step, start=first.state(), **options)


@pytest.mark.parametrize("spaces", SPACES)
def test_a_tree_goes_on_from_a_state(spaces):
    rng = np.random.default_rng(11)
    model = moving(tree(rng, [-1, 0, 0, 1, 1, 2, 2], KINDS), rng)
    whole, second = in_two_pieces(model, 0.02, 1e-3, spaces=spaces, method="dop853")
    assert differences(second.state(), whole.state()) < 1e-12
    assert second.provenance["start"] == "a given state"
    assert whole.provenance["start"] == "as entered" and whole.assembly is None


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_go_on_from_a_state(example):
    whole, second = in_two_pieces(EXAMPLES[example](), 0.01, 1e-4)
    assert differences(second.state(), whole.state()) < 1e-12


def test_coordinates_go_on_counting_from_the_pose_entered():
    arm = bar("arm", ORIGIN, (1, 0, 0), angular_velocity=(0, 0, 2))
    rail = ch.Cylindrical("rail", ch.GROUND, arm, ORIGIN, Z)
    model = ch.Model([arm], [rail], gravity=(0, 0, -9.81))
    whole, second = in_two_pieces(model, 0.5, 1e-3)
    for which in ("angle", "displacement"):
        assert second.coordinate("rail", which) == pytest.approx(
            whole.coordinate("rail", which)[500:], abs=1e-13
        )


@pytest.mark.parametrize("grounded_first", [True, False])
@pytest.mark.parametrize("half", [0.9, 1.5, 2.2])
def test_a_torsion_spring_goes_on_beyond_half_a_turn(grounded_first, half):
    """It is wound up to five half turns; a state knows how often it has gone round."""
    arm = bar("arm", ORIGIN, (1, 0, 0))
    ends = (ch.GROUND, arm) if grounded_first else (arm, ch.GROUND)
    hinge = ch.Revolute("hinge", *ends, at=ORIGIN, axis=Y)
    forces = [
        ch.TorsionSpring("spring", hinge, stiffness=1.0, damping=0.02, rest=8.0),
        ch.Motor("motor", hinge, stiffness=0.1, damping=0.01, target=ch.Signal.constant(6.0)),
    ]
    model = ch.Model([arm], [hinge], forces=forces, gravity=ORIGIN)
    whole, second = in_two_pieces(model, half, 1e-3)
    state = second.state(0)
    assert state.angles["hinge"] == pytest.approx(whole.coordinate("hinge")[round(half * 1000)])
    assert whole.coordinate("hinge").max() > pi and abs(state.angles["hinge"]) > pi
    assert differences(second.state(), whole.state()) < 1e-11
    assert second.state().angles["hinge"] == pytest.approx(whole.state().angles["hinge"], abs=1e-11)
    assert second.coordinate("hinge")[0] == pytest.approx(state.angles["hinge"], abs=1e-13)
    assert np.abs(second.energy_balance()).max() < 1e-9


def test_without_angles_a_state_is_within_half_a_turn():
    arm = bar("arm", ORIGIN, (1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=ORIGIN, axis=Z)
    spring = ch.TorsionSpring("spring", hinge, stiffness=2.0, rest=0.0)
    model = ch.Model([arm], [hinge], forces=[spring], gravity=ORIGIN)
    # Half a turn less 0.1 rad, moving on at 1 rad/s: the angle passes pi and goes on to grow.
    angle = pi - 0.1
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], Z])
    position = turn @ arm.position
    velocity = np.cross((0, 0, 5), position)
    state = ch.State(0, ["arm"], [position], [turn], [velocity], [(0, 0, 5)])
    result = ch.simulate(model, 0.2, 1e-3, start=state)
    inertia = arm.inertia[2][2] + arm.mass * 0.25
    w = np.sqrt(2.0 / inertia)
    expected = angle * np.cos(w * result.t) + 5 / w * np.sin(w * result.t)
    assert expected.max() > pi
    assert result.coordinate("hinge") == pytest.approx(expected, abs=1e-9)
    once_round = ch.State(0, ["arm"], [position], [turn], [velocity], [(0, 0, 5)],
                          {"hinge": angle - 2 * pi})  # fmt: skip
    other = ch.simulate(model, 0.2, 1e-3, start=once_round)
    assert other.energy()[0] - result.energy()[0] == pytest.approx(
        (angle - 2 * pi) ** 2 - angle**2, rel=1e-12
    )


def test_time_starts_at_zero_whatever_the_state_says():
    arm = bar("arm", ORIGIN, (1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=ORIGIN, axis=Z)
    push = ch.Load("push", arm, torque=lambda t: (0.0, 0.0, 6.0 * t))
    model = ch.Model([arm], [hinge], forces=[push], gravity=ORIGIN)
    state = ch.simulate(model, 1.0, 1e-2).state(0)
    later = ch.State(7.0, *(getattr(state, name) for name in (
        "bodies", "position", "rotation", "velocity", "angular_velocity")))  # fmt: skip
    result = ch.simulate(model, 1.0, 1e-2, start=later)
    inertia = arm.inertia[2][2] + arm.mass * 0.25
    assert result.t[0] == 0.0
    assert result.coordinate("hinge")[-1] == pytest.approx(1.0 / inertia, rel=1e-12)


def test_equations_are_those_of_the_state_and_its_time():
    """At rest with a driver in motion: eta is the acceleration it asks for at that time."""
    arm = bar("arm", ORIGIN, (1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=ORIGIN, axis=Z)
    driver = ch.Driver("drive", hinge, ch.Signal.sine(1.0, 0.5))
    model = ch.Model([arm], [hinge], drivers=[driver])
    result = ch.simulate(model, 0.3, 1e-3)
    equations = ch.equations(model, result.state())
    assert equations.eta[-1] == pytest.approx(-(pi**2) * np.sin(0.3 * pi), rel=1e-12)
    assert equations.multipliers[-1] == pytest.approx(-result.effort("drive")[-1], rel=1e-9)


def open_model():
    """A pendulum whose hinge was entered 3 cm open."""
    arm = bar("arm", (0.03, 0, 0), (1.03, 0, 0), angular_velocity=(0, 0, 1))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=ORIGIN, axis=Z, at_b=(0.03, 0, 0))
    spring = ch.TorsionSpring("spring", hinge, stiffness=1.0, rest=7.0)
    return ch.Model([arm], [hinge], [spring], gravity=(0, -9.81, 0))


def test_equations_of_a_model_that_was_entered_open_are_asked_at_a_state():
    model = open_model()
    with pytest.raises(ch.InconsistentStart):
        ch.equations(model)
    state = ch.assemble(model).state
    equations = ch.equations(model, state)
    inertia = model.bodies[0].inertia[2][2]
    # The arm is level: gravity at 0.5 m, and the spring pulls with 7 N m.
    assert equations.acceleration[2] == pytest.approx((7.0 - 9.81 / 2) / (inertia + 0.25))


def test_equations_of_a_redundant_loop_that_was_entered_open():
    points = [(0, 0, 0), (0, 0.4, 0), (1.0, 0.8, 0), (1.2, 0, 0)]
    links = bars(points)
    ends = [ch.GROUND, *links, ch.GROUND]
    joints = [ch.Revolute(f"h{k}", ends[k], ends[k + 1], points[k], Z) for k in range(3)]
    joints.append(ch.Revolute("h3", ch.GROUND, links[2], (1.21, 0, 0), Z, at_b=points[3]))
    model = ch.Model(links, joints, gravity=(0, -9.81, 0))
    eq = ch.equations(model, ch.assemble(model).state)
    dense = np.linalg.lstsq(eq.kkt, np.concatenate((eq.forces, eq.eta)), rcond=1e-12)[0]
    assert eq.acceleration == pytest.approx(dense[: len(eq.forces)], abs=1e-8)


@pytest.mark.parametrize("t_eval", [None, [0.5, 0.7]])
def test_a_run_that_began_elsewhere_is_saved_and_loaded(tmp_path, t_eval):
    model = open_model()
    result = ch.simulate(model, 1.0, 1e-3, close=True, t_eval=t_eval)
    again = ch.load(result.save(tmp_path / "run.nc"))
    assert again.absolute.tobytes() == result.absolute.tobytes()
    assert again.provenance == result.provenance
    assert again.reaction("hinge").force == pytest.approx(result.reaction("hinge").force, rel=1e-12)
    assert again.potential_energy() == pytest.approx(result.potential_energy(), rel=1e-12)
    assert again.assembly.moved == result.assembly.moved and again.assembly.held == ()
    assert str(again.assembly) == str(result.assembly)
    assert again.assembly.state.position == pytest.approx(result.assembly.state.position)
    data = result.to_xarray()
    assert data.start_position.dims == ("body", "axis") and data.start_position.units == "m"
    third = ch.simulate(model, 0.1, 1e-3, start=again.state())
    assert third.state(0).angles["hinge"] == pytest.approx(result.state().angles["hinge"])


def test_a_run_that_began_as_entered_saves_no_start():
    model = EXAMPLES["top"]()
    assert "start_position" not in ch.simulate(model, 0.01, 1e-3).to_xarray()


def test_a_state_whose_joints_are_open_is_refused_by_name(refusal):
    model = EXAMPLES["pendulum"]()
    loose = shaken(entered(model), np.random.default_rng(1), 0.01, 0.0)
    what = refusal(lambda: ch.simulate(model, 0.1, 1e-2, start=loose), ch.InconsistentStart)
    assert "joint 'shoulder' is open by" in what and "close=True" in what


def test_a_state_whose_velocities_are_forbidden_is_refused_by_name(refusal):
    model = EXAMPLES["pendulum"]()
    state = ch.simulate(model, 0.1, 1e-3).state()
    state.velocity[1] += (0.1, 0, 0)
    what = refusal(lambda: ch.simulate(model, 0.1, 1e-2, start=state), ch.InconsistentStart)
    assert "violate joint 'elbow'" in what and "close=True" in what
    result = ch.simulate(model, 0.1, 1e-3, start=state, close=True)
    assert result.assembly.velocity_change["second"].length > 1e-3
