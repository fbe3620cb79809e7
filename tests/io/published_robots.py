"""Published robots, beside MuJoCo: `make robots` prints the table of docs/files.md.

Every file of the packages in build/robots (see scripts/fetch_robots.py) is imported, and its
accelerations at a random state are compared with MuJoCo's, and a short run with MuJoCo's RK4.  Both
are without what a flag of MuJoCo leaves out: contacts, limits, dry friction, equality constraints
and actuators; and without what the notes of the import say is left out.  Rotors are kept.
"""

import importlib.metadata
import importlib.util
import runpy
import sys
import tempfile
from collections import Counter
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import chasles as ch
from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.system.coordinates import first_integrals
from chasles.io.mjcf import compiled_scene
from chasles.io.xml_checks import Checker

OWN = Path(__file__).parent / "robots"
FOLDER = Path(__file__).parents[2] / "build" / "robots"
PACKAGES = runpy.run_path(str(FOLDER.parents[1] / "scripts" / "fetch_robots.py"))["PACKAGES"]
#: What a package calls its robots, where it is not its own name.
MODULES = {"pybullet": "pybullet_data"}
#: A thousand single bodies without a joint.
LEFT_OUT = "random_urdfs"
FLAGS = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", "ACTUATION")
#: Forces that these flags leave out.
OFF = ("motor", "servo", "jointfriction", "jointstop", "contact")
#: Notes on what moves bodies in MuJoCo and is not in the model, and what they are called in short.
MISSING = {
    "contacts between bodies": "contacts between bodies",
    "contacts of other geoms with planes": "contacts of geoms with planes",
    "limits of joints": "limits are not enforced",
    "springs of tendons": "of tendons are left out",
    "limits of tendons": "limits of tendons",
    "fluid": "the medium",
    "actuators": "actuators are left out",
    "deformable bodies": "deformable bodies are left out",
    "plugins": "plugins are left out",
    "springs": "springs and dampers are left out",
    "nonlinear springs": "are taken as linear",
    "rotors": "armature is left out",
    "gravity compensation": "compensation of gravity",
    "dry friction": "dry friction is left out",
    "constraints": "constraints are left out",
}
#: ... of which MuJoCo cannot be told to leave out these alone.
NOT_COMPARED = ("springs", "rotors", "deformable bodies", "plugins")
#: s; robots that need shorter steps for their dampers are for implicit methods.
SHORTEST = 1e-7
#: Reasons to refuse a file in which there is nothing to move.
NO_ROBOT = ("nothing in it moves", "which is not a robot")


@dataclass
class Found:
    """What became of one file."""

    path: Path
    refused: str = ""  # why
    loads: bool = False  # whether MuJoCo by itself makes a model of it
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    acceleration: float | None = None  # relative difference
    trajectory: float | None = None  # difference as a multiple of what MuJoCo's own step makes

    @property
    def kind(self) -> str:
        if not self.refused:
            return "imported"
        if not self.loads and any(words in self.refused for words in NO_ROBOT):
            return "nothing moves"
        return "refused here" if self.loads else "refused by MuJoCo"

    @property
    def is_off(self) -> bool:
        """Whether it moves otherwise than in MuJoCo."""
        off = self.acceleration is not None and not self.acceleration < 1e-9
        return off or (self.trajectory is not None and not self.trajectory <= 1.0)


@dataclass
class Table:
    """A package in numbers."""

    name: str
    found: list[Found] = field(default_factory=list)

    def row(self) -> dict[str, int | float]:
        kinds = Counter(found.kind for found in self.found)
        imported = [found for found in self.found if not found.refused]
        compared = [f.acceleration for f in imported if f.acceleration is not None]
        ran = [f.trajectory for f in imported if f.trajectory is not None]
        return {
            "files": len(self.found),
            **{kind: kinds[kind] for kind in
               ("nothing moves", "refused by MuJoCo", "refused here", "imported")},
            "all that moves": sum(not f.missing for f in imported),
            "compared": len(compared),
            "within 1e-9": sum(worst < 1e-9 for worst in compared),
            "ran": len(ran),
            "within the error": sum(bool(worst <= 1.0) for worst in ran),
        }  # fmt: skip


def packages() -> dict[str, Path]:
    """Name and version -> folder: those that were fetched, or else are installed."""
    if FOLDER.is_dir():
        return {path.name: path for path in sorted(FOLDER.iterdir()) if path.name in PACKAGES}
    found = {}
    for package in PACKAGES:
        name = package.partition("==")[0]
        spec = importlib.util.find_spec(MODULES.get(name, name.replace("-", "_")))
        for place in (spec.submodule_search_locations or []) if spec else []:
            found[f"{name}=={importlib.metadata.version(name)}"] = Path(place)
    return found


def files(folder: Path) -> list[Path]:
    kinds = (".xml", ".mjcf", ".urdf")
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in kinds)
    return [path for path in paths if LEFT_OUT not in path.parts]


def survey(path: Path, folder: Path) -> Found:
    """Import a file and compare it."""
    found = Found(path)
    try:
        model = ch.read_model(path, folder=folder, contacts="planes")
    except ch.ChaslesError as error:
        found.refused, found.loads = error.what, loads(path)
        return found
    found.notes = model.notes
    found.missing = tuple(
        short for short, words in MISSING.items() if any(words in note for note in model.notes)
    )
    if not set(found.missing) & set(NOT_COMPARED):
        pair = Pair(path, model, folder)
        found.acceleration = pair.worst_acceleration()
        found.trajectory = pair.worst_trajectory()
    return found


def loads(path: Path) -> bool:
    """Whether MuJoCo makes a model of a file by itself, in which something moves."""
    try:
        return bool(mujoco.MjModel.from_xml_path(str(path)).nv)
    except Exception:
        return False


def scene_of(path: Path, folder: Path):
    """The file in MuJoCo: by itself, or once meshes by names of packages are found."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        checker = Checker(path, folder)
        checker.check()
        return compiled_scene(mujoco, checker, [])[0]


class Pair:
    """A file in MuJoCo and here, with the same things left out."""

    def __init__(self, path: Path, model: ch.Model, folder: Path) -> None:
        scene = scene_of(path, folder)
        for flag in FLAGS:
            scene.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        scene.body_gravcomp[:] = scene.opt.density = scene.opt.viscosity = 0.0
        scene.opt.wind[:] = 0.0
        for what in ("stiffness", "damping", "armature"):
            getattr(scene, f"tendon_{what}")[:] = 0.0
        for what in ("jnt_stiffnesspoly", "dof_dampingpoly", "tendon_stiffnesspoly",
                     "tendon_dampingpoly"):  # fmt: skip
            if hasattr(scene, what):
                getattr(scene, what)[:] = 0.0
        closing = {scene.equality(k).name or f"equality {k}" for k in range(scene.neq)}
        self.scene = scene
        self.model = ch.Model(
            model.bodies,
            [joint for joint in model.joints if joint.name not in closing],
            [force for force in model.forces if force.kind not in OFF],
            gravity=model.gravity,
        )
        self.reference = mujoco.MjData(scene)
        mujoco.mj_kinematics(scene, self.reference)
        self.places = [self.place(body.name) for body in self.model.bodies]

    def place(self, name: str) -> tuple[int, int]:
        """A body's number in MuJoCo, and how many of its joints carry it; of a frame, fewer."""
        scene = self.scene
        for number in range(1, scene.nbody):
            own = scene.body(number).name or f"body {number}"
            if name == own or (name == f"{own} body" and own == "ground"):
                return number, scene.body_jntnum[number]
            for count in range(1, scene.body_jntnum[number]):
                joint = scene.body_jntadr[number] + count - 1
                if name == f"{own} after {scene.joint(joint).name or f'joint {joint}'}":
                    return number, count
        raise AssertionError(f"{name} is not a body of the file")

    def twists(self, data, rates):
        """The state of our bodies, and the accelerations (n, 6) that `rates` are in MuJoCo's."""
        scene, count = self.scene, len(self.places)
        position, velocity, omega, linear, angular = np.zeros((5, count, 3))
        rotation = np.zeros((count, 3, 3))
        for k, (number, joints) in enumerate(self.places):
            here = self.held(data, number, joints)
            body, axes = self.model.bodies[k], self.reference.xmat[number].reshape(3, 3)
            point = axes.T @ (np.array(body.position) - self.reference.xpos[number])
            turned = here.xmat[number].reshape(3, 3)
            rotation[k] = turned @ axes.T @ np.array(body.rotation)
            position[k] = here.xpos[number] + turned @ point
            shift, turn, shift_rate, turn_rate = np.zeros((4, 3, scene.nv))
            mujoco.mj_jac(scene, here, shift, turn, position[k], number)
            mujoco.mj_jacDot(scene, here, shift_rate, turn_rate, position[k], number)
            velocity[k], omega[k] = shift @ here.qvel, turn @ here.qvel
            linear[k] = shift @ rates + shift_rate @ here.qvel
            angular[k] = turn @ rates + turn_rate @ here.qvel
        own = np.einsum("bji,bj->bi", rotation, omega)
        state = ch.State(0.0, self.model.body_names, position, rotation, velocity, own)
        return state, np.hstack((linear, angular))

    def held(self, data, number, joints):
        """The data with all joints of a body but the first few held at the reference pose."""
        scene, first = self.scene, self.scene.body_jntadr[number]
        if joints == scene.body_jntnum[number]:
            return data
        here = mujoco.MjData(scene)
        here.qpos[:], here.qvel[:] = data.qpos, data.qvel
        for joint in range(first + joints, first + scene.body_jntnum[number]):
            at, rate = scene.jnt_qposadr[joint], scene.jnt_dofadr[joint]
            here.qpos[at], here.qvel[rate] = scene.qpos0[at], 0.0  # several: hinges and slides
        mujoco.mj_forward(scene, here)
        return here

    def random_state(self):
        data, rng = mujoco.MjData(self.scene), np.random.default_rng(0)
        mujoco.mj_integratePos(self.scene, data.qpos, 0.3 * rng.normal(size=self.scene.nv), 1.0)
        data.qvel[:] = rng.normal(size=self.scene.nv)
        mujoco.mj_forward(self.scene, data)
        return data

    def worst_acceleration(self) -> float:
        """The largest difference of accelerations of bodies with mass, as a part of the largest.

        The largest is one of a body, of a joint, or of gravity.
        """
        data = self.random_state()
        state, theirs = self.twists(data, data.qacc)
        massive = [k for k, body in enumerate(self.model.bodies) if body.mass > 0.0]
        ours = accelerations(self.model, state)
        known = (theirs[massive], data.qacc, self.scene.opt.gravity)
        largest = max(np.abs(each).max() for each in known)
        return float(np.abs(ours - theirs)[massive].max() / largest)

    def explicit_step(self) -> float:
        """A step that explicit methods are stable with: D / M of dampers is below 1 / step."""
        data, mass = self.random_state(), np.zeros((self.scene.nv, self.scene.nv))
        mujoco.mj_fullM(self.scene, data, mass)
        rates = np.linalg.eigvals(np.linalg.solve(mass, np.diag(self.scene.dof_damping)))
        return float(min(5e-4, 0.5 / max(np.abs(rates).max(), 1.0)))

    def worst_trajectory(self, count: int = 100) -> float | None:
        """The distance of positions and rotations after a run, in units of MuJoCo's own error.

        That is how much half the step changes, of which the error of the finer run is a part.
        None where dampers are too stiff for an explicit method.
        """
        step = self.explicit_step()
        if step < SHORTEST:
            return None
        self.scene.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        ends = []
        for parts in (1, 2):
            self.scene.opt.timestep = step / parts
            data = self.random_state()
            start, _ = self.twists(data, data.qacc)
            mujoco.mj_step(self.scene, data, nstep=count * parts)
            mujoco.mj_forward(self.scene, data)
            ends.append(self.twists(data, data.qacc)[0])
        ours = ch.simulate(
            self.model, until=count * step, step=step, method="dop853", start=start
        ).state()
        rounding = 1e-11 * max(1.0, np.abs(ends[1].position).max())
        return max(
            np.abs(getattr(ours, what) - getattr(ends[1], what)).max()
            / (np.abs(getattr(ends[0], what) - getattr(ends[1], what)).max() + rounding)
            for what in ("position", "rotation")
        )


def accelerations(model: ch.Model, state: ch.State):
    """Of the centres of mass, and angular, in the world (n, 6), by the recursion."""
    problem = TreeProblem.from_model(model, start=state)
    order = [problem.setup.body_index[name] for name in model.body_names]
    found = problem.reactions(problem.start[None], None, first_integrals(problem.setup)[None])
    rates = found.accelerations[0, order].reshape(-1, 2, 3)
    v = np.einsum("bji,bj->bi", state.rotation, state.velocity)
    linear = rates[:, 1] + np.cross(state.angular_velocity, v)
    return np.hstack([np.einsum("bij,bj->bi", state.rotation, a) for a in (linear, rates[:, 0])])


def main() -> int:
    """Print the tables of docs/files.md, then why files are refused, and what is off if any is."""
    tables: list[Table] = []
    with tempfile.TemporaryDirectory() as place, chdir(place):  # MuJoCo leaves its log here
        for name, folder in packages().items():
            tables.append(Table(name, [survey(path, folder) for path in files(folder)]))
            print(f"{name}: {len(tables[-1].found)} files", file=sys.stderr, flush=True)
    everything = [found for table in tables for found in table.found]
    heads = list(Table("", []).row())
    print("|", " | ".join(["package", *heads]), "|")
    print("|", "---|" * (len(heads) + 1), sep="")
    for table in [*tables, Table("all", everything)]:
        print("|", " | ".join([table.name, *map(str, table.row().values())]), "|")
    missing = Counter(short for found in everything for short in found.missing)
    print("\nleft out of imported robots:", dict(missing.most_common()))
    compared = [found.acceleration for found in everything if found.acceleration is not None]
    print(f"largest difference of accelerations: {max(compared, default=0.0):.1e}\n")
    for found in everything:
        if found.kind == "refused here" or found.is_off:
            print("OFF", found.path, found.refused, found.acceleration, found.trajectory)
        elif found.kind == "refused by MuJoCo":
            print(f"{found.path.name}: {found.refused.replace(str(found.path), found.path.name)}")
    return int(any(found.kind == "refused here" or found.is_off for found in everything))


if __name__ == "__main__":
    sys.exit(main())
