"""What convenience costs in two mechanisms of the gallery: ratios of CPU time, best of some rounds.

    python benchmarks/gallery.py

Stewart platform: its six legs driven by Python functions of time, beside the same motions as
tables.  Planetary gear: planets geared to the arm that carries them, beside the same wheels with
the same gears in bearings on the ground (a star gear), which only differ in what their pins hold
on to.
"""

import importlib.util
import time
from pathlib import Path
from types import ModuleType

import numpy as np

import chasles as ch

SCRIPTS = Path(__file__).parent.parent / "examples" / "gallery"
ROUNDS = 7
UNTIL, STEPS = 2 * np.pi, 1250


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(models: dict[str, ch.Model], rounds: int = ROUNDS) -> dict[str, float]:
    """CPU time of `simulate` as a whole; all take turns, so that all meet the same machine."""
    best = dict.fromkeys(models, np.inf)
    for _ in range(rounds):
        for name, model in models.items():
            began = time.process_time()
            ch.simulate(model, UNTIL, UNTIL / STEPS, stabilise="projection", progress=False)
            best[name] = min(best[name], time.process_time() - began)
    return best


def stewart() -> dict[str, ch.Model]:
    platform = load("stewart_platform").model
    times = np.linspace(0.0, UNTIL + 0.01, 1000)

    def as_table(driver: ch.Driver) -> ch.Driver:
        values = driver.motion.sample(times)[:, 0]
        return ch.Driver(driver.name, driver.joint, ch.Signal.table(times, values))

    tables = [as_table(driver) for driver in platform.drivers]
    return {
        "functions": platform,
        "tables": ch.Model(platform.bodies, platform.joints, drivers=tables),
    }


def planetary() -> dict[str, ch.Model]:
    model = load("planetary_gear").model
    joints = [
        ch.Revolute(joint.name, ch.GROUND, joint.b, at=joint.at, axis=joint.axis)
        if isinstance(joint, ch.Revolute) and joint.a == "arm"
        else joint
        for joint in model.joints
    ]
    star = ch.Model(model.bodies, joints, model.forces)
    return {"on the arm": model, "on the ground": star}


def report(title: str, allowed: float, times: dict[str, float]) -> None:
    (first, one), (second, other) = times.items()
    print(f"{title}: {one / STEPS * 1e6:.1f} us a step {first}, {other / STEPS * 1e6:.1f} {second}:"
          f" {one / other:.2f} times; {allowed:g} allowed")  # fmt: skip


if __name__ == "__main__":
    report("Stewart platform", 3, seconds(stewart()))
    report("planetary gear", 2, seconds(planetary()))
