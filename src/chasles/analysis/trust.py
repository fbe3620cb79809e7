r"""Steps of limited length: the best ones of a quadratic model, and of a linear one.

Both are $p_i = a_i / (b_i + \mu)$ in the right basis, with the smallest $\mu\ge0$ for which p is
short enough and no denominator negative.
"""

import numpy as np

from chasles.core.arrays import Floats

#: Singular values of K below this fraction of the largest are left alone.
FLAT = 1e-12


def limited(a: Floats, b: Floats, radius: float) -> Floats:
    """p_i = a_i / (b_i + mu), |p| <= radius; to the full radius where some b is negative."""
    if not a.size:
        return a
    least = float(b.min())
    if least > 0.0 and np.linalg.norm(a / b) <= radius:
        return a / b
    low = max(0.0, -least)
    high = low + float(np.linalg.norm(a)) / radius
    if not high > low:  # no force at all: down the steepest slope
        return toward(np.zeros_like(a), int(np.argmin(b)), radius, 1.0)
    nearly = low + 1e-10 * (high - low)
    shortest = a / np.where(b + nearly == 0.0, np.inf, b + nearly)
    if np.linalg.norm(shortest) < radius:  # hardly any force along the steepest slope
        return toward(shortest, int(np.argmin(b)), radius, float(a[np.argmin(b)]))
    for _ in range(100):
        middle = 0.5 * (low + high)
        if np.linalg.norm(a / (b + middle)) > radius:
            low = middle
        else:
            high = middle
    return a / (b + high)


def toward(p: Floats, index: int, radius: float, sign: float) -> Floats:
    """p made as long as the radius by its component `index`."""
    others = float(p @ p) - p[index] ** 2
    p = p.copy()
    p[index] = np.sqrt(max(radius**2 - others, 0.0)) * (-1.0 if sign < 0.0 else 1.0)
    return p


def with_the_forces(force: Floats, stiffness: Floats, radius: float) -> Floats:
    """The step of most work F.p - p.K p / 2; Newton's if K is positive and it is short enough."""
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    if values.size and values.min() > 0.0:
        newton: Floats = np.linalg.solve(stiffness, force).astype(float)
        if np.linalg.norm(newton) <= radius:
            return newton
    return vectors @ limited(vectors.T @ force, values, radius)


def to_the_root(force: Floats, stiffness: Floats, radius: float) -> Floats:
    """The shortest step that makes |F - K p| smallest."""
    u, s, vt = np.linalg.svd(stiffness)
    rank = int(np.sum(s > FLAT * s.max(initial=0.0)))
    u, s, vt = u[:, :rank], s[:rank], vt[:rank]
    return vt.T @ limited(s * (u.T @ force), s * s, radius)
