"""ch.advise: what it recommends does what was asked, on a longer horizon too."""

import pytest

import chasles as ch
from chasles.studies import gallery

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


def worst_gap(model: ch.Model, run: ch.Result) -> float:
    parts = ("translation", "rotation")
    return max(run.violation(j, part=part).max() for j in model.joint_names for part in parts)


def test_models_with_rotors_are_advised_too():
    arm = ch.Body.rod("arm", length=0.6, mass=2.0, position=(0.3, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y", armature=0.2)
    advice = ch.advise(ch.Model([arm], [hinge]), until=0.2, methods=["rk4"], progress=False)
    assert advice.best["spaces"] == "auto"
    assert {trial.options["stabilise"] for trial in advice.evidence} == {None}  # no rows to project


@pytest.mark.parametrize("name", MODELS)
def test_the_recommendation_meets_its_target_on_twice_the_horizon(name):
    model = MODELS[name]()
    advice = ch.advise(model, target=1e-9, until=0.3, progress=False)
    assert advice.met, str(advice)
    run = ch.simulate(model, 0.6, **advice.best)
    assert worst_gap(model, run) <= 1e-9
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
