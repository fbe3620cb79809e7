"""A run as the function sees it whose gradient is asked for."""

from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.groups.vectors import matvec
from chasles.many.traced.adjoint import adjoint
from chasles.model import Body, InvalidOption, Model, UnknownName
from chasles.model.errors import short_repr
from chasles.scalars.nodes import Place
from chasles.scalars.traced import Tape, Traced


class Trajectory:
    """Poses and velocities of a run, as `Result` has them; its numbers record what is done to them.

    t  (T,) s

    Sums, products, powers and NumPy's sqrt, sin, cos, exp, log and the like may be used, also on
    whole arrays; of `np.linalg` only `norm`.
    """

    #: What a run has of a Result here.
    KNOWN = ("t", "position", "rotation", "velocity", "angular_velocity", "model")

    def __init__(self, setup: Setup, t: Floats, absolute: Floats) -> None:
        self.t, self._setup, self._tape = t, setup, Tape()
        self._absolute = absolute
        self._tape.inputs = absolute.size  # all of them, though most are never asked for
        self._rows: dict[int, Any] = {}  # body -> its numbers (T, 18)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python's own questions
            raise AttributeError(name)
        raise UnknownName.among("quantity", name, self.KNOWN, where="gradient: of this run")

    @property
    def model(self) -> Model:
        return self._setup.model

    def _body(self, body: Body | str) -> Any:
        """Its numbers (T, 18)."""
        index = self._setup.body_index[self.model.body(body).name]
        if index not in self._rows:
            values = self._absolute[:, index]
            first = np.arange(self._absolute.size).reshape(self._absolute.shape)[:, index]
            rows = np.empty(values.size, object)
            pairs = zip(values.ravel().tolist(), first.ravel().tolist(), strict=True)
            rows[:] = [Traced(self._tape, value, Place(k)) for value, k in pairs]
            self._rows[index] = rows.reshape(values.shape)
        return self._rows[index]

    def position(self, body: Body | str) -> Any:
        """Centre of mass in the world (T, 3), m."""
        return self._body(body)[:, POSE_X : POSE_X + 3]

    def rotation(self, body: Body | str) -> Any:
        """Rotation matrices from the body frame to the world (T, 3, 3)."""
        return self._body(body)[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)

    def angular_velocity(self, body: Body | str) -> Any:
        """In the body frame (T, 3), rad/s."""
        return self._body(body)[:, TWIST : TWIST + 3]

    def velocity(self, body: Body | str) -> Any:
        """Of the centre of mass in the world (T, 3), m/s."""
        rows = self._body(body)
        found = np.empty((len(rows), 3), object)
        for k, row in enumerate(rows):
            found[k] = matvec(tuple(row[POSE_R : POSE_R + 9]), tuple(row[TWIST + 3 : TWIST + 6]))
        return found

    def weights(self, value: Any) -> tuple[float, Floats]:
        """A number that was computed from this, and its derivatives (T, n, 18)."""
        if isinstance(value, np.ndarray) and value.shape == ():
            value = value.item()
        if isinstance(value, float | int | np.floating):
            return float(value), np.zeros(self._absolute.shape)
        if not isinstance(value, Traced):
            raise InvalidOption(
                f"gradient: the function must return one number, got {short_repr(value)}.",
                "Add up what it returns: (run.position('top')[-1] ** 2).sum(), say.",
            )
        program = self._tape.program([value]).trimmed()
        inputs = self._absolute.ravel().tolist()
        found, _ = adjoint(program).replay([*inputs, 1.0])
        return value.value, np.array(found).reshape(self._absolute.shape)
