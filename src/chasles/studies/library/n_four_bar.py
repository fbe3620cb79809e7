"""IFToMM A02: N four-bar windows side by side, which pass a pose with N + 1 degrees of freedom."""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Revolute
from chasles.model.checks import checked_count
from chasles.model.errors import InvalidOption
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check
from chasles.studies.library.described import described
from chasles.studies.library.measures import point_path

MASS = 1.0  # kg, of every link
LENGTH = 1.0  # m, of every link
GRAVITY = 9.81  # m/s^2
SPEED = 1.0  # m/s, of B0 along +x at the start
HIGH_PRECISION = 1e-3  # m, by the stricter of the two errors that the first description allows
FEW = 6  # windows that are drawn whole and saved at every step
MOST_WINDOWS = 10_000
TRACED = {"B0": ("upright 0", (0.0, LENGTH, 0.0))}  # the top of the first upright link


def model(windows: int) -> Model:
    """N + 1 upright links on the ground, N level links between their tops, all joints revolute."""
    bodies, joints = [], []
    for i in range(windows + 1):
        upright = Body.rod(
            f"upright {i}", LENGTH, mass=MASS, axis="y", position=(i * LENGTH, LENGTH / 2, 0),
            angular_velocity=(0, 0, -SPEED / LENGTH),
        )  # fmt: skip
        bodies.append(upright)
        joints.append(Revolute(f"A{i}", GROUND, upright, at=(i * LENGTH, 0, 0), axis="z"))
    for i in range(windows):
        left, right = (i * LENGTH, LENGTH, 0), ((i + 1) * LENGTH, LENGTH, 0)
        middle = ((i + 0.5) * LENGTH, LENGTH, 0)
        level = Body.rod(f"level {i}", LENGTH, mass=MASS, position=middle)
        bodies.append(level)
        joints.append(Revolute(f"B{i} right", f"upright {i}", level, at=left, axis="z"))
        joints.append(Revolute(f"B{i + 1} left", level, f"upright {i + 1}", at=right, axis="z"))
    return Model(bodies, joints, gravity=(0, -GRAVITY, 0))


def exact_position(windows: int, t: Floats) -> Floats:
    r"""B0 (T, 3) in m, in closed form, as long as all windows stay parallelograms.

    The angle of the uprights from the top is that of a pendulum that turns over and over,
    $\theta'' = k \sin\theta$ with $k = \frac{g}{l} \frac{(N+1)/2 + N}{(N+1)/3 + N}$, so that

    $$ \tfrac12(\theta - \pi) = \mathrm{am}(\Omega t - K(m), m), \qquad
       \Omega^2 = \tfrac14\omega_0^2 + k, \quad m = k / \Omega^2 . $$
    """
    from scipy.special import ellipj, ellipk  # late: an import of chasles brings no SciPy

    level, upright = windows, windows + 1
    k = GRAVITY / LENGTH * (upright / 2 + level) / (upright / 3 + level)
    square = (SPEED / LENGTH) ** 2 / 4 + k
    sn, cn, _, _ = ellipj(np.sqrt(square) * np.asarray(t) - ellipk(k / square), k / square)
    return LENGTH * np.stack((-2 * sn * cn, 2 * sn**2 - 1, np.zeros_like(sn)), axis=-1)


def sized(windows: int) -> dict[str, Any]:
    many = windows > FEW
    return {
        "links": 2 * windows + 1,
        "freedoms": windows + 1,
        "redundant": 3 * windows,
        "options": {"singular": "pass", "save_every": 10 if many else 1},
        "cropped": (-1.3, 6.3, -1.3, 1.5) if many else None,
    }


def checks(result: Result, windows: int) -> list[Check]:
    tip = point_path(result, *TRACED["B0"])
    missed = np.linalg.norm(tip - exact_position(windows, result.t), axis=1)
    return [Check("B0's distance to the closed form", float(missed.max()), HIGH_PRECISION, "m")]


def n_four_bar(windows: int) -> Benchmark:
    """The benchmark with that many windows.

    >>> n_four_bar(3).model()
    Model(7 bodies, 10 joints, 3 loops, 1 degree of freedom)
    """
    count = checked_count(windows, "windows", MOST_WINDOWS, "n_four_bar", InvalidOption)
    return described("A02", f"A02-{count}", windows=count)
