"""A user's function of time as pieces of polynomials, checked: what kernels run instead of it.

A panel is a second long, and is halved until the polynomial of degree 12 through its Chebyshev
points is the function to rounding: until its last coefficients vanish and it also meets the
function at points between.  Every such root is done by itself: its panels depend on the function
alone, not on how long a run is or how it is cut, and are one function of time.  From 1024 s on
roots have 2, from 2048 s on 4 seconds, and so on: a satellite is followed for months, and the
number of roots grows with the logarithm of the time.

Coefficients below the function's own noise are dropped: the second derivative of noise would be a
million times larger than it is.  The noise is rounding or, in a function such as 1 - cos(t / 1000),
the misfit that halving does not reduce.  At a jump or a kink halving comes to an end, and a
function that is rough everywhere is left alone sooner; such panels are marked, and the function is
asked there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from chasles.model.derivatives import DEGREE, NODES, TO_COEFFICIENTS
from chasles.model.waves import Pieces
from chasles.model.words import Floats

#: Several functions at once: of times (T,) to values (T, width), NaN where there is none.
Functions = Callable[[Floats], Floats]

#: Roots of one second before they become longer, in powers of two.
SECONDS = 10
#: How often a second is halved, and from where on a panel is rough if it and its descendants down
#: to two levels are.  Where derivatives are wanted, asking means to differentiate by windows, which
#: takes a millisecond a time: down to microseconds.  A value is had for microseconds.
WITH_DERIVATIVES, VALUES_ONLY = (20, 12), (10, 5)
GENERATIONS = 2
#: At how many points the fit of a root is compared with the function, and of a short panel: a pulse
#: of 10 ms is seen, from 1024 s on one of a 2^16th of the time.
LOOKS, LEAST_LOOKS = 160, 15
#: ... and where it is compared beside both ends: a jump at an end belongs to the next panel.
BESIDE_END = 1.0 - 2.0**-20
#: Of the function's own rounding: how large the last coefficients and the misfit may be.
MET, EPSILON = 100.0, float(np.finfo(float).eps)
#: A misfit that both halves keep, to a factor, is noise if it is this part of the function at most.
KEPT, QUIET = 0.25, 1e-8
TO_POWERS: Floats = np.array(
    [np.pad(chebyshev.cheb2poly(row), (0, DEGREE))[: DEGREE + 1] for row in np.eye(DEGREE + 1)]
)

#: (level, index): from index / 2^level to (index + 1) / 2^level.  Long roots have levels below 0.
Panel = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Draft:
    """The fit of a panel, or of several, and by how much it misses the functions."""

    series: Floats  # (..., width, DEGREE + 1) in Chebyshev polynomials
    middle: Floats  # (..., width) to be added
    missed: Floats  # (..., width)
    allowed: Floats  # (..., width) what rounding explains

    def powers(self) -> Floats:
        """(..., width, DEGREE + 1): coefficients of powers, without what is below the noise."""
        noise = np.maximum(
            self.allowed / MET, np.where(self.missed > self.allowed, self.missed, 0.0)
        )
        loud: NDArray[np.bool_] = np.abs(self.series) > noise[..., None]
        kept = np.logical_or.accumulate(loud[..., ::-1], axis=-1)[..., ::-1]
        powers: Floats = np.where(kept, self.series, 0.0) @ TO_POWERS
        powers[..., 0] += self.middle
        return powers


@dataclass(eq=False)
class Panels:
    """The pieces of some functions of time, as far as they have been asked for."""

    functions: Functions
    width: int  # how many functions
    values_only: bool = False  # whether derivatives are not wanted
    fits: dict[Panel, Floats | None] = field(default_factory=dict)  # None: not a polynomial
    absent: set[Panel] = field(default_factory=set)  # without any value
    drafts: dict[Panel, "Draft"] = field(default_factory=dict)  # of panels that are not met
    size: Floats = field(default_factory=lambda: np.zeros(0))  # (width,) largest of this root
    leaves: list[Panel] = field(default_factory=list)  # of the roots so far
    end: int = 0  # of the last root, s

    def until(self, t: float) -> list[Pieces]:
        """The pieces of every function from 0 to t, and to the end of that root."""
        while self.end <= t:
            doubled = max(self.end.bit_length() - SECONDS, 0)
            root = (-doubled, self.end >> doubled)
            self.size = np.zeros(self.width)
            self.fit([root])
            self.drafts.clear()
            self.collect(root)
            self.end += 1 << doubled
        return self.pieces()

    def fit(self, panels: list[Panel]) -> None:
        """Fit panels, and halves of those that are not met, level by level."""
        while panels:
            self.fit_level(panels)
            for parent in dict.fromkeys((level - 1, index >> 1) for level, index in panels):
                if parent in self.drafts and self.is_noise(parent):
                    self.fits[parent] = self.drafts[parent].powers()
            panels = [
                half
                for panel in panels
                if self.fits[panel] is None and self.fits.get((panel[0] - 1, panel[1] >> 1)) is None
                if not self.is_last(panel)
                for half in halves(panel)
            ]

    def is_noise(self, panel: Panel) -> bool:
        """Whether what a panel misses is noise: small, and both halves miss as much."""
        draft = self.drafts[panel]
        if not all(half in self.drafts for half in halves(panel)):
            return False
        left, right = (self.drafts[half].missed for half in halves(panel))
        stays = (np.minimum(left, right) >= KEPT * draft.missed) & (
            draft.missed <= QUIET * self.size
        )
        return bool((stays | (draft.missed <= draft.allowed)).all())

    def distrust(self, times: Floats) -> None:
        """Panels that hold these times are not polynomials after all."""
        starts = np.array([index * 2.0**-level for level, index in self.leaves])
        for leaf in np.unique(np.searchsorted(starts, times, side="right") - 1):
            self.fits[self.leaves[leaf]] = None

    def is_last(self, panel: Panel) -> bool:
        """Whether a panel that is not met is not halved either."""
        finest, rough = VALUES_ONLY if self.values_only else WITH_DERIVATIVES
        if panel[0] >= finest or panel in self.absent:
            return True
        if panel[0] < rough + GENERATIONS:
            return False
        elder = (panel[0] - GENERATIONS, panel[1] >> GENERATIONS)
        return self.all_rough(elder, GENERATIONS)

    def all_rough(self, panel: Panel, generations: int) -> bool:
        if panel in self.absent:
            return True
        if self.fits[panel] is not None:
            return False
        return generations == 0 or all(
            self.all_rough(half, generations - 1) for half in halves(panel)
        )

    def collect(self, panel: Panel) -> None:
        """Append the leaves of a panel in the order of time."""
        if self.fits[panel] is not None or self.is_last(panel):
            self.leaves.append(panel)
            return
        for half in halves(panel):
            self.collect(half)

    def fit_level(self, panels: list[Panel]) -> None:
        """Fit panels of one level, all at once."""
        half = np.array([0.5 * 2.0**-level for level, _ in panels])
        centre = np.array([(index + 0.5) * 2.0**-level for level, index in panels])
        looks, at_looks = looks_at(panels[0][0])
        places = np.concatenate((NODES, looks))
        times = centre[:, None] + half[:, None] * places
        found = self.functions(times.ravel()).reshape(len(panels), places.size, self.width)
        self.size = np.maximum(self.size, np.nan_to_num(np.abs(found)).max(axis=(0, 1)))
        values, between = found[:, : NODES.size], found[:, NODES.size :]
        steepness = np.ptp(values, axis=1) / half[:, None]
        noise = EPSILON * (self.size + centre[:, None] * steepness)
        middle = values[:, DEGREE // 2]  # so that a constant has a rate of exactly zero
        series = np.einsum("kn,pnw->pwk", TO_COEFFICIENTS, values - middle[:, None])
        tail = np.abs(series[:, :, -2:]).max(axis=2)
        fit = np.einsum("bk,pwk->pbw", at_looks, series) + middle[:, None]
        missed = np.maximum(tail, np.abs(fit - between).max(axis=1))
        allowed = MET * noise
        present: NDArray[np.bool_] = np.any(np.isfinite(found), axis=(1, 2))
        met: NDArray[np.bool_] = present & (missed <= allowed).all(axis=1)
        powers = iter(Draft(series[met], middle[met], missed[met], allowed[met]).powers())
        for p, panel in enumerate(panels):
            self.fits[panel] = next(powers) if met[p] else None
            if not present[p]:
                self.absent.add(panel)
            elif not met[p]:
                self.drafts[panel] = Draft(series[p], middle[p], missed[p], allowed[p])

    def pieces(self) -> list[Pieces]:
        levels, index = np.array(self.leaves, np.int64).reshape(-1, 2).T
        length = 0.5**levels
        fits = [self.fits[leaf] for leaf in self.leaves]
        asked = np.array([fit is None for fit in fits])
        nothing = np.zeros((self.width, DEGREE + 1))
        coefficients = np.array([nothing if fit is None else fit for fit in fits])
        widths = np.where(asked, 0.0, 0.5 * length)
        return [
            Pieces(
                index * length, (index + 0.5) * length, widths,
                np.ascontiguousarray(coefficients[:, k]), 0.0, float(self.end),
            )
            for k in range(self.width)
        ]  # fmt: skip


@cache
def looks_at(level: int) -> tuple[Floats, Floats]:
    """Points within (-1, 1) where a fit is looked at, and the Chebyshev polynomials there."""
    count = max(LEAST_LOOKS, LOOKS >> max(level, 0))
    looks = np.concatenate((np.linspace(-0.999, 0.998, count), (-BESIDE_END, BESIDE_END)))
    return looks, np.asarray(chebyshev.chebvander(looks, DEGREE), np.float64)


def halves(panel: Panel) -> tuple[Panel, Panel]:
    level, index = panel
    return (level + 1, 2 * index), (level + 1, 2 * index + 1)
