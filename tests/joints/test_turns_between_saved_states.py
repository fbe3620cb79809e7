"""Joint coordinates are exact whatever is saved: turns are counted while the bodies move."""

import numpy as np
import pytest
from machines import wheel
from mechanisms import chain, moving

import chasles as ch
from chasles.core.arrays import flat_arrays
from chasles.core.state_block import settle_turns

SPACES = ("subgroups", "auto", "SE3", "SO3xR3")
#: Angular momentum of a free wheel is kept: q = w t, whatever is saved.
SPEED = 61.7


def fallen(model: ch.Model, **options) -> ch.Result:
    return ch.simulate(model, until=2.0, step=1e-3, **options)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("spaces", SPACES)
def test_twenty_turns_between_two_states_are_counted(spaces, swap, tmp_path):
    sign = -1.0 if swap else 1.0
    result = fallen(wheel(swap=swap, speed=SPEED), spaces=spaces, save_every=2000)
    assert len(result.t) == 2
    for found in (result, ch.load(result.save(tmp_path / "run.nc"))):
        assert found.coordinate("axle") == pytest.approx(sign * SPEED * found.t, rel=1e-10)


@pytest.mark.parametrize("spaces", SPACES)
def test_turns_are_counted_at_wanted_times(spaces):
    times = [0.0, 0.71234, 1.9]
    result = fallen(wheel(speed=SPEED), spaces=spaces, t_eval=times)
    assert result.coordinate("axle") == pytest.approx(SPEED * np.array(times), rel=1e-10)


@pytest.mark.parametrize("spaces", SPACES)
def test_an_accelerated_wheel_turns_by_half_a_t_squared(spaces):
    """A torque M on a disc of I: q = M t^2 / 2 I; the rates at both ends alone would mislead."""
    model = wheel(ch.Motor("motor", "axle", effort=3.0))
    result = fallen(model, spaces=spaces, save_every=1000)
    inertia = model.body("disc").inertia[2][2]
    assert result.coordinate("axle") == pytest.approx(0.5 * 3.0 / inertia * result.t**2, rel=1e-9)
    load = ch.Load("brake", "disc", torque=(0, 0, -3.0))  # no joint force counts along
    result = fallen(wheel(load), spaces=spaces, save_every=2000)
    assert result.coordinate("axle") == pytest.approx(-0.5 * 3.0 / inertia * result.t**2, rel=1e-9)


@pytest.mark.parametrize("spaces", SPACES)
def test_a_sparse_run_has_the_coordinates_of_a_dense_one(spaces):
    """A chain in wild motion, hinges about moving axes and threads included."""
    rng = np.random.default_rng(11)
    kinds = ["revolute", "helical", "cylindrical", "revolute"]
    model = moving(chain(rng, kinds, swap=True), rng, speed=25.0)
    dense, sparse = (
        ch.simulate(model, until=1.5, step=5e-4, spaces=spaces, save_every=every)
        for every in (1, 3000)
    )
    for joint in model.joint_names:
        angle = dense.coordinate(joint, "angle")
        assert sparse.coordinate(joint, "angle")[-1] == angle[-1]
        rates = dense.coordinate_rate(joint, "angle")
        swept = np.sum(0.5 * (rates[1:] + rates[:-1])) * 5e-4
        assert angle[-1] - angle[0] == pytest.approx(swept, abs=2e-3)
    assert max(np.ptp(dense.coordinate(j, "angle")) for j in model.joint_names) > 4 * np.pi


@pytest.mark.parametrize("spaces", SPACES)
def test_a_run_that_goes_on_counts_on(spaces):
    first = fallen(wheel(speed=SPEED), spaces=spaces, save_every=2000)
    second = fallen(wheel(speed=SPEED), spaces=spaces, save_every=2000, start=first.state())
    assert second.coordinate("axle")[0] == first.coordinate("axle")[-1]
    assert second.coordinate("axle")[-1] == pytest.approx(4.0 * SPEED, rel=1e-10)


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
def test_a_coarse_method_does_not_lose_count(spaces):
    """Thousands of steps of a method of order one, 0.6 rad each."""
    result = ch.simulate(
        wheel(speed=SPEED), until=100.0, step=1e-2, method="euler", spaces=spaces, save_every=10_000
    )
    assert result.coordinate("axle")[-1] == pytest.approx(SPEED * 100.0, rel=1e-9)


@pytest.mark.parametrize("forces", [(), (ch.TorsionSpring("spring", "axle", stiffness=1e-3),)])
@pytest.mark.parametrize("swap", [False, True])
def test_a_count_that_has_gone_astray_is_brought_back_to_the_poses(swap, forces):
    """By more than half a radian and less than half a turn; less leaves the books alone.

    That of a hinge, or of the force which counts for it, behind the work of the force.
    """
    model = wheel(*forces, swap=swap, speed=SPEED)
    state = ch.start_state(model, {"axle": 14.0})
    result = ch.simulate(model, 1e-3, step=1e-3, spaces="SE3", rows="all", start=state)
    system, rows = flat_arrays(result.problem.setup.system), result.absolute[0].ravel()
    for wrong, right in ((14.0, 14.0), (14.4, 14.4), (15.5, 14.0), (11.2, 14.0)):
        counted = np.array([0.0] * len(forces) + [wrong])
        settle_turns(system, rows, counted)
        assert counted[-1] == pytest.approx(right, abs=1e-12)
