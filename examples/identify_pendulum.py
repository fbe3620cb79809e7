"""The inertia of a link and the place of its joint, identified from noisy positions.

A double pendulum swings for a second; fifty positions of its lower link are measured to a
millimetre.  The misfit of a run to them has an exact gradient, so a quasi-Newton method finds the
parameters in a few runs; differences of gradients give the Hessian there, and with it how certain
they are.
"""

import numpy as np
from scipy.optimize import minimize

import chasles as ch

UNTIL, STEP, EVERY, NOISE = 1.0, 2e-3, 10, 1e-3
TRUE = np.array([0.05, 0.8])  # inertia about y of the lower link (kg m^2), x of the elbow (m)


def pendulum(inertia: float, elbow: float) -> ch.Model:
    upper = ch.Body.rod("upper", 0.8, mass=1.5, position=(0.4, 0, 0))
    lower = ch.Body("lower", 1.0, np.diag([0.01, inertia, inertia]), position=(1.1, 0, -0.1))
    joints = [
        ch.Revolute("shoulder", ch.GROUND, upper, at=(0, 0, 0), axis=(0, 1, 0)),
        ch.Revolute("elbow", upper, lower, at=(elbow, 0, 0), axis=(0, 1, 0)),
    ]
    return ch.Model([upper, lower], joints)


measured = ch.simulate(pendulum(*TRUE), UNTIL, STEP, save_every=EVERY).position("lower")
measured = measured + NOISE * np.random.default_rng(4).normal(size=measured.shape)


def misfit(parameters: np.ndarray) -> tuple[float, np.ndarray]:
    """Half the sum of squares of the residuals in units of the noise, and its gradient."""
    found = ch.gradient(
        pendulum(*parameters),
        lambda run: 0.5 * (((run.position("lower") - measured) / NOISE) ** 2).sum(),
        ["lower.inertia", "elbow.at"], UNTIL, STEP, save_every=EVERY,
    )  # fmt: skip
    inertia = found["lower.inertia"]  # about y and z at once
    return found.value, np.array([inertia[1, 1] + inertia[2, 2], found["elbow.at"][0]])


scale = np.array([1e-3, 1e-3])
guess = TRUE * [1.3, 0.95]
answer = minimize(
    lambda x: tuple(part * factor for part, factor in zip(misfit(scale * x), (1.0, scale))),
    guess / scale, jac=True, method="BFGS", options={"gtol": 1e-2},
)  # fmt: skip
found = scale * answer.x

# The Hessian of half the squares is the inverse of the covariance.
steps = 1e-4 * TRUE
columns = [
    (misfit(found + step)[1] - misfit(found - step)[1]) / (2 * size)
    for step, size in zip(np.diag(steps), steps)
]
covariance = np.linalg.inv(np.array(columns))
deviation = np.sqrt(np.diag(covariance))
for name, value, sigma, true in zip(("inertia", "elbow"), found, deviation, TRUE):
    print(f"{name:8}{value:.5f} +- {sigma:.5f}, in truth {true}")
print(f"after {answer.nfev} runs and their gradients")

residuals = 3 * len(measured) - 2
assert np.all(np.abs(found - TRUE) < 3.5 * deviation)
assert np.all(deviation < 0.02 * TRUE)
assert abs(2 * answer.fun / residuals - 1.0) < 0.35  # chi squared: noise is all that is left
