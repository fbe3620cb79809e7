r"""How the first state and the arrays of a mechanism depend on fields of the model.

Setting a model up is a program of its own that is not recorded, but a short one: its derivatives
are those of the polynomial through neighbours $y_k = y(u + kh)$ (Lagrange),

$$ y' \approx \frac1h\sum_j w_j\,(y_j - y_0), \qquad
   w_j = \sum_{m\ne j}\frac1{j - m}\prod_{k\ne j,m}\frac{-k}{j - k}, $$

four on each side: their error is rounding, some 1e-13.  Three on each side are compared with them,
as far as they matter to the answer, and the model itself with what its neighbours say of it: frames
that turn as soon as anything changes are the same on both sides.

Where a field is at its bound, a damping of 0 say, eight neighbours on one side do it, with an error
of some 1e-11.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.ensembles.members import Image, image_of
from chasles.model import ChaslesError, InvalidOption, Model
from chasles.model.plain import has_code
from chasles.run.stepper import Stepper

#: Steps of the differences, as a fraction of the size of what varies: 1 / u at u (1 + 4 SHARE) is
#: then known to (4 SHARE)^8 = 4e-15.
SHARE = 4e-3
#: Differences below this, of entries of size 1, are rounding: then nothing depends on the field.
#: On one side they are larger.
ROUNDING, ROUNDING_ASIDE = 1e-14, 1e-12
#: By how much both may differ, as a fraction of the largest entry.
AGREE = 1e-7
#: An entry that is so far from what its neighbours say of it jumps, as a fraction of its size; if
#: that is less than rounding of the others, it is rounding itself.
JUMP = 1e-6


def directions(field: str, shape: tuple[int, ...]) -> Iterator[tuple[Floats, Floats]]:
    """Changes of a field, and the entries of its gradient that they stand for.

    An inertia stays symmetric: its entries beside the diagonal change in pairs.
    """
    for place in np.ndindex(*shape):
        change = np.zeros(shape)
        change[place] = 1.0
        share = change.copy()
        if field == "inertia":
            if place[0] > place[1]:
                continue
            change[place[::-1]] = 1.0
            share = change / change.sum()
        yield change, share


def size_of(value: Floats, path: str) -> float:
    """What changes of a field are small against: its largest entry, or 1; of an inertia the least
    moment, since it is inverted.
    """
    if path.endswith(".inertia"):
        return float(np.linalg.eigvalsh(value).min())
    largest = float(np.abs(value).max(initial=0.0))
    return largest if largest > 0.0 else 1.0


@dataclass(frozen=True)
class Slope:
    """Derivatives of the first block, and then of all numbers, along a change of a field.

    share   entries of the field's gradient that it stands for
    width   of the block
    errors  by how much both differences disagree
    jumps   what is another number here than on both sides; never of the block
    """

    path: str
    share: Floats
    width: int
    slopes: Floats
    errors: Floats
    jumps: Any

    @property
    def matters(self) -> Any:
        """Numbers that change, also those that are alike on both sides."""
        return ((self.slopes != 0.0) | self.jumps)[self.width :]

    def along(self, weights: Floats, chosen: Any, read: Any) -> float:
        """The derivative of a value with these weights of the block and of chosen numbers.

        None of those that are read may jump, whatever it weighs: the others belong to it.
        """
        if self.jumps[chosen][read].any():
            raise not_smooth(self.path)
        parts, errors = weights * self.slopes[chosen], weights * self.errors[chosen]
        if np.abs(errors).sum() > AGREE * np.abs(parts).sum():
            raise not_smooth(self.path)
        return float(parts[: self.width].sum() + parts[self.width :].sum())

    def check(self) -> None:
        """Where nobody knows what matters to the answer, everything has to be smooth."""
        if np.abs(self.errors).max() > AGREE * np.abs(self.slopes).max():
            raise not_smooth(self.path)


def slope_along(
    made: Callable[[dict[str, Floats]], Stepper], here: Image, value: Floats, change: Floats,
    share: Floats, path: str,
) -> Slope:  # fmt: skip
    """How what is set up changes with a field; `here` is the image of the model itself."""
    h, images = neighbours(made, value, change, path)
    if len({image.structure for image in (here, *images.values())}) > 1:
        again = made({})
        is_same = image_of(again).structure == here.structure  # addresses of formulas are not
        raise other_choices(path) if is_same else not_ours(again.solver.setup.model)
    rounding = ROUNDING if min(images) < 0 < max(images) else ROUNDING_ASIDE
    table = {k: image.whole for k, image in images.items()}
    largest = np.max([np.abs(one) for one in table.values()], axis=0)
    with np.errstate(invalid="ignore"):
        found = differences(here.whole, table, h)
    largest, high, low, jump = (
        np.nan_to_num(one, nan=0.0, posinf=0.0, neginf=0.0) for one in (largest, *found)
    )
    for one in (high, jump):
        one[np.abs(one) <= rounding * largest / h] = 0.0
    width, errors = len(here.block), np.maximum(np.abs(high - low), np.abs(jump))
    steepest = np.abs(high[width:]).max(initial=0.0)
    jumps = np.abs(jump) > np.maximum(JUMP * largest / h, AGREE * steepest)
    jumps[:width] = False
    return Slope(path, share, width, high, errors, jumps)


def neighbours(
    made: Callable[[dict[str, Floats]], Stepper], value: Floats, change: Floats, path: str
) -> tuple[float, dict[int, Image]]:
    """The step of differences, and images of k steps: of both sides, or of one that is allowed."""
    h = SHARE * size_of(value, path)
    refused: list[ChaslesError] = []
    for sides in ((*range(-4, 0), *range(1, 5)), range(1, 9), range(-8, 0)):
        try:
            return h, {k: image_of(made({path: value + k * h * change})) for k in sides}
        except ChaslesError as error:
            refused.append(error)
    raise not_allowed(path, change, refused[0]) from refused[0]


def differences(y: Floats, table: dict[int, Floats], h: float) -> tuple[Floats, Floats, Floats]:
    """Slopes of eighth and of sixth order, and how far y is from what neighbours say, over h."""

    def along(steps: Sequence[int], is_slope: bool) -> Floats:
        found = weights((0, *steps) if is_slope else steps, is_slope)
        parts = (w * (table[k] - y) for k, w in zip(steps, found[-len(steps) :], strict=True))
        return np.asarray(sum(parts) / h)

    eight = sorted(table, key=abs)
    return along(eight, True), along(eight[:6], True), -along(eight, False)


def weights(steps: Sequence[int], is_slope: bool) -> list[float]:
    """Of values at some steps: the slope at 0 of the polynomial through them, or its value."""
    found = []
    for j in steps:
        others = [k for k in steps if k != j]
        less = [[k for k in others if k != m] for m in others] if is_slope else [others]
        found.append(sum(prod(-k for k in some) for some in less) / prod(j - k for k in others))
    return found


def other_choices(path: str) -> InvalidOption:
    return InvalidOption(
        f"gradient: the model is set up in another way where '{path}' changes by a percent: a gain"
        " of 0 is left out, say, or bodies come in another order.",
        "Take a value at which it is not: a small one for 0.",
    )


def not_ours(model: Model) -> InvalidOption:
    own = [part.name for part in (*model.joints, *model.forces, *model.drivers) if has_code(part)]
    return InvalidOption(
        "gradient: the model has functions of your own, of time or of its motion, whose derivatives"
        f" are not known: {', '.join(map(repr, own))}.",
        "Give functions of time as Signal.sine(...) or Signal.table(t, values). For others take"
        " differences of runs.",
    )


def not_allowed(path: str, change: Floats, refused: ChaslesError) -> InvalidOption:
    """Every entry of a field varies; this one may not."""
    entry = ""
    if change.shape in ((3,), (3, 3)):
        entry = f" in its entry {''.join('xyz'[k] for k in np.argwhere(change)[0])}"
    return InvalidOption(
        f"gradient: '{path}' cannot vary{entry}: {refused.what}",
        "Ask for what joints leave free; where they forbid an entry, take differences of two runs.",
    )


def not_smooth(path: str) -> InvalidOption:
    return InvalidOption(
        f"gradient: the arrays of the model do not depend smoothly on '{path}' here. A body that"
        " turns about a point works in its principal axes there; where two moments are equal,"
        " these turn abruptly. So do the axes across that of a joint, where it is as far from two"
        " axes of the world.",
        "Take moments that differ, or turn the model as a whole by some degrees.",
    )
