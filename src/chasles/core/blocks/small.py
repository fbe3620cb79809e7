r"""LDL^T of symmetric 3x3 and 6x6 blocks, written out.

A block is its lower triangle, row by row: (a00, a10, a11, a20, ...).  Its factor has the same
shape: unit lower L below the diagonal, $1/D$ on it.  No square root, one division per row, no loop:
the compiler keeps everything in registers, which is five times faster than loops of length six.
Each operation comes twice, for three and for six.
"""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import get6, put3, put6, vec3

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

# --- reading and writing triangles ---


@formula
def get_triangle6(p: Any, at: int) -> Any:
    return get6(p, at) + get6(p, at + 6) + get6(p, at + 12) + vec3(p, at + 18)


@formula
def put_triangle6(p: Any, at: int, f: Any) -> None:
    put6(p, at, f[0:6])
    put6(p, at + 6, f[6:12])
    put6(p, at + 12, f[12:18])
    put3(p, at + 18, f[18:21])


# --- factorisation ---


@formula
def ldl3(a: Any) -> Any:
    a00, a10, a11, a20, a21, a22 = a
    i0 = 1.0 / a00
    l10 = a10 * i0
    i1 = 1.0 / (a11 - a10 * l10)
    a21 = a21 - a20 * l10
    l20, l21 = a20 * i0, a21 * i1
    i2 = 1.0 / (a22 - a20 * l20 - a21 * l21)
    return i0, l10, i1, l20, l21, i2


@formula
def ldl6(a: Any) -> Any:
    (a00, a10, a11, a20, a21, a22, a30, a31, a32, a33,
     a40, a41, a42, a43, a44, a50, a51, a52, a53, a54, a55) = a  # fmt: skip
    i0 = 1.0 / a00
    l10 = a10 * i0
    i1 = 1.0 / (a11 - a10 * l10)
    a21, a31 = a21 - a20 * l10, a31 - a30 * l10
    a41, a51 = a41 - a40 * l10, a51 - a50 * l10
    l20, l21 = a20 * i0, a21 * i1
    i2 = 1.0 / (a22 - a20 * l20 - a21 * l21)
    a32 = a32 - a30 * l20 - a31 * l21
    a42 = a42 - a40 * l20 - a41 * l21
    a52 = a52 - a50 * l20 - a51 * l21
    l30, l31, l32 = a30 * i0, a31 * i1, a32 * i2
    i3 = 1.0 / (a33 - a30 * l30 - a31 * l31 - a32 * l32)
    a43 = a43 - a40 * l30 - a41 * l31 - a42 * l32
    a53 = a53 - a50 * l30 - a51 * l31 - a52 * l32
    l40, l41, l42, l43 = a40 * i0, a41 * i1, a42 * i2, a43 * i3
    i4 = 1.0 / (a44 - a40 * l40 - a41 * l41 - a42 * l42 - a43 * l43)
    a54 = a54 - a50 * l40 - a51 * l41 - a52 * l42 - a53 * l43
    l50, l51, l52, l53, l54 = a50 * i0, a51 * i1, a52 * i2, a53 * i3, a54 * i4
    i5 = 1.0 / (a55 - a50 * l50 - a51 * l51 - a52 * l52 - a53 * l53 - a54 * l54)
    return (i0, l10, i1, l20, l21, i2, l30, l31, l32, i3,
            l40, l41, l42, l43, i4, l50, l51, l52, l53, l54, i5)  # fmt: skip


# --- solves: L x = b, then D^-1, then L^T x = b ---


@formula
def forward3(f: Any, b: Any) -> Any:
    x1 = b[1] - f[1] * b[0]
    return b[0], x1, b[2] - f[3] * b[0] - f[4] * x1


@formula
def forward6(f: Any, b: Any) -> Any:
    x0 = b[0]
    x1 = b[1] - f[1] * x0
    x2 = b[2] - f[3] * x0 - f[4] * x1
    x3 = b[3] - f[6] * x0 - f[7] * x1 - f[8] * x2
    x4 = b[4] - f[10] * x0 - f[11] * x1 - f[12] * x2 - f[13] * x3
    x5 = b[5] - f[15] * x0 - f[16] * x1 - f[17] * x2 - f[18] * x3 - f[19] * x4
    return x0, x1, x2, x3, x4, x5


@formula
def scale3(f: Any, x: Any) -> Any:
    return x[0] * f[0], x[1] * f[2], x[2] * f[5]


@formula
def scale6(f: Any, x: Any) -> Any:
    return x[0] * f[0], x[1] * f[2], x[2] * f[5], x[3] * f[9], x[4] * f[14], x[5] * f[20]


@formula
def backward3(f: Any, b: Any) -> Any:
    x1 = b[1] - f[4] * b[2]
    return b[0] - f[1] * x1 - f[3] * b[2], x1, b[2]


@formula
def solve3(f: Any, b: Any) -> Any:
    return backward3(f, scale3(f, forward3(f, b)))


@formula
def backward6(f: Any, b: Any) -> Any:
    x5 = b[5]
    x4 = b[4] - f[19] * x5
    x3 = b[3] - f[13] * x4 - f[18] * x5
    x2 = b[2] - f[8] * x3 - f[12] * x4 - f[17] * x5
    x1 = b[1] - f[4] * x2 - f[7] * x3 - f[11] * x4 - f[16] * x5
    x0 = b[0] - f[1] * x1 - f[3] * x2 - f[6] * x3 - f[10] * x4 - f[15] * x5
    return x0, x1, x2, x3, x4, x5


@formula
def dot6(x: Any, y: Any) -> Any:
    return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5])


@formula
def minus_scaled6(x: Any, s: Any, y: Any) -> Any:
    return (
        x[0] - s * y[0], x[1] - s * y[1], x[2] - s * y[2],
        x[3] - s * y[3], x[4] - s * y[4], x[5] - s * y[5],
    )  # fmt: skip
