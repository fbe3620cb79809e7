"""What is read out of runs with couplings: whole turns, loops all of whose joints are named."""

import numpy as np
import pytest

import chasles as ch

Y = (0, 1, 0)


def geared() -> ch.Model:
    """Two boxes on hinges, A + B / 2 + B^2 / 50 = 0, B at 20 rad/s."""
    a = ch.Body.box("a", (0.2, 0.3, 0.1), mass=1.0)
    b = ch.Body.box("b", (0.2, 0.3, 0.1), mass=1.0, position=(2, 0, 0), angular_velocity=(0, 20, 0))
    joints = [
        ch.Revolute("A", ch.GROUND, a, at=(0, 0, 0), axis=Y),
        ch.Revolute("B", ch.GROUND, b, at=(2, 0, 0), axis=Y),
    ]
    return ch.Model([a, b], joints, drivers=[ch.Coupling("g", {"A": 1.0, "B": (0.5, 0.02)})])


@pytest.mark.parametrize(
    "options",
    [
        {"spaces": "subgroups"},
        {"spaces": "SE3", "rows": "all"},
        {"spaces": "SO3xR3", "method": "generalized-alpha"},
        {"spaces": {"a": "SO3xR3"}, "rows": "all"},
    ],
    ids=str,
)
def test_efforts_and_accelerations_know_the_turns_of_a_curved_coupling(options):
    """I alpha of a box that only its coupling turns, from differences of the rates."""
    model = geared()
    result = ch.simulate(model, until=1.0, step=1e-3, save_every=5, progress=False, **options)
    assert result.coordinate("B")[-1] > 4 * np.pi
    alpha = np.gradient(result.coordinate_rate("A"), result.t)[20:-2]
    inertia = model.body("a").inertia[1][1]
    assert result.effort("g")[20:-2] == pytest.approx(inertia * alpha, rel=1e-3)
    assert result.angular_acceleration("a")[20:-2, 1] == pytest.approx(alpha, rel=1e-3)


@pytest.mark.parametrize("spaces", ["auto", "SE3", "framed"])
def test_a_coupling_that_names_all_joints_of_a_loop_is_read_out(spaces):
    bodies = [
        ch.Body(name, 1.0, np.diag([0.02, 0.1, 0.1]), position=at)
        for name, at in (("k", (0, 0, 0.25)), ("c", (1, 0, 0.8)), ("r", (2, 0, 0.6)),
                         ("w", (3, 0, 0)))
    ]  # fmt: skip
    joints = [
        ch.Revolute("A", ch.GROUND, "k", at=(0, 0, 0), axis=Y),
        ch.Revolute("B", "k", "c", at=(0, 0, 0.5), axis=Y),
        ch.Revolute("C", "c", "r", at=(2, 0, 1.2), axis=Y),
        ch.Revolute("D", "r", ch.GROUND, at=(2, 0, 0), axis=Y),
        ch.Revolute("W", ch.GROUND, "w", at=(3, 0, 0), axis=Y),
    ]
    coupling = ch.Coupling("g", {"A": 1, "B": 1, "C": 1, "D": 2, "W": 1})
    model = ch.Model(bodies, joints, drivers=[coupling])
    result = ch.simulate(model, until=0.1, step=1e-3, spaces=spaces, progress=False)
    push = result.effort("g", on="W")
    alpha = np.gradient(result.coordinate_rate("W"), result.t)
    assert push[5:-5] == pytest.approx(0.1 * alpha[5:-5], rel=1e-3, abs=1e-6)
    found = ch.equations(model, result.state())
    left = found.mass @ found.acceleration + found.jacobian.T @ found.multipliers - found.forces
    assert np.abs(left).max() < 1e-9 * np.abs(found.forces).max()


def test_a_run_that_was_closed_first_is_read_out():
    w = ch.Body.box("w", (0.2, 0.3, 0.1), mass=1.0)
    v = ch.Body.box("v", (0.2, 0.3, 0.1), mass=1.0, position=(1, 0, 0))
    joints = [
        ch.Revolute("W", ch.GROUND, w, at=(0, 0, 0), axis=Y),
        ch.Revolute("V", ch.GROUND, v, at=(1, 0, 0), axis=Y),
    ]
    spring = ch.JointSpring("s", "W", stiffness=1.0)
    model = ch.Model([w, v], joints, [spring], [ch.Coupling("g", {"W": 2, "V": 3}, offset=0.5)])
    result = ch.simulate(model, until=0.1, step=1e-3, close=True, progress=False)
    alpha = np.gradient(result.coordinate_rate("V"), result.t)
    expected = v.inertia[1][1] * alpha[2:-2]
    assert result.effort("g", on="V")[2:-2] == pytest.approx(expected, rel=1e-3)
