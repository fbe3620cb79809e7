"""IFToMM A02: N four-bar windows side by side, which pass a pose with N + 1 degrees of freedom."""

from functools import partial

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Revolute
from chasles.model.checks import checked_count
from chasles.model.errors import InvalidOption
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check
from chasles.studies.library.drawing import Drawing, Named
from chasles.studies.library.measures import energy_check, gap_checks, point_path

MASS = 1.0  # kg, of every link
LENGTH = 1.0  # m, of every link
GRAVITY = 9.81  # m/s^2
SPEED = 1.0  # m/s, of B0 along +x at the start
UNTIL = 10.0  # s
STEP = 1e-3  # s
ENERGY_ERROR = 0.1  # J, which the library allows
HIGH_PRECISION = 1e-3  # m, by the stricter of the two errors that the first description allows
Z = (0.0, 0.0, 1.0)
FEW = 6  # windows that are drawn whole and saved at every step
MOST_WINDOWS = 10_000


def model(windows: int) -> Model:
    """N + 1 upright links on the ground, N level links between their tops, all joints revolute."""
    bodies, joints = [], []
    for i in range(windows + 1):
        foot = (i * LENGTH, 0, 0)
        upright = Body.rod(
            f"upright {i}",
            LENGTH,
            mass=MASS,
            axis="y",
            position=(i * LENGTH, LENGTH / 2, 0),
            velocity=(SPEED / 2, 0, 0),
            angular_velocity=(0, 0, -SPEED / LENGTH),
        )
        bodies.append(upright)
        joints.append(Revolute(f"A{i}", GROUND, upright, at=foot, axis=Z))
    for i in range(windows):
        left, right = (i * LENGTH, LENGTH, 0), ((i + 1) * LENGTH, LENGTH, 0)
        level = Body.rod(
            f"level {i}",
            LENGTH,
            mass=MASS,
            position=((i + 0.5) * LENGTH, LENGTH, 0),
            velocity=(SPEED, 0, 0),
            angular_velocity=(0, 0, 0),
        )
        bodies.append(level)
        joints.append(Revolute(f"B{i} right", f"upright {i}", level, at=left, axis=Z))
        joints.append(Revolute(f"B{i + 1} left", level, f"upright {i + 1}", at=right, axis=Z))
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


def tip(result: Result) -> Floats:
    """Positions (T, 3) of B0, the top of the first upright link."""
    return point_path(result, "upright 0", (0.0, LENGTH, 0.0))


def checks(windows: int, result: Result) -> list[Check]:
    missed = np.linalg.norm(tip(result) - exact_position(windows, result.t), axis=1)
    return [
        energy_check(result, ENERGY_ERROR),
        Check("B0's distance to the closed form", float(missed.max()), HIGH_PRECISION, "m"),
        *gap_checks(result, 1e-8),
    ]


def curves(result: Result) -> Named:
    path = tip(result)
    return [("x", path[:, 0]), ("y", path[:, 1])]


def n_four_bar(windows: int, name: str = "") -> Benchmark:
    """The benchmark with that many windows.

    >>> n_four_bar(3).model()
    Model(7 bodies, 10 joints, 3 loops, 1 degree of freedom)
    """
    count = checked_count(windows, "windows", MOST_WINDOWS, "n_four_bar", InvalidOption)
    return Benchmark(
        name=name or f"A02-{count}",
        title=f"N-four-bar mechanism, N = {count}",
        source="E. Bayo, A. Avello: Singularity-free augmented Lagrangian algorithms for"
        " constrained multibody dynamics. Nonlinear Dynamics 5 (1994) 209-231, for N = 2;"
        " M. González, D. Dopico, U. Lugrís, J. Cuadrado: A benchmarking system for MBS simulation"
        " software. Multibody System Dynamics 16 (2006) 179-190, for N = 40. IFToMM Library of"
        " Computational Benchmark Problems, A02.",
        about="Square windows fall over through the horizontal, where their degrees of freedom jump"
        f" from 1 to {count + 1}: constraints lose rank there. As every joint is a revolute,"
        f" {3 * count} rows are redundant in every pose. Beyond the singular pose other motions"
        " are possible. The "
        "motion as a row of parallelograms has a closed form, with "
        "which the run is compared. It passes upright, an unstable equilibrium, with only 1"
        " m/s, so small errors of one turn grow in the "
        "next. The library judges by the energy (0.1 J) and"
        " B0's path. The first description runs N = 40 for 20 s and allows errors of 1e-3 (high"
        " precision); later ones run N = 2, and 10 s, which is taken here. All joints are"
        " projected to pass the singular poses.",
        parameters={
            "N": (count, ""),
            "links": (2 * count + 1, ""),
            "mass of a link": (MASS, "kg"),
            "length of a link": (LENGTH, "m"),
            "velocity of B0 at the start": ((SPEED, 0.0), "m/s"),
            "gravity along -y": (GRAVITY, "m/s²"),
        },
        model=partial(model, count),
        freedom=1,
        until=UNTIL,
        step=STEP,
        options={"singular": "pass", "save_every": 10 if count > FEW else 1},
        checks=partial(checks, count),
        drawing=Drawing(
            instants=(0.0, 0.35, 0.5, 0.62, 0.72),
            plane="xy",
            cropped=(-1.3, 6.3, -1.3, 1.5) if count > FEW else None,
            curves=curves,
            title="Position of B0",
            label="m",
            traces=lambda result: [("B0", tip(result))],
        ),
    )


BENCHMARKS = (n_four_bar(2, "A02"), n_four_bar(40))
