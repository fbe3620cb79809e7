"""simulate(spaces="subgroups") with cut joints: steps of the charts, tree joints that hold."""

import signal
import sys

import numpy as np
import pytest
from linkages import parallelogram
from mechanisms import apart as largest_apart
from mechanisms import double_pendulum, three_bar
from random_loops import (
    charts_alike,
    coupled,
    driven,
    loaded,
    looped,
    planar,
    slowly,
    spatial,
)

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.mechanism import AccuracyLimits
from chasles.run.checks import make_accuracy_limits
from chasles.run.stepper import Stepper
from chasles.spaces.tree import pair_tree
from chasles.studies.library import bennett, bricard, four_bar, n_four_bar

STABILISERS = ({}, {"stabilise": "projection"}, {"stabilise": "baumgarte"}, {"stabilise": "ggl"})
#: Families of random models by name.
FAMILIES = {
    "loops": lambda seed: looped(seed, 1 + seed % 3),
    "couplings": coupled,
    "polygons": planar,
    "spatial loops": spatial,
    "loops with forces": lambda seed: loaded(looped(seed, 2)),
    "polygons with forces": lambda seed: loaded(planar(seed)),
    "polygons driven where cut": lambda seed: driven(planar(seed, 4), "hinge 2"),
}


def both(model: ch.Model, until=0.2, step=1e-3, **options) -> list[ch.Result]:
    """The same run on subgroups, and on the charts that make the same steps."""
    return [
        ch.simulate(model, until, step=step, spaces=spaces, **options)
        for spaces in ("subgroups", charts_alike(model))
    ]


def gaps(result: ch.Result, names) -> float:
    return max((float(result.violation(name).max()) for name in names), default=0.0)


def tree_joints(model: ch.Model) -> list[str]:
    return [carried[1] for carried in pair_tree(model).parents.values() if carried]


# --- the same motion ---


@pytest.mark.parametrize("options", STABILISERS, ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_random_models_move_as_on_charts(family, options):
    ours, theirs = both(FAMILIES[family](3), **options)
    assert largest_apart(ours, theirs) < 1e-10
    works = len(ours.model.forces) + len(ours.model.drivers)  # turns of other joints are counted
    assert ours.integrals[:, :works] == pytest.approx(theirs.integrals[:, :works], abs=1e-11)


def outcome(model: ch.Model, spaces, **options):
    """A result, or why there is none."""
    try:
        return ch.simulate(model, 0.2, step=1e-3, spaces=spaces, **options)
    except ch.SimulationStopped as stopped:
        return stopped.what


def closed_by_metres(*arguments) -> AccuracyLimits:
    """Projection ends at 1e-12 m, as that of the charts does, and not at 1e-12 of a lever."""
    accuracy = make_accuracy_limits(*arguments)
    return accuracy._replace(sizes=np.ones_like(accuracy.sizes))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", STABILISERS[:2], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_hundreds_of_random_models_move_as_on_charts(family, options, monkeypatch):
    """Every one that the step resolves, or both stop for the same reason.

    A model that is thrown about by a pose close to a singular one misses more than 1e-4 of its
    energy on the charts; rounding errors are magnified there, and it is not compared.
    """
    monkeypatch.setattr(
        sys.modules["chasles.run.preparation"], "make_accuracy_limits", closed_by_metres
    )
    apart = []
    for seed in range(100, 140):
        model = FAMILIES[family](seed)
        theirs = outcome(model, charts_alike(model), **options)
        ours = outcome(model, "subgroups", **options)
        if isinstance(theirs, str):
            assert ours == theirs, seed
        elif theirs.provenance.imbalance < 1e-4:
            apart.append(largest_apart(ours, theirs))
    # Poses near singular ones magnify what either side rounds.
    assert len(apart) >= 32 and np.quantile(apart, 0.9) < 1e-11 and max(apart) < 1e-9


@pytest.mark.parametrize("options", STABILISERS[:2], ids=str)
@pytest.mark.parametrize("seed", [3, 8, 14])
def test_a_driven_coordinate_differs_from_a_driven_row_by_the_order_of_the_method(
    seed, options, monkeypatch
):
    """Stages put it where its motion is; those of the charts are off it by h^2 f'' / 8."""
    monkeypatch.setattr(
        sys.modules["chasles.run.preparation"], "make_accuracy_limits", closed_by_metres
    )
    model = driven(planar(seed, 4), "hinge 0")
    apart = [largest_apart(*both(model, 0.16, step, **options)) for step in (4e-3, 2e-3)]
    rounding = apart[0] < 1e-12  # the driven joint is cut on both sides
    assert apart[0] < 1e-6
    assert rounding or np.log2(apart[0] / apart[1]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("method", ["euler", "heun", "kutta3", "dopri5", "dop853"])
def test_every_method_steps_loops_as_on_charts(method):
    assert largest_apart(*both(looped(1, 2), 0.05, method=method)) < 1e-11


@pytest.mark.parametrize("library", [four_bar, bricard])
@pytest.mark.parametrize("options", STABILISERS, ids=str)
def test_linkages_move_as_on_charts(library, options):
    assert largest_apart(*both(library.model(), 0.1, **options)) < 1e-11


def test_a_ladder_moves_as_on_charts():
    assert largest_apart(*both(n_four_bar.model(12), 0.1)) < 1e-11


def test_the_three_bar_moves_as_with_auto_spaces():
    results = [ch.simulate(three_bar(), 0.2, step=1e-3, spaces=s) for s in ("subgroups", "auto")]
    assert largest_apart(*results) < 1e-11


# --- joints of the tree cannot open ---


@pytest.mark.parametrize("method, step", [("heun", 5e-3), ("rk4", 1e-3)])
@pytest.mark.parametrize("library", [bennett, bricard, four_bar])
def test_tree_joints_of_linkages_hold_to_rounding(library, method, step):
    result = ch.simulate(library.model(), 2.0, step=step, method=method, spaces="subgroups")
    assert gaps(result, tree_joints(result.model)) < 1e-14


@pytest.mark.parametrize("library", [bennett, bricard])
def test_rk4_has_order_four_on_overconstrained_linkages(library):
    """Dependent rows contradict each other in stages: with a choice of them nothing is lost."""
    model = library.model()
    exact = ch.simulate(model, 0.4, step=1e-3, method="dop853", spaces="subgroups")
    errors = [
        np.abs(ch.simulate(model, 0.4, step=step, spaces="subgroups").absolute[-1]
               - exact.absolute[-1]).max()
        for step in (2e-2, 1e-2)
    ]  # fmt: skip
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)
    assert errors[1] < 1e-7


@pytest.mark.parametrize("library", [bennett, bricard])
def test_a_choice_of_rows_closes_all_of_them(library):
    options = {"stabilise": "projection", "spaces": "subgroups"}
    result = ch.simulate(library.model(), 2.0, step=5e-3, **options)
    assert gaps(result, result.model.joint_names) < 1e-13
    assert result.redundancy is not None and not result.provenance.singular_poses


def test_the_joint_that_is_cut_is_promised_the_error_of_the_method():
    result = ch.simulate(four_bar.model(), 0.5, step=5e-3, method="heun", spaces="subgroups")
    cut = result.designation.cut
    assert set(result.designation.exact) == set(tree_joints(result.model))
    assert len(cut) == 1 and 1e-9 < gaps(result, cut) < 1e-2 and not result.warnings


def test_a_gap_beyond_the_promise_is_told():
    with pytest.warns(ch.ChaslesWarning, match="drifted by") as told:
        result = ch.simulate(
            four_bar.model(), 3.0, step=5e-2, method="euler", spaces="subgroups"
        )  # fmt: skip
    assert f"'{result.designation.cut[0]}'" in str(told[0].message)


def test_a_rod_from_a_cart_to_the_ground_is_cut_and_lower_pairs_carry():
    cart = ch.Body.box("cart", size=(0.3, 0.2, 0.1), mass=2.0)
    bob = ch.Body.rod("bob", length=0.5, mass=1.0, position=(0.3, 0.0, -0.4))
    joints = [
        ch.Prismatic("rail", ch.GROUND, cart, axis=(1, 0, 0)),
        ch.Distance("rod", ch.GROUND, bob, at=(0.0, 0.0, -1.0), at_b=(0.3, 0.0, -0.4)),
        ch.Revolute("hinge", cart, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    result = ch.simulate(ch.Model([cart, bob], joints), 2.0, step=1e-3, spaces="subgroups")
    assert gaps(result, ("rail", "hinge")) < 1e-14 and result.designation.cut == ("rod",)


def test_projected_lengths_are_those_of_the_model():
    """A four-bar the size of a continent closes like one on a table: gaps are counted in levers."""
    for size in (1e-3, 1e6):
        corners = [size * np.array(c) for c in ((0, 0, 0), (0.3, 1, 0), (2, 1.5, 0), (1.8, 0, 0))]
        bars = [
            ch.Body(f"bar {k}", 1.0, np.eye(3) * size**2, (corners[k] + corners[k + 1]) / 2)
            for k in range(3)
        ]
        ends = [ch.GROUND, *bars, ch.GROUND]
        joints = [
            ch.Revolute(f"hinge {k}", ends[k], ends[k + 1], at=corners[k], axis=(0, 0, 1))
            for k in range(4)
        ]
        model = ch.Model(bars, joints, gravity=(0.0, -9.81 * size, 0.0))
        options = {"stabilise": "projection", "spaces": "subgroups"}
        result = ch.simulate(model, 0.5, step=1e-3, **options)
        assert gaps(result, model.joint_names) < 1e-12 * size


# --- books ---


def test_drivers_of_coordinates_and_of_cut_joints_do_the_same_work():
    """The same motion of the same joint, which carries a body in one run and is cut in another."""
    polygon = driven(planar(7, 3), "hinge 0")
    names = polygon.joint_names
    carried = ch.simulate(polygon, 0.2, step=1e-3, spaces="subgroups")
    assert "hinge 0" in tree_joints(polygon)
    spaces = ch.designate(
        polygon,
        {
            "bar 0": ch.Space("subgroup", names[1], "bar 1"),
            "bar 1": ch.Space("subgroup", names[2], "bar 2"),
            "bar 2": ch.Space("subgroup", names[3]),
        },
    )
    cut = ch.simulate(polygon, 0.2, step=1e-3, spaces=spaces)
    assert spaces.cut == ("hinge 0",)
    assert abs(carried.integrals[-1, 0]) > 1e-3
    assert cut.integrals[-1, 0] == pytest.approx(carried.integrals[-1, 0], rel=1e-8)


def test_the_energy_balance_of_a_driven_loop_with_forces_closes():
    result = ch.simulate(
        driven(loaded(planar(5, 4)), "hinge 0"), 0.5, step=1e-3, spaces="subgroups"
    )
    scale = np.abs(result.kinetic_energy()).max()
    assert np.abs(result.energy_balance()).max() < 1e-8 * scale


def test_reactions_of_loops_are_those_of_the_charts():
    ours, theirs = both(loaded(looped(2, 2)), 0.05)
    for name in ours.model.joint_names:
        a, b = ours.reaction(name), theirs.reaction(name)
        assert a.force == pytest.approx(b.force, abs=1e-8 * (1.0 + np.abs(b.force).max()))
        assert a.torque == pytest.approx(b.torque, abs=1e-8 * (1.0 + np.abs(b.torque).max()))


def test_redundant_joints_are_reported_and_refused_as_on_charts():
    ours, theirs = (
        ch.simulate(bennett.model(), 0.01, step=1e-3, spaces=s) for s in ("subgroups", "auto")
    )
    assert (ours.redundancy.rows, ours.redundancy.rank) == (20, 17)
    assert ours.redundancy.shared == theirs.redundancy.shared
    with pytest.raises(ch.ChaslesError, match="redundant"):
        ch.simulate(bennett.model(), 0.01, step=1e-3, spaces="subgroups", redundant="refuse")


# --- pieces of runs ---


def test_a_loop_goes_on_from_its_last_state():
    options = {"step": 1e-3, "spaces": "subgroups", "stabilise": "projection"}
    model = loaded(looped(4, 2))
    whole = ch.simulate(model, 0.1, **options)
    half = ch.simulate(model, 0.05, **options)
    rest = ch.simulate(model, 0.05, start=half.state(), **options)
    assert rest.absolute[-1] == pytest.approx(whole.absolute[-1], abs=1e-11)


def test_what_is_saved_does_not_change_a_run_of_a_loop():
    options = {"step": 1e-3, "spaces": "subgroups"}
    every = ch.simulate(bennett.model(), 0.1, **options)
    some = ch.simulate(bennett.model(), 0.1, save_every=10, **options)
    asked = ch.simulate(bennett.model(), 0.1, t_eval=[0.0, 0.0305, 0.1], **options)
    assert np.array_equal(every.absolute[::10], some.absolute)
    assert np.array_equal(every.absolute[[0, -1]], asked.absolute[[0, -1]])
    assert gaps(asked, tree_joints(asked.model)) < 1e-14


def test_ctrl_c_keeps_what_a_loop_has_done(monkeypatch):
    advance = Stepper.advance

    def interrupted(self, *arguments):
        monkeypatch.undo()  # once
        reached = advance(self, *arguments)
        signal.raise_signal(signal.SIGINT)
        return reached

    monkeypatch.setattr(Stepper, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        ch.simulate(four_bar.model(), 10.0, step=1e-3, spaces="subgroups")
    result = caught.value.result
    assert result.status == "interrupted" and 0.0 < result.t[-1] < 10.0


# --- singular poses ---


def test_a_singular_pose_stops_a_run_and_is_named():
    with pytest.raises(ch.SimulationStopped, match="became singular") as stopped:
        ch.simulate(parallelogram(rate=-5.0), 1.0, step=1e-3, spaces="subgroups")
    result = stopped.value.result
    assert result.t[-1] == pytest.approx(np.pi / 10, abs=5e-3)  # a quarter of a turn at 5 rad/s
    assert f"'{result.designation.cut[0]}'" in str(stopped.value)


def test_singular_poses_are_passed_and_noted():
    model = parallelogram(rate=-5.0)
    options = {"step": 1e-3, "singular": "pass", "spaces": "subgroups"}
    result = ch.simulate(model, 2.0, **options)
    times = [t for t, _, _ in result.provenance.singular_poses]
    assert times == pytest.approx(np.pi / 10 + np.pi / 5 * np.arange(3), abs=5e-3)
    assert gaps(result, model.joint_names) < 1e-11
    energy = result.energy()
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-6


def test_a_start_in_a_singular_pose_drops_no_row():
    """Rows that depend there and nowhere else are kept, on a damped factor."""
    model = parallelogram(0.0, -5.0)
    loops = TreeProblem.from_model(model).loops
    assert loops.row_count == 2 and loops.is_chosen == 0 and loops.is_damped == 1
    options = {"step": 1e-3, "singular": "pass", "spaces": "subgroups"}
    result = ch.simulate(model, 0.5, **options)
    assert gaps(result, model.joint_names) < 1e-10


# --- contradictions ---


def pushed_from_both_sides(second: float) -> ch.Model:
    """A parallelogram whose cranks are both driven."""
    still = parallelogram()
    bodies = [ch.Body(b.name, b.mass, b.inertia, b.position) for b in still.bodies]
    drivers = [
        ch.Driver("left", "A", slowly()),
        ch.Driver("right", "D", slowly(second)),
    ]
    return ch.Model(bodies, still.joints, drivers=drivers)


def sign_of_agreement() -> float:
    """By how much the right crank turns, as its joint counts, where the left one turns by one."""
    model = pushed_from_both_sides(1.0)
    left = ch.Model(model.bodies, model.joints, drivers=model.drivers[:1])
    result = ch.simulate(left, 0.05, step=1e-3, spaces="subgroups")
    return float(result.coordinate("D")[-1] / result.coordinate("A")[-1])


def test_drivers_that_agree_move_a_loop_together():
    ratio = round(sign_of_agreement())
    result = ch.simulate(pushed_from_both_sides(ratio), 0.3, step=1e-3, spaces="subgroups")
    assert gaps(result, result.model.joint_names) < 1e-9


def test_drivers_that_contradict_each_other_are_named():
    ratio = -round(sign_of_agreement())
    with pytest.raises(ch.ChaslesError) as caught:
        ch.simulate(pushed_from_both_sides(ratio), 0.5, step=1e-3, spaces="subgroups")
    assert "'left'" in str(caught.value) and "'right'" in str(caught.value)


@pytest.mark.parametrize("order", [1, -1])
def test_a_driven_hinge_that_is_welded_is_named_with_the_weld(order):
    arm = ch.Body.box("arm", (1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1))
    weld = ch.Fixed("weld", ch.GROUND, arm, at=(0, 0, 0))
    driver = ch.Driver("drive", hinge, ch.Signal.ramp(1.0, duration=0.1))
    model = ch.Model([arm], [hinge, weld][::order], drivers=[driver])
    for carrier in ("hinge", "weld"):
        with pytest.raises(ch.SimulationStopped, match="'drive' contradicts the joints 'weld'"):
            ch.simulate(model, 0.2, step=1e-3, spaces={"arm": ch.Space("subgroup", carrier)})


def test_a_joint_of_a_users_own_class_carries_as_its_parent_does():
    class Pin(ch.Revolute, in_files=False):
        pass

    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    results = [
        ch.simulate(
            ch.Model([rod], [made("pin", ch.GROUND, rod, (0, 0, 0), (0, 1, 0))]), 0.1, step=1e-3,
            spaces="subgroups",
        )
        for made in (Pin, ch.Revolute)
    ]  # fmt: skip
    assert np.array_equal(results[0].absolute, results[1].absolute)


def test_a_door_on_two_balls_hangs_on_one_and_keeps_the_other():
    """Rows of the second ball leave rotations about one axis only, a subgroup of the first's."""
    door = ch.Body.box(
        "door", size=(0.8, 0.04, 2.0), mass=20.0, position=(0.4, 0.0, 1.0),
        angular_velocity=(0, 0, 3.0),
    )  # fmt: skip
    balls = [
        ch.Spherical(name, ch.GROUND, door, at=(0.0, 0.0, height))
        for name, height in (("lower", 0.2), ("upper", 1.8))
    ]
    result = ch.simulate(ch.Model([door], balls), 5.0, step=1e-2, method="heun", spaces="subgroups")
    assert gaps(result, ("lower", "upper")) < 1e-13


def test_a_tree_without_cuts_has_no_rows_to_watch():
    result = ch.simulate(double_pendulum(), 0.01, step=1e-3, spaces="subgroups")
    assert not result.designation.cut and result.redundancy is None
