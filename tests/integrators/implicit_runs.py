"""Mechanisms and measurements that the tests of implicit methods share."""

from functools import cache

import numpy as np
from mechanisms import SPACES, double_pendulum, heavy_top, three_bar
from runs import driven_chain

import chasles as ch

EVERY_SPACE = (*SPACES, "subgroups")


def on_bushing() -> ch.Model:
    """A block on a bushing carries a link on a ball: 30 Hz and more, damped to a tenth."""
    block = ch.Body.box("block", size=(0.2, 0.1, 0.1), mass=2.0, position=(0, 0, 0))
    link = ch.Body.rod("link", length=0.4, mass=1.0, position=(0.3, 0, 0), axis="x")
    pad = ch.Bushing("pad", ch.GROUND, block, (0, 0, -0.1), (4e4, 5e4, 6e4, 300, 200, 250),
                     damping=(40, 50, 60, 0.3, 0.2, 0.25))  # fmt: skip
    return ch.Model([block, link], [ch.Spherical("ball", block, link, at=(0.1, 0, 0))], [pad])


#: Mechanism, a joint, how long, and steps at which the order shows.
MECHANISMS = {
    "top": (heavy_top, "pivot", 0.1, (100, 200)),
    "pendulum": (double_pendulum, "elbow", 0.1, (100, 200)),
    "three-bar": (three_bar, "middle", 0.1, (200, 400)),
    "driven": (driven_chain, "joint 1", 0.4, (200, 400)),
    "bushing": (on_bushing, "ball", 0.1, (200, 400)),
}


@cache
def converged(mechanism: str, steps: int, every: int = 1) -> ch.Result:
    """Order eight in a thousand steps or more, saved at the ends of every so many steps."""
    make, _, until, _ = MECHANISMS[mechanism]
    finer = max(1, 1000 // steps)
    options = {"method": "dop853", "spaces": "subgroups", "save_every": finer * every}
    return ch.simulate(make(), until, step=until / steps / finer, **options)


def errors(mechanism: str, steps: int, **options) -> np.ndarray:
    """Of positions and rotations, of velocities, and of a reaction after the first half (N).

    At all steps of the shorter runs: the largest error of a velocity is that of the first steps.
    """
    make, joint, until, _ = MECHANISMS[mechanism]
    every = 1 if steps <= 400 else steps // 200
    result = ch.simulate(make(), until, step=until / steps, save_every=every, **options)
    end, late = converged(mechanism, steps, every), slice(len(result.t) // 2, None)
    order = [list(end.problem.setup.body_index).index(k) for k in result.problem.setup.body_index]
    apart = result.absolute - end.absolute[:, order]
    force = result.reaction(joint).force - end.reaction(joint).force
    return np.array([
        np.abs(apart[..., :12]).max(), np.abs(apart[..., 12:]).max(), np.abs(force[late]).max()
    ])  # fmt: skip


def observed_orders(mechanism: str, counts=None, **options) -> np.ndarray:
    """Slopes of these errors over the step."""
    counts = counts or MECHANISMS[mechanism][3]
    found = [errors(mechanism, steps, **options) for steps in counts]
    return np.log(found[0] / found[-1]) / np.log(counts[-1] / counts[0])


def first_reactions(space: str, method, counts=(100, 200, 400)) -> float:
    """The order of the heavy top's reaction, at all steps from the first on."""
    found = []
    for steps in counts:
        result = ch.simulate(heavy_top(), 0.1, step=0.1 / steps, method=method, spaces=space)
        apart = result.reaction("pivot").force - converged("top", steps).reaction("pivot").force
        found.append(np.abs(apart[1:]).max())
    return np.log(found[-2] / found[-1]) / np.log(counts[-1] / counts[-2])


def bob_on_a_damper(damping: float) -> ch.Model:
    """A ball of 1 kg that a damper holds as honey does."""
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0, position=(0.3, 0, -1.0))
    force = ch.Spring("honey", ch.GROUND, bob, (0, 0, 0), (0.3, 0, -1.0), 50.0, damping)
    return ch.Model([bob], forces=[force])


#: Steps at which the order of a method shows, as multiples of those of MECHANISMS.  Longer ones are
#: not asymptotic, and below 1e-9 the errors of reactions are rounding over h^2.
FINER = {
    "generalized-alpha": dict.fromkeys(MECHANISMS, 1),
    "generalized-alpha index 2": dict.fromkeys(MECHANISMS, 1),
    "bliedf1": dict.fromkeys(MECHANISMS, 8),
    "bliedf2": dict.fromkeys(MECHANISMS, 4),
    "bliedf3": {"top": 2, "pendulum": 8, "three-bar": 1, "driven": 2, "bushing": 1},
    "bliedf4": {"top": 2, "pendulum": 4, "three-bar": 0.5, "driven": 1, "bushing": 1},
}


#: ... and where a space has others: the leading term shows later there.  On SE(3) shorter steps end
#: in rounding, of eps / h^2 in accelerations.
OWN = {
    ("bliedf3", "pendulum", "auto"): 16,
    ("bliedf3", "pendulum", "subgroups"): 16,
    ("bliedf3", "pendulum", "SO3xR3 on joints"): 11,
    ("bliedf4", "top", "SO3xR3"): 7,
}


def counts_of(method: str, mechanism: str, space: str = "SE3") -> tuple[int, ...]:
    """Numbers of steps at which the order of a method shows."""
    finer = OWN.get((method, mechanism, space), FINER[method][mechanism])
    return tuple(int(finer * count) for count in MECHANISMS[mechanism][3])


def print_table() -> None:
    """Least and greatest order of velocities, and of reactions, over all spaces."""
    print("| method |", " | ".join(MECHANISMS), "|")
    for method in FINER:
        cells = []
        for mechanism in MECHANISMS:
            found = np.array([
                observed_orders(mechanism, counts_of(method, mechanism, k), method=method, spaces=k)
                for k in EVERY_SPACE
            ])  # fmt: skip
            low, high = found.min(axis=0), found.max(axis=0)
            cells.append(f"{low[1]:.2f} … {high[1]:.2f}; {low[2]:.2f} … {high[2]:.2f}")
        print(f"| `{method}` |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    print_table()
