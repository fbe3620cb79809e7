"""How long steps may be so that none passes over a change of a function of time.

A run that chooses its steps judges them by what its stages see, and a step of seconds has a dozen
stages: a force pulse of milliseconds between them would never be noticed.  So the functions of time
are sampled before the run.  Its time is halved until a polynomial of degree 7 follows every
function in each part; no step is longer than the part it begins in, and none passes from a part
into a shorter one.  Steps that are short enough are the business of the tolerances, as ever.

A jump is bracketed by bisection, and met from both sides: a step ends just before it, and the next
begins at the first time after it.  What lies between is a few units of rounding of the time.

Pulses shorter than the spacing of the samples are found where a function tells how short its pieces
are, as tables and ramps do, or where its fit is of short pieces: there steps are as short.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import legendre

from chasles.build.system.signals import Entry, SignalList
from chasles.core.arrays import Floats, Integers
from chasles.core.signals import PIECES

#: Samples of a run, at the least and, where pieces of tables are short, at the most.  In a run of
#: 10 s they are 0.3 ms (0.04 ms) apart; asking a function so often takes some 40 ms.
SAMPLES, MOST_SAMPLES = 2**15, 2**18
#: Samples in the shortest part, and for every piece of a table.
FINEST, PER_PIECE = 4, 4
#: What follows a function: a polynomial of this degree that misses it by such a part of its range.
#: Two thirds of a period of a sine are followed so, fewer than any accurate step has.
DEGREE, MISSED = 7, 1e-4
#: A piece of a fit shorter than so many spacings of the samples may hold what these have not seen.
#: Of such pieces, and in each of them, so many samples; more pieces are a function that is rough.
UNSEEN, IN_PIECE, MOST_PIECES = 2.0, 16, 4096
#: A function that varies by more than this, of its range, in such a piece has a pulse there.
LOUD = 0.01
#: A difference of neighbouring samples, of its range, that may be a jump: it is one if the function
#: still changes by half as much, or more, between neighbouring numbers.  So many are looked at.
JUMP, MOST_JUMPS = 1e-3, 4096
#: Units of rounding of the time before a jump, at which a step ends: its stages round their times.
BEFORE_JUMP = 8.0 * float(np.finfo(float).eps)
#: A function that varies by less, of its largest value, does not: that is rounding.
CONSTANT = 1e-12


@dataclass(frozen=True)
class StepBounds:
    """Parts of a run, from starts[k] to the next, and how long steps may be in each (s)."""

    starts: Floats  # (K,) increasing from 0
    longest: Floats  # (K,)
    jumps: Floats  # (J,) those of the starts that are just before a jump,
    after: Floats  # (J,) and the first times after it
    shortest: float  # the longest step that passes over nothing at any time, s

    def at(self, t: float) -> tuple[float, float]:
        """The longest step from t on, and the end of the part, which no step may pass."""
        part = max(int(np.searchsorted(self.starts, t, side="right")) - 1, 0)
        end = self.starts[part + 1] if part + 1 < len(self.starts) else np.inf
        return float(self.longest[part]), float(end)

    def shortened(self, factor: float) -> "StepBounds":
        """The same parts with shorter steps: other ones, where bounds are what limits them."""
        return replace(self, longest=factor * self.longest)

    def beyond(self, t: float) -> float:
        """The first time after a jump, if t is just before one, otherwise t."""
        jump = int(np.searchsorted(self.jumps, t))
        is_one = jump < len(self.jumps) and self.jumps[jump] == t
        return float(self.after[jump]) if is_one else t


UNBOUNDED = StepBounds(np.zeros(1), np.full(1, np.inf), np.zeros(0), np.zeros(0), np.inf)


def step_bounds(signals: SignalList, until: float, longest_step: float = np.inf) -> StepBounds:
    """The bounds that the functions of time of a model ask for in a run of this length."""
    if not signals.samplers:
        return UNBOUNDED
    count = sample_count(signals.fixed, until)
    times = until * (np.arange(count) + 0.5) / count
    signals.confront(times)
    if longest_step * count < until:
        signals.confront_steps(longest_step, int(until / longest_step))
    begins, lengths = short_pieces(signals, until, UNSEEN * until / count)
    inside = begins[:, None] + lengths[:, None] * np.linspace(0.0, 1.0, IN_PIECE)
    columns, scale = varying(signals.rows(np.concatenate((times, inside.ravel()))))
    if columns.size == 0:
        return UNBOUNDED

    def shapes(t: Floats) -> Floats:
        rows: Floats = signals.rows(t)[:, columns] / scale
        return np.where(np.isfinite(rows), rows, 0.0)

    sampled = shapes(times)
    first, size = parts_followed(sampled)
    finest = np.repeat(size <= FINEST, size)
    looked_at = finest[1:] | finest[:-1]
    looked_at[first[1:] - 1] = True  # between two parts, each of which may be followed
    steep = np.abs(np.diff(sampled, axis=0)).max(axis=1) > JUMP
    at = np.flatnonzero(steep & looked_at)[:MOST_JUMPS]
    seen = shapes(inside.ravel())
    between = np.abs(np.diff(seen, axis=0)).max(axis=1) > JUMP
    pulses = np.ptp(seen.reshape(-1, IN_PIECE, columns.size), axis=1).max(axis=1) > LOUD
    begins, lengths = begins[pulses], lengths[pulses]  # others are beside a kink, say
    within = np.flatnonzero(between)
    low = np.concatenate((times[at], inside.ravel()[within]))
    high = np.concatenate((times[at + 1], inside.ravel()[within + 1]))
    before, after, heights = bracketed(shapes, low, high)
    after, kept = np.unique(after, return_index=True)
    before, heights = before[kept], heights[kept]
    if len(after):  # what is left without the jumps, at which steps end anyway
        jumped = np.concatenate((np.zeros((1, columns.size)), np.cumsum(heights, axis=0)))
        first, size = parts_followed(sampled - jumped[np.searchsorted(after, times, "right")])
    longest = np.where(size == count, np.inf, until * size / count)  # nothing to pass over
    shortest = min(float(np.diff(after).min(initial=np.inf)), float(longest.min()))
    smooth = np.searchsorted(after, begins) == np.searchsorted(after, begins + lengths)
    shortest = min(shortest, float(lengths[smooth].min(initial=np.inf)))
    seams = seams_of_fits(signals, until)
    after = np.concatenate((after, seams))
    before = np.concatenate((before, seams)) * (1.0 - BEFORE_JUMP)
    order = np.argsort(before)
    before, after = before[order], after[order]
    starts, longest = with_pieces(until * first / count, longest, begins, lengths)
    starts, longest = cut_at(before, starts, longest)
    return StepBounds(starts, longest, before, after, shortest)


def short_pieces(signals: SignalList, until: float, below: float) -> tuple[Floats, Floats]:
    """Where the fits of functions have pieces shorter than this, and their lengths, by start."""
    begins: list[Floats] = [np.zeros(0)]
    lengths: list[Floats] = [np.zeros(0)]
    for panels in (fitted.panels for fitted in signals.fitted):
        leaves = [leaf for leaf in panels.leaves if 2.0 ** -leaf[0] < below]
        leaves = [leaf for leaf in leaves if leaf not in panels.absent]
        levels, index = np.array(leaves, np.int64).reshape(-1, 2).T
        if len(leaves) <= MOST_PIECES:
            begins.append(np.asarray(index * 0.5**levels, np.float64))
            lengths.append(np.asarray(0.5**levels, np.float64))
    begin, length = np.concatenate(begins), np.concatenate(lengths)
    begin, length = begin[begin < until], length[begin < until]
    order = np.lexsort((length, begin))
    begin, kept = np.unique(begin[order], return_index=True)  # of several functions the shortest
    length = length[order][kept]
    return begin, np.minimum(length, np.diff(begin, append=until))


def with_pieces(
    starts: Floats, longest: Floats, begins: Floats, lengths: Floats
) -> tuple[Floats, Floats]:
    """Parts and their bounds, and short pieces among them, in which steps are no longer."""
    if not begins.size:
        return starts, longest
    cuts = np.unique(np.concatenate((starts, begins, begins + lengths)))
    bounds = longest[np.maximum(np.searchsorted(starts, cuts, side="right") - 1, 0)]
    piece = np.maximum(np.searchsorted(begins, cuts, side="right") - 1, 0)
    in_piece = (cuts >= begins[piece]) & (cuts < begins[piece] + lengths[piece])
    return cuts, np.where(in_piece, np.minimum(bounds, lengths[piece]), bounds)


def cut_at(jumps: Floats, starts: Floats, longest: Floats) -> tuple[Floats, Floats]:
    """Parts and their bounds, cut where jumps are; neighbours with the same bound are one."""
    of_jumps = longest[np.searchsorted(starts, jumps, side="right") - 1]
    starts, longest = np.concatenate((starts, jumps)), np.concatenate((longest, of_jumps))
    order = np.argsort(starts, kind="stable")
    starts, longest = starts[order], longest[order]
    kept = np.isin(starts, jumps)
    kept[0] = True
    kept[1:] |= longest[1:] != longest[:-1]
    return starts[kept], longest[kept]


def sample_count(entries: list[Entry], until: float) -> int:
    """A power of two: as many samples as the pieces of tables and ramps ask for."""
    widths = [
        np.diff(entry.numbers[4:].reshape(entry.pieces, -1)[:, 0], append=np.inf)
        for entry in entries
        if entry.kind == PIECES and entry.pieces > 1
    ]
    shortest = min((float(part.min()) for part in widths), default=until)
    wanted = min(max(PER_PIECE * until / shortest, SAMPLES), MOST_SAMPLES)
    return 2 ** int(np.ceil(np.log2(wanted)))


def varying(table: Floats) -> tuple[Integers, Floats]:
    """The columns that vary, but for the time, and their ranges; what is not finite is left out."""
    table = np.where(np.isfinite(table), table, 0.0)
    ranges = np.ptp(table, axis=0)
    columns = 1 + np.flatnonzero(ranges[1:] > CONSTANT * np.abs(table[:, 1:]).max(axis=0))
    return columns, ranges[columns]


def bracketed(
    shapes: Callable[[Floats], Floats], low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats]:
    """Neighbouring numbers with a jump between them, at most a pair in every interval, and it."""
    at_low, at_high = shapes(low), shapes(high)
    wanted = 0.5 * np.abs(at_high - at_low).max(axis=1)
    while low.size:
        middle = low + 0.5 * (high - low)
        if ((middle <= low) | (middle >= high)).all():
            break
        at_middle = shapes(middle)
        left = np.abs(at_middle - at_low).max(axis=1) > np.abs(at_high - at_middle).max(axis=1)
        high, at_high = np.where(left, middle, high), np.where(left[:, None], at_middle, at_high)
        low, at_low = np.where(left, low, middle), np.where(left[:, None], at_low, at_middle)
        jumps = np.abs(at_high - at_low).max(axis=1) >= wanted
        low, high, wanted = low[jumps], high[jumps], wanted[jumps]
        at_low, at_high = at_low[jumps], at_high[jumps]
    return low, high, at_high - at_low


def seams_of_fits(signals: SignalList, until: float) -> Floats:
    """Where the fit of a function jumps between two pieces, relative to the function there.

    A fit drops what is below the rounding of the largest value nearby.  To a body at rest the end
    of the drop is a jump however small it is.
    """
    found = [np.zeros(0)]
    for panels in (fitted.panels for fitted in signals.fitted):
        for column, pieces in enumerate(panels.pieces()):
            starts = pieces.starts[(pieces.starts > 0.0) & (pieces.starts < until)]
            ends = []
            for times in (np.nextafter(starts, 0.0), starts):
                fit = pieces.sample(times)[:, 0]
                ends.append(np.where(np.isnan(fit), panels.functions(times)[:, column], fit))
            larger = np.maximum(np.abs(ends[0]), np.abs(ends[1]))
            found.append(starts[np.abs(ends[1] - ends[0]) > JUMP * larger])
    return np.unique(np.concatenate(found))


def parts_followed(shapes: Floats) -> tuple[Integers, Integers]:
    """First sample and number of samples of every part, in order of time."""
    count, columns = shapes.shape
    size, cells = count, np.zeros(1, np.int64)
    first, sizes = [], []
    while cells.size:
        parts = shapes.reshape(-1, size, columns)[cells]
        done = np.full(len(cells), size <= FINEST) | are_followed(parts)
        first.append(cells[done] * size)
        sizes.append(np.full(int(done.sum()), size))
        rest, size = cells[~done], size // 2
        cells = np.sort(np.concatenate((2 * rest, 2 * rest + 1)))
    order = np.argsort(np.concatenate(first))
    return np.concatenate(first)[order], np.concatenate(sizes)[order]


def are_followed(parts: Floats) -> np.ndarray:
    """(P,) Whether polynomials follow all columns of parts (P, samples, columns)."""
    samples = parts.shape[1]
    degree = min(DEGREE, samples // 2)
    places = (2.0 * np.arange(samples) + 1.0) / samples - 1.0
    powers = legendre.legvander(places, degree)
    basis = np.linalg.solve(np.linalg.cholesky(powers.T @ powers), powers.T).T  # orthonormal
    missed = parts - basis @ (basis.T @ parts)
    found: np.ndarray = np.abs(missed).max(axis=(1, 2)) <= MISSED
    return found
