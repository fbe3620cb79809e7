"""Over-constrained mechanisms simply run, and say what is not unique."""

import numpy as np
import pytest
from mechanisms import in_a_ring

import chasles as ch


def link(name, p, q, **motion):
    p, q = np.array(p, float), np.array(q, float)
    x = (q - p) / np.linalg.norm(q - p)
    z = np.array([0, 0, 1.0]) if abs(x[2]) < 0.9 else np.array([0, 1.0, 0])
    y = np.cross(z, x) / np.linalg.norm(np.cross(z, x))
    turn = np.column_stack((x, y, np.cross(x, y)))
    size = (np.linalg.norm(q - p), 0.1, 0.1)
    return ch.Body.box(name, size, mass=1.0, position=(p + q) / 2, rotation=turn, **motion)


def ring(points, axes, **motion):
    """Links from point to point and hinges at all of them, the first and last to ground."""
    links = [link("l0", points[0], points[1], **motion)]
    links += [link(f"l{k}", points[k], points[k + 1]) for k in range(1, len(points) - 1)]
    joints = in_a_ring(links, points, axes, [f"h{k}" for k in range(len(points))])
    return ch.Model(links, joints, gravity=(0, -9.81, 0))


def four_bar():
    points = [(0, 0, 0), (0, 0.4, 0), (1.0, 0.8, 0), (1.2, 0, 0)]
    return ring(points, [(0, 0, 1)] * 4, angular_velocity=(0, 0, 3.0))


def bricard():
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    x, y, z = np.eye(3)
    return ring(points, [y, z, x, y, z, x])


@pytest.mark.parametrize("make, rows, rank", [(four_bar, 20, 17), (bricard, 30, 29)])
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
@pytest.mark.parametrize("make, redundant", [(four_bar, 3), (bricard, 1)])
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
    arm = link("arm", (0, 0, 0), (1, 0, 0))
    model = ch.Model([arm], [ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), (0, 0, 1))])
    assert ch.simulate(model, 0.01, 1e-3).redundancy is None
