"""A pole on a cart, swung up and balanced: an environment as libraries of learning expect it.

`reset` and `step` are those of Gymnasium, without depending on it.  The pole hangs at first; energy
is pumped into it until it is nearly upright, where a linear controller catches it.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

import chasles as ch

CART, POLE, LENGTH = 1.0, 0.2, 1.0  # kg, kg, m
INERTIA = POLE * LENGTH**2 / 3  # of a thin rod about its end
STEP, EVERY = 1e-3, 20  # s, and steps of the mechanics per step of the environment


def make_model():
    cart = ch.Body.box("cart", (0.3, 0.2, 0.1), mass=CART)
    pole = ch.Body.rod("pole", mass=POLE, between=((0, 0, 0), (0, 0, -LENGTH)), radius=1e-6)
    rail = ch.Prismatic("rail", ch.GROUND, cart, axis="x")
    pivot = ch.Revolute("pivot", cart, pole, at=(0, 0, 0), axis=(0, -1, 0))
    motor = ch.Motor("motor", rail, effort=0.0, limit=20.0)
    return ch.Model([cart, pole], [rail, pivot], [motor])


class SwingUp:
    """Observation: place and speed of the cart, angle from upright and its rate."""

    def __init__(self):
        self.simulation = ch.Simulation(make_model(), step=STEP)

    def reset(self, seed=None):
        angle = np.random.default_rng(seed).uniform(-0.1, 0.1)
        self.simulation.reset(start={"pivot": angle})
        return self.observation(), {}

    def step(self, action):
        self.simulation.step({"motor": action}, steps=EVERY)
        seen = self.observation()
        reward = np.cos(seen[2]) - 0.01 * seen[0] ** 2
        return seen, reward, abs(seen[0]) > 5.0, self.simulation.time > 20.0, {}

    def observation(self):
        q, rate = self.simulation.coordinates, self.simulation.rates
        angle = (q["pivot"] + 2 * np.pi) % (2 * np.pi) - np.pi  # 0 is upright
        return np.array([q["rail"], rate["rail"], angle, rate["pivot"]])


def gains():
    """Of the linear-quadratic regulator about upright, where tip and cart move as
    (M + m) x'' - m l/2 a'' = u and I a'' - m l/2 x'' = m g l/2 a.
    """
    half = POLE * LENGTH / 2
    inverse = np.linalg.inv([[CART + POLE, -half], [-half, INERTIA]])
    slopes, push = np.zeros((4, 4)), np.zeros((4, 1))
    slopes[[0, 2], [1, 3]] = 1.0
    slopes[[1, 3], 2] = inverse[:, 1] * half * 9.81
    push[[1, 3], 0] = inverse[:, 0]
    cost = solve_continuous_are(slopes, push, np.diag([1.0, 1.0, 10.0, 1.0]), [[0.1]])
    return (push.T @ cost / 0.1)[0]


GAINS = gains()


def policy(seen):
    """Pump energy while the pole is low; hold it by linear feedback near upright."""
    x, v, angle, rate = seen
    if abs(angle) < 0.4 and abs(rate) < 3.0:
        return float(-GAINS @ seen)
    missing = POLE * 9.81 * LENGTH / 2 * (1 - np.cos(angle)) - INERTIA * rate**2 / 2
    push = np.clip(40.0 * missing, -8, 8) * np.sign(rate * np.cos(angle) or 1.0)
    return float(push - x - v)


def main():
    world, actions = SwingUp(), []
    seen, _ = world.reset(seed=1)
    start = seen.copy()
    rewards = []
    over = False
    while not over:
        actions.append(policy(seen))
        seen, reward, fell, late, _ = world.step(actions[-1])
        rewards.append(reward)
        over = fell or late
    print(f"after {world.simulation.time:g} s: cart at {seen[0]:.2f} m, pole {seen[2]:.4f} rad")
    assert not fell and abs(seen[2]) < 0.02 and np.mean(rewards[-100:]) > 0.99

    # The same forces on the equations of a textbook, for the first three seconds.
    def slope(t, y, force):
        _, v, q, w = y  # q = 0 hangs
        half = POLE * LENGTH / 2
        mass = [[CART + POLE, half * np.cos(q)], [half * np.cos(q), INERTIA]]
        push = [force + half * np.sin(q) * w**2, -half * 9.81 * np.sin(q)]
        (pull, turn) = np.linalg.solve(mass, push)
        return v, pull, w, turn

    state = np.array([start[0], start[1], start[2] + np.pi, start[3]])
    for action in actions[:150]:
        span, force = (0.0, STEP * EVERY), float(np.clip(action, -20, 20))
        state = solve_ivp(slope, span, state, args=(force,), rtol=1e-10, atol=1e-12).y[:, -1]
    result = world.simulation.result()
    mine = result.coordinate("rail")[3000], result.coordinate("pivot")[3000]
    print(f"differs from SciPy after 3 s by {np.abs(np.subtract(mine, state[[0, 2]])).max():.0e}")
    assert np.allclose(mine, state[[0, 2]], atol=1e-6)
    assert np.abs(result.energy_balance()).max() < 1e-6


if __name__ == "__main__":
    main()
