"""An engine on four rubber mounts: where it settles, and how it shakes.

The mounts stand under the engine, so that it rocks about an axis below its centre of mass: the
frequencies of sideways motion and of rocking are not those of either alone, but the roots of a
quadratic equation.
"""

from math import pi

import numpy as np

import chasles as ch

mass, size = 120.0, (0.6, 0.4, 0.5)  # kg, m
engine = ch.Body.box("engine", size, mass=mass)
across, upright, height = 2e5, 4e5, -0.25  # N/m of every mount, and where they stand
places = [(x, y, height) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
mounts = [
    ch.Bushing(f"mount {k}", ch.GROUND, engine, at, (across, across, upright, 0, 0, 0))
    for k, at in enumerate(places)
]
model = ch.Model([engine], forces=mounts)

rest = ch.equilibrium(model)
print(rest)
sinks = -rest.state.position[0, 2]
print(f"the engine sinks by {1e3 * sinks:.3f} mm")
assert rest.stable and abs(sinks - mass * 9.81 / (4 * upright)) < 1e-12

relaxed = ch.linearise(ch.Model([engine], forces=mounts, gravity=(0, 0, 0)))
print(relaxed)

bounce = np.sqrt(4 * upright / mass)
inertia = np.diag(np.array(engine.inertia))
by_hand = [bounce]
for axis, half in ((0, 0.2), (1, 0.3)):  # about x and sideways y, about y and sideways x
    rocking = 4 * across * height**2 + 4 * upright * half**2
    coupled = np.array([[4 * across, 4 * across * height], [4 * across * height, rocking]])
    squares = np.linalg.eigvals(np.diag([1 / mass, 1 / inertia[axis]]) @ coupled)
    by_hand += np.sqrt(squares).tolist()
by_hand.append(np.sqrt(4 * across * (0.3**2 + 0.2**2) / inertia[2]))
assert np.allclose(relaxed.frequencies, np.sort(by_hand), rtol=1e-10)
print(f"the lowest frequency is {min(by_hand) / (2 * pi):.2f} Hz")

loaded = rest.linearise()
print(f"under its weight {loaded.hertz[0]:.4f} Hz, without {relaxed.hertz[0]:.4f} Hz")
assert loaded.hertz[0] < relaxed.hertz[0]
