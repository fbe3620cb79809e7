"""Recorded steps beside the generic kernel and MuJoCo, and ensembles in lanes beside its rollout.

    python benchmarks/run.py --only traced --only ensemble --only gradient

CPU time, the best of some rounds in which all take turns.  Compiling is measured on caches that are
empty.
"""

import os
import tempfile
import time
from collections.abc import Callable
from math import inf
from typing import Any

import models
import numpy as np
import scenes
from clocks import NEVER, STEP, clock, make_stepper
from findings import Figure, Findings, Requirement
from libraries import microseconds, race
from scenes import Scene

import chasles as ch
from chasles.many.ensembles.members import image_of
from chasles.many.gradients.gradient import make_tape
from chasles.many.traced.loop_ir import run_ir
from chasles.many.traced.machine import object_code
from chasles.many.traced.record import record
from chasles.many.traced.stepping import TracedSteps
from chasles.run.stepper import Stepper

#: Of MuJoCo's RK4, and seconds to record and compile.
LIMITS = {"heavy top": (0.02, 0.1), "double pendulum": (0.08, 0.5)}
MEMBER_STEPS = 1000
#: Members of the ensemble, microseconds per step of a member and core, and of MuJoCo's rollout.
MEMBERS, ENSEMBLE_LIMIT, ROLLOUT_LIMIT = 10_000, 0.03, 0.005


def seconds_to_compile(stepper: Stepper) -> float:
    """Recording and compiling, with nothing on disk: the best of three."""
    block = stepper.first_block()
    advance(stepper, block, 3)
    before, best = os.environ.get("CHASLES_CACHE_DIR"), inf
    records = stepper.mechanism, stepper.workspace, stepper.scheme
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CHASLES_CACHE_DIR"] = folder
            began = time.process_time()
            made = record(records, block, (3 * STEP, 4 * STEP), STEP)
            object_code(run_ir(made, stepper.layout.kept))
            best = min(best, time.process_time() - began)
    if before is None:
        del os.environ["CHASLES_CACHE_DIR"]
    else:
        os.environ["CHASLES_CACHE_DIR"] = before
    return best


def advance(stepper: Stepper, block: Any, steps: int) -> None:
    nowhere = np.zeros((1, 1))
    stepper.advance_generic(block, block.copy(), (0.0, STEP, 0, steps, NEVER), NEVER, 1, nowhere)


def traced_steps(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """One run of the small mechanisms."""
    for scene in (scenes.heavy_top(), scenes.double_pendulum()):
        case = f"{scene.name}, traced"
        stepper = make_stepper(models.build(scene))
        steps = effort.small_steps
        contenders = {("chasles", "generic"): clock(stepper, stepper.advance_generic, steps)}
        for word, contract in (("traced", False), ("traced, FMA", True)):
            quick = TracedSteps(stepper, STEP, contract)
            contenders["chasles", word] = clock(stepper, quick.advance, steps)
        if "MuJoCo" in libraries:
            contenders["MuJoCo", "RK4"] = mujoco_clock(libraries["MuJoCo"], scene, steps)
        best = race(contenders, effort.rounds)
        for (library, variant), value in best.items():
            findings.figures.append(Figure(case, library, variant, value, "us/step"))
        seconds = min(seconds_to_compile(make_stepper(models.build(scene))) for _ in range(3))
        findings.figures.append(Figure(case, "chasles", "record and compile", seconds, "s"))
        limit, patience = LIMITS[scene.name]
        peer = best.get(("MuJoCo", "RK4"))
        for word in ("traced", "traced, FMA"):
            ratio = None if peer is None else best["chasles", word] / peer
            what = f"{scene.name}: {word} / MuJoCo RK4"
            findings.requirements.append(Requirement(what, ratio, limit))
        findings.requirements.append(
            Requirement(f"{scene.name}: seconds to record and compile", seconds, patience)
        )


def mujoco_clock(peer: Any, scene: Scene, steps: int) -> Callable[[], float]:
    model, data = peer.build(scene)

    def measured() -> float:
        peer.restart(scene, model, data)
        began = time.process_time()
        peer.mujoco.mj_step(model, data, nstep=steps)
        return 1e6 * (time.process_time() - began) / steps

    return measured


def many_tops(scene: Scene) -> tuple[ch.Model, Any]:
    """The top, and a spin for each of the members."""
    spins = np.array(scene.links[0].angular_velocity) + np.random.default_rng(0).normal(
        size=(MEMBERS, 3)
    )
    model = models.build(scene)
    model = ch.Model(
        [ch.Body("top", b.mass, b.inertia, b.position, angular_velocity=b.angular_velocity)
         for b in model.bodies],
        [ch.Spherical("pivot", ch.GROUND, "top", at=scene.links[0].at)], gravity=model.gravity,
    )  # fmt: skip
    return model, spins


def ensemble_clock(model: ch.Model, spins: Any, exact: bool = True) -> Callable[[], float]:
    """Microseconds for a step of a member, on one core."""
    steps = MEMBER_STEPS

    def measured() -> float:
        began = time.process_time()
        found = ch.ensemble(
            model, {"top.angular_velocity": spins}, steps * STEP, STEP, exact=exact,
            save_every=steps, threads=1,
        )  # fmt: skip
        whole = time.process_time() - began
        # CPU time of the steps: the share of the wall time that they took.
        parts = found.attrs["seconds_in_steps"], found.attrs["seconds_setting_up"]
        share = min(1.0, parts[0] / (sum(parts) + 1e-9))
        return 1e6 * min(parts[0], whole * share) / len(spins) / steps

    return measured


def ensemble(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Ten thousand heavy tops, each with a spin of its own."""
    scene, case = scenes.heavy_top(), f"{MEMBERS} heavy tops"
    model, spins = many_tops(scene)
    contenders = {
        ("chasles", "lanes"): ensemble_clock(model, spins),
        ("chasles", "lanes, FMA"): ensemble_clock(model, spins, exact=False),
    }
    if "MuJoCo" in libraries:
        contenders["MuJoCo", "rollout"] = rollout_clock(libraries["MuJoCo"], scene, spins)
    best = race(contenders, min(5, effort.rounds))
    for (library, variant), value in best.items():
        findings.figures.append(Figure(case, library, variant, value, "us/step of a member"))
    peer = best.get(("MuJoCo", "rollout"))
    for word in ("lanes", "lanes, FMA"):
        ours = best["chasles", word]
        what = f"{case}, {word}: us per step and member"
        findings.requirements.append(Requirement(what, ours, ENSEMBLE_LIMIT))
        ratio = None if peer is None else ours / peer
        what = f"{case}, {word} / MuJoCo rollout"
        findings.requirements.append(Requirement(what, ratio, ROLLOUT_LIMIT))


def rollout_clock(peer: Any, scene: Scene, spins: Any) -> Callable[[], float]:
    """MuJoCo's loop over many systems, a hundred of them: each costs the same."""
    from mujoco import rollout

    model, data = peer.build(scene)
    few, steps = 100, 200
    states = []
    for spin in spins[:few]:
        peer.restart(scene, model, data)
        data.qvel[:3] = spin
        state = np.zeros(peer.mujoco.mj_stateSize(model, peer.mujoco.mjtState.mjSTATE_FULLPHYSICS))
        peer.mujoco.mj_getState(model, data, state, peer.mujoco.mjtState.mjSTATE_FULLPHYSICS)
        states.append(state)
    table = np.array(states)

    def measured() -> float:
        began = time.process_time()
        rollout.rollout(model, data, table, nstep=steps)
        return 1e6 * (time.process_time() - began) / few / steps

    return measured


def gradient(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """The way back along a thousand steps of the double pendulum, beside the way there."""
    steps, case = 1000, "double pendulum, gradient"
    stepper = make_stepper(models.double_pendulum())
    numbers = np.zeros(image_of(stepper).numbers.size, bool)
    tape = make_tape(stepper, numbers, STEP, steps)
    block = stepper.first_block()
    states = tape.segment(block, 0, steps)
    seeds = np.zeros((steps, tape.width))

    def there() -> float:
        began = time.process_time()
        tape.segment(block, 0, steps)
        return 1e6 * (time.process_time() - began) / steps

    def back() -> float:
        began = time.process_time()
        tape.back(states, 0, seeds, np.ones(tape.width))
        return 1e6 * (time.process_time() - began) / steps

    entered = {("chasles", "there"): there, ("chasles", "back"): back}
    if "Pinocchio" in libraries:  # for information: what a step's derivatives would begin with
        calls = libraries["Pinocchio"].derivatives(scenes.double_pendulum())
        entered["Pinocchio", "4 computeABADerivatives"] = microseconds(calls, steps)
    best = race(entered, max(5, effort.rounds))
    for (library, variant), value in best.items():
        findings.figures.append(Figure(case, library, variant, value, "us/step"))
    ratio = 1 + best["chasles", "back"] / best["chasles", "there"]
    findings.requirements.append(Requirement(f"{case}: / forward run", ratio, 5.0))


CASES = {"traced": traced_steps, "ensemble": ensemble, "gradient": gradient}
