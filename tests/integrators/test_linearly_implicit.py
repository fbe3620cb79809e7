"""The linearly implicit method: order, stiff dampers and contacts, energy, cost, refusals."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from combinations import one_at_a_time
from machines import damped_bob, exact_bob
from mechanisms import SPACES, double_pendulum, three_bar
from runs import MECHANISMS, observed_order

import chasles as ch
from chasles.core.tangent_stiffness.matrix import factor_rows
from chasles.integrators.advance import UNSEEN
from chasles.integrators.rosenbrock import W_METHODS
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of

METHOD = "linearly-implicit"
GRAVITY = 9.81


@pytest.mark.parametrize(
    "mechanism, space",
    one_at_a_time(MECHANISMS, [*SPACES, "subgroups"], base=("three-bar", "subgroups")),
)
def test_it_has_order_two_in_every_space(ends, mechanism, space):
    make, until = MECHANISMS[mechanism]
    options = {"method": METHOD, "spaces": space}
    counts = (256, 362, 512, 724)
    observed = observed_order(make(), until, ends[mechanism], counts, **options)
    assert observed == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("name", W_METHODS)
def test_coefficients_have_order_two_for_any_matrix(name):
    """The conditions of W-methods (Hairer and Wanner, IV.7), which do not contain A's own."""
    method = W_METHODS[name]
    whole = method.gamma + method.diagonal * np.eye(len(method.b))
    assert method.b.sum() == pytest.approx(1, abs=1e-15)
    assert method.b @ method.alpha.sum(axis=1) == pytest.approx(0.5, abs=1e-15)
    assert method.b @ whole.sum(axis=1) == pytest.approx(0, abs=1e-15)


def test_with_the_derivative_it_is_l_stable():
    """R(z) on y' = z y: 0 at infinity, and |R| <= 1 on the imaginary axis."""
    method = W_METHODS[METHOD]
    whole = method.gamma + method.diagonal * np.eye(2)

    def amplification(z):
        k = np.linalg.solve(np.eye(2) - z * (method.alpha + whole), np.ones(2))
        return 1.0 + z * method.b @ k

    assert abs(amplification(-1e9)) < 1e-8
    axis = [abs(amplification(1j * y)) for y in np.logspace(-3, 3, 200)]
    assert max(axis) <= 1 + 1e-12


def test_positive_matrices_are_factored_and_others_lose_what_is_negative():
    rng = np.random.default_rng(2)
    root = rng.standard_normal((6, 6))
    for matrix in (root @ root.T, root[:, :2] @ root[:, :2].T):
        rows, spare = np.zeros(36), matrix.ravel().copy()
        factor_rows(spare, rows)
        found = rows.reshape(6, 6).T @ rows.reshape(6, 6)
        np.testing.assert_allclose(found, matrix, rtol=0, atol=1e-8)
    rows, spare = np.zeros(36), np.diag([3.0, -2.0, 1.0, 0.0, -1.0, 2.0]).ravel()
    factor_rows(spare, rows)
    found = rows.reshape(6, 6).T @ rows.reshape(6, 6)
    np.testing.assert_allclose(found, np.diag([3.0, 0, 1, 0, 0, 2]), rtol=0, atol=1e-14)


# --- stiff ---


@pytest.mark.parametrize("space", ["subgroups", "SE3", "SO3xR3"])
@pytest.mark.parametrize(("damping", "close"), [(2800.0, 1e-4), (1e6, 2e-2)])
def test_a_bob_on_a_stiff_damper_runs_at_2_ms_with_its_energy_balanced(damping, close, space):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(damped_bob(damping), 0.5, step=2e-3, method=METHOD, spaces=space)
    end = np.append(result.position("bob")[-1, [0, 2]], result.velocity("bob")[-1, [0, 2]])
    np.testing.assert_allclose(end, exact_bob(damping)(0.5), rtol=0, atol=close)
    assert result.provenance.imbalance < 1e-4


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("damping", [2800.0, 1e6])
def test_the_explicit_method_stops_and_names_the_implicit_one(damping):
    with pytest.raises(ch.SimulationStopped, match="method='linearly-implicit'") as stopped:
        ch.simulate(damped_bob(damping), 0.5, step=2e-3, method="rk4")
    assert len(stopped.value.result.t) > 1


def test_a_balance_that_does_not_close_names_the_implicit_method_too():
    with pytest.warns(ch.ChaslesWarning, match=r"energy balance.*method='linearly-implicit'"):
        ch.simulate(damped_bob(2800.0), 0.05, step=2e-3, method="rk4")


def quadruped(stiffness, drop=0.0):
    """13 bodies that stand on penalty feet, the weight of 18 kg in balance at the start, or are
    dropped on them.
    """
    depth = 18.0 * GRAVITY / (4 * stiffness)
    trunk = ch.Body.box("trunk", (0.7, 0.3, 0.12), mass=12, position=(0, 0, 0.66 - depth))
    bodies, joints, forces = [trunk], [], []
    for k, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        hip, knee, ankle = (
            (x - b, y, z - depth) for b, z in ((0, 0.635), (0.1, 0.335), (0, 0.035))
        )
        thigh = ch.Body.rod(f"thigh {k}", mass=1.0, radius=0.03, between=(hip, knee))
        shank = ch.Body.rod(f"shank {k}", mass=0.4, radius=0.02, between=(knee, ankle))
        foot = ch.Body.sphere(f"foot {k}", 0.035, mass=0.1, position=ankle)
        bodies += [thigh, shank, foot]
        joints.append(ch.Revolute(f"hip {k}", trunk, thigh, hip, axis="y"))
        joints.append(ch.Revolute(f"knee {k}", thigh, shank, knee, axis="y"))
        joints.append(ch.Fixed(f"ankle {k}", shank, foot))
        forces += [
            ch.TorsionSpring(f"servo of {name} {k}", f"{name} {k}", stiffness=600.0, damping=10.0)
            for name in ("hip", "knee")
        ]
        forces.append(
            ch.Contact(
                f"ground {k}", ch.GROUND, foot, at=(0, 0, -drop), stiffness=stiffness,
                dissipation=1.0, friction=0.8, slip=1e-3,
            )
        )  # fmt: skip
    return ch.Model(bodies, joints, forces=forces)


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("stiffness", [5e4, 2e5])
def test_a_standing_quadruped_runs_at_2_ms_and_the_explicit_method_does_not(stiffness):
    """Servos and friction are stiff: 3e4 N s/m at a foot of 0.1 kg that does not slip."""
    model = quadruped(stiffness)
    exact = ch.simulate(model, 1.0, step=2e-5, save_every=50_000, spaces="subgroups")
    for space, hold in (("subgroups", None), ("SE3", "projection")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = ch.simulate(model, 1.0, 2e-3, method=METHOD, spaces=space, stabilise=hold)
        apart = np.abs(result.position("trunk")[-1] - exact.position("trunk")[-1]).max()
        assert apart < 5e-4
        assert result.provenance.imbalance < 1e-3
    with pytest.raises(ch.SimulationStopped, match="method='linearly-implicit'"):
        ch.simulate(model, 1.0, step=2e-3, method="rk4", spaces="subgroups")


@pytest.mark.filterwarnings("ignore:the energy balance")  # of impacts that are not resolved
def test_a_dropped_quadruped_lands_where_the_steps_of_its_impacts_are_divided():
    """From 5 cm at 2 ms on feet of 2 10^6 N/m: generalized-alpha ends where rk4 at 10 us does; this
    method, to which a foot in the air is not stiff, stops and names it.
    """
    model = quadruped(2e6, drop=0.05)
    landed = ch.simulate(model, 0.6, 2e-3, method="generalized-alpha", spaces="subgroups")
    exact = ch.simulate(model, 0.6, step=1e-5, save_every=60_000, spaces="subgroups")
    apart = landed.position("trunk")[-1] - exact.position("trunk")[-1]
    assert np.abs(apart).max() < 1e-3
    np.testing.assert_allclose(landed.t, 2e-3 * np.arange(301), atol=1e-12)
    assert "in parts of" in landed.message
    assert 0 < landed.provenance["divided_steps"] < 60
    with pytest.raises(ch.SimulationStopped, match=r"closes within a step.*generalized-alpha"):
        ch.simulate(model, 0.6, step=2e-3, method=METHOD, spaces="subgroups")


# --- any forces, on charts and trees ---


def stiff_chain(count):
    """Links on hinges with stiff springs in them, in a viscous medium."""
    bodies, joints, forces, last = [], [], [], ch.GROUND
    for k in range(count):
        link = ch.Body.box(
            f"link {k}", (0.3, 0.05, 0.05), mass=1.0, position=(0.3 * k + 0.15, 0, 0)
        )
        hinge = ch.Revolute(f"hinge {k}", last, link, at=(0.3 * k, 0, 0), axis="y")
        bodies.append(link)
        joints.append(hinge)
        forces.append(ch.TorsionSpring(f"spring {k}", hinge, stiffness=500.0, damping=40.0))
        forces.append(ch.Drag(f"drag {k}", link, linear=300.0))
        last = link
    return ch.Model(bodies, joints, forces=forces)


def test_charts_and_trees_take_the_same_step_where_the_space_is_the_same():
    """A spring in a hinge is a node of the block matrix here, an armature there."""
    model = stiff_chain(3)
    ends = [
        ch.simulate(model, 0.2, step=2e-3, method=METHOD, spaces=space).absolute[-1]
        for space in ("subgroups", "SE3 relative")
    ]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-7)


@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_forces_between_any_two_bodies_leave_the_order(space):
    pendulum = double_pendulum()
    stiff = ch.Spring("stiff", "first", ch.GROUND, at=pendulum.body("first").position,
                      at_b=(1, 1, 1), stiffness=10.0, damping=500.0)  # fmt: skip
    across = ch.Bushing("across", "first", "second", at=(0, 0, 0), stiffness=[5.0] * 6,
                        damping=[30.0] * 6)  # fmt: skip
    model = ch.Model(pendulum.bodies, pendulum.joints, forces=[stiff, across])
    end = ch.simulate(model, 0.02, step=1e-5, method="rk4", save_every=2000).absolute[-1]
    counts = (512, 724, 1024)
    observed = observed_order(model, 0.02, end, counts, method=METHOD, spaces=space)
    assert observed == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("damping", [2800.0, 1e6])
@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_a_damper_between_two_free_bodies_brings_them_to_their_common_velocity(space, damping):
    """m_1 v_1 = (m_1 + m_2) v along it, the rest as it was; explicit methods would need 1 us."""
    one = ch.Body.sphere("one", radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(3, 0, 0))
    two = ch.Body.sphere("two", radius=0.1, mass=2.0, position=(1, 0, 0))
    damper = ch.Spring("damper", one, two, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=0,
                       damping=damping)  # fmt: skip
    model = ch.Model([one, two], forces=[damper], gravity=(0, 0, 0))
    run = ch.simulate(model, 0.2, step=2e-3, method=METHOD, spaces=space)
    for body in ("one", "two"):
        np.testing.assert_allclose(run.velocity(body)[-1], (1, 0, 0), atol=1e-9)
    gap = run.position("two")[-1, 0] - run.position("one")[-1, 0]
    assert gap == pytest.approx(1 - 3 * (2 / 3) / damping, abs=2e-3)


def test_many_dampers_in_a_row_bring_all_bodies_to_their_common_velocity():
    """m v_1 = n m v, within one step: more springs than any iteration of few steps could solve."""
    count = 60
    balls = [
        ch.Body.sphere(f"ball {k}", 0.1, 1.0, position=(k, 0, 0), velocity=(6.0 * (k == 0), 0, 0))
        for k in range(count)
    ]
    dampers = [
        ch.Spring(f"damper {k}", one, two, at=one.position, at_b=two.position, stiffness=0,
                  damping=1e9)
        for k, (one, two) in enumerate(pairwise(balls))
    ]  # fmt: skip
    model = ch.Model(balls, forces=dampers, gravity=(0, 0, 0))
    run = ch.simulate(model, 0.02, step=2e-3, method=METHOD)
    speeds = [run.velocity(ball.name)[-1, 0] for ball in balls]
    np.testing.assert_allclose(speeds, 6.0 / count, rtol=1e-6)


def scheme_after_a_step(model):
    stepper = stepper_of(make_settings(ByHand(model, method=METHOD)), 2e-3, 1.0)
    block = stepper.first_block()
    stepper.advance(block, np.zeros_like(block), (0.0, 2e-3, 0, 1, 1), 9, UNSEEN, np.zeros((1, 1)))
    return stepper.mechanism, stepper.scheme


def test_servos_are_efforts_and_feet_in_the_air_are_in_no_matrix():
    mechanism, scheme = scheme_after_a_step(quadruped(5e4, drop=0.5))
    servos = mechanism.tree_work.along >= 0
    assert servos.sum() == 8 and mechanism.system.force_count == 12
    assert not scheme.tangent.touched.any() and not scheme.tangent.is_rest.any()
    k = mechanism.tree_work.along[servos]
    np.testing.assert_allclose(scheme.tangent.stiff[k], 600.0, rtol=1e-6)
    np.testing.assert_allclose(scheme.tangent.damped[k], 10.0, rtol=1e-6)
    _, standing = scheme_after_a_step(quadruped(5e4))
    assert standing.tangent.touched.all()


def test_stiff_forces_across_balls_and_from_branch_to_branch_go_with_loops_as_well():
    """Subgroups, whose matrix has them by its low rank, and charts, whose matrix has them as
    nodes, approach the same motion at a step that explicit methods do not survive.
    """
    bar = three_bar()
    first, second = (body.name for body in bar.bodies[:2])
    at = bar.body(second).position
    forces = [
        ch.Bushing("across", first, second, at=at, stiffness=[1e3] * 6, damping=[40.0] * 6),
    ]
    model = ch.Model(bar.bodies, bar.joints, forces=forces, gravity=bar.gravity)
    exact = ch.simulate(model, 0.1, step=1e-5, save_every=10_000).absolute[-1]
    for space in ("subgroups", "SE3"):
        found = [
            ch.simulate(
                model, 0.1, step=h, method=METHOD, spaces=space, stabilise="projection"
            ).absolute[-1]
            for h in (1e-3, 5e-4)
        ]
        coarse, fine = (np.abs(end - exact).max() for end in found)
        assert fine < 0.4 * coarse < 0.02
    with pytest.raises(ch.SimulationStopped), warnings.catch_warnings(action="ignore"):
        ch.simulate(model, 0.1, step=1e-3, method="rk4", spaces="subgroups")


def treacle(t, position, rotation, velocity, angular_velocity):
    """A user's own force, of 10^5 N s/m."""
    return (-1e5 * velocity[0], -1e5 * velocity[1], -1e5 * velocity[2]), (0.0, 0.0, 0.0)


@pytest.mark.filterwarnings("ignore:the energy balance")  # of the first, which is all transient
@pytest.mark.parametrize("space", ["subgroups", "SE3"])
def test_a_users_own_function_is_seen_to_be_stiff(space):
    """It sinks with m g / c from the second step on."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=2.0)
    model = ch.Model([ball], [], forces=[ch.CustomForce("treacle", ball, treacle, compiled=True)])
    result = ch.simulate(model, 0.1, step=2e-3, method=METHOD, spaces=space)
    np.testing.assert_allclose(result.velocity("ball")[5:, 2], -2 * GRAVITY / 1e5, rtol=1e-3)


@pytest.mark.filterwarnings("ignore:the energy balance")
def test_a_law_in_a_joint_is_seen_to_be_stiff():
    """An overdamped hinge: its rate is g's moment over the damping."""
    link = ch.Body.box("link", (1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, link, at=(0, 0, 0), axis="y")
    law = ch.JointLaw("law", hinge, lambda t, q, rate: -2e4 * rate)
    model = ch.Model([link], [hinge], forces=[law])
    result = ch.simulate(model, 0.1, step=2e-3, method=METHOD)
    assert result.coordinate_rate("hinge")[-1] == pytest.approx(0.5 * GRAVITY / 2e4, rel=1e-3)


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
def test_what_pushes_on_in_a_joint_is_in_the_step_though_it_is_not_factored():
    """A linear force along a rail: two steps by the coefficients and dense algebra."""
    matrix, step = np.array([[0.0, 1.0], [2.0, 0.4]]), 1.0
    cart = ch.Body.box("cart", (0.1, 0.1, 0.1), mass=1.0, velocity=(0.3, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, cart, axis="x")
    law = ch.JointLaw("push", rail, lambda t, q, rate: 2.0 * q + 0.4 * rate)
    result = ch.simulate(ch.Model([cart], [rail], forces=[law]), 2.0, step=step, method=METHOD)
    method, state = W_METHODS[METHOD], np.array([0.0, 0.3])
    for n in (1, 2):
        solve = np.linalg.inv(np.eye(2) - step * method.diagonal * matrix) @ (step * matrix)
        first = solve @ state
        second = solve @ (state + (method.alpha + method.gamma)[1, 0] * first)
        state = state + method.b @ (first, second)
        found = result.position("cart")[n, 0], result.velocity("cart")[n, 0]
        assert found == pytest.approx(state, rel=1e-3)


@pytest.mark.parametrize("space", ["SE3", "SO3xR3", "subgroups"])
def test_loops_run_with_stiff_forces(space):
    loop = three_bar()
    drag = ch.Drag("drag", "first", linear=1e5, angular=1e5)
    model = ch.Model(loop.bodies, loop.joints, gravity=loop.gravity, forces=[drag])
    result = ch.simulate(model, 0.1, step=1e-3, method=METHOD, spaces=space, stabilise="projection")
    assert np.linalg.norm(result.angular_velocity("first")[-1]) < 1e-2
    assert max(result.violation(name).max() for name in model.joint_names) < 1e-11


def dropped_ball(stiffness):
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 0.4))
    floor = ch.Contact("floor", ch.GROUND, ball, at=(0, 0, 0), stiffness=stiffness)
    return ch.Model([ball], forces=[floor])


@pytest.mark.parametrize("damping", [0.0, 20.0])
@pytest.mark.parametrize("accuracy", [{"step": 1e-3}, {"rtol": 1e-8}])
def test_what_rests_on_a_stop_or_a_floor_is_not_suspected(damping, accuracy, recwarn):
    """All energies are round-off, and so is each one's share of another."""
    block = ch.Body.box("block", (0.1, 0.1, 0.1), mass=1.0)
    rail = ch.Prismatic("rail", ch.GROUND, block, axis="z")
    for force in (
        ch.JointStop("stop", rail, lower=-0.5, stiffness=1e4, damping=damping),
        ch.Contact("floor", ch.GROUND, block, (0, 0, -0.5), stiffness=1e4, dissipation=damping),
    ):
        model = ch.Model([block], [rail], [force])
        rest = ch.equilibrium(model).state
        assert not ch.simulate(model, until=0.1, start=rest, **accuracy).warnings
    assert not recwarn.list


def test_a_bounce_that_the_steps_do_not_resolve_is_told():
    """An elastic ball is at 0.4 m after a second; here it is not, though the books are balanced."""
    with pytest.warns(ch.ChaslesWarning, match="do not resolve impacts of contact 'floor'"):
        run = ch.simulate(dropped_ball(1e6), 1.0, step=2e-3, method="linearly-implicit")
    assert run.position("ball")[-1, 2] < 0.37 and run.provenance.imbalance < 0.01
    assert run.warnings


def test_a_bounce_of_many_steps_is_not():
    run = ch.simulate(dropped_ball(1e4), 0.6, step=1e-3, method="linearly-implicit")
    assert not run.warnings


# --- contacts that do not touch ---


def arm_with_contacts(count, contacts):
    """Links on damped hinges; any two that are not neighbours may touch."""
    bodies, joints, forces = [], [], []
    for k in range(count):
        body = ch.Body.rod(f"link {k}", 0.2, 0.1, position=(0.2 * k + 0.1, 0, 0), axis="x")
        axis = (0, 1, 0) if k % 2 else (0, 0, 1)
        carrier = bodies[-1] if bodies else ch.GROUND
        joints.append(ch.Revolute(f"hinge {k}", carrier, body, at=(0.2 * k, 0, 0), axis=axis))
        forces.append(ch.JointSpring(f"spring {k}", f"hinge {k}", 50.0, 5.0))
        bodies.append(body)
    for j in range(2, count if contacts else 0):
        for i in range(j - 1):
            ball = {"at": bodies[i].position, "radius": 0.05, "shape": ch.Sphere(0.05)}
            forces.append(ch.Contact(f"{i} on {j}", bodies[i], bodies[j], stiffness=1e5, **ball))
    return ch.Model(bodies, joints, forces)


def test_contacts_that_do_not_touch_take_no_part():
    """Neither in the motion nor in the elimination of the step."""
    with_them, without = (
        ch.simulate(arm_with_contacts(5, contacts), 0.05, step=1e-3, method=METHOD)
        for contacts in (True, False)
    )
    assert np.abs(with_them.position("link 4") - without.position("link 4")).max() < 1e-14
    settings = make_settings(ByHand(arm_with_contacts(5, True), method=METHOD))
    stepper = stepper_of(settings, 1e-3, 1.0)
    block = stepper.first_block()
    stepper.advance(block, np.zeros_like(block), (0.0, 1e-3, 0, 1, 1), UNSEEN, 1,
                    np.zeros((1, stepper.layout.kept)))  # fmt: skip
    loops = stepper.scheme.tangent.loops
    assert loops.group_count == 12 and loops.idle.all() and not loops.place_rows.any()


def test_balls_that_meet_and_part_are_felt_when_they_touch():
    """Two balls in a line: the elastic impact of equal masses exchanges their velocities."""
    one, two = (
        ch.Body.sphere(f"ball {k}", radius=0.1, mass=1.0, position=(0.21 * k, 0, 0),
                       velocity=(1.0 - k, 0, 0))
        for k in range(2)
    )  # fmt: skip
    touch = ch.Contact("touch", one, two, at=(0, 0, 0), radius=0.1, shape=ch.Sphere(0.1),
                       stiffness=1e4)  # fmt: skip
    result = ch.simulate(ch.Model([one, two], forces=[touch], gravity=(0, 0, 0)), 0.1, step=1e-4,
                         method=METHOD)  # fmt: skip
    assert result.velocity("ball 0")[-1] == pytest.approx((0, 0, 0), abs=1e-3)
    assert result.velocity("ball 1")[-1] == pytest.approx((1, 0, 0), abs=1e-3)


def pulled(stiffness):
    """A block on a rail that a spring ties to a sledge, which is moved by 0.2 sin 2 pi t."""
    speed = 0.4 * np.pi
    sledge = ch.Body.box("sledge", size=(0.1, 0.1, 0.1), mass=1.0)
    block = ch.Body.box(
        "block", size=(0.1, 0.1, 0.1), mass=1.0, position=(1, 0, 0), velocity=(speed, 0, 0)
    )
    rails = [ch.Prismatic(f"rail of {b.name}", ch.GROUND, b, axis="x") for b in (sledge, block)]
    spring = ch.Spring("spring", sledge, block, at=(0, 0, 0), at_b=(1, 0, 0), stiffness=stiffness)
    driver = ch.Driver("drive", "rail of sledge", ch.Signal.sine(0.2, 1.0))
    return ch.Model([sledge, block], rails, [spring], [driver], gravity=(0, 0, 0))


@pytest.mark.filterwarnings("ignore:.*energy balance")
@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e10])
def test_stiff_springs_on_driven_bodies_keep_the_order(stiffness):
    """x = A sin wt + B sin Wt, W^2 = k/m, A = 0.2 W^2/(W^2 - w^2), B = (v_0 - A w)/W."""
    slow, fast = 2 * np.pi, np.sqrt(stiffness)
    along = 0.2 * fast**2 / (fast**2 - slow**2)
    missed = []
    for step in (2e-3, 1e-3):
        run = ch.simulate(pulled(stiffness), 0.5, step, method="linearly-implicit")
        exact = along * np.sin(slow * run.t)
        exact += (0.2 * slow - along * slow) / fast * np.sin(fast * run.t)
        missed.append(np.abs(run.coordinate("rail of block") - exact).max())
    assert missed[1] < 2e-6 and missed[1] < 0.35 * missed[0]


def test_the_energy_that_drivers_give_to_springs_balances():
    """Before, the velocities of driven bodies were left out of it, and right runs warned."""
    run = ch.simulate(pulled(1e3), 0.5, 1e-3, method="linearly-implicit")
    assert run.warnings == () and np.abs(run.energy_balance()).max() < 1e-5
