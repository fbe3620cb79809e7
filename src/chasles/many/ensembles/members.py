"""The arrays of every member, and which of their entries differ from those of the first.

Whatever a parameter means to a model, in the end it is numbers in the arrays of a mechanism.  Every
member is set up as `simulate` would set it up; entries that differ become inputs of the recorded
step, and all others are constants of it.

What varies goes by paths: "top.angular_velocity", "pivot.at", "spring.stiffness", "gravity".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chasles.build.system.signals import shared_fits
from chasles.core.arrays import Floats
from chasles.core.signals import HEAD, PIECE_HEAD, PIECES
from chasles.integrators.methods import find_method
from chasles.many.traced.record import Key, Path, Records, own_leaves
from chasles.model import ChaslesError, InvalidOption, Model, UnknownName
from chasles.model.checks import real_array, refuse_units
from chasles.model.errors import short_repr
from chasles.model.model import checked_model
from chasles.model.parameters import parameter_paths, with_parameters
from chasles.run.options import ByHand
from chasles.run.preparation import make_settings, stepper_of
from chasles.run.stepper import Stepper
from chasles.run.time_grid import Grid, checked_step, make_grid

#: Where bodies are in a stage, and how they move.
SCRATCH: tuple[Path, ...] = ((0, "tree_work", "rows"), (0, "placed"))


def records_of(stepper: Stepper) -> Records:
    return stepper.mechanism, stepper.workspace, stepper.scheme


def is_number(value: Any) -> bool:
    return isinstance(value, float) or getattr(value, "dtype", None) == np.float64


def numbers_of(stepper: Stepper) -> dict[Path, Any]:
    """All numbers but those that every stage writes anew, whatever the set-up left there."""
    found = own_leaves(records_of(stepper)).items()
    return {path: value for path, value in found if is_number(value) and path not in SCRATCH}


@dataclass(frozen=True)
class Image:
    """A member in numbers."""

    block: Floats  # the first state block
    numbers: Floats  # all numbers of its records, one after the other
    structure: bytes  # all integers, and how many numbers there are

    @property
    def whole(self) -> Floats:
        """The block, and then the numbers."""
        return np.concatenate((self.block, self.numbers))


def image_of(stepper: Stepper) -> Image:
    numbers = [np.ravel(value) for value in numbers_of(stepper).values()]
    others = [
        np.asarray(value)
        for path, value in own_leaves(records_of(stepper)).items()
        if not is_number(value) and path[1:] != ("system", "signals", "address")
    ]
    others.append(asked_addresses(stepper.mechanism.system.signals))
    structure = [str([own.size for own in numbers]).encode(), *(own.tobytes() for own in others)]
    return Image(stepper.first_block(), np.concatenate(numbers), b"|".join(structure))


def asked_addresses(signals: Any) -> Any:
    """Addresses of functions of time that are called: of those with a fit only beyond the run."""
    found = signals.address.copy()
    for k in np.flatnonzero(signals.kind == PIECES):
        first = int(signals.first[k])
        stride = PIECE_HEAD + int(signals.numbers[first + HEAD - 1]) + 1
        pieces = signals.numbers[first + HEAD :][: stride * int(signals.pieces[k])]
        if pieces.reshape(-1, stride)[:, PIECE_HEAD - 1].all():  # their widths
            found[k] = 0
    return found


@dataclass
class Members:
    """All members.

    stepper     of the first that could be set up
    blocks      (members, width) first states
    columns     (p,) entries of the numbers of the records that differ
    parameters  (members, p)
    status      "" or why a member was not set up
    odd         members whose integers differ, which run by themselves
    note        how they were set up, in words
    """

    stepper: Stepper
    image: Image
    blocks: Floats
    columns: Any
    parameters: Floats
    status: list[str]
    odd: dict[int, Stepper] = field(default_factory=dict)
    note: str = ""

    @cached_property
    def places(self) -> list[Key]:
        """Where every parameter is."""
        numbers = numbers_of(self.stepper)
        listed = [(path, k) for path, value in numbers.items() for k in range(np.size(value))]
        return [listed[column] for column in self.columns]

    @property
    def constants(self) -> bytes:
        """All that is the same for all members."""
        numbers = self.image.numbers.copy()
        numbers[self.columns] = 0.0
        columns = np.asarray(self.columns, np.int64)
        return b"|".join((self.image.structure, numbers.tobytes(), columns.tobytes()))

    def poses_alike(self) -> bool:
        """Whether equal points are equal poses: nothing but forces differs, and storage."""
        return not self.odd and all(
            path[0] != 0 or "gravity" in path or "promises" in path for path, _ in self.places
        )


def equal_steps(where: str, method: Any, spaces: Any, stabilise: Any) -> dict[str, Any]:
    """Options of runs whose steps are recorded, and all of one length."""
    if find_method(method).foreign is not None:
        raise InvalidOption(
            f"{where}: '{method}' steps by itself, and its steps are not recorded.",
            "Take a method of ours: method='rk4', or 'dop853' where SciPy's was wanted.",
        )
    return {"method": method, "spaces": spaces, "stabilise": stabilise}


def not_recorded(where: str, why: Exception, otherwise: str) -> InvalidOption:
    """A model of which no step can be recorded, and what else could be done."""
    return InvalidOption(
        f"{where}: a step of this model cannot be recorded: {why}",
        f"Leave out functions in Python, or give them as a Signal{otherwise}.",
    )


@dataclass(frozen=True)
class Runs:
    """Runs of a model whose steps all have one length."""

    model: Model
    grid: Grid
    options: dict[str, Any]

    def stepper(self, changed: Mapping[str, Any]) -> Stepper:
        """Of the model with other numbers at some paths."""
        model = with_parameters(self.model, changed)
        return make_stepper(model, self.options, self.grid.step, self.grid.until)


def checked_runs(
    where: str, model: Any, until: Any, step: Any, save_every: Any, method: Any, spaces: Any,
    stabilise: Any,
) -> Runs:  # fmt: skip
    checked_model(model)
    grid = make_grid(until, checked_step(step, where), save_every, None)
    if grid.rest > 0.0:
        near = grid.until / max(1, round(grid.until / grid.step))
        raise InvalidOption(
            f"{where}: until must be a whole number of steps of {grid.step:g} s, got"
            f" {grid.until:g} s.",
            f"Give step={near:.12g}, say.",
        )
    return Runs(model, grid, equal_steps(where, method, spaces, stabilise))


def make_stepper(model: Model, options: dict[str, Any], step: float, until: float) -> Stepper:
    """As `simulate` makes it."""
    return stepper_of(make_settings(ByHand(model, **options)), step, until)


@shared_fits()
def set_up(
    made: Callable[[int], Stepper], chosen: Sequence[int], count: int
) -> tuple[Stepper, dict[int, Image], dict[int, Stepper], list[str]]:
    """Images of the chosen members, those of other structure, and why some could not be made."""
    base: Stepper | None = None
    structure = b""
    images: dict[int, Image] = {}
    odd: dict[int, Stepper] = {}
    status = [""] * count
    refused: ChaslesError | None = None
    for k in chosen:
        try:
            stepper = made(k)
        except ChaslesError as error:
            status[k], refused = f"refused: {error.what}", refused or error
            continue
        image = image_of(stepper)
        if base is None:
            base, structure = stepper, image.structure
        if image.structure == structure:
            images[k] = image
        else:
            odd[k] = stepper
    if base is None:
        assert refused is not None
        raise refused
    return base, images, odd, status


def make_members(made: Callable[[int], Stepper], count: int) -> Members:
    """Every member, set up by itself."""
    base, images, odd, status = set_up(made, range(count), count)
    first = next(iter(images.values()))
    differs = np.zeros(first.numbers.size, bool)
    for image in images.values():
        differs |= different(image.numbers, first.numbers)
    columns = np.flatnonzero(differs)
    blocks = np.tile(first.block, (count, 1))
    parameters = np.tile(first.numbers[columns], (count, 1))
    for k, image in images.items():
        blocks[k], parameters[k] = image.block, image.numbers[columns]
    return Members(base, first, blocks, columns, parameters, status, odd, "each by itself")


def different(a: Floats, b: Floats) -> Any:
    """Where numbers differ; NaN is like NaN."""
    return (a != b) & ~(np.isnan(a) & np.isnan(b))


# --- what varies ---


def checked_values(model: Model, given: Any) -> tuple[dict[str, Floats], int]:
    """Arrays (members, ...) by path, and how many members these are."""
    if not isinstance(given, Mapping) or not given:
        raise InvalidOption(
            f"ensemble: what varies must be a dict of arrays, got {short_repr(given)}.",
            'Give {"top.angular_velocity": array}, with a row per member.',
        )
    known = parameter_paths(model)
    values: dict[str, Floats] = {}
    for path, value in given.items():
        UnknownName.check("parameter", path, known, "ensemble")
        values[path] = checked_value(path, value, known[path])
    counts = {path: len(array) for path, array in values.items() if len(array) != 1}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"'{path}' has {count}" for path, count in counts.items())
        raise InvalidOption(
            f"ensemble: arrays must have as many members as each other, but {listed}.",
            "Give every array one row per member, or one row for all members.",
        )
    count = next(iter(counts.values()), 1)
    return {p: np.broadcast_to(a, (count, *a.shape[1:])) for p, a in values.items()}, count


def checked_value(path: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """(members, *shape), or (1, *shape) of what is the same for all."""
    refuse_units(value, f"'{path}'", "ensemble", InvalidOption)
    try:
        array = real_array(value, f"'{path}'", "ensemble", InvalidOption)
    except InvalidOption:
        raise InvalidOption(
            f"ensemble: '{path}' must be an array of numbers, got {short_repr(value)}.",
            f"Give an array of the shape {('members', *shape)}.",
        ) from None
    own = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
    if own != shape or array.ndim > len(shape) + 1 or array.size == 0:
        wanted = "(members" + "".join(f", {n}" for n in shape) + ("," if not shape else "") + ")"
        raise InvalidOption(
            f"ensemble: '{path}' must have the shape {wanted}, got {array.shape}.",
            "Give one row per member, or one value for all of them.",
        )
    return array.reshape(-1, *shape)
