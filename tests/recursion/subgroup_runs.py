"""Runs on joint subgroups beside runs of the same model on six-dimensional charts."""

import numpy as np
from mechanisms import KINDS, moving, tree

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.core.arrays import ABSOLUTE_WIDTH


def run_of(problem: TreeProblem, until, step, method="rk4", save_every=1) -> ch.Result:
    """`simulate` in the spaces of a problem, without a stabiliser."""
    return ch.simulate(
        problem.setup.model, until, step, method=method, spaces=dict(problem.setup.spaces),
        stabilise=None, save_every=save_every, progress=False,
    )  # fmt: skip


def run(model: ch.Model, until=0.5, step=1e-3, **options) -> ch.Result:
    """`simulate` on subgroups, for half a second unless said."""
    return ch.simulate(model, until, step=step, spaces="subgroups", progress=False, **options)


def on_charts(model: ch.Model, problem: TreeProblem, until, step, method="rk4", **options):
    """Absolute rows (T, n, 18) of `simulate`, bodies in the order of the problem."""
    options = {"rows": "all", **options}
    result = ch.simulate(model, until=until, step=step, method=method, **options)
    out = np.zeros((len(result.t), len(model.bodies), ABSOLUTE_WIDTH))
    for name, k in problem.setup.body_index.items():
        turn = result.rotation(name)
        out[:, k, :9], out[:, k, 9:12] = turn.reshape(-1, 9), result.position(name)
        out[:, k, 12:15] = result.angular_velocity(name)
        out[:, k, 15:] = np.einsum("tji,tj->ti", turn, result.velocity(name))
    return out


def disagreement(model: ch.Model, until, step, method="rk4", **options) -> float:
    """Largest difference of a pose (m, 1) or a velocity (relative to the largest)."""
    problem = TreeProblem.from_model(model)
    ours = run_of(problem, until, step, method).absolute
    theirs = on_charts(model, problem, until, step, method, **options)
    fastest = 1.0 + np.abs(theirs[..., 12:]).max()
    far = 1.0 + np.abs(theirs[..., 9:12]).max()
    poses = np.abs(ours - theirs)[..., :12].max() / far
    return float(max(poses, np.abs(ours - theirs)[..., 12:].max() / fastest))


def random_tree(seed: int, bodies: int = 7, kinds=KINDS, speed=5.0) -> ch.Model:
    """A tree on the ground with random joints, some named the other way round, in motion."""
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, k)) if k else -1 for k in range(bodies)]
    return moving(tree(rng, parents, rng.choice(kinds, size=bodies), swap=True), rng, speed)


def floating_tree(seed: int, boost: float = 0.0, gravity=(0.0, 0.0, 0.0)) -> ch.Model:
    """The same without its joints to the ground; several trees may result."""
    grounded = random_tree(seed)
    joints = [j for j in grounded.joints if ch.GROUND.name not in (j.a, j.b)]
    bodies = [
        ch.Body(b.name, b.mass, b.inertia, b.position, b.rotation,
                velocity=np.array(b.velocity) + (boost, 0.3 * boost, 0.0),
                angular_velocity=b.angular_velocity)
        for b in grounded.bodies
    ]  # fmt: skip
    return ch.Model(bodies, joints, gravity=gravity)


def largest_gap(problem: TreeProblem, absolute) -> float:
    """Largest opening of a joint over states, m or rad."""
    gaps = [
        np.abs(part).max()
        for name in problem.setup.model.joint_names
        for part in problem.setup.gap(name, absolute)
    ]
    return float(max(gaps))


def kinetic_energy(problem: TreeProblem, absolute):
    """(T,) of absolute rows (T, n, 18)."""
    total = np.zeros(len(absolute))
    for name, k in problem.setup.body_index.items():
        body = problem.setup.model.body(name)
        omega, v = absolute[:, k, 12:15], absolute[:, k, 15:]
        total += 0.5 * np.einsum("ti,ij,tj->t", omega, np.array(body.inertia), omega)
        total += 0.5 * body.mass * (v * v).sum(axis=1)
    return total


def shaft(speed: float) -> ch.Model:
    """A plate that turns uniformly about an axis beside its centre of mass, askew in the world."""
    axis, point = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.3, -0.2, 0.1])
    body = ch.Body.box(
        "plate", size=(0.4, 0.2, 0.1), mass=2.0, position=(0.4, 0.1, 0.2),
        angular_velocity=speed * axis, velocity=np.cross(speed * axis, (0.4, 0.1, 0.2) - point),
    )  # fmt: skip
    hinge = ch.Revolute("bearing", ch.GROUND, body, at=point, axis=axis)
    return ch.Model([body], [hinge], gravity=(0, 0, 0))
