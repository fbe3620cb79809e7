"""A result gives values: the same answers from several threads, and arrays nobody can spoil."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from mechanisms import pendulum, straight_chain

import chasles as ch
from chasles.build.dynamics.solver import make_solver
from chasles.build.problem import choose_spaces, make_problem
from chasles.build.system.build import build

THREADS, TRIES = 4, 10


def motored(count: int) -> ch.Model:
    """A hanging chain of rods, on hinges, of which the first one swings."""
    motor = ch.Motor("motor", "hinge 1", effort=ch.Signal.sine(5.0, 3.0))
    masses = [1.0 + k for k in range(count)]
    return straight_chain(masses, names="rod {}", joints="hinge {}", forces=[motor])


@pytest.fixture(scope="module")
def result() -> ch.Result:
    return ch.simulate(motored(6), until=0.3, step=1e-3)


def forces(result: ch.Result) -> dict[str, np.ndarray]:
    """The reactions of all joints, evaluated afresh."""
    again = ch.Result(
        result.problem, result.t, result.absolute, result.integrals, result.provenance
    )
    return {name: again.reaction(name).force for name in result.model.joint_names}


@pytest.fixture
def hurried():
    """Threads take turns a hundred times as often."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_reactions_from_four_threads_are_those_of_one(result, hurried):
    alone = forces(result)
    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(forces, [result] * (THREADS * TRIES)):
            assert all(np.array_equal(found[name], alone[name]) for name in alone)


def test_one_result_is_first_asked_by_four_threads_at_once(result, hurried, tmp_path):
    alone = forces(result)
    path = result.save(tmp_path / "run.nc")
    for _ in range(3):
        loaded = ch.load(path)  # which has no solver yet
        names = list(alone) * 2
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda name, r=loaded: r.reaction(name).force, names))
        assert all(np.array_equal(f, alone[name]) for f, name in zip(found, names))


def test_equations_from_threads_satisfy_newton_and_the_joints(result, hurried):
    def residual(index: int) -> float:
        eq = ch.equations(result.model, result.state(index))
        motion = eq.mass @ eq.acceleration + eq.jacobian.T @ eq.multipliers - eq.forces
        rows = eq.jacobian @ eq.acceleration - eq.eta
        return max(np.abs(motion).max(), np.abs(rows).max())

    with ThreadPoolExecutor(THREADS) as pool:
        assert max(pool.map(residual, range(0, len(result.t), 10))) < 1e-9


@pytest.mark.parametrize("compiled", [False, True])
def test_a_formula_of_the_users_own_is_evaluated_from_threads(compiled, hurried):
    def wind(t, position, rotation, velocity, angular_velocity):
        return (0.1 * t, -0.5 * velocity[0], 2.0), (0.0, 0.0, 0.1 * position[2])

    force = ch.CustomForce("wind", "rod", wind, compiled=compiled)
    run = ch.simulate(pendulum([force], name="rod"), until=0.2, step=1e-3)
    alone = forces(run)["hinge"]
    with ThreadPoolExecutor(THREADS) as pool:
        found = [f["hinge"] for f in pool.map(forces, [run] * THREADS * 2)]
    assert all(np.array_equal(f, alone) for f in found)


def test_an_evaluation_keeps_its_values_when_another_state_is_evaluated(result):
    form = result.problem.form
    first = form.at(result.absolute[0], 0.0, result.integrals[0])
    values = (
        first.accelerations,
        first.multipliers,
        first.wrenches,
        first.workspace.jacobian,
        first.workspace.eta,
        first.workspace.forces,
    )
    kept = [np.copy(value) for value in values]
    form.at(result.absolute[-1], result.t[-1], result.integrals[-1])
    assert all(np.array_equal(a, b) for a, b in zip(kept, values))


def test_the_joints_exert_minus_the_transposed_jacobian_times_lambda(result):
    form = result.problem.form
    found = form.at(result.absolute[50], result.t[50], result.integrals[50])
    joints = result.problem.setup.system.joints
    for joint in range(len(joints.kind)):
        span = slice(joints.first_row[joint], joints.first_row[joint] + joints.rows[joint])
        expected = -found.workspace.jacobian[span].T @ found.multipliers[0, span]
        np.testing.assert_allclose(found.wrenches[0, joint], expected, atol=1e-10)


def test_where_joints_depend_on_each_other_rows_have_values_and_the_solution_is_nan():
    """Two struts along one line hold the tip of a rod."""
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0))
    ends = [ch.Distance("one", "ground", rod, (2, 0, 0), at_b=(1, 0, 0))]
    ends += [ch.Distance("two", "ground", rod, (3, 0, 0), at_b=(1, 0, 0))]
    setup = build(ch.Model([rod], ends), choose_spaces(ch.Model([rod], ends), "SE3").spaces)
    solver = make_solver(setup, check=False)
    floors = np.ones(setup.system.row_count)  # no pivot is that large
    found = replace(solver.form, floors=floors).at(setup.absolute)
    assert not found.is_solved and np.isnan(found.acceleration).all()
    assert np.isfinite(found.workspace.jacobian).all() and np.isfinite(found.workspace.forces).all()
    assert found.workspace.forces[5] == pytest.approx(-9.81)


def test_a_problem_has_no_solver_before_one_is_asked_for():
    problem = make_problem(choose_spaces(motored(3), "auto"))
    assert "solver" not in vars(problem)
    assert problem.start.shape == (3, 18) and "solver" in vars(problem)


def test_a_load_runs_no_singular_value_decomposition_and_makes_no_solver(
    result, tmp_path, monkeypatch
):
    path = result.save(tmp_path / "run.nc")

    def never(*_, **__):
        raise AssertionError("loading decomposes nothing")

    monkeypatch.setattr(np.linalg, "svd", never)
    loaded = ch.load(path)
    assert "solver" not in vars(loaded.problem)
    for answer in (loaded.energy(), loaded.violation("hinge 1"), loaded.coordinate("hinge 1")):
        assert len(answer) == len(result.t)
    assert repr(loaded) == repr(result) and "solver" not in vars(loaded.problem)


@pytest.mark.parametrize("what", ["t", "absolute", "integrals"])
def test_the_arrays_of_a_result_are_read_only(result, what):
    with pytest.raises(ValueError, match="read-only"):
        getattr(result, what)[0] = 7.0


def test_what_a_result_shows_of_its_arrays_is_read_only_and_datasets_are_copies(result):
    for view in (result.position("rod 1"), result.rotation("rod 1"), result.work("motor")):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 7.0
    data = result.to_xarray()
    data["position"][0], data["integrals"][0] = 7.0, 7.0
    assert result.position("rod 0")[0, 0] == 0.5 and result.work("motor")[0] == 0.0


@pytest.mark.parametrize("again", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_a_copy_of_a_result_answers_alike_and_is_read_only(again):
    run = ch.simulate(pendulum(name="rod"), 0.05, 1e-2)
    other = again(run)
    assert np.array_equal(other.reaction("hinge").force, run.reaction("hinge").force)
    assert other.provenance == run.provenance and not other.absolute.flags.writeable
