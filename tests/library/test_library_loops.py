"""Over-constrained loops: they run in every space, and move as they must."""

import numpy as np
import pytest
from combinations import pairwise
from mechanisms import FORMS, SPACES
from one_freedom import OneFreedom, carried

import chasles as ch
from chasles.studies.library import bennett, four_bar

#: name -> rows and rank of the constraints
LOOPS = {"four-bar": (20, 17), "bennett": (20, 17), "A04": (30, 29)}


@pytest.mark.parametrize("name, spaces, form", pairwise(LOOPS, SPACES, FORMS))
def test_ten_seconds_in_every_space(name, spaces, form):
    result = ch.library.get(name).run(
        until=10.0, step=1e-3, method="rk4", spaces=spaces, acceleration=form,
        stabilise="projection",
    )  # fmt: skip
    assert result.status == "finished" and np.isfinite(result.absolute).all()
    for joint in result.model.joint_names:
        for part in ("translation", "rotation"):
            assert result.violation(joint, part).max() <= 1e-12
    energy, kinetic = result.energy(), result.kinetic_energy()
    scale = kinetic[0] or kinetic.max()  # the start, unless it is at rest
    assert np.abs(energy - energy[0]).max() <= 1e-6 * scale
    rows, rank = LOOPS[name]
    assert (result.redundancy.rows, result.redundancy.rank) == (rows, rank)


@pytest.mark.parametrize("name", LOOPS)
def test_the_named_rows_are_redundant_and_the_others_are_not(name):
    benchmark = ch.library.get(name)
    result = benchmark.run(until=0.01)
    found, equations = result.redundancy, ch.equations(benchmark.model())
    rows, rank = LOOPS[name]
    assert len(found.repeated) == rows - rank
    assert np.linalg.matrix_rank(equations.jacobian, tol=1e-9) == rank
    kept = [k for k, row in enumerate(equations.rows) if row not in found.repeated]
    assert len(kept) == np.linalg.matrix_rank(equations.jacobian[kept], tol=1e-9) == rank
    assert set(found.shared) <= set(benchmark.model().joint_names)


def test_redundant_rows_of_the_planar_loop_are_those_across_its_plane():
    found = ch.library.get("four-bar").run(until=0.01).redundancy
    assert {component for _, component in found.repeated} <= {"wx", "wy", "uz"}


@pytest.mark.parametrize("name", LOOPS)
def test_accelerations_along_the_motion_are_those_of_the_pseudo_inverse(name):
    benchmark = ch.library.get(name)
    result = benchmark.run(until=2.0, save_every=250)
    for k in range(len(result.t)):
        eq = ch.equations(benchmark.model(), result.state(k))
        right = np.concatenate((eq.forces, eq.eta))
        dense = np.linalg.lstsq(eq.kkt, right, rcond=1e-10)[0][: len(eq.forces)]
        assert eq.acceleration == pytest.approx(dense, abs=1e-9 * np.abs(dense).max())


# --- the planar four-bar ---


def four_bar_frames(angle):
    """Frames of crank, coupler and rocker at an angle of the crank from AD, in the xz plane."""
    a, b, c, d = (np.array(p)[[0, 2]] for p in four_bar.POINTS)
    lengths = [np.sqrt(np.sum((q - p) ** 2)) for p, q in ((a, b), (b, c), (c, d))]
    pin = a + lengths[0] * np.array([np.cos(angle), np.sin(angle)])
    gap = d - pin
    far = gap @ gap
    along = (lengths[1] ** 2 - lengths[2] ** 2 + far) / (2 * far)
    aside = np.sqrt(lengths[1] ** 2 / far - along**2)
    eye = pin + along * gap + aside * np.array([-gap[1], gap[0]])
    ends = {"crank": (a, pin), "coupler": (pin, eye), "rocker": (eye, d)}
    frames = {}
    for (name, (p, q)), length in zip(ends.items(), lengths):
        x, z = (q - p) / length
        frame = np.eye(4) + 0 * angle
        frame[:3, 0], frame[:3, 2], frame[[0, 2], 3] = (x, 0, z), (-z, 0, x), p
        frames[name] = frame
    return frames


def test_the_four_bar_moves_as_the_energy_says():
    benchmark, start = ch.library.get("four-bar"), np.pi / 2
    model, placed = benchmark.model(), four_bar_frames(np.pi / 2)

    def pose(name, angle):
        return carried(model.body(name), four_bar_frames(angle)[name], placed[name])

    result = benchmark.run(save_every=500)
    angle = OneFreedom(model, pose).solve(start, 6.0, result.t)
    assert angle[-1] > 10 * 2 * np.pi
    assert start + result.coordinate("A") == pytest.approx(angle, abs=1e-5)
    for name in model.body_names:
        exact = np.array([pose(name, q)[1] for q in angle])
        assert result.position(name) == pytest.approx(exact, abs=1e-6)


# --- Bennett's linkage ---


def bennett_frames(angle):
    """Frames after each hinge by Denavit and Hartenberg, from Bennett's closed form."""
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    k = bennett.RATIO
    far = s**2 + (k * c) ** 2
    other = ((s**2 - (k * c) ** 2) / far, 2 * k * s * c / far)  # cosine and sine
    first = (np.cos(angle), np.sin(angle))
    frame, frames = np.eye(4) + 0 * angle, []
    for (cos, sin), length, twist in (
        (first, bennett.SHORT, bennett.ALPHA),
        (other, bennett.LONG, bennett.BETA),
        ((first[0], -first[1]), bennett.SHORT, bennett.ALPHA),
        ((other[0], -other[1]), bennett.LONG, bennett.BETA),
    ):
        turn = np.array([(cos, -sin, 0, 0), (sin, cos, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
        frames.append(frame @ turn)
        ct, st = np.cos(twist), np.sin(twist)
        frame = frames[-1] @ np.array(
            [(1, 0, 0, length), (0, ct, -st, 0), (0, st, ct, 0), (0, 0, 0, 1)]
        )
    return frames, frame


def test_bennetts_condition_and_relation_close_the_loop():
    assert np.sin(bennett.ALPHA) / bennett.SHORT == pytest.approx(
        np.sin(bennett.BETA) / bennett.LONG, rel=1e-15
    )
    for angle in np.linspace(0.1, 6.2, 30):
        assert bennett_frames(angle)[1] == pytest.approx(np.eye(4), abs=1e-14)


def test_the_linkage_of_bennett_moves_as_the_energy_says():
    benchmark = ch.library.get("bennett")
    model, start = benchmark.model(), bennett.START
    placed, order = bennett_frames(start)[0], ("first", "coupler", "last")

    def pose(name, angle):
        k = order.index(name)
        return carried(model.body(name), bennett_frames(angle)[0][k], placed[k])

    result = benchmark.run(step=5e-4, save_every=1000)
    angle = OneFreedom(model, pose).solve(start, bennett.SPEED, result.t)
    assert angle[-1] > start + 3 * 2 * np.pi
    assert start + result.coordinate("1") == pytest.approx(angle, abs=1e-6)
    for name in order:
        exact = np.array([pose(name, q)[1] for q in angle])
        assert result.position(name) == pytest.approx(exact, abs=1e-6)


def test_half_angles_of_the_linkage_multiply_to_a_constant():
    first, second = bennett.angles(ch.library.get("bennett").run(save_every=50))
    assert np.ptp(first) > 6 * np.pi
    left = np.sin(first / 2) * np.sin(second / 2)
    right = bennett.RATIO * np.cos(first / 2) * np.cos(second / 2)
    assert left == pytest.approx(right, abs=1e-9)
