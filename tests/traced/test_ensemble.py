"""Members of an ensemble are the runs that `simulate` makes one by one, bit for bit."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from mechanisms import pendulum, three_bar
from numpy.testing import assert_allclose, assert_array_equal
from test_bits import bouncing, sprung

import chasles as ch
from chasles.many.ensembles.gpu import export_cuda
from chasles.model import InvalidOption, UnknownName
from chasles.model.parameters import with_parameters

STEP = 1e-3
ensemble = partial(ch.ensemble, kernel="traced")  # few steps of few members do not pay


def spinning_top() -> ch.Model:
    top = ch.Body.box(
        "top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0), angular_velocity=(0, 60, 30)
    )
    return ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])


def with_part(model: ch.Model, kind: str, name: str, **fields) -> ch.Model:
    parts = tuple(
        replace(part, **fields) if part.name == name else part for part in getattr(model, kind)
    )
    return replace(model, **{kind: parts})


def assert_members_are_runs(found, models, until, save_every, chosen, **options):
    for member in chosen:
        run = ch.simulate(models(member), until, step=STEP, save_every=save_every, **options)
        assert_array_equal(found.time, run.t)
        for name in run.model.body_names:
            own = found.sel(body=name).isel(member=member)
            assert_array_equal(own.position, run.position(name))
            assert_array_equal(own.rotation, run.rotation(name))
            assert_array_equal(own.velocity, run.velocity(name))
            assert_array_equal(own.angular_velocity, run.angular_velocity(name))


def test_initial_velocities_and_gravity_vary():
    rng = np.random.default_rng(1)
    spins = np.array([0, 60.0, 30.0]) + 5 * rng.normal(size=(21, 3))
    pulls = np.array([0, 0, -9.81]) * (1 + 0.1 * rng.normal(size=(21, 1)))
    found = ensemble(
        spinning_top(), {"top.angular_velocity": spins, "gravity": pulls}, 0.3, STEP, save_every=70
    )

    def model(k):
        varied = with_part(spinning_top(), "bodies", "top", angular_velocity=spins[k])
        return replace(varied, gravity=pulls[k])

    assert found.sizes["member"] == 21 and set(found.status.values) == {"finished"}
    assert found.attrs["steps_in_lanes"] > 20 * 300
    assert_members_are_runs(found, model, 0.3, 70, range(0, 21, 4))


@pytest.mark.parametrize("space", ["auto", "SE3"])
def test_masses_and_joints_vary(space):
    masses = np.linspace(10.0, 30.0, 9)
    points = np.array([[0.0, 0.01 * k, -0.02 * k] for k in range(9)])
    found = ensemble(
        spinning_top(), {"top.mass": masses, "pivot.at": points}, 0.2, STEP, save_every=50,
        spaces=space,
    )  # fmt: skip

    def model(k):
        varied = with_part(spinning_top(), "bodies", "top", mass=masses[k])
        return with_part(varied, "joints", "pivot", at=points[k])

    assert_members_are_runs(found, model, 0.2, 50, (0, 3, 8), spaces=space)


@pytest.mark.parametrize("method", ["heun", "cf4"])
def test_forces_vary(method):
    stiffness = np.linspace(1.0, 60.0, 10)
    found = ensemble(
        sprung(), {"spring.stiffness": stiffness}, 0.2, STEP, save_every=60, method=method
    )

    def model(k):
        return with_part(sprung(), "forces", "spring", stiffness=stiffness[k])

    assert_members_are_runs(found, model, 0.2, 60, (0, 4, 9), method=method)


def test_loops_vary():
    rng = np.random.default_rng(2)
    pulls = rng.normal(size=(9, 3))
    found = ensemble(three_bar(), {"gravity": pulls}, 0.1, STEP, save_every=50)
    models = [replace(three_bar(), gravity=pull) for pull in pulls]
    assert_members_are_runs(found, models.__getitem__, 0.1, 50, (0, 8))


def test_members_whose_guards_fail_are_finished_to_the_same_bits():
    """Balls that fall from different heights: each touches the bed at its own time."""
    heights = np.linspace(0.101, 0.2, 20)
    found = ensemble(
        bouncing(), {"ball.velocity": np.array([[0, 0, -0.1 * k] for k in range(20)])}, 0.3, STEP,
        save_every=30,
    )  # fmt: skip
    assert len(heights) == 20
    assert found.attrs["steps_in_lanes"] > 0 and set(found.status.values) == {"finished"}

    def model(k):
        return with_part(bouncing(), "bodies", "ball", velocity=(0, 0, -0.1 * k))

    assert_members_are_runs(found, model, 0.3, 30, range(0, 20, 3))


def test_large_ensembles_are_set_up_from_few():
    rng = np.random.default_rng(3)
    spins = np.array([0, 60.0, 30.0]) + 5 * rng.normal(size=(1000, 3))
    found = ensemble(spinning_top(), {"top.angular_velocity": spins}, 0.05, STEP, save_every=50)
    assert found.attrs["set_up"].startswith("from ")
    for k in (0, 500, 999):
        model = with_part(spinning_top(), "bodies", "top", angular_velocity=spins[k])
        run = ch.simulate(model, 0.05, step=STEP, save_every=50)
        assert_allclose(found.position[k, -1, 0], run.position("top")[-1], atol=1e-13)


@pytest.mark.parametrize("path", ["top.angular_velocity", "gravity"])
def test_a_member_that_the_sample_tells_nothing_of_is_set_up_by_itself(path):
    varied = {"top.angular_velocity": [0, 60.0, 30.0], "gravity": [0, 0, -9.81]}
    rows = np.tile(varied[path], (1000, 1))
    rows[:, 2] += np.linspace(0.0, 1.0, 1000)
    rows[700] = [3.0, 50.0, 20.0]
    found = ensemble(spinning_top(), {path: rows}, 0.05, STEP, save_every=50)
    assert found.attrs["set_up"].endswith("and 1 by themselves")
    assert_members_are_runs(
        found, lambda k: with_parameters(spinning_top(), {path: rows[k]}), 0.05, 50, (0, 699, 700)
    )


def test_the_one_member_that_opens_its_joint_is_refused():
    rng = np.random.default_rng(4)
    spins = np.array([0, 60.0, 30.0]) + rng.normal(size=(1000, 3))
    speeds = np.cross(spins, [0.5, 0, 0])
    speeds[700] += [1.0, 0, 0]
    found = ensemble(
        spinning_top(), {"top.angular_velocity": spins, "top.velocity": speeds}, 0.01, STEP
    )
    assert found.attrs["set_up"].startswith("from ")
    assert found.status.values[700].startswith("refused: the initial velocities")
    assert (found.status.values == "finished").sum() == 999


def test_the_generic_kernel_in_threads_gives_the_same():
    spins = np.array([[0, 60.0 + k, 30.0] for k in range(10)])
    runs = [
        ensemble(spinning_top(), {"top.angular_velocity": spins}, 0.1, STEP, kernel=kernel)
        for kernel in ("auto", "generic")
    ]
    assert_array_equal(runs[0].position, runs[1].position)
    assert runs[1].attrs["steps_in_lanes"] == 0


def test_rounding_once_changes_the_last_digits_only():
    spins = np.array([[0, 60.0 + k, 30.0] for k in range(8)])
    vary = {"top.angular_velocity": spins}
    exact, fused = (ensemble(spinning_top(), vary, 0.1, STEP, exact=e) for e in (True, False))
    assert_allclose(exact.position, fused.position, atol=1e-12)


# --- members that fail ---


def test_failed_members_are_kept_with_their_reason():
    """A spring far too stiff for the step, and a mass that cannot be."""
    model = pendulum(forces=[ch.JointSpring("spring", "hinge", 10.0, rest=0.1)])
    found = ensemble(
        model, {"spring.stiffness": [10.0, 1e9, 20.0, 30.0], "arm.mass": [1.0, 1.0, -1.0, 2.0]},
        0.1, STEP,
    )  # fmt: skip
    status = found.status.values
    assert status[0] == status[3] == "finished"
    assert status[1].startswith("stopped: ") and "arm" in status[1]
    assert status[2].startswith("refused: ") and "mass" in status[2]
    assert np.isfinite(found.position[[0, 3]]).all()
    assert 0 < found.reached[1] < 0.1 and np.isnan(found.position[1, -1]).all()
    assert np.isnan(found.position[2, 1:]).all()


def test_statistics_of_members_that_stop_at_once_are_not_numbers():
    """And no warning of NumPy's comes with them."""
    found = ensemble(
        spinning_top(), {"top.angular_velocity": [[0, 60, 1e6]]}, 0.01, STEP,
        statistics=["top.speed"],
    )  # fmt: skip
    assert found.status.values[0].startswith("stopped: ")
    assert np.isnan(found.quantiles).all() and found.histogram.sum() == 0


def test_an_ensemble_of_which_nobody_can_start_is_refused(refusal):
    refusal(lambda: ensemble(spinning_top(), {"top.mass": [-1.0, -2.0]}, 0.1, STEP), ch.InvalidBody)


# --- statistics ---


def test_statistics_are_those_of_the_trajectories():
    spins = np.array([[0, 60.0 + k, 30.0] for k in range(17)])
    vary = {"top.angular_velocity": spins}
    names = ["pivot.violation", "top.position.z", "top.speed", "kinetic_energy"]
    whole = ensemble(spinning_top(), vary, 0.2, STEP, save_every=2, spaces="SO3xR3")
    found = ensemble(
        spinning_top(), vary, 0.2, STEP, save_every=2, spaces="SO3xR3", statistics=names
    )
    heights = whole.position[:, :, 0, 2].values
    assert_allclose(found.largest.sel(quantity="top.position.z"), heights.max(axis=1), atol=1e-14)
    assert_allclose(found.smallest.sel(quantity="top.position.z"), heights.min(axis=1), atol=1e-14)
    assert_allclose(found["mean"].sel(quantity="top.position.z"), heights.mean(axis=1), atol=1e-13)
    assert_allclose(found["last"].sel(quantity="top.position.z"), heights[:, -1], atol=1e-14)
    speeds = np.linalg.norm(whole.velocity[:, :, 0], axis=-1)
    assert_allclose(found.largest.sel(quantity="top.speed"), speeds.max(axis=1), rtol=1e-13)
    for k in (0, 16):
        model = with_part(spinning_top(), "bodies", "top", angular_velocity=spins[k])
        run = ch.simulate(model, 0.2, step=STEP, save_every=2, spaces="SO3xR3")
        drift = run.violation("pivot").max()
        assert drift > 1e-9, "nothing to see"
        assert_allclose(found.largest.sel(quantity="pivot.violation")[k], drift, rtol=1e-6)
    quantiles = found.quantiles.sel(quantity="top.position.z")
    assert_allclose(quantiles.sel(quantile=0.5), np.median(heights.max(axis=1)))
    assert found.histogram.sel(quantity="top.speed").sum() == 17
    assert "position" not in found


@pytest.mark.parametrize("spaces", ["auto", "SO3xR3"])
def test_kinetic_energy_is_that_of_a_result_with_rotors(spaces):
    top = spinning_top()
    model = replace(top, joints=[replace(top.joints[0], armature=0.7)])
    spins = np.array([[0.0, 6.0, 3.0], [1.0, 5.0, 2.0]])
    vary = {"top.angular_velocity": spins}
    found = ensemble(model, vary, 0.02, STEP, spaces=spaces, statistics=["kinetic_energy"])
    for k, spin in enumerate(spins):
        run = ch.simulate(
            with_part(model, "bodies", "top", angular_velocity=spin), 0.02, STEP, spaces=spaces
        )
        assert_allclose(found["last"][k, 0], run.kinetic_energy()[-1], rtol=1e-13)


def test_statistics_count_members_that_left_the_lanes():
    masses = np.linspace(1.0, 2.0, 20)
    falls = np.array([[0, 0, -0.1 * k] for k in range(20)])
    vary = {"ball.velocity": falls, "ball.mass": masses}
    whole = ensemble(bouncing(), vary, 0.2, STEP)
    names = ["ball.position.z", "kinetic_energy"]
    found = ensemble(bouncing(), vary, 0.2, STEP, statistics=names)
    heights = whole.position[:, :, 0, 2]
    assert_allclose(found.smallest[:, 0], heights.min("time"), atol=1e-14)
    assert_allclose(found["mean"][:, 0], heights.mean("time"), atol=1e-13)
    energies = 0.5 * masses[:, None] * whole.velocity[:, :, 0, 2] ** 2
    assert_allclose(found["mean"][:, 1], energies.mean("time"), rtol=1e-12)


@pytest.mark.parametrize("every", [1, 3, 7, 100])
@pytest.mark.parametrize("kernel", ["generic", "traced"])
def test_statistics_have_the_start_and_the_end(every, kernel):
    """A ball that is braked is fastest at the start, also if few states are looked at."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, velocity=(0, 0, 20.0))
    options = {"save_every": every, "kernel": kernel}
    vary = {"ball.mass": [1.0, 2.0]}
    whole = ensemble(ch.Model([ball]), vary, 0.1, 0.01, **options)
    found = ensemble(
        ch.Model([ball]), vary, 0.1, 0.01, statistics=["ball.speed", "ball.position.z"], **options
    )
    speeds, heights = np.linalg.norm(whole.velocity[:, :, 0], axis=-1), whole.position[:, :, 0, 2]
    for word, reduced in (("largest", np.max), ("smallest", np.min), ("mean", np.mean)):
        assert_allclose(found[word][:, 0], reduced(speeds, axis=1), rtol=1e-14)
        assert_allclose(found[word][:, 1], reduced(heights.values, axis=1), rtol=1e-14)
    assert_allclose(found["last"], np.stack((speeds[:, -1], heights[:, -1]), axis=1), rtol=1e-14)
    assert found.largest[0, 0] == 20.0


def test_members_of_another_structure_begin_where_they_were_put():
    """A rotor makes another structure of the model: such members are not those of the lanes."""
    rotors, spins = np.array([0.0, 0.7]), np.array([[0.0, 6.0, 3.0], [1.0, 5.0, 2.0]])
    vary = {"pivot.armature": rotors, "top.angular_velocity": spins}
    found = ensemble(spinning_top(), vary, 0.02, STEP)

    def model(k):
        varied = with_part(spinning_top(), "bodies", "top", angular_velocity=spins[k])
        return with_part(varied, "joints", "pivot", armature=rotors[k])

    assert_members_are_runs(found, model, 0.02, 1, (0, 1))


# --- bad input ---


def test_an_unknown_path_suggests_the_nearest(refusal):
    message = refusal(
        lambda: ensemble(spinning_top(), {"top.angular_velocty": [[0, 0, 1]]}, 0.1, STEP),
        UnknownName,
    )
    assert "Did you mean 'top.angular_velocity'?" in message


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({"top.mass": [1.0, 2.0, 3.0], "gravity": np.zeros((2, 3))}, ("'top.mass' has 3", "2")),
        ({"top.angular_velocity": np.zeros((4, 2))}, ("(members, 3)", "(4, 2)")),
        ({"top.mass": np.zeros((4, 2))}, ("(members,)", "(4, 2)")),
        ({"top.mass": "heavy"}, ("array of numbers", "heavy")),
        ({"top.mass": np.array([1.0 + 1.0j])}, ("array of numbers",)),
        ({}, ("must be a dict",)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(vary, words, refusal):
    message = refusal(lambda: ensemble(spinning_top(), vary, 0.1, STEP), InvalidOption)
    assert all(word in message for word in words)


def test_other_bad_options_are_refused(refusal):
    vary = {"top.mass": [1.0, 2.0]}
    for options, word in (
        ({"until": 0.1005}, "whole number of steps"),
        ({"threads": 0}, "threads"),
        ({"statistics": "pivot.violation"}, "list"),
        ({"statistics": []}, "got none"),
        ({"exact": "no"}, "exact must be True or False"),
        ({"save_every": 0}, "save_every"),
    ):
        given = {"until": 0.1, "step": STEP, **options}
        assert word in refusal(
            lambda given=given: ensemble(spinning_top(), vary, **given), InvalidOption
        )
    message = refusal(
        lambda: ensemble(spinning_top(), vary, 0.1, STEP, statistics=["pivot.violatoin"]),
        UnknownName,
    )
    assert "pivot.violation" in message
    refusal(
        lambda: ensemble(spinning_top(), {"top.mass": np.ones(10**6)}, 1e3, STEP), InvalidOption
    )


@pytest.mark.parametrize("what", ["ensemble", "export", "gradient"])
def test_methods_that_step_by_themselves_are_refused(what):
    top, options = spinning_top(), {"method": "scipy DOP853"}
    with pytest.raises(ch.InvalidOption, match=f"{what}: 'scipy DOP853' steps by itself"):
        if what == "ensemble":
            ensemble(top, {"top.mass": [1.0, 2.0]}, 0.01, STEP, **options)
        elif what == "export":
            export_cuda(top, STEP, **options)
        else:
            ch.gradient(
                top, lambda run: run.position("top")[-1, 2], ["gravity"], 0.01, STEP, **options
            )


def test_members_that_go_wrong_say_so_as_a_run_does():
    """A spring that the steps of one member do not resolve: RK4 damps it, and nobody stops."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0.5, 0, 0), velocity=(1, 0, 0))

    def model(stiffness):
        spring = ch.Spring("spring", ch.GROUND, ball, (0, 0, 0), (0.5, 0, 0), stiffness)
        return ch.Model([ball], forces=[spring])

    vary = {"spring.stiffness": np.array([400.0, 5e6])}
    with pytest.warns(ch.ChaslesWarning, match="1 of 2 members are suspect; member 1: the energy"):
        runs = ensemble(model(400.0), vary, 0.05, STEP)
    words = runs.warnings.values
    assert words[0] == "" and "energy balance misses" in words[1]
    with pytest.warns(ch.ChaslesWarning, match="balance misses"):
        run = ch.simulate(model(5e6), 0.05, step=STEP)
    assert run.warnings[0].startswith(words[1])


def test_members_name_the_joint_that_drifts():
    """At steps that are far too long for a loop in charts without a stabiliser."""
    model = three_bar()
    start = {"gravity": np.array([[0, 0, -9.81], [0, 0, -30.0]])}
    options = {"step": 0.02, "spaces": "SE3"}
    with pytest.warns(ch.ChaslesWarning):
        found = ensemble(model, start, 1.0, **options)
    for member, gravity in enumerate(start["gravity"]):
        single = replace(model, gravity=tuple(gravity))
        with pytest.warns(ch.ChaslesWarning):
            run = ch.simulate(single, 1.0, **options)
        said = [words.partition(". Take")[0] for words in run.warnings if "drifted" in words]
        assert said and said[0] in found.warnings.values[member]


def test_members_with_a_function_of_time_share_one_recording():
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    motor = ch.Motor("motor", hinge, effort=lambda t: 3.0 * t)
    model = ch.Model([arm], [hinge], [motor])
    gravities = np.array([(0, 0, -9.81), (0, 0, -1.62), (0, 0, -3.7)])
    found = ensemble(model, {"gravity": gravities}, 20 * STEP, STEP)
    assert found.attrs["steps_in_lanes"] == 60 and found.attrs["steps_of_the_generic_kernel"] == 0
    models = [replace(model, gravity=tuple(g)) for g in gravities]
    assert_members_are_runs(found, models.__getitem__, 20 * STEP, 1, range(3))


def test_a_function_of_time_is_fitted_once_for_all_members_and_anew_for_the_next_ensemble():
    asked, slope = [], 3.0

    def torque(t):
        asked.append(np.size(t))
        return slope * t

    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=torque)])
    asked.clear()
    ensemble(model, {"arm.mass": [1.0, 2.0]}, 0.1, 1e-2)
    two = sum(asked)
    asked.clear()
    ensemble(model, {"arm.mass": np.linspace(1.0, 2.0, 30)}, 0.1, 1e-2)
    assert sum(asked) < 2 * two
    slope = -3.0
    found = ensemble(model, {"arm.mass": [1.0, 2.0]}, 0.1, 1e-2)
    run = ch.simulate(model, 0.1, step=1e-2)
    assert_array_equal(found.position.sel(body="arm").isel(member=0), run.position("arm"))
