"""Whether operations, by which `advise` ranks, go with the time that steps take.

    python benchmarks/advice.py [--all]

For every model: operations and microseconds of a step in all combinations of spaces, stabilisers
and methods, the least and greatest time of an operation, and how many pairs of combinations, one of
which takes FACTOR times as long as the other, the operations put into the wrong order.
"""

import sys
from itertools import combinations
from math import inf
from typing import Any

from chasles.many.quiet import simulate_quietly
from chasles.model import ChaslesError
from chasles.model.tables import Table
from chasles.studies import gallery
from chasles.studies.advice_search import combined
from chasles.studies.measure import Candidate
from chasles.studies.operations import Counting

#: Times that differ by less are not told apart.
FACTOR = 1.5
STEP, STEPS, ROUNDS = 5e-4, 400, 9
SPACES, STABILISERS = ("auto", "SE3", "SO3xR3"), (None, "projection", "projection of all joints")
METHODS = ("heun", "rk4", "dop853", "gauss4", "half-explicit", "generalized-alpha", "rattlie")
MODELS = {
    "heavy top": gallery.heavy_top(),
    "double pendulum": gallery.double_pendulum(),
    "three-bar": gallery.three_bar(),
    "slider-crank": gallery.slider_crank(),
    "tree of 4": gallery.random_tree(3, bodies=4),
    "chain of 24": gallery.chain(24, spin=2.0),  # counted from its structure
}


def measured(model: Any) -> list[tuple[str, float, float]]:
    """(combination, operations, microseconds) of a step."""
    counting, kept = Counting(model, STEP), []
    for candidate in combined(model, SPACES, METHODS, STABILISERS, "screw"):
        options = {**candidate.options, "step": STEP}
        try:
            run = simulate_quietly(model, STEPS * STEP, **options, save_every=STEPS)
        except ChaslesError:
            continue
        operations = counting.cost_of(options).of(run)
        kept.append((Candidate(candidate.label, options), operations))
    times = [inf] * len(kept)
    for _ in range(ROUNDS):  # in turn, so that all meet the same machine
        for k, (candidate, _) in enumerate(kept):
            run = simulate_quietly(model, STEPS * STEP, **candidate.options, save_every=STEPS)
            times[k] = min(times[k], 1e6 * run.provenance.seconds_in_steps / STEPS)
    return [(c.label, count, time) for (c, count), time in zip(kept, times)]


def main() -> None:
    rows = []
    for name, model in MODELS.items():
        found = measured(model)
        each = [1e3 * time / count for _, count, time in found]
        apart = [
            (one, other) for one, other in combinations(found, 2)
            if max(one[2], other[2]) > FACTOR * min(one[2], other[2])
        ]  # fmt: skip
        if "--all" in sys.argv:
            for label, count, time in sorted(found, key=lambda row: row[2] / row[1]):
                print(f"{name}: {label}: {count:.0f} operations, {time:.2f} us")
        wrong = [(a, b) for a, b in apart if (a[1] < b[1]) != (a[2] < b[2])]
        worst = max((max(a[2], b[2]) / min(a[2], b[2]) for a, b in wrong), default=1.0)
        rows.append(
            [name, str(len(found)), f"{min(each):.2f}", f"{max(each):.2f}",
             f"{len(wrong)} of {len(apart)}", f"{worst:.2f}"]
        )  # fmt: skip
    header = ["model", "combinations", "ns/op, least", "greatest", "in wrong order", "by, at most"]
    print(Table(header, rows).text())


if __name__ == "__main__":
    main()
