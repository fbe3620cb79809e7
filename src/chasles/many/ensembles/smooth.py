r"""Many members from few, where their arrays are polynomials of what varies.

Velocities of bodies enter the first state linearly (what is left out is completed by linear
equations), its kinetic energy squared; gravity is copied.  So a polynomial of second degree in all
that varies,

$$ y = a + \sum_i b_i u_i + \sum_{i\le j} c_{ij} u_i u_j, $$

is fitted to a sample of members and compared with others.  Entries that are equal to one number of
what varies, or to its negative, are copied.  A member takes milliseconds to set up; from the fit a
million take a second.

A sample tells nothing of members that differ in what is the same throughout the sample, and little
of those far outside it: these are set up by themselves.
"""

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.many.ensembles.members import Image, Members, different, set_up
from chasles.run.stepper import Stepper

#: Fields for which the polynomial is exact, and every finite value allowed.
SMOOTH = ("velocity", "angular_velocity", "gravity")
#: Members below which each is set up by itself, numbers that vary at the most, members to compare.
FEW, MOST_NUMBERS, COMPARED = 400, 12, 24
#: What the fit may miss, as a fraction of the largest entry: rounding.
MISSED = 1e-12
#: What a member may have that no combination of the sample has; how much larger the error of such a
#: combination may be than that of the sample; members of which both are asked at once.
BEYOND, REACH, AT_ONCE = 1e-12, 100.0, 2**16


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
    terms = monomials(u[:1]).shape[1]
    sample = np.random.default_rng(0).permutation(count)[: 3 * terms + COMPARED]
    basis = monomials(scaled(u, sample))
    apart = out_of_reach(basis, sample[:-COMPARED])
    apart = apart[~np.isin(apart, sample)]
    if len(apart) > FEW:
        return None
    base, images, odd, status = set_up(made, [*sample.tolist(), *apart.tolist()], count)
    if any(int(k) in odd or status[k] for k in sample):
        return None
    first = images[int(sample[0])]
    numbers = np.array([image.numbers for image in images.values()])
    columns = np.flatnonzero(different(numbers, first.numbers).any(axis=0))
    table = np.array([flat(images[int(k)], columns) for k in sample])
    predicted = fitted(u, basis, sample, table)
    if predicted is None:
        return None
    for k, image in images.items():
        predicted[k] = flat(image, columns)
    blocks, parameters = np.split(predicted, [len(first.block)], axis=1)
    note = f"from {len(sample) - COMPARED} of them, compared with {COMPARED} others"
    if len(apart):
        note += f", and {len(apart)} by themselves"
    return Members(
        base, first, np.ascontiguousarray(blocks), columns, np.ascontiguousarray(parameters),
        status, odd, note,
    )  # fmt: skip


def flat(image: Image, columns: Integers) -> Floats:
    """The first state of a member, and its numbers at some places."""
    return np.concatenate([image.block, image.numbers[columns]])


def scaled(u: Floats, sample: Integers) -> Floats:
    """What varies, about 1 within the sample."""
    size = np.abs(u[sample]).max(axis=0, initial=0.0)
    largest = np.abs(u).max(axis=0, initial=0.0)
    return np.asarray(u / np.where(size > 0.0, size, np.maximum(largest, 1e-300)))


def out_of_reach(basis: Floats, sample: Integers) -> Integers:
    """Members that combinations of a sample do not give, or not well."""
    _, sizes, rows = np.linalg.svd(basis[sample], full_matrices=False)
    kept = sizes > np.finfo(float).eps * max(basis[sample].shape) * sizes[0]
    sizes, rows = sizes[kept], rows[kept]
    far = np.zeros(len(basis), bool)
    for k in range(0, len(basis), AT_ONCE):
        some = basis[k : k + AT_ONCE]
        parts = some @ rows.T
        beyond = np.abs(some - parts @ rows).max(axis=1)
        error = np.linalg.norm(parts / sizes, axis=1)
        far[k : k + AT_ONCE] = (beyond > BEYOND * np.abs(some).max(axis=1)) | (error > REACH)
    return np.flatnonzero(far)


def fitted(u: Floats, basis: Floats, sample: Integers, found: Floats) -> Floats | None:
    """(members, entries) from those of a sample; None where a polynomial misses."""
    out = np.tile(found[0], (len(u), 1))
    solution = np.linalg.lstsq(basis[sample[:-COMPARED]], found[:-COMPARED], rcond=None)[0]
    missed = np.abs(basis[sample] @ solution - found).max(axis=0)
    size = np.maximum(np.abs(found).max(axis=0), 1e-300)
    for k in np.flatnonzero(different(found, found[0]).any(axis=0)):
        copied = copy_of(u, sample, found[:, k])
        if copied is not None:
            out[:, k] = copied
        elif missed[k] <= MISSED * size[k]:
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
