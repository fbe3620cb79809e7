r"""How far a run is from the motion: whatever its spaces, in metres and metres per second.

Of a body of size l (the longest lever to one of its joints, or its radius of gyration), that is off
by a displacement d and an angle $\theta$,

$$ e = \sqrt{|d|^2 + l^2\theta^2}, \qquad e' = \sqrt{|\Delta v|^2 + l^2|\Delta\omega|^2}, $$

is how far (how fast) its points are off; the worst body counts.  Reactions are compared as a
fraction of the largest of the model, torques over the size of the mechanism.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.gaps import gyration_radii
from chasles.build.system.state import in_world, rotations
from chasles.core.arrays import POSE_X, TWIST, Floats, Integers
from chasles.integrators.measure import body_sizes
from chasles.model.tables import small
from chasles.result.between import rows_of
from chasles.result.result import Result
from chasles.run.options import Options


@dataclass(frozen=True)
class MotionError:
    """Of the last state of a run: pose (m), velocity (m/s), reactions (a fraction, or None)."""

    pose: float
    velocity: float
    reaction: float | None = None

    def __str__(self) -> str:
        return f"{small(self.pose)} m, {small(self.velocity)} m/s"


@dataclass(frozen=True)
class Judged:
    """A run, what was asked for it, and its estimated error (T,) in sizes of the bodies."""

    result: Result
    options: Options
    times: Floats
    estimate: Floats
    stiff: bool

    @property
    def worst(self) -> float:
        return float(self.estimate.max())

    def trusted_until(self, tol: float) -> float:
        """The last time up to which the error is below `tol`."""
        over = np.flatnonzero(self.estimate > tol)
        return float(self.times[-1] if not len(over) else self.times[max(0, over[0] - 1)])


#: States at which two runs are compared, at the most.
COMPARED = 1000


def compared(result: Result) -> Integers:
    """Rows of a result at which another is compared with it."""
    count = len(result.t)
    return np.unique(np.linspace(0, count - 1, min(count, COMPARED)).astype(np.int64))


def states(result: Result, rows: Any) -> Result:
    """The same with some of its states."""
    return replace(rows_of(result, np.array(rows, dtype=int)), checkpoint=None)


def sizes_in(setup: Setup) -> Floats:
    """(n,) Of the bodies in the order of calculation, m."""
    return body_sizes(setup.system, gyration_radii(setup.system))


def sizes_of(result: Result) -> Floats:
    """(n,) The same in the order of the model."""
    setup = result.problem.setup
    found: Floats = sizes_in(setup)[setup.model_order]
    return found


def angles_of(turns: Floats) -> Floats:
    r"""(...) Of rotation matrices: $\sin\theta = |\mathrm{vee}(R - R^T)|/2$ is accurate where they
    are small, $\cos\theta = (\mathrm{tr} R - 1)/2$ elsewhere."""
    skew = (turns - np.swapaxes(turns, -2, -1))[..., [2, 0, 1], [1, 2, 0]]
    sine = 0.5 * np.linalg.norm(skew, axis=-1)
    found: Floats = np.arctan2(sine, 0.5 * (np.trace(turns, axis1=-2, axis2=-1) - 1.0))
    return found


def angles_between(one: Floats, other: Floats) -> Floats:
    """(..., n) By which bodies are turned between absolute states (..., n, 18)."""
    return angles_of(np.swapaxes(rotations(one), -2, -1) @ rotations(other))


def distances(one: Floats, other: Floats, sizes: Floats) -> Floats:
    """(..., n) How far points of the bodies of two absolute states are apart, m."""
    places = [state[..., POSE_X : POSE_X + 3] for state in (one, other)]
    away = np.linalg.norm(places[0] - places[1], axis=-1)
    found: Floats = np.hypot(away, sizes * angles_between(one, other))
    return found


def pose_errors(result: Result, other: Result) -> Floats:
    """(T,) By how far the worst body of a run is off from that of another, at the same times."""
    one, two = (run.absolute[:, run.problem.setup.model_order] for run in (result, other))
    errors: Floats = distances(one, two, sizes_of(result)).max(axis=1)
    return errors


def velocity_errors(result: Result, other: Result) -> Floats:
    """(T,) By how fast the worst body is off."""
    one, two = (run.absolute[:, run.problem.setup.model_order] for run in (result, other))
    turning, away = (
        np.linalg.norm(in_world(one, one[..., part]) - in_world(two, two[..., part]), axis=-1)
        for part in (slice(TWIST, TWIST + 3), slice(TWIST + 3, TWIST + 6))
    )
    errors: Floats = np.hypot(away, sizes_of(result) * turning).max(axis=1)
    return errors


def reaction_errors(result: Result, other: Result) -> Floats | None:
    """(T,) Of the worst joint, as a fraction of the largest reaction; None where none is felt."""
    size, largest, worst = float(sizes_of(result).max()), 0.0, np.zeros(len(result.t))
    for joint in result.model.joint_names:
        own, exact = result.reaction(joint), other.reaction(joint)
        missed = strength(own.force - exact.force, own.torque - exact.torque, size)
        worst = np.maximum(worst, missed)
        largest = max(largest, float(strength(exact.force, exact.torque, size).max()))
    return worst / largest if largest > 0.0 else None


def strength(force: Floats, torque: Floats, size: float) -> Floats:
    """(T,) Of wrenches, N."""
    found: Floats = np.hypot(np.linalg.norm(force, axis=1), np.linalg.norm(torque, axis=1) / size)
    return found


def error_at_end(result: Result, other: Result, reactions: bool = False) -> MotionError:
    """Of the last state of a run; both keep states at the same times."""
    missed = reaction_errors(result, other) if reactions else None
    return MotionError(
        float(pose_errors(result, other)[-1]),
        float(velocity_errors(result, other)[-1]),
        None if missed is None else float(missed[-1]),
    )
