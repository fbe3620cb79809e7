"""What a method does not admit is refused by name, with what to do instead."""

from typing import Any

from chasles.core.arrays import SE3_CODE
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.recursion.tree import FREE, GEARED
from chasles.core.stabilisation.record import FED_BACK
from chasles.core.stage import Mechanism
from chasles.integrators.half_explicit import HALF_EXPLICIT
from chasles.integrators.methods import Method
from chasles.integrators.rattlie import RATTLIE
from chasles.model import InvalidOption


def check_admitted(method: Method, mechanism: Any, setup: Any) -> None:
    """Refuse a mechanism that a method cannot step; `setup` knows the names."""
    if method.name in HALF_EXPLICIT:
        check_feedback(method.name, mechanism)
    if method.name in RATTLIE:
        check_constant_mass(method.name, mechanism, list(setup.body_index))
        if isinstance(mechanism, Mechanism):
            check_positions(method.name, mechanism, list(setup.joint_index))


def check_constant_mass(method: str, mechanism: Any, names: list[str]) -> None:
    """Charts against the ground, on SE(3) or on SO(3)xR3 at the centre of mass; or a tree on the
    ground alone.
    """
    if isinstance(mechanism, Mechanism):
        check_charts(method, mechanism, names)
    else:
        check_roots(method, mechanism, names)


def check_roots(method: str, mechanism: Any, names: list[str]) -> None:
    """Bodies on joint subgroups that each hang on the ground, and are not driven."""
    what = f"simulate: '{method}' needs a constant mass matrix"
    remedy = "Take spaces='SE3' or spaces='SO3xR3'."
    if isinstance(mechanism, LoopMechanism):
        raise InvalidOption(
            f"{what}, which the coordinates of joint subgroups with cut joints have not.", remedy
        )
    tree = mechanism.tree
    for k, name in enumerate(names):
        pair = int(tree.pair[k])
        if tree.base[k] >= 0:
            above = names[tree.base[k]]
            raise InvalidOption(
                f"{what}, but body '{name}' is on a joint subgroup that '{above}' carries.", remedy
            )
        if pair == GEARED or pair > FREE or (pair == FREE and tree.centre[k].any()):
            raise InvalidOption(f"{what} of another kind than body '{name}' has.", remedy)
    if tree.driven_count:
        raise InvalidOption(f"{what}, but a driver moves a coordinate of the tree.", remedy)


def check_charts(method: str, mechanism: Any, names: list[str]) -> None:
    """Charts against the ground with a constant mass matrix."""
    remedy = "Take spaces='SE3' or spaces='SO3xR3'."
    bodies = mechanism.system.bodies
    for k, name in enumerate(names):
        if bodies.reference[k] >= 0:
            raise InvalidOption(
                f"simulate: '{method}' needs a constant mass matrix, but body '{name}' is charted"
                f" relative to '{names[bodies.reference[k]]}'.",
                remedy,
            )
        if bodies.group[k] != SE3_CODE and bodies.frame_point[k].any():
            raise InvalidOption(
                f"simulate: '{method}' needs a constant mass matrix, but body '{name}' is on"
                " SO(3)xR3 at another point than its centre of mass.",
                remedy,
            )


def check_positions(method: str, mechanism: Any, names: list[str]) -> None:
    """Every row is the rate of a position."""
    joints = mechanism.system.joints
    for k, name in enumerate(names):
        kind = CONSTRAINTS[int(joints.kind[k])]
        if kind.rolling or len(kind.measured_of(int(joints.rows[k]))) < int(joints.rows[k]):
            raise InvalidOption(
                f"simulate: '{method}' keeps positions, but joint '{name}' restricts speeds that"
                " are not the rates of any.",
                "Take a Munthe-Kaas method, 'rk4' say, or 'half-explicit'.",
            )


def check_feedback(method: str, mechanism: Any) -> None:
    """Joints are not fed back: velocities fit them as it is."""
    if not isinstance(mechanism, TreeMechanism) and mechanism.stabiliser.kind == FED_BACK:
        raise InvalidOption(
            f"simulate: '{method}' finds velocities that fit the joints, and leaves nothing to feed"
            " back.",
            "Leave stabilise out, or close the poses: stabilise='projection'.",
        )
