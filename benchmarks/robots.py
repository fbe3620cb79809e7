"""Published robots beside MuJoCo: RK4 in the air, and implicit steps on the floor.

    python scripts/fetch_robots.py               # their files, into build/robots
    python benchmarks/run.py --only robots --only floor

In the air both have springs and dampers of joints and nothing else: contacts, limits, dry friction,
actuators, tendons and equality constraints are left out, and all stages of MuJoCo that are then not
needed are switched off.  On the floor everything is on that the file describes, but contacts of a
robot with itself, which the import leaves out.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clocks import clock, make_stepper
from findings import Figure, Findings, Requirement
from libraries import race

import chasles as ch
from chasles.many.quiet import simulate_quietly

FOLDER = Path(__file__).resolve().parents[1] / "build" / "robots"
#: Name -> package, and the file in it.  All that have 18 degrees of freedom or more.
IN_THE_AIR = {
    "humanoid": ("gymnasium", "gymnasium/envs/mujoco/assets/humanoid.xml"),
    "humanoid of dm_control": ("dm_control", "dm_control/suite/humanoid.xml"),
    "humanoid with 56 hinges": ("dm_control", "dm_control/suite/humanoid_CMU.xml"),
    "quadruped": ("dm_control", "dm_control/suite/quadruped.xml"),
    "dog": ("dm_control", "dm_control/suite/dog.xml"),
    "rodent": ("dm_control", "dm_control/locomotion/walkers/assets/rodent.xml"),
    "hand": ("gymnasium-robotics", "gymnasium_robotics/envs/assets/hand/reach.xml"),
    "hand with an arm": (
        "gymnasium-robotics", "gymnasium_robotics/envs/assets/adroit_hand/adroit_pen.xml",
    ),
}  # fmt: skip
ON_THE_FLOOR = {
    "ant": ("gymnasium", "gymnasium/envs/mujoco/assets/ant.xml"),
    "humanoid": ("gymnasium", "gymnasium/envs/mujoco/assets/humanoid.xml"),
}
#: Steps of ours, as a part of MuJoCo's.
AIR_LIMIT, FLOOR_LIMIT = 0.55, 2.5
#: m, between the centres of mass of both after the run in the air.
DISTANCE_LIMIT = 1e-6
STEPS, FLOOR_STEP = 400, 2e-3
#: s on the floor: they fall, land and come to rest.
FLOOR_TIMES = (1.0, 4.0)
#: m, between the heights of both centres of mass then: contacts of the two are not equally soft.
HEIGHT_LIMIT = 0.1
LONGEST = 5e-4
OFF = ("motor", "servo", "jointfriction", "jointstop", "contact")
#: What MuJoCo is told to leave out in the air.
SWITCHED_OFF = (
    *("CONTACT", "CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "ISLAND", "WARMSTART"),
    *("ACTUATION", "SENSOR", "MIDPHASE", "FILTERPARENT", "EULERDAMP", "REFSAFE", "AUTORESET"),
)


def file_of(package: str, file: str) -> tuple[Path, Path]:
    """The fetched file, and its package's folder."""
    found = sorted(FOLDER.glob(f"{package}==*"))
    if not found:
        raise RuntimeError(f"{package} is not in {FOLDER}: run scripts/fetch_robots.py")
    return found[-1] / file, found[-1]


# --- in the air ---


def in_the_air(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """RK4 of robots with springs and dampers, step for step from the pose of the file."""
    worst = None
    for name, place in IN_THE_AIR.items():
        what = f"{name} in the air: chasles / MuJoCo, RK4"
        if "MuJoCo" not in libraries:
            findings.requirements.append(Requirement(what, None, AIR_LIMIT))
            continue
        model, scene, step = air_pair(*file_of(*place))
        worst = max(worst or 0.0, distance(model, scene, step))
        stepper, case = make_stepper(model, step=step), f"{name} in the air, {scene.nv} dof"
        entered = {
            "chasles": clock(stepper, stepper.advance_generic, STEPS, step),
            "MuJoCo": peer_clock(scene, STEPS),
        }
        ratio = add_race(findings, case, entered, "RK4", effort.rounds)
        findings.requirements.append(Requirement(what, ratio, AIR_LIMIT))
    what = "robots in the air: distance of centres of mass from MuJoCo's, m"
    findings.requirements.append(Requirement(what, worst, DISTANCE_LIMIT))


def air_pair(path: Path, folder: Path) -> tuple[ch.Model, Any, float]:
    """A robot here and in MuJoCo, without what neither is to have, and a step for both."""
    import mujoco

    scene = mujoco.MjModel.from_xml_path(str(path))
    closing = {scene.equality(k).name or f"equality {k}" for k in range(scene.neq)}
    found = ch.read_model(path, folder=folder, contacts="none")
    model = ch.Model(
        found.bodies,
        [joint for joint in found.joints if joint.name not in closing],
        [force for force in found.forces if force.kind not in OFF],
        gravity=found.gravity,
    )
    for flag in SWITCHED_OFF:
        scene.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    scene.body_gravcomp[:] = scene.opt.density = scene.opt.viscosity = 0.0
    scene.opt.wind[:] = 0.0
    for what in ("stiffness", "damping", "armature"):
        getattr(scene, f"tendon_{what}")[:] = 0.0
    scene.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    scene.opt.timestep = step = stable_step(scene)
    return model, scene, step


def stable_step(scene: Any) -> float:
    """A step that RK4 is stable with: dampers and springs ask for it."""
    import mujoco

    data, mass = mujoco.MjData(scene), np.zeros((scene.nv, scene.nv))
    mujoco.mj_forward(scene, data)
    mujoco.mj_fullM(scene, data, mass)
    stiffness = np.zeros(scene.nv)
    stiffness[scene.jnt_dofadr] = scene.jnt_stiffness
    decay = np.abs(np.linalg.eigvals(np.linalg.solve(mass, np.diag(scene.dof_damping))))
    swing = np.abs(np.linalg.eigvals(np.linalg.solve(mass, np.diag(stiffness))))
    return float(min(LONGEST, 0.5 / max(decay.max(), np.sqrt(swing.max()), 1.0)))


def distance(model: ch.Model, scene: Any, step: float) -> float:
    """Between the ways of both centres of mass (m); what does not move is in neither."""
    import mujoco

    data = mujoco.MjData(scene)
    mujoco.mj_kinematics(scene, data)
    start = data.xipos.copy()
    mujoco.mj_step(scene, data, nstep=STEPS)
    mujoco.mj_kinematics(scene, data)
    theirs = scene.body_mass @ (data.xipos - start)
    run = ch.simulate(model, until=STEPS * step, step=step, save_every=STEPS, progress=False)
    ours = sum(b.mass * (run.position(b.name)[-1] - run.position(b.name)[0]) for b in model.bodies)
    return float(np.abs(ours - theirs).max() / sum(body.mass for body in model.bodies))


# --- on the floor ---


def on_the_floor(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """Linearly-implicit steps of 2 ms beside MuJoCo's implicitfast."""
    heights = []
    for name, place in ON_THE_FLOOR.items():
        what = f"{name} on the floor: chasles linearly-implicit / MuJoCo implicitfast"
        ratios = []
        for seconds in FLOOR_TIMES if "MuJoCo" in libraries else ():
            path, folder = file_of(*place)
            model = ch.read_model(path, folder=folder, contacts="planes")
            steps = round(seconds / FLOOR_STEP)
            stepper = make_stepper(model, "linearly-implicit", step=FLOOR_STEP)
            scene = floor_scene(path)
            heights.append(height_apart(model, scene, seconds))
            entered = {
                "chasles": clock(stepper, stepper.advance_generic, steps, FLOOR_STEP),
                "MuJoCo": peer_clock(scene, steps),
            }
            case = f"{name} on the floor for {seconds:g} s"
            ratios.append(add_race(findings, case, entered, "implicit", effort.rounds))
        findings.requirements.append(Requirement(what, max(ratios, default=None), FLOOR_LIMIT))
    what = "robots on the floor: heights of centres of mass beside MuJoCo's, m"
    findings.requirements.append(Requirement(what, max(heights, default=None), HEIGHT_LIMIT))


def floor_scene(path: Path) -> Any:
    """The file in MuJoCo with implicit steps; bodies touch the floor, and not each other."""
    import mujoco

    scene = mujoco.MjModel.from_xml_path(str(path))
    scene.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    scene.opt.timestep = FLOOR_STEP
    is_floor = scene.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    scene.geom_contype[:], scene.geom_conaffinity[:] = is_floor, ~is_floor
    return scene


def height_apart(model: ch.Model, scene: Any, seconds: float) -> float:
    """Between the centres of mass of both at the end of a run (m)."""
    import mujoco

    data = mujoco.MjData(scene)
    mujoco.mj_step(scene, data, nstep=round(seconds / FLOOR_STEP))
    mujoco.mj_kinematics(scene, data)
    mujoco.mj_comPos(scene, data)
    run = simulate_quietly(
        model, seconds, step=FLOOR_STEP, method="linearly-implicit",
        save_every=round(seconds / FLOOR_STEP), progress=False,
    )  # fmt: skip
    total = sum(body.mass for body in model.bodies)
    ours = sum(body.mass * run.position(body.name)[-1, 2] for body in model.bodies) / total
    return float(abs(ours - data.subtree_com[0, 2]))


# --- both ---


def peer_clock(scene: Any, steps: int) -> Callable[[], float]:
    """Microseconds a step of MuJoCo from the pose of the file."""
    import mujoco

    data = mujoco.MjData(scene)

    def measured() -> float:
        mujoco.mj_resetData(scene, data)
        began = time.process_time()
        mujoco.mj_step(scene, data, nstep=steps)
        taken = time.process_time() - began
        if not np.isclose(data.time, steps * scene.opt.timestep):
            raise RuntimeError(f"MuJoCo started anew: it is at {data.time} s")
        return 1e6 * taken / steps

    return measured


def add_race(
    findings: Findings,
    case: str,
    entered: dict[str, Callable[[], float]],
    variant: str,
    rounds: int,
) -> float:
    """Their figures, and ours as a part of MuJoCo's."""
    best = race(entered, rounds)
    for library, value in best.items():
        findings.figures.append(Figure(case, library, variant, value, "us/step"))
    return best["chasles"] / best["MuJoCo"]


CASES = {"robots": in_the_air, "floor": on_the_floor}
