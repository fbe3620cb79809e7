"""ch.compare: its numbers are those of the runs, and it catches a wrong prediction."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import chasles as ch
from chasles.build import problem
from chasles.model.tables import small
from chasles.studies import gallery, measure

SHORT = {"until": 0.2, "step": 1e-3, "timing": False, "progress": False}


CROSS = ch.Body.frame("cross")
BOX = ch.Body.box("box", (0.1, 0.2, 0.8), mass=2.0, position=(0.1, 0, -0.4))
GIMBAL = ch.Model(
    [CROSS, BOX],
    [
        ch.Revolute("outer", ch.GROUND, CROSS, (0, 0, 0), "x"),
        ch.Revolute("inner", CROSS, BOX, (0, 0, 0), "y"),
    ],
)


def test_what_charts_have_no_equations_for_is_left_out_and_said(refusal):
    charted = {"charted": {"cross": "SE3"}}
    every = {"auto": "auto", "SE3": "SE3", "framed": "framed"} | charted
    comparison = ch.compare(GIMBAL, every, until=0.1, step=1e-3, timing=False)
    assert comparison.labels == ("auto", "SE3", "framed")
    assert set(comparison.left_out) == set(comparison.as_dict()["left_out"]) == {"charted"}
    assert "charted was left out: body 'cross' has no mass" in str(comparison)
    assert "left out" in refusal(lambda: comparison["charted"], ch.ChaslesError)
    assert "no mass" in refusal(
        lambda: ch.compare(GIMBAL, charted, until=0.1, step=1e-3), ch.ChaslesError
    )


@pytest.fixture(scope="module")
def pendulum() -> ch.Comparison:
    model = gallery.double_pendulum()
    return ch.compare(model, ["SE3", "SO3xR3", "auto"], until=1.0, step=1e-3, progress=False)


def test_its_numbers_are_those_of_the_runs(pendulum):
    for label in pendulum.labels:
        run = ch.simulate(pendulum.model, until=1.0, step=1e-3, spaces=label)
        outcome = pendulum[label]
        for joint in pendulum.model.joint_names:
            np.testing.assert_array_equal(outcome.gaps[joint].translation, run.violation(joint))
            assert outcome.gaps[joint].metres == run.violation(joint).max()
            assert outcome.gaps[joint].radians == run.violation(joint, part="rotation").max()
        energy = run.energy()
        drift = abs(energy - energy[0]).max() / run.kinetic_energy().max()
        assert outcome.energy_drift == drift
        assert outcome.steps == 1000


def test_auto_improves_the_double_pendulum(pendulum):
    auto, se3 = pendulum["auto"], pendulum["SE3"]
    assert auto.gaps["joint 2"].metres < 1e-6 * se3.gaps["joint 2"].metres
    assert auto.energy_drift < se3.energy_drift / 2


def test_the_cost_is_that_of_a_step_where_it_is_disturbed_the_least(monkeypatch):
    """On a clock of our own: 3 us a step in one space, 5 in another, and half of the laps late."""
    per_step, laps = {"SE3": 3e-6, "auto": 5e-6}, []

    def run(model, until, spaces, step, **options):
        laps.append(spaces)
        late = 1.0 if laps.count(spaces) % 2 else 1.7
        seconds = late * per_step[spaces] * round(until / step)
        return SimpleNamespace(provenance={"seconds_in_steps": seconds})

    monkeypatch.setattr(measure, "simulate_quietly", run)
    candidates = [SimpleNamespace(options={"spaces": s, "step": 1e-3}) for s in per_step]
    found = measure.costs(gallery.double_pendulum(), candidates, until=1.0)
    assert found == pytest.approx([3.0, 5.0])


def test_every_candidate_has_a_cost(pendulum):
    assert all(pendulum[label].cost > 0.0 for label in pendulum.labels)


def test_options_may_differ_between_candidates():
    model = gallery.three_bar()
    found = ch.compare(
        model,
        {
            "plain": "auto",
            "projected": {"stabilise": "projection"},
            "coarse": {"step": 2e-3, "method": "kutta3", "acceleration": "space"},
            "mixed": {"link 1": ch.SE3(), "link 2": "SO3xR3"},
        },
        **SHORT,
    )
    assert found["coarse"].steps == 100
    assert found["coarse"].result.provenance["acceleration"] == "space"
    assert found["projected"].worst_gap < 1e-13 < found["plain"].worst_gap
    assert found["mixed"].result.provenance["spaces"]["link 1"] == "SE3"


def test_the_table_and_the_data_say_the_same(pendulum):
    text, data = str(pendulum), pendulum.as_dict()
    for label, entry in data["candidates"].items():
        assert label in text
        assert f"{entry['energy_drift']:.1e}" in text
        for gap in entry["gaps"].values():
            assert small(gap["m"]) in text
    assert len({len(line.rstrip()) for line in text.splitlines()[3:6]}) == 1


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_it_draws_a_figure(pendulum, tmp_path: Path, suffix: str):
    path = pendulum.plot(tmp_path / f"drift.{suffix}")
    assert path.stat().st_size > 5000


def test_a_figure_of_an_unknown_kind_is_refused(pendulum, tmp_path: Path):
    with pytest.raises(ch.InvalidOption, match=r"\.png or \.svg"):
        pendulum.plot(tmp_path / "drift.docx")


@pytest.mark.parametrize("candidates", [[], "auto", 3, {"odd": {"stpe": 1.0}}])
def test_candidates_that_make_no_sense_are_refused(candidates):
    with pytest.raises(ch.ChaslesError):
        ch.compare(gallery.heavy_top(), candidates, until=0.1, step=1e-3)


def test_a_run_that_stops_is_reported_not_raised():
    found = ch.compare(
        gallery.heavy_top(), {"fine": "auto", "wild": {"method": "euler", "step": 0.5}},
        until=100.0, step=1e-2, timing=False, progress=False,
    )  # fmt: skip
    assert found["fine"].finished and not found["wild"].finished
    assert found["wild"].worst_gap == np.inf
    assert "wild: " in str(found)


# --- momenta --------------------------------------------------------------------------------------


def test_the_direct_product_at_the_centre_keeps_linear_momentum():
    found = ch.compare(gallery.floating_pair(10.0), ["SE3", "SO3xR3"], **SHORT)
    assert found["SO3xR3"].momentum_drift < 1e-13 < found["SE3"].momentum_drift


def test_momentum_is_judged_less_what_gravity_adds():
    model = ch.Model(gallery.floating_pair(1.0).bodies, gravity=(0, 0, -9.81))
    found = ch.compare(model, ["SO3xR3"], **SHORT)["SO3xR3"]
    assert found.momentum_drift < 1e-13
    assert found.angular_drift < 1e-6


def test_what_is_not_conserved_is_not_judged():
    hanging = ch.compare(gallery.slider_crank(), ["auto"], **SHORT)["auto"]
    assert hanging.momentum_drift is None and hanging.angular_drift is None
    top = ch.compare(gallery.heavy_top(gravity=9.81), ["auto"], **SHORT)["auto"]
    assert top.momentum_drift is None and top.angular_drift < 1e-6


def test_every_joint_has_a_column_for_each_unit_in_which_it_opens():
    """Of rows that are not components of a twist, too: a Cardan cross, a rod, a formula."""
    shaft, other, weight, bead = (
        ch.Body.sphere(name, 0.1, mass=1.0, position=(x, 0, 0)) for x, name in enumerate("abcd", 1)
    )
    joints = [
        ch.Universal("cross", ch.GROUND, shaft, at=(0, 0, 0), axis="y", axis_b="z"),
        ch.Distance("rod", shaft, other, at=(1, 0, 0), at_b=(2, 0, 0)),
        ch.Cartesian("gantry", ch.GROUND, weight),
        ch.CustomJoint("wire", ch.GROUND, bead, lambda a, b: (b[1][2],), rows=1),
    ]
    found = ch.compare(ch.Model([shaft, other, weight, bead], joints), ["auto"], **SHORT)
    header = str(found).splitlines()[1]
    columns = ("cross [m]", "cross [rad]", "rod [m]", "gantry [rad]", "wire [m]")
    assert all(column in header for column in columns) and "gantry [m]" not in header
    labels = [axes.get_ylabel() for axes in found.plot().axes]
    assert labels[:4] == ["gap in m or rad", "gap in m", "gap in rad", "gap in m"]


# --- predictions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method, order", [("heun", 2), ("kutta3", 3), ("rk4", 4)])
def test_joints_drift_with_the_order_of_the_method(method, order):
    found = ch.compare(
        gallery.double_pendulum(), ["SE3", "auto"], until=0.2, step=5e-4, method=method,
        orders=True, timing=False, progress=False,
    )  # fmt: skip
    assert not found.disagreements
    drifting = [p for p in found.predictions if not p.exact]
    assert [p.joint for p in drifting] == ["joint 2"]
    assert drifting[0].order == pytest.approx(order, abs=0.3)


def test_a_wrong_prediction_of_exactness_is_caught(monkeypatch):
    monkeypatch.setattr(problem, "drifting_joints", lambda model, spaces: ())
    found = ch.compare(gallery.double_pendulum(), ["SE3", "auto"], **SHORT)
    assert [(p.label, p.joint) for p in found.disagreements] == [("SE3", "joint 2")]
    assert "WRONG" in str(found) and "joint 2" in str(found)


def test_a_wrong_prediction_of_order_is_caught():
    """Heun's method, passed off as one of order four."""
    heun = ch.Tableau([[0, 0], [1, 0]], [1 / 2, 1 / 2], name="impostor")
    object.__setattr__(heun, "order", 4)
    found = ch.compare(gallery.double_pendulum(), ["SE3"], method=heun, orders=True, **SHORT)
    assert [p.joint for p in found.disagreements] == ["joint 2"]
    assert found.disagreements[0].order == pytest.approx(2, abs=0.3)


def test_implicit_methods_are_compared_too():
    model = gallery.double_pendulum()
    ways = {name: {"method": name} for name in ("rk4", "gauss4", "rattlie4", "generalized-alpha")}
    found = ch.compare(model, ways, until=0.1, step=1e-3, timing=False)
    assert found["generalized-alpha"].worst_gap < 1e-10 and found["rattlie4"].worst_gap < 1e-10
    assert all(outcome.finished for outcome in found.outcomes)


@pytest.mark.parametrize("stabilise", ["baumgarte", "ggl", ch.Baumgarte(10.0, 10.0)])
def test_feedback_is_not_predicted_to_close_what_drifts(stabilise):
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    model = ch.Model([arm], [hinge])
    found = ch.compare(model, ["SO3xR3", "SE3"], 0.1, 1e-2, stabilise=stabilise, timing=False)
    assert {p.label: p.exact for p in found.predictions} == {"SO3xR3": False, "SE3": True}
    assert all(p.agrees for p in found.predictions)


def test_loading_code_does_not_make_the_first_candidate_slow(monkeypatch):
    """A run costs 1 us a step and 100 us by itself; the first of a process takes 50 ms more."""
    cold = [0.05]

    def timed(model, options, until, steps):
        return 1e-6 * (100 + steps) + (cold.pop() if cold else 0.0)

    monkeypatch.setattr(measure, "timed", timed)
    first, second = measure.costs(None, [SimpleNamespace(options={})] * 2, 1.0)
    assert first == pytest.approx(second) and first < 1.2
