r"""Commutator-free methods: one or two exponentials per stage, no brackets and no dexp^-1.

lie-euler  order 1, 1 stage: X_0 exp(h F_0), which is `euler` as well
cf2        order 2, 2 stages, 1 exponential: the midpoint rule with F itself as slope
cf3        order 3, 3 stages, 2 exponentials (Celledoni, Marthinsen, Owren 2003; on a vector space
           Heun's method with nodes 1/3 and 2/3)
cf4        order 4, 4 stages, 2 exponentials (the same paper; on a vector space `rk4`)

From "Commutator-free Lie group methods", Future Generation Computer Systems 19, 341-352.  There a
group acts from the left, so that their first factor stands on the right; here X_0 does.
"""

from chasles.integrators.products import Product

COMMUTATOR_FREE = {
    "lie-euler": Product(1, [[]], [[1.0]]),
    "cf2": Product(2, [[], [[1 / 2]]], [[0.0, 1.0]]),
    "cf3": Product(3, [[], [[1 / 3]], [[0.0, 2 / 3]]], [[1 / 3], [-1 / 12, 0.0, 3 / 4]]),
    "cf4": Product(
        4,
        [[], [[1 / 2]], [[0.0, 1 / 2]], [[1 / 2], [-1 / 2, 0.0, 1.0]]],
        [[3 / 12, 2 / 12, 2 / 12, -1 / 12], [-1 / 12, 2 / 12, 2 / 12, 3 / 12]],
    ),
}
