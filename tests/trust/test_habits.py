"""Habits from other programs: their words are understood in errors, options are typed."""

import inspect
from typing import get_args, get_type_hints

import pytest

import chasles as ch
from chasles.integrators.stabilisation import chosen_stabiliser
from chasles.model.words import Stabiliser

ARM = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
MODEL = ch.Model([ARM], [ch.Revolute("hinge", ch.GROUND, ARM, (0, 0, 0), "y")])
#: What is made by the package, and not by its users.
MADE = {"Advice", "Assembly", "Comparison", "Convergence", "Designation", "Equations",
        "Equilibrium", "Force", "Gradient", "Joint", "JointDynamics", "Linearisation", "Mode",
        "Moment", "Reaction", "Result", "Shape", "Sweep", "WorkPrecision", "animate",
        "methods"}  # fmt: skip
CALLED = [
    name for name in ch.__all__
    if callable(made := getattr(ch, name)) and name not in MADE
    and not (inspect.isclass(made) and issubclass(made, Exception))
]  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_a_keyword_that_does_not_exist_is_refused_in_words(name, refusal):
    assert "no_such" in refusal(lambda: getattr(ch, name)(no_such=1), ch.ChaslesError)


ELSEWHERE = [
    ("dt", "step"), ("timestep", "step"), ("t_end", "until"), ("t_final", "until"),
    ("color", "colour"), ("solver", "method"), ("verbose", "progress"), ("file", "path"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "ours"), ELSEWHERE)
def test_words_of_other_programs_are_translated_wherever_ours_is_taken(word, ours, refusal):
    takes = [
        made for name in CALLED
        if ours in inspect.signature(made := getattr(ch, name)).parameters
        and word not in inspect.signature(made).parameters
    ]  # fmt: skip
    takes += [ch.Body.box, ch.Body.rod] if ours == "colour" else []
    assert takes
    for made in takes:
        message = refusal(lambda made=made: made(**{word: 1}), ch.ChaslesError)
        assert f"'{ours}'" in message.partition("Known")[0], message


@pytest.mark.parametrize("name", ["RK45", "rk45", "ode45"])
def test_methods_of_other_programs_are_translated_wherever_one_is_named(name, refusal):
    vary = {"arm.mass": [1.0, 2.0]}
    calls = [
        lambda: ch.simulate(MODEL, 1.0, 0.1, method=name),
        lambda: ch.Simulation(MODEL, 0.1, method=name),
        lambda: ch.ensemble(MODEL, vary, until=1.0, step=0.1, method=name),
        lambda: ch.compare(MODEL, ["SE3"], until=1.0, step=0.1, method=name),
        lambda: ch.convergence(MODEL, until=1.0, steps=[0.1, 0.05], methods=[name]),
        lambda: ch.work_precision(MODEL, until=1.0, steps=[0.1], methods=[name]),
        lambda: ch.advise(MODEL, target=1e-3, until=1.0, methods=[name]),
        lambda: ch.munthe_kaas(name),
    ]
    for call in calls:
        assert "'dopri5'" in refusal(call, ch.ChaslesError)


def test_options_of_words_are_literals():
    found = inspect.signature(ch.simulate).parameters
    for option in ("acceleration", "rows", "redundant", "singular", "kernel"):
        assert "Literal" in repr(found[option].annotation), option
    assert "Stabiliser" in repr(found["stabilise"].annotation)
    chosen = {word: chosen_stabiliser(word) for word in get_args(Stabiliser)}
    assert chosen.pop("none") is None and all(str(chosen[word]) == word for word in chosen)
    assert get_args(get_type_hints(ch.Result.reaction)["by"]) == ("method", "motion")


def test_a_controller_is_typed_by_the_public_moment():
    seen = []

    def watch(t: float, now: ch.Moment) -> None:
        seen.append((now, now.t, now.coordinate("hinge")))

    motor = ch.Motor("motor", "hinge", effort=0.0)
    ch.simulate(ch.Model(MODEL.bodies, MODEL.joints, [motor]), 0.1, 0.05, controller=watch)
    assert all(isinstance(now, ch.Moment) and now.t == t for now, t, _ in seen) and len(seen) == 2


def test_zero_is_written_as_zero_and_a_loop_has_its_freedoms():
    ball = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)], gravity=(0, 0, 0))
    still = ch.simulate(ball, until=0.1, step=0.01)
    shown = [repr(still), still._repr_html_(), str(ch.compare(ball, ["SE3"], until=0.1, step=0.01))]
    assert not any("0.0e+00" in text for text in shown)
    assert "gap" not in repr(still)
    assert "loop, 1 degree of freedom" in repr(ch.library["A04"].model())
