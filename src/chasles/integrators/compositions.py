r"""Symmetric compositions of a symmetric method of order 2: steps of lengths $\gamma_i h$ in turn.

A method of order 2 whose error has even powers of h alone (it is symmetric) is composed to

$$ \Phi_{\gamma_1 h}\circ\dots\circ\Phi_{\gamma_s h}, \qquad \gamma_i = \gamma_{s+1-i}, $$

which is symmetric, and symplectic if $\Phi$ is, and of order 4 if $\sum\gamma_i = 1$ and
$\sum\gamma_i^3 = 0$; see Hairer, Lubich, Wanner (2006), V.3.  Some steps go backwards in time, as
they must beyond order 2 (Sheng 1989): damping with a rate beyond 1/h grows there.

order 4   5 steps, Suzuki (1990): $\gamma_1 = 1/(4 - 4^{1/3})$; its errors are a twentieth of those
          of the triple jump
order 6   9 steps, Kahan and Li (1997)
order 8   17 steps, Kahan and Li (1997)
"""

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.tableaux import published

SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))


def half_of(order: int) -> list[float]:
    """The first half of the lengths; the last is the one in the middle."""
    if order == 2:
        return [1.0]
    if order == 4:
        return [SUZUKI, SUZUKI, 1.0 - 4.0 * SUZUKI]
    found: list[float] = published("compositions")[str(order)]
    return found


def composition(order: int) -> Floats:
    """The lengths of all steps, as fractions of the whole."""
    half = half_of(order)
    return np.array((*half, *half[-2::-1]))
