"""The three groups as matrices of 50-digit numbers, written from the definitions alone.

SO(3) is 3x3, SE(3) 4x4 homogeneous, SO(3) x R^3 block diagonal 7x7.  Algebra elements are flat
lists here: (omega) or (omega, v).
"""

from types import SimpleNamespace

import mpmath as mp
import numpy as np

from chasles.groups import se3, so3, so3xr3


def flat(nested):
    """Scalars of nested tuples, in storage order."""
    return [x for p in nested for x in flat(p)] if isinstance(nested, tuple) else [nested]


def hat3(x):
    """The cross product with x as a matrix."""
    return mp.matrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def placed(size, *blocks):
    """A zero matrix with blocks (row, column, block) written into it."""
    whole = mp.zeros(size)
    for row, column, block in blocks:
        for i in range(block.rows):
            for j in range(block.cols):
                whole[row + i, column + j] = block[i, j]
    return whole


def rotation(q):
    """The rotation matrix of a quaternion of any length, exactly that of q / |q|."""
    w, *u = [mp.mpf(c) for c in q]
    hat = hat3(u)
    return mp.eye(3) + (2 * w * hat + 2 * hat * hat) / (w * w + sum(c * c for c in u))


def column(v):
    """A column matrix."""
    return mp.matrix([mp.mpf(c) for c in v])


def group(name, module, dim, size, hat, vee, element):
    """Formulas by short name, next to the matrix definitions of the same group."""
    prefix = name + "_"
    formulas = {k[len(prefix) :]: f for k, f in vars(module).items() if k.startswith(prefix)}
    return SimpleNamespace(
        name=name, dim=dim, size=size, hat=hat, vee=vee, element=element, **formulas
    )


SO3 = group(
    "so3", so3, 3, 3,
    hat=hat3,
    vee=lambda m: [m[2, 1], m[0, 2], m[1, 0]],
    element=rotation,
)  # fmt: skip
SE3 = group(
    "se3", se3, 6, 4,
    hat=lambda x: placed(4, (0, 0, hat3(x)), (0, 3, column(x[3:]))),
    vee=lambda m: [m[2, 1], m[0, 2], m[1, 0], m[0, 3], m[1, 3], m[2, 3]],
    element=lambda c: placed(
        4, (0, 0, rotation(c[0])), (0, 3, column(c[1])), (3, 3, mp.eye(1))
    ),
)  # fmt: skip
SO3XR3 = group(
    "so3xr3", so3xr3, 6, 7,
    hat=lambda x: placed(7, (0, 0, hat3(x)), (3, 6, column(x[3:]))),
    vee=lambda m: [m[2, 1], m[0, 2], m[1, 0], m[3, 6], m[4, 6], m[5, 6]],
    element=lambda c: placed(7, (0, 0, rotation(c[0])), (3, 3, mp.eye(4)), (3, 6, column(c[1]))),
)  # fmt: skip
GROUPS = [SO3, SE3, SO3XR3]


def pack(group, x):
    """Flat algebra element to the tuple the formulas take."""
    return tuple(x) if group.dim == 3 else (tuple(x[:3]), tuple(x[3:]))


def cayley(matrix):
    """(I - X/2)^-1 (I + X/2)."""
    one = mp.eye(matrix.rows)
    return mp.inverse(one - matrix / 2) * (one + matrix / 2)


def ad(group, x):
    """The matrix of the bracket, from the commutator of matrices."""
    whole = mp.zeros(group.dim)
    hat = group.hat(x)
    for j in range(group.dim):
        unit = group.hat([mp.mpf(i == j) for i in range(group.dim)])
        for i, entry in enumerate(group.vee(hat * unit - unit * hat)):
            whole[i, j] = entry
    return whole


#: Sums that are asked for again, by group and element.
SUMS = {}


def dexp_matrix(group, x):
    """The sum of ad^k / (k+1)!."""
    if (group.name, *x) in SUMS:
        return SUMS[group.name, *x]
    matrix = ad(group, x)
    term = total = mp.eye(group.dim)
    for k in range(2, 200):
        term = term * matrix / k
        total = total + term
        if mp.mnorm(term, 1) < mp.mpf(10) ** -60:
            break
    SUMS[group.name, *x] = total
    return total


def cayley_slopes(group, x):
    """Columns vee(dC C^-1) of C = A^-1 B along the basis, with A = 1 - X/2 and B = 1 + X/2.

    From A C = B it follows that A dC = E/2 (1 + C).
    """
    hat = group.hat(x)
    one = mp.eye(hat.rows)
    inverse = mp.inverse(one - hat / 2)
    transform = inverse * (one + hat / 2)
    before, after = inverse / 2, (one + transform) * mp.inverse(transform)
    units = [[mp.mpf(i == j) for i in range(group.dim)] for j in range(group.dim)]
    return mp.matrix([group.vee(before * group.hat(unit) * after) for unit in units]).T


def trivialised_derivative(group, curve_map, x, z):
    """vee of (d/dt f(X + t Z)) f(X)^-1 at t = 0: central difference, error about 1e-30."""
    h = mp.mpf(10) ** -15
    ahead = curve_map(group.hat([a + h * b for a, b in zip(x, z)]))
    behind = curve_map(group.hat([a - h * b for a, b in zip(x, z)]))
    return group.vee((ahead - behind) * mp.inverse(curve_map(group.hat(x))) / (2 * h))


def applied_to_basis(group, linear_map):
    """The matrix of a formula that is linear in its argument."""
    columns = [linear_map(pack(group, list(e))) for e in np.eye(group.dim)]
    return mp.matrix([flat(c) for c in columns]).T


def relative_error(matrix, reference):
    """Frobenius norm of the difference over the spectral norm of the reference."""
    difference = np.array((matrix - reference).tolist(), dtype=float)
    return np.linalg.norm(difference) / np.linalg.norm(np.array(reference.tolist(), dtype=float), 2)
