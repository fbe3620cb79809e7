"""A compiled MuJoCo scene as a Model: bodies, joints, and notes of what a Model cannot have.

Bodies without a joint are part of the body that carries them: their masses are put together.  The
start is the reference pose of the file, where coordinates of joints are 0 here; MuJoCo's begin at
qpos0, and differ by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from chasles.io.mjcf_shapes import shapes_of
from chasles.model import GROUND, Body, InvalidModel, Joint, Model
from chasles.model.checks import as_matrix, as_vector
from chasles.model.errors import quoted
from chasles.model.solids import together
from chasles.model.words import Coordinate, Floats

LISTED = 6  # names in a note before "and n more"


@dataclass(frozen=True)
class Placed:
    """A joint of the file, and the joint of the model that has its coordinate, if one has.

    coordinate  "angle" or "displacement"; None where the model's joint has no such coordinate
    """

    index: int
    kind: str
    joint: Joint | None
    coordinate: Coordinate | None


@dataclass
class Scene:
    """What MuJoCo compiled: the module, its model `m`, and its data `d` at the reference pose."""

    mujoco: Any
    m: Any
    d: Any
    stops: bool = True  # whether limits of joints are made stops
    contacts: bool = False  # whether there are contacts with planes
    visuals: Any = None  # of a URDF: a second model, with the shapes to look at
    notes: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)  # notes, and the names they are about
    taken: set[str] = field(default_factory=set)
    framed: set[str] = field(default_factory=set)  # names of frames
    placed: dict[int, Placed] = field(default_factory=dict)  # joints of the file, by their number

    def code(self, name: str) -> int:
        """The number of one of MuJoCo's words: code("Eq.CONNECT") is mjtEq.mjEQ_CONNECT."""
        group, word = name.split(".")
        prefix = {"Obj": "OBJ", "Joint": "JNT", "DisableBit": "DSBL"}.get(group, group.upper())
        return int(getattr(getattr(self.mujoco, f"mjt{group}"), f"mj{prefix}_{word}"))

    def name(self, kind: str, index: int, otherwise: str = "") -> str:
        """The name in the file; else the other one, or kind and number."""
        found = self.mujoco.mj_id2name(self.m, self.code(f"Obj.{kind.upper()}"), index)
        printable = "".join(c for c in found or "" if c.isprintable()).strip()
        return printable or otherwise or f"{kind} {index}"

    def note(self, text: str) -> None:
        self.notes.append("".join(c if c.isprintable() else " " for c in text))

    def leave(self, what: str, *names: str) -> None:
        """One note for many things of one kind: these are some of them."""
        if names:
            self.left.setdefault(what, []).extend(names)

    def leave_where(self, name: str, what: Mapping[str, Any]) -> None:
        """Of one thing, the notes that are true."""
        for words, is_so in what.items():
            if is_so:
                self.leave(words, name)

    def unique(self, name: str) -> str:
        """A name that no other joint, force or driver has."""
        candidate, number = name, 2
        while candidate in self.taken:
            candidate, number = f"{name} {number}", number + 1
        self.taken.add(candidate)
        return candidate

    @cached_property
    def root(self) -> list[int]:
        """The body that carries each body without a joint between them; 0 is the ground."""
        roots = [0]
        for body in range(1, self.m.nbody):
            moves = self.m.body_jntnum[body] > 0 or self.m.body_mocapid[body] >= 0
            roots.append(body if moves else roots[self.m.body_parentid[body]])
        return roots

    @cached_property
    def body_names(self) -> dict[int, str]:
        """Names of the bodies of the model, by the number of their root."""
        names: dict[int, str] = {0: GROUND.name}
        for body in range(1, self.m.nbody):
            if self.root[body] == body:
                name = self.name("body", body)
                while name in names.values():  # "ground" means the world here
                    name += " body"
                names[body] = name
        return names

    def frame_name(self, name: str) -> str:
        """A name that no body has."""
        while name in self.framed or name in self.body_names.values():
            name += "'"
        self.framed.add(name)
        return name

    def carrier(self, body: int) -> str:
        """The name, in the model, of what a body of the file is part of."""
        return self.body_names[self.root[body]]

    def coordinate(self, joint: int) -> tuple[str, Coordinate] | None:
        """The joint of the model that has the coordinate of one of the file, and which of its."""
        placed = self.placed.get(joint)
        if placed is None or placed.joint is None or placed.coordinate is None:
            return None
        return placed.joint.name, placed.coordinate

    def shares(self, tendon: int) -> list[tuple[int, float]]:
        """Joints and coefficients of a tendon that is a sum of coordinates; else no joint, -1."""
        first, count = int(self.m.tendon_adr[tendon]), int(self.m.tendon_num[tendon])
        kinds = self.m.wrap_type[first : first + count]
        if not np.all(kinds == self.code("Wrap.JOINT")):
            return [(-1, 0.0)]
        places = range(first, first + count)
        return [(int(self.m.wrap_objid[k]), float(self.m.wrap_prm[k])) for k in places]

    def in_world(self, body: int, point: Floats) -> Floats:
        """A point of a body's frame, in the world at the reference pose."""
        return self.d.xpos[body] + self.d.xmat[body].reshape(3, 3) @ point


def model_of(scene: Scene) -> Model:
    """The model, with notes on everything that it does not have."""
    from chasles.io.mjcf_contacts import contacts_of
    from chasles.io.mjcf_equalities import equalities
    from chasles.io.mjcf_forces import forces_of, note_the_rest
    from chasles.io.mjcf_joints import joints_of

    bodies = [body_of(scene, root) for root in scene.body_names if root != 0]
    if not bodies:
        raise InvalidModel("nothing in it moves.", "Give at least one body a joint.")
    frames, joints = joints_of(scene)
    closing, drivers = equalities(scene)
    forces = forces_of(scene)
    if scene.contacts:
        forces += contacts_of(scene, bodies)
    note_the_rest(scene)
    for what, names in scene.left.items():
        scene.note(f"{what}: {quoted(names, LISTED)}")
    weightless = scene.m.opt.disableflags & scene.code("DisableBit.GRAVITY")
    return Model(
        bodies + frames,
        joints + closing,
        forces,
        drivers,
        gravity=np.zeros(3) if weightless else scene.m.opt.gravity,
        notes=scene.notes,
    )


def body_of(scene: Scene, root: int) -> Body:
    """A body and all that it carries without a joint, in the axes of its frame in the file."""
    m, d, name = scene.m, scene.d, scene.body_names[root]
    parts, of = [], f"part of body '{name}', without a joint between them"
    for body in range(1, m.nbody):
        if scene.root[body] == root and m.body_mass[body] > 0.0:
            own = as_matrix(np.diag(m.body_inertia[body]))
            axes = as_matrix(d.ximat[body].reshape(3, 3))
            parts.append((float(m.body_mass[body]), own, as_vector(d.xipos[body]), axes))
        if scene.root[body] == root and body != root:
            scene.leave(of, scene.name("body", body))
    if not parts:
        raise InvalidModel(
            f"body '{name}' moves, but has no mass.",
            "Give it a mass and an inertia, or weld it to its neighbour.",
        )
    rotation = as_matrix(d.xmat[root].reshape(3, 3))
    mass, inertia, centre = together(parts, rotation, f"body '{name}'")
    shapes = shapes_of(scene, root, np.array(centre), np.array(rotation))
    return Body(name, mass, inertia, centre, rotation, shapes=shapes)
