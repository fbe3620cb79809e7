"""Gradients of a run are those of its steps: differences of runs, and mpmath, agree."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from mechanisms import misfit, three_bar
from numpy.testing import assert_allclose
from slopes import slope_by_differences
from test_bits import bouncing, driven, sprung
from test_ensemble import STEP, spinning_top, with_part

import chasles as ch
from chasles.many.traced.adjoint import adjoint
from chasles.model import InvalidOption, UnknownName
from chasles.scalars import elementary
from chasles.scalars.traced import recorded

# --- the node list ---


def every_operation(x):
    a, b = x
    yield from (a + b, a - b, a * b, a / b, -a, abs(a), 2.0 - a, 3.0 / b, b**2, b**3.0)
    for name in ("sqrt", "sin", "cos", "tanh"):
        yield getattr(elementary, name)(b)
    yield elementary.atan2(a, b)
    yield elementary.maximum(a, b)
    yield elementary.pick(a < b, a * b, b)
    for function in (np.tan, np.exp, np.log, np.arctan):
        yield function(b)
    yield np.arcsin(a)
    yield np.arccos(a)
    yield elementary.two_sum(a, b)[0]
    yield elementary.two_product(a, b)[0]
    yield elementary.compensated(a, 1e-17, b)[0]


def test_every_operation_has_the_derivative_of_its_function():
    """By mpmath's differences in 50 digits."""
    inputs = (-0.3, 1.7)
    program = recorded(every_operation, inputs)
    back = adjoint(program)
    names = len(program.outputs)

    def in_mpmath(k):
        functions = [
            lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b,
            lambda a, b: -a, lambda a, b: abs(a), lambda a, b: 2 - a, lambda a, b: 3 / b,
            lambda a, b: b**2, lambda a, b: b**3, lambda a, b: mpmath.sqrt(b),
            lambda a, b: mpmath.sin(b), lambda a, b: mpmath.cos(b), lambda a, b: mpmath.tanh(b),
            lambda a, b: mpmath.atan2(a, b), lambda a, b: b, lambda a, b: a * b,
            lambda a, b: mpmath.tan(b), lambda a, b: mpmath.exp(b), lambda a, b: mpmath.log(b),
            lambda a, b: mpmath.atan(b), lambda a, b: mpmath.asin(a), lambda a, b: mpmath.acos(a),
            lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a + b,
        ]  # fmt: skip
        assert len(functions) == names
        return functions[k]

    with mpmath.workdps(50):
        for k in range(names):
            weights = [0.0] * names
            weights[k] = 1.0
            found, _ = back.replay([*inputs, *weights])
            wanted = [mpmath.diff(in_mpmath(k), inputs, n) for n in ((1, 0), (0, 1))]
            assert_allclose(found, [float(x) for x in wanted], rtol=1e-14, atol=1e-15)


# --- whole runs ---


def height(run):
    return run.position(run.model.bodies[-1].name)[-1, 2]


@pytest.mark.parametrize(
    ("model", "paths", "space", "function"),
    [
        (spinning_top, ["top.angular_velocity", "gravity"], "auto", height),
        (spinning_top, ["top.angular_velocity", "gravity", "top.mass"], "SE3", misfit),
        (spinning_top, ["pivot.at"], "SO3xR3", misfit),
        (spinning_top, ["pivot.at", "top.position"], "auto", misfit),
        (sprung, ["spring.stiffness", "coil.damping", "gravity"], "auto", misfit),
        (driven, ["gravity"], "auto", misfit),
        (three_bar, ["gravity"], "auto", misfit),
    ],
)
def test_gradients_agree_with_differences_of_whole_runs(model, paths, space, function):
    found = ch.gradient(model(), function, paths, 0.1, STEP, spaces=space)
    run = ch.simulate(model(), 0.1, STEP, spaces=space)
    assert_allclose(found.value, function(run), rtol=1e-13)
    for path in paths:
        wanted, change, _ = slope_by_differences(model(), function, path, 0.1, STEP, spaces=space)
        rounding = 1e-10 * np.abs(found[path]).max() + 1e-13 * abs(found.value)  # of differences
        assert_allclose((found[path] * change).sum(), wanted, rtol=1e-10, atol=rounding)


def test_the_derivatives_of_a_free_flight_are_known():
    """A ball that nothing holds flies: x(T) = x + v T + g T^2 / 2: dx/dv = T, dx/dg = T^2 / 2."""
    body = ch.Body.sphere("ball", 0.1, mass=2.0, position=(0, 0, 0), velocity=(1.0, 2.0, 3.0))
    model = ch.Model([body])
    for axis in range(3):
        found = ch.gradient(
            model, lambda run, axis=axis: run.position("ball")[-1, axis],
            ["ball.velocity", "gravity"], 0.5, STEP,
        )  # fmt: skip
        assert_allclose(found["ball.velocity"], 0.5 * np.eye(3)[axis], rtol=1e-10, atol=1e-12)
        assert_allclose(found["gravity"], 0.125 * np.eye(3)[axis], rtol=1e-10, atol=1e-12)


def test_branches_are_differentiated_one_by_one():
    """A ball that bounces: differences of runs agree as far as they can."""
    rail = bouncing()
    ball = replace(rail.bodies[0], velocity=(0.0, 0.0, -0.5))
    model = ch.Model([ball], forces=rail.forces)
    found = ch.gradient(model, height, ["ball.velocity"], 0.1, STEP)
    h = 1e-6
    values = []
    for sign in (1, -1):
        varied = with_part(model, "bodies", "ball", velocity=(0.0, 0.0, -0.5 + sign * h))
        values.append(height(ch.simulate(varied, 0.1, STEP)))
    assert_allclose(found["ball.velocity"][2], (values[0] - values[1]) / (2 * h), rtol=1e-5)


def test_long_runs_are_gone_through_in_segments(monkeypatch):
    whole = ch.gradient(spinning_top(), height, ["gravity"], 0.2, STEP)
    monkeypatch.setattr("chasles.many.gradients.tape.MOST_KEPT", 600)
    parts = ch.gradient(spinning_top(), height, ["gravity"], 0.2, STEP)
    assert_allclose(parts["gravity"], whole["gravity"], rtol=1e-14)


def test_the_misfit_to_a_run_s_own_positions_has_no_slope():
    data = ch.simulate(sprung(), 0.1, STEP).position("arm")
    found = ch.gradient(
        sprung(), lambda run: ((run.position("arm") - data) ** 2).sum(), ["spring.stiffness"],
        0.1, STEP,
    )  # fmt: skip
    assert found.value == 0.0 and found["spring.stiffness"] == 0.0


# --- bad input ---


def test_bad_input_is_refused(refusal):
    model = spinning_top()

    def asked(function=height, wrt=("gravity",), **options):
        return lambda: ch.gradient(
            model, function, list(wrt), **{"until": 0.01, "step": STEP} | options
        )

    assert "Did you mean 'top.mass'?" in refusal(asked(wrt=["top.mas"]), UnknownName)
    assert "left out" in refusal(asked(wrt=["top.velocity"]), InvalidOption)
    assert "one number" in refusal(asked(lambda run: run.position("top")), InvalidOption)
    assert "function of a run" in refusal(asked("height"), InvalidOption)
    assert "whole number of steps" in refusal(asked(until=0.0105), InvalidOption)


def round_top() -> ch.Model:
    top = ch.Body.cylinder(
        "top", 0.1, 0.2, mass=2.0, position=(0, 0, 0.3), angular_velocity=(0, 1, 30)
    )
    return ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])


def test_the_pivot_of_a_round_top_may_vary_on_its_subgroup_as_on_charts():
    """Two of its moments are equal: which of its axes come first would be undecided."""
    found = [
        ch.gradient(round_top(), height, ["pivot.at"], 0.1, STEP, spaces=space)["pivot.at"]
        for space in ("auto", "SE3")
    ]
    assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-11)


def test_axes_that_turn_abruptly_are_refused(refusal):
    """A product of inertia turns the principal axes of a round top by 45 degrees, however small."""
    told = refusal(
        lambda: ch.gradient(round_top(), height, ["top.inertia"], 0.01, STEP), InvalidOption
    )
    assert "moments are equal" in told and "moments that differ" in told


def hinged(axis) -> ch.Model:
    rod = ch.Body.box("rod", size=(0.1, 0.2, 0.4), mass=2.0, position=(0.3, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=axis)
    return ch.Model([rod], [hinge])


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_axes_across_a_hinge_that_turn_as_soon_as_it_does_are_refused(refusal, mode):
    """On both sides alike, so that none of their differences shows it."""

    def side(run):
        return run.position("rod")[-1, 1]

    told = refusal(
        lambda: ch.gradient(hinged((0, 1, 0)), side, ["hinge.axis"], 0.1, STEP, mode=mode),
        InvalidOption,
    )
    assert "across that of a joint" in told and "turn the model" in told
    found = ch.gradient(hinged((0, 0.8, 0.6)), side, ["hinge.axis"], 0.1, STEP, mode=mode)
    wanted = [
        ch.simulate(hinged((h, 0.8, 0.6)), 0.1, step=STEP).position("rod")[-1, 1]
        for h in (1e-5, -1e-5)
    ]
    assert_allclose(found["hinge.axis"][0], (wanted[0] - wanted[1]) / 2e-5, rtol=1e-6)


def damped(damping=0.0, gain=0.0) -> ch.Model:
    rod = ch.Body.box("rod", size=(0.1, 0.2, 0.4), mass=2.0, position=(0.3, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    forces = [
        ch.JointSpring("coil", hinge, stiffness=20.0, damping=damping),
        ch.Motor("motor", hinge, target=0.0, stiffness=5.0, damping=gain),
    ]
    return ch.Model([rod], [hinge], forces=forces)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_damping_of_zero_varies_upwards(mode):
    found = ch.gradient(damped(), height, ["coil.damping"], 0.1, STEP, mode=mode)
    near = ch.gradient(damped(1e-9), height, ["coil.damping"], 0.1, STEP, mode=mode)
    assert_allclose(found["coil.damping"], near["coil.damping"], rtol=1e-8)
    assert found["coil.damping"] > 0.0


def test_a_gain_that_zero_leaves_out_is_refused(refusal):
    told = refusal(
        lambda: ch.gradient(damped(), height, ["motor.damping"], 0.01, STEP), InvalidOption
    )
    assert "another way where 'motor.damping' changes" in told and "small" in told


def test_implicit_steps_have_finite_gradients_in_every_mode():
    """Where the way back meets what is not a number, they are carried along instead."""
    found = [
        ch.gradient(
            sprung(), height, ["spring.stiffness"], 0.02, STEP, method="linearly-implicit",
            mode=mode,
        )["spring.stiffness"]
        for mode in ("auto", "reverse", "forward")
    ]  # fmt: skip
    assert np.isfinite(found).all() and found[2] != 0.0
    assert_allclose(found[:2], found[2], rtol=1e-9)
