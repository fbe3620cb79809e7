"""A state in words and SI units: all bodies of a model at one time; and poses moved by twists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats
from chasles.groups.so3 import so3_exp, so3_from_matrix, so3_matrix
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import checked_array, checked_number
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model

#: Rotations of a state are orthogonal to this.
ORTHOGONAL = 1e-9
#: Coordinates of joints that a state may have: unit, and why they are mostly left out.
COORDINATES = (
    ("angle", "rad", " unless a spring or motor on a joint has turned by more than half a turn."),
    ("displacement", "m", ": poses determine displacements."),
)


@checked_keywords
@dataclass(frozen=True)
class State:
    """Poses and velocities of all bodies.

    Parameters
    ----------
    t
        Time, s.
    bodies
        Names of the bodies. All arrays have one row for each, in this order.
    position
        Centres of mass in the world, (n, 3), m.
    rotation
        Rotation matrices from body to world axes, (n, 3, 3).
    velocity
        Velocities of the centres of mass in world axes, (n, 3), m/s.
    angular_velocity
        Angular velocities in body axes, (n, 3), rad/s.
    angles
        Joint -> angle, rad. Needed where a joint has made more than half a turn, since poses do
        not count turns.
    displacements
        Joint -> displacement, m. Not needed: poses determine them, except for round-off.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> run = ch.simulate(model, until=1.0, step=1e-2)
    >>> again = ch.simulate(model, until=1.0, step=1e-2, start=run.state())
    >>> again.velocity("ball")[-1].round(2).tolist()
    [0.0, 0.0, -19.62]
    """

    t: float
    bodies: tuple[str, ...]
    position: Floats
    rotation: Floats
    velocity: Floats
    angular_velocity: Floats
    angles: Mapping[str, float] = field(default_factory=dict)
    displacements: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", checked_number(self.t, "t", "state", InvalidOption))
        names = checked_bodies(self.bodies)
        object.__setattr__(self, "bodies", names)
        for what, width in (
            ("position", (3,)),
            ("rotation", (3, 3)),
            ("velocity", (3,)),
            ("angular_velocity", (3,)),
        ):
            values = checked_array(getattr(self, what), what, "state", InvalidOption)
            if values.shape != (len(names), *width):
                raise InvalidOption(
                    f"state: {what} has shape {values.shape}, but there are {len(names)} bodies.",
                    f"Give an array of shape {(len(names), *width)}.",
                )
            object.__setattr__(self, what, values)
        off = np.abs(np.einsum("bji,bjk->bik", self.rotation, self.rotation) - np.eye(3))
        worst = off.max(axis=(1, 2), initial=0.0)
        if worst.max(initial=0.0) > ORTHOGONAL:
            body = int(np.argmax(worst))
            raise InvalidOption(
                f"state: the rotation of body {short_repr(names[body])} is not orthogonal: R^T R is"
                f" off the identity by {worst[body]:.1e}.",
                "Give a rotation matrix from the body frame to the world, with all its digits.",
            )
        mirrored = np.flatnonzero(np.linalg.det(self.rotation) < 0.0)
        if mirrored.size:
            raise InvalidOption(
                f"state: the rotation of body {short_repr(names[mirrored[0]])} has determinant -1:"
                " it mirrors the body, which no motion does.",
                "Give a right-handed rotation matrix from the body frame to the world.",
            )
        for word, unit, remedy in COORDINATES:
            values = checked_coordinates(getattr(self, f"{word}s"), word, unit, remedy)
            object.__setattr__(self, f"{word}s", values)

    def __repr__(self) -> str:
        bodies = f"{len(self.bodies)} {'body' if len(self.bodies) == 1 else 'bodies'}"
        return f"State(t = {self.t:g} s, {bodies})"

    @classmethod
    def from_absolute(
        cls, t: float, model: Model, absolute: Floats, angles: Mapping[str, float] | None = None,
        displacements: Mapping[str, float] | None = None,
    ) -> "State":  # fmt: skip
        """From rows (R, r, omega, v) in the model's order."""
        rotation = absolute[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
        return cls(
            t=t,
            bodies=model.body_names,
            position=absolute[:, POSE_X : POSE_X + 3],
            rotation=rotation,
            velocity=np.einsum("bij,bj->bi", rotation, absolute[:, TWIST + 3 : TWIST + 6]),
            angular_velocity=absolute[:, TWIST : TWIST + 3],
            angles=angles or {},
            displacements=displacements or {},
        )

    def to_absolute(self, model: Model, order: Sequence[str] | None = None) -> Floats:
        """Rows (R, r, omega, v) of the bodies of a model, in its order or the one given."""
        for name in self.bodies:
            checked_model(model).body(name, where="state")
        for name in model.body_names:
            UnknownName.check("body", name, self.bodies, "state")
        absolute = np.zeros((len(self.bodies), ABSOLUTE_WIDTH))
        absolute[:, POSE_R : POSE_R + 9] = self.rotation.reshape(-1, 9)
        absolute[:, POSE_X : POSE_X + 3] = self.position
        absolute[:, TWIST : TWIST + 3] = self.angular_velocity
        absolute[:, TWIST + 3 :] = np.einsum("bji,bj->bi", self.rotation, self.velocity)
        rows = {name: row for row, name in enumerate(self.bodies)}
        return absolute[[rows[name] for name in order or model.body_names]]


def checked_bodies(bodies: Any) -> tuple[str, ...]:
    """Names of bodies, each once."""
    try:
        names = (bodies,) if isinstance(bodies, str) else tuple(bodies)
    except TypeError:  # None, a number
        names = (None,)
    for name in names:
        if not isinstance(name, str):
            raise InvalidOption(
                f"state: bodies must be names, got {short_repr(bodies)}.",
                "Give the names of the model's bodies: model.body_names.",
            )
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidOption(
                f"state: body {short_repr(name)} is named twice.", "Give every body one row."
            )
        seen.add(name)
    return names


def checked_coordinates(values: Any, word: str, unit: str, remedy: str) -> dict[str, float]:
    """Joint -> rad or m."""
    if not isinstance(values, Mapping):
        raise InvalidOption(
            f"state: {word}s must be a dict joint -> {unit}, got {short_repr(values)}.",
            f"Leave it out{remedy}",
        )
    return {
        str(joint): checked_number(x, f"the {word} of joint '{joint}'", "state", InvalidOption)
        for joint, x in values.items()
    }


def checked_state(state: Any, what: str, or_else: str = "") -> State:
    """A state given as an option, which may be something else as well."""
    if not isinstance(state, State):
        raise InvalidOption(
            f"{what} must be a State{or_else}, got {short_repr(state)}.",
            "Take result.state(), the .state of an assembly or an equilibrium, or"
            " start_state(model, {'elbow': 0.3}).",
        )
    return state


def rotations(absolute: Floats) -> Floats:
    """(..., 3, 3) of absolute states (..., 18)."""
    return absolute[..., POSE_R : POSE_R + 9].reshape(*absolute.shape[:-1], 3, 3)


def in_world(absolute: Floats, vectors: Floats) -> Floats:
    """Vectors (..., 3) in body axes, along the axes of the world, of absolute states (..., 18)."""
    found: Floats = np.einsum("...ij,...j->...i", rotations(absolute), vectors)
    return found


def moved(absolute: Floats, twists: Floats) -> Floats:
    """The state with poses (R exp(omega), x + R u), (omega, u) (n, 6); body twists are kept."""
    turn = np.stack(so3_matrix(so3_exp(tuple(twists[:, :3].T))), axis=-1).reshape(-1, 3, 3)
    rotation, out = rotations(absolute), absolute.copy()
    out[:, POSE_R : POSE_R + 9] = (rotation @ turn).reshape(-1, 9)
    out[:, POSE_X : POSE_X + 3] += np.einsum("bij,bj->bi", rotation, twists[:, 3:])
    return out


def orthogonal(absolute: Floats) -> Floats:
    """The state with its rotations made orthogonal again."""
    out = absolute.copy()
    nine = tuple(absolute[:, POSE_R + k] for k in range(9))
    out[:, POSE_R : POSE_R + 9] = np.stack(so3_matrix(so3_from_matrix(nine)), axis=-1)
    return out
