r"""Articulated inertia as a triple (I, H, M) at a point, in world axes.

Torque about the point and force on a body that turns with alpha and whose point accelerates with a:

$$ n = I\alpha + H a + p_n, \qquad f = H^T\alpha + M a + p_f . $$

I and M are symmetric (lower triangles), H is full (row-major).  Nothing is ever rotated.
"""

from typing import Any

from chasles.compiled import formula
from chasles.groups.vectors import add, cross, matvec, tmatvec


@formula
def spread(m: Any, v: Any) -> Any:
    """M v for a lower triangle."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[3] * v[2],
        m[1] * v[0] + m[2] * v[1] + m[4] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
    )


@formula
def sum6(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@formula
def sum9(a: Any, b: Any) -> Any:
    return sum6(a, b) + (a[6] + b[6], a[7] + b[7], a[8] + b[8])


@formula
def sum_of(one: Any, other: Any) -> Any:
    """Two articulated inertias at one point, together."""
    return sum6(one[0], other[0]), sum9(one[1], other[1]), sum6(one[2], other[2])


@formula
def rotated(r: Any, m: Any) -> Any:
    r"""$R M R^T$, lower triangle."""
    return rows_times(
        r,
        spread(m, (r[0], r[1], r[2])),
        spread(m, (r[3], r[4], r[5])),
        spread(m, (r[6], r[7], r[8])),
    )


@formula
def rows_times(r: Any, x: Any, y: Any, z: Any) -> Any:
    """R (x y z), lower triangle."""
    return (
        r[0] * x[0] + r[1] * x[1] + r[2] * x[2],
        r[3] * x[0] + r[4] * x[1] + r[5] * x[2],
        r[3] * y[0] + r[4] * y[1] + r[5] * y[2],
        r[6] * x[0] + r[7] * x[1] + r[8] * x[2],
        r[6] * y[0] + r[7] * y[1] + r[8] * y[2],
        r[6] * z[0] + r[7] * z[1] + r[8] * z[2],
    )


@formula
def rotated_diagonal(r: Any, d: Any) -> Any:
    r"""$R\,\mathrm{diag}(d)\,R^T$, lower triangle; d = (d0, ., d1, ., ., d2)."""
    return rows_times(
        r,
        (d[0] * r[0], d[2] * r[1], d[5] * r[2]),
        (d[0] * r[3], d[2] * r[4], d[5] * r[5]),
        (d[0] * r[6], d[2] * r[7], d[5] * r[8]),
    )


@formula
def response(inertia: Any, motion: Any) -> Any:
    r"""$(I\alpha + H a,\ H^T\alpha + M a)$."""
    (rotary, coupling, linear), (alpha, a) = inertia, motion
    torque = add(spread(rotary, alpha), matvec(coupling, a))
    return torque, add(tmatvec(coupling, alpha), spread(linear, a))


@formula
def turning_column(a: Any, z: Any) -> Any:
    """U = A S for a turn about z."""
    return spread(a[0], z), tmatvec(a[1], z)


@formula
def sliding_column(a: Any, z: Any) -> Any:
    """U = A S for a shift along z."""
    return matvec(a[1], z), spread(a[2], z)


@formula
def deflated(a: Any, u: Any, gain: Any) -> Any:
    r"""$A - U D^{-1} U^T$: what is left when the coordinate is free to give way."""
    i, h, m = a
    u0, u1, u2 = u[0]
    w0, w1, w2 = u[1]
    g0, g1, g2 = gain * u0, gain * u1, gain * u2
    k0, k1, k2 = gain * w0, gain * w1, gain * w2
    return (
        (
            i[0] - g0 * u0, i[1] - g1 * u0, i[2] - g1 * u1,
            i[3] - g2 * u0, i[4] - g2 * u1, i[5] - g2 * u2,
        ),
        (
            h[0] - g0 * w0, h[1] - g0 * w1, h[2] - g0 * w2,
            h[3] - g1 * w0, h[4] - g1 * w1, h[5] - g1 * w2,
            h[6] - g2 * w0, h[7] - g2 * w1, h[8] - g2 * w2,
        ),
        (
            m[0] - k0 * w0, m[1] - k1 * w0, m[2] - k1 * w1,
            m[3] - k2 * w0, m[4] - k2 * w1, m[5] - k2 * w2,
        ),
    )  # fmt: skip


@formula
def crossed(r: Any, m: Any) -> Any:
    r"""$\hat r M$, row-major, for a lower triangle M."""
    x, y, z = r
    return (
        y * m[3] - z * m[1], y * m[4] - z * m[2], y * m[5] - z * m[4],
        z * m[0] - x * m[3], z * m[1] - x * m[4], z * m[3] - x * m[5],
        x * m[1] - y * m[0], x * m[2] - y * m[1], x * m[4] - y * m[3],
    )  # fmt: skip


@formula
def lever_inertia(r: Any, k: Any) -> Any:
    r"""$-K\hat r$ for $K = \hat r M$: the rotary inertia of M at a lever, lower triangle.

    Row i of $-K\hat r$ is $r \times k_i$, with $k_i$ the rows of K.
    """
    x, y, z = r
    return (
        y * k[2] - z * k[1],
        y * k[5] - z * k[4], z * k[3] - x * k[5],
        y * k[8] - z * k[7], z * k[6] - x * k[8], x * k[7] - y * k[6],
    )  # fmt: skip


@formula
def shifted(a: Any, r: Any) -> Any:
    r"""(I, H, M) seen from a point whose lever to the old one is r.

    The old point accelerates with $a + \alpha\times r$, and $n' = n + r\times f$:

    $$ M' = M, \quad H' = H + \hat r M, \quad
       I' = I + \hat r H^T - H\hat r - \hat r M\hat r
          = I + X + X^T - \hat r M \hat r, \quad X = -H\hat r . $$
    """
    rotary, h, linear = a
    k = crossed(r, linear)
    x, y, z = r
    own = lever_inertia(r, k)
    # Rows of X: r x h_i.
    x00, x01, x02 = y * h[2] - z * h[1], z * h[0] - x * h[2], x * h[1] - y * h[0]
    x10, x11, x12 = y * h[5] - z * h[4], z * h[3] - x * h[5], x * h[4] - y * h[3]
    x20, x21, x22 = y * h[8] - z * h[7], z * h[6] - x * h[8], x * h[7] - y * h[6]
    both = (2.0 * x00, x10 + x01, 2.0 * x11, x20 + x02, x21 + x12, 2.0 * x22)
    return sum6(sum6(rotary, own), both), sum9(h, k), linear


@formula
def moved_wrench(wrench: Any, r: Any) -> Any:
    """A wrench seen from a point whose lever to the old one is r."""
    return add(wrench[0], cross(r, wrench[1])), wrench[1]


@formula
def gyroscopic(d: Any, omega: Any) -> Any:
    r"""$-\omega\times\Theta\omega$ in principal axes, $\Theta = \mathrm{diag}(d)$."""
    return cross((d[0] * omega[0], d[1] * omega[1], d[2] * omega[2]), omega)
