"""Which joint confines the velocity of a body's chart, in numbers: see `core.confinement`."""

from collections.abc import Callable, Sequence

import numpy as np

from chasles.core.arrays import POSE_R, SE3_CODE, Floats, row_span
from chasles.core.charts import grounded_twist
from chasles.core.confinement import Confinement, free_confinement
from chasles.core.constraints.kind import locked_bits
from chasles.model import GROUND, Joint
from chasles.spaces.fitting import local_scale
from chasles.spaces.frames import frame_along
from chasles.spaces.kept import kept_directly, kept_together
from chasles.spaces.subalgebras import Floats as Basis
from chasles.spaces.subalgebras import intersection, normalised, orthonormal
from chasles.spaces.subgroups import MotionGroup, classify, joint_algebra
from chasles.system.build import Setup

SPINS, SPINS_ABOUT_Z = 0b000111, 0b000011
#: What a motion group locks in a frame whose z is its axis.
LOCKED = {
    "identity": ("wx", "wy", "wz", "ux", "uy", "uz"),
    "translation along a line": ("wx", "wy", "wz", "ux", "uy"),
    "translation in a plane": ("wx", "wy", "wz", "uz"),
    "translation": ("wx", "wy", "wz"),
    "revolute": ("wx", "wy", "ux", "uy", "uz"),
    "helical": ("wx", "wy", "ux", "uy", "uz"),
    "cylindrical": ("wx", "wy", "ux", "uy"),
    "planar": ("wx", "wy", "uz"),
    "planar-helical": ("wx", "wy", "uz"),
    "Schoenflies": ("wx", "wy"),
    "spherical": ("ux", "uy", "uz"),
    "SE(3)": (),
}


def make_confinement(setup: Setup, start: Floats, rows: Callable[[], Floats]) -> Confinement:
    """The algebras that the charts of a model keep, body by body.

    `rows` gives J at the absolute state `start` (n, 18).
    """
    confinement = free_confinement(setup.system.body_count)
    for name, joints in kept_directly(setup.model, setup.spaces).items():
        put_joint(setup, confinement, setup.body_index[name], joints[0])
        if len(joints) > 1:
            put_common(setup, confinement, name, joints)
        put_commuting(setup, confinement, setup.body_index[name])
    return tied(setup, confinement, start, rows)


def put_joint(setup: Setup, confinement: Confinement, body: int, joint: Joint) -> None:
    """What one joint leaves free, in the axes its rows are written in."""
    joints, index = setup.system.joints, setup.joint_index[joint.name]
    on_body, on_reference = ("a", "b") if joints.a[index] == body else ("b", "a")
    is_se3 = setup.system.bodies.group[body] == SE3_CODE
    spins = getattr(joints, f"axes_{on_body}")[index]
    lever = getattr(joints, f"point_{on_body}")[index]
    confinement.joint[body] = index
    confinement.locked[body] = joints.locked[index]
    confinement.spin_axes[body] = spins
    confinement.slide_axes[body] = (
        spins if is_se3 else getattr(joints, f"axes_{on_reference}")[index]
    )
    confinement.lever[body] = lever if is_se3 else 0.0
    confinement.pitch[body] = joints.constant[index] if joint.pitch else 0.0
    confinement.size[body] = reach_of(setup, body, lever)


def reach_of(setup: Setup, body: int, lever: Floats) -> float:
    """The lever of a joint, or the radius of gyration of its body if that is longer."""
    bodies = setup.system.bodies
    gyration = np.sqrt(bodies.inertia[body, :3].max() / bodies.mass[body])
    return float(max(np.linalg.norm(lever), gyration))


def put_common(setup: Setup, confinement: Confinement, name: str, joints: Sequence[Joint]) -> None:
    """What several joints to the same reference leave free together.

    Where that is what one of them allows, its own axes are taken: they have no rounding errors.
    """
    scale = local_scale(joints[0], setup.model, name, setup.spaces[name])
    algebras = [orthonormal(normalised(scale.local(joint_algebra(j)))) for j in joints]
    common: Basis = algebras[0]
    for other in algebras[1:]:
        common = intersection(common, other)
    body = setup.body_index[name]
    for joint, algebra in zip(joints, algebras):
        if algebra.shape == common.shape:
            put_joint(setup, confinement, body, joint)
            return
    put_group(setup, confinement, name, classify(scale.world(common), scale))


def put_group(setup: Setup, confinement: Confinement, name: str, group: MotionGroup) -> None:
    """A motion group, given in the world as entered."""
    model, body = setup.model, setup.body_index[name]
    reference = setup.spaces[name].relative_to or GROUND.name
    turn = np.array(model.body(name).rotation)
    carrier = np.eye(3) if reference == GROUND.name else np.array(model.body(reference).rotation)
    axes = np.eye(3) if group.axis is None else frame_along(group.axis)
    is_se3 = setup.system.bodies.group[body] == SE3_CODE
    confinement.locked[body] = locked_bits(LOCKED[group.name])
    confinement.spin_axes[body] = (turn.T @ axes).ravel()
    confinement.slide_axes[body] = ((turn if is_se3 else carrier).T @ axes).ravel()
    if is_se3 and group.point is not None:
        confinement.lever[body] = turn.T @ np.subtract(group.point, model.body(name).position)
    confinement.pitch[body] = group.pitch


def put_commuting(setup: Setup, confinement: Confinement, body: int) -> None:
    """Turns about one axis commute; on SE(3) not with shifts across it."""
    locked = int(confinement.locked[body])
    one_axis = locked & SPINS_ABOUT_Z == SPINS_ABOUT_Z
    if setup.system.bodies.group[body] == SE3_CODE and locked & SPINS != SPINS:
        across = locked_bits(("ux", "uy"))
        one_axis = one_axis and locked & across == across
    confinement.commutes[body] = int(one_axis)


# --- joints that two charts keep together ---


def tied(
    setup: Setup, confinement: Confinement, start: Floats, jacobian: Callable[[], Floats]
) -> Confinement:
    """With the ties of bodies that no joint to their reference confines."""
    ties: list[tuple[int, int]] = []
    on_a: list[Floats] = []
    on_b: list[Floats] = []
    joints = setup.system.joints
    for name, joint in kept_together(setup.model, setup.spaces).items():
        body, index = setup.body_index[name], setup.joint_index[joint.name]
        if confinement.joint[body] >= 0:
            continue
        rows = jacobian()[row_span(setup.system, index)]
        sides = {int(joints.a[index]): rows[:, :6], int(joints.b[index]): rows[:, 6:]}
        other = next(end for end in sides if end != body)
        lever = joints.point_a[index] if joints.a[index] == body else joints.point_b[index]
        confinement.joint[body] = index
        confinement.size[body] = reach_of(setup, body, lever)
        n_a = sides[other] @ twist_matrix(setup, start, other)
        n_b = sides[body] @ twist_matrix(setup, start, body)
        scale = np.repeat((1.0, confinement.size[body]), 3)
        inverse = scale[:, None] * np.linalg.pinv(n_b * scale)
        ties.append((body, other))
        on_a.append((inverse @ n_a).ravel())
        on_b.append((inverse @ n_b).ravel())
    return confinement._replace(
        ties=np.array(ties, np.int64).reshape(-1, 2),
        tie_a=np.array(on_a).reshape(-1, 36),
        tie_b=np.array(on_b).reshape(-1, 36),
        tie_count=len(ties),
    )


def twist_matrix(setup: Setup, start: Floats, body: int) -> Floats:
    """(6, 6) from the velocity of a body's chart to its twist, at rest against a resting reference.

    Joints see the difference of two such twists, so that what their common reference does drops
    out.
    """
    bodies, reference = setup.system.bodies, int(setup.system.bodies.reference[body])
    rotation = start[body, POSE_R : POSE_R + 9].reshape(3, 3)
    if reference >= 0:
        rotation = start[reference, POSE_R : POSE_R + 9].reshape(3, 3).T @ rotation
    point, relative = tuple(bodies.frame_point[body]), tuple(rotation.ravel())
    twists = [
        grounded_twist(bodies.group[body], (tuple(unit[:3]), tuple(unit[3:])), relative, point)
        for unit in np.eye(6)
    ]
    return np.array(twists).reshape(6, 6).T
