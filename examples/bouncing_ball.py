"""A ball that is thrown on a floor: it bounces, friction spins it up, and in the end it rolls.

Without friction and loss it would come back to its height for ever.  Friction turns a sliding ball
into one that rolls at five sevenths of its speed, whatever the coefficient is: the angular momentum
about a point of the floor stays.
"""

import numpy as np

import chasles as ch

radius, speed, stiffness = 0.1, 3.0, 5e4
ball = ch.Body.sphere("ball", radius, mass=1.0, position=(0, 0, 0.6), velocity=(speed, 0, 0))
floor = ch.Contact("floor", ch.GROUND, ball, at=(0, 0, 0), axis="z", stiffness=stiffness,
                   dissipation=0.6, friction=0.3, slip=0.1)  # fmt: skip
model = ch.Model([ball], forces=[floor])
result = ch.simulate(model, until=8.0, step=1e-4, save_every=10)  # sqrt(m / k) is 4e-3 s

height, v = result.position(ball)[:, 2], result.velocity(ball)
spin = result.angular_velocity(ball, "world")[:, 1]
print(f"rolls at {v[-1, 0]:.6f} m/s, by hand {5 / 7 * speed:.6f} m/s")
print(f"lost {-result.work(floor)[-1]:.3f} J, of which all are accounted for to"
      f" {abs(result.energy_balance()).max():.0e} J")  # fmt: skip
assert abs(v[-1, 0] - 5 / 7 * speed) < 1e-4 and abs(v[-1, 0] - radius * spin[-1]) < 1e-4

# It lies as deep in the floor as it weighs, and the floor never pulled.
push = result.force(floor).on(ball)[0]
assert abs(push[-1, 2] - 9.81) < 1e-3 and push[:, 2].min() > -1e-9
assert abs(radius - height[-1] - 9.81 / stiffness) < 1e-7

# Friction never exceeds mu N, and every bounce is lower than the one before.
assert (np.hypot(push[:, 0], push[:, 1]) <= 0.3 * push[:, 2] + 1e-12).all()
tops = height[1:-1][(np.diff(height)[:-1] > 0) & (np.diff(height)[1:] <= 0)]
assert len(tops) > 5 and (np.diff(tops) < 1e-9).all()
assert not result.warnings
