"""States between saved ones, and results with fewer states."""

import numpy as np
import pytest
from combinations import pairwise
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.build.system.coordinates import gap


def swung(rate=0.0, **options):
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    tip = ch.Body.rod("tip", 0.5, mass=0.5, position=(1.25, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, (0, 0, 0), "y")
    ball = ch.Spherical("ball", rod, tip, (1, 0, 0))
    start = {"hinge": (0.2, rate)}
    return ch.simulate(ch.Model([rod, tip], [hinge, ball]), start=start, **options)


def test_free_flight_is_the_parabola_with_its_spin():
    v, w, g = np.array([1.0, -2.0, 3.0]), 4.0, np.array([0, 0, -9.81])
    ball = ch.Body.sphere("ball", 0.1, mass=1.0, velocity=v, angular_velocity=(0, 0, w))
    result = ch.simulate(ch.Model([ball]), until=1.0, step=0.1)
    for t in (0.0, 0.03, 0.55, 0.99, 1.0):
        state = result.at(t)
        assert np.allclose(state.position[0], v * t + g * t * t / 2, atol=1e-14)
        assert np.allclose(state.velocity[0], v + g * t, atol=1e-13)
        turn = [[np.cos(w * t), -np.sin(w * t)], [np.sin(w * t), np.cos(w * t)]]
        assert np.allclose(state.rotation[0, :2, :2], turn, atol=1e-13)
        assert np.allclose(state.angular_velocity[0], (0, 0, w), atol=1e-13)


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3", "SO3xR3 on joints", "SE3 relative"])
def test_it_is_of_fourth_order_in_every_space(spaces):
    fine = swung(until=0.48, step=1e-3, spaces=spaces)
    errors = []
    for every in (40, 20):
        coarse = fine[::every]
        middles = np.arange(every // 2, len(fine) - 1, every)
        found = [coarse.at(fine.t[k]) for k in middles]
        wrong = [state.position - fine.state(int(k)).position for state, k in zip(found, middles)]
        errors.append(np.abs(wrong).max())
    assert 1e-12 < errors[1] < 1e-4 and np.log2(errors[0] / errors[1]) > 3.5


def test_joints_of_a_tree_stay_closed_between_states():
    result = swung(until=0.4, step=0.05)
    setup = result.problem.setup
    for t in np.linspace(0.0, 0.4, 33):
        rows = result.at(t).to_absolute(result.model)[None]
        for joint in ("hinge", "ball"):
            assert np.abs(gap(setup, joint, rows, np.array([t]))).max() < 1e-14


def test_saved_times_have_their_very_state_and_turns_are_counted():
    result = swung(rate=9.0, until=3.0, step=1e-2)
    assert np.abs(result.coordinate("hinge")).max() > 2 * np.pi
    assert np.array_equal(result.at(float(result.t[7])).position, result.state(7).position)
    t = 2.995
    near = np.interp(t, result.t, result.coordinate("hinge"))
    assert result.at(t).angles["hinge"] == pytest.approx(near, abs=1e-3)


@pytest.mark.parametrize("t", [-0.1, 0.5, float("nan"), "now", None, [0.1, 0.2]])
def test_times_outside_are_refused(t, refusal):
    refusal(lambda: swung(until=0.4, step=0.1).at(t), ch.InvalidOption)


def test_half_a_turn_between_states_is_refused_by_the_name_of_the_body(refusal):
    result = swung(rate=50.0, until=0.3, step=1e-3)[::100]
    assert "'rod'" in refusal(lambda: result.at(0.05), ch.InvalidOption)


# --- slices ---------------------------------------------------------------------------------------


def test_a_result_has_a_length_states_and_slices():
    result = swung(until=0.4, step=1e-2)
    assert len(result) == len(result.t) == 41
    assert result[3].t == result.state(3).t and [state.t for state in result] == list(result.t)
    tenth = result[::10]
    assert np.array_equal(tenth.t, result.t[::10]) and len(tenth) == 5
    assert np.array_equal(tenth.position("tip"), result.position("tip")[::10])
    assert tenth.provenance["slice"] == "states 0 to 40 in steps of 10 of 41"
    assert tenth[1:3].provenance["slice"].endswith("of those states 1 to 2 in steps of 1 of 5")


@pytest.mark.parametrize("index", [slice(5, 5), slice(None, None, -1), slice("a", None),
                                   slice(0, 4, 0), 41, "hinge", None, 1.5])  # fmt: skip
def test_indices_that_name_no_state_are_refused(index, refusal):
    result = swung(until=0.4, step=1e-2)
    refusal(lambda: result[index], ch.InvalidOption)


def test_a_slice_that_begins_late_keeps_turns_balance_and_reactions():
    result = swung(rate=9.0, until=3.0, step=1e-2)
    late = result[200::7]
    assert np.array_equal(late.coordinate("hinge"), result.coordinate("hinge")[200::7])
    assert np.allclose(late.reaction("hinge").force, result.reaction("hinge").force[200::7])
    whole = result.energy_balance()[200::7]
    assert np.allclose(late.energy_balance(), whole - whole[0], atol=1e-12)


def test_work_before_a_slice_is_not_counted_in_its_balance():
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, (0, 0, 0), "y")
    model = ch.Model([rod], [hinge], [ch.Motor("motor", "hinge", effort=20.0)])
    result = ch.simulate(model, until=1.0, step=1e-3)
    assert result.work("motor")[500] > 1.0
    assert np.abs(result[500:].energy_balance()).max() < 1e-6


def test_a_run_goes_on_from_a_slice_with_its_end_only(refusal):
    first = swung(until=0.2, step=1e-2)
    options = {"until": 0.4, "step": 1e-2, "model": first.model}
    again = ch.simulate(start=first[::5], **options)
    assert np.array_equal(again.absolute[-1], ch.simulate(start=first, **options).absolute[-1])
    assert "go on" in refusal(lambda: ch.simulate(start=first[:5], **options), ch.InvalidOption)


def test_slices_are_saved_and_loaded(tmp_path):
    some = swung(until=0.2, step=1e-2)[4::4]
    found = ch.load(some.save(tmp_path / "some.nc"))
    assert np.array_equal(found.t, some.t) and found.provenance == some.provenance
    assert np.array_equal(found.coordinate("hinge"), some.coordinate("hinge"))
    assert list(found.to_pandas()) == list(some.frame())


def test_a_time_just_beyond_the_end_is_told_from_the_end(refusal):
    run = ch.simulate(ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)]), 1.0, 0.1)
    message = refusal(lambda: run.at(1.0000001), ch.InvalidOption)
    assert "t = 1.0000001 s" in message and "to 1.0 s" in message


@pytest.mark.parametrize(
    "joint, spaces, spin",
    pairwise(
        ["Revolute", "Cylindrical", "Helical", "Planar"], ["auto", "SE3", "SO3xR3"], [-10.0, 10.0]
    ),
)
def test_whole_turns_pass_between_states_of_every_joint_that_turns(joint, spaces, spin):
    """Free of forces a body spins evenly: by half turns and whole ones, counted or not."""
    pitch = {"pitch": 0.03} if joint == "Helical" else {}
    rise = spin * 0.03 if joint == "Helical" else 0.0
    rotor = ch.Body.box(
        "rotor", (0.3, 0.2, 0.1), mass=1.0, angular_velocity=(0, 0, spin), velocity=(0, 0, rise)
    )
    kind = getattr(ch, joint)
    bearing = kind("bearing", ch.GROUND, rotor, at=(0, 0, 0), axis="z", **pitch)
    model = ch.Model([rotor], [bearing], gravity=(0, 0, 0))
    run = ch.simulate(model, 2.0, 1e-2, spaces=spaces)[::5]
    for t in np.linspace(0.0, 2.0, 97):
        state = run.at(t)
        turned = Rotation.from_rotvec((0, 0, spin * t)).as_matrix()
        np.testing.assert_allclose(state.rotation[0], turned, atol=1e-9)
        np.testing.assert_allclose(state.position[0], (0, 0, rise * t), atol=1e-9)


def driven_round(joint, turns, spaces="auto", **options):
    """A body that a driver turns from rest to rest by whole turns, a cubic in time, in one second;
    nothing is saved between."""
    angle = 2.0 * np.pi * turns

    def motion(t):
        return angle * t * t * (3.0 - 2.0 * t)

    rates = (lambda t: 6.0 * angle * t * (1.0 - t), lambda t: 6.0 * angle * (1.0 - 2.0 * t))
    rotor = ch.Body.box("rotor", (0.3, 0.2, 0.1), mass=1.0, position=(0.5, 0, 0))
    pitch = {"pitch": 0.03} if joint == "Helical" else {}
    bearing = getattr(ch, joint)("bearing", ch.GROUND, rotor, at=(0, 0, 0), axis="z", **pitch)
    driver = ch.Driver("drive", bearing, ch.Signal(motion, *rates), "angle")
    model = ch.Model([rotor], [bearing], drivers=[driver], gravity=(0, 0, 0))
    return ch.simulate(model, 1.0, 1e-3, spaces=spaces, save_every=1000, **options), motion


@pytest.mark.parametrize("turns", [-12.0, -0.75, 1.0, 1.2, 5.0])
@pytest.mark.parametrize("joint", ["Revolute", "Cylindrical", "Helical"])
def test_turns_that_were_counted_are_those_between_states(joint, turns):
    """The cubic has the rates at both ends, 0, and the whole way: it is the motion."""
    run, motion = driven_round(joint, turns)
    for t in np.linspace(0.0, 1.0, 17):
        state, angle = run.at(t), motion(t)
        turned = Rotation.from_rotvec((0, 0, angle)).as_matrix()
        np.testing.assert_allclose(state.rotation[0], turned, atol=1e-9)
        np.testing.assert_allclose(state.position[0, :2], 0.5 * turned[:2, 0], atol=1e-9)
        assert abs(state.angles["bearing"] - angle) < 1e-9


def test_a_counted_turn_of_a_body_in_a_six_dimensional_space_is_not_guessed(refusal):
    """Poses of such a space do not show the way, though the joint has counted the turns."""
    run, _ = driven_round("Revolute", 1.2, "SE3", rows="all")
    message = refusal(lambda: run.at(0.5), ch.InvalidOption)
    assert "body 'rotor' turns by 7.5 rad" in message and "Save more states" in message
