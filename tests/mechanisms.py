"""Mechanisms the tests share: the four examples of Mueller and Terze (2013), and generic ones."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.studies import paper_mechanisms

REFERENCE = Path(__file__).parent / "reference"
#: Every rule that gives all bodies a space.
SPACES = ("SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", "auto")
FORMS = ("screw", "space")

# --- the paper's examples, under names that the tests speak of ---

NAMES = {"link 1": "first", "link 2": "second"}


def renamed(model: ch.Model, names: dict[str, str]) -> ch.Model:
    """The model with other names for its bodies and joints."""
    names = {ch.GROUND.name: ch.GROUND.name} | names
    bodies = [replace(body, name=names[body.name]) for body in model.bodies]
    joints = [
        replace(joint, name=names[joint.name], a=names[joint.a], b=names[joint.b])
        for joint in model.joints
    ]
    return ch.Model(bodies, joints, gravity=model.gravity)


def heavy_top() -> ch.Model:
    """A box spinning about its pivot, without gravity: T0 = 13972.399 J."""
    return paper_mechanisms.heavy_top()


def double_pendulum() -> ch.Model:
    """Two links on spherical joints, fast and chaotic."""
    joints = {"joint 1": "shoulder", "joint 2": "elbow"}
    return renamed(paper_mechanisms.double_pendulum(), NAMES | joints)


def floating_pair() -> ch.Model:
    """Two links joined to each other only, with zero total momentum and no gravity."""
    return renamed(paper_mechanisms.floating_pair(), NAMES | {"joint": "elbow"})


def three_bar() -> ch.Model:
    """A closed loop of two links on two pivots, all joints spherical: swing and two spins."""
    joints = {"joint 1": "left pivot", "joint 2": "middle", "joint 3": "right pivot"}
    return renamed(paper_mechanisms.three_bar(), NAMES | joints)


EXAMPLES = {
    "top": heavy_top,
    "pendulum": double_pendulum,
    "floating": floating_pair,
    "threebar": three_bar,
}


@dataclass(frozen=True)
class ReferenceState:
    """All bodies of an example to 22 digits: rotations (n, 3, 3), and vectors (n, 3)."""

    rotation: np.ndarray
    position: np.ndarray
    angular_velocity: np.ndarray
    velocity: np.ndarray


def reference_state(example: str, t: float) -> ReferenceState:
    """All bodies of an example at one of the tabulated times."""
    with (REFERENCE / f"ref_{example}.csv").open() as file:
        rows = [row for row in csv.reader(file) if row[0] != "t" and float(row[0]) == t]
    values = np.array(rows, float)[:, 2:]
    return ReferenceState(
        values[:, 0:9].reshape(-1, 3, 3), values[:, 9:12], values[:, 12:15], values[:, 15:18]
    )


# --- generic mechanisms ---

DOWN = (0.0, 0.0, -9.81)


def pendulum(
    forces=(), drivers=(), *, name="arm", mass=1.0, joint="hinge", axis="y", hinge=None,
    gravity=DOWN, **start,
) -> ch.Model:  # fmt: skip
    """A rod of 1 m that lies along x, on a hinge at the origin: `hinge` has the hinge's options."""
    rod = ch.Body.rod(name, 1.0, mass=mass, position=(0.5, 0, 0), **start)
    pin = ch.Revolute(joint, ch.GROUND, rod, (0, 0, 0), axis, **(hinge or {}))
    return ch.Model([rod], [pin], forces, drivers, gravity=gravity)


#: The six lower pairs, and the weld that locks all they leave free.
KINDS = ("spherical", "revolute", "prismatic", "cylindrical", "helical", "planar", "fixed")


def motored_pendulum() -> ch.Model:
    """The arm, of 2 kg, with a motor that does nothing by itself."""
    return pendulum([ch.Motor("motor", "hinge", effort=0.0)], mass=2.0)


def make_joint(kind: str, name: str, a, b, at, axis) -> ch.Joint:
    """A joint of any kind; a thread advances 3 cm per radian."""
    if kind == "spherical":
        return ch.Spherical(name, a, b, at=at)
    if kind == "fixed":
        return ch.Fixed(name, a, b, at=at)
    if kind == "helical":
        return ch.Helical(name, a, b, at=at, axis=axis, pitch=0.03)
    return getattr(ch, kind.capitalize())(name, a, b, at=at, axis=axis)


def random_rotation(rng) -> np.ndarray:
    return Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()


def random_body(rng, name: str, position, **start) -> ch.Body:
    """A body of 1 to 3 kg with a full inertia matrix, arbitrarily turned."""
    turn = random_rotation(rng)
    edges = rng.uniform(0.1, 0.4, 3)
    mass = rng.uniform(1.0, 3.0)
    moments = mass / 12.0 * (np.sum(edges**2) - edges**2)
    inertia = turn @ np.diag(moments) @ turn.T
    return ch.Body(
        name, mass, (inertia + inertia.T) / 2, position, rotation=random_rotation(rng), **start
    )


def moving(model: ch.Model, rng, speed: float = 5.0) -> ch.Model:
    """The model with random initial velocities that its joints allow, of about `speed` rad/s."""
    equations = ch.equations(model)
    mass, jacobian = equations.mass, equations.jacobian
    twists = speed * rng.standard_normal(equations.velocity.size)
    for _ in range(3):  # once for the velocity, and again for its rounding errors
        pull = np.linalg.solve(equations.kkt, np.concatenate((mass @ twists, 0 * equations.eta)))
        twists = pull[: twists.size]
    assert np.abs(jacobian @ twists).max(initial=0.0) < 1e-14 * (1 + np.abs(twists).max())
    twists = twists.reshape(-1, 6)
    bodies = [
        ch.Body(
            body.name, body.mass, body.inertia, body.position, body.rotation,
            velocity=np.array(body.rotation) @ twist[3:], angular_velocity=twist[:3],
        )
        for body, twist in zip(model.bodies, twists)
    ]  # fmt: skip
    return ch.Model(bodies, model.joints, gravity=model.gravity)


def tree(rng, parents, kinds, swap=False) -> ch.Model:
    """Body k hangs on body parents[k] (-1: the ground) by a joint of kinds[k]; frames random."""
    bodies, joints = [], []
    for k, (parent, kind) in enumerate(zip(parents, kinds)):
        base = ch.GROUND if parent < 0 else bodies[parent]
        origin = np.zeros(3) if parent < 0 else np.array(base.position)
        at = origin + rng.uniform(-0.2, 0.2, 3)
        body = random_body(rng, f"body {k}", at + rng.uniform(-0.2, 0.2, 3))
        pair = (body, base) if swap and k % 2 else (base, body)
        joints.append(make_joint(kind, f"joint {k}", *pair, at=at, axis=rng.standard_normal(3)))
        bodies.append(body)
    return ch.Model(bodies, joints, gravity=(1.0, -2.0, -9.0))


def chain(rng, kinds, **options) -> ch.Model:
    """A serial chain on the ground."""
    return tree(rng, range(-1, len(kinds) - 1), kinds, **options)


def straight_chain(
    masses=(1.0, 1.0), lengths=None, names=("upper", "lower"), joints=("shoulder", "elbow"), *,
    along=(1, 0, 0), kind=ch.Revolute, axes="y", hinges=None, forces=(), drivers=(), gravity=DOWN,
    **first,
) -> ch.Model:  # fmt: skip
    """Rods in line from the origin, each on the one before: a double pendulum of 1 m unless said.

    Names may be texts to be numbered, as "link {}"; `axes` is one axis, or one for each joint;
    `hinges` has options of each joint, and `first` is how the first rod starts.
    """
    count = len(masses)
    ends = np.cumsum([0.0, *(lengths or [1.0] * count)])[:, None] * np.array(along, float)
    bodies = [
        ch.Body.rod(
            named(names, k), mass=masses[k], between=ends[k : k + 2], **({} if k else first)
        )
        for k in range(count)
    ]
    each = axes if np.ndim(axes) == 2 else [axes] * count
    pins = [
        kind(
            named(joints, k), bodies[k - 1] if k else ch.GROUND, bodies[k], at=ends[k],
            **({} if kind is ch.Spherical else {"axis": each[k]}), **(hinges[k] if hinges else {}),
        )
        for k in range(count)
    ]  # fmt: skip
    return ch.Model(bodies, pins, forces, drivers, gravity=gravity)


def hanging_rod(mass=1.0, length=1.0, *, rotor=0.0, **options) -> ch.Model:
    """A rod that hangs from a hinge about y at the origin."""
    return straight_chain(
        (mass,), (length,), ("rod",), ("hinge",), along=(0, 0, -1), hinges=[{"armature": rotor}],
        **options,
    )  # fmt: skip


def named(names, k: int) -> str:
    """Of a list of names, or of one to be numbered."""
    return names.format(k) if isinstance(names, str) else names[k]


def zigzag(count: int, **first) -> ch.Model:
    """Links of which every fourth is on a hinge about y and the others on balls."""
    bodies, joints, at, parent = [], [], np.zeros(3), ch.GROUND
    for k in range(count):
        tip = at + (1.0, 0.0, 0.5 if k % 2 else -0.5)
        middle, start = (at + tip) / 2, {} if k else first
        link = ch.Body.box(f"link {k}", (1, 0.1, 0.2), 1.0 + k % 3, position=middle, **start)
        ends = f"joint {k}", parent, link, at
        joints.append(ch.Revolute(*ends, "y") if k % 4 == 3 else ch.Spherical(*ends))
        bodies.append(link)
        parent, at = link, tip
    return ch.Model(bodies, joints)


def in_a_ring(links, points, axes, names, kinds=None) -> list[ch.Joint]:
    """Joints at all points: from the ground to the first link, from link to link, to the ground.

    Hinges unless `kinds` says otherwise; one axis for all of them, or one for each.
    """
    ends = [ch.GROUND, *links, ch.GROUND]
    each = axes if np.ndim(axes) == 2 else [axes] * len(points)
    return [
        kind(name, a, b, at=at, **({} if kind is ch.Spherical else {"axis": axis}))
        for kind, name, a, b, at, axis in zip(
            kinds or [ch.Revolute] * len(points), names, ends, ends[1:], points, each
        )
    ]


def linkage(
    points, axis="y", names=("crank", "coupler", "rocker"), joints="ABCD", kinds=None,
    masses=(1.0, 1.0, 1.0), gravity=DOWN, radius=None, **first,
) -> ch.Model:  # fmt: skip
    """Rods from point to point, hinged to the ground at both ends: a four-bar of four points.

    `first` is how the first rod starts.
    """
    thick = {} if radius is None else {"radius": radius}
    links = [
        ch.Body.rod(name, mass=mass, between=points[k : k + 2], **thick, **({} if k else first))
        for k, (name, mass) in enumerate(zip(names, masses))
    ]
    return ch.Model(links, in_a_ring(links, points, axis, joints, kinds), gravity=gravity)


# --- what is measured ---


def worst_gaps(result: ch.Result) -> dict[str, tuple[float, float]]:
    """Largest gap of every joint over a run: (m, rad)."""
    return {
        name: (
            float(result.violation(name).max()),
            float(result.violation(name, part="rotation").max()),
        )
        for name in result.model.joint_names
    }


def worst_gap(result: ch.Result) -> float:
    """Largest gap of all joints over a run, m or rad."""
    return max(max(gaps) for gaps in worst_gaps(result).values())


def energy_drift(result: ch.Result) -> float:
    """max |E - E0| / T0."""
    energy = result.energy()
    return float(np.abs(energy - energy[0]).max() / result.kinetic_energy()[0])


def orthogonality(result: ch.Result) -> float:
    """Largest entry of R^T R - I over all bodies and saved states."""
    worst = 0.0
    for name in result.model.body_names:
        rotation = result.rotation(name)
        product = np.einsum("tki,tkj->tij", rotation, rotation)
        worst = max(worst, float(np.abs(product - np.eye(3)).max()))
    return worst


def apart(one: ch.Result, other: ch.Result) -> float:
    """Largest difference of a pose (m, 1) or a velocity, relative to the largest."""
    found = [0.0]
    for name in one.model.body_names:
        for part in ("position", "rotation", "velocity", "angular_velocity"):
            ours, theirs = getattr(one, part)(name), getattr(other, part)(name)
            size = 1.0 if part == "rotation" else 1.0 + np.abs(theirs).max()
            found.append(float(np.abs(ours - theirs).max() / size))
    return max(found)


def misfit(run: ch.Result):
    """A smooth function of all that a run has, for its derivatives."""
    body = run.model.bodies[-1].name
    total = (run.position(body) ** 2).sum() + 0.01 * (run.velocity(body)[::7] ** 2).sum()
    return total + np.sin(run.rotation(body)[-1, 0, 1]) * (run.angular_velocity(body) ** 2).sum()
