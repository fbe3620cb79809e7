"""Random trees and loops with springs, pulses, contacts and drivers, and how right a run of one is.

The exact motion is one at the smallest tolerances, by the same pair: its error is some 1e-11 of the
size of the bodies, far below all that is asked for here.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from mechanisms import KINDS, make_joint, moving, tree

import chasles as ch
from chasles.run.motion_error import compared, pose_errors, sizes_of, states

#: Of a run that other runs are judged by.
EXACT = {"rtol": 3e-13, "atol": 1e-15, "method": "dop853"}


@dataclass(frozen=True)
class Case:
    """A motion, how long it lasts (s), and the accuracy asked for."""

    model: ch.Model
    until: float
    tol: float


def case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    until = rng.uniform(0.3, 1.0)
    model = mechanism(rng)
    forces = [*springs(rng, model), *pulses(rng, model, until), *contacts(rng, model)]
    made = ch.Model(model.bodies, model.joints, forces, drivers(rng, model), gravity=model.gravity)
    return Case(made, until, 10 ** rng.uniform(-6, -3))


def mechanism(rng) -> ch.Model:
    """A tree of two to five bodies, every third time with a loop, in motion."""
    while True:
        count = int(rng.integers(2, 5))
        parents = [-1] + [int(rng.integers(-1, k)) for k in range(1, count)]
        kinds = [str(kind) for kind in rng.choice([k for k in KINDS if k != "fixed"], size=count)]
        model = tree(rng, parents, kinds, swap=True)
        if rng.random() < 0.33:
            loop = make_joint(
                "spherical", "loop", ch.GROUND, model.bodies[-1], rng.uniform(-0.4, 0.4, 3), "z"
            )
            model = ch.Model(model.bodies, [*model.joints, loop], gravity=model.gravity)
        jacobian = ch.equations(model).jacobian
        rank = np.linalg.matrix_rank(jacobian, 1e-2)
        if rank == len(jacobian) < jacobian.shape[1]:
            return moving(model, rng, rng.uniform(0.0, 4.0))


def springs(rng, model) -> list[ch.Force]:
    found = []
    for k in range(int(rng.integers(0, 3))):
        body = model.bodies[int(rng.integers(len(model.bodies)))]
        found.append(
            ch.Spring(
                f"spring {k}",
                ch.GROUND,
                body,
                at=rng.uniform(-1, 1, 3),
                at_b=body.position,
                stiffness=10 ** rng.uniform(0, 4),
                damping=10 ** rng.uniform(-2, 1.5),
            )
        )
    return found


def pulses(rng, model, until) -> list[ch.Force]:
    """Blocks of 1 to 100 ms on a body, half of the time."""
    if rng.random() < 0.5:
        return []
    body = model.bodies[int(rng.integers(len(model.bodies)))]
    begins, lasts, push = rng.uniform(0, until), 10 ** rng.uniform(-3, -1), rng.normal(size=3) * 50

    def force(t):
        return tuple(push.tolist()) if begins < t < begins + lasts else (0.0, 0.0, 0.0)

    return [ch.Load("pulse", body, force=force)]


def contacts(rng, model) -> list[ch.Force]:
    """A ball about the centre of a body, above or in a floor, a third of the time."""
    if rng.random() < 0.67:
        return []
    body, normal = model.bodies[int(rng.integers(len(model.bodies)))], rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    floor = np.array(body.position) - normal * rng.uniform(0.05, 0.4)
    return [
        ch.Contact(
            "floor",
            ch.GROUND,
            body,
            at=floor,
            axis=normal,
            shape=ch.Sphere(0.05),
            stiffness=10 ** rng.uniform(2.5, 4.5),
            dissipation=rng.uniform(0, 0.5),
            friction=rng.uniform(0, 0.5),
            slip=0.05,
        )
    ]


def drivers(rng, model) -> list[ch.Driver]:
    """The coordinate of a hinge or slide of a tree, from its speed on, a fifth of the time."""
    able = [j for j in model.joints if j.kind in ("revolute", "prismatic")]
    if not able or "loop" in model.joint_names or rng.random() < 0.8:
        return []
    joint = able[int(rng.integers(len(able)))]
    rate = float(ch.simulate(model, 1e-6, 1e-6, progress=False).coordinate_rate(joint)[0])
    swing, pulse = rng.uniform(-0.5, 0.5), rng.uniform(2, 10)
    motion = ch.Signal(
        lambda t: rate * t + swing * (1 - np.cos(pulse * t)),
        lambda t: rate + swing * pulse * np.sin(pulse * t),
        lambda t: swing * pulse**2 * np.cos(pulse * t),
    )
    return [ch.Driver("drive", joint, motion)]


@dataclass(frozen=True)
class Outcome:
    """Of a run to an accuracy, all in sizes of the bodies."""

    asked: float
    estimated: float
    true: float
    steps: int


def outcome(made: Case, **options) -> Outcome | None:
    """How right a run is; None where it says itself that it is not, or why it stops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ChaslesWarning)
        try:
            result = ch.simulate(made.model, made.until, tol=made.tol, progress=False, **options)
            kept = compared(result)
            exact = ch.simulate(
                made.model, made.until, t_eval=result.t[kept], progress=False, **EXACT
            )
        except ch.SimulationStopped:
            return None
    if result.provenance["trusted_until"] < result.t[-1]:
        return None
    size = float(sizes_of(result).max())
    true = float(pose_errors(exact, states(result, kept)).max()) / size
    estimated = result.provenance["global_error"] / size
    return Outcome(made.tol, estimated, true, result.provenance.steps)
