"""A run as the function sees it whose gradient is asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.core.arrays import Floats
from chasles.many.traced.adjoint import adjoint
from chasles.model import Body, InvalidOption, Model, UnknownName, checks
from chasles.model.errors import short_repr
from chasles.result.bodies import OfBodies
from chasles.scalars.nodes import Place
from chasles.scalars.traced import NotRecorded, Tape, Traced


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
        raise UnknownName.among("quantity", name, self.KNOWN, where="gradient, run of the function")

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

    position, rotation = OfBodies.position, OfBodies.rotation
    velocity, angular_velocity, _along = (
        OfBodies.velocity,
        OfBodies.angular_velocity,
        OfBodies._along,
    )

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


def answer_of(function: Callable[[Trajectory], Any], run: Trajectory) -> Any:
    """What the user's function makes of a run, if it keeps the record of its numbers."""
    what, remedy = "gradient: the function", "Give function(run) that returns one number."
    try:
        return checks.answer_of(function, (run,), what, remedy, InvalidOption)
    except InvalidOption as error:
        if not isinstance(error.__cause__, NotRecorded):
            raise
        raise InvalidOption(
            f"{what} turns a number of the run into a float, and what it came from is lost.",
            "Use arithmetic and NumPy's functions, np.sin(x) and not math.sin(x) or float(x).",
        ) from error.__cause__
