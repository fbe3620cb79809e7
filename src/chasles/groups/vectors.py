"""Vectors and 3x3 matrices as tuples of scalars.

Storage: vector (x, y, z); matrix (m00, m01, m02, m10, ..., m22), row by row; symmetric inertia
(xx, yy, zz, xy, xz, yz).
"""

from chasles.compiled import formula

ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

# --- vectors ---


@formula
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@formula
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@formula
def neg(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@formula
def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@formula
def axpy(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@formula
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a, b):
    """a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


# --- matrices ---


@formula
def matvec(m, v):
    """M v."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@formula
def tmatvec(m, v):
    """M^T v."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@formula
def transpose9(m):
    """M^T."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@formula
def matmul(a, b):
    """A B."""
    r0 = tmatvec(b, (a[0], a[1], a[2]))
    r1 = tmatvec(b, (a[3], a[4], a[5]))
    r2 = tmatvec(b, (a[6], a[7], a[8]))
    return (r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2])


@formula
def tmatmul(a, b):
    """A^T B."""
    return matmul(transpose9(a), b)


@formula
def matmult(a, b):
    """A B^T."""
    return matmul(a, transpose9(b))


@formula
def symvec(s, v):
    """S v for the symmetric S = (xx, yy, zz, xy, xz, yz)."""
    return (
        s[0] * v[0] + s[3] * v[1] + s[4] * v[2],
        s[3] * v[0] + s[1] * v[1] + s[5] * v[2],
        s[4] * v[0] + s[5] * v[1] + s[2] * v[2],
    )
