"""RATTLie in coordinates of pairs: the steps of the charts, and what makes them variational."""

from dataclasses import replace

import numpy as np
import pytest
from combinations import pairwise
from frozen_rattlie import FILE, MODELS, end_of, planar_loop
from mechanisms import chain, double_pendulum, floating_pair, moving, three_bar, tree
from runs import driven_chain, last, observed_order, slope, there_and_back

import chasles as ch
from chasles.core.outcomes import OK
from chasles.integrators.advance import UNSEEN
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of

X, Y = (1, 0, 0), (0, 1, 0)
FROZEN = np.load(FILE)
#: Spaces, and the chart whose discrete Lagrangian their bodies have.
SPACES = {
    "SE3": "SE3", "SE3 relative": "SE3", "SO3xR3": "SO3xR3", "SO3xR3 on joints": "SO3xR3",
    "subgroups": "SO3xR3",
}  # fmt: skip


@pytest.mark.parametrize("model, method, space", pairwise(MODELS, ["rattlie", "rattlie4"], SPACES))
def test_spaces_choose_coordinates_and_not_the_motion(model, method, space):
    """What a discrete Lagrangian with constraints does it does on coordinates as well."""
    found, known = end_of(model, method, space), FROZEN[f"{model}|{method}|{SPACES[space]}"]
    np.testing.assert_allclose(found[:, :12], known[:, :12], rtol=0, atol=2e-12)
    np.testing.assert_allclose(found[:, 12:], known[:, 12:], rtol=0, atol=3e-11)


def geared_chain():
    """Hinges, a ball and a slide with rotors, the first two hinges coupled by a polynomial."""
    kinds = ("revolute", "revolute", "spherical", "prismatic")
    model = chain(np.random.default_rng(4), kinds)
    rotors = (0.4, 0.0, 0.2, 0.7)
    joints = [replace(joint, armature=i) if i else joint for joint, i in zip(model.joints, rotors)]
    cam = ch.Coupling("cam", {"joint 0": 1, "joint 1": (-0.5, 0.2)})
    return ch.Model(model.bodies, [*joints, cam], gravity=model.gravity)


def damped_tree():
    """A body that floats, two that hang on it, and a damper between those."""
    rng = np.random.default_rng(2)
    model = tree(rng, [-1, 0, 0], ["spherical", "revolute", "spherical"])
    model = moving(ch.Model(model.bodies, model.joints[1:], gravity=(0, 0, 0)), rng)
    damper = ch.Spring("damper", model.bodies[1], model.bodies[2], at=model.bodies[1].position,
                       at_b=model.bodies[2].position, stiffness=20.0, damping=5.0)  # fmt: skip
    return ch.Model(model.bodies, model.joints, gravity=(0, 0, 0), forces=[damper])


#: Model and seconds.
TREES = {
    "pendulum": (double_pendulum, 0.06),
    "three-bar": (three_bar, 0.12),
    "driven": (driven_chain, 0.4),
    "rotors": (geared_chain, 0.3),
    "damped": (damped_tree, 0.3),
}


@pytest.mark.parametrize("mechanism", TREES)
@pytest.mark.parametrize(("method", "order"), [("rattlie", 2), ("rattlie4", 4)])
def test_trees_and_loops_have_their_orders(method, order, mechanism):
    make, until = TREES[mechanism]
    end = last(make(), until, 1000, method="dop853", spaces="subgroups")
    counts = (128, 181, 256) if order == 2 else (64, 91, 128)
    observed = observed_order(make(), until, end, counts, method=method, spaces="subgroups")
    assert observed == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(
    "make", [double_pendulum, three_bar, planar_loop, geared_chain, damped_tree]
)
@pytest.mark.parametrize("method", ["rattlie", "rattlie4"])
def test_steps_are_symmetric(method, make):
    missed, far = there_and_back(make(), 5e-4, 100, method=method, spaces="subgroups")
    assert far > 0.1
    assert missed < 2e-11


def stepper_for(model, step, steps):
    settings = make_settings(ByHand(model, method="rattlie", spaces="subgroups"))
    return stepper_of(settings, step, step * steps)


def test_steps_are_symplectic():
    r"""$J^T\Omega J = \Omega$ for a tree of hinges, by differences of fourth order."""
    model, step, steps = chain(np.random.default_rng(6), ["revolute"] * 3), 0.02, 5
    stepper = stepper_for(model, step, steps)
    start, tree_of = stepper.first_block(), stepper.mechanism.tree
    mass = np.array([body.mass for body in model.bodies])
    inertia = np.array([body.inertia for body in model.bodies])

    def stored(angles):
        return np.stack([angles, np.cos(angles), np.sin(angles)], axis=1).ravel()

    def energy(angles, rates):
        point = np.concatenate([stored(angles), rates])
        twists = stepper.absolute(point[None])[0, :, 12:]
        spins = np.einsum("ni,nij,nj", twists[:, :3], inertia, twists[:, :3])
        return 0.5 * (spins + mass @ (twists[:, 3:] ** 2).sum(axis=1))

    def mass_matrix(angles):
        one = np.eye(3)
        return np.array([
            [0.5 * (energy(angles, a + b) - energy(angles, a - b)) for a in one] for b in one
        ])  # fmt: skip

    def flow(z):
        """(q, p) after some steps."""
        block, angles = start.copy(), z[:3]
        block[: tree_of.stored_count] = np.stack(
            [angles, np.cos(angles), np.sin(angles)], 1
        ).ravel()
        rates = slice(tree_of.stored_count, tree_of.stored_count + 3)
        block[rates] = np.linalg.solve(mass_matrix(angles), z[3:])
        grid = (0.0, step, 0, steps, steps)
        _, outcome = stepper.advance(
            block, np.zeros_like(block), grid, steps + 1, UNSEEN, np.zeros((1, 1))
        )
        assert outcome == OK
        angles = block[0 : tree_of.stored_count : 3]
        return np.concatenate([angles, mass_matrix(angles) @ block[rates]])

    angles = start[0 : tree_of.stored_count : 3]
    rates = start[tree_of.stored_count : tree_of.stored_count + 3]
    z, d = np.concatenate([angles, mass_matrix(angles) @ rates]), 1e-3
    columns = [
        (8 * (flow(z + d * e) - flow(z - d * e)) - (flow(z + 2 * d * e) - flow(z - 2 * d * e)))
        / (12 * d)
        for e in np.eye(6)
    ]
    jacobian = np.array(columns).T
    omega = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    assert np.abs(jacobian - np.eye(6)).max() > 0.1
    np.testing.assert_allclose(jacobian.T @ omega @ jacobian, omega, rtol=0, atol=1e-8)


def test_what_floats_keeps_its_momenta_and_its_path():
    run = ch.simulate(
        floating_pair(), 20.0, step=1e-3, method="rattlie", spaces="subgroups", save_every=1000
    )
    spin, momentum = run.angular_momentum(), run.momentum()
    mass = np.array([body.mass for body in run.model.bodies])
    places = np.stack([run.position(name) for name in run.model.body_names], axis=1)
    path = np.einsum("n,tnk->tk", mass, places) / mass.sum()
    straight = path[0] + run.t[:, None] * momentum[0] / mass.sum()
    assert np.abs(spin - spin[0]).max() < 1e-12 * np.linalg.norm(spin[0])
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    assert np.abs(path - straight).max() < 1e-11


def test_drivers_of_coordinates_do_the_work_that_is_found_in_the_energy():
    """By the trapezoidal rule: of order 2, as the motion."""
    misses = []
    for step in (4e-3, 2e-3):
        run = ch.simulate(driven_chain(), 0.4, step=step, method="rattlie", spaces="subgroups")
        misses.append(np.abs(run.energy_balance() - run.energy_balance()[0]).max())
    assert slope((1, 2), misses) == pytest.approx(2, abs=0.2)


def test_a_frame_without_mass_hands_its_momentum_on():
    """Two hinges with a frame between them are a universal joint."""
    body = ch.Body.box(
        "body", size=(0.3, 0.1, 0.2), mass=2.0, position=(0.4, 0, 0), angular_velocity=(2, 3, 0)
    )
    frame = ch.Body("frame", mass=0.0, inertia=np.zeros((3, 3)), position=(0, 0, 0))
    hinges = [
        ch.Revolute("outer", ch.GROUND, frame, at=(0, 0, 0), axis=X),
        ch.Revolute("inner", frame, body, at=(0, 0, 0), axis=Y),
    ]
    whole = ch.Model([body], [ch.Universal("cross", ch.GROUND, body, (0, 0, 0), X, Y)])
    options = {"step": 1e-3, "method": "rattlie"}
    ours = ch.simulate(ch.Model([frame, body], hinges), 0.3, spaces="subgroups", **options)
    rows = ch.simulate(whole, 0.3, spaces="SO3xR3", **options)
    np.testing.assert_allclose(
        ours.position("body")[-1], rows.position("body")[-1], rtol=0, atol=1e-11
    )


def test_cut_joints_of_a_loop_have_multipliers_and_the_others_none():
    run = ch.simulate(three_bar(), 0.01, step=1e-3, method="rattlie", spaces="subgroups")
    known = ~np.isnan(run.multipliers[1:]).any(axis=0)
    assert known.any() and not known.all()
    for joint in run.model.joint_names:
        own, motion = run.reaction(joint).force, run.reaction(joint, by="motion").force
        np.testing.assert_allclose(own, motion, rtol=0, atol=2e-2 * np.abs(motion).max())


def pushed_chain():
    """Springs, friction, a stop and servos on all coordinates of a chain, one of them driven."""
    model = chain(np.random.default_rng(7), ("revolute", "prismatic", "cylindrical", "revolute"))
    forces = [
        ch.JointSpring("coil", "joint 0", 8.0, 0.4, rest=0.3),
        ch.JointFriction("brake", "joint 1", 1.5, smoothing=0.5),
        ch.JointStop("end", "joint 1", -0.02, 0.02, stiffness=50.0, damping=0.5),
        ch.Servo("servo", "joint 2", target=0.4, stiffness=9.0, damping=0.5, coordinate="angle"),
        ch.JointLaw("law", "joint 2", lambda t, q, rate: -3.0 * q - 0.2 * rate + 0.1 * t,
                    coordinate="displacement"),
        ch.Motor("motor", "joint 3", effort=0.7),
    ]  # fmt: skip
    swing = ch.Driver("swing", "joint 3", ch.Signal.sine(0.2, 1.0))
    return ch.Model(model.bodies, model.joints, forces, [swing], gravity=model.gravity)


@pytest.mark.parametrize("method", ["rattlie", "rattlie4"])
def test_efforts_on_coordinates_are_the_wrenches_of_joints_with_rows(method):
    """Where the joints have rows the same forces are wrenches on two bodies: the same steps."""
    options = {"step": 1e-3, "method": method}
    ours = ch.simulate(pushed_chain(), 0.05, spaces="subgroups", **options)
    rows = ch.simulate(pushed_chain(), 0.05, spaces="SO3xR3 on joints", rows="all", **options)
    for body in ours.model.body_names:
        assert np.abs(ours.position(body) - rows.position(body)).max() < 1e-11
    for part in ("swing", *ours.model.force_names):
        assert ours.work(part)[-1] == pytest.approx(rows.work(part)[-1], abs=1e-10)
    assert np.abs(ours.energy_balance()).max() < 1e-5
