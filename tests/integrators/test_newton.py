"""The Newton iteration of implicit steps: its derivatives, its cost, and how it fails."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from implicit_runs import driven_chain
from mechanisms import KINDS, heavy_top, moving, straight_chain, tree

import chasles as ch
from chasles.analysis.tangent import tangent
from chasles.build.start.rows import mass_matrices
from chasles.compiled import borrow
from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST
from chasles.core.newton.matrix import load_bodies, load_newton, newton_change
from chasles.core.newton.partials import put_plain_partials
from chasles.core.newton.past_points import put_difference
from chasles.core.newton.rows import put_rates_of_twists, put_twists_of_rates
from chasles.core.newton.solve import chord_change, size_of
from chasles.core.newton.structure import newton_of
from chasles.core.outcomes import FACTORED, ITERATED, OK
from chasles.core.stage import stage
from chasles.core.state_block import retract, slope_length
from chasles.core.terms import put_slopes
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of


def stepper_for(model, method="generalized-alpha", spaces="subgroups", step=1e-3):
    settings = make_settings(ByHand(model, method=method, spaces=spaces))
    return stepper_of(settings, step, 1.0)


def springs_and_dampers():
    """Two bodies with forces of every kind between them and the ground."""
    rng = np.random.default_rng(4)
    model = moving(tree(rng, [-1, 0], ["spherical", "revolute"]), rng)
    a, b = model.bodies
    forces = [
        ch.Spring("spring", a, b, (0.3, 0.2, 0.5), (-0.2, 0.1, 0.4), 200.0, 3.0),
        ch.Spring("tether", ch.GROUND, b, (0.1, 0.9, 0.5), (-0.2, 0.1, 0.4), 150.0, 2.0),
        ch.Bushing("pad", a, b, (0.1, 0.1, 0.1), (30, 40, 50, 3, 4, 5),
                   damping=(1, 2, 3, 0.1, 0.2, 0.3)),
        ch.Drag("air", b, linear=0.4, quadratic=0.3),
        ch.JointSpring("hinge spring", "joint 1", 4.0, 0.5),
    ]  # fmt: skip
    return ch.Model(model.bodies, model.joints, forces, gravity=model.gravity)


def test_derivatives_by_differences_are_those_by_dual_numbers():
    """To seven digits of the largest, which is all that Newton's matrix has to be."""
    stepper = stepper_for(springs_and_dampers(), spaces="SE3")
    system = stepper.mechanism.system
    state = stepper.solver.start
    exact = tangent(
        system, state, np.zeros(max(1, system.signal_count)), np.zeros(system.quadrature_count)
    )
    newton = newton_of(stepper.solver, stepper.mechanism)
    newton.tangents.probe.absolute[:] = state
    flat, workspace = borrow(newton), SimpleNamespace(absolute=state.ravel())
    exact_pose, exact_twist = exact.by_pose.toarray(), exact.by_twist.toarray()
    by_pose, by_twist = np.zeros_like(exact_pose), np.zeros_like(exact_twist)
    for force in range(system.force_count):
        ends = int(system.forces.a[force]), int(system.forces.b[force])
        put_slopes(borrow(system), flat.tangents, workspace, np.zeros(0), force, 0, *ends)
        slopes = np.array(newton.tangents.block).reshape(2, 6, 2, 2, 6)
        for i, row in enumerate(ends):
            for j, column in enumerate(ends):
                if row >= 0 and column >= 0:
                    at = np.ix_(6 * row + np.arange(6), 6 * column + np.arange(6))
                    by_pose[at] += slopes[i, :, j, 0]
                    by_twist[at] += slopes[i, :, j, 1]
    masses = mass_matrices(system)
    for found, factors in ((by_pose, (0.0, 1.0)), (by_twist, (1.0, 0.0))):
        newton.values[:] = 0.0
        for body in range(system.body_count):
            put_plain_partials(flat.partials, body, factors)
        load_bodies(borrow(system), flat, workspace)
        for body in range(system.body_count):
            block = newton.values[newton.own[body] : newton.own[body] + 36].reshape(6, 6)
            of = slice(6 * body, 6 * body + 6)
            found[of, of] += masses[body] - block
    assert np.abs(by_pose - exact_pose).max() < 1e-6 * np.abs(exact_pose).max()
    assert np.abs(by_twist - exact_twist).max() < 1e-6 * np.abs(exact_twist).max()


def staged(model, spaces):
    """A stepper with the stage of a random point, and what plain Python runs on."""
    stepper = stepper_for(model, spaces=spaces)
    mechanism, workspace = borrow(stepper.mechanism), borrow(stepper.workspace)
    point = stepper.first_block()[: stepper.layout.kept].copy()
    slope = np.zeros(slope_length(mechanism))
    stage(mechanism, workspace, point, 0.0, slope)
    return mechanism, workspace, borrow(stepper.scheme.iteration), point


TREES = [(kind, "subgroups") for kind in KINDS if kind != "fixed"]


@pytest.mark.parametrize(("kind", "spaces"), [*TREES, ("revolute", "SE3"), ("planar", "SO3xR3")])
def test_lowering_undoes_lifting(kind, spaces):
    rng = np.random.default_rng(5)
    model = tree(rng, [-1, 0, 0], [kind, "spherical", kind])
    mechanism, _, iteration, point = staged(model, spaces)
    rates = rng.standard_normal(mechanism.tree.rate_count)
    if spaces != "subgroups":  # twists that the charts' projectors leave alone
        put_rates_of_twists(mechanism, iteration, rng.standard_normal(18), rates)
    put_twists_of_rates(mechanism, iteration, point, rates)
    twists, back = np.array(iteration.twists), np.zeros_like(rates)
    put_rates_of_twists(mechanism, iteration, twists, back)
    assert back == pytest.approx(rates, abs=1e-13)


@pytest.mark.parametrize(("kind", "spaces"), [*TREES, ("revolute", "SE3"), ("planar", "SO3xR3")])
def test_the_difference_of_points_undoes_the_retraction(kind, spaces):
    rng = np.random.default_rng(6)
    mechanism, _, _, point = staged(tree(rng, [-1, 0], [kind, "spherical"]), spaces)
    count = mechanism.tree.rate_count
    increment, moved, found = np.zeros(slope_length(mechanism)), point.copy(), np.zeros(count)
    way = 0.3 * rng.standard_normal(count)
    for k in range(count):
        increment[k] = way[k]
    retract(mechanism, point, increment, moved)
    put_difference(mechanism, point, moved, found)
    assert found == pytest.approx(way, abs=1e-12)


# --- cost ---


def sprung(count, damping):
    """Links on hinges whose axes take turns, with springs and dampers in all of them."""
    axes = [(0, 1, 0) if k % 2 else (0, 0, 1) for k in range(count)]
    forces = [ch.JointSpring(f"spring {k}", f"hinge {k}", 50.0, damping) for k in range(count)]
    size = [0.1] * count
    return straight_chain(size, size, "link {}", "hinge {}", axes=axes, forces=forces)


@pytest.mark.parametrize("spaces", ["SE3", "subgroups"])
def test_the_newton_matrix_of_a_chain_is_linear_in_the_number_of_bodies(spaces):
    per_body = [
        stepper_for(sprung(count, 5.0), spaces=spaces).scheme.iteration.newton.products / count
        for count in (32, 64, 256)
    ]
    assert per_body == pytest.approx([per_body[-1]] * 3, rel=0.02)


@pytest.mark.parametrize("spaces", ["SE3", "subgroups"])
def test_iterations_and_factorisations_do_not_grow_with_the_number_of_bodies(spaces):
    found = []
    for count in (16, 256):
        stepper = stepper_for(sprung(count, 5.0), spaces=spaces)
        block = stepper.first_block()
        spare, saved = np.zeros_like(block), np.zeros((1, stepper.layout.kept))
        reached, _ = stepper.advance(block, spare, (0.0, 1e-3, 0, 10, 10), 10**9, 1, saved)
        assert reached == 10
        found.append(stepper.scheme.tally[[ITERATED, FACTORED]])
    (few, factored), (many, factored_again) = found
    assert factored_again <= factored + 1 and many <= 1.5 * few


# --- what stands, and what is stiff in a joint ---


def standing_quadruped(armature=None):
    """Thirteen bodies: a trunk, and hip, thigh and shank of four legs on penalty feet."""
    trunk = ch.Body.box("trunk", (0.8, 0.4, 0.15), mass=12.0, position=(0, 0, 0.55))
    bodies, joints, forces = [trunk], [], []
    rotor = {} if armature is None else {"armature": armature}
    for k, (x, y) in enumerate(((0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2))):
        hip = ch.Body.box(f"hip {k}", (0.08, 0.08, 0.08), mass=0.7, position=(x, y, 0.55))
        thigh = ch.Body.box(f"thigh {k}", (0.05, 0.05, 0.25), mass=1.0, position=(x, y, 0.425))
        shank = ch.Body.box(f"shank {k}", (0.03, 0.03, 0.25), mass=0.3, position=(x, y, 0.175))
        carriers, high = (trunk, hip, thigh), (0.55, 0.55, 0.3)
        for word, a, b, z, axis in zip(
            ("roll", "pitch", "knee"), carriers, (hip, thigh, shank), high,
            ((1, 0, 0), (0, 1, 0), (0, 1, 0)),
        ):  # fmt: skip
            joints.append(ch.Revolute(f"{word} {k}", a, b, at=(x, y, z), axis=axis, **rotor))
            forces.append(ch.JointSpring(f"servo {word} {k}", f"{word} {k}", 400.0, 20.0))
        ball = ch.Sphere(0.02, position=(0, 0, -0.125))
        forces.append(
            ch.Contact(f"foot {k}", ch.GROUND, shank, at=(0, 0, 0.03), shape=ball, stiffness=1e5,
                       dissipation=1.0, friction=0.8, slip=1e-3)
        )  # fmt: skip
        bodies += [hip, thigh, shank]
    return ch.Model(bodies, joints, forces)


@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf2"])
@pytest.mark.parametrize(
    ("spaces", "armature"), [("subgroups", None), ("subgroups", 0.5), ("SE3", None)]
)
def test_a_quadruped_stands_at_2_ms_and_the_feet_carry_its_weight(method, spaces, armature):
    model = standing_quadruped(armature)
    result = ch.simulate(model, 3.0, step=2e-3, method=method, spaces=spaces)
    weight = 9.81 * sum(body.mass for body in model.bodies)
    pushed = sum(result.force(f"foot {k}").force[-1, 2] for k in range(4))
    assert pushed == pytest.approx(weight, rel=1e-3)
    assert np.abs(result.velocity("trunk")[-1]).max() < 1e-3


def test_the_explicit_method_stops_on_these_feet():
    with pytest.warns(ch.ChaslesWarning), pytest.raises(ch.SimulationStopped, match="smaller step"):
        ch.simulate(
            standing_quadruped(), 0.5, step=2e-3, method="rk4", spaces="SE3",
            start={"knee 0": (0.0, 1e-3)},  # what is unstable needs something to grow from
        )  # fmt: skip


def test_what_rests_converges_to_rest():
    """Nothing moves: changes are rounding errors against nothing but the size of the model."""
    rod = ch.Body.rod("rod", 1.0, 2.0, position=(0, 0, -0.5), axis="z")
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    for spaces in ("SE3", "SO3xR3", "subgroups"):
        result = ch.simulate(
            ch.Model([rod], [hinge]), 1.0, step=1e-3, method="generalized-alpha", spaces=spaces
        )
        assert np.abs(result.velocity("rod")).max() < 1e-12


def test_redundant_rows_are_what_they_are_in_index_1():
    """A planar four-bar of revolutes: 20 rows of rank 17, and the shortest multipliers."""
    at = [(0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.5), (0.6, 0, 0)]
    bodies = [
        ch.Body.rod(f"bar {k}", mass=1.0, between=pair) for k, pair in enumerate(pairwise(at))
    ]
    ends = [ch.GROUND, *bodies, ch.GROUND]
    joints = [
        ch.Revolute(f"hinge {k}", ends[k], ends[k + 1], at=at[k], axis=(0, 1, 0)) for k in range(4)
    ]
    model, orders = ch.Model(bodies, joints), {}
    for spaces in ("SE3", "SO3xR3", "subgroups"):
        apart = []
        for step in (2e-3, 1e-3):
            options = {"spaces": spaces, "save_every": round(0.02 / step)}
            result = ch.simulate(model, 0.2, step=step, method="generalized-alpha", **options)
            end = ch.simulate(model, 0.2, step=step / 10, method="dop853", stabilise="projection",
                              spaces=spaces, save_every=round(0.2 / step))  # fmt: skip
            force = result.reaction("hinge 1").force - end.reaction("hinge 1").force
            apart.append([np.abs(result.absolute - end.absolute).max(), np.abs(force[2:]).max()])
        orders[spaces] = np.log2(np.divide(*apart))
    for found in orders.values():
        assert found == pytest.approx([2, 2], abs=0.15)


def test_a_driver_of_a_coordinate_does_the_work_that_the_energy_balance_asks_for():
    model = driven_chain()
    result = ch.simulate(model, 0.5, step=5e-4, method="generalized-alpha", spaces="subgroups")
    gained = result.energy()[-1] - result.energy()[0]
    assert result.work("motor")[-1] == pytest.approx(gained, abs=1e-4 * abs(gained) + 1e-5)
    assert result.absolute.shape[-1] == ABSOLUTE_WIDTH > TWIST


def newton_changes(space):
    """Changes in a step of 10 ms of the top, relative, with a whole matrix at every iterate."""
    stepper = stepper_for(heavy_top(), spaces=space, step=1e-2)
    scheme, block = stepper.scheme, stepper.first_block()
    mechanism, workspace = borrow(stepper.mechanism), borrow(stepper.workspace)
    iteration = borrow(scheme.iteration)
    step, count, found = 1e-2, mechanism.tree.rate_count, []
    factors = (0.5 * step, 0.25 * step**2)
    slope = np.zeros(slope_length(mechanism))
    stage(mechanism, workspace, block.copy(), 0.0, slope)
    for k in range(count):
        iteration.unknown[k] = slope[mechanism.tree.rate_count + k]
        iteration.pose[k] = (
            step * block[mechanism.tree.stored_count + k] + factors[1] * iteration.unknown[k]
        )
        iteration.rate[k] = factors[0] * iteration.unknown[k]
    for _ in range(6):
        assert chord_change(mechanism, workspace, iteration, block, step, step, 3, factors) == OK
        assert load_newton(mechanism, workspace, iteration, iteration.point, 3, factors)
        newton_change(mechanism, iteration, iteration.point)
        found.append(size_of(mechanism, iteration, iteration.change))
        for k in range(count):
            iteration.unknown[k] += iteration.change[k]
    return np.array(found) / size_of(mechanism, iteration, iteration.unknown)


@pytest.mark.parametrize("space", ["SE3", "SO3xR3", "SO3xR3 on joints", "subgroups"])
def test_newtons_iteration_with_the_whole_matrix_squares_its_errors(space):
    """T of the increment in the rows, and all that rotation adds: the top turns by 0.7 rad."""
    sizes = newton_changes(space)
    now, then = sizes[1:3], sizes[2:4]
    assert (then < 30 * now**2 + 1e-11).all() and sizes[4] < 1e-9
