"""ch.advise: what it recommends does what was asked, on a longer horizon too."""

import random
import time

import pytest
from mechanisms import worst_gap

import chasles as ch
from chasles.studies import gallery
from chasles.studies.operations import Counting

MODELS = {
    "top": gallery.heavy_top,
    "double pendulum": gallery.double_pendulum,
    "three-bar": gallery.three_bar,
    "slider-crank": gallery.slider_crank,
    "boosted pair": lambda: gallery.floating_pair(1.0),
    "random tree": lambda: gallery.random_tree(3, bodies=4),
    "random loop": lambda: gallery.random_loop(5),
    "chain at rest": lambda: gallery.chain(6),
}


def test_models_with_rotors_are_advised_too():
    arm = ch.Body.rod("arm", length=0.6, mass=2.0, position=(0.3, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y", armature=0.2)
    advice = ch.advise(ch.Model([arm], [hinge]), until=0.2, methods=["rk4"], progress=False)
    assert advice.best["spaces"] == "auto"
    assert {trial.options["stabilise"] for trial in advice.evidence} == {None}  # no rows to project


#: Those of which others have the like: loops, floating and resting trees.
LIKE_OTHERS = ("top", "slider-crank", "random tree", "random loop")


@pytest.mark.parametrize(
    "name", [pytest.param(k, marks=[pytest.mark.slow] * (k in LIKE_OTHERS)) for k in MODELS]
)
def test_the_recommendation_meets_its_target_on_twice_the_horizon(name):
    model = MODELS[name]()
    advice = ch.advise(model, target=1e-9, until=0.15, progress=False)
    assert advice.met, str(advice)
    run = ch.simulate(model, 0.3, **advice.best)
    assert worst_gap(run) <= 1e-9
    energy = run.energy()
    assert abs(energy - energy[0]).max() <= 1e-6 * run.kinetic_energy().max()


def test_nothing_that_was_run_is_cheaper_and_good_enough():
    advice = ch.advise(gallery.double_pendulum(), target=1e-8, until=0.2, progress=False)
    chosen = advice.chosen
    lasting = [trial for trial in advice.evidence if trial.lasts]
    assert chosen in lasting
    assert all(chosen.cost_per_second <= trial.cost_per_second for trial in lasting)
    assert chosen in advice.front


def test_a_tighter_target_costs_more_steps():
    """With one space that drifts, the step must shrink with the target."""
    model = gallery.double_pendulum()
    options = {"until": 0.2, "spaces": ["SE3"], "methods": ["rk4"], "stabilisers": [None]}
    steps = [
        ch.advise(model, target, energy=1.0, progress=False, **options).best["step"]
        for target in (1e-5, 1e-7, 1e-9)
    ]
    assert steps[0] > steps[1] > steps[2]
    assert steps[0] / steps[2] == pytest.approx(10.0, rel=0.6)  # (1e-5 / 1e-9)^(1/4)


def test_what_cannot_be_met_is_said_not_recommended():
    model = gallery.double_pendulum()
    advice = ch.advise(model, target=1e-30, until=0.1, steps=[1e-2, 1e-3], progress=False)
    assert not advice.met
    with pytest.raises(ch.ChaslesError, match="no combination"):
        advice.best  # noqa: B018
    assert "Nothing meets the target" in str(advice)


def test_it_keeps_to_its_budget():
    model = gallery.chain(12, spin=5.0)
    advice = ch.advise(model, until=1.0, budget=0.05, progress=False)
    assert not advice.complete
    assert len(advice.evidence) < 10


@pytest.mark.parametrize(
    "name",
    [
        "three-bar",
        *(pytest.param(k, marks=pytest.mark.slow) for k in ("double pendulum", "random tree")),
    ],
)
def test_the_answer_does_not_depend_on_the_clock(name, monkeypatch):
    """Asked again on a machine whose clock runs wild, it is the same to the last digit."""
    options = {"target": 1e-8, "until": 0.1, "progress": False}
    first = ch.advise(MODELS[name](), **options)
    wild = random.Random(4)
    monkeypatch.setattr(time, "perf_counter", lambda: wild.uniform(0.0, 1e6))
    second = ch.advise(MODELS[name](), **options)
    assert str(first) == str(second)
    assert first.as_dict() == second.as_dict() and first.best == second.best


def test_implicit_methods_are_advised_and_take_no_stabiliser_where_they_close_joints():
    model = gallery.double_pendulum()
    methods = ["rk4", "gauss4", "rattlie4", "half-explicit", "generalized-alpha"]
    advice = ch.advise(model, 1e-6, 0.1, energy=1e-3, methods=methods, progress=False)
    tried = {(t.options["method"], t.options["stabilise"]) for t in advice.evidence}
    assert (
        advice.met and not {("generalized-alpha", "projection"), ("rattlie4", "projection")} & tried
    )
    for trial in advice.evidence:
        assert trial.cost > 0.0


def test_what_a_method_does_not_admit_is_said():
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, position=(0, 0, 0.1), velocity=(0.3, 0, 0))
    floor = ch.RollingSphere("floor", ch.GROUND, ball, (0, 0, 0), (0, 0, 1), 0.1)
    rolling = ch.Model([ball], [floor])
    advice = ch.advise(rolling, 1e-3, 0.1, energy=1e-2, methods=["rk4", "rattlie"],
                       spaces=["SE3"], progress=False)  # fmt: skip
    assert list(advice.refused) == ["SE3, none, rattlie"]
    assert "restricts speeds" in str(advice)
    with pytest.raises(ch.InvalidOption, match="no combination can be run"):
        ch.advise(rolling, until=0.1, methods=["rattlie"], spaces=["SE3"], progress=False)


def test_a_stiff_damper_is_advised_to_be_taken_implicitly():
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0, position=(1, 0, 0))
    damper = ch.Spring("damper", ch.GROUND, bob, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=0.0,
                       damping=3e4)  # fmt: skip
    model = ch.Model([bob], [], forces=[damper])
    advice = ch.advise(model, 1e-6, 0.5, energy=1e-4, progress=False)
    assert advice.best["method"] == "linearly-implicit"


def test_operations_of_a_step_are_those_of_its_stages():
    """What is recorded of the Dormand-Prince step is what its stages were predicted to take."""
    for name in ("top", "double pendulum", "three-bar", "random loop"):
        model = MODELS[name]()
        counting = Counting(model, 1e-4)
        for spaces in ("auto", "SE3"):
            predicted = 12 * counting.cost(spaces, None).evaluation
            assert counting.recorded(spaces, None, "dop853") == pytest.approx(predicted, rel=0.15)
            structural = counting.structural(spaces)
            assert 0.5 < structural / counting.cost(spaces, None).evaluation < 2.5


def test_only_listed_steps_are_recommended(tmp_path):
    advice = ch.advise(gallery.heavy_top(), until=0.2, steps=[4e-3, 1e-3, 2.5e-4], progress=False)
    assert advice.best["step"] in (4e-3, 1e-3, 2.5e-4)
    assert advice.as_dict()["best"]["step"] == advice.best["step"]
    assert advice.plot(tmp_path / "front.png").stat().st_size > 5000


@pytest.mark.parametrize(
    "wrong", [{"target": 0}, {"until": -1}, {"steps": []}, {"methods": "rk4"}, {"spaces": []}]
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ch.ChaslesError):
        ch.advise(gallery.heavy_top(), **wrong)
