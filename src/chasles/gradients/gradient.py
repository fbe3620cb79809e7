"""The gradient of a number of a run."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.core.assemble import place_bodies
from chasles.core.recursion.kinematics import kinematics, place
from chasles.ensembles.ensemble import whole_grid
from chasles.ensembles.finish import Loan
from chasles.ensembles.members import Members, image_of, make_stepper, records_of
from chasles.gradients.back import Course
from chasles.gradients.setup import directions, slope_along
from chasles.gradients.trajectory import Trajectory
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.errors import told
from chasles.model.keywords import checked_keywords
from chasles.model.model import checked_model
from chasles.model.parameters import parameter_paths, with_parameters
from chasles.scalars.nodes import Program
from chasles.scalars.traced import Tape
from chasles.stepper import Stepper
from chasles.traced.adjoint import adjoint
from chasles.traced.back_ir import EACH, each_ir
from chasles.traced.machine import compiled
from chasles.traced.record import Parameter, Unboxing, with_parameter_inputs
from chasles.traced.simplify import simplified


class Gradient(dict[str, Any]):
    """Path -> array of derivatives, in the shape of the field.

    value       of the function
    trajectory  (t (T,), absolute states (T, n, 18))
    """

    def __init__(self, slopes: Mapping[str, Floats]) -> None:
        super().__init__(slopes)
        self.value = nan
        self.t: Floats = np.zeros(0)
        self.absolute: Floats = np.zeros((0, 0, 0))


@checked_keywords
def gradient(
    model: Model,
    function: Callable[[Trajectory], Any],
    wrt: Sequence[str],
    until: float,
    step: float | None = None,
    *,
    method: str | Tableau = "rk4",
    spaces: Any = "auto",
    stabilise: Any = None,
    save_every: int = 1,
) -> Gradient:
    """The derivatives of a number of a run with respect to fields of its model.

    function    function(run) -> number, of a run with t, position(body), velocity(body),
                rotation(body) and angular_velocity(body), as a Result has them
    wrt         paths as in `ensemble`: ["top.angular_velocity", "pivot.at", "gravity"]
    until       s, a whole number of steps
    save_every  the function sees every so many steps

    They are those of the steps as they are taken, exact to rounding, and cost about three runs
    however many they are: the recorded step is gone through backwards.  Joints that velocities
    depend on count: what is left out of the model follows what varies.

    Returns a dict path -> array; its `value` is that of the function.
    """
    checked_model(model)
    if not callable(function):
        raise InvalidOption(
            f"gradient: function must be a function of a run, got {told(function)}.",
            "Give lambda run: run.position('top')[-1, 2], say.",
        )
    grid = whole_grid(until, step, save_every)
    values = checked_paths(model, wrt)
    options = {
        "method": method, "spaces": spaces, "acceleration": "screw", "stabilise": stabilise,
        "redundant": "solve", "singular": "stop", "start": None, "close": False, "hold": (),
    }  # fmt: skip

    def made(changed: dict[str, Floats]) -> Stepper:
        return make_stepper(with_parameters(model, changed), options, grid.step, grid.until)

    stepper = made({})
    slopes = [
        slope_along(made, values[path], change, share, path)
        for path in values
        for change, share in directions(path.rsplit(".", 1)[-1], values[path].shape)
    ]
    numbers = np.any([slope.numbers != 0.0 for slope in slopes], axis=0)
    course = make_course(stepper, numbers, grid.step, grid.steps)
    found = there_and_back(course, function, min(grid.save_every, grid.steps))
    result = Gradient({path: np.zeros(value.shape) for path, value in values.items()})
    result.value, weights, result.t, result.absolute = found
    totals = course.totals[: len(course.parameters)]
    for slope in slopes:
        result[slope.path] += slope.along(weights, totals, numbers) * slope.share
    return result


def checked_paths(model: Model, wrt: Any) -> dict[str, Floats]:
    """The values of the model at paths."""
    if isinstance(wrt, str) or not isinstance(wrt, Sequence) or not wrt:
        raise InvalidOption(
            f"gradient: wrt must be a list of parameters, got {told(wrt)}.",
            'Give ["top.angular_velocity"], say.',
        )
    known = parameter_paths(model)
    found: dict[str, Floats] = {}
    for path in wrt:
        if path not in known:
            raise UnknownName.among("parameter", path, known, where="gradient")
        if path == "gravity":
            value: Any = model.gravity
        else:
            name, field = path.rsplit(".", 1)
            parts: Any = (*model.bodies, *model.joints, *model.forces, *model.drivers)
            value = getattr(next(part for part in parts if part.name == name), field)
        if value is None:
            raise InvalidOption(
                f"gradient: '{path}' was left out of the model, and follows from its joints.",
                "Give it a value in the model first.",
            )
        found[path] = np.asarray(value, float)
    return found


def make_course(stepper: Stepper, numbers: Any, step: float, steps: int) -> Course:
    """Steps whose parameters are some of the numbers of the mechanism."""
    image = image_of(stepper)
    columns = np.flatnonzero(numbers)
    blocks = image.block[None]
    members = Members(stepper, image, blocks, columns, image.numbers[columns][None], [""])
    places = Loan(stepper).parameters(members.places)
    return Course(stepper, places, image.numbers[columns], step, steps)


def there_and_back(
    course: Course, function: Callable[[Trajectory], Any], every: int
) -> tuple[float, Floats, Floats, Floats]:
    """The value, the weights of the first block, times and absolute states."""
    stepper, width = course.stepper, course.width
    block = stepper.first_block()
    begins, rows = [], [block.copy()]
    states = np.zeros((1, width))
    for first, last in course.segments():
        begins.append((first, last, block.copy()))
        states = course.stretch(block, first, last)
        block = states[-1].copy()
        rows += [states[k - first].copy() for k in range(first + 1, last + 1) if k % every == 0]
    kept = np.arange(len(rows)) * every
    if course.steps % every:
        rows.append(block.copy())
        kept = np.append(kept, course.steps)
    table, t = np.array(rows), course.step * kept.astype(float)
    absolute = stepper.absolute(np.ascontiguousarray(table[:, : stepper.layout.integrals]))
    run = Trajectory(stepper.solver.setup, t, absolute)
    value, weights_of_poses = run.weights(function(run))
    seeds = seeds_of(course, table, t, weights_of_poses)
    weights = np.zeros(width)
    for number, (first, last, begin) in enumerate(reversed(begins)):
        if number > 0:
            states = course.stretch(begin, first, last)
        own = np.zeros((last - first, width))
        chosen = (kept > first) & (kept <= last)
        own[kept[chosen] - first - 1] = seeds[chosen]
        course.back(states, first, own, weights)
    return value, weights + seeds[0], t, absolute


def placing(course: Course, block: Floats) -> Program:
    """(block, time, parameters) -> absolute state."""
    tape, boxes = Tape(), Unboxing()
    opened = boxes.of(records_of(course.stepper))
    state = [tape.input(x) for x in block.tolist()]
    tape.input(0.0)
    parameters: Sequence[Parameter] = course.places
    mechanism, scratch, _ = with_parameter_inputs(opened, boxes, tape, parameters)
    if hasattr(mechanism, "tree"):
        kinematics(mechanism.tree, state, mechanism.memory.rows)
        place(mechanism.tree, state, mechanism.memory.rows, scratch.absolute)
    else:
        place_bodies(mechanism.system, state, scratch.absolute, scratch.turn)
    count = mechanism.system.body_count * ABSOLUTE_WIDTH
    return simplified(tape.program(scratch.absolute[:count]))


def seeds_of(course: Course, table: Floats, t: Floats, weights: Floats) -> Floats:
    """Weights of blocks (T, width) from those of poses (T, n, 18); those of parameters add up."""
    program = placing(course, table[0])
    width, count = course.width, program.inputs
    code = compiled(each_ir(adjoint(program), count))
    pointer = ctypes.c_void_p
    run = code.function(EACH, pointer, pointer, pointer, ctypes.c_int64)
    constant = np.broadcast_to(course.parameters, (len(table), len(course.parameters)))
    inputs = np.ascontiguousarray(np.concatenate([table, t[:, None], constant], axis=1))
    given = np.ascontiguousarray(weights.reshape(len(table), -1))
    out = np.zeros_like(inputs)
    run(inputs.ctypes.data, given.ctypes.data, out.ctypes.data, len(table))
    course.totals[: len(course.parameters)] += out[:, width + 1 :].sum(axis=0)
    return out[:, :width]
