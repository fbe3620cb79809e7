r"""Many members from few, where their arrays are polynomials of what varies.

Velocities of bodies enter the first state linearly (what is left out is completed by linear
equations), its kinetic energy squared; gravity is copied.  So a polynomial of second degree in all
that varies,

$$ y = a + \sum_i b_i u_i + \sum_{i\le j} c_{ij} u_i u_j, $$

is fitted to a sample of members and compared with others.  Entries that are equal to one number of
what varies, or to its negative, are copied.  A member takes milliseconds to set up; from the fit a
million take a second.
"""

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.ensembles.members import Members, different, set_up
from chasles.stepper import Stepper

#: Fields for which the polynomial is exact, and every finite value allowed.
SMOOTH = ("velocity", "angular_velocity", "gravity")
#: Members below which each is set up by itself, numbers that vary at the most, members to compare.
FEW, MOST_NUMBERS, COMPARED = 400, 12, 24
#: What the fit may miss, as a fraction of the largest entry: rounding.
MISSED = 1e-12


def is_smooth(values: Mapping[str, Floats], count: int) -> bool:
    """Whether members may be made from few."""
    finite = all(np.isfinite(array).all() for array in values.values())
    named = all(path.rsplit(".", 1)[-1] in SMOOTH for path in values)
    return count > FEW and named and finite and varying(values).shape[1] <= MOST_NUMBERS


def varying(values: Mapping[str, Floats]) -> Floats:
    """(members, d) the numbers that differ between members."""
    table = np.concatenate([array.reshape(len(array), -1) for array in values.values()], axis=1)
    differs: Floats = table[:, (table != table[0]).any(axis=0)]
    return differs


def monomials(u: Floats) -> Floats:
    """(members, m) all products of up to two."""
    columns = [np.ones(len(u)), *u.T]
    pairs = combinations_with_replacement(range(u.shape[1]), 2)
    return np.stack(columns + [u[:, i] * u[:, j] for i, j in pairs], axis=1)


def make_smooth_members(
    made: Callable[[int], Stepper], values: Mapping[str, Floats], count: int
) -> Members | None:
    """All members, or None where the polynomial does not hold."""
    u = varying(values)
    scale = np.maximum(np.abs(u).max(axis=0, initial=0.0), 1e-300)
    terms = monomials(u[:1] / scale).shape[1]
    rng = np.random.default_rng(0)
    sample = np.sort(rng.permutation(count)[: 3 * terms + COMPARED])
    base, images, odd, status = set_up(made, sample.tolist(), count)
    if odd or any(status):
        return None
    first = images[int(sample[0])]
    numbers = np.array([images[int(k)].numbers for k in sample])
    differs = different(numbers, numbers[0]).any(axis=0)
    columns = np.flatnonzero(differs)
    blocks = np.array([images[int(k)].block for k in sample])
    own = np.flatnonzero(different(blocks, blocks[0]).any(axis=0))
    found = np.concatenate([blocks[:, own], numbers[:, columns]], axis=1)
    predicted = fitted(u, u / scale, sample, found)
    if predicted is None:
        return None
    all_blocks = np.tile(first.block, (count, 1))
    all_blocks[:, own] = predicted[:, : len(own)]
    note = f"from {len(sample) - COMPARED} of them, compared with {COMPARED} others"
    parameters = np.ascontiguousarray(predicted[:, len(own) :])
    return Members(base, first, all_blocks, columns, parameters, status, {}, note)


def fitted(u: Floats, scaled: Floats, sample: Integers, found: Floats) -> Floats | None:
    """(members, entries) from those of a sample; None where a polynomial misses."""
    out = np.zeros((len(u), found.shape[1]))
    basis = monomials(scaled)
    fit, rest = slice(None, len(sample) - COMPARED), slice(len(sample) - COMPARED, None)
    order = np.random.default_rng(1).permutation(len(sample))
    places, found = sample[order], found[order]
    solution = np.linalg.lstsq(basis[places[fit]], found[fit], rcond=None)[0]
    missed = np.abs(basis[places] @ solution - found).max(axis=0)
    size = np.maximum(np.abs(found).max(axis=0), 1e-300)
    for k in range(found.shape[1]):
        copied = copy_of(u, places, found[:, k])
        if copied is not None:
            out[:, k] = copied
        elif missed[k] <= MISSED * size[k] and np.isfinite(found[rest, k]).all():
            out[:, k] = basis @ solution[:, k]
        else:
            return None
    return out


def copy_of(u: Floats, places: Integers, entry: Floats) -> Floats | None:
    """A column of u, or its negative, that the entry is equal to."""
    for column in u.T:
        for sign in (1.0, -1.0):
            if np.array_equal(sign * column[places], entry):
                return np.asarray(sign * column)
    return None
