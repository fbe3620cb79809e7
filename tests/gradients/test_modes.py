"""Forward and reverse mode, compiled and read from lists, are derivatives of the same steps."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from mechanisms import double_pendulum, heavy_top, misfit, pendulum, straight_chain, three_bar
from mpmath_runs import steps_in_mpmath
from numpy.testing import assert_allclose
from slopes import slope_by_differences

import chasles as ch
from chasles.many.ensembles.members import image_of, make_stepper
from chasles.many.gradients.gradient import make_tape
from chasles.many.gradients.reverse_pass import ReversePass, along_directions
from chasles.many.gradients.tape import Tape
from chasles.model import InvalidOption, UnknownName

STEP = 1e-3
OPTIONS = {
    "method": "rk4", "acceleration": "screw", "stabilise": None, "redundant": "solve",
    "singular": "stop", "start": None, "close": False, "hold": (),
}  # fmt: skip


def crooked(count):
    """Hinges about two axes in turn."""
    axes = [((0, 1, 0), (0, 0.6, 0.8))[k % 2] for k in range(count)]
    return straight_chain([1.0] * count, [0.2] * count, "rod{}", "pin{}", axes=axes)


def robot(count):
    """A tree of that many bodies with joints of four kinds, which moves from the beginning."""
    bodies = [ch.Body.box("trunk", (0.5, 0.3, 0.2), mass=5.0, position=(0, 0, 0),
                          velocity=(0.1, 0, 0.2), angular_velocity=(0.3, 0.2, 0.1))]  # fmt: skip
    joints, rng = [], np.random.default_rng(7)
    for k in range(1, count):
        parent = bodies[(k - 1) // 2]
        at = np.array(parent.position) + rng.normal(scale=0.1, size=3)
        place = at + rng.normal(scale=0.1, size=3)
        body = ch.Body.box(f"part{k}", (0.1, 0.15, 0.2), mass=1.0, position=place)
        axis = rng.normal(size=3)
        kind = (ch.Revolute, ch.Spherical, ch.Prismatic, ch.Cylindrical)[k % 4]
        options = {} if kind is ch.Spherical else {"axis": axis}
        joints.append(kind(f"joint{k}", parent, body, at=at, **options))
        bodies.append(body)
    return ch.Model(bodies, joints)


@pytest.fixture
def lists_only(monkeypatch):
    monkeypatch.setattr("chasles.many.gradients.tape.MOST_COMPILED", 0)


# --- against others ---


@pytest.mark.parametrize("space", ["auto", "SE3", "SO3xR3"])
@pytest.mark.parametrize("model", [heavy_top, double_pendulum])
def test_derivatives_of_steps_are_those_of_mpmath(model, space, lists_only):
    """Differences in 60 digits of the same formulas, for each of a few numbers of the first state;
    weights of the state after three steps are random.
    """
    made = make_stepper(model(), {**OPTIONS, "spaces": space}, STEP, 1.0)
    tape = make_tape(made, np.zeros(image_of(made).numbers.size, bool), STEP, 3)
    reverse_pass = ReversePass(tape, lambda run: run.position(run.model.bodies[-1].name)[-1, 2], 3)
    block, inner = made.first_block(), made.layout.integrals
    rng = np.random.default_rng(3)
    reverse_pass.seeds[:] = 0.0
    reverse_pass.seeds[-1, :inner] = rng.normal(size=inner)
    forward = along_directions(reverse_pass, np.eye(tape.width), np.zeros((0, tape.width)))
    back = reverse_pass.back()
    h = mpmath.mpf(10) ** -20
    for entry in rng.choice(inner, size=min(4, inner), replace=False):
        ends = []
        for sign in (1, -1):
            start = [mpmath.mpf(x) for x in block]
            with mpmath.workdps(60):
                start[entry] += sign * h
            ends.append(steps_in_mpmath(made, start, STEP, 3, 60)[:inner])
        with mpmath.workdps(60):
            slopes = [(a - b) / (2 * h) for a, b in zip(*ends, strict=True)]
        wanted = float(np.array(slopes, float) @ reverse_pass.seeds[-1, :inner])
        for found in (forward[entry], back[entry]):
            assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("model", "paths", "until"),
    [(crooked, ["gravity"], 0.02), (robot, ["gravity", "part5.mass"], 0.01)],
)
def test_large_models_agree_with_differences_of_whole_runs(model, count, paths, until, request):
    """Of 20 bodies, steps are too long for machine code; of six, as if they were."""
    if count < 20:
        request.getfixturevalue("lists_only")
    made = model(count)
    value = misfit(ch.simulate(made, until, STEP))
    wanted = {path: slope_by_differences(made, misfit, path, until, STEP) for path in paths}
    for mode in ("forward", "reverse"):
        found = ch.gradient(made, misfit, paths, until, STEP, mode=mode)
        assert_allclose(found.value, value, rtol=1e-13)
        for path, (slope, change, h) in wanted.items():
            along = float((found[path] * change).sum())
            assert_allclose(along, slope, rtol=1e-10, atol=1e-12 * abs(value) / h)


@pytest.mark.parametrize("method", ["bliedf1", "bliedf2"])
def test_backward_differentiation_is_refused_by_name_and_without_our_own_words(method, refusal):
    told = refusal(
        lambda: ch.gradient(heavy_top(), misfit, ["gravity"], 0.01, STEP, method=method),
        InvalidOption,
    )
    assert f"'{method}' counts the points" in told and "Traced" not in told


def test_what_a_run_has_not_is_told_with_what_it_has(refusal):
    told = refusal(
        lambda: ch.gradient(heavy_top(), lambda run: run.energy()[-1], ["gravity"], 0.01, STEP),
        UnknownName,
    )
    assert "no quantity 'energy'" in told and "'angular_velocity'" in told


def test_what_joints_forbid_to_vary_is_told_by_its_entry(refusal):
    model = pendulum(name="rod", joint="pin", axis="z", angular_velocity=(0, 0, 3))
    told = refusal(
        lambda: ch.gradient(model, lambda r: r.position("rod")[-1, 0], ["rod.angular_velocity"],
                            0.01, STEP),
        InvalidOption,
    )  # fmt: skip
    assert "'rod.angular_velocity' cannot vary in its entry x" in told and "'pin'" in told
    assert "close=True" not in told


def test_a_step_that_is_left_out_is_asked_for_by_the_one_who_needs_it(refusal):
    for told in (
        refusal(lambda: ch.gradient(heavy_top(), misfit, ["gravity"], 0.01), InvalidOption),
        refusal(lambda: ch.ensemble(heavy_top(), {"top.mass": [1.0, 2.0]}, 0.01), InvalidOption),
    ):
        assert told.startswith(("gradient: step", "ensemble: step")) and "tol" not in told


@pytest.mark.parametrize("method", ["gauss4", "rattlie", "generalized-alpha"])
def test_steps_that_iterate_are_differentiated_as_they_are_taken(method, lists_only):
    """Every number of iterations is a branch of its own."""
    wanted, change, _ = slope_by_differences(
        heavy_top(), misfit, "gravity", 0.003, STEP, method=method
    )
    found = ch.gradient(
        heavy_top(), misfit, ["gravity"], 0.003, STEP, method=method, mode="forward"
    )
    assert_allclose(found["gravity"] @ change, wanted, rtol=1e-8)


def test_what_cannot_be_recorded_is_refused(refusal):
    """BLieDF counts the steps it has behind it in a number of its state."""
    told = refusal(
        lambda: ch.gradient(heavy_top(), misfit, ["gravity"], 0.01, STEP, method="bliedf4"),
        InvalidOption,
    )
    assert "cannot be differentiated" in told and "one-step method" in told
    told = refusal(
        lambda: ch.gradient(heavy_top(), misfit, ["gravity"], 0.01, STEP, method="scipy RK45"),
        InvalidOption,
    )
    assert "not recorded" in told


# --- against each other ---


@pytest.mark.parametrize(
    ("model", "paths"),
    [
        (heavy_top, ["gravity", "top.mass"]),
        pytest.param(three_bar, ["gravity"], marks=pytest.mark.slow),
    ],
)
def test_lists_and_machine_code_agree_in_both_modes(model, paths, monkeypatch):
    found = []
    for most in (0, 10**9):
        monkeypatch.setattr("chasles.many.gradients.tape.MOST_COMPILED", most)
        for mode in ("forward", "reverse", "auto"):
            found.append(ch.gradient(model(), misfit, paths, 0.02, STEP, mode=mode, save_every=3))
    for one in found[1:]:
        assert one.value == found[0].value
        for path in paths:
            size = np.abs(found[0][path]).max()
            assert_allclose(one[path], found[0][path], rtol=1e-11, atol=1e-12 * size)


def test_branches_of_one_run_may_be_lists_and_machine_code(monkeypatch):
    """The first step of this method is longer than all others."""
    model = pendulum(name="rod", joint="pin", axis="z", angular_velocity=(0, 0, 3))
    sizes, found = [], []
    record = Tape.record

    def recorded(tape, block, index):
        branch = record(tape, block, index)
        sizes.append(len(branch.recording.step.nodes))
        return branch

    monkeypatch.setattr(Tape, "record", recorded)
    for mode in ("reverse", "auto", "forward"):
        most = min(sizes) if sizes else 0
        monkeypatch.setattr("chasles.many.gradients.tape.MOST_COMPILED", most)
        found.append(
            ch.gradient(model, misfit, ["gravity"], 0.01, STEP, mode=mode,
                        method="generalized-alpha")["gravity"]
        )  # fmt: skip
    assert min(sizes) < max(sizes)
    assert_allclose(found[1], found[0], rtol=1e-10, atol=1e-15)
    assert_allclose(found[2], found[0], rtol=1e-10, atol=1e-15)


def test_long_runs_of_lists_are_gone_through_in_segments(lists_only, monkeypatch):
    whole = ch.gradient(heavy_top(), misfit, ["gravity"], 0.1, STEP, mode="reverse")
    monkeypatch.setattr("chasles.many.gradients.tape.MOST_KEPT", 600)
    for mode in ("reverse", "forward"):
        parts = ch.gradient(heavy_top(), misfit, ["gravity"], 0.1, STEP, mode=mode)
        assert_allclose(parts["gravity"], whole["gravity"], rtol=1e-12)


def test_an_unknown_mode_is_refused(refusal):
    told = refusal(
        lambda: ch.gradient(heavy_top(), misfit, ["gravity"], 0.01, STEP, mode="backward"),
        UnknownName,
    )
    assert "'backward'" in told and "reverse" in told


@pytest.mark.parametrize(
    "method", ["linearly-implicit", pytest.param("gauss4", marks=pytest.mark.slow), "rk4"]
)
def test_steps_that_begin_with_guesses_are_differentiated(method, lists_only):
    """Differences of whole runs, which know nothing of guesses."""
    ball = ch.Body.sphere(
        "ball", radius=0.1, mass=1.0, position=(0.5, 0, 0), velocity=(0.6, 0.3, 0.4)
    )

    def model(stiffness):
        spring = ch.Spring("spring", ch.GROUND, ball, (0, 0, 0), (0.5, 0, 0), stiffness, 3.0)
        return ch.Model([ball], forces=[spring])

    def height(stiffness):
        run = ch.simulate(model(stiffness), 0.04, step=1e-2, method=method, kernel="generic")
        return run.position("ball")[-1, 2]

    found = ch.gradient(
        model(400.0), lambda run: run.position("ball")[-1, 2], ["spring.stiffness"], 0.04, 1e-2,
        method=method, mode="reverse",
    )  # fmt: skip
    differences = (8 * (height(401.0) - height(399.0)) - (height(402.0) - height(398.0))) / 12
    assert found["spring.stiffness"] == pytest.approx(differences, rel=1e-7)


@pytest.mark.parametrize(
    "name, spaces", [pytest.param("four-bar", "SE3", marks=pytest.mark.slow), ("A04", "auto")]
)
def test_models_with_redundant_rows_are_differentiated(name, spaces, lists_only):
    model, until, step = ch.library.get(name).model(), 3e-3, 1e-3
    body = model.body_names[0]

    def height(run):
        return run.position(body)[-1, 2]

    def at(gravity):
        heavier = ch.Model(model.bodies, model.joints, model.forces, gravity=gravity)
        return height(ch.simulate(heavier, until, step, spaces=spaces))

    found = ch.gradient(model, height, ["gravity"], until, step, spaces=spaces)["gravity"]
    by = 1e-3 * np.eye(3)
    differences = [(at(model.gravity + d) - at(model.gravity - d)) / 2e-3 for d in by]
    assert found == pytest.approx(differences, rel=1e-7, abs=1e-12)


def hinged(force) -> ch.Model:
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(1, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, ball, at=(0, 0, 0), axis=(0, 1, 0))
    return ch.Model([ball], [hinge], [force])


def test_functions_of_ones_own_are_refused_by_their_name(refusal):
    """Not by where they happen to stand in memory."""
    model = hinged(ch.JointLaw("law", "hinge", lambda t, q, rate: -q))
    message = refusal(
        lambda: ch.gradient(model, lambda run: run.t[-1], ["ball.mass"], until=0.01, step=STEP),
        InvalidOption,
    )
    assert "functions of your own" in message


def test_functions_of_time_of_ones_own_are_those_of_every_run():
    """z = -tau / (m l^2) t^2 / 2 to first order: a motor against nothing, dz/dm = -z / m."""
    motor = ch.Motor("motor", "hinge", effort=lambda t: 2.0 + 0.0 * t)
    model = replace(hinged(motor), gravity=(0.0, 0.0, 0.0))
    found = ch.gradient(model, lambda run: run.position("ball")[-1, 2], ["ball.mass"], 0.01, 1e-3)
    inertia = 1.0 + 0.4 * 0.1**2  # of a sphere about the hinge, as its mass is 1
    angle = 2.0 / inertia * 0.01**2 / 2.0
    assert found.value == pytest.approx(-np.sin(angle), rel=1e-9)
    by_mass = np.cos(angle) * 2.0 / inertia**2 * 0.01**2 / 2.0  # the moment 0.4 r^2 stays
    assert found["ball.mass"] == pytest.approx(by_mass, rel=1e-9)


@pytest.mark.parametrize("plain", [math.sin, float, lambda x: math.hypot(x, 1.0)])
def test_a_function_that_loses_the_record_of_its_numbers_is_refused(plain):
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0)
    model = ch.Model([bob])
    with pytest.raises(ch.InvalidOption, match="NumPy's functions"):
        ch.gradient(model, lambda run: plain(run.position("bob")[-1, 2]), ["gravity"], 0.1, 1e-2)
