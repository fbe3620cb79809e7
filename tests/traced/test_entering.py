"""Members enter the recorded step at their first step, and stay where nothing branches."""

import sys
from dataclasses import replace

import host_cuda
import numpy as np
import pytest
from mechanisms import three_bar
from numpy.testing import assert_allclose, assert_array_equal

import chasles as ch
from chasles.many.ensembles import ensemble as ensembles
from chasles.many.ensembles import lanes
from chasles.many.ensembles.gpu import export_cuda
from chasles.many.ensembles.members import equal_steps, make_stepper
from chasles.many.gradients import tape
from chasles.many.traced import stepping
from chasles.many.traced.cuda import KERNEL
from chasles.many.traced.machine import Shelf
from chasles.many.traced.record import record
from chasles.scalars.nodes import Guard, Place

STEP = 1e-3
needs_compiler = pytest.mark.skipif(host_cuda.COMPILER is None, reason="there is no g++")


def legs() -> ch.Model:
    """A thigh and a shank on hinges with stops, one of which is touched at the start."""
    thigh = ch.Body.box("thigh", size=(0.1, 0.1, 0.5), mass=3.0, position=(0, 0, -0.25))
    shank = ch.Body.box("shank", size=(0.08, 0.08, 0.5), mass=2.0, position=(0, 0, -0.75))
    hip = ch.Revolute("hip", ch.GROUND, thigh, at=(0, 0, 0), axis=(0, 1, 0))
    knee = ch.Revolute("knee", thigh, shank, at=(0, 0, -0.5), axis=(0, 1, 0))
    forces = [
        ch.JointStop("hip stop", hip, lower=-1.0, upper=0.02, stiffness=400.0, damping=2.0),
        ch.JointStop("knee stop", knee, lower=0.0, upper=2.0, stiffness=400.0, damping=2.0),
        ch.Motor("drive", hip, effort=3.0),
    ]
    return ch.Model([thigh, shank], [hip, knee], forces)


def block_after(model: ch.Model, steps: int):
    """The state block of a plain run after so many steps."""
    options = equal_steps("test", "rk4", "auto", None)
    stepper = make_stepper(model, options, STEP, steps * STEP)
    block = stepper.first_block() + 0.0
    grid = (0.0, STEP, 0, steps, 2**62)
    stepper.advance_generic(block, np.zeros_like(block), grid, 2**62, 1, np.zeros((1, 1)), 0)
    return stepper, block


@needs_compiler
def test_the_exported_step_of_a_closed_loop_is_entered_at_the_start(tmp_path):
    """By its source text, compiled for the CPU: one member, from the first block on."""
    steps = 48
    stepper, expected = block_after(three_bar(), steps)
    kernel = host_cuda.cupy().RawModule(code=export_cuda(three_bar(), STEP)).get_function(KERNEL)
    state = stepper.first_block()[:, None] + 0.0
    reached, whole = np.zeros(1, np.int64), np.int64
    kernel(
        (1,), (1,),
        (
            state, np.zeros(1), np.intp(0), np.zeros(1), reached, whole(1),
            np.float64(0.0), np.float64(STEP), whole(0), whole(steps), whole(2**62),
            whole(2**62), whole(0),
        ),
    )  # fmt: skip
    assert reached[0] == steps
    assert_array_equal(state[:, 0], expected)


@pytest.mark.parametrize("model", [three_bar, legs])
def test_no_member_of_a_loop_or_leg_leaves_the_lanes(model):
    """Neither at the first steps, nor where stops are touched and left, nor for a look."""
    pulls = np.random.default_rng(3).normal(size=(12, 3)) + [0, 0, -9.81]
    vary = {"gravity": pulls * [1, 0, 1]} if model is legs else {"gravity": pulls}
    found = ch.ensemble(model(), vary, 0.2, STEP, save_every=40, kernel="traced")
    assert found.attrs["steps_in_lanes"] == 12 * 200
    for member in (0, 11):
        single = ch.Model(
            model().bodies, model().joints, model().forces, gravity=tuple(vary["gravity"][member])
        )
        run = ch.simulate(single, 0.2, step=STEP, save_every=40)
        for body in run.model.body_names:
            own = found.sel(body=body).isel(member=member)
            assert_array_equal(own.position, run.position(body))
            assert_array_equal(own.angular_velocity, run.angular_velocity(body))


@needs_compiler
@pytest.mark.parametrize("model", [three_bar, legs])
def test_no_member_of_a_loop_or_leg_leaves_the_device(model, monkeypatch):
    """By the source text for a GPU, compiled for the CPU."""
    monkeypatch.setitem(sys.modules, "cupy", host_cuda.cupy())
    pulls = np.random.default_rng(4).normal(size=(6, 3)) * [1, 0, 1]
    runs = [
        ch.ensemble(model(), {"gravity": pulls}, 0.1, STEP, save_every=50, **where)
        for where in ({"kernel": "generic"}, {"device": "gpu"})
    ]
    assert runs[1].attrs["device"] == "gpu"
    assert runs[1].attrs["steps_in_lanes"] == 6 * 100
    assert runs[1].attrs["steps_of_the_generic_kernel"] == 0
    assert_array_equal(runs[0].position, runs[1].position)


# --- when steps are recorded, and how often ---


def tops(members: int = 9, mass: float = 2.0):
    """An ensemble of tops, a hundred steps each."""
    top = ch.Body.box("top", size=(0.1, 0.2, 0.4), mass=mass, position=(0.5, 0, 0))
    model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])
    spins = np.array([[0, 6.0 + k, 30.0] for k in range(members)])
    return ch.ensemble(model, {"top.angular_velocity": spins}, 0.1, STEP, save_every=50)


@pytest.fixture
def shelf(monkeypatch):
    """Nothing was recorded yet; and how many recordings are made."""
    made = []
    monkeypatch.setattr(lanes, "SHELF", Shelf())
    monkeypatch.setattr(lanes, "record", lambda *a, **b: made.append(1) or record(*a, **b))
    return made


def test_few_steps_are_left_to_the_generic_kernel_and_many_are_recorded(shelf, monkeypatch):
    monkeypatch.setattr(ensembles, "generic_at_hand", lambda stepper: True)
    few = tops()
    assert few.attrs["steps_in_lanes"] == 0 and not shelf
    monkeypatch.setattr(ensembles, "STEPS_PER_BODY", 900)
    many = tops()
    assert many.attrs["steps_in_lanes"] == 900 and len(shelf) == 1
    assert_array_equal(few.position, many.position)
    assert tops(8).attrs["steps_in_lanes"] == 800, "it is at hand now"


def test_another_branch_is_recorded_only_where_that_pays_too(shelf, monkeypatch):
    """Rods that fall on the floor all alike: end by end, each of which is another branch."""
    rod = ch.Body.box("rod", (0.4, 0.1, 0.1), mass=1.0, position=(0, 0, 0.25))
    shape = ch.Capsule(0.05, 0.3)
    floor = ch.Contact("floor", ch.GROUND, rod, at=(0, 0, 0), axis="z", shape=shape, stiffness=2e3)
    model = ch.Model([rod], forces=[floor])
    vary = {"rod.angular_velocity": np.array([[3, 4, 1 + 1e-9 * k] for k in range(10)])}
    monkeypatch.setattr(ensembles, "generic_at_hand", lambda stepper: True)
    often = ch.ensemble(model, vary, 0.2, STEP, kernel="traced")
    recorded = len(shelf)
    assert recorded > 1
    monkeypatch.setattr(lanes, "SHELF", Shelf())
    monkeypatch.setattr(ensembles, "STEPS_PER_BODY", 10 * 200)
    once = ch.ensemble(model, vary, 0.2, STEP)
    assert len(shelf) == recorded + 1 and once.attrs["steps_of_the_generic_kernel"] > 0
    assert_array_equal(often.position, once.position)


def test_a_recording_is_kept_for_the_next_ensemble_of_the_same_model(shelf, monkeypatch):
    monkeypatch.setattr(ensembles, "STEPS_PER_BODY", 0)
    once, again = tops(), tops()
    assert len(shelf) == 1 and again.attrs["steps_in_lanes"] == 900
    assert_array_equal(once.position, again.position)
    assert_array_equal(tops(5).position, once.position[:5])
    tops(mass=3.0)
    assert len(shelf) == 2, "another mass is another constant of the step"
    monkeypatch.setattr("chasles.many.traced.machine.MOST", 1)
    tops()
    assert len(lanes.SHELF.lists) == 1 and len(shelf) == 2
    tops(mass=3.0)
    assert len(shelf) == 3, "the one that was not used for longest is gone"


def test_steps_whose_looks_are_left_over_are_taken_by_the_compiled_kernel(monkeypatch):
    """Guards of a look that fail every time, and a generic kernel that is at hand."""
    monkeypatch.setattr(stepping, "as_written", lambda *_: pytest.fail("plain Python"))
    monkeypatch.setattr(ensembles, "generic_at_hand", lambda stepper: True)
    monkeypatch.setattr(lanes, "SHELF", Shelf())

    def suspicious(*given, **named):
        found = record(*given, **named)
        never = Guard("<", Place(found.width), -1.0, True)  # of the time
        return replace(found, monitor=replace(found.monitor, guards=(*found.monitor.guards, never)))

    monkeypatch.setattr(lanes, "record", suspicious)
    monkeypatch.setattr(ensembles, "STEPS_PER_BODY", 0)
    found = tops()
    monkeypatch.setattr(lanes, "record", record)
    monkeypatch.setattr(lanes, "SHELF", Shelf())
    assert_array_equal(found.position, tops().position)


def test_statistics_of_models_with_motors():
    """Which follow time, as no quantity does that is observed."""
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0))
    motor = ch.Motor("motor", hinge, effort=ch.Signal.table([0, 0.1, 0.2], [0.0, 4.0, -3.0]))
    model = ch.Model([arm], [hinge], [motor])
    names = ["kinetic_energy", "arm.position.z", "hinge.violation"]
    pulls = np.array([[0, 0, -9.81], [0, 0, -1.62], [0.3, 0, 0]])
    found = ch.ensemble(model, {"gravity": pulls}, 0.2, STEP, statistics=names, kernel="traced")
    for member, pull in enumerate(pulls):
        run = ch.simulate(replace(model, gravity=pull), 0.2, step=STEP)
        energy, height = run.kinetic_energy(), run.position("arm")[:, 2]
        own = found.isel(member=member)
        assert_allclose(own.largest[:2], [energy.max(), height.max()], rtol=1e-13)
        assert_allclose(own.smallest[:2], [energy.min(), height.min()], rtol=1e-13)
        assert own.largest[2] < 1e-14


def test_the_gradients_of_a_fit_record_their_step_once(monkeypatch):
    """Numbers that vary are inputs of the step; what it is recorded at does not matter."""
    made = []
    monkeypatch.setattr(tape, "SHELF", Shelf())
    monkeypatch.setattr(tape, "record", lambda *a, **b: made.append(1) or record(*a, **b))

    def slope(stiffness: float, length: float = 1.0):
        rod = ch.Body.rod("rod", length, mass=1.0, position=(0.5, 0, 0))
        hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
        spring = ch.JointSpring("spring", hinge, stiffness, damping=0.1)
        model, path = ch.Model([rod], [hinge], [spring]), "spring.stiffness"
        return ch.gradient(model, lambda run: run.position("rod")[-1, 2], [path], 0.1, STEP)[path]

    first, second, again = slope(5.0), slope(6.0), slope(5.0)
    assert len(made) == 1 and first == again != second
    slope(5.0, length=1.1)
    assert len(made) == 2
    monkeypatch.setattr(tape, "SHELF", Shelf())
    assert slope(6.0) == second
