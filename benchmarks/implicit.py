"""Steps that are solved for: generalized-alpha beside Exudyn's, and implicit steps of long chains.

    python benchmarks/run.py --only implicit --only implicit-growth

Exudyn closes joints of bodies with six coordinates on index 3.  So does generalized-alpha on
charts (SE3, SO3xR3); on subgroups the joints of a tree have no index, and it solves for what moves.
"""

from typing import Any

import models
import numpy as np
import scenes
from clocks import STEP, clock, make_stepper
from findings import Figure, Findings, Requirement, Series
from libraries import race
from precision import KNOWN, PARTS, UNTIL, reference

import chasles as ch
from chasles.core.outcomes import ITERATED
from chasles.many.quiet import simulate_quietly
from chasles.studies import gallery

RHO = 0.9  # Exudyn's default
SPACES = ("auto", "SE3", "SO3xR3")
ONE_SECOND = 1000  # steps
SAME_STEP_LIMIT = 1 / 5
LENGTHS = (64, 256, 1024, 4096)
#: Exponent of the time of a step against the number of bodies.
GROWTH_LIMIT = 1.05
STEPS = 20  # for every length: how much a step iterates depends on the motion
#: In the hinges of a chain; steps of 1 ms do not resolve it, explicit ones fail.
STIFFNESS, DAMPING = 5e3, 5.0


def same_step(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Generalized-alpha for a second at 1 ms."""
    method = ch.generalized_alpha(rho=RHO)
    for scene in (scenes.heavy_top(), scenes.double_pendulum()):
        case, model = f"{scene.name}, generalized-alpha", models.build(scene)
        entered = {}
        for spaces in SPACES:
            stepper = make_stepper(model, method, spaces)
            entered["chasles", spaces] = clock(stepper, stepper.advance_generic, ONE_SECOND)
            error = error_of(scene, model, method, spaces)
            findings.figures.append(Figure(case, "chasles", f"{spaces}, error", error, "m"))
        if "Exudyn" in libraries:
            peer = libraries["Exudyn"]
            seconds = peer.run_clock(scene, ONE_SECOND * STEP, ONE_SECOND)
            entered["Exudyn", "index 3"] = lambda run=seconds: 1e6 * run() / ONE_SECOND
            found = peer.path(scene, UNTIL, PARTS, round(UNTIL / STEP))[list(KNOWN)]
            error = float(np.abs(found - reference(scene)).max())
            findings.figures.append(Figure(case, "Exudyn", "index 3, error", error, "m"))
        best = race(entered, effort.rounds)
        for (library, variant), value in best.items():
            findings.figures.append(Figure(case, library, variant, value, "us/step"))
        peer_time = best.get(("Exudyn", "index 3"))
        ratio = None if peer_time is None else best["chasles", "auto"] / peer_time
        what = f"{case} / Exudyn's at the same step"
        findings.requirements.append(Requirement(what, ratio, SAME_STEP_LIMIT))


def error_of(scene: scenes.Scene, model: ch.Model, method: Any, spaces: str) -> float:
    steps = round(UNTIL / STEP)
    run = simulate_quietly(
        model, UNTIL, step=STEP, method=method, spaces=spaces, save_every=steps // PARTS,
        progress=False,
    )  # fmt: skip
    found = np.stack([run.position(link.name)[1:] for link in scene.links], axis=1)
    return float(np.abs(found[list(KNOWN)] - reference(scene)).max())


def sprung_chain(length: int) -> ch.Model:
    """A chain of hinges with a stiff spring in each."""
    chain = gallery.chain(length, "revolute")
    springs = [
        ch.JointSpring(f"spring {k}", joint, stiffness=STIFFNESS, damping=DAMPING)
        for k, joint in enumerate(chain.joints)
    ]
    return ch.Model(list(chain.bodies), list(chain.joints), forces=springs, gravity=chain.gravity)


CHAINS = {
    ("chain of balls", "generalized-alpha", "auto"): gallery.chain,
    ("chain of balls", "generalized-alpha", "SE3"): gallery.chain,
    ("chain of stiff hinges", "generalized-alpha", "auto"): sprung_chain,
    ("chain of stiff hinges", "linearly-implicit", "auto"): sprung_chain,
    ("chain of stiff hinges", "linearly-implicit", "SE3"): sprung_chain,
}


def growth(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Microseconds per link and step, from 64 to 4096 links."""
    for (name, method, spaces), build in CHAINS.items():
        entered, iterated = {}, {}
        for length in LENGTHS:
            stepper = make_stepper(build(length), method, spaces)
            runs = LENGTHS[-1] // length
            entered[length] = clock(stepper, stepper.advance_generic, STEPS, runs=runs)
            iterated[length] = iterations(stepper)
        best = race(entered, min(3, effort.rounds))
        case, variant = f"{name}, implicit", f"{method}, {spaces}"
        for length, value in best.items():
            words = f"{variant}, N = {length}"
            findings.figures.append(Figure(case, "chasles", words, value / length, "us/link"))
            if iterated[length]:
                words, each = f"{words}, iterations", iterated[length]
                findings.figures.append(Figure(case, "chasles", words, each, "a step"))
        times = np.array([best[length] for length in LENGTHS])
        findings.series.append(
            Series("implicit growth", name, variant, LENGTHS, (times / LENGTHS).tolist())
        )
        exponent = float(np.polyfit(np.log(LENGTHS), np.log(times), 1)[0])
        what = f"{name}, {variant}: exponent of growth from N = {LENGTHS[0]} to {LENGTHS[-1]}"
        findings.requirements.append(Requirement(what, exponent, GROWTH_LIMIT))


def iterations(stepper: Any) -> float:
    """Of a step of the run that is timed; 0 for methods that do not iterate."""
    iteration = getattr(stepper.scheme, "iteration", None)
    if iteration is None:
        return 0.0
    before = iteration.tally[ITERATED]
    clock(stepper, stepper.advance_generic, STEPS)()
    return float(iteration.tally[ITERATED] - before) / STEPS


CASES = {"implicit": same_step, "implicit-growth": growth}
