"""Members enter the recorded step at their first step, and leave it only where the motion branches."""

import host_cuda
import numpy as np
import pytest
from mechanisms import three_bar
from numpy.testing import assert_array_equal

import chasles as ch
from chasles.many.ensembles.export import export_cuda
from chasles.many.ensembles.finish import Finisher
from chasles.many.ensembles.members import equal_steps, make_stepper
from chasles.many.traced.cuda import KERNEL

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
    reached, pending = np.zeros(1, np.int64), np.zeros(1, np.int32)
    whole = np.int64
    kernel(
        (1,), (1,),
        (
            state, np.zeros(1), np.zeros(1), np.intp(0), np.zeros(1), reached, pending, whole(1),
            np.float64(0.0), np.float64(STEP), whole(0), whole(steps), whole(2**62),
            whole(2**62), whole(0),
        ),
    )  # fmt: skip
    assert (reached[0], pending[0]) == (steps, 0)
    assert_array_equal(state[:, 0], expected)


@pytest.mark.parametrize("model", [three_bar, legs])
def test_no_member_of_a_loop_or_leg_leaves_the_lanes(model, monkeypatch):
    """Neither at the first steps, nor where stops are touched and left, nor for a look."""
    monkeypatch.setattr(Finisher, "look", lambda *_: pytest.fail("a look was left over"))
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
