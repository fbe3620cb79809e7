"""Over-constrained mechanisms simply run, and say what is not unique."""

from functools import partial

import numpy as np
import pytest
from linkages import bar, bricard, four_bar

import chasles as ch

turning = partial(four_bar, angular_velocity=(0, 0, 3.0))


@pytest.mark.parametrize("make, rows, rank", [(turning, 20, 17), (bricard, 30, 29)])
def test_accelerations_are_those_of_the_pseudo_inverse(make, rows, rank):
    eq = ch.equations(make())
    # Multipliers: the shortest, each weighed by what it would accelerate.
    weight = np.sqrt(np.diag(eq.jacobian @ np.linalg.solve(eq.mass, eq.jacobian.T)))
    scaled = eq.jacobian / weight[:, None]
    kkt = np.block([[eq.mass, scaled.T], [scaled, np.zeros((rows, rows))]])
    dense = np.linalg.lstsq(kkt, np.concatenate((eq.forces, eq.eta / weight)), rcond=1e-12)[0]
    dense[len(eq.forces) :] /= weight
    count = len(eq.forces)
    assert len(eq.rows) == rows and np.linalg.matrix_rank(eq.jacobian, tol=1e-9) == rank
    scale = np.abs(dense[:count]).max()
    assert eq.acceleration == pytest.approx(dense[:count], abs=1e-9 * scale)
    assert eq.multipliers == pytest.approx(dense[count:], abs=1e-8 * np.abs(dense[count:]).max())


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
@pytest.mark.parametrize("make, redundant", [(turning, 3), (bricard, 1)])
def test_it_runs_in_every_space_and_names_its_redundancy(make, redundant, spaces):
    model = make()
    result = ch.simulate(
        model, until=2.0, step=1e-3, spaces=spaces, stabilise="projection", save_every=10
    )
    gaps = [result.violation(j, part).max() for j in model.joint_names
            for part in ("translation", "rotation")]  # fmt: skip
    assert max(gaps) < 1e-9
    energy = result.energy()
    assert np.abs(energy - energy[0]).max() < 1e-6 * result.kinetic_energy().max()
    found = result.redundancy
    assert found.rows - found.rank == redundant == len(found.repeated)
    assert found.shared == model.joint_names


def test_a_model_without_redundancy_has_no_report():
    arm = bar("arm", (0, 0, 0), (1, 0, 0))
    model = ch.Model([arm], [ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), (0, 0, 1))])
    assert ch.simulate(model, 0.01, 1e-3).redundancy is None
