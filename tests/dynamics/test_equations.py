"""The index-1 equations laid open: M, J, eta, Q and a solution that satisfies them."""

import numpy as np
import pytest
from mechanisms import EXAMPLES, FORMS, KINDS, chain, moving, three_bar, tree

import chasles as ch
from chasles.build.system.build import build
from chasles.spaces import resolve_spaces


def relative_error(found, expected):
    return np.abs(found - expected).max() / (1.0 + np.abs(expected).max())


def models():
    """Every example, every kind between moving bodies, and a tree of all kinds."""
    for name, make in EXAMPLES.items():
        yield pytest.param(make, id=name)
    for kind in KINDS:
        yield pytest.param(lambda kind=kind: pair_on_a_ball(kind), id=kind)
    yield pytest.param(lambda: branched(), id="tree")


def pair_on_a_ball(kind):
    rng = np.random.default_rng(1)
    return moving(chain(rng, ["spherical", kind], swap=True), rng)


def branched():
    rng = np.random.default_rng(2)
    return moving(tree(rng, [-1, 0, 0, 1, 1, 2, 2], KINDS), rng)


@pytest.fixture(scope="module", params=models())
def model(request):
    return request.param()


@pytest.fixture(scope="module")
def later(model):
    """A state on the constraint manifold, away from the start: joints that drift hold for now."""
    return ch.simulate(model, 0.02, step=1e-4, method="dop853").state(-1)


@pytest.mark.parametrize("form", FORMS)
def test_the_solution_satisfies_the_equations(model, later, form):
    for state in (None, later):
        equations = ch.equations(model, state, acceleration=form)
        rates, forces = equations.acceleration, equations.multipliers
        mass, jacobian = equations.mass, equations.jacobian
        newton = mass @ rates + jacobian.T @ forces - equations.forces
        size = np.abs(mass) @ np.abs(rates) + np.abs(jacobian.T) @ np.abs(forces)
        assert np.abs(newton).max() < 1e-12 * (1.0 + size.max())
        joints = jacobian @ rates - equations.eta
        size = np.abs(jacobian) @ np.abs(rates) + np.abs(equations.eta)
        assert np.abs(joints).max() < 1e-12 * (1.0 + size.max())


@pytest.mark.parametrize("form", FORMS)
def test_the_solution_is_that_of_a_dense_solver(model, later, form):
    equations = ch.equations(model, later, acceleration=form)
    wanted = np.concatenate((equations.forces, equations.eta))
    solution = np.linalg.solve(equations.kkt, wanted)
    count = equations.acceleration.size
    assert relative_error(equations.acceleration, solution[:count]) < 1e-11
    assert relative_error(equations.multipliers, solution[count:]) < 1e-11


def test_both_forms_have_the_same_accelerations_on_the_constraint_manifold(model, later):
    screw, space = (ch.equations(model, later, acceleration=form) for form in FORMS)
    assert np.abs(screw.jacobian @ screw.velocity).max() < 1e-11
    assert relative_error(screw.acceleration, space.acceleration) < 1e-10


def test_both_forms_exert_the_same_wrenches_on_the_constraint_manifold(model, later):
    screw, space = (ch.equations(model, later, acceleration=form) for form in FORMS)
    on_bodies = [-each.jacobian.T @ each.multipliers for each in (screw, space)]
    assert relative_error(*on_bodies) < 1e-10


def test_both_forms_differ_off_the_manifold():
    """Torn open by a centimetre, the double pendulum accelerates differently."""
    model = EXAMPLES["pendulum"]()
    state = ch.simulate(model, 1e-3, step=1e-3).state(0)
    state.position[1] += (0.0, 0.01, 0.0)
    screw, space = (ch.equations(model, state, acceleration=form) for form in FORMS)
    assert relative_error(screw.acceleration, space.acceleration) > 1e-3


def test_mass_and_forces_are_those_of_newton_and_euler(model, later):
    equations = ch.equations(model, later)
    for index, body in enumerate(model.bodies):
        block = slice(6 * index, 6 * index + 6)
        omega, v = np.split(equations.velocity[block], 2)
        np.testing.assert_allclose(omega, later.angular_velocity[index])
        np.testing.assert_allclose(v, later.rotation[index].T @ later.velocity[index], atol=1e-14)
        inertia = np.array(body.inertia)
        mass = np.zeros_like(equations.mass[block])
        mass[:, block] = np.block(
            [[inertia, np.zeros((3, 3))], [np.zeros((3, 3)), body.mass * np.eye(3)]]
        )
        np.testing.assert_array_equal(equations.mass[block], mass)
        pull = later.rotation[index].T @ np.array(model.gravity)
        expected = [-np.cross(omega, inertia @ omega), body.mass * (pull - np.cross(omega, v))]
        np.testing.assert_allclose(
            equations.forces[block], np.concatenate(expected), rtol=1e-12, atol=1e-11
        )


def test_rows_and_columns_are_named(model):
    equations = ch.equations(model)
    assert equations.jacobian.shape == (len(equations.rows), len(equations.columns))
    assert equations.rows == tuple((j.name, c) for j in model.joints for c in j.locked)
    assert [name for name, _ in equations.columns[::6]] == list(model.body_names)
    for row, (joint, _) in enumerate(equations.rows):
        touched = {
            equations.columns[column][0] for column in np.flatnonzero(equations.jacobian[row])
        }
        assert touched <= {model.joint(joint).a, model.joint(joint).b}


def test_the_velocities_along_a_run_have_these_accelerations(model):
    """The chart of a space passes the physics on: V' is the slope of V in every one."""
    h = 1e-4
    for spaces in ("SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "auto"):
        result = ch.simulate(model, 4 * h, step=h, method="dop853", spaces=spaces)
        twists = np.array([result.state(k).to_absolute(model)[:, 12:18].ravel() for k in range(5)])
        slope = (twists[0] - 8 * twists[1] + 8 * twists[3] - twists[4]) / (12 * h)
        expected = ch.equations(model, result.state(2)).acceleration
        assert relative_error(slope, expected) < 1e-6


def test_a_model_with_no_joints_falls_freely():
    body = ch.Body("stone", 2.0, (1, 1, 1), rotation=(0.5, 0.5, 0.5, 0.5), velocity=(1, 2, 3))
    equations = ch.equations(ch.Model([body], gravity=(0, 0, -9.81)))
    assert equations.jacobian.shape == (0, 6)
    np.testing.assert_allclose(
        np.array(body.rotation) @ equations.acceleration[3:], (0, 0, -9.81), atol=1e-15
    )


@pytest.mark.parametrize("kind", KINDS)
def test_velocities_left_out_are_filled_in_to_rounding(kind):
    """Drive the first body; the others follow with J V = 0 to the last digits."""
    rng = np.random.default_rng(3)
    model = chain(rng, [kind, "revolute", "spherical", "cylindrical"])
    driven = moving(model, rng)
    bodies = [driven.bodies[0], *model.bodies[1:]]
    equations = ch.equations(ch.Model(bodies, model.joints))
    residual = np.abs(equations.jacobian @ equations.velocity).max()
    assert residual < 1e-14 * (1.0 + np.abs(equations.velocity).max())


def test_the_equations_do_not_depend_on_the_space():
    model = three_bar()
    systems = [build(model, resolve_spaces(model, name)).system for name in ("SE3", "auto")]
    for one, other in zip(systems[0].joints, systems[1].joints, strict=True):
        np.testing.assert_array_equal(one, other)
