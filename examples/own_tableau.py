"""A method of one's own: Heun's method of order 3, and its order as a top shows it."""

from fractions import Fraction as F

import numpy as np

import chasles as ch

heun3 = ch.Tableau(
    a=[[0, 0, 0], [F(1, 3), 0, 0], [0, F(2, 3), 0]],
    b=[F(1, 4), 0, F(3, 4)],
    name="heun3",
)
print(heun3)
assert heun3.order == 3 and heun3.stages == 3

# A top in gravity: its rotations do not commute, so a wrong use of the group would cost order.
top = ch.Body.box(
    "top", (0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0), angular_velocity=(1, 9, 5)
)
model = ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))])


def attitude(method: str | ch.Tableau, steps: int) -> np.ndarray:
    """The top's rotation after one second."""
    result = ch.simulate(model, until=1.0, step=1.0 / steps, method=method, save_every=steps)
    return result.rotation("top")[-1]


exact = attitude("dop853", 2000)
errors = [np.abs(attitude(heun3, steps) - exact).max() for steps in (200, 400, 800)]
orders = np.log2(np.array(errors[:-1]) / errors[1:])
print("errors", errors, "observed orders", orders.round(2))
assert np.allclose(orders, 3, atol=0.1)

try:
    ch.Tableau([[0, 0], [1, 0]], [0.5, 0.4])
except ch.InvalidOption as error:
    print(error)
else:
    raise AssertionError("weights that do not sum to 1 must be refused")
