"""Functions of users are called once while a model is built: what cannot work is told there."""

import numpy as np
import pytest

import chasles as ch

ROD = ch.Body.rod("rod", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
BALL = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 3))
HINGE = ch.Revolute("hinge", ch.GROUND, ROD, (0, 0, 0), "y")
THREE, NINE = (0.0, 0.0, 0.0), (0.0,) * 9


def model(*parts) -> ch.Model:
    joints = [part for part in parts if isinstance(part, ch.Joint | ch.Coupling)]
    forces = [part for part in parts if isinstance(part, ch.Force)]
    drivers = [part for part in parts if isinstance(part, ch.Driver | ch.PointDriver)]
    return ch.Model([ROD, BALL], [HINGE, *joints], forces, drivers)


#: name -> (a part with this function, what it is called with, what it has to return)
TAKES_FUNCTIONS = {
    "force of a load": (lambda f: ch.Load("x", ROD, force=f), 1, THREE),
    "torque of a load": (lambda f: ch.Load("x", ROD, torque=f), 1, THREE),
    "effort of a motor": (lambda f: ch.Motor("x", HINGE, effort=f), 1, 0.0),
    "feedback of a motor": (lambda f: ch.Motor("x", HINGE, effort=f), 3, 0.0),
    "target of a servo": (lambda f: ch.Servo("x", HINGE, target=f, stiffness=1.0), 1, 0.0),
    "signal": (lambda f: ch.Motor("x", HINGE, effort=ch.Signal(f)), 1, 0.0),
    "motion of a driver": (lambda f: ch.Driver("x", HINGE, f), 1, 0.0),
    "motion of a point": (lambda f: ch.PointDriver("x", BALL, None, "z", f), 1, 0.0),
    "law": (lambda f: ch.JointLaw("x", HINGE, f), 3, 0.0),
    "force of one's own": (lambda f: ch.CustomForce("x", ROD, f), 5, (THREE, THREE)),
    "force on several": (
        lambda f: ch.CustomForce("x", [ROD, BALL], f), 3, [(THREE, THREE), (THREE, THREE)]
    ),
    "force that sees its reaction": (
        lambda f: ch.CustomForce("x", ROD, f, reaction=BALL, sees_reaction=True), 6, (THREE, THREE)
    ),
    "joint of one's own": (
        lambda f: ch.CustomJoint("x", ch.GROUND, BALL, f, rows=2), 2, (0.0, 0.0)
    ),
    "coupling of one's own": (lambda f: ch.CustomCoupling("x", [ROD, BALL], f), 2, 0.0),
}  # fmt: skip


def answering(count, answer):
    """A function of so many arguments, as people write them."""
    names = ", ".join(f"x{k}" for k in range(count))
    return eval(f"lambda {names}: answer", {"answer": answer})


@pytest.mark.parametrize("name", TAKES_FUNCTIONS)
def test_a_function_that_answers_with_something_else_is_told_with_the_model(name, refusal):
    make, count, right = TAKES_FUNCTIONS[name]
    assert model(make(answering(count, right)))
    for wrong in (5.0, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0, 4.0), "five", None, [[1.0], [2.0, 3.0]]):
        if wrong == {(): 5.0, (3,): (1.0, 2.0, 3.0)}.get(np.shape(right)):
            continue  # of the right shape
        message = refusal(lambda wrong=wrong: model(make(answering(count, wrong))), ch.ChaslesError)
        assert "'x'" in message


@pytest.mark.parametrize("name", TAKES_FUNCTIONS)
def test_a_function_of_other_arguments_is_told_with_the_model(name, refusal):
    make, count, right = TAKES_FUNCTIONS[name]
    message = refusal(lambda: model(make(answering(count + 4, right))), ch.ChaslesError)
    assert "'x'" in message
    assert "TypeError" in message or "takes neither t alone nor t, q and rate" in message


@pytest.mark.parametrize("name", ["law", "feedback of a motor", "force of one's own"])
def test_what_fails_for_its_numbers_alone_is_left_to_the_run(name):
    """At rest it divides by zero; a run may never be at rest."""
    make, count, right = TAKES_FUNCTIONS[name]
    for ratio in (lambda: 1.0 / 0.0, lambda: np.float64(0.0) / np.float64(0.0)):
        values = {"ratio": ratio, "zero": right}
        names = ", ".join(f"x{k}" for k in range(count))
        answer = "(zero[0], (ratio(), 0.0, 0.0))" if isinstance(right, tuple) else "ratio()"
        assert model(make(eval(f"lambda {names}: {answer}", values)))


def test_what_a_motor_takes_is_listed(refusal):
    for given in (([0, 1], [2, 3]), "sin(t)", None, ROD):
        message = refusal(lambda given=given: ch.Motor("m", HINGE, effort=given), ch.InvalidForce)
        for form in ("a number, a Signal or a function of t", "of t, q and rate", "Signal.table"):
            assert form in message


def test_what_a_load_takes_is_listed(refusal):
    for given in (5.0, "x", ch.Signal.linear(1.0), (1.0, 2.0)):
        message = refusal(lambda given=given: ch.Load("l", ROD, force=given), ch.InvalidForce)
        assert "each a number or a Signal, or a function of t that returns three" in message


WRONG_COUPLINGS = [
    lambda: ch.Coupling("x", {"hinge": 1}),
    lambda: ch.Coupling("x", {"hinge": 0, "other": 1}),
    lambda: ch.Coupling("x", 3),
    lambda: ch.Coupling("", {"hinge": 1, "other": 1}),
    lambda: ch.Coupling("x", {"hinge": 1, "other": 1}, offset="much"),
    lambda: ch.CustomCoupling("x", [ROD], len),
    lambda: ch.CustomCoupling("x", [ROD, BALL], 3),
    lambda: model(ch.CustomCoupling("x", [ROD, BALL], lambda a, b: (1, 2))),
    lambda: model(ch.Coupling("x", {"hinge": 1, "hinge.angle": 1})),
]


@pytest.mark.parametrize("make", WRONG_COUPLINGS)
def test_a_wrong_coupling_is_an_invalid_coupling(make, refusal):
    """Among joints it is one of them, and what caught it before still does."""
    assert "coupling" in refusal(make, ch.InvalidCoupling)
    for caught in (ch.InvalidJoint, ch.InvalidDriver):
        with pytest.raises(caught):
            make()


# --- tables that jump -----------------------------------------------------------------------------

T = np.linspace(0.0, 2.0, 21)
JUMPS = {
    "step": np.where(T < 1.0, 0.0, 5.0),
    "pulse": np.where(abs(T - 1.0) < 0.25, 5.0, 0.0),
    "one sample": np.where(abs(T - 1.0) < 0.01, 5.0, 0.0),
    "staircase": np.floor(2.0 * T + 1e-9),
    "square wave": np.sign(np.sin(6.0 * T + 0.1)),
}
SMOOTH = {
    "sine": np.sin(3.0 * T),
    "coarse sine": np.sin(2.0 * np.pi * 2.0 * T + 0.3),  # five points a period
    "exponential": np.exp(-5.0 * T),
    "parabola": (T - 1.0) ** 2,
    "ramp": ch.Signal.ramp(3.0, 1.5, 0.2).values(T),
    "tanh": np.tanh(4.0 * (T - 1.0)),
    "constant": np.full_like(T, 3.0),
    "corner": np.abs(T - 1.0),
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_table_that_jumps_is_told_of_its_swings(name):
    with pytest.warns(ch.ChaslesWarning, match="swings to .* function of t instead"):
        ch.Signal.table(T, JUMPS[name])


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_tables_are_not(name, recwarn):
    ch.Signal.table(T, SMOOTH[name])
    assert not recwarn.list


# --- bodies of one's own class --------------------------------------------------------------------


class Wheel(ch.Body):
    """A body that knows more than its fields."""


def test_files_say_that_they_hold_plain_bodies(tmp_path):
    wheel = Wheel("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.warns(ch.ChaslesWarning, match=r"'wheel' \(Wheel\) as plain bodies"):
        path = ch.Model([wheel]).write(tmp_path / "wheel.toml")
    again = ch.read_model(path).bodies[0]
    assert type(again) is ch.Body and again.mass == 1.0
