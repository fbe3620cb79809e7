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

SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
#: The first half of the lengths; the last of each is the one in the middle.
HALVES: dict[int, tuple[float, ...]] = {
    2: (1.0,),
    4: (SUZUKI, SUZUKI, 1.0 - 4.0 * SUZUKI),
    6: (
        0.39216144400731413928,
        0.33259913678935943860,
        -0.70624617255763935981,
        0.08221359629355080023,
        0.79854399093482996340,
    ),
    8: (
        0.13020248308889008088,
        0.56116298177510838456,
        -0.38947496264484728641,
        0.15884190655515560090,
        -0.39590389413323757734,
        0.18453964097831570709,
        0.25837438768632204729,
        0.29501172360931029887,
        -0.60550853383003451170,
    ),
}


def composition(order: int) -> Floats:
    """The lengths of all steps, as fractions of the whole."""
    half = HALVES[order]
    return np.array((*half, *half[-2::-1]))
