"""The gradient of a number of a run."""

from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.methods import find_method
from chasles.integrators.stabilisation import Baumgarte
from chasles.integrators.tableaux import Tableau
from chasles.many.ensembles.members import Members, checked_runs, image_of
from chasles.many.gradients.reader import LANES
from chasles.many.gradients.reverse_pass import ReversePass, along_directions
from chasles.many.gradients.setup import Slope, directions, slope_along
from chasles.many.gradients.tape import Tape
from chasles.many.gradients.trajectory import Trajectory
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords, explained
from chasles.model.parameters import parameter, parameter_paths
from chasles.model.words import Stabiliser
from chasles.run.stepper import Stepper
from chasles.spaces.designation import Spaces

AUTO, FORWARD, REVERSE = "auto", "forward", "reverse"
MODES = (AUTO, FORWARD, REVERSE)


class Gradient(dict[str, Any]):
    """Path -> array of derivatives, in the shape of the field.

    Parameters
    ----------
    slopes
        The derivatives.

    Notes
    -----
    `value` is the value of the function, `trajectory` is (t (T,), absolute states (T, n, 18)).

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> fall = lambda run: run.position("ball")[-1, 2]
    >>> found = ch.gradient(model, fall, ["gravity"], until=1.0, step=0.1)
    >>> round(found.value, 3), found["gravity"].round(3).tolist()
    (-4.905, [0.0, 0.0, 0.5])
    """

    def __init__(self, slopes: Mapping[str, Floats]) -> None:
        super().__init__(slopes)
        self.value = nan
        self.t: Floats = np.zeros(0)
        self.absolute: Floats = np.zeros((0, 0, 0))


@checked_keywords
@explained
def gradient(
    model: Model,
    function: Callable[[Trajectory], Any],
    wrt: Sequence[str],
    until: float,
    step: float | None = None,
    *,
    method: str | Tableau = "rk4",
    spaces: Spaces = "auto",
    stabilise: Stabiliser | Baumgarte | None = None,
    save_every: int = 1,
    mode: str = "auto",
) -> Gradient:
    """Derivatives of a number of a run with respect to fields of its model.

    Parameters
    ----------
    function
        function(run) -> number, of a run with t, position(body), velocity(body), rotation(body)
        and angular_velocity(body), as a Result has them.
    wrt
        Paths as in `ensemble`: ["top.angular_velocity", "pivot.at", "gravity"].
    until
        End time, s, a whole number of steps.
    save_every
        The function gets every n-th step.
    mode
        "reverse": the cost does not depend on the number of derivatives. "forward": eight
        derivatives at once. "auto": the cheaper one.

    Returns
    -------
    Gradient
        Path -> array of derivatives. Its `value` is that of the function.

    Notes
    -----
    The derivatives are those of the discrete steps, exact to round-off. For a small model the step
    is compiled, and the gradient costs about four runs. Velocities that were left out of the model
    follow what varies.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> fall = lambda run: run.position("ball")[-1, 2]
    >>> found = ch.gradient(model, fall, ["gravity"], until=1.0, step=0.1)
    >>> found["gravity"].round(6).tolist()
    [0.0, 0.0, 0.5]
    """
    runs = checked_runs("gradient", model, until, step, save_every, method, spaces, stabilise)
    grid, made = runs.grid, runs.stepper
    if not callable(function):
        raise InvalidOption(
            f"gradient: function must be a function of a run, got {short_repr(function)}.",
            "Give lambda run: run.position('top')[-1, 2], say.",
        )
    UnknownName.check("mode", mode, MODES, "gradient")
    values = checked_paths(model, wrt)
    if find_method(method).name.startswith("bliedf"):
        raise InvalidOption(
            f"gradient: '{method}' counts the points that it has behind it, and its steps cannot"
            " be differentiated.",
            "Take a one-step method: 'rk4', or 'generalized-alpha' where forces are stiff.",
        )

    stepper = made({})
    here = image_of(stepper)
    slopes = [
        slope_along(made, here, values[path], change, share, path)
        for path in values
        for change, share in directions(path.rsplit(".", 1)[-1], values[path].shape)
    ]
    numbers = np.any([slope.matters for slope in slopes], axis=0)
    few = mode == FORWARD or (mode == AUTO and len(slopes) <= LANES)
    tape = make_tape(stepper, numbers, grid.step, grid.steps, returns=not few)
    reverse_pass = ReversePass(tape, function, min(grid.save_every, grid.steps))
    result = Gradient({path: np.zeros(value.shape) for path, value in values.items()})
    result.value, result.t = reverse_pass.value, reverse_pass.t
    result.absolute = reverse_pass.absolute
    forward = mode == FORWARD or (few and tape.listed)
    begun = tape.totals.copy()
    chosen = np.append(np.ones(tape.width, bool), numbers)
    found = (derivatives_forward if forward else derivatives_back)(reverse_pass, slopes, chosen)
    if not forward and np.isfinite(result.value) and not np.isfinite(found).all():
        tape.totals[:] = begun  # roots of zero that nothing depends on: no number on the way back
        found = derivatives_forward(reverse_pass, slopes, chosen)
    for slope, derivative in zip(slopes, found, strict=True):
        result[slope.path] += derivative * slope.share
    return result


def derivatives_back(
    reverse_pass: ReversePass, slopes: Sequence[Slope], chosen: Any
) -> list[float]:
    """Along each of the slopes, by the way back."""
    weights, tape = reverse_pass.back(), reverse_pass.tape
    weights = np.append(weights, tape.totals[: len(tape.parameters)])
    read = np.append(np.ones(tape.width, bool), tape.read())
    return [slope.along(weights, chosen, read) for slope in slopes]


def derivatives_forward(
    reverse_pass: ReversePass, slopes: Sequence[Slope], chosen: Any
) -> list[float]:
    """Along each of the slopes, which are carried along."""
    tape = reverse_pass.tape
    for slope in slopes:
        slope.check()
    both = np.array([slope.slopes[chosen] for slope in slopes]).T
    blocks, parameters = np.split(both, [tape.width])
    found = along_directions(reverse_pass, blocks, parameters)
    return list(found + tape.totals[: len(tape.parameters)] @ parameters)


def checked_paths(model: Model, wrt: Any) -> dict[str, Floats]:
    """The values of the model at paths."""
    if isinstance(wrt, str) or not isinstance(wrt, Sequence) or not wrt:
        raise InvalidOption(
            f"gradient: wrt must be a list of parameters, got {short_repr(wrt)}.",
            'Give ["top.angular_velocity"], say.',
        )
    known = parameter_paths(model)
    found: dict[str, Floats] = {}
    for path in wrt:
        UnknownName.check("parameter", path, known, "gradient")
        value = parameter(model, path)
        if value is None:
            raise InvalidOption(
                f"gradient: '{path}' was left out of the model, and follows from its joints.",
                "Give it a value in the model first.",
            )
        found[path] = np.asarray(value, float)
    return found


def make_tape(
    stepper: Stepper, numbers: Any, step: float, steps: int, returns: bool = True
) -> Tape:
    """Steps whose parameters are some of the numbers of the mechanism."""
    image = image_of(stepper)
    columns = np.flatnonzero(numbers)
    first = image.block[None], columns, image.numbers[columns][None]
    return Tape(Members(stepper, image, *first, [""]), step, steps, returns)
